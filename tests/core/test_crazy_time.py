"""Crazy Time: rounds played forward by an oracle of the test's own, every way in which an outcome can be wrong, and the
text.

The oracle plays as a presenter would: it writes the displayed odds on the board, Top Slot first, and changes them as
the text says. It holds no base values and calls nothing of the product but the settlement.
"""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.core.readings import ALLOWED
from firmware.core.wagers import cash_hunt, coin_flip, crazy_time_world, pachinko
from firmware.core.wagers.crazy_time import CRAZY_TIME
from firmware.core.wagers.crazy_time_wheel import MULTIPLIERS, WHEEL, Segment
from firmware.core.wagers.multiplier_board import FIFTY, BoardRule
from firmware.interfaces.settle_lines import settle_line
from firmware.settings.paytables import load_catalogue

CATALOGUE = load_catalogue()
REGULATION = Path(__file__).parents[3] / "shared" / "regulations" / "54-pa-b-1537.txt"
NAMES = [wager.name for wager in CRAZY_TIME.wagers]
LEAST = {
    "number_1": 1,
    "number_2": 2,
    "number_5": 5,
    "number_10": 10,
    "coin_flip": 2,
    "cash_hunt": 5,
    "pachinko": 2,
    "crazy_time_world": 15,
}

BOARD = [5] * 100 + [10, 25, 50, 75, 100, 250, 499, 500]
SLOTS = [10, 5, 2, 8, 15, 3, 25, 7, "double", 4, 50, 6, 100, 9, 20, 400]
WORLD = [400, *[15] * 10, 25, *[15] * 19, "double", *[15] * 31, 50]  # Double on section 32
BONUS: dict[str, Any] = {
    "coin_flip": {"red": 3, "blue": 25, "landed": "red", "rescue": None},
    "cash_hunt": {"board": BOARD, "picks": {"1": 100}},
    "pachinko": {"slots": SLOTS, "drops": [7], "rescue_after": None},
    "crazy_time_world": {
        "wheel": WORLD,
        "picks": {"1": "left"},
        "spins": [{"left": 12, "middle": 40, "right": 55}],
    },
}


def _line(segment: str, bonus: object = None, multiplier: int = 1, **readings: str) -> dict[str, Any]:
    """A round with one wager of $5 on every spot at position 1; a multiplier above 1 is the segment's own."""
    return {
        "id": "r1",
        "game": "crazy_time",
        "table": {},
        "offered": {name: {"paytable": "-"} for name in NAMES},
        "readings": readings,
        "wagers": [{"position": 1, "wager": name, "cents": 500} for name in NAMES],
        "outcome": {
            "segment": segment,
            "top_slot": {"option": segment, "multiplier": multiplier, "aligned": True},
            "bonus": copy.deepcopy(BONUS.get(segment)) if bonus is None else bonus,
        },
    }


def _answer(line: dict[str, Any]) -> dict[str, Any]:
    answer, settled = settle_line(json.dumps(line).encode(), CATALOGUE)
    parsed: dict[str, Any] = json.loads(answer)
    assert settled == ("error" not in parsed)
    return parsed


def _code(line: dict[str, Any]) -> str:
    answer = _answer(line)
    assert "error" in answer, answer
    assert len(answer["error"]["message"]) > 20
    return str(answer["error"]["code"])


def _odds(line: dict[str, Any], position: int = 1) -> int:
    """The odds to 1 at which the segment's wager at a position was paid; every other wager there lost."""
    answer = _answer(line)
    assert "settlements" in answer, answer
    segment = line["outcome"]["segment"]
    won = [one for one in answer["settlements"] if one["position"] == position and one["result"] == "win"]
    assert [(one["wager"], one["line"], one["stake_returned_cents"]) for one in won] == [(segment, segment, 500)]
    assert (won[0]["from"], won[0]["meter"], won[0]["validation"]) == ("table_inventory", None, False)
    assert won[0]["section"] == "690.4(a)"
    odds, rest = divmod(won[0]["award_cents"], 500)
    assert rest == 0
    return int(odds)


# --- rounds played forward --------------------------------------------------------------------------------------------

