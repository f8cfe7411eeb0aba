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
from firmware.settings.paytables import load_catalogue, read_chapter

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


def _tables(wager: str, section: str, effective: str | None = None) -> tuple[Paytable, ...]:
    texts = [text for text in load_catalogue().texts if text.wager == wager and text.section == section]
    (text,) = [text for text in texts if effective in (None, text.effective)]
    return text.paytables


_ODDS = r"[0-9]+ (?:to|for) [0-9]+"


def _columns(body: str) -> dict[str, list[str]]:
    """The rows of a table with several columns of pays, by what the row is called."""
    cell = rf"(?:{_ODDS}|N/A)"
    rows = re.findall(rf"^([A-Z0-9][A-Za-z0-9', -]*?) ((?:{cell} ?)+)$", body, re.MULTILINE)
    return {label: re.findall(cell, figures) for label, figures in rows}


def _names(heading: str, body: str) -> list[str]:
    found = re.search(rf"^{heading}((?: Paytable [A-Z])+)$", body, re.MULTILINE)
    assert found is not None
    return re.findall(r"Paytable ([A-Z])", found[1])


def _ours(tables: tuple[Paytable, ...]) -> dict[str, list[str]]:
    return {
        line.printed: [str(table.by_line[line.name].pay).replace("n/a", "N/A") for table in tables]
        for line in tables[0].lines
    }


@pytest.mark.parametrize("wager", ["perfect_pairs_player", "perfect_pairs_banker"])
@pytest.mark.parametrize("section", ["627b.1", "627c.1", "629b.1", "631b.1"])
def test_perfect_pairs_against_the_text(wager: str, section: str) -> None:
    file = "627c.1.txt" if section == "627c.1" else "51-pa-b-5607.txt"
    body = _regulation(file) if section == "627c.1" else _section(_regulation(file), section)
    tables = _tables(wager, section)
    assert _names("Hand", body) == [table.name for table in tables]
    assert _columns(body) == _ours(tables)
    assert len(re.findall(_ODDS, body)) == sum(len(table.lines) for table in tables)


@pytest.mark.parametrize("section", ["627b.2", "629b.2", "631b.5"])
def test_commission_free_against_the_text(section: str) -> None:
    body = _section(_regulation("51-pa-b-5607.txt"), section)
    printed: dict[str, list[str]] = {}
    letter = ""
    for paragraph in body.splitlines():
        if start := re.match(r"\s*\(([a-z])\) ", paragraph):
            letter = start[1]
        for odds in re.findall(_ODDS, paragraph):
            printed.setdefault(f"{section}({letter})", []).append(odds)
    ours: dict[str, list[str]] = {}
    for wager in ("player", "banker", "tie", "player_pair", "lucky_six"):
        (table,) = _tables(wager, section)
        ours[table.section] = [str(line.pay) for line in table.lines]
    assert printed == ours
    assert _pays(_tables("banker_pair", section)) == _pays(_tables("player_pair", section))


ROYALS = [("627b.3", None), ("629b.3", "2021-09-04"), ("629b.3", "2022-03-12")]


@pytest.mark.parametrize(("section", "effective"), ROYALS)
@pytest.mark.parametrize(("letter", "name", "ends_before"), [("f", "5", "(g)"), ("g", "1", "(h)")])
def test_royal_9_against_the_text(
    section: str, effective: str | None, letter: str, name: str, ends_before: str
) -> None:
    amended = effective == "2022-03-12"
    body = _regulation("629b.3.txt") if amended else _section(_regulation("51-pa-b-5607.txt"), section)
    part = re.split(rf"^ ?{re.escape(ends_before)} ", body, flags=re.MULTILINE)[0]
    part = re.split(rf"^ ?\({letter}\) ", part, flags=re.MULTILINE)[1]
    (table,) = [table for table in _tables("royal_9_progressive", section, effective) if table.name == name]
    assert table.section == f"{section}({letter})"
    found = re.search(r"Hand Pay ?[Tt]able\s+(.*?)\s+\(2\) ", part, re.DOTALL)
    assert found is not None
    pay = r"100% (?:of )?(?:Mega|Major|Minor) Jackpot|\$[0-9,]+"
    printed = [
        (label.strip(), re.sub(r"100% (?:of )?(\w+) Jackpot", lambda m: f"100% of royal_9.{m[1].lower()}", amount))
        for label, amount in re.findall(rf"(.+?) ({pay})(?:\s|$)", found[1])
    ]
    assert printed == [(line.printed, str(line.pay)) for line in table.lines]
    floors = re.findall(r"\$([0-9,]+) for the (Mega|Major|Minor) Jackpot", part)
    assert [(f"royal_9.{meter.lower()}", int(dollars.replace(",", "")) * 1_000_000) for dollars, meter in floors] == [
        (seed.meter, seed_micro(seed.amount, 500, RECOMMENDED)) for seed in table.seeds
    ]
    assert set(re.findall(r"\$([0-9]+) denomination", part)) == {name}
    assert table.denomination_cents == int(name) * 100


