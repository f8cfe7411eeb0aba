"""How the wagers of Craps are counted: finite chains over the rolls of two fair dice.

Rules:
* What each wager can see of the rolls (`SEEN`) is a claim about its function; tests hold it against the chain in which
  every sequence is told apart, and against closed forms.
* Recommended readings: under J1 a 7 or 11 on a come-out roll pays nothing, so that the rolls before the point change
  nothing; under K3 the phase of the game does not matter to Hot Roller.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from fractions import Fraction

from firmware.core.paytables import Paytable
from firmware.core.wagers.bonus_craps import ALL_SMALL, ALL_TALL, MAKE_EM_ALL, SMALL, TALL
from firmware.core.wagers.craps import CRAPS
from firmware.core.wagers.hot_roller import COMBINATIONS, HOT_ROLLER
from firmware.core.wagers.lucky_shooter import LUCKY_SHOOTER, ShooterLine
from firmware.core.wagers.rolled import POINTS, Roll, Rolled
from firmware.core.wagers.wager import Seat, Table, Wager
from firmware.odds.chains import count_chain
from firmware.odds.verdicts import Chances, Counting, Setup, Weights

Rolls = tuple[Roll, ...]
Seen = Callable[[Rolls], Hashable]

_MIRRORED = ((4, 10), (5, 9), (6, 8))
"""Numbers that are made in as many ways, a double among them or not."""


def hot_roller_seen(rolls: Rolls) -> Hashable:
    """For each number which it is not, but how much of it is done: doubles are thrown in one way, other dice in two."""
    thrown = {(min(roll), max(roll)) for roll in rolls}

    def done(number: int) -> tuple[int, int]:
        made = COMBINATIONS[number] & thrown
        doubles = sum(first == second for first, second in made)
        return doubles, len(made) - doubles

    return tuple(tuple(sorted(map(done, pair))) for pair in _MIRRORED)


def lucky_shooter_seen(rolls: Rolls) -> Hashable:
    """The point and the numbers since: nothing of what came before the point."""
    totals = [sum(roll) for roll in rolls]
    for index, total in enumerate(totals):
        if total in POINTS:
            return total, frozenset(totals[index + 1 :])
    return None


def _numbers_seen(numbers: frozenset[int]) -> Seen:
    """Which of the numbers were rolled."""
    return lambda rolls: numbers.intersection(map(sum, rolls))


SEEN: dict[str, Seen] = {
    HOT_ROLLER.name: hot_roller_seen,
    LUCKY_SHOOTER.name: lucky_shooter_seen,
    ALL_SMALL.name: _numbers_seen(SMALL),
    ALL_TALL.name: _numbers_seen(TALL),
    MAKE_EM_ALL.name: _numbers_seen(SMALL | TALL),
}
"""Every wager that is built, by name."""

TWO_DICE: tuple[Roll, ...] = tuple((first, second) for first in range(1, 7) for second in range(1, 7))
"""The 36 rolls, all as likely."""


def count_over(wager: Wager[Rolled], seat: Seat, dice: Iterable[Roll], seen: Seen) -> Chances:
    """The chances of one wager where each of these rolls is as likely. Rolls of the same dice are one step, heavier."""
    ways = Counter((min(roll), max(roll)) for roll in dice)
    total = sum(ways.values())
    steps = [(Fraction(count, total), roll) for roll, count in ways.items()]
    return count_chain(steps, lambda rolls: wager.judge(Rolled(rolls), seat), seen)


def count(wager: Wager[Rolled], paytable: Paytable, _setup: Setup, _weights: Weights) -> Chances:
    """The chances of one wager, by recommended readings."""
    return count_over(wager, Seat(1, Table(), paytable), TWO_DICE, SEEN[wager.name])


_ASSUMES = {
    LUCKY_SHOOTER.name: {
        ShooterLine.SEVEN_OR_ELEVEN.value: "pays the stake itself, which goes on working (J1 = b): it decides nothing"
    }
}

CRAPS_COUNTING = Counting(CRAPS, (Setup(),), count, assumes=_ASSUMES)
