"""Every fault has one code and one row, codes are unique, and the guide is made from them."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

import pytest

from drivers import facts
from drivers.events import LineTrouble, LinkState
from drivers.facts.fact import Fact, Needs, Verdict
from drivers.result_events import DiceTrouble, Doubt, NoSpinReason, WheelWarning
from firmware.core.events import SpotTrouble
from firmware.core.faults import Irregularity
from hil import codes, guide
from hil.codes import devices, irregularities, machine, results
from tests.drivers.test_facts import machine as pi_files
from tests.hil.played import run_hil

ROWS = list(codes.rows())


def test_no_fault_is_without_a_row() -> None:
    assert set(irregularities.CODES) == set(Irregularity)
    assert set(devices.LINKS) == set(LinkState) - {LinkState.READY}
    assert set(devices.LINES) == set(LineTrouble)
    assert set(results.NO_SPIN) == set(NoSpinReason)
    assert set(results.DOUBT) == set(Doubt)
    assert set(results.WARNINGS) == set(WheelWarning)
    assert set(results.DICE_TROUBLES) == set(DiceTrouble)
    assert {trouble.value for trouble in SpotTrouble} == {trouble.value for trouble in LineTrouble}


def test_every_fact_has_a_row_on_a_pi_and_off_one(tmp_path: Path) -> None:
    (tmp_path / "pi").mkdir()
    names = list(pi_files(tmp_path / "pi"))
    names += [fact.name for fact in facts.read(tmp_path, Needs(PurePosixPath("/"), 1, ("/dev/ttyAMA0",)))]
    assert {machine.fact_code(name) for name in names} == {row.code for row in machine.rows()}


def test_what_is_not_known_explains_as_no_fault() -> None:
    for name in ("temperature", "card wear"):
        assert machine.code_of(Fact(name, "no file", Verdict.NOT_KNOWN)) == ""
        assert machine.code_of(Fact(name, "bad", Verdict.BAD)) == machine.fact_code(name)
    assert machine.code_of(Fact("machine", "not a Raspberry Pi", Verdict.NOT_KNOWN)) == "F513"


def test_codes_are_unique_and_rows_whole() -> None:
    assert len({row.code for row in ROWS}) == len(ROWS)
    for row in ROWS:
        assert re.fullmatch(r"F[1-7]\d\d", row.code), row
        assert row.meaning.endswith("."), row
        assert row.causes and all(row.causes), row
        assert row.next and row.title and row.name, row


def test_the_guide_is_fresh() -> None:
    assert guide.FILE.read_text("utf-8") == guide.text(), "run: python -m hil.guide"


@pytest.mark.parametrize("wanted", ["F124", "124", "f124", "reader_down", "shoe offline"])
def test_a_row_is_found_by_code_and_by_words(wanted: str) -> None:
    assert [row.code for row in codes.find(wanted)] == ["F124"]


def test_explain_prints_a_row_and_says_where_there_is_none() -> None:
    done = run_hil("explain", "F205")
    assert (done.returncode, done.stdout.splitlines()[0]) == (0, "F205  DEVICE FAILS  (backoff)")
    assert "next:" in done.stdout
    assert len(run_hil("explain").stdout.splitlines()) == len(ROWS)
    assert run_hil("explain", "F999").returncode == 2
