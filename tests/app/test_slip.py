"""`tabled slip`: from the journal alone, the same bytes at any later time, and nothing on it that the entry has not."""

from __future__ import annotations

import os
import re
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from firmware.app import program
from firmware.app.slip import Slip, page, slip_of_award, slip_of_number, slip_text
from firmware.app.slip_pdf import FONT_ENCODING, slip_pdf
from firmware.core.effects import MeterReset, SlipIssued
from firmware.core.money import format_meter
from firmware.journal.reader import Reader
from firmware.settings.paytables import load_catalogue
from tests.app.rig import CONFIG, header
from tests.app.test_tell import write
from tests.core.table import Table

ROYAL = "royal_9_progressive"


def played() -> Table:
    """A Major by slip (award 1, slip 1), then a round with two envies and a Mega (awards 2 to 4, slip 2)."""
    t = Table(program.rules_of(header())).opened()
    t.place(2, ROYAL)
    t.lock()
    t.confirm()
    t.deal("2C 3H", "KD 9C")
    t.see_to_awards()
    t.result("banker")
    t.clear()
    t.lift(2, ROYAL)
    for position in (1, 3, 4):
        t.place(position, ROYAL)
    t.lock()
    t.confirm()
    t.deal("KS 9H", "KS 9H")
    t.see_to_awards()
    t.result("tie", True, True)
    return t


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("slip") / "journal.sqlite"
    write(path, played().events)
    return path


