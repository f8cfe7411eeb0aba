"""`tabled odds`: which odds are asked for, and how they are written, for programs and for people.

Rules:
* Without a deck count each game's usual setups are reported (its `Counting`); any other count is worked out when asked
  for, unless a paytable does not allow it. `--decks` leaves games without cards out, `--wheel` those without a wheel.
* Fractions are written in lowest terms; percentages are rounded half up to two places and are for people.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import msgspec

from firmware.core.money import format_meter
from firmware.core.paytables import Catalogue, Paytable
from firmware.core.roulette_wheel import Wheel
from firmware.core.round_checks import unsuited
from firmware.core.wagers.wager import Wager
from firmware.odds.counting import COUNTINGS
from firmware.odds.verdicts import NO_WEIGHTS, Counting, Distribution, Setup, Weights
from firmware.odds.wager_odds import UnknownOdds, WagerOdds, stake_cents, wager_odds


class NothingToReportError(Exception):
    """No wager is left by what was asked for; the message says what there is."""


Report = WagerOdds | UnknownOdds


def distributions(catalogue: Catalogue) -> dict[str, Distribution]:
    """Every distribution that a wager's odds hang on, by name."""
    return {
        needed.name: needed
        for counting in COUNTINGS.values()
        for wager in counting.game.wagers
        for table in catalogue.paytables(counting.game.name, wager.name)
        for needed in counting.needs(wager, table)
    }


def odds_reports(
    catalogue: Catalogue,
    *,
    game: str | None = None,
    wager: str | None = None,
    paytable: str | None = None,
    decks: int | None = None,
    wheel: Wheel | None = None,
    weights: Weights = NO_WEIGHTS,
) -> list[Report]:
    """The odds of everything that passes the filters, game by game in settlement order. Raises
    `NothingToReportError`.
    """
    reports = [
        _report(counting, one, table, setup, weights)
        for counting in COUNTINGS.values()
        if game in (None, counting.game.name)
        for one in counting.game.wagers
        if wager in (None, one.name)
        for table in catalogue.paytables(counting.game.name, one.name)
        if paytable in (None, table.name)
        for setup in _setups(counting, decks)
        if wheel in (None, setup.wheel)
        if unsuited(table, setup.decks) is None
        if setup.wheel is None or not table.wheels or setup.wheel in table.wheels
    ]
    if not reports:
        raise NothingToReportError(
            "nothing passes --game, --wager, --paytable, --decks and --wheel together; see `tabled rules`"
        )
    return reports


def _setups(counting: Counting[Any], decks: int | None) -> Iterator[Setup]:
    if decks is None:
        yield from counting.setups
    elif counting.any_decks:
        yield Setup(decks=decks)
    else:
        yield from (setup for setup in counting.setups if setup.decks == decks)


def _report(counting: Counting[Any], wager: Wager[Any], table: Paytable, setup: Setup, weights: Weights) -> Report:
    needed = counting.needs(wager, table)
    missing = tuple(one.name for one in needed if one.name not in weights)
    if missing:
        return UnknownOdds(wager.name, counting.game.name, table, setup, missing)
    used = {one.name: weights[one.name] for one in needed}
    chances = counting.count(wager, table, setup, used)
    return wager_odds(wager.name, counting.game.name, table, setup, chances, used or None)


def report_json(reports: list[Report]) -> bytes:
    """The array that other programs read."""
    return msgspec.json.format(msgspec.json.encode([_object(odds) for odds in reports]), indent=1)