CHOICES = {name: ALLOWED[name] for name in ("D5", "D6")}
READINGS = st.fixed_dictionaries({name: st.sampled_from(values) for name, values in CHOICES.items()})


def _displayed(board: list[Any], multiplier: int) -> list[Any]:
    return [value if value == "double" else value * multiplier for value in board]


def _shown_in(value: int, multiplier: int, readings: dict[str, str]) -> int:
    """What a displayed value counts as for a rescue."""
    return value if readings["D5"] == "displayed" else value // multiplier


@given(st.sampled_from(NAMES[:4]), st.sampled_from(NAMES), st.sampled_from(MULTIPLIERS), st.booleans())
def test_numbers(segment: str, option: str, multiplier: int, aligned: bool) -> None:
    line = _line(segment)
    line["outcome"]["top_slot"] = {"option": option, "multiplier": multiplier, "aligned": aligned}
    assert _odds(line) == LEAST[segment] * (multiplier if aligned and option == segment else 1)
    del line["outcome"]["bonus"]  # absent is as null
    assert _odds(line) == LEAST[segment] * (multiplier if aligned and option == segment else 1)


@settings(max_examples=300)
@given(st.data(), st.sampled_from(MULTIPLIERS), READINGS)
def test_coin_flip(data: st.DataObject, multiplier: int, readings: dict[str, str]) -> None:
    values = st.integers(2, 100) | st.sampled_from([2, 3, 4, 15, 16])
    sides = {"red": data.draw(values), "blue": data.draw(values)}
    landed = data.draw(st.sampled_from(["red", "blue"]))
    other = "blue" if landed == "red" else "red"
    down, up = (_shown_in(sides[side] * multiplier, multiplier, readings) for side in (other, landed))
    rescue = data.draw(st.sampled_from([None, "red", "blue"]))
    line = _line("coin_flip", {**sides, "landed": landed, "rescue": rescue}, multiplier, **readings)
    if rescue is not None and not (up in (2, 3) and down > 15):
        assert _code(line) == "bad_outcome"
    else:
        assert _odds(line) == sides[rescue or landed] * multiplier


@given(st.data(), st.sampled_from(MULTIPLIERS))
def test_cash_hunt(data: st.DataObject, multiplier: int) -> None:
    board = data.draw(st.permutations(BOARD))
    picks = {position: data.draw(st.integers(0, 107)) for position in (1, 2, 3)}
    line = _line("cash_hunt", {"board": board, "picks": {str(p): pick for p, pick in picks.items()}}, multiplier)
    line["wagers"] += [{"position": position, "wager": "cash_hunt", "cents": 500} for position in (2, 3)]
    for position, pick in picks.items():
        assert _odds(line, position) == _displayed(board, multiplier)[pick]


SMALL = st.sampled_from([2, 3, 4, 5, 8])


@settings(max_examples=500)
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
    line = _line("pachinko", bonus, multiplier, **readings)
    assert _odds(line) == board[drops[-1] - 1]
    for wrong in ([*drops, 1], [*drops, drops[-1]], drops[:-1]):
        assert _code(_line("pachinko", {**bonus, "drops": wrong}, multiplier, **readings)) == "bad_outcome"
    for wrong_rescue in range(-1, len(drops) + 1):
        if wrong_rescue != rescue_after:  # at the last drop the rescue's own drop is missing, elsewhere it may not be
            wrong_bonus = {**bonus, "rescue_after": wrong_rescue}
            assert _code(_line("pachinko", wrong_bonus, multiplier, **readings)) == "bad_outcome"


SPREAD = st.tuples(st.integers(0, 63), st.integers(3, 58), st.integers(3, 58)).filter(lambda s: s[1] + s[2] <= 61)
CLAPPERS = ["left", "middle", "right"]


@settings(max_examples=300)
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
    line = _line("crazy_time_world", {"wheel": wheel, "picks": picks, "spins": spins}, multiplier, **readings)
    line["wagers"] += [{"position": position, "wager": "crazy_time_world", "cents": 500} for position in (2, 3)]
    for position, odds in paid.items():
        assert _odds(line, int(position)) == odds
    for wrong in ([*spins, spins[0]], spins[:-1]):
        wrong_line = copy.deepcopy(line)
        wrong_line["outcome"]["bonus"]["spins"] = wrong
        assert _code(wrong_line) == "bad_outcome"


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
    assert _odds(_line("pachinko", bonus, multiplier)) == odds


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
    assert _odds(_line(segment, bonus, multiplier)) == odds


