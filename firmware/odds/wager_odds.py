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

from collections.abc import Mapping
from fractions import Fraction
from typing import assert_never

from msgspec import Struct

from firmware.core.money import CENTS_PER_DOLLAR, MICRO_PER_CENT
from firmware.core.pays import Dollars, ForOne, Paid, ToOne, WholeMeter
from firmware.core.paytables import Line, Paytable
from firmware.core.readings import RECOMMENDED
from firmware.core.settlement import resolve, seed_micro
from firmware.core.settlement_data import Result
from firmware.odds.verdicts import Chances, Setup, Weights


class LineOdds(Struct, frozen=True):
    """One line: its chance, and its part of the patron's return for one unit staked (None for a meter: it varies)."""

    line: Line
    probability: Fraction
    contribution: Fraction | None


class MeterOdds(Struct, frozen=True):
    """What the meters add: the first meter of the table by its amount, the others at their seeds.

    `without`: the house edge with the first meter at nothing. `per_micro`: what each micro-dollar in it takes from the
    edge. `seed_micro`: its printed seed. None where a seed that is needed is not printed (X16).
    """

    meter: str
    without: Fraction | None
    per_micro: Fraction
    seed_micro: int | None

    def edge_at(self, micro: int | Fraction) -> Fraction | None:
        """The house edge with the first meter at an amount."""
        return None if self.without is None else self.without - self.per_micro * micro

    @property
    def break_even_micro(self) -> Fraction | None:
        """Where the edge is zero; None where no amount does that, or none is needed."""
        if self.without is None or self.without <= 0 or not self.per_micro:
            return None
        return self.without / self.per_micro

    @property
    def seed_house_edge(self) -> Fraction | None:
        return None if self.seed_micro is None else self.edge_at(self.seed_micro)


class WagerOdds(Struct, frozen=True):
    """All figures of one wager, game, paytable and setup. The probabilities of the lines, `lose` and `push` sum to 1:
    the chance of a line that prints Push stands in `push`, of one that prints Loss in `lose`.
    `weights`: the distributions that were used, None where there were none to use.
    """

    wager: str
    game: str
    paytable: Paytable
    setup: Setup
    lines: tuple[LineOdds, ...]
    lose: Fraction
    push: Fraction
    house_edge: Fraction
    meters: MeterOdds | None
    weights: Weights | None = None


class UnknownOdds(Struct, frozen=True):
    """A wager whose odds hang on weights that were not given: `missing` are the distributions that it needs."""

    wager: str
    game: str
    paytable: Paytable
    setup: Setup
    missing: tuple[str, ...]


def stake_cents(paytable: Paytable) -> int:
    """The stake for which odds are stated. They depend on it only where a line or a seed is in dollars, and an amount
    in wagers is told in dollars by it: it is the denomination, or the least wager that is taken, from a dollar on."""
    return paytable.denomination_cents or max(paytable.least_cents, CENTS_PER_DOLLAR)


def wager_odds(
    wager: str, game: str, paytable: Paytable, setup: Setup, chances: Chances, weights: Weights | None = None
) -> WagerOdds:
    """The odds that follow from the chances of the verdicts. Raises `ValueError` for a verdict that decides nothing."""
    stake = stake_cents(paytable)
    seeds = {
        meter: seed_micro(paytable.seed(meter, setup.decks).amount, stake, RECOMMENDED) for meter in paytable.meters
    }
    amounts = {meter: seed or 0 for meter, seed in seeds.items()}
    probability = dict.fromkeys(paytable.by_line, Fraction())
    returned = dict.fromkeys(paytable.by_line, Fraction())
    lose = push = Fraction()
    for verdict, chance in chances.of.items():
        resolved = resolve(verdict, paytable, stake, amounts, RECOMMENDED)
        match resolved.result:
            case Result.LOSE:
                lose += chance
            case Result.PUSH:
                push += chance
            case Result.WIN:
                if resolved.line is None or resolved.paid is None:
                    raise ValueError(f"{game} {wager}: a win on no line")
                probability[resolved.line.name] += chance
                returned[resolved.line.name] += chance * (_returned(resolved.paid, stake) or 0)
            case Result.PENDING:
                raise ValueError(f"{game} {wager}: a counted round left the wager undecided")
            case _:
                assert_never(resolved.result)
    lines = tuple(
        LineOdds(
            line,
            probability[line.name],
            None if isinstance(line.pay, WholeMeter) else returned[line.name],
        )
        for line in paytable.lines
    )
    house_edge = 1 - push - sum(returned.values(), Fraction())
    return WagerOdds(
        wager=wager,
        game=game,
        paytable=paytable,
        setup=setup,
        lines=lines,
        lose=lose,
        push=push,
        house_edge=house_edge,
        meters=_meter_odds(lines, seeds, stake, house_edge) if paytable.progressive else None,
        weights=weights,
    )


def _returned(paid: Paid, stake: int) -> Fraction | None:
    """What a win hands over for one unit staked, stake included; None for a meter."""
    match paid:
        case ToOne(numerator=numerator, denominator=denominator):
            return Fraction(numerator, denominator) + 1
        case ForOne(numerator=numerator, denominator=denominator):
            return Fraction(numerator, denominator)
        case Dollars(cents=cents):
            return Fraction(cents, stake)
        case WholeMeter():
            return None
        case _:
            assert_never(paid)


def _meter_odds(
    lines: tuple[LineOdds, ...], seeds: Mapping[str, int | None], stake: int, house_edge: Fraction
) -> MeterOdds:
    stake_micro = stake * MICRO_PER_CENT
    chances: dict[str, Fraction] = {}
    for one in lines:
        if isinstance(one.line.pay, WholeMeter):
            chances[one.line.pay.meter] = chances.get(one.line.pay.meter, Fraction()) + one.probability
    first, *others = chances
    without: Fraction | None = house_edge
    for meter in others:
        seed = seeds[meter]
        without = None if seed is None or without is None else without - chances[meter] * seed / stake_micro
    return MeterOdds(first, without, chances[first] / stake_micro, seeds[first])