def test_heavenly_9_progressive_against_the_text() -> None:
    body = _section(_regulation("51-pa-b-5607.txt"), "631b.2")
    rows = body[body.index("Hand Pays\n") + len("Hand Pays\n") :].replace("—\n", "—").replace("Suit\n", "Suit ")
    rows = rows.replace("Color\n", "Color ")
    (table,) = _tables("heavenly_9_progressive", "631b.2")
    printed = re.findall(rf"^(.+?) (100% Progressive|{_ODDS})$", rows, re.MULTILINE)
    ours = [(line.printed, str(line.pay).replace("of heavenly_9", "Progressive")) for line in table.lines]
    assert printed == ours
    seed = table.seed("heavenly_9", 8)
    assert re.findall(r"Seed/ Reseed (\$[0-9,]+)", rows) == [str(seed.amount)]
    assert re.findall(r"Increment Rate ([0-9]+)%", rows) == [str((seed.increment_ppm or 0) // 10_000)]
    assert re.findall(r"wager of no less than \$([0-9]+)", body) == [str(table.least_cents // 100)]


def test_5_treasures_against_the_text() -> None:
    body = _section(_regulation("51-pa-b-5607.txt"), "631b.3")
    names = _names("Wager", body)
    ours: dict[str, list[str]] = {}
    for wager in ("fortune_7", "golden_8", "heavenly_9", "blazing_7s_baccarat", "cover_all"):
        tables = _tables(wager, "631b.3")
        assert [table.name for table in tables] == names
        ours |= _ours(tables)
    assert _columns(body) == ours
    for sevens, cover in zip(_tables("blazing_7s_baccarat", "631b.3"), _tables("cover_all", "631b.3"), strict=True):
        assert cover.sister_lines_unpaid == tuple(line.name for line in sevens.lines if isinstance(line.pay, Unpaid))


def test_lucky_nines_against_the_text() -> None:
    body = _section(_regulation("51-pa-b-5607.txt"), "631b.4")
    tables = _tables("lucky_nines", "631b.4")
    assert _names("Hand", body) == [table.name for table in tables]
    assert _columns(body) == _ours(tables)


def test_dates_against_the_text() -> None:
    text = _regulation("51-pa-b-5607.txt")
    assert "The temporary regulations are effective September 4, 2021." in text
    assert "These temporary regulations expire 3 years after publication" in text
    amended = _regulation("629b.3.txt")
    assert "amended March 11, 2022, effective March 12, 2022, expire on March 12, 2025, 52 Pa.B. 1491" in amended


PAYS: list[tuple[Pay, str]] = [
    (ToOne(25, 1), "25 to 1"),
    (ForOne(25, 1), "25 for 1"),
    (Dollars(150_000), "$1,500"),
    (WholeMeter("royal_9.mega"), "100% of royal_9.mega"),
    (DrawnToOne((1000, 500, 10)), "1000, 500 or 10 to 1"),
    (DrawnToOne((15,), or_more=True), "15 to 1 or more"),
    (Unpaid.LOSS, "loss"),
    (Unpaid.PUSH, "push"),
    (Unpaid.NOT_IN_TABLE, "n/a"),
]


@pytest.mark.parametrize(("pay", "printed"), PAYS)
def test_a_pay_of_every_kind_is_read_as_it_is_written(pay: Pay, printed: str) -> None:
    assert str(pay) == printed
    content = (
        'chapter = "x"\ngame = "baccarat"\nsource = "x"\neffective = "2021-09-04"\n'
        '[[wager]]\nnames = ["tie"]\nsection = "x"\n[[wager.paytable]]\nname = "-"\nsection = "x"\n'
        "denomination_cents = 500\nseeds = SEEDS\n"
        f'lines = [{{ line = "tie", pays = "{printed}", section = "x", printed = "Tie" }}]\n'
    )
    meter = '[{ meter = "royal_9.mega", amount = "2,000x", section = "x" }]' if isinstance(pay, WholeMeter) else "[]"
    (text,) = read_chapter("x.toml", content.replace("SEEDS", meter))
    assert text.paytables[0].lines[0].pay == pay
