"""The poker paytables against the text of the regulation, where it stands beside the project.

Trips A to D stand in § 653a.12(c), of which no text is at hand but a table of figures (facts.md): against that.
"""

from __future__ import annotations

import re

import pytest

from firmware.core.paytables import Paytable
from firmware.settings.paytables import load_catalogue
from tests.core.test_paytable_figures import _regulation, _section, _tables

FILE = "54-pa-b-1537.txt"


def _printed(body: str, first: str) -> dict[str, dict[str, str]]:
    """By paytable and row, what the tables of a section print; `first`: how the heading of the rows begins."""
    found: dict[str, dict[str, str]] = {}
    names: list[str] = []
    for line in body.splitlines():
        cells = [cell.strip() for cell in line.strip("| ").split("|")]
        if not line.startswith("|") or len(cells) < 2:
            continue
        if cells[0].startswith(first):
            names = [re.sub(r"^Paytable ", "", cell) for cell in cells[1:]]
        else:
            for name, cell in zip(names, cells[1:], strict=True):
                found.setdefault(name, {})[cells[0]] = cell.replace(",", "")
    return found


def _ours(tables: tuple[Paytable, ...]) -> dict[str, dict[str, str]]:
    return {table.name: {line.printed: str(line.pay) for line in table.lines} for table in tables}


@pytest.mark.parametrize(
    ("wager", "section", "heading", "letter"),
    [
        ("trips", "653b.2", "Hand", "b"),
        ("bad_beat", "653b.3", "Hand", "b"),
        ("play_the_board", "653b.4", "Hand", "f"),
        ("ultimate_pairs", "653b.5", "Player's Individual Two Cards", "f"),
        ("ultimate_pairs", "674b.1", "Player's Initial Two Cards", "f"),
    ],
)
def test_paytables_against_the_text(wager: str, section: str, heading: str, letter: str) -> None:
    body = _section(_regulation(FILE), section)
    tables = _tables(wager, section)
    printed = _printed(body, heading)
    assert list(printed) == [table.name for table in tables]
    assert printed == _ours(tables)
    assert [list(rows) for rows in printed.values()] == [[line.printed for line in table.lines] for table in tables]
    start = body.index(f"\n({letter}) ")
    assert body.index("\n|") > start, "the table stands in another subsection"
    assert {table.section for table in tables} == {f"{section}({letter})"}
    assert len(re.findall(r"[0-9] to 1", body)) == sum(
        str(line.pay).endswith(" to 1") for table in tables for line in table.lines
    )


def test_trips_of_the_permanent_chapter_against_the_figures_at_hand() -> None:
    text = _regulation("facts.md")
    body = text[text.index("### 3.5 Ultimate Texas Hold 'Em") : text.index("**Hand ranks, § 653a.6")]
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in body.splitlines() if line[:1] == "|"]
    heading, *rows = [row for row in rows if not row[0].startswith("---")]
    for table in (*_tables("trips", "653a.12"), *_tables("trips", "653b.2")):
        (column,) = [place for place, name in enumerate(heading) if name.startswith(f"Trips {table.name}")]
        printed = [(row[0], f"{row[column]} to 1") for row in rows]
        assert printed == [(line.printed.lower().replace("-", " "), str(line.pay)) for line in table.lines]


def test_dates_and_additions() -> None:
    found = {
        (text.section, text.effective, text.expires, text.repeats, text.adds_to)
        for text in load_catalogue().texts
        if text.game in ("ultimate_texas_holdem", "criss_cross_poker")
    }
    assert found == {
        ("653a.12", "2024-03-23", None, None, None),
        ("653b.2", "2024-03-23", "2026-03-23", None, "653a.12"),
        ("653b.3", "2024-03-23", "2026-03-23", None, "653a.12"),
        ("653b.4", "2024-03-23", "2026-03-23", None, None),
        ("653b.5", "2024-03-23", "2026-03-23", None, None),
        ("674b.1", "2024-03-23", "2026-03-23", None, None),
    }


def test_dates_against_the_text() -> None:
    text = _regulation(FILE)
    assert "[Saturday, March 23, 2024]" in text
    assert "effective upon publication in the Pennsylvania Bulletin and will expire 2 years from the date of" in text