def tabled(*arguments: object, env: Mapping[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", "-m", "firmware.cli", "slip", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **(env or {})})


def slip(journal: Path, number: int = 1) -> Slip:
    with Reader(journal) as reader:
        return slip_of_number(reader, number)


MAJOR = """\
==============================================================================
                             JACKPOT SLIP 000001
                          SIMULATED TABLE: NO VALUE
==============================================================================

Table                 MB-SIM
Date                  DATE (the table's clock was not known
                      to be set)
Round                 1
Award                 1
Position              2
Wager                 Royal 9 progressive, $5.00
Paytable              5 (627b.3(f))
Line                  Major jackpot: Personal King 9 on Banker Hand
Cards                 PLAYER 2C 3H = 5
                      BANKER KD 9C = 9
Meter                 royal_9.major, one winner
Meter before          $450.050000 at lock-out
Meter after           $450.000000 once it is reset, later wagers not counted
Paid                  by this slip, not from the table inventory container
AMOUNT                $450.05
In words              Four hundred fifty and 05/100 dollars


____________________________________________  ________________________________
Dealer: the hand wins, its lamp was lit       Date and time


____________________________________________  ________________________________
Floorperson or above: validated               Date and time


____________________________________________  ________________________________
Paid by                                       Date and time


____________________________________________  ________________________________
Received by the patron                        Date and time

Journal entry SEQ
SHA-256 HASH
==============================================================================
"""


def test_the_text_says_everything(journal: Path) -> None:
    done = tabled(journal, "--award", 1)
    assert done.returncode == 0, done.stderr
    text = re.sub(r"20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC", "DATE", done.stdout)
    assert re.sub(r"[0-9a-f]{64}", "HASH", re.sub(r"entry \d+", "entry SEQ", text)) == MAJOR
    found = slip(journal)
    assert f"Journal entry {found.seq}\nSHA-256 {found.entry_hash.hex()}\n" in done.stdout
    with Reader(journal) as reader:
        [row] = reader.entries(found.seq, found.seq)
    assert (row.hash, row.wall_ns) == (found.entry_hash, found.wall_ns)


def test_a_production_table_s_slip_has_no_notice_and_a_set_clock_no_doubt(journal: Path) -> None:
    real = replace(slip(journal), simulated=False, wall_trusted=True)
    assert "NO VALUE" not in slip_text(real)
    assert re.search(r"^Date {18}20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC$", slip_text(real), re.MULTILINE)


def test_by_number_and_by_award_through_a_configuration_too(journal: Path, tmp_path: Path) -> None:
    by_number = tabled(journal, "--slip", "000002")
    assert "Mega jackpot" in by_number.stdout and "AMOUNT                $50,000.30" in by_number.stdout
    assert "Meter before          $50,000.300000 at lock-out" in by_number.stdout
    table = tmp_path / "table.toml"
    table.write_text(CONFIG.read_text("utf-8"))
    named = tabled(table, "--award", 4, "--run-dir", journal.parent)
    assert (named.returncode, named.stdout) == (0, by_number.stdout), named.stderr


def test_the_same_bytes_whatever_has_happened_since_and_wherever(tmp_path: Path) -> None:
    """More entries, another day, another time zone, locale and hash seed: text and paper stay the same."""
    events, early, late = played().events, tmp_path / "early.sqlite", tmp_path / "late.sqlite"
    first = next(n for n in range(1, len(events)) if issued(events[:n]))
    write(early, events[:first])  # the table stands as the slip is printed: nothing is paid, nothing reset
    write(late, events)
    elsewhere = {"TZ": "Asia/Kathmandu", "LC_ALL": "C", "PYTHONHASHSEED": "7", "PYTHONUTF8": "0"}
    assert tabled(early, "--slip", 1).stdout == tabled(late, "--slip", 1, env=elsewhere).stdout
    for journal, name, env in ((early, "a.pdf", {}), (late, "b.pdf", elsewhere)):
        done = tabled(journal, "--slip", 1, "--pdf", tmp_path / name, env=env)
        assert done.returncode == 0, done.stderr
    assert (tmp_path / "a.pdf").read_bytes() == (tmp_path / "b.pdf").read_bytes()


def issued(events: list[object]) -> bool:
    t = Table(program.rules_of(header()))
    for event in events:
        t.do(event)  # type: ignore[arg-type]
    return bool(t.saw(SlipIssued))


def test_what_the_slip_says_of_the_meter_is_what_the_reset_key_did() -> None:
    t = played()
    after = {e.meter: e.value_micro for e in t.effects if isinstance(e, MeterReset)}
    slips = {e.meter: e.after_micro for e in t.effects if isinstance(e, SlipIssued)}
    assert slips == after
    assert format_meter(after["royal_9.mega"]) == "50000.000000"


# --- on paper ---------------------------------------------------------------------------------------------------------


def texts_of(pdf: bytes) -> list[str]:
    """The texts of an uncompressed PDF with standard fonts, in the order in which they are drawn."""
    shown = re.findall(rb"\(((?:[^()\\]|\\.)*)\) Tj", pdf)
    return [re.sub(r"\\(.)", r"\1", text.decode(FONT_ENCODING)) for text in shown]


def test_the_paper_has_what_the_text_has(journal: Path) -> None:
    found = slip(journal)
    drawn, laid_out = slip_pdf(found), page(found)
    assert drawn.startswith(b"%PDF-")
    assert len(re.findall(rb"/Type /Page\b", drawn)) == 1
    on_paper = " ".join(texts_of(drawn))
    for wanted in (
        laid_out.title, laid_out.notice, laid_out.amount, laid_out.in_words, *laid_out.signatures, *laid_out.proof,
        *(part for row in laid_out.rows for part in row),
    ):  # fmt: skip
        assert wanted in on_paper, wanted


def longest(journal: Path) -> Slip:
    found = slip(journal)
    return replace(
        found,
        issued=replace(
            found.issued,
            table="X" * 32,
            cents=99_999_999,
            because_of=7,
            winners=7,
            before_micro=999_999_999_999,
            cards=("PLAYER KS 9H 9D = 8", "BANKER KS 9H 9D = 8", "A THIRD HAND"),
            printed="The longest name of a line — with a dash — that a paytable of the regulation prints",
        ),
    )


def test_the_longest_slip_fits_one_page(journal: Path) -> None:
    drawn = slip_pdf(longest(journal))
    assert len(re.findall(rb"/Type /Page\b", drawn)) == 1
    assert all(len(line) <= 78 for line in slip_text(longest(journal)).splitlines())
    assert "shared by 7 winners, of which this is one" in slip_text(longest(journal))


def test_a_slip_that_leaves_no_place_to_sign_is_refused_not_squeezed(journal: Path) -> None:
    found = longest(journal)
    crowded = replace(found, issued=replace(found.issued, cards=("A HAND",) * 12))
    with pytest.raises(ValueError, match="mm for each signature"):
        slip_pdf(crowded)


def test_every_name_that_a_paytable_prints_can_be_drawn() -> None:
    for text in load_catalogue().texts:
        for table in text.paytables:
            for line in table.lines:
                line.printed.encode(FONT_ENCODING)


# --- what has no slip -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("which", "said"),
    [
        (("--award", 2), "award 2 is paid from the table inventory and has no slip"),
        (("--award", 99), "no award 99 is in this journal"),
        (("--slip", 99), "no slip 000099 is in this journal"),
        (("--slip", "0"), "'0' is no number from 1 on"),
        ((), "one of the arguments --award --slip is required"),
    ],
)
def test_what_has_no_slip_says_why(journal: Path, which: tuple[object, ...], said: str) -> None:
    done = tabled(journal, *which)
    assert (done.returncode, done.stdout) == (2, "")
    assert said in done.stderr


def test_an_award_that_nobody_has_validated_has_none_yet(tmp_path: Path) -> None:
    events = played().events
    first = next(n for n in range(1, len(events)) if issued(events[:n]))
    path = tmp_path / "journal.sqlite"
    write(path, events[: first - 1])
    done = tabled(path, "--award", 1)
    assert done.returncode == 2
    assert "award 1 has no slip yet: the floorperson has not validated it" in done.stderr


def test_an_altered_entry_gives_no_slip(journal: Path, tmp_path: Path) -> None:
    copy = tmp_path / "journal.sqlite"
    copy.write_bytes(journal.read_bytes())
    seq = slip(journal).seq
    with closing(sqlite3.connect(copy)) as connection, connection:
        changed = connection.execute(
            "UPDATE entry SET body = replace(body, '\"cents\":45005', '\"cents\":95005') WHERE seq = ?", (seq,)
        )
        assert changed.rowcount == 1
    done = tabled(copy, "--award", 1)
    assert (done.returncode, done.stdout) == (1, "")
    assert f"NOT IN ORDER: entry {seq}, slip 000001: is not what was hashed" in done.stderr


def test_what_is_neither_journal_nor_configuration(tmp_path: Path) -> None:
    missing = tabled(tmp_path / "nothing.sqlite", "--award", 1)
    assert missing.returncode == 2 and "nothing.sqlite: No such file or directory" in missing.stderr
    (tmp_path / "text").write_text("no table = [")
    other = tabled(tmp_path / "text", "--award", 1)
    assert other.returncode == 2 and "is no journal, and as a configuration it is refused" in other.stderr
    table = tmp_path / "table.toml"
    table.write_text(CONFIG.read_text("utf-8"))
    without = tabled(table, "--award", 1)
    assert without.returncode == 2 and "journal.sqlite" in without.stderr
    assert "Traceback" not in missing.stderr + other.stderr + without.stderr


def test_a_pdf_that_can_not_be_written(journal: Path, tmp_path: Path) -> None:
    done = tabled(journal, "--award", 1, "--pdf", tmp_path / "no" / "slip.pdf")
    assert done.returncode == 2
    assert "slip.pdf: No such file or directory" in done.stderr and "Traceback" not in done.stderr


def test_found_among_other_entries_by_award_as_by_number(journal: Path) -> None:
    with Reader(journal) as reader:
        assert slip_of_award(reader, 4) == slip_of_number(reader, 2)


def test_a_pdf_takes_no_other_file_s_place(journal: Path, tmp_path: Path) -> None:
    """Of all files the journal lies nearest."""
    copy, paper = tmp_path / "journal", tmp_path / "slip.pdf"
    shutil.copyfile(journal, copy)
    before = copy.read_bytes()
    done = tabled(copy, "--award", 1, "--pdf", copy)
    assert (done.returncode, copy.read_bytes()) == (2, before)
    assert "exists already, and is not this slip" in done.stderr
    for _ in range(2):
        assert tabled(copy, "--award", 1, "--pdf", paper).returncode == 0, "the same once more is the same file"
