"""The figures of Roulette and Craps against the text of the regulation, both ways; a named skip where it is not beside
the project."""

from __future__ import annotations

import re

import pytest

from firmware.core.pays import DrawnToOne
from firmware.core.paytables import Paytable
from firmware.core.wagers.hot_roller import COMBINATIONS
from firmware.core.wagers.roulette_x import LEAST_ILLUMINATED, MOST_ILLUMINATED
from firmware.settings.paytables import load_catalogue
from tests.core.test_paytable_figures import _columns, _ours, _regulation, _section, _tables

FIRST, SECOND = "51-pa-b-5607.txt", "54-pa-b-1537.txt"
ODDS = r"[0-9,]+ (?:to|for) [0-9]+"


def _as_printed(table: Paytable) -> list[tuple[str, str]]:
    return [(line.printed, str(line.pay)) for line in table.lines]


def test_dates_and_sources() -> None:
    found = {
        (text.section, text.source, text.effective, text.expires, text.adds_to)
        for text in load_catalogue().texts
        if text.game in ("roulette", "craps")
    }
    first, second = ("51 Pa.B. 5607", "2021-09-04", "2024-09-04"), ("54 Pa.B. 1537", "2024-03-23", "2026-03-23")
    assert found == {
        ("617b.1", *first, None),
        ("617b.2", *first, None),
        ("617b.4", *second, None),
        ("617b.5", *second, None),
        ("623b.1", *first, None),
        ("623b.2", *first, None),
        ("623b.3", *first, "623a.5"),
    }


def test_dates_against_the_text() -> None:
    assert "The temporary regulations are effective September 4, 2021." in _regulation(FIRST)
    second = _regulation(SECOND)
    assert "The temporary regulations are effective March 23, 2024." in second
    assert "These temporary regulations expire 2 years after publication" in second


def test_b2b_against_the_text() -> None:
    body = _section(_regulation(FIRST), "617b.1")
    ((line,),) = [table.lines for table in _tables("b2b_roulette", "617b.1")]
    assert isinstance(line.pay, DrawnToOne)
    assert re.findall(r"([0-9]+) to 1", body) == [str(odds) for odds in line.pay.listed]


def test_blazing_7s_against_the_text() -> None:
    body = _section(_regulation(FIRST), "617b.2")
    printed: dict[str, list[tuple[str, str]]] = {}
    for names, rows in re.findall(rf"^Outcome((?: Paytable [0-9])+)\n((?:.+ {ODDS}\n)+)", body, re.MULTILINE):
        for column, name in enumerate(re.findall("[0-9]", names)):
            printed[name] = [
                (re.split(rf" {ODDS}", row)[0], re.findall(ODDS, row)[column].replace(",", ""))
                for row in rows.splitlines()
            ]
    ours = {
        table.name: [row for row in _as_printed(table) if row[1] != "n/a"]
        for table in _tables("blazing_7s_roulette", "617b.2")
    }
    assert printed == ours


def _rows(body: str) -> list[list[str]]:
    """The rows of tables that the text sets with bars, without empty cells."""
    rows = [row.strip().strip("|").split("|") for row in body.splitlines() if row.startswith("|")]
    return [[cell.strip() for cell in row if cell.strip()] for row in rows]


def test_roulette_up_against_the_text() -> None:
    body = _section(_regulation(SECOND), "617b.4").split("(2) Progressive paytables:")[0]
    heading, *rows = [row for row in _rows(body) if len(row) > 1]
    tables = _tables("roulette_up", "617b.4")
    assert heading == ["Streak Length", *(f"Paytable {table.name}" for table in tables)]
    assert {row[0]: [cell.lower() for cell in row[1:]] for row in rows} == _ours(tables)


def test_roulette_up_progressive_against_the_text() -> None:
    body = _section(_regulation(SECOND), "617b.4").split("(2) Progressive paytables:")[1]
    parts = re.split(r"^Progressive Paytable ([0-9])\n", body, flags=re.MULTILINE)[1:]
    printed = dict(zip(parts[::2], parts[1::2], strict=True))
    tables = _tables("roulette_up_progressive", "617b.4")
    assert list(printed) == [table.name for table in tables]
    for table in tables:
        rows = [row for row in _rows(printed[table.name]) if row and re.fullmatch("[1-9]", row[0])]
        meter = "100% of progressive meter"
        assert [(row[0], row[1].lower().replace(",", "")) for row in rows] == [
            (length, pays.replace("100% of roulette_up", meter)) for length, pays in _as_printed(table)
        ]
        (seed,) = table.seeds
        _, _, amount, increment, reserve = rows[0]
        assert amount == f"{seed.amount}".replace("x", "\u00d7") + " the progressive wager"
        assert increment == f"{(seed.increment_ppm or 0) // 10_000}%"
        assert reserve.replace("n/a", "0%") == f"{(seed.reserve_ppm or 0) // 10_000}%"


def test_roulette_x_against_the_text() -> None:
    body = _section(_regulation(SECOND), "617b.5")
    assert f"select between {LEAST_ILLUMINATED} and {MOST_ILLUMINATED} numbers" in body
    heading, wheels, straight, *multipliers = _rows(body)
    tables = _tables("roulette_x_straight", "617b.5")
    assert heading == [f"Paytable {table.name}" for table in tables]
    for column, table in enumerate(tables):
        drawn = table.by_line["multiplier"].pay
        assert isinstance(drawn, DrawnToOne)
        assert [row[-2:][column] for row in multipliers] == [f"{odds} to 1" for odds in drawn.listed]
        assert straight[1:][column] == str(table.by_line["straight"].pay)
        allowed = wheels[1:][column].lower()
        assert [wheel.value for wheel in table.wheels] == [
            name for name in ("single_zero", "double_zero") if name.split("_")[0] in allowed
        ]


@pytest.mark.parametrize(
    ("section", "wagers", "columns"),
    [
        ("623b.1", ["hot_roller"], "AB"),
        ("623b.2", ["lucky_shooter"], "ABCD"),
        ("623b.3", ["all_small", "all_tall", "make_em_all"], "12"),
    ],
)
def test_craps_against_the_text(section: str, wagers: list[str], columns: str) -> None:
    body = _section(_regulation(FIRST), section)
    ours: dict[str, list[str]] = {}
    for wager in wagers:
        tables = _tables(wager, section)
        assert [table.name for table in tables] == list(columns)
        ours |= _ours(tables)
    assert _columns(body) == ours
    names = [
        found for row in re.findall(r"^(?:Outcome|Hand|Wager) (Paytable .+)$", body, re.M) for found in row.split()
    ]
    assert names[1::2] == list(columns)


def test_the_layout_of_hot_roller_against_the_text() -> None:
    """623b.1(a)(2)(iii): the dice below each number; the example in (g) gives the nine a 2 and 6 (K1)."""
    body = _section(_regulation(FIRST), "623b.1")
    printed = {
        int(number): frozenset((int(low), int(high)) for low, high in re.findall("a ([1-6]) and ([1-6]) dice", dice))
        for number, dice in re.findall(r"\([A-F]\) A number ([0-9]+) showing (.+)", body)
    }
    assert printed == COMBINATIONS
