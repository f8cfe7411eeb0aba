"""The paytables of `config/paytables`, read strictly into the core's `Catalogue`.

Rules:
* One file a chapter, shipped as package data and read through `importlib.resources`: the same bytes in a clone and on
  a Pi.
* A file is taken whole or not at all. An unknown key, a line that its wager can't hit, a line left out, a figure that
  is not written as the regulation prints it: `PaytableFileError`, with the file, the place and what was expected.
* A new paytable for a wager that exists needs no Python; the lines that a wager can hit come from the wager itself.
"""

from __future__ import annotations

import datetime
import re
from importlib import resources

import msgspec

from firmware.core.money import CENTS_PER_DOLLAR, cents_to_micro
from firmware.core.paytables import Catalogue, Dollars, ForOne, Line, Pay, Paytable, Seed, ToOne, WagerText, WholeMeter
from firmware.core.wagers.games import GAMES


class PaytableFileError(Exception):
    """A paytable file is not usable: file, place, what was found and what was expected."""


class _LineRow(msgspec.Struct, forbid_unknown_fields=True):
    line: str
    pays: str
    section: str
    printed: str


class _SeedRow(msgspec.Struct, forbid_unknown_fields=True):
    meter: str
    at_least: str
    section: str


class _PaytableRow(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    section: str
    lines: list[_LineRow]
    seeds: list[_SeedRow] = []
    denomination_cents: int | None = None
    least_decks: int = 1


class _WagerRow(msgspec.Struct, forbid_unknown_fields=True):
    names: list[str]
    section: str
    paytable: list[_PaytableRow]
    repeats: str | None = None


class _ChapterFile(msgspec.Struct, forbid_unknown_fields=True):
    chapter: str
    game: str
    source: str
    effective: str
    wager: list[_WagerRow]
    expires: str | None = None


_ODDS = re.compile(r"([1-9][0-9]*) (to|for) ([1-9][0-9]*)", re.ASCII)
_DOLLARS = re.compile(r"\$([1-9][0-9]{0,2}(?:,[0-9]{3})*)", re.ASCII)
_METER = re.compile(r"100% of ([a-z0-9_]+(?:\.[a-z0-9_]+)?)", re.ASCII)


def load_catalogue() -> Catalogue:
    """Every chapter that ships with the program. Raises `PaytableFileError`."""
    texts: list[WagerText] = []
    for entry in sorted(resources.files("config.paytables").iterdir(), key=lambda entry: entry.name):
        if entry.name.endswith(".toml"):
            texts.extend(read_chapter(entry.name, entry.read_text(encoding="utf-8")))
    return Catalogue(texts)


def read_chapter(file: str, content: str) -> list[WagerText]:
    """The wager texts of one chapter file; `file` is its name for messages. Raises `PaytableFileError`."""
    try:
        chapter = msgspec.toml.decode(content, type=_ChapterFile)
    except msgspec.DecodeError as error:  # malformed TOML, an unknown or missing key, a value of the wrong type
        raise PaytableFileError(f"{file}: {error}") from error
    for key, date in (("effective", chapter.effective), ("expires", chapter.expires)):
        if date is not None and not is_date(date):
            raise PaytableFileError(f"{file}: {key}: got {date!r}, expected a date such as '2021-09-04'")
    return [_wager_text(file, chapter, row, name) for row in chapter.wager for name in row.names]


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
        source=chapter.source,
        effective=chapter.effective,
        expires=chapter.expires,
        repeats=row.repeats,
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
                Line(line.line, _pay(f"{here}, {line.line}", line.pays), line.section, line.printed)
                for line in row.lines
            ),
            seeds=tuple(
                Seed(seed.meter, cents_to_micro(_dollars(f"{here}, {seed.meter}", seed.at_least).cents), seed.section)
                for seed in row.seeds
            ),
            denomination_cents=row.denomination_cents,
            least_decks=row.least_decks,
        )
    except ValueError as error:
        raise PaytableFileError(f"{here}: {error}") from error


def _pay(where: str, text: str) -> Pay:
    if found := _ODDS.fullmatch(text):
        odds = ToOne if found[2] == "to" else ForOne
        return odds(int(found[1]), int(found[3]))
    if found := _METER.fullmatch(text):
        return WholeMeter(found[1])
    return _dollars(where, text)


def _dollars(where: str, text: str) -> Dollars:
    found = _DOLLARS.fullmatch(text)
    if found is None:
        raise PaytableFileError(
            f"{where}: got {text!r}, expected '25 to 1', '25 for 1', '$5,000' or '100% of METER' (a seed: dollars)"
        )
    return Dollars(int(found[1].replace(",", "")) * CENTS_PER_DOLLAR)
