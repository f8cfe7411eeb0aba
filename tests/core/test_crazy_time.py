"""Crazy Time: rounds played forward by an oracle of the test's own.

The oracle plays as a presenter would: it writes the displayed odds on the board, Top Slot first, and changes them as
the text says. It holds no base values and calls nothing of the product but the settlement.
"""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.core.readings import ALLOWED
from firmware.core.wagers.crazy_time_wheel import MULTIPLIERS
from tests.core.crazy_time_lines import (
    BOARD,
    CLAPPERS,
    LEAST,
    NAMES,
    SLOTS,
    WORLD,
    code_of,
    make_line,
    odds_of,
)

CHOICES = {name: ALLOWED[name] for name in ("D5", "D6")}
READINGS = st.fixed_dictionaries({name: st.sampled_from(values) for name, values in CHOICES.items()})


def _displayed(board: list[Any], multiplier: int) -> list[Any]:
    return [value if value == "double" else value * multiplier for value in board]


def _shown_in(value: int, multiplier: int, readings: dict[str, str]) -> int:
    """What a displayed value counts as for a rescue."""
    return value if readings["D5"] == "displayed" else value // multiplier


@settings(deadline=None)
@given(st.sampled_from(NAMES[:4]), st.sampled_from(NAMES), st.sampled_from(MULTIPLIERS), st.booleans())
def test_numbers(segment: str, option: str, multiplier: int, aligned: bool) -> None:
    line = make_line(segment)
    line["outcome"]["top_slot"] = {"option": option, "multiplier": multiplier, "aligned": aligned}
    assert odds_of(line) == LEAST[segment] * (multiplier if aligned and option == segment else 1)
    del line["outcome"]["bonus"]  # absent is as null
    assert odds_of(line) == LEAST[segment] * (multiplier if aligned and option == segment else 1)


@settings(max_examples=150, deadline=None)
@given(st.data(), st.sampled_from(MULTIPLIERS), READINGS)
def test_coin_flip(data: st.DataObject, multiplier: int, readings: dict[str, str]) -> None:
    values = st.integers(2, 100) | st.sampled_from([2, 3, 4, 15, 16])
    sides = {"red": data.draw(values), "blue": data.draw(values)}
    landed = data.draw(st.sampled_from(["red", "blue"]))
    other = "blue" if landed == "red" else "red"
    down, up = (_shown_in(sides[side] * multiplier, multiplier, readings) for side in (other, landed))
    rescue = data.draw(st.sampled_from([None, "red", "blue"]))
    line = make_line("coin_flip", {**sides, "landed": landed, "rescue": rescue}, multiplier, **readings)
    if rescue is not None and not (up in (2, 3) and down > 15):
        assert code_of(line) == "bad_outcome"
    else:
        assert odds_of(line) == sides[rescue or landed] * multiplier


@settings(max_examples=50, deadline=None)
@given(st.data(), st.sampled_from(MULTIPLIERS))
def test_cash_hunt(data: st.DataObject, multiplier: int) -> None:
    board = data.draw(st.permutations(BOARD))
    picks = {position: data.draw(st.integers(0, 107)) for position in (1, 2, 3)}
    line = make_line("cash_hunt", {"board": board, "picks": {str(p): pick for p, pick in picks.items()}}, multiplier)
    line["wagers"] += [{"position": position, "wager": "cash_hunt", "cents": 500} for position in (2, 3)]
    for position, pick in picks.items():
        assert odds_of(line, position) == _displayed(board, multiplier)[pick]


SMALL = st.sampled_from([2, 3, 4, 5, 8])


@settings(max_examples=200, deadline=None)
@given(st.data(), st.sampled_from([1, 1, *MULTIPLIERS]), READINGS)
def test_pachinko(data: st.DataObject, multiplier: int, readings: dict[str, str]) -> None:
    slots: list[Any] = data.draw(st.lists(SMALL | st.integers(2, 400), min_size=16, max_size=16))
    if data.draw(st.booleans()):
        slots[data.draw(st.integers(0, 15))] = "double"
    board = _displayed(slots, multiplier)
    drops: list[int] = []
    rescue_after = None
    fresh = True
    while True:
        likely = [spot for spot, value in enumerate(board, 1) if value == "double"] or list(range(1, 17))
        spot = data.draw(st.sampled_from(likely) | st.integers(1, 16))
        drops.append(spot)
        if board[spot - 1] == "double":
            board = [value if value == "double" else 2 * value for value in board]
            board[spot - 1] = 50 * (multiplier if readings["D6"] == "top_slot" else 1)
            fresh = False
        elif fresh and _shown_in(board[spot - 1], multiplier, readings) in (2, 3, 4) and data.draw(st.booleans()):
            rescue_after = len(drops) - 1
            board = [value if value == "double" else max(value, board[spot - 1]) for value in board]
            fresh = False
        else:
            break
    bonus = {"slots": slots, "drops": drops, "rescue_after": rescue_after}
    line = make_line("pachinko", bonus, multiplier, **readings)
    assert odds_of(line) == board[drops[-1] - 1]
    for wrong in ([*drops, 1], [*drops, drops[-1]], drops[:-1]):
        assert code_of(make_line("pachinko", {**bonus, "drops": wrong}, multiplier, **readings)) == "bad_outcome"
    for wrong_rescue in range(-1, len(drops) + 1):
        if wrong_rescue != rescue_after:  # at the last drop the rescue's own drop is missing, elsewhere it may not be
            wrong_bonus = {**bonus, "rescue_after": wrong_rescue}
            assert code_of(make_line("pachinko", wrong_bonus, multiplier, **readings)) == "bad_outcome"


SPREAD = st.tuples(st.integers(0, 63), st.integers(3, 58), st.integers(3, 58)).filter(lambda s: s[1] + s[2] <= 61)


