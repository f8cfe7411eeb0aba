"""The paytables of `config/paytables`, read strictly into the core's `Catalogue`.

Rules:
* One file a chapter and publication, shipped as package data and read from the package's folder: the same bytes in a
  clone and on a Pi (`importlib.resources` would find them too, but costs each start 10 ms).
* A file is taken whole or not at all. An unknown key, a line that its wager can't hit, a line left out, a figure that
  is not written as the regulation prints it: `PaytableFileError`, with the file, the place and what was expected.
* A new paytable for a wager that exists needs no Python; the lines that a wager can hit come from the wager itself, and
  a row that a table does not have is written as "n/a".
* `pays`: "25 to 1", "25 for 1", "$5,000", "100% of METER", "1000, 500 or 10 to 1" (one of them is drawn), "2 to 1 or
  more" (drawn, not less), "loss", "push", "n/a". A seed: `amount` (or `at_least`) of "$10,000", "2,000x" (times the
  denomination), "$2,000 or 2,000x" (reading G6), "n/a" (what the reserve holds, X16). Rates: "17%", "0.5%".
* `[[mystery]]` holds the configurations of a must-hit-by bonus: amounts in dollars, the rate, and where the section
  prints one, the least wager of the row.
* A wager's own `source`, `effective` and `expires` go before the chapter's.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

import msgspec

import config.paytables
from firmware.core.cards import Rank
from firmware.core.money import CENTS_PER_DOLLAR
from firmware.core.pays import (
    Dollars,
    DrawnToOne,
    ForOne,
    FromReserve,
    Pay,
    SeedAmount,
    TimesOrDollars,
    TimesWager,
    ToOne,
    Unpaid,
    WholeMeter,
)
from firmware.core.paytables import (
    Catalogue,
    EnvyLine,
    Line,
    MysteryRow,
    MysteryText,
    Paytable,
    Seed,
    WagerText,
)
from firmware.core.roulette_wheel import Wheel
from firmware.core.wagers.games import GAMES


class PaytableFileError(Exception):
    """A paytable file is not usable: file, place, what was found and what was expected."""


class _LineRow(msgspec.Struct, forbid_unknown_fields=True):
    line: str
    pays: str
    section: str
    printed: str
    ranks: list[Rank] = []


class _SeedRow(msgspec.Struct, forbid_unknown_fields=True):
    meter: str
    section: str
    amount: str | None = None
    at_least: str | None = None
    increment: str | None = None
    reserve: str | None = None
    least_decks: int | None = None
    most_decks: int | None = None


class _EnvyRow(msgspec.Struct, forbid_unknown_fields=True):
    line: str
    pays: str
    section: str


class _PaytableRow(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    section: str
    lines: list[_LineRow]
    seeds: list[_SeedRow] = []
    envy: list[_EnvyRow] = []
    denomination_cents: int | None = None
    least_cents: int = 1
    least_decks: int = 1
    most_decks: int | None = None
    wheels: list[Wheel] = []
    sister_lines_unpaid: list[str] = []


class _WagerRow(msgspec.Struct, forbid_unknown_fields=True):
    names: list[str]
    section: str
    paytable: list[_PaytableRow]
    repeats: str | None = None
    adds_to: str | None = None
    source: str | None = None
    effective: str | None = None
    expires: str | None = None


class _ConfigurationRow(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    minimum: str
    maximum: str
    increment: str
    wager_minimum: str | None = None


class _MysteryRow(msgspec.Struct, forbid_unknown_fields=True):
    wager: str
    section: str
    configurations: list[_ConfigurationRow]
    source: str | None = None
    effective: str | None = None
    expires: str | None = None


class _ChapterFile(msgspec.Struct, forbid_unknown_fields=True):
    chapter: str
    game: str
    source: str
    effective: str
    wager: list[_WagerRow]
    mystery: list[_MysteryRow] = []
    expires: str | None = None


_ODDS = re.compile(r"([1-9][0-9]*) (to|for) ([1-9][0-9]*)", re.ASCII)
_ONE_OF = re.compile(r"([1-9][0-9]*(?:, [1-9][0-9]*)*) or ([1-9][0-9]*) to 1", re.ASCII)
_OR_MORE = re.compile(r"([1-9][0-9]*) to 1 or more", re.ASCII)
_NUMBER = r"[1-9][0-9]{0,2}(?:,[0-9]{3})*"
_DOLLARS = re.compile(rf"\$({_NUMBER})", re.ASCII)
_TIMES = re.compile(rf"({_NUMBER})x", re.ASCII)
_TIMES_OR_DOLLARS = re.compile(rf"\$({_NUMBER}) or \1x", re.ASCII)
_METER = re.compile(r"100% of ([a-z0-9_]+(?:\.[a-z0-9_]+)?)", re.ASCII)
_PERCENT = re.compile(r"(0|[1-9][0-9]?)(?:\.([0-9]{1,4}))?%", re.ASCII)


def load_catalogue(game: str | None = None) -> Catalogue:
    """Every chapter that ships with the program, or those of one game. Raises `PaytableFileError`."""
    return catalogue_of(chapter_texts(), game)


@cache
def chapter_texts() -> Mapping[str, str]:
    """The paytable files that ship with the program, by name; read once, since they do not change while it runs."""
    files = sorted(Path(config.paytables.__path__[0]).glob("*.toml"))
    return MappingProxyType({file.name: file.read_text(encoding="utf-8") for file in files})


def catalogue_of(chapters: Mapping[str, str], game: str | None = None) -> Catalogue:
    """The catalogue of chapter files, or of those of one game. Raises `PaytableFileError`."""
    read = [
        _read(name, content)
        for name, content in chapters.items()
        if game is None or f'\ngame = "{game}"\n' in content  # the others need not be read at all
    ]
    return Catalogue(
        (text for texts, _ in read for text in texts), (bonus for _, mysteries in read for bonus in mysteries)
    )


def read_chapter(file: str, content: str) -> list[WagerText]:
    """The wager texts of one chapter file; `file` is its name for messages. Raises `PaytableFileError`."""
    return _read(file, content)[0]


def _read(file: str, content: str) -> tuple[list[WagerText], list[MysteryText]]:
    try:
        chapter = msgspec.toml.decode(content, type=_ChapterFile)
    except msgspec.DecodeError as error:  # malformed TOML, an unknown or missing key, a value of the wrong type
        raise PaytableFileError(f"{file}: {error}") from error
    for where, effective, expires in (
        (file, chapter.effective, chapter.expires),
        *((f"{file}: {row.section}", row.effective, row.expires) for row in chapter.wager),
        *((f"{file}: {row.section}", row.effective, row.expires) for row in chapter.mystery),
    ):
        for key, date in (("effective", effective), ("expires", expires)):
            if date is not None and not is_date(date):
                raise PaytableFileError(f"{where}: {key}: got {date!r}, expected a date such as '2021-09-04'")
    texts = [_wager_text(file, chapter, row, name) for row in chapter.wager for name in row.names]
    return texts, [_mystery_text(file, chapter, row) for row in chapter.mystery]


def _mystery_text(file: str, chapter: _ChapterFile, row: _MysteryRow) -> MysteryText:
    where = f"{file}: {row.section}"
    if row.wager not in {name for wager in chapter.wager for name in wager.names}:
        raise PaytableFileError(f"{where}: wager: the chapter has no {row.wager!r}")
    if not row.configurations or len({one.name for one in row.configurations}) != len(row.configurations):
        raise PaytableFileError(f"{where}: configurations: expected at least one, each with a name of its own")
    return MysteryText(
        game=chapter.game,
        wager=row.wager,
        section=row.section,
        source=row.source or chapter.source,
        effective=row.effective or chapter.effective,
        expires=row.expires or chapter.expires,
        rows=tuple(_configuration(f"{where}, configuration {one.name!r}", one) for one in row.configurations),
    )


def _configuration(where: str, row: _ConfigurationRow) -> MysteryRow:
    found = MysteryRow(
        name=row.name,
        minimum_cents=_dollars(f"{where}, minimum", row.minimum),
        maximum_cents=_dollars(f"{where}, maximum", row.maximum),
        increment_ppm=_ppm(f"{where}, increment", row.increment),
        wager_minimum_cents=(
            None if row.wager_minimum is None else _dollars(f"{where}, wager_minimum", row.wager_minimum)
        ),
    )
    if not found.minimum_cents < found.maximum_cents or not found.increment_ppm:
        raise PaytableFileError(f"{where}: expected a minimum under the maximum, and an increment above 0%")
    return found


def _dollars(where: str, text: str) -> int:
    found = _DOLLARS.fullmatch(text)
    if found is None:
        raise PaytableFileError(f"{where}: got {text!r}, expected dollars such as '$1,000'")
    return _number(found[1]) * CENTS_PER_DOLLAR


def is_date(text: str) -> bool:
    """Whether the text is a day of the calendar, written YYYY-MM-DD."""
    if re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text, re.ASCII) is None:
        return False
    try:
        datetime.date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _wager_text(file: str, chapter: _ChapterFile, row: _WagerRow, name: str) -> WagerText:
    game = GAMES.get(chapter.game)
    if game is None:
        raise PaytableFileError(f"{file}: game: got {chapter.game!r}, expected one of {', '.join(GAMES)}")
    if name not in game.by_name:
        raise PaytableFileError(f"{file}: {row.section}: {chapter.game} has no wager {name!r}")
    _, wager = game.by_name[name]
    return WagerText(
        game=chapter.game,
        wager=name,
        section=row.section,
        source=row.source or chapter.source,
        effective=row.effective or chapter.effective,
        expires=row.expires or chapter.expires,
        repeats=row.repeats,
        adds_to=row.adds_to,
        paytables=tuple(_paytable(f"{file}: {name}", table, wager.lines) for table in row.paytable),
    )


def _paytable(where: str, row: _PaytableRow, hits: tuple[str, ...]) -> Paytable:
    here = f"{where}, paytable {row.name!r}"
    if tuple(line.line for line in row.lines) != hits:
        raise PaytableFileError(
            f"{here}: lines: got {', '.join(line.line for line in row.lines)}, expected exactly, in this order, "
            f"{', '.join(hits)}"
        )
    try:
        return Paytable(
            name=row.name,
            section=row.section,
            lines=tuple(
                Line(
                    line.line,
                    _pay(f"{here}, {line.line}", line.pays),
                    line.section,
                    line.printed,
                    frozenset(line.ranks),
                )
                for line in row.lines
            ),
            seeds=tuple(_seed(f"{here}, {seed.meter}", seed) for seed in row.seeds),
            denomination_cents=row.denomination_cents,
            least_cents=row.least_cents,
            least_decks=row.least_decks,
            most_decks=row.most_decks,
            wheels=tuple(row.wheels),
            sister_lines_unpaid=tuple(row.sister_lines_unpaid),
            envy=tuple(
                EnvyLine(bonus.line, _envy_pay(f"{here}, envy of {bonus.line}", bonus.pays), bonus.section)
                for bonus in row.envy
            ),
        )
    except ValueError as error:
        raise PaytableFileError(f"{here}: {error}") from error


def _pay(where: str, text: str) -> Pay:
    if found := _ODDS.fullmatch(text):
        odds = ToOne if found[2] == "to" else ForOne
        return odds(int(found[1]), int(found[3]))
    if found := _METER.fullmatch(text):
        return WholeMeter(found[1])
    if found := _ONE_OF.fullmatch(text):
        return DrawnToOne((*map(int, found[1].split(", ")), int(found[2])))
    if found := _OR_MORE.fullmatch(text):
        return DrawnToOne((int(found[1]),), or_more=True)
    if text in tuple(Unpaid):
        return Unpaid(text)
    if found := _DOLLARS.fullmatch(text):
        return Dollars(_number(found[1]) * CENTS_PER_DOLLAR)
    raise PaytableFileError(
        f"{where}: got {text!r}, expected '25 to 1', '25 for 1', '$5,000', '100% of METER', '100, 50 or 25 to 1', "
        "'2 to 1 or more', 'loss', 'push' or 'n/a'"
    )


def _envy_pay(where: str, text: str) -> ToOne:
    pay = _pay(where, text)
    if not isinstance(pay, ToOne):
        raise PaytableFileError(f"{where}: got {text!r}, expected odds such as '500 to 1'")
    return pay


def _seed(where: str, row: _SeedRow) -> Seed:
    if (row.amount is None) == (row.at_least is None):
        raise PaytableFileError(f"{where}: a seed has either an amount or the least amount (at_least)")
    amount = _seed_amount(where, row.amount or row.at_least or "")
    if row.at_least is not None and not isinstance(amount, Dollars):
        raise PaytableFileError(f"{where}: at_least: got {row.at_least!r}, expected dollars")
    return Seed(
        row.meter,
        amount,
        row.section,
        at_least=row.at_least is not None,
        increment_ppm=None if row.increment is None else _ppm(f"{where}, increment", row.increment),
        reserve_ppm=None if row.reserve is None else _ppm(f"{where}, reserve", row.reserve),
        least_decks=row.least_decks,
        most_decks=row.most_decks,
    )


def _seed_amount(where: str, text: str) -> SeedAmount:
    if found := _DOLLARS.fullmatch(text):
        return Dollars(_number(found[1]) * CENTS_PER_DOLLAR)
    if found := _TIMES.fullmatch(text):
        return TimesWager(_number(found[1]))
    if found := _TIMES_OR_DOLLARS.fullmatch(text):
        return TimesOrDollars(_number(found[1]))
    if text == FromReserve.BALANCE:
        return FromReserve.BALANCE
    raise PaytableFileError(f"{where}: got {text!r}, expected '$5,000', '2,000x', '$2,000 or 2,000x' or 'n/a'")


def _ppm(where: str, text: str) -> int:
    found = _PERCENT.fullmatch(text)
    if found is None:
        raise PaytableFileError(f"{where}: got {text!r}, expected a part of the wager such as '17%' or '0.5%'")
    return int(found[1]) * 10_000 + int((found[2] or "").ljust(4, "0"))


def _number(text: str) -> int:
    return int(text.replace(",", ""))
