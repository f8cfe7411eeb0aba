"""Blackjack's paytables against the text of the regulation, both ways: every row, column, seed and rate that the text
prints is a figure of the file, and the file has no other. A named skip where the text is not beside the project."""

from __future__ import annotations

import re

import pytest

from firmware.core.pays import FromReserve, TimesOrDollars, TimesWager
from firmware.core.paytables import Paytable, Seed
from firmware.settings.paytables import load_catalogue
from tests.core.test_paytable_figures import _regulation, _section, _tables

RANKS = {"aces": "A", "kings": "K", "queens": "Q"}

Grid = list[list[str]]


def _body(section: str) -> str:
    return _section(_regulation("54-pa-b-1537.txt"), section)


def _grids(body: str) -> list[Grid]:
    """The tables of a section, each with its heading as the first row."""
    grids: list[Grid] = []
    for row in re.findall(r"^\| (.*?) \|$", body, re.MULTILINE):
        cells = row.split(" | ")
        if cells[0] in ("Hand", "Paytable"):
            grids.append([])
        grids[-1].append(cells)
    return grids


def _printed(grids: list[Grid]) -> dict[str, list[tuple[str, str]]]:
    """Row and pay of every column, by the paytable's name."""
    return {
        heading.removeprefix("Paytable "): [(row[0], row[column].replace(",", "")) for row in rows]
        for first, *rows in grids
        for column, heading in enumerate(first)
        if column
    }


def _ours(tables: tuple[Paytable, ...], meter: dict[str, str]) -> dict[str, list[tuple[str, str]]]:
    return {
        table.name: [(line.printed, meter.get(str(line.pay), str(line.pay))) for line in table.lines]
        for table in tables
    }


def _rate(ppm: int | None) -> str:
    assert ppm is not None
    return f"{ppm // 10_000}%" if ppm else "0"


def _seed_text(seed: Seed) -> str:
    match seed.amount:
        case TimesWager(times):
            return f"{times:,}×"
        case TimesOrDollars(number):
            return f"${number}"
        case _:
            return "N/A" if seed.amount is FromReserve.BALANCE else str(seed.amount)


def test_21_plus_3_against_the_text() -> None:
    *paytables, chart = _grids(_body("633b.17"))
    tables = _tables("21_plus_3_progressive", "633b.17")
    assert _ours(tables, {"100% of 21_plus_3": "100% of progressive meter"}) == _printed(paytables)
    for table in tables:
        for line in table.lines:
            named = {letter for word, letter in RANKS.items() if word in line.printed}
            assert line.ranks == named, (table.name, line.name)
    decks = {(3, 3): "3", (4, None): "4 or more"}
    assert chart[1:] == [
        [
            f"Paytable {table.name}",
            decks[seed.least_decks or 0, seed.most_decks],
            _seed_text(seed),
            _rate(seed.increment_ppm),
            _rate(seed.reserve_ppm),
        ]
        for table in tables
        for seed in table.seeds
    ]


def test_which_decks_21_plus_3_takes_against_the_text() -> None:
    assert "between three and eight decks of cards" in _body("633b.17")
    for table in _tables("21_plus_3_progressive", "633b.17"):
        assert table.least_decks == table.seeds[0].least_decks
        assert table.most_decks == 8


def test_royal_match_against_the_text() -> None:
    body = _body("633b.18")
    (grid,) = _grids(body)
    (table,) = _tables("royal_match_progressive", "633b.18")
    (seed,) = table.seeds
    (bonus,) = table.envy
    lines = _ours((table,), {"100% of royal_match": "100% of meter"})["A"]
    seed_row = [("Seed amount", f"{_seed_text(seed).replace(',', '')} the minimum wager")]
    assert _printed([grid]) == {"A": [*lines, *seed_row, ("Increment rate", _rate(seed.increment_ppm))]}
    assert "When any player wins with a Crown Treasure, an Envy Bonus shall be paid to all other players" in body
    assert re.findall(r"at a payout of ([0-9]+ to [0-9]+)\.", body) == [str(bonus.pay)]
    assert bonus.line == "crown_treasure"


@pytest.mark.parametrize(("wager", "section"), [("kings_bounty", "633b.19"), ("blazing_7s", "633b.20")])
def test_wagers_without_a_meter_against_the_text(wager: str, section: str) -> None:
    assert _printed(_grids(_body(section))) == _ours(_tables(wager, section), {})


def test_blazing_7s_multi_progressive_against_the_text() -> None:
    lines, chart = _grids(_body("633b.21"))
    tables = _tables("blazing_7s_multi_progressive", "633b.21")
    printed = {
        name: [(label, pay.replace("100% of ", "100% ")) for label, pay in rows]
        for name, rows in _printed([lines]).items()
    }
    levels = {f"100% of blazing_7s.{level}": f"100% {level}" for level in ("mega", "major", "minor")}
    assert _ours(tables, levels) == printed
    for table in tables:
        assert chart[1:] == [
            [
                seed.meter.removeprefix("blazing_7s.").capitalize(),
                f"{_seed_text(seed)} the minimum wager",
                _rate(seed.increment_ppm),
            ]
            for seed in table.seeds
        ]
        assert {seed.reserve_ppm for seed in table.seeds} == {None}


def test_every_table_of_the_chapter_is_in_the_file() -> None:
    chapter = re.search(r"^CHAPTER 633b\. .*?(?=^CHAPTER )", _regulation("54-pa-b-1537.txt"), re.DOTALL | re.MULTILINE)
    assert chapter is not None
    printed = set(re.findall(r"^§ (633b\.[0-9]+)\. ", chapter[0], re.MULTILINE))
    assert printed == {text.section for text in load_catalogue().texts if text.game == "blackjack"}


def test_dates_against_the_text() -> None:
    text = _regulation("54-pa-b-1537.txt")
    assert "(2) The temporary regulations are effective March 23, 2024." in text
    assert "These temporary regulations expire 2 years after publication" in text


def test_dates() -> None:
    found = {(text.effective, text.expires, text.source) for text in load_catalogue().texts if text.game == "blackjack"}
    assert found == {("2024-03-23", "2026-03-23", "54 Pa.B. 1537")}
