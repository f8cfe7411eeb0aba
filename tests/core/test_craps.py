"""Craps: every way in which a round can be wrong, the readings in both settings, and properties of any rolls."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.core.readings import ALLOWED, Readings
from firmware.core.wagers.craps import CRAPS
from firmware.core.wagers.rolled import Roll, Rolled
from firmware.core.wagers.wager import Pending, Seat, Table, Verdict, Won
from firmware.interfaces.settle_lines import settle_line
from firmware.settings.paytables import load_catalogue

CATALOGUE = load_catalogue()
PAYTABLES = {"hot_roller": "A", "lucky_shooter": "B", "all_small": "1", "all_tall": "1", "make_em_all": "1"}
NAMES = list(PAYTABLES)

DICE = {2: (1, 1), 3: (1, 2), 4: (1, 3), 5: (1, 4), 6: (1, 5), 7: (3, 4), 8: (2, 6), 9: (3, 6), 10: (4, 6), 11: (5, 6),
        12: (6, 6)}  # fmt: skip
"""One way to roll each total."""


def _answer(wagers: list[str], rolls: Any, *, paytables: dict[str, str] | None = None, **more: Any) -> dict[str, Any]:
    line = {
        "id": "c",
        "game": "craps",
        "table": {},
        "offered": {name: {"paytable": paytable} for name, paytable in {**PAYTABLES, **(paytables or {})}.items()},
        "wagers": [{"position": 1, "wager": wager, "cents": 500} for wager in wagers],
        "outcome": {"rolls": rolls},
        **more,
    }
    answer, _ = settle_line(json.dumps(line).encode(), CATALOGUE)
    parsed: dict[str, Any] = json.loads(answer)
    return parsed


def _totals(*totals: int) -> list[Roll]:
    return [DICE[total] for total in totals]


def _one(answer: dict[str, Any]) -> dict[str, Any]:
    assert "settlements" in answer, answer
    (one,) = answer["settlements"]
    assert isinstance(one, dict)
    return one


def _code(answer: dict[str, Any]) -> str:
    assert "error" in answer, answer
    assert len(answer["error"]["message"]) > 20
    return str(answer["error"]["code"])


# --- wrong rounds -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "rolls",
    [[], None, "34", 7, [[3, 4, 1]], [[3]], [7], [[0, 4]], [[3, 7]], [[-3, 4]], [["3", 4]], [[3.0, 4]], [[True, 4]],
     [[None, 4]], [{"1": 3}], [[3, 3], []]],
)  # fmt: skip
def test_what_two_dice_cant_show(rolls: Any) -> None:
    assert _code(_answer(["hot_roller"], rolls)) == "bad_outcome"


def test_keys_wagers_and_tables() -> None:
    rolls = _totals(4)
    assert _code(_answer(["hot_roller"], rolls, outcome={})) == "missing_field"
    assert _code(_answer(["hot_roller"], rolls, outcome={"rolls": rolls, "point": 4})) == "unknown_field"
    assert _code(_answer(["hot_roller"], rolls, table={"wheel": "double_zero"})) == "unknown_field"
    assert _code(_answer(["hot_roller", "hot_roller"], rolls)) == "bad_wager"
    assert _code(_answer(["roulette_up"], rolls)) == "unknown_wager"
    assert _code(_answer([], rolls, meters={"roulette_up": "1.000000"})) == "unknown_field"
    assert _code(_answer(["hot_roller"], rolls, offered={"all_small": {"paytable": "1"}})) == "not_offered"
    for wager, paytable in (("hot_roller", "C"), ("lucky_shooter", "E"), ("all_small", "3"), ("make_em_all", "A")):
        assert _code(_answer([], rolls, paytables={wager: paytable})) == "unknown_paytable"


@pytest.mark.parametrize(
    ("wagers", "totals", "fine"),
    [
        (["hot_roller"], (4, 7), True),
        (["hot_roller"], (7, 7), False),
        (["hot_roller"], (4, 5, 7, 4), False),
        (["lucky_shooter"], (2, 4), False),
        (["lucky_shooter"], (4, 4, 4), False),
        (["lucky_shooter"], (7, 11, 7, 3), True),
        (["lucky_shooter"], (9, 10, 4, 6, 8, 5, 9), True),
        (["lucky_shooter"], (9, 10, 4, 6, 8, 5, 9, 9), False),
        (["lucky_shooter", "hot_roller"], (2, 4), True),
        (["lucky_shooter", "hot_roller"], (2, 4, 7), True),
        (["lucky_shooter", "hot_roller"], (7, 4), True),  # Lucky Shooter works on after the 7 that decided the other
        (["lucky_shooter", "hot_roller"], (2, 7, 4), False),
        (["all_small"], (2, 3, 4, 5, 6), True),
        (["all_small"], (2, 3, 4, 5, 6, 7), False),
        (["all_small", "make_em_all"], (2, 3, 4, 5, 6, 7), True),
        (["all_small", "make_em_all"], (2, 3, 4, 5, 6, 7, 2), False),
    ],
)
def test_rolls_after_the_last_wager_was_decided(wagers: list[str], totals: tuple[int, ...], fine: bool) -> None:
    answer = _answer(wagers, _totals(*totals))
    if fine:
        assert len(answer["settlements"]) == len(wagers)
    else:
        assert _code(answer) == "bad_outcome"


def test_the_reading_decides_when_a_wager_has_ended() -> None:
    assert _one(_answer(["lucky_shooter"], _totals(7, 4)))["result"] == "pending"
    assert _code(_answer(["lucky_shooter"], _totals(7, 4), readings={"J1": "c"})) == "bad_outcome"


# --- Hot Roller -------------------------------------------------------------------------------------------------------

EVERY_WAY = [
    (1, 3),
    (2, 2),
    (1, 4),
    (2, 3),
    (1, 5),
    (2, 4),
    (3, 3),
    (2, 6),
    (3, 5),
    (4, 4),
    (3, 6),
    (4, 5),
    (4, 6),
    (5, 5),
]


@pytest.mark.parametrize(
    ("ways", "line", "award"),
    [(14, "all_6", 100_000), (13, "any_5", 25_000), (12, "any_5", 25_000), (11, "any_4", 10_000), (10, "any_4", 10_000),
     (7, "any_3", 5_000), (6, "any_2", 2_500), (4, "any_2", 2_500), (3, None, 0), (2, None, 0), (0, None, 0)],
)  # fmt: skip
def test_hot_roller_counts_completed_numbers(ways: int, line: str | None, award: int) -> None:
    for flip in (False, True):
        rolls = [(b, a) if flip else (a, b) for a, b in EVERY_WAY[:ways]]
        one = _one(_answer(["hot_roller"], [*rolls, (5, 2)]))
        assert (one["line"], one["award_cents"]) == (line, award)


@pytest.mark.parametrize(
    ("rolls", "by_count", "by_phase"),
    [
        ([(1, 3), (2, 2), (1, 4), (2, 3), (3, 4)], "any_2", None),  # point made twice: the 7 is on a come-out roll
        ([(1, 3), (1, 4), (2, 3), (2, 2), (3, 4)], "any_2", None),  # the 4 made at last: come-out again
        ([(1, 3), (1, 4), (2, 3), (3, 3), (3, 4)], None, None),  # one number only
        ([(1, 4), (1, 3), (2, 2), (2, 3), (6, 6), (5, 6), (3, 4)], "any_2", None),  # 12 and 11 leave the come-out
        ([(1, 3), (2, 2), (1, 4), (6, 6), (2, 3), (3, 3), (3, 4)], "any_2", "any_2"),  # 6 is the point: no come-out
        ([(3, 4)], None, None),
    ],
)
def test_a_seven_on_a_later_come_out_roll(rolls: list[Roll], by_count: str | None, by_phase: str | None) -> None:
    assert _one(_answer(["hot_roller"], rolls))["line"] == by_count
    assert _one(_answer(["hot_roller"], rolls, readings={"K3": "lose"}))["line"] == by_phase


# --- Lucky Shooter ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("totals", "line"),
    [
        ((9, 10, 4, 6, 8, 5, 9), "five_and_point"),
        ((9, 10, 4, 6, 8, 5, 10), "five"),
        ((9, 10, 4, 6, 8, 5, 7), "five"),
        ((9, 10, 4, 6, 8, 5, 12), "five"),
        ((9, 10, 4, 6, 8, 9), "four"),
        ((9, 10, 4, 6, 7), "three"),
        ((9, 10, 4, 3), "two"),
        ((9, 10, 11), None),
        ((9, 9), None),
        ((9, 7), None),
        ((2,), None),
        ((3,), None),
        ((12,), None),
        ((7, 11, 12), None),
    ],
)
def test_lucky_shooter_by_its_run(totals: tuple[int, ...], line: str | None) -> None:
    pays = {
        "A": {"five_and_point": 1000, "five": 150, "four": 15, "three": 5},
        "B": {"five_and_point": 500, "five": 100, "four": 10, "three": 4, "two": 2},
        "C": {"five_and_point": 1000, "five": 150, "four": 20, "three": 5},
        "D": {"five_and_point": 500, "five": 100, "four": 10, "three": 5, "two": 2},
    }
    for paytable, odds in pays.items():
        one = _one(_answer(["lucky_shooter"], _totals(*totals), paytables={"lucky_shooter": paytable}))
        assert (one["line"], one["award_cents"]) == (line if line in odds else None, 500 * odds.get(line or "", 0))
        assert one["result"] == ("win" if line in odds else "lose")  # "N/A" loses (J5)
        assert (one["stake_returned_cents"], one["validation"]) == (0, False)  # for 1; no progressive wager


def _paid(*awards: int) -> list[dict[str, Any]]:
    return [{"line": "seven_or_eleven", "award_cents": award} for award in awards]


def test_a_seven_or_eleven_on_the_come_out_by_every_reading() -> None:
    totals = _totals(7, 11, 9, 7)
    by_b = _one(_answer(["lucky_shooter"], totals))
    assert (by_b["result"], by_b["award_cents"], by_b["interim"]) == ("lose", 0, _paid(0, 0))
    by_a = _one(_answer(["lucky_shooter"], totals, readings={"J1": "a"}))
    assert (by_a["result"], by_a["award_cents"], by_a["interim"]) == ("lose", 0, _paid(500, 500))
    for come_out in (7, 11):
        by_c = _one(_answer(["lucky_shooter"], _totals(come_out), readings={"J1": "c"}))
        assert (by_c["result"], by_c["line"], by_c["interim"]) == ("win", "seven_or_eleven", [])
        assert (by_c["award_cents"], by_c["stake_returned_cents"], by_c["from"]) == (500, 0, "table_inventory")
        pending = _one(_answer(["lucky_shooter"], _totals(come_out), readings={"J1": "a"}))
        assert (pending["result"], pending["award_cents"], pending["interim"]) == ("pending", 0, _paid(500))
    after_the_point = _one(_answer(["lucky_shooter"], _totals(9, 10, 4, 11), readings={"J1": "a"}))
    assert (after_the_point["line"], after_the_point["interim"]) == ("two", [])
    assert "interim" not in _one(_answer(["hot_roller"], _totals(7)))


# --- Bonus Craps ------------------------------------------------------------------------------------------------------


def test_bonus_craps_is_won_on_the_roll_that_completes_it() -> None:
    small, tall = (2, 3, 4, 5, 6), (8, 9, 10, 11, 12)
    bonus = ["all_small", "all_tall", "make_em_all"]

    def lines(*totals: int) -> dict[str, tuple[str, int]]:
        answer = _answer(bonus, _totals(*totals))
        return {one["wager"]: (one["result"], one["award_cents"]) for one in answer["settlements"]}

    assert lines(*small) == {"all_small": ("win", 17_000), "all_tall": ("pending", 0), "make_em_all": ("pending", 0)}
    assert lines(*small, *tall) == {
        "all_small": ("win", 17_000),
        "all_tall": ("win", 17_000),
        "make_em_all": ("win", 87_500),
    }
    assert lines(*small, 7) == {"all_small": ("win", 17_000), "all_tall": ("lose", 0), "make_em_all": ("lose", 0)}
    assert lines(*tall, *small[1:], 7)["make_em_all"] == ("lose", 0)


# --- any rolls --------------------------------------------------------------------------------------------------------

DIE = st.integers(1, 6)
ROLLS = st.lists(st.tuples(DIE, DIE) | st.sampled_from(EVERY_WAY), max_size=25).map(tuple)
READINGS = st.fixed_dictionaries({k: st.sampled_from(v) for k, v in ALLOWED.items()}).map(Readings.choose)


def _verdict(name: str, rolls: tuple[Roll, ...], readings: Readings) -> Verdict:
    _, wager = CRAPS.by_name[name]
    paytable = CATALOGUE.paytable("craps", name, PAYTABLES[name])
    return wager.judge(Rolled(rolls), Seat(1, Table(), paytable, readings))


@settings(max_examples=300, deadline=None)
@given(ROLLS, READINGS, st.sampled_from(NAMES))
def test_a_wager_once_decided_stays_so(rolls: tuple[Roll, ...], readings: Readings, name: str) -> None:
    """On which the check of surplus rolls relies; and any verdict names lines of its own wager only."""
    _, wager = CRAPS.by_name[name]
    decided: Verdict | None = None
    for shown in range(len(rolls) + 1):
        verdict = _verdict(name, rolls[:shown], readings)
        assert decided in (None, verdict)
        if not isinstance(verdict, Pending):
            decided = verdict
        if isinstance(verdict, Won):
            assert set(verdict.lines) <= set(wager.lines)
    assert decided is not None or name != "hot_roller" or 7 not in map(sum, rolls)


@settings(max_examples=200, deadline=None)
@given(ROLLS, READINGS, st.sampled_from(NAMES))
def test_which_die_is_which_changes_nothing(rolls: tuple[Roll, ...], readings: Readings, name: str) -> None:
    flipped = tuple((b, a) for a, b in rolls)
    assert _verdict(name, flipped, readings) == _verdict(name, rolls, readings)