def test_the_readings_of_rescue_and_double() -> None:
    """D5, D6: each by hand, with both values."""
    rescued = {"red": 3, "blue": 25, "landed": "red", "rescue": "blue"}
    assert _odds(_line("coin_flip", rescued, 4, D5="base")) == 100
    assert _code(_line("coin_flip", rescued, 4, D5="displayed")) == "bad_outcome"
    assert _odds(_line("coin_flip", rescued, 1, D5="displayed")) == 25
    dropped = {"slots": SLOTS, "drops": [3, 6], "rescue_after": 0}  # 2 shows as 4, 3 as 6
    assert _odds(_line("pachinko", dropped, 2, D5="displayed")) == 6
    assert _code(_line("pachinko", dropped, 3, D5="displayed")) == "bad_outcome"
    assert _odds(_line("pachinko", dropped, 3, D5="base")) == 9
    double = {"slots": SLOTS, "drops": [9, 9], "rescue_after": None}
    assert _odds(_line("pachinko", double, 3, D6="top_slot")) == 150
    spin = {"left": 32, "middle": 40, "right": 55}
    twice = {"wheel": WORLD, "picks": {"1": "left"}, "spins": [spin] * 3}
    assert _odds(_line("crazy_time_world", twice, 3, D6="plain")) == 50
    assert _odds(_line("crazy_time_world", twice, 3, D6="top_slot")) == 150


# --- what is refused --------------------------------------------------------------------------------------------------

Path_ = tuple[str | int, ...]


def _with(segment: str, path: Path_, value: object) -> dict[str, Any]:
    line = _line(segment)
    place: Any = line["outcome"]
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return line


def _without(segment: str, path: Path_) -> dict[str, Any]:
    line = _line(segment)
    place: Any = line["outcome"]
    for step in path[:-1]:
        place = place[step]
    del place[path[-1]]
    return line


