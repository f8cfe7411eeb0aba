"""No mistyped digit survives: the paytable files against a second transcription, and against the text of the
regulation.

`figures/paytables.csv` was transcribed from the text by itself, in another form than the files. The text is not part
of the project: that test runs where the folder `shared/regulations` stands beside the project, and is a named skip
elsewhere.
"""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from firmware.core.paytables import Catalogue, Dollars, ForOne, Paytable, ToOne, WholeMeter
from firmware.settings.paytables import load_catalogue

HERE = Path(__file__).parent
REGULATIONS = HERE.parents[1].parent / "shared" / "regulations"

Row = tuple[str, str, str, str, str, str, str]


def _figures(catalogue: Catalogue) -> list[Row]:
    rows: list[Row] = []
    for text in catalogue.texts:
        for table in text.paytables:
            for line in table.lines:
                pay = line.pay
                if isinstance(pay, WholeMeter):
                    amount: tuple[str, str, str] = ("100", "percent", pay.meter)
                elif isinstance(pay, Dollars):
                    assert pay.cents % 100 == 0
                    amount = (str(pay.cents // 100), "dollars", "")
                else:
                    unit = "to" if isinstance(pay, ToOne) else "for"
                    amount = (str(pay.numerator), unit, str(pay.denominator))
                rows.append((line.section, text.wager, table.name, line.name, *amount))
            for seed in table.seeds:
                dollars = str(seed.least_micro // 1_000_000)
                assert seed.least_micro % 1_000_000 == 0
                rows.append((seed.section, text.wager, table.name, f"seed {seed.meter}", dollars, "dollars", ""))
            if table.denomination_cents is not None:
                first = table.lines[0].section
                dollars = str(table.denomination_cents // 100)
                assert table.denomination_cents % 100 == 0
                rows.append((first, text.wager, table.name, "denomination", dollars, "dollars", ""))
    return rows


def test_files_and_second_transcription_agree_both_ways() -> None:
    with (HERE / "figures" / "paytables.csv").open(encoding="utf-8", newline="") as file:
        header, *second = list(csv.reader(file))
    assert header == ["section", "wager", "paytable", "line", "amount", "unit", "per"]
    first = _figures(load_catalogue())
    assert sorted(first) == sorted(tuple(row) for row in second)
    assert len(set(first)) == len(first)


def test_dates_and_deck_rules() -> None:
    found = {(text.section, text.effective, text.expires, text.repeats) for text in load_catalogue().texts}
    assert found == {
        ("627b.1", "2021-09-04", "2024-09-04", None),
        ("627b.2", "2021-09-04", "2024-09-04", None),
        ("627b.3", "2021-09-04", "2024-09-04", None),
        ("627c.1", "2024-11-02", None, "627b.1"),
    }
    needs_two = {text.wager for text in load_catalogue().texts for table in text.paytables if table.least_decks != 1}
    assert needs_two == {"perfect_pairs_player", "perfect_pairs_banker"}


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
        (seed.meter, seed.least_micro) for seed in table.seeds
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
