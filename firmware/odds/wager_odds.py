"""The exact odds of one wager under one paytable: probabilities, house edge, and for a progressive wager the meter's
part.

Rules:
* Fractions from the first count to the last figure. The line that a verdict is paid on is chosen by settlement's own
  function, with the meters at their least seeds (R7).
* The edge is the patron's average loss for one unit staked, as a part of the stake. Odds of half a cent are taken
  exactly: how an award is rounded to the cent (C2) depends on the stake and is left out.
* `house_edge` of a progressive wager leaves every meter out, `seed_house_edge` counts each at its least seed. The
  break-even meter is what the first meter of the table must hold, the others at their seeds, for the edge to be zero.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from typing import assert_never

from firmware.core.money import MICRO_PER_CENT
from firmware.core.paytables import Dollars, ForOne, Line, Paytable, ToOne, WholeMeter
from firmware.core.readings import RECOMMENDED
from firmware.core.settlement import choose_line
from firmware.core.wagers.wager import Lost, Pushed, Won
from firmware.odds.baccarat import Verdicts


@dataclass(frozen=True, slots=True)
class LineOdds:
    """One line: its chance, and its part of the patron's return for one unit staked (None for a meter: it varies)."""

    line: Line
    probability: Fraction
    contribution: Fraction | None


@dataclass(frozen=True, slots=True)
class MeterOdds:
    """What the meters add. `break_even_micro` is None when the first meter can't be won or is needed below nothing."""

    meter: str
    break_even_micro: Fraction | None
    seed_house_edge: Fraction


@dataclass(frozen=True, slots=True)
class WagerOdds:
    """All figures of one wager, game, paytable and deck count. The probabilities of the lines, `lose` and `push` sum
    to 1.
    """

    wager: str
    game: str
    paytable: Paytable
    decks: int
    lines: tuple[LineOdds, ...]
    lose: Fraction
    push: Fraction
    house_edge: Fraction
    meters: MeterOdds | None


def wager_odds(wager: str, game: str, paytable: Paytable, decks: int, verdicts: Verdicts) -> WagerOdds:
    """The odds that follow from counted verdicts."""
    stake_cents = paytable.denomination_cents or 1  # odds don't depend on the stake; only dollars do, and they have one
    seeds = {seed.meter: seed.least_micro for seed in paytable.seeds}
    counts: Counter[str] = Counter()
    lose = push = 0
    for verdict, count in verdicts.counts.items():
        match verdict:
            case Lost():
                lose += count
            case Pushed():
                push += count
            case Won(names):
                counts[choose_line(names, paytable, stake_cents, seeds, RECOMMENDED).name] += count
            case _:
                assert_never(verdict)
    lines = tuple(
        LineOdds(line, chance, None if (paid := _returned(line, stake_cents)) is None else chance * paid)
        for line in paytable.lines
        for chance in (Fraction(counts[line.name], verdicts.total),)
    )
    pushed = Fraction(push, verdicts.total)
    house_edge = 1 - pushed - sum((line.contribution or Fraction() for line in lines), Fraction())
    return WagerOdds(
        wager=wager,
        game=game,
        paytable=paytable,
        decks=decks,
        lines=lines,
        lose=Fraction(lose, verdicts.total),
        push=pushed,
        house_edge=house_edge,
        meters=_meter_odds(lines, seeds, stake_cents, house_edge) if paytable.progressive else None,
    )


def _returned(line: Line, stake_cents: int) -> Fraction | None:
    """What a win hands over for one unit staked, stake included; None for a meter."""
    match line.pay:
        case ToOne(numerator, denominator):
            return Fraction(numerator, denominator) + 1
        case ForOne(numerator, denominator):
            return Fraction(numerator, denominator)
        case Dollars(cents):
            return Fraction(cents, stake_cents)
        case WholeMeter():
            return None
        case _:
            assert_never(line.pay)


def _meter_odds(
    lines: tuple[LineOdds, ...], seeds: dict[str, int], stake_cents: int, house_edge: Fraction
) -> MeterOdds:
    stake_micro = stake_cents * MICRO_PER_CENT
    chances = {line.line.pay.meter: line.probability for line in lines if isinstance(line.line.pay, WholeMeter)}
    at_seed = {meter: chance * seeds[meter] / stake_micro for meter, chance in chances.items()}
    first = next(iter(chances))
    without_first = house_edge - sum((part for meter, part in at_seed.items() if meter != first), Fraction())
    break_even = without_first * stake_micro / chances[first] if chances[first] and without_first > 0 else None
    return MeterOdds(first, break_even, without_first - at_seed[first])
