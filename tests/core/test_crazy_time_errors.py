"""Crazy Time: every way in which an outcome, a pick or a table can be wrong, each with its code."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.core.crazy_time_lines import (
    BOARD,
    BONUS,
    CLAPPERS,
    NAMES,
    SLOTS,
    WORLD,
    answer_of,
    code_of,
    make_line,
    odds_of,
)

Path_ = tuple[str | int, ...]


def _with(segment: str, path: Path_, value: object) -> dict[str, Any]:
    line = make_line(segment)
    place: Any = line["outcome"]
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = value
    return line


def _without(segment: str, path: Path_) -> dict[str, Any]:
    line = make_line(segment)
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
    assert code_of(_with(segment, path, value)) == "bad_outcome"


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
    assert code_of(_without(segment, path)) == "missing_field"


def test_a_bonus_game_that_is_null_is_missing() -> None:
    for segment in BONUS:
        line = make_line(segment)
        line["outcome"]["bonus"] = None
        assert code_of(line) == "missing_field"


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
    assert code_of(_with(segment, path, 1)) == "unknown_field"


@pytest.mark.parametrize("segment", BONUS)
def test_the_bonus_game_of_another_segment(segment: str) -> None:
    for other, bonus in BONUS.items():
        line = make_line(segment, copy.deepcopy(bonus))
        assert code_of(line) == "unknown_field" if other != segment else odds_of(line)


def test_an_outcome_is_judged_whoever_has_a_wager() -> None:
    """Also where no wager is on the segment, and a bonus game that nobody plays is spun once, no more."""
    for segment, path, values in WRONG:
        line = _with(segment, path, values[-1])
        line["wagers"] = [{"position": 1, "wager": "number_2", "cents": 500}]
        picks_only = path[:2] == ("bonus", "picks") and segment == "cash_hunt" and isinstance(values[-1], int)
        assert picks_only or code_of(line) == "bad_outcome"
    spin = {"left": 32, "middle": 40, "right": 55}
    for spins, fine in (([spin], True), ([spin, spin], False), ([], False)):
        line = make_line("crazy_time_world", {"wheel": WORLD, "picks": {}, "spins": spins})
        line["wagers"] = [{"position": 1, "wager": "number_1", "cents": 500}]
        assert ("settlements" in answer_of(line)) is fine


@pytest.mark.parametrize("segment", ["cash_hunt", "crazy_time_world"])
def test_picks_of_positions_without_a_wager_are_ignored(segment: str) -> None:
    line = make_line(segment)
    odds = odds_of(line)
    spin = {"left": 12, "middle": 32, "right": 55}  # the middle clapper on Double
    line["outcome"]["bonus"]["picks"]["2"] = "middle" if segment == "crazy_time_world" else 108
    if segment == "crazy_time_world":
        line["outcome"]["bonus"]["spins"] = [spin]
    assert odds_of(line) == odds
    line["wagers"].append({"position": 2, "wager": "number_1", "cents": 500})  # a wager, but not on the segment
    assert "settlements" in answer_of(line)
    line["wagers"].append({"position": 2, "wager": segment, "cents": 500})
    assert code_of(line) == "bad_outcome"
    line["wagers"].append({"position": 3, "wager": segment, "cents": 500})
    del line["outcome"]["bonus"]["picks"]["2"]
    assert code_of(line) == "missing_field"


@pytest.mark.parametrize(
    ("drops", "rescue_after"),
    [
        ([9, 10, 7], 1),  # never after a Double, though the spot showed 4 before it
        ([9, 10, 7], 0),  # Double itself is no 2, 3 or 4
        ([10, 10, 7], 1),  # no second Rescue Drop
        ([10, 9, 10, 7], 2),
        ([10, 9, 9, 9], 0),  # Double works once, then it is a 50
        ([7, 10], 0),  # 25
        ([2, 10], 0),  # 5
    ],
)
def test_drops_that_cannot_follow(drops: list[int], rescue_after: int) -> None:
    bonus = {"slots": SLOTS, "drops": drops, "rescue_after": rescue_after}
    assert code_of(make_line("pachinko", bonus)) == "bad_outcome"


@pytest.mark.parametrize("step", range(64))
def test_clappers_apart(step: int) -> None:
    """690.8(b)(4): two sections between two clappers is enough, one is not, either way around."""
    far = {"left": 1, "middle": 1 + step, "right": 1 + (step + 32) % 64}
    line = make_line("crazy_time_world", {"wheel": WORLD, "picks": {}, "spins": [far]})
    line["wagers"] = [{"position": 1, "wager": "number_1", "cents": 500}]
    enough = 3 <= step <= 61 and 3 <= (step + 32) % 64 <= 61
    assert ("settlements" in answer_of(line)) is enough


@pytest.mark.parametrize(("date", "fine"), [("2024-03-22", False), ("2024-03-23", True), ("2026-03-22", True),
                                            ("2026-03-23", False)])  # fmt: skip
def test_the_text_in_force(date: str, fine: bool) -> None:
    line = {**make_line("number_1"), "date": date}
    assert odds_of(line) == 1 if fine else code_of(line) == "unknown_paytable"


def test_what_is_no_table_or_wager_of_the_game() -> None:
    assert code_of({**make_line("number_1"), "table": {"wheel": "single_zero"}}) == "unknown_field"
    assert code_of({**make_line("number_1"), "meters": {"royal_9.mega": "1.000000"}}) == "unknown_field"
    line = make_line("number_1")
    line["offered"]["number_1"]["paytable"] = "A"
    assert code_of(line) == "unknown_paytable"
    line = make_line("number_1")
    line["wagers"].append({"position": 2, "wager": "number_3", "cents": 500})
    assert code_of(line) == "unknown_wager"
    line = make_line("number_1")
    line["wagers"].append({"position": 1, "wager": "number_1", "cents": 100})
    assert code_of(line) == "bad_wager"


@settings(max_examples=60, deadline=None)
@given(st.permutations(range(len(NAMES) * 3)), st.sampled_from(NAMES))
def test_order_of_the_wagers_changes_nothing_and_losers_come_first(order: list[int], segment: str) -> None:
    line = make_line(segment)
    if segment in ("cash_hunt", "crazy_time_world"):
        picks = line["outcome"]["bonus"]["picks"]
        picks.update({"2": picks["1"], "3": picks["1"]})
    placed = [{"position": position, "wager": name, "cents": 500} for position in (1, 2, 3) for name in NAMES]
    line["wagers"] = placed
    expected = answer_of(line)
    line["wagers"] = [placed[index] for index in order]
    assert answer_of(line) == expected
    shown = [(one["result"] == "win", -one["position"], NAMES.index(one["wager"])) for one in expected["settlements"]]
    assert shown == sorted(shown)
    assert sum(one["result"] == "win" for one in expected["settlements"]) == 3
