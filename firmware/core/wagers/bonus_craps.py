"""Bonus Craps: All Small, All Tall and Make 'em All: § 623b.3.

§ 623a.12, which has the rules of play, is not in hand: the numbers of each wager, and that any 7 loses, are the game's
maker's own description. Readings that these functions keep to: V2 (only the new name is shown), V3 (the odds of
§ 623a.5(h) are not in hand: tables 1 and 2 only), K6 (invalid rolls are left out).
"""

from __future__ import annotations

from firmware.core.wagers.rolled import SEVEN, Rolled
from firmware.core.wagers.wager import LOST, PENDING, Seat, Stage, Verdict, Wager, Won

SMALL = frozenset(range(2, 7))
TALL = frozenset(range(8, 13))


def all_small(dealt: Rolled, _seat: Seat) -> Verdict:
    """Every number from 2 to 6 before a 7."""
    return _all_of(SMALL, dealt, _WON[ALL_SMALL.name])


def all_tall(dealt: Rolled, _seat: Seat) -> Verdict:
    """Every number from 8 to 12 before a 7."""
    return _all_of(TALL, dealt, _WON[ALL_TALL.name])


def make_em_all(dealt: Rolled, _seat: Seat) -> Verdict:
    """Every number but the 7 before a 7."""
    return _all_of(SMALL | TALL, dealt, _WON[MAKE_EM_ALL.name])


def _all_of(numbers: frozenset[int], dealt: Rolled, won: Won) -> Verdict:
    """Wins on the roll that completes the numbers; the rest of the wagers goes on."""
    missing = set(numbers)
    for roll in dealt.rolls:
        total = sum(roll)
        if total == SEVEN:
            return LOST
        missing.discard(total)
        if not missing:
            return won
    return PENDING


ALL_SMALL = Wager("all_small", Stage.FINAL, ("all_small",), all_small)
ALL_TALL = Wager("all_tall", Stage.FINAL, ("all_tall",), all_tall)
MAKE_EM_ALL = Wager("make_em_all", Stage.FINAL, ("make_em_all",), make_em_all)

_WON = {wager.name: Won((wager.name,)) for wager in (ALL_SMALL, ALL_TALL, MAKE_EM_ALL)}