SPIN = ("bonus", "spins", 0)
WRONG: list[tuple[str, Path_, list[object]]] = [
    ("number_1", ("segment",), ["number_3", "1", "NUMBER_1", "", 1, None, ["number_1"]]),
    ("number_1", ("top_slot",), [None, [], "number_1", 7]),
    ("number_1", ("top_slot", "option"), ["number_3", "double", "", None, 1]),
    ("number_1", ("top_slot", "multiplier"), [0, 6, 8, 25, 50, -1, "7", 7.0, None, True, 10**30]),
    ("number_1", ("top_slot", "aligned"), [None, 0, 1, "true", "yes"]),
    ("number_1", ("bonus",), [{}, [], 0, "", False, BONUS["coin_flip"]]),
    ("coin_flip", ("bonus",), [[], "red", 3, BONUS["coin_flip"] | {"blue": 101}]),
    ("coin_flip", ("bonus", "red"), [1, 0, 101, -3, 3.0, "3", None, True, "double"]),
    ("coin_flip", ("bonus", "blue"), [1, 101, None]),
    ("coin_flip", ("bonus", "landed"), ["green", "Red", "", None, 0, True]),
    ("coin_flip", ("bonus", "rescue"), ["green", "", False, 0]),
    ("cash_hunt", ("bonus", "board"), [[], BOARD[1:], [*BOARD, 5], None, {}, "5", 5]),
    ("cash_hunt", ("bonus", "board", 3), [4, 501, 0, -5, 5.0, "5", "double", None, True]),
    ("cash_hunt", ("bonus", "picks"), [[], None, "17", {"0": 1, "1": 1}, {"01": 1, "1": 1}, {"x": 1, "1": 1}]),
    ("cash_hunt", ("bonus", "picks", "1"), [108, -1, 17.0, "17", None, True, [17]]),
    ("pachinko", ("bonus", "slots"), [[], SLOTS[1:], [*SLOTS, 5], None, {}, "double"]),
    ("pachinko", ("bonus", "slots", 0), [1, 401, 0, "double", "Double", "treble", "10", 10.0, None, False]),
    ("pachinko", ("bonus", "drops"), [[], [0], [17], [-1], [7.0], ["7"], [True], None, 7, [7, 7], [9], [9, 9, 9]]),
    ("pachinko", ("bonus", "rescue_after"), [0, 1, -1, 0.0, "0", False, True, []]),
    ("crazy_time_world", ("bonus", "wheel"), [[], WORLD[1:], [*WORLD, 15], None, {}, "double"]),
    ("crazy_time_world", ("bonus", "wheel", 0), [14, 401, "double", "15", 15.0, None, True]),
    ("crazy_time_world", ("bonus", "picks"), [[], None, {"1": "left", "0": "left"}]),
    ("crazy_time_world", ("bonus", "picks", "1"), ["centre", "Left", "", None, 1]),
    ("crazy_time_world", ("bonus", "spins"), [[], None, {}, [[12, 40, 55]], [None]]),
    ("crazy_time_world", (*SPIN, "left"), [0, 65, -1, 12.0, "12", None, True, 40, 38, 42, 53, 57]),
    ("crazy_time_world", SPIN, [{"left": a, "middle": b, "right": c} for a, b, c in
                                [(1, 3, 40), (1, 40, 63), (64, 2, 40), (10, 40, 12), (20, 20, 40), (40, 62, 64)]]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("segment", "path", "value"),
    [(segment, path, value) for segment, path, values in WRONG for value in values],
    ids=lambda one: json.dumps(one)[:30] if not isinstance(one, tuple) else ".".join(map(str, one)),
)
def test_an_outcome_that_cannot_be(segment: str, path: Path_, value: object) -> None:
    assert _code(_with(segment, path, value)) == "bad_outcome"


@pytest.mark.parametrize(
    ("segment", "path"),
    [
        ("number_1", ("segment",)),
        ("number_1", ("top_slot",)),
        *(("number_1", ("top_slot", key)) for key in ("option", "multiplier", "aligned")),
        *((segment, ("bonus", key)) for segment, bonus in BONUS.items() for key in bonus),
        *((segment, ("bonus",)) for segment in BONUS),
        ("cash_hunt", ("bonus", "picks", "1")),
        ("crazy_time_world", ("bonus", "picks", "1")),
        *(("crazy_time_world", (*SPIN, clapper)) for clapper in CLAPPERS),
    ],
)
def test_what_is_missing(segment: str, path: Path_) -> None:
    assert _code(_without(segment, path)) == "missing_field"


def test_a_bonus_game_that_is_null_is_missing() -> None:
    for segment in BONUS:
        line = _line(segment)
        line["outcome"]["bonus"] = None
        assert _code(line) == "missing_field"


@pytest.mark.parametrize(
    ("segment", "path"),
    [
        ("number_1", ("wheel",)),
        ("number_1", ("top_slot", "reel")),
        *((segment, ("bonus", "zone")) for segment in BONUS),
        ("coin_flip", ("bonus", "picks")),
        ("crazy_time_world", (*SPIN, "centre")),
    ],
)
def test_what_does_not_exist(segment: str, path: Path_) -> None:
    assert _code(_with(segment, path, 1)) == "unknown_field"


@pytest.mark.parametrize("segment", BONUS)
def test_the_bonus_game_of_another_segment(segment: str) -> None:
    for other, bonus in BONUS.items():
        line = _line(segment, copy.deepcopy(bonus))
        assert _code(line) == "unknown_field" if other != segment else _odds(line)


def test_an_outcome_is_judged_whoever_has_a_wager() -> None:
    """Also where no wager is on the segment, and a bonus game that nobody plays is spun once, no more."""
    for segment, path, values in WRONG:
        line = _with(segment, path, values[-1])
        line["wagers"] = [{"position": 1, "wager": "number_2", "cents": 500}]
        picks_only = path[:2] == ("bonus", "picks") and segment == "cash_hunt" and isinstance(values[-1], int)
        assert picks_only or _code(line) == "bad_outcome"
    spin = {"left": 32, "middle": 40, "right": 55}
    for spins, fine in (([spin], True), ([spin, spin], False), ([], False)):
        line = _line("crazy_time_world", {"wheel": WORLD, "picks": {}, "spins": spins})
        line["wagers"] = [{"position": 1, "wager": "number_1", "cents": 500}]
        assert ("settlements" in _answer(line)) is fine


@pytest.mark.parametrize("segment", ["cash_hunt", "crazy_time_world"])
def test_picks_of_positions_without_a_wager_are_ignored(segment: str) -> None:
    line = _line(segment)
    odds = _odds(line)
    spin = {"left": 12, "middle": 32, "right": 55}  # the middle clapper on Double
    line["outcome"]["bonus"]["picks"]["2"] = "middle" if segment == "crazy_time_world" else 108
    if segment == "crazy_time_world":
        line["outcome"]["bonus"]["spins"] = [spin]
    assert _odds(line) == odds
    line["wagers"].append({"position": 2, "wager": "number_1", "cents": 500})  # a wager, but not on the segment
    assert "settlements" in _answer(line)
    line["wagers"].append({"position": 2, "wager": segment, "cents": 500})
    assert _code(line) == "bad_outcome"
    line["wagers"].append({"position": 3, "wager": segment, "cents": 500})
    del line["outcome"]["bonus"]["picks"]["2"]
    assert _code(line) == "missing_field"


@pytest.mark.parametrize("step", range(64))
def test_clappers_apart(step: int) -> None:
    """690.8(b)(4): two sections between two clappers is enough, one is not, either way around."""
    far = {"left": 1, "middle": 1 + step, "right": 1 + (step + 32) % 64}
    line = _line("crazy_time_world", {"wheel": WORLD, "picks": {}, "spins": [far]})
    line["wagers"] = [{"position": 1, "wager": "number_1", "cents": 500}]
    enough = 3 <= step <= 61 and 3 <= (step + 32) % 64 <= 61
    assert ("settlements" in _answer(line)) is enough


@pytest.mark.parametrize(("date", "fine"), [("2024-03-22", False), ("2024-03-23", True), ("2026-03-22", True),
                                            ("2026-03-23", False)])  # fmt: skip
def test_the_text_in_force(date: str, fine: bool) -> None:
    line = {**_line("number_1"), "date": date}
    assert _odds(line) == 1 if fine else _code(line) == "unknown_paytable"


def test_what_is_no_table_or_wager_of_the_game() -> None:
    assert _code({**_line("number_1"), "table": {"wheel": "single_zero"}}) == "unknown_field"
    assert _code({**_line("number_1"), "meters": {"royal_9.mega": "1.000000"}}) == "unknown_field"
    line = _line("number_1")
    line["offered"]["number_1"]["paytable"] = "A"
    assert _code(line) == "unknown_paytable"
    line = _line("number_1")
    line["wagers"].append({"position": 2, "wager": "number_3", "cents": 500})
    assert _code(line) == "unknown_wager"
    line = _line("number_1")
    line["wagers"].append({"position": 1, "wager": "number_1", "cents": 100})
    assert _code(line) == "bad_wager"


@settings(max_examples=100)
@given(st.permutations(range(len(NAMES) * 3)), st.sampled_from(NAMES))
def test_order_of_the_wagers_changes_nothing_and_losers_come_first(order: list[int], segment: str) -> None:
    line = _line(segment)
    if segment in ("cash_hunt", "crazy_time_world"):
        picks = line["outcome"]["bonus"]["picks"]
        picks.update({"2": picks["1"], "3": picks["1"]})
    placed = [{"position": position, "wager": name, "cents": 500} for position in (1, 2, 3) for name in NAMES]
    line["wagers"] = placed
    expected = _answer(line)
    line["wagers"] = [placed[index] for index in order]
    assert _answer(line) == expected
    shown = [(one["result"] == "win", -one["position"], NAMES.index(one["wager"])) for one in expected["settlements"]]
    assert shown == sorted(shown)
    assert sum(one["result"] == "win" for one in expected["settlements"]) == 3


# --- against the text -------------------------------------------------------------------------------------------------


def _section(number: str) -> str:
    if not REGULATION.is_file():
        pytest.skip("the text of the regulation (54-pa-b-1537.txt) is not beside the project")
    text = re.sub("[\u00a0\u2000-\u200a]", " ", REGULATION.read_text(encoding="utf-8"))
    found = re.search(rf"^§ {re.escape(number)}\. .*?(?=^§ |\Z)", text, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[0]


PRINTED = {
    "1": Segment.NUMBER_1,
    "2": Segment.NUMBER_2,
    "5": Segment.NUMBER_5,
    "10": Segment.NUMBER_10,
    "Coin Flip": Segment.COIN_FLIP,
    "Cash Hunt": Segment.CASH_HUNT,
    "Pachinko": Segment.PACHINKO,
    "Crazy Time World": Segment.CRAZY_TIME_WORLD,
}


def test_the_wheel_against_the_text() -> None:
    body = _section("690.1")
    order = re.search(r"in the following order: (.*?)\.$", body, re.MULTILINE)
    assert order is not None
    assert tuple(PRINTED[name.removesuffix(" bonus game")] for name in order[1].split(", ")) == WHEEL
    counted = re.findall(r"([0-9]+) sections? containing the (?:number )?([A-Za-z]+(?: [A-Z][a-z]+)*|[0-9]+)", body)
    assert {PRINTED[name]: int(count) for count, name in counted} == {one: WHEEL.count(one) for one in Segment}
    assert "divided into 54 equally spaced sections" in body and len(WHEEL) == 54


def test_the_counts_of_the_wheel() -> None:
    """D1: 21, 13, 7, 4, 4, 2, 2 and 1."""
    assert [WHEEL.count(one) for one in Segment] == [21, 13, 7, 4, 4, 2, 2, 1]


def test_paytable_against_the_text() -> None:
    rows = re.findall(r"^\| (.+?) \| ([0-9]+ to 1) \|$", _section("690.4"), re.MULTILINE)
    ours = []
    for wager in CRAZY_TIME.wagers:
        (table,) = CATALOGUE.paytables("crazy_time", wager.name)
        ours.append((table.lines[0].printed, str(table.lines[0].pay).removesuffix(" or more")))
    assert rows == ours


def test_top_slot_against_the_text() -> None:
    listed = re.search(r"multipliers consisting of ([0-9, ]+) and ([0-9]+)\.", _section("690.3"))
    assert listed is not None
    assert (*map(int, listed[1].split(", ")), int(listed[2])) == MULTIPLIERS


@pytest.mark.parametrize(
    ("number", "size", "rule"),
    [
        ("690.6", "a board containing ([0-9]+) multipliers", cash_hunt.BOARD),
        ("690.7", "above ([0-9]+) landing spots", pachinko.SLOTS),
        ("690.8", "comprised of ([0-9]+) sections", crazy_time_world.SECTIONS),
    ],
)
def test_boards_against_the_text(number: str, size: str, rule: BoardRule) -> None:
    body = _section(number)
    printed = re.search(r"(?:may range|ranging) from ([0-9]+)× to ([0-9]+)×", body)
    places = re.search(size, body)
    assert printed is not None and places is not None
    assert (int(places[1]), int(printed[1]), int(printed[2])) == (rule.size, rule.least, rule.most)
    assert rule.double == ("''Double'' may be displayed in one" in body)
    assert rule.section.startswith(number)


def test_rescues_and_fifty_against_the_text() -> None:
    coin, drop, world = (_section(number) for number in ("690.5", "690.7", "690.8"))
    least, most = map(int, re.findall(r"may range from ([0-9]+)× to ([0-9]+)×", coin)[0])
    assert (least, most) == (coin_flip.LEAST, coin_flip.MOST)
    assert set(map(int, re.findall(r"small multiplier was ([0-9])× or ([0-9])×", coin)[0])) == coin_flip.RESCUED
    assert [str(coin_flip.BIG_OVER)] == re.findall(r"big multiplier was greater than ([0-9]+)×", coin)
    rescued = re.findall(r"comes to rest on a ([0-9])×, ([0-9])× or ([0-9])× multiplier", drop)[0]
    assert cast("frozenset[int]", pachinko.RESCUED) == set(map(int, rescued))
    for body in (drop, world):
        assert re.findall(r"replaced (?:with|by a) ([0-9]+)×", body)[0] == str(FIFTY)
    assert "at least two sections of the wheel between clappers" in world
    assert crazy_time_world.LEAST_STEP == 3
