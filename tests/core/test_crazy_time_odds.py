"""Crazy Time's odds: every reduction against plain enumeration on small boards, sums, figures by hand, and the file of
weights.

Plain enumeration here arranges a small board in every order and drops, spins and flips over its real places.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import factorial
from pathlib import Path
from typing import Any

import pytest

from firmware.core.pays import DrawnToOne
from firmware.core.readings import ALLOWED, Readings
from firmware.core.wagers.cash_hunt import BOARD, CashHunt
from firmware.core.wagers.coin_flip import CoinFlip, Side
from firmware.core.wagers.crazy_time import CRAZY_TIME, Bonus, WheelSpin
from firmware.core.wagers.crazy_time_wheel import MULTIPLIERS, Segment, TopSlot
from firmware.core.wagers.crazy_time_world import SECTIONS, Clapper, CrazyTimeWorld
from firmware.core.wagers.multiplier_board import DOUBLE
from firmware.core.wagers.pachinko import SLOTS, Pachinko
from firmware.core.wagers.wager import Seat, Table, Won
from firmware.odds.crazy_time import cash_hunts, coin_flips, pachinkos, run_chance, spins, worlds
from firmware.odds.crazy_time_weights import Board, distributions_of, read_board
from firmware.odds.report import distributions, odds_reports
from firmware.odds.verdicts import NO_WEIGHTS, Chances, Weights
from firmware.odds.wager_odds import UnknownOdds, WagerOdds
from firmware.odds.weights import WeightsError, read_weights
from firmware.settings.paytables import load_catalogue

ROOT = Path(__file__).parents[2]
CATALOGUE = load_catalogue()
KNOWN = distributions(CATALOGUE)

THIRD = Fraction(1, 3)
READINGS = [Readings.choose({"D5": five, "D6": six}) for five in ALLOWED["D5"] for six in ALLOWED["D6"]]


def _verdicts(
    segment: Segment, games: Iterable[tuple[Fraction, Bonus]], multiplier: int, readings: Readings
) -> Chances:
    """What the wager function says of every game; the probabilities must sum to one."""
    wager = CRAZY_TIME.by_name[segment][1]
    seat = Seat(1, Table(), CATALOGUE.paytables("crazy_time", segment)[0], readings)
    top_slot = TopSlot(segment, multiplier, aligned=True)
    return Chances.weighted((part, wager.judge(WheelSpin(segment, top_slot, game), seat)) for part, game in games)


# --- the reductions ---------------------------------------------------------------------------------------------------


def _plain_pachinko(
    board: Board, landing: tuple[Fraction, ...], rescue: Fraction, multiplier: int, readings: Readings
) -> Iterator[tuple[Fraction, Pachinko]]:
    """Every arrangement of the board, every run of drops over its spots, played as the section says."""
    each = Fraction(1, factorial(len(board)))
    spots = [(spot, chance) for spot, chance in enumerate(landing, start=1) if chance]
    for slots in itertools.permutations(board):
        for first, chance in spots:
            value = slots[first - 1]
            shown_as = value if value is DOUBLE or readings.D5 == "base" else int(value) * multiplier
            if shown_as is DOUBLE:
                for second, again in spots:
                    yield each * chance * again, Pachinko(slots, (first, second))
            elif shown_as not in (2, 3, 4):
                yield each * chance, Pachinko(slots, (first,))
            else:
                yield each * chance * (1 - rescue), Pachinko(slots, (first,))
                for second, again in spots:
                    part = each * chance * rescue * again
                    if slots[second - 1] is not DOUBLE:
                        yield part, Pachinko(slots, (first, second), rescue_after=0)
                        continue
                    for third, last in spots:
                        yield part * last, Pachinko(slots, (first, second, third), rescue_after=0)


LANDINGS = [
    tuple(Fraction(part, 10) for part in (1, 2, 3, 4)),
    tuple(Fraction(part, 10) for part in (0, 9, 1, 0)),
    (Fraction(1, 4),) * 4,
]


@pytest.mark.parametrize("board", [(2, 4, 100, DOUBLE), (2, 2, 3, DOUBLE), (4, 4, 10, 20), (5, 6, 7, DOUBLE)])
@pytest.mark.parametrize("landing", LANDINGS)
@pytest.mark.parametrize("multiplier", [1, 2, 20])
@pytest.mark.parametrize("rescue", [Fraction(0), THIRD, Fraction(1)])
def test_pachinko_reduced_is_plain(
    board: Board, landing: tuple[Fraction, ...], multiplier: int, rescue: Fraction
) -> None:
    for readings in READINGS:
        reduced = pachinkos(board, landing, rescue, multiplier, readings)
        plain = _plain_pachinko(board, landing, rescue, multiplier, readings)
        assert _verdicts(Segment.PACHINKO, reduced, multiplier, readings) == _verdicts(
            Segment.PACHINKO, plain, multiplier, readings
        )


def test_runs_of_drops_sum_to_one() -> None:
    for landing, drops in itertools.product(LANDINGS, (1, 2, 3)):
        runs = itertools.product(range(1, 5), repeat=drops)
        assert sum((run_chance(run, landing) for run in runs), Fraction()) == 1


def _plain_world(wheel: Board, multiplier: int) -> Iterator[tuple[Fraction, CrazyTimeWorld]]:
    each = Fraction(1, factorial(len(wheel)))
    sections = range(1, len(wheel) + 1)
    one = Fraction(1, len(wheel))

    def spins(*rests: int) -> tuple[dict[Clapper, int], ...]:
        return tuple({Clapper.LEFT: rest} for rest in rests)

    for shown in itertools.permutations(wheel):
        picks = {1: Clapper.LEFT}
        for first in sections:
            if shown[first - 1] is not DOUBLE:
                yield each * one, CrazyTimeWorld(shown, picks, spins(first))
                continue
            for second in sections:
                if shown[second - 1] is not DOUBLE:
                    yield each * one**2, CrazyTimeWorld(shown, picks, spins(first, second))
                    continue
                for third in sections:
                    yield each * one**3, CrazyTimeWorld(shown, picks, spins(first, second, third))


@pytest.mark.parametrize("wheel", [(15, 15, 400, DOUBLE), (15, 25, 25, 100), (20, 20, 20, 20, DOUBLE)])
@pytest.mark.parametrize("multiplier", [1, 7])
def test_world_reduced_is_plain(wheel: Board, multiplier: int) -> None:
    for readings in READINGS:
        reduced = worlds(wheel, multiplier, readings)
        assert _verdicts(Segment.CRAZY_TIME_WORLD, reduced, multiplier, readings) == _verdicts(
            Segment.CRAZY_TIME_WORLD, _plain_world(wheel, multiplier), multiplier, readings
        )


def test_cash_hunt_reduced_is_plain() -> None:
    board = (5, 5, 10, 500)
    plain = [
        (Fraction(1, 24 * 4), CashHunt(shown, {1: pick, 2: 0}))
        for shown in itertools.permutations(board)
        for pick in range(4)
    ]
    for multiplier in MULTIPLIERS:
        reduced = _verdicts(Segment.CASH_HUNT, cash_hunts(board), multiplier, READINGS[0])
        assert reduced == _verdicts(Segment.CASH_HUNT, plain, multiplier, READINGS[0])
        assert len(reduced.of) == 3


@pytest.mark.parametrize("pair", [(2, 16), (3, 15), (3, 100), (4, 50), (2, 2), (5, 8)])
@pytest.mark.parametrize("multiplier", [1, 2])
def test_coin_flip_reduced_is_plain(pair: tuple[int, int], multiplier: int) -> None:
    """Which colour has which multiplier is drawn as well."""
    small, big = pair

    def plain(displayed: bool) -> Iterator[tuple[Fraction, CoinFlip]]:
        factor = multiplier if displayed else 1
        for red, blue in ((small, big), (big, small)):
            for landed in Side:
                up, down = (red, blue) if landed is Side.RED else (blue, red)
                again = THIRD if up * factor in (2, 3) and down * factor > 15 else Fraction()
                yield Fraction(1, 4) * (1 - again), CoinFlip(red, blue, landed)
                for side in Side:
                    yield Fraction(1, 8) * again, CoinFlip(red, blue, landed, side)

    for readings in READINGS:
        reduced = coin_flips(pair, THIRD, multiplier, readings)
        assert _verdicts(Segment.COIN_FLIP, reduced, multiplier, readings) == _verdicts(
            Segment.COIN_FLIP, plain(readings.D5 == "displayed"), multiplier, readings
        )


# --- figures by hand --------------------------------------------------------------------------------------------------

# Made for these tests: no casino's figures, and chosen so that everything below can be worked out on paper.
WEIGHTS = {
    "crazy_time.top_slot": {**{segment.value: "1/16" for segment in Segment}, "not_aligned": "1/2"},
    **{f"crazy_time.top_slot.{segment}": {str(value): "1/9" for value in MULTIPLIERS} for segment in Segment},
    "crazy_time.coin_flip": {"2 16": "1/2", "5 10": "1/2"},
    "crazy_time.rescue_flip": {"activated": "1/4", "not_activated": "3/4"},
    "crazy_time.cash_hunt": {"5*54 15*54": "1/2", "10*108": "1/2"},
    "crazy_time.pachinko": {"5*15 double": "1/1"},
    "crazy_time.pachinko.landing": {str(spot): "1/10" for spot in range(4, 14)},
    "crazy_time.rescue_drop": {"activated": "1/2", "not_activated": "1/2"},
    "crazy_time.crazy_time_world": {"20*63 double": "1/1"},
}


def _toml(weights: dict[str, dict[str, str]]) -> str:
    return "\n".join(
        f'[weights."{name}"]\n' + "\n".join(f'"{value}" = "{part}"' for value, part in given.items())
        for name, given in weights.items()
    )


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Weights:
    file = tmp_path_factory.mktemp("weights") / "weights.toml"
    file.write_text(_toml(WEIGHTS))
    return read_weights(file, KNOWN)


def _reports(weights: Weights) -> dict[str, WagerOdds]:
    reports = odds_reports(CATALOGUE, game="crazy_time", weights=weights)
    assert all(isinstance(report, WagerOdds) for report in reports)
    return {report.wager: report for report in reports if isinstance(report, WagerOdds)}


TOP_SLOT = Fraction(15, 16) + Fraction(1, 16) * Fraction(sum(MULTIPLIERS), 9)
"""What the made-up Top Slot multiplies by on average."""

PLAIN_FIFTY = Fraction(50)

OF_BONUS = {
    # 2 against 16: half the time 16; else 2, and of those flips a quarter is flipped again. 5 against 10: between them.
    "coin_flip": TOP_SLOT * (Fraction(1, 2) * (8 + Fraction(1, 2) * (Fraction(3, 4) * 2 + Fraction(1, 4) * 9))
                             + Fraction(1, 2) * Fraction(15, 2)),
    "cash_hunt": TOP_SLOT * 10,
    # 15 of 16 spots show 5; on Double the next drop meets it again one time in ten (50), else a doubled 5.
    "pachinko": Fraction(15, 16) * 5 * TOP_SLOT
    + Fraction(1, 16) * (Fraction(1, 10) * PLAIN_FIFTY + Fraction(9, 10) * 10 * TOP_SLOT),
    # 63 of 64 show 20, then 40, then 80; Double a third time is 50.
    "crazy_time_world": TOP_SLOT * (Fraction(63, 64) * 20 + Fraction(63, 64**2) * 40 + Fraction(63, 64**3) * 80)
    + Fraction(1, 64**3) * PLAIN_FIFTY,
}  # fmt: skip

COUNTS = {
    "number_1": 21,
    "number_2": 13,
    "number_5": 7,
    "number_10": 4,
    "coin_flip": 4,
    "cash_hunt": 2,
    "pachinko": 2,
    "crazy_time_world": 1,
}
"""690.1(a): of 54 sections, how many show each."""


@pytest.mark.parametrize("name", COUNTS)
def test_by_hand(name: str, weights: Weights) -> None:
    odds = _reports(weights)[name]
    hit = Fraction(COUNTS[name], 54)
    assert [line.probability for line in odds.lines] == [hit]
    assert (odds.lose, odds.push) == (1 - hit, Fraction())
    to_one = OF_BONUS[name] if name in OF_BONUS else int(name.removeprefix("number_")) * TOP_SLOT
    assert odds.house_edge == 1 - hit * (to_one + 1)
    assert odds.weights is not None
    assert set(odds.weights) == {one.name for one in distributions_of(Segment(name))}


@pytest.mark.parametrize(("name", "kept"), [("number_1", 12), ("number_2", 15), ("number_5", 12), ("number_10", 10)])
def test_numbers_without_a_top_slot(name: str, kept: int) -> None:
    """By the wheel and the printed odds alone: of 54 units staked, 42, 39, 42 and 44 come back."""
    segment = Segment(name)
    never: Weights = {
        "crazy_time.top_slot": {segment: Fraction(0), "not_aligned": Fraction(1)},
        f"crazy_time.top_slot.{name}": {"1": Fraction(1)},
    }
    (report,) = odds_reports(CATALOGUE, wager=name, weights=never)
    assert isinstance(report, WagerOdds)
    assert report.house_edge == Fraction(kept, 54)


def test_every_verdict_is_at_least_what_the_table_prints(weights: Weights) -> None:
    """690.4(a), D3: no round pays less than the floor, by any reading."""
    for wager, readings in itertools.product(CRAZY_TIME.wagers, READINGS):
        (table,) = CATALOGUE.paytables("crazy_time", wager.name)
        (pay,) = (line.pay for line in table.lines)
        seat = Seat(1, Table(), table, readings)
        won = [wager.judge(spin, seat) for _, spin in spins(Segment(wager.name), weights, readings)]
        odds = [verdict.odds for verdict in won if isinstance(verdict, Won)]
        assert odds and isinstance(pay, DrawnToOne)
        assert all(one is not None and pay.allows(one) for one in odds)


# --- the file of weights ----------------------------------------------------------------------------------------------


def test_without_weights_there_are_no_probabilities() -> None:
    reports = odds_reports(CATALOGUE, game="crazy_time", weights=NO_WEIGHTS)
    assert [report.wager for report in reports] == list(COUNTS)
    assert all(isinstance(report, UnknownOdds) and report.missing for report in reports)


def _refused(tmp_path: Path, name: str, given: dict[str, str]) -> str:
    file = tmp_path / "weights.toml"
    file.write_text(_toml({name: given}))
    with pytest.raises(WeightsError) as raised:
        read_weights(file, KNOWN)
    return str(raised.value)


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("crazy_time.cash_hunt", "5*107", "108 multipliers from 5 to 500"),
        ("crazy_time.cash_hunt", "5*109", "108"),
        ("crazy_time.cash_hunt", "4*108", "from 5"),
        ("crazy_time.cash_hunt", "5*107 501", "to 500"),
        ("crazy_time.cash_hunt", "5*107 double", "108"),
        ("crazy_time.cash_hunt", "5 *108", "such as"),
        ("crazy_time.cash_hunt", "", "such as"),
        ("crazy_time.pachinko", "2*14 double*2", "one of them may be"),
        ("crazy_time.pachinko", "2*15 Double", "double"),
        ("crazy_time.pachinko", "2*999 2*999", "16"),
        ("crazy_time.crazy_time_world", "14*64", "from 15 to 400"),
        ("crazy_time.coin_flip", "25 3", "the smaller first"),
        ("crazy_time.coin_flip", "1 25", "from 2"),
        ("crazy_time.coin_flip", "3 101", "to 100"),
        ("crazy_time.pachinko.landing", "17", "1 to 16"),
        ("crazy_time.rescue_drop", "sometimes", "not_activated"),
        ("crazy_time.top_slot.number_1", "6", "690.3(b)(2)"),
        ("crazy_time.top_slot", "number_3", "number_10"),
    ],
)
def test_a_value_that_the_section_does_not_allow(tmp_path: Path, name: str, value: str, told: str) -> None:
    message = _refused(tmp_path, name, {value: "1/1"})
    assert f"weights.{name}.{value}" in message and told in message


def test_every_listed_value_has_a_weight(tmp_path: Path) -> None:
    for segment in Segment:
        name = f"crazy_time.top_slot.{segment}"
        for value in MULTIPLIERS:
            given = {key: part for key, part in WEIGHTS[name].items() if key != str(value)}
            assert f"{name}.{value}: missing" in _refused(tmp_path, name, given)
        given = {key: part for key, part in WEIGHTS["crazy_time.top_slot"].items() if key != segment}
        assert f"{segment}: missing" in _refused(tmp_path, "crazy_time.top_slot", given)
    assert "sum to 1/2" in _refused(tmp_path, "crazy_time.rescue_drop", {"activated": "1/2"})


def test_boards_are_read_by_what_they_hold() -> None:
    assert read_board("2*4 3*4 4*4 10 25 100 double", SLOTS) == (
        2,
        2,
        2,
        2,
        3,
        3,
        3,
        3,
        4,
        4,
        4,
        4,
        10,
        25,
        100,
        DOUBLE,
    )
    assert read_board("double " + "15 " * 62 + "400", SECTIONS) == (DOUBLE, *[15] * 62, 400)
    assert read_board("5*108", BOARD) == (5,) * 108
    assert read_board("5*108 ", BOARD) is None


def test_the_command(tmp_path: Path) -> None:
    file = tmp_path / "weights.toml"
    file.write_text(_toml(WEIGHTS))
    call = [sys.executable, "-m", "firmware.cli", "odds", "--json", "--game", "crazy_time", "--config", str(file)]
    done = subprocess.run(call, cwd=ROOT, capture_output=True, check=True, timeout=60)
    objects: list[dict[str, Any]] = json.loads(done.stdout)
    assert [one["wager"] for one in objects] == list(COUNTS)
    for one in objects:
        assert (one["decks"], one["wheel"], one["section"]) == (None, None, "690.4(a)")
        (line,) = one["lines"]
        assert Fraction(line["probability"]) == Fraction(COUNTS[one["wager"]], 54)
        assert Fraction(line["probability"]) + Fraction(one["lose"]) + Fraction(one["push"]) == 1
        assert one["weights"]["crazy_time.top_slot"]["not_aligned"] == "1/2"
    bare = subprocess.run(call[:-2], cwd=ROOT, capture_output=True, check=True, timeout=60)
    for one in json.loads(bare.stdout):
        assert one["weights"] is None and "lose" not in one and "probability" not in one["lines"][0]


def test_rules_list_the_game() -> None:
    call = [sys.executable, "-m", "firmware.cli", "rules", "--json"]
    done = subprocess.run(call, cwd=ROOT, capture_output=True, check=True, timeout=60)
    rules = [one for one in json.loads(done.stdout) if one["game"] == "crazy_time"]
    assert rules == [
        {
            "wager": name,
            "game": "crazy_time",
            "section": "690.4",
            "paytables": ["-"],
            "effective": "2024-03-23",
            "expires": "2026-03-23",
            "live": False,
        }
        for name in COUNTS
    ]