def _object(odds: Report) -> dict[str, object]:
    written: dict[str, object] = {
        "wager": odds.wager,
        "game": odds.game,
        "section": odds.paytable.section,
        "paytable": odds.paytable.name,
        "decks": odds.setup.decks,
        "wheel": None if odds.setup.wheel is None else odds.setup.wheel.value,
    }
    if isinstance(odds, UnknownOdds):
        written["lines"] = [{"line": line.name, "pays": str(line.pay)} for line in odds.paytable.lines]
        written["weights"] = None
        written["weights_needed"] = odds.missing
        return written
    written["lines"] = [
        {"line": one.line.name, "probability": fraction_text(one.probability), "pays": str(one.line.pay)}
        for one in odds.lines
    ]
    written["lose"] = fraction_text(odds.lose)
    written["push"] = fraction_text(odds.push)
    written["house_edge"] = fraction_text(odds.house_edge)
    written["house_edge_percent"] = percent_text(odds.house_edge)
    if odds.weights is not None:
        written["weights"] = {
            name: {value: fraction_text(weight) for value, weight in given.items()}
            for name, given in odds.weights.items()
        }
    if odds.meters is not None:
        written["break_even_meter"] = odds.meters.meter
        written["break_even_meter_dollars"] = _break_even_text(odds)
        edge = odds.meters.seed_house_edge
        written["seed_house_edge"] = None if edge is None else fraction_text(edge)
        written["seed_house_edge_percent"] = None if edge is None else percent_text(edge)
    assumes = _assumes(odds)
    if assumes:
        written["assumes"] = assumes
    return written


def _assumes(odds: WagerOdds) -> dict[str, object]:
    """What a reader must know that no figure shows: also the stake, where the meter is stated in wagers of any size."""
    assumed: dict[str, object] = dict(COUNTINGS[odds.game].assumes.get(odds.wager, {}))
    if odds.meters is not None and odds.paytable.denomination_cents is None:
        assumed["stake_cents"] = stake_cents(odds.paytable)
    return assumed


def report_text(reports: list[Report]) -> str:
    """The same for people."""
    return "\n\n".join(_paragraph(odds) for odds in reports)


def _paragraph(odds: Report) -> str:
    name = "" if odds.paytable.name == "-" else f", paytable {odds.paytable.name}"
    rows = [f"{odds.wager} ({odds.game}, {odds.paytable.section}{name}), {odds.setup}"]
    if isinstance(odds, UnknownOdds):
        rows.append(f"  the odds hang on weights of the Rules Submission: {', '.join(odds.missing)} (--config FILE)")
        return "\n".join(rows)
    width = max(len(name) for name in ("push", *odds.paytable.by_line))
    rows.append(f"  {'line':<{width}} {'pays':<24} {'probability':>12} {'1 in':>14} {'return':>8}")
    for one in odds.lines:
        part = "meter" if one.contribution is None else f"{float(one.contribution):.4f}"
        rows.append(f"  {one.line.name:<{width}} {one.line.pay!s:<24} {_chance(one.probability)} {part:>8}")
    rows.append(f"  {'push':<{width}} {'stake back':<24} {_chance(odds.push)} {float(odds.push):>8.4f}")
    rows.append(f"  {'lose':<{width}} {'':<24} {_chance(odds.lose)} {0:>8.4f}")
    rows.append(f"  house edge {percent_text(odds.house_edge)}%{' without the meters' if odds.meters else ''}")
    if odds.meters is not None:
        edge = odds.meters.seed_house_edge
        seed = "unknown: no seed is printed" if edge is None else f"{percent_text(edge)}%"
        rows.append(f"  house edge with every meter at its least seed {seed}")
        rows.append(f"  break-even {odds.meters.meter}, the others at seed: ${_break_even_text(odds) or 'none'}")
    for key, value in _assumes(odds).items():
        rows.append(f"  assumes {key}: {value}")
    return "\n".join(rows)


def _chance(probability: Fraction) -> str:
    return f"{float(probability):>12.8f} {f'{float(1 / probability):,.1f}' if probability else 'never':>14}"


def _break_even_text(odds: WagerOdds) -> str | None:
    """Six places, rounded up: the least amount at which the wager is not against the patron."""
    if odds.meters is None or odds.meters.break_even_micro is None:
        return None
    exact = odds.meters.break_even_micro
    return format_meter(-(-exact.numerator // exact.denominator))


def fraction_text(value: Fraction) -> str:
    """Lowest terms, the denominator always written: "0/1"."""
    return f"{value.numerator}/{value.denominator}"


def percent_text(value: Fraction) -> str:
    """The value in per cent with two places, halves away from zero: "4.06"."""
    hundredths = (abs(value) * 20_000 + 1) // 2
    sign = "-" if value < 0 and hundredths else ""
    return f"{sign}{hundredths // 100}.{hundredths % 100:02d}"