@settings(max_examples=150, deadline=None)
@given(st.data(), st.sampled_from(MULTIPLIERS), READINGS)
def test_crazy_time_world(data: st.DataObject, multiplier: int, readings: dict[str, str]) -> None:
    wheel: list[Any] = data.draw(st.lists(st.integers(15, 400), min_size=64, max_size=64))
    double = data.draw(st.none() | st.integers(0, 63))
    if double is not None:
        wheel[double] = "double"
    picks = {str(position): data.draw(st.sampled_from(CLAPPERS)) for position in (1, 2, 3)}
    board = _displayed(wheel, multiplier)
    going, paid, spins = set(picks), {}, []
    for number in (1, 2, 3):
        if number > 1:
            board = [value if value == "double" else 2 * value for value in board]
        if number == 3:
            fifty = 50 * (multiplier if readings["D6"] == "top_slot" else 1)
            board = [fifty if value == "double" else value for value in board]
        start, step, step_on = data.draw(SPREAD)
        if double is not None and data.draw(st.booleans()):
            start = double
        order = data.draw(st.permutations(CLAPPERS))
        rests = (start, start + step, start + step + step_on)
        spin = {clapper: rest % 64 + 1 for clapper, rest in zip(order, rests, strict=True)}
        spins.append(spin)
        at_rest = {position: board[spin[picks[position]] - 1] for position in going}
        paid.update({position: value for position, value in at_rest.items() if value != "double"})
        going = {position for position, value in at_rest.items() if value == "double"}
        if not going:
            break
    line = make_line("crazy_time_world", {"wheel": wheel, "picks": picks, "spins": spins}, multiplier, **readings)
    line["wagers"] += [{"position": position, "wager": "crazy_time_world", "cents": 500} for position in (2, 3)]
    for position, odds in paid.items():
        assert odds_of(line, int(position)) == odds
    for wrong in ([*spins, spins[0]], spins[:-1]):
        wrong_line = copy.deepcopy(line)
        wrong_line["outcome"]["bonus"]["spins"] = wrong
        assert code_of(wrong_line) == "bad_outcome"


@pytest.mark.parametrize(
    ("bonus", "multiplier", "odds"),
    [
        # The rescue lands on Double, which still doubles what the rescue raised (D10): 3 to 4, doubled; 100 doubled.
        ({"slots": SLOTS, "drops": [10, 9, 6], "rescue_after": 0}, 1, 8),
        ({"slots": SLOTS, "drops": [10, 9, 13], "rescue_after": 0}, 1, 200),
        ({"slots": SLOTS, "drops": [10, 9, 9], "rescue_after": 0}, 7, 50),
        ({"slots": SLOTS, "drops": [9, 10], "rescue_after": None}, 1, 8),  # 4 doubled; no rescue after a Double
        ({"slots": SLOTS, "drops": [10, 10], "rescue_after": 0}, 1, 4),
        ({"slots": SLOTS, "drops": [3, 10], "rescue_after": 0}, 20, 80),
    ],
)
def test_pachinko_by_hand(bonus: dict[str, Any], multiplier: int, odds: int) -> None:
    assert odds_of(make_line("pachinko", bonus, multiplier)) == odds


@pytest.mark.parametrize(
    ("segment", "bonus", "multiplier", "odds"),
    [
        ("coin_flip", {"red": 10, "blue": 2, "landed": "red", "rescue": None}, 7, 70),  # 690.4(c)
        ("coin_flip", {"red": 5, "blue": 2, "landed": "red", "rescue": None}, 7, 35),  # 690.5(e)
        ("cash_hunt", {"board": BOARD, "picks": {"1": 0}}, 7, 35),  # 690.6(g)
        ("pachinko", {"slots": SLOTS, "drops": [2], "rescue_after": None}, 7, 35),  # 690.7(f)
        (
            "crazy_time_world",
            {"wheel": WORLD, "picks": {"1": "left"}, "spins": [{"left": 2, "middle": 5, "right": 8}]},
            7,
            105,  # 690.8(f)
        ),
        ("number_5", None, 7, 35),  # 690.4(c)
    ],
)
def test_examples_of_the_text(segment: str, bonus: object, multiplier: int, odds: int) -> None:
    assert odds_of(make_line(segment, bonus, multiplier)) == odds


def test_the_readings_of_rescue_and_double() -> None:
    """D5, D6: each by hand, with both values."""
    rescued = {"red": 3, "blue": 25, "landed": "red", "rescue": "blue"}
    assert odds_of(make_line("coin_flip", rescued, 4, D5="base")) == 100
    assert code_of(make_line("coin_flip", rescued, 4, D5="displayed")) == "bad_outcome"
    assert odds_of(make_line("coin_flip", rescued, 1, D5="displayed")) == 25
    dropped = {"slots": SLOTS, "drops": [3, 6], "rescue_after": 0}  # 2 shows as 4, 3 as 6
    assert odds_of(make_line("pachinko", dropped, 2, D5="displayed")) == 6
    assert code_of(make_line("pachinko", dropped, 3, D5="displayed")) == "bad_outcome"
    assert odds_of(make_line("pachinko", dropped, 3, D5="base")) == 9
    double = {"slots": SLOTS, "drops": [9, 9], "rescue_after": None}
    assert odds_of(make_line("pachinko", double, 3, D6="top_slot")) == 150
    spin = {"left": 32, "middle": 40, "right": 55}
    twice = {"wheel": WORLD, "picks": {"1": "left"}, "spins": [spin] * 3}
    assert odds_of(make_line("crazy_time_world", twice, 3, D6="plain")) == 50
    assert odds_of(make_line("crazy_time_world", twice, 3, D6="top_slot")) == 150
