"""How the wagers of Roulette are counted: over every compartment of either wheel, each as likely, spins independent.

Rules:
* Roulette Up is a finite chain: of a streak only its length and its last number matter. Blazing 7's is counted over
  every set of three compartments: relaunching treats all compartments alike, so that every set is as likely (Z5).
* B2B and Roulette X hang on weights of the Rules Submission (B3, L1). For Roulette X: how many numbers are illuminated,
  and the odds of each, drawn one by one; which numbers they are is taken as equally likely. Only whether the wager's
  own number is among them matters; a test holds that against every set of a small wheel.
"""

from __future__ import annotations

import itertools
from collections.abc import Hashable, Iterator, Mapping
from fractions import Fraction

from firmware.core.pays import DrawnToOne
from firmware.core.paytables import Paytable
from firmware.core.roulette_wheel import Pocket, Wheel, pockets_of
from firmware.core.wagers.b2b_roulette import B2B_ROULETTE, B2BLine
from firmware.core.wagers.blazing_7s_roulette import BALLS, BLAZING_7S_ROULETTE, SEVENS
from firmware.core.wagers.roulette import ROULETTE
from firmware.core.wagers.roulette_x import LEAST_ILLUMINATED, MOST_ILLUMINATED, ROULETTE_X_STRAIGHT, XLine
from firmware.core.wagers.spun import Spun
from firmware.core.wagers.wager import Seat, Table, Wager
from firmware.odds.chains import count_chain
from firmware.odds.verdicts import Chances, Counting, Distribution, Setup, Weights

Pockets = tuple[Pocket, ...]
Odds = Mapping[int, Fraction]
"""How likely each of the odds to 1 is drawn."""

Parts = Iterator[tuple[Fraction, Spun]]


# --- the rounds of each wager, with their chances ---------------------------------------------------------------------


def b2b_rounds(pockets: Pockets, odds: Odds) -> Parts:
    """Every previous and next result; where they are the same, every draw."""
    each = Fraction(1, len(pockets) ** 2)
    for previous, spin in itertools.product(pockets, repeat=2):
        if spin == previous:
            yield from ((each * part, Spun((spin,), previous, drawn)) for drawn, part in odds.items())
        else:
            yield each, Spun((spin,), previous)


def blazing_7s_rounds(pockets: Pockets) -> Parts:
    """Every spin; after 7, 17 and 27 every set of three balls."""
    sets = tuple(itertools.combinations(pockets, BALLS))
    each = Fraction(1, len(pockets))
    each_set = each / len(sets)
    for spin in pockets:
        if spin in SEVENS:
            yield from ((each_set, Spun((spin,), bonus_balls=balls)) for balls in sets)
        else:
            yield each, Spun((spin,))


def roulette_x_rounds(pockets: Pockets, number: Pocket, illuminated: Odds, multipliers: Odds) -> Parts:
    """Every spin, with the wager's number among those illuminated at each of the odds, or not.

    `illuminated`: how likely each count of illuminated numbers is. The other illuminated numbers are left out: a wager
    can't see them.
    """
    each = Fraction(1, len(pockets))
    lit = sum((part * count for count, part in illuminated.items()), Fraction()) / len(pockets)
    for spin in pockets:
        yield each * (1 - lit), Spun((spin,), multipliers={})
        for odds, part in multipliers.items():
            yield each * lit * part, Spun((spin,), multipliers={number: odds})


def streak_seen(spins: Pockets) -> Hashable:
    """What Roulette Up can tell of an undecided streak."""
    return (len(spins), spins[-1]) if spins else None


# --- the chances of each wager ----------------------------------------------------------------------------------------


def count_rounds(wager: Wager[Spun], seat: Seat, rounds: Parts) -> Chances:
    """The chances of one wager over weighted rounds."""
    return Chances.weighted((part, wager.judge(dealt, seat)) for part, dealt in rounds)


def count_streaks(wager: Wager[Spun], seat: Seat, pockets: Pockets) -> Chances:
    """The chances of a Roulette Up wager."""
    steps = [(Fraction(1, len(pockets)), pocket) for pocket in pockets]
    return count_chain(steps, lambda spins: wager.judge(Spun(spins), seat), streak_seen)


def count(wager: Wager[Spun], paytable: Paytable, setup: Setup, weights: Weights) -> Chances:
    """The chances of one wager, by recommended readings; `weights` holds what `needs` names."""
    wheel = setup.wheel or Wheel.DOUBLE_ZERO
    pockets = pockets_of(wheel)
    seat = Seat(1, Table(wheel=wheel), paytable, number=pockets[0])
    if wager is B2B_ROULETTE:
        return count_rounds(wager, seat, b2b_rounds(pockets, _odds(weights[wager.name])))
    if wager is BLAZING_7S_ROULETTE:
        return count_rounds(wager, seat, blazing_7s_rounds(pockets))
    if wager is ROULETTE_X_STRAIGHT:
        illuminated, multipliers = (_odds(weights[one.name]) for one in needs(wager, paytable))
        return count_rounds(wager, seat, roulette_x_rounds(pockets, pockets[0], illuminated, multipliers))
    return count_streaks(wager, seat, pockets)


def needs(wager: Wager[Spun], paytable: Paytable) -> tuple[Distribution, ...]:
    """The distributions that the Rules Submission states: B2B's odds; Roulette X's count of illuminated numbers, then
    their odds, which differ by paytable.
    """
    if wager is B2B_ROULETTE:
        return (Distribution(wager.name, _listed(paytable, B2BLine.SAME_NUMBER)),)
    if wager is ROULETTE_X_STRAIGHT:
        counts = map(str, range(LEAST_ILLUMINATED, MOST_ILLUMINATED + 1))
        return (
            Distribution(f"{wager.name}.illuminated", optional=frozenset(counts)),
            Distribution(f"{wager.name}.{paytable.name}", _listed(paytable, XLine.MULTIPLIER)),
        )
    return ()


def _listed(paytable: Paytable, line: str) -> tuple[str, ...]:
    pay = paytable.by_line[line].pay
    return tuple(map(str, pay.listed)) if isinstance(pay, DrawnToOne) else ()


def _odds(weights: Mapping[str, Fraction]) -> Odds:
    return {int(value): part for value, part in weights.items()}


_ASSUMES = {
    ROULETTE_X_STRAIGHT.name: {"illuminated": "every set of numbers as likely, the odds of each drawn by themselves"}
}

ROULETTE_COUNTING = Counting(
    ROULETTE, tuple(Setup(wheel=wheel) for wheel in Wheel), count, needs=needs, assumes=_ASSUMES
)
