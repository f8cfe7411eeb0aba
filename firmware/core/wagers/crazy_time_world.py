"""Crazy Time World, a bonus game of Crazy Time, with Double twice: § 690.8.

Readings that this module keeps to: D6 the 50 that replaces Double is plain, neither doubled nor touched by the Top Slot
(a setting: the Top Slot multiplies it). D8 the 64 sections show 64 multipliers, or 63 and Double. D9 at the second
Double the others are doubled again and Double becomes 50; each time only those whose clapper stands on it spin on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from itertools import combinations

from msgspec import Struct

from firmware.core.errors import ErrorCode, SettlementError
from firmware.core.readings import Readings
from firmware.core.wagers.multiplier_board import BoardRule, Double, Shown, check_board, in_place_of_double

SECTIONS = BoardRule(size=64, least=15, most=400, double=True, section="690.8(b)")

LEAST_STEP = 3
"""690.8(b)(4): from one clapper to the next, around the wheel; two sections lie between."""

DOUBLINGS = 2
"""690.8(e)(1), (3): how often Double doubles; then it is a multiplier."""


class Clapper(StrEnum):
    LEFT = "left"
    MIDDLE = "middle"
    RIGHT = "right"


class CrazyTimeWorld(Struct, frozen=True):
    """The sections of the wheel in their order, before the Top Slot; the clapper of each position; for each spin the
    section, counted from 1, on which each clapper came to rest.
    """

    wheel: tuple[Shown, ...]
    picks: Mapping[int, Clapper]
    spins: tuple[Mapping[Clapper, int], ...]


def crazy_time_world_odds(shown: CrazyTimeWorld, clapper: Clapper, multiplier: int, readings: Readings) -> int | None:
    """690.8(d)-(f): the multiplier on which the clapper came to rest, the Top Slot and the doublings in it; None where
    another spin is due.
    """
    last = spins_due(shown, clapper)
    if last > len(shown.spins):
        return None
    value = shown.wheel[shown.spins[last - 1][clapper] - 1]
    if isinstance(value, Double):
        return in_place_of_double(multiplier, readings)
    return value * multiplier * (1 << (last - 1))


def spins_due(shown: CrazyTimeWorld, clapper: Clapper) -> int:
    """After how many spins a clapper's result stands; one more than were shown where it does not yet."""
    for number, spin in enumerate(shown.spins[:DOUBLINGS], start=1):
        if not isinstance(shown.wheel[spin[clapper] - 1], Double):
            return number
    return min(len(shown.spins), DOUBLINGS) + 1


def check_crazy_time_world(shown: CrazyTimeWorld, positions: Iterable[int]) -> None:
    """Refuse a wheel that is none, clappers beside it or too close, and spins too few or too many for the picks of
    `positions`, or a missing one; other picks are ignored. Raises `SettlementError`: `bad_outcome`, `missing_field`.
    """
    check_board(shown.wheel, SECTIONS, "outcome.bonus.wheel")
    for index, spin in enumerate(shown.spins):
        _check_spin(spin, f"outcome.bonus.spins[{index}]")
    due = 1
    for position in positions:
        if position not in shown.picks:
            raise SettlementError(
                ErrorCode.MISSING_FIELD,
                f"outcome.bonus.picks.{position}: not given; the position has a crazy_time_world wager, and where its "
                "patron chose no clapper one is drawn (690.8(c))",
            )
        due = max(due, spins_due(shown, shown.picks[position]))
    if len(shown.spins) != due:
        raise SettlementError(
            ErrorCode.BAD_OUTCOME,
            f"outcome.bonus.spins: got {len(shown.spins)}, expected {due}: the wheel is spun again while a clapper "
            "that a patron chose rests on Double, twice at most, and no more (690.8(d), (e))",
        )


def _check_spin(spin: Mapping[Clapper, int], where: str) -> None:
    for clapper, section in spin.items():
        if not 1 <= section <= SECTIONS.size:
            raise SettlementError(
                ErrorCode.BAD_OUTCOME,
                f"{where}.{clapper}: got {section}, expected a section from 1 to {SECTIONS.size} (690.8(b))",
            )
    for one, other in combinations(spin, 2):
        step = (spin[one] - spin[other]) % SECTIONS.size
        if min(step, SECTIONS.size - step) < LEAST_STEP:
            raise SettlementError(
                ErrorCode.BAD_OUTCOME,
                f"{where}: {one} is on {spin[one]} and {other} on {spin[other]}; at least {LEAST_STEP - 1} sections "
                "lie between two clappers, around the wheel (690.8(b)(4))",
            )
