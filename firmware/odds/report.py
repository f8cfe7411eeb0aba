"""`tabled odds`: which odds are asked for, and how they are written, for programs and for people.

Rules:
* Without a deck count the two usual ones are reported: the section that states how many decks a Minibaccarat table
  uses is not in hand (decision 0011). Any other count is worked out when asked for, unless a paytable needs more
  decks.
* Fractions are written in lowest terms; percentages are rounded half up to two places and are for people.
"""

from __future__ import annotations

from fractions import Fraction

import msgspec

from firmware.core.money import format_meter
from firmware.core.paytables import Catalogue
from firmware.core.wagers.games import GAMES
from firmware.odds.baccarat import LAYOUT, POSITION, count_verdicts
from firmware.odds.wager_odds import WagerOdds, wager_odds

USUAL_DECKS = (6, 8)


class NothingToReportError(Exception):
    """No wager is left by what was asked for; the message says what there is."""


def odds_reports(
    catalogue: Catalogue,
    *,
    game: str | None = None,
    wager: str | None = None,
    paytable: str | None = None,
    decks: int | None = None,
) -> list[WagerOdds]:
    """The odds of everything that passes the filters, game by game in settlement order. Raises
    `NothingToReportError`.
    """
    reports = [
        wager_odds(one.name, played.name, table, count, count_verdicts(one, count))
        for played in GAMES.values()
        if game in (None, played.name)
        for one in played.wagers
        if wager in (None, one.name)
        for table in catalogue.text(played.name, one.name).paytables
        if paytable in (None, table.name)
        for count in (USUAL_DECKS if decks is None else (decks,))
        if count >= table.least_decks
    ]
    if not reports:
        raise NothingToReportError(
            "nothing passes --game, --wager, --paytable and --decks together; `tabled rules` lists what there is"
        )
    return reports


def report_json(reports: list[WagerOdds]) -> bytes:
    """The array that other programs read."""
    return msgspec.json.format(msgspec.json.encode([_object(odds) for odds in reports]), indent=1)


def _object(odds: WagerOdds) -> dict[str, object]:
    written: dict[str, object] = {
        "wager": odds.wager,
        "game": odds.game,
        "section": odds.paytable.section,
        "paytable": odds.paytable.name,
        "decks": odds.decks,
        "wheel": None,
        "lines": [
            {"line": one.line.name, "probability": fraction_text(one.probability), "pays": str(one.line.pay)}
            for one in odds.lines
        ],
        "lose": fraction_text(odds.lose),
        "push": fraction_text(odds.push),
        "house_edge": fraction_text(odds.house_edge),
        "house_edge_percent": percent_text(odds.house_edge),
    }
    if odds.meters is not None:
        written["break_even_meter"] = odds.meters.meter
        written["break_even_meter_dollars"] = _break_even_text(odds)
        written["seed_house_edge"] = fraction_text(odds.meters.seed_house_edge)
        written["seed_house_edge_percent"] = percent_text(odds.meters.seed_house_edge)
        written["assumes"] = {
            "position": POSITION,
            "personal_combinations": {str(seat): sorted(map(str, held)) for seat, held in LAYOUT.items()},
        }
    return written


def report_text(reports: list[WagerOdds]) -> str:
    """The same for people."""
    return "\n\n".join(_paragraph(odds) for odds in reports)


def _paragraph(odds: WagerOdds) -> str:
    name = "" if odds.paytable.name == "-" else f", paytable {odds.paytable.name}"
    rows = [
        f"{odds.wager} ({odds.game}, {odds.paytable.section}{name}), {odds.decks} decks",
        f"  {'line':<22} {'pays':<24} {'probability':>12} {'1 in':>14} {'return':>8}",
    ]
    for one in odds.lines:
        part = "meter" if one.contribution is None else f"{float(one.contribution):.4f}"
        rows.append(f"  {one.line.name:<22} {one.line.pay!s:<24} {_chance(one.probability)} {part:>8}")
    rows.append(f"  {'push':<22} {'stake back':<24} {_chance(odds.push)} {float(odds.push):>8.4f}")
    rows.append(f"  {'lose':<22} {'':<24} {_chance(odds.lose)} {0:>8.4f}")
    rows.append(f"  house edge {percent_text(odds.house_edge)}%{' without the meters' if odds.meters else ''}")
    if odds.meters is not None:
        rows.append(f"  house edge with every meter at its least seed {percent_text(odds.meters.seed_house_edge)}%")
        rows.append(f"  break-even {odds.meters.meter}, the others at seed: ${_break_even_text(odds) or 'none'}")
        rows.append(f"  seen from position {POSITION} of {len(LAYOUT)}, every personal combination off-suit")
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
