"""No mistyped digit survives: the paytable files against a second transcription, and against the text of the
regulation.

`figures/paytables.csv` was transcribed from the text by itself, in another form than the files. The text is not part
of the project: that test runs where the folder `shared/regulations` stands beside the project, and is a named skip
elsewhere.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import assert_never

import pytest

from firmware.core.pays import Dollars, DrawnToOne, ForOne, FromReserve, Pay, TimesWager, ToOne, Unpaid, WholeMeter
from firmware.core.paytables import Catalogue, Paytable, Seed
from firmware.core.readings import RECOMMENDED
from firmware.core.settlement import seed_micro
from firmware.settings.paytables import load_catalogue

HERE = Path(__file__).parent
REGULATIONS = HERE.parents[1].parent / "shared" / "regulations"

Row = tuple[str, str, str, str, str, str, str]
"""Section, wager, paytable, line, amount, unit, per. A figure that is none of a line has its kind as the line: "seed
METER", "increment METER", "reserve METER", "denomination", "least wager", "decks", "wheel", "ranks LINE", "envy LINE",
"unpaid LINE" (a line of another wager of the table).
"""


def _figures(catalogue: Catalogue) -> list[Row]:
    rows: list[Row] = []
    for text in catalogue.texts:
        for table in text.paytables:
            here = (text.wager, table.name)
            first = table.lines[0].section
            for line in table.lines:
                rows.append((line.section, *here, line.name, *_amount(line.pay)))
                if line.ranks:
                    rows.append((line.section, *here, f"ranks {line.name}", "".join(sorted(line.ranks)), "ranks", ""))
            for seed in table.seeds:
                rows.extend((seed.section, *here, *figure) for figure in _seed_figures(seed))
            for bonus in table.envy:
                rows.append((bonus.section, *here, f"envy {bonus.line}", *_amount(bonus.pay)))
            if table.denomination_cents is not None:
                rows.append((first, *here, "denomination", _dollars(table.denomination_cents), "dollars", ""))
            if table.least_cents != 1:
                rows.append((first, *here, "least wager", _dollars(table.least_cents), "dollars", ""))
            if (table.least_decks, table.most_decks) != (1, None):
                rows.append((first, *here, "decks", str(table.least_decks), "to", str(table.most_decks or "")))
            rows.extend((first, *here, f"unpaid {line}", "n/a", "", "") for line in table.sister_lines_unpaid)
            rows.extend((first, *here, "wheel", wheel.value, "", "") for wheel in table.wheels)
    return rows


def _dollars(cents: int) -> str:
    assert cents % 100 == 0
    return str(cents // 100)


def _amount(pay: Pay) -> tuple[str, str, str]:
    match pay:
        case ToOne(numerator, denominator):
            return str(numerator), "to", str(denominator)
        case ForOne(numerator, denominator):
            return str(numerator), "for", str(denominator)
        case Dollars(cents):
            return _dollars(cents), "dollars", ""
        case WholeMeter(meter):
            return "100", "percent", meter
        case DrawnToOne(listed, or_more):
            return " ".join(map(str, listed)), "or more" if or_more else "drawn", "1"
        case Unpaid():
            return pay.value, "", ""
        case _:
            assert_never(pay)


def _seed_figures(seed: Seed) -> Iterator[tuple[str, str, str, str]]:
    """The decks for which the row holds stand with every figure of it, in `per`."""
    decks = "" if (seed.least_decks, seed.most_decks) == (None, None) else f"{seed.least_decks}-{seed.most_decks or ''}"
    match seed.amount:
        case Dollars(cents):
            yield f"seed {seed.meter}", _dollars(cents), "dollars or more" if seed.at_least else "dollars", decks
        case TimesWager(times):
            yield f"seed {seed.meter}", str(times), "times", decks
        case FromReserve():
            yield f"seed {seed.meter}", "n/a", "", decks
        case _:
            yield f"seed {seed.meter}", str(seed.amount.number), "dollars or times", decks
    for kind, ppm in (("increment", seed.increment_ppm), ("reserve", seed.reserve_ppm)):
        if ppm is not None:
            yield f"{kind} {seed.meter}", f"{ppm / 10_000:g}", "percent", decks


def test_files_and_second_transcription_agree_both_ways() -> None:
    second: list[Row] = []
    for path in sorted((HERE / "figures").glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            header, *rows = [tuple(row) for row in csv.reader(file)]
        assert header == ("section", "wager", "paytable", "line", "amount", "unit", "per")
        second.extend(rows)  # type: ignore[arg-type]  # as many values as the header, or they differ below
    first = _figures(load_catalogue())
    assert sorted(first) == sorted(second)


def test_dates_of_the_baccarat_games() -> None:
    found = {
        (text.section, text.effective, text.expires, text.repeats)
        for text in load_catalogue().texts
        if text.game in ("minibaccarat", "midibaccarat", "baccarat")
    }
    assert found == {
        ("627b.1", "2021-09-04", "2024-09-04", None),
        ("627b.2", "2021-09-04", "2024-09-04", None),
        ("627b.3", "2021-09-04", "2024-09-04", None),
        ("627c.1", "2024-11-02", None, "627b.1"),
        ("629b.1", "2021-09-04", "2024-09-04", None),
        ("629b.2", "2021-09-04", "2024-09-04", None),
        ("629b.3", "2021-09-04", "2022-03-12", None),
        ("629b.3", "2022-03-12", "2025-03-12", None),
        ("631b.1", "2021-09-04", "2024-09-04", None),
        ("631b.2", "2021-09-04", "2024-09-04", None),
        ("631b.3", "2021-09-04", "2024-09-04", None),
        ("631b.4", "2021-09-04", "2024-09-04", None),
        ("631b.5", "2021-09-04", "2024-09-04", None),
    }


def test_what_repeats_an_earlier_text_has_its_figures() -> None:
    catalogue = load_catalogue()
    by_section = {(text.section, text.wager): text for text in catalogue.texts}
    for text in catalogue.texts:
        if text.repeats is not None:
            earlier = by_section[text.repeats, text.wager]
            assert _pays(text.paytables) == _pays(earlier.paytables)


def _pays(tables: tuple[Paytable, ...]) -> list[tuple[str, list[tuple[str, str]]]]:
    return [(table.name, [(line.name, str(line.pay)) for line in table.lines]) for table in tables]


# --- against the text itself ------------------------------------------------------------------------------------------


def _regulation(name: str) -> str:
    path = REGULATIONS / name
    if not path.is_file():
        pytest.skip(f"the text of the regulation ({name}) is not beside the project")
    text = path.read_text(encoding="utf-8", errors="replace").replace("\u2019", "'")
    return re.sub("[\u00a0\u2000-\u200a]", " ", text)  # the printed text sets its section signs off with other spaces


def _section(text: str, number: str) -> str:
    """The body of a section: from its heading to the next one or the next chapter."""
    found = re.search(rf"^§ {re.escape(number)}\. .*?(?=^§ |^CHAPTER |\Z)", text, re.DOTALL | re.MULTILINE)
    assert found is not None, f"no section {number}"
    return found[0]


def _tables(wager: str, section: str) -> tuple[Paytable, ...]:
    texts = [text for text in load_catalogue().texts if text.wager == wager and text.section == section]
    assert len(texts) == 1
    return texts[0].paytables


_ODDS = r"[0-9]+ (?:to|for) [0-9]+"


@pytest.mark.parametrize("wager", ["perfect_pairs_player", "perfect_pairs_banker"])
@pytest.mark.parametrize(("section", "file"), [("627b.1", "51-pa-b-5607.txt"), ("627c.1", "627c.1.txt")])
def test_perfect_pairs_against_the_text(wager: str, section: str, file: str) -> None:
    text = _regulation(file)
    body = _section(text, section) if section == "627b.1" else text
    printed = {
        label: re.findall(_ODDS, figures)
        for label, figures in re.findall(rf"^([A-Z][A-Za-z ]+?) ((?:{_ODDS} ?)+)$", body, re.MULTILINE)
    }
    tables = _tables(wager, section)
    heading = re.search(r"^Hand((?: Paytable [A-Z])+)$", body, re.MULTILINE)
    assert heading is not None
    assert re.findall(r"Paytable ([A-Z])", heading[1]) == [table.name for table in tables]
    ours = {line.printed: [str(table.by_line[line.name].pay) for table in tables] for line in tables[0].lines}
    assert printed == ours
    assert len(re.findall(_ODDS, body)) == sum(len(table.lines) for table in tables)


def test_commission_free_against_the_text() -> None:
    body = _section(_regulation("51-pa-b-5607.txt"), "627b.2")
    printed: dict[str, list[str]] = {}
    letter = ""
    for paragraph in body.splitlines():
        if start := re.match(r"\s*\(([a-z])\) ", paragraph):
            letter = start[1]
        for odds in re.findall(_ODDS, paragraph):
            printed.setdefault(f"627b.2({letter})", []).append(odds)
    ours: dict[str, list[str]] = {}
    for wager in ("player", "banker", "tie", "player_pair", "lucky_six"):
        (table,) = _tables(wager, "627b.2")
        ours[table.section] = [str(line.pay) for line in table.lines]
    assert printed == ours
    assert _pays(_tables("banker_pair", "627b.2")) == _pays(_tables("player_pair", "627b.2"))


@pytest.mark.parametrize(("letter", "name", "next_letter"), [("f", "5", "g"), ("g", "1", None)])
def test_royal_9_against_the_text(letter: str, name: str, next_letter: str | None) -> None:
    body = _section(_regulation("51-pa-b-5607.txt"), "627b.3")
    start = body.index(f"\n ({letter}) ")
    part = body[start : body.index(f"\n ({next_letter}) ") if next_letter else len(body)]
    (table,) = [table for table in _tables("royal_9_progressive", "627b.3") if table.name == name]
    assert table.section == f"627b.3({letter})"
    rows = part[part.index("Hand Paytable\n") + len("Hand Paytable\n") : part.index("\n (2) ")].strip().splitlines()
    printed = []
    for row in rows:
        found = re.fullmatch(r"(.+?) (?:100% (?:of )?(Mega|Major|Minor) Jackpot|(\$[0-9,]+))", row.strip())
        assert found is not None, row
        pays = found[3] or f"100% of royal_9.{found[2].lower()}"
        printed.append((found[1], pays))
    assert printed == [(line.printed, str(line.pay)) for line in table.lines]
    floors = re.findall(r"\$([0-9,]+) for the (Mega|Major|Minor) Jackpot", part)
    assert [(f"royal_9.{meter.lower()}", int(dollars.replace(",", "")) * 1_000_000) for dollars, meter in floors] == [
        (seed.meter, seed_micro(seed.amount, 500, RECOMMENDED)) for seed in table.seeds
    ]
    stated = set(re.findall(r"\$([0-9]+) denomination", part))
    assert stated == {name}
    assert table.denomination_cents == int(name) * 100


def test_dates_against_the_text() -> None:
    text = _regulation("51-pa-b-5607.txt")
    assert "The temporary regulations are effective September 4, 2021." in text
    assert "These temporary regulations expire 3 years after publication" in text


def test_a_pay_of_every_kind_is_written_as_it_is_printed() -> None:
    assert [str(pay) for pay in (ToOne(25, 1), ForOne(25, 1), Dollars(150_000), WholeMeter("royal_9.mega"))] == [
        "25 to 1",
        "25 for 1",
        "$1,500",
        "100% of royal_9.mega",
    ]
