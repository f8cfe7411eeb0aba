"""`hil report`: what a running table's record holds, and that nothing in it can be changed unseen."""

from __future__ import annotations

import asyncio
import json
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import msgspec
import pytest
from msgspec import structs

from firmware.core.identity import Identity
from firmware.journal.signing import Signer
from hil import cli, latency
from hil.bench import Bench
from hil.layout import layout_of
from hil.machine_identity import Card, Machine
from hil.measure import Measurement, Outcome
from hil.report import junit, page, run, text
from hil.report.record import (
    FORM,
    BadRecord,
    DeviceFound,
    Journal,
    Port,
    Record,
    Software,
    from_json,
    signed,
    to_json,
)
from tests.hil.played import TABLE

CARD = Card("mmc0:aaaa", "SD32G", "0x3", "0x1234abcd", "04/2025")
MACHINE = Machine(
    "Raspberry Pi 4 Model B", "10000000abcdef01", "", 4, "aarch64", "Linux 6.12", "Debian", "3.11", (CARD,), 0.5
)
MEASURED = (
    Measurement("shoe", "link", "ready", "", "ready", Outcome.PASS),
    Measurement("machine", "memory card", "worn <80 %> & more", "", "", Outcome.WARN, "F412", "change it"),
    Measurement("machine", "voltage", "was low", "", "never", Outcome.FAIL, "F401", "another supply"),
    Measurement("table", "edge to lamp", "no chip", "", "160 ms", Outcome.NOT_KNOWN),
)
IDENTITY = Identity("0.1.0", "c" * 64, "p" * 64, "f" * 64, ("python 3.11",), "")
RECORD = Record(
    form=FORM, made="2026-12-01T04:00:00+00:00", wall_trusted=True, by="A. Lee & <b>", table="MB-07",
    game="minibaccarat", profile="production", phase="closed", machine=MACHINE,
    ports=(Port("ttyUSB0", ("/dev/serial/by-id/usb-FTDI_1",)),), gpio_chips=("/dev/gpiochip0 pinctrl 58 lines",),
    software=Software(IDENTITY, "signed", "a" * 64, (), ()),
    configuration_path="/etc/tabled/table.toml", configuration=TABLE.read_text("utf-8"),
    journal=Journal("/var/lib/tabled/journal.sqlite", 1, 12, "ab" * 32, "cd" * 32),
    devices=(DeviceFound("shoe", "shoe.angeleye", "angeleye2ex", "/dev/tabled/shoe", "ready", {"telegrams": 3}),),
    how="at the running daemon", measurements=MEASURED, accepted=("F412",), debounce_ms=60,
    lamp_times_ns=(62_000_000, 64_000_000, 90_000_000),
)  # fmt: skip
SIGNER = Signer(bytes(range(32)))
GOOD = signed(RECORD, SIGNER)


def written(folder: Path, content: bytes) -> Path:
    file = folder / "record"
    file.write_bytes(content)
    return file


# --- the signature ----------------------------------------------------------------------------------------------------


def test_a_record_is_what_was_signed_and_by_whom(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path, to_json(GOOD))
    assert from_json(file.read_bytes()).read() == RECORD
    assert run.verify(file, SIGNER.public.hex()) == 0
    assert run.verify(file, None) == 0
    assert "compare this key with the one that was noted" in capsys.readouterr().out
    assert run.verify(file, Signer(bytes(32)).public.hex()) == 1
    assert "signed by another key" in capsys.readouterr().out


def test_any_changed_byte_of_the_record_is_seen() -> None:
    raw = bytes(GOOD.record)
    for at in range(0, len(raw), 97):
        other = raw[:at] + bytes([raw[at] ^ 1]) + raw[at + 1 :]
        assert not structs.replace(GOOD, record=msgspec.Raw(other)).verified(), at
    assert GOOD.verified()


@pytest.mark.parametrize("field", ["public_key", "signature"])
@pytest.mark.parametrize("value", ["", "zz", "00" * 32, "00" * 64])
def test_a_key_or_signature_that_is_none_verifies_nothing(field: str, value: str) -> None:
    assert not structs.replace(GOOD, **{field: value}).verified()


def test_a_signature_of_something_else_is_none_of_a_record() -> None:
    """The same key signs the journal's heads: bytes that it signed without the record's own line are no record."""
    raw = bytes(GOOD.record)
    assert not structs.replace(GOOD, signature=SIGNER.sign(raw).hex()).verified()


def test_an_unsigned_record_says_so_and_is_never_verified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    without = signed(RECORD, None, "no key is there")
    assert "NOT SIGNED: no key is there" in "\n".join(text.lines(without))
    assert "NOT SIGNED: no key is there" in page.page(without)
    assert run.verify(written(tmp_path, to_json(without)), None) == 1
    assert "it was never signed (no key is there)" in capsys.readouterr().out


@pytest.mark.parametrize("more", [b'"accepted_by":"the Board",', b'"record":{"table":"MB-07"},', b'"signature":"00",'])
def test_a_file_that_says_more_than_was_signed_is_not_verified(
    tmp_path: Path, more: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    """A field twice is read otherwise by other programs."""
    file = to_json(GOOD).replace(b"{", b"{" + more, 1)
    assert run.verify(written(tmp_path, file), SIGNER.public.hex()) == 1
    assert "says more than was signed" in capsys.readouterr().out


def test_an_unsigned_record_writes_no_line_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    said = "\x1b[2J\nverified: signed by 00"
    file = to_json(signed(structs.replace(RECORD, table=said, by=said), None, said))
    assert run.verify(written(tmp_path, file), None) == 1
    out = capsys.readouterr().out
    assert out.startswith("NOT VERIFIED") and "\x1b" not in out and "\nverified" not in out


@pytest.mark.parametrize(
    "content", [b"", b"{}", b"\xff\xfe", b"<html></html>", b'{"record":{},"public_key":"","signature":""}']
)
def test_what_is_no_record_is_refused_by_name(tmp_path: Path, content: bytes) -> None:
    assert run.verify(written(tmp_path, content), None) == 2


def test_a_record_of_another_form_is_refused() -> None:
    other = signed(structs.replace(RECORD, form="tabled acceptance record 2"), SIGNER)
    with pytest.raises(BadRecord, match="acceptance record 2"):
        other.read()


# --- how it is shown --------------------------------------------------------------------------------------------------


def test_the_text_has_identity_measurements_and_times() -> None:
    shown = "\n".join(text.lines(GOOD))
    for wanted in (
        "NOT ACCEPTABLE: 1 of 4 measurements did not pass; 1 passed, 1 taken as they are, 1 not known",
        "Raspberry Pi 4 Model B", "10000000abcdef01", "0x1234abcd", "usb-FTDI_1", "c" * 64, "f" * 64, "ab" * 32,
        "median 64.0", f"signed by the table's key {SIGNER.public.hex()}",
    ):  # fmt: skip
        assert wanted in shown


def test_the_page_is_drawn_the_same_again_and_a_change_in_it_is_seen(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drawn = page.page(GOOD)
    assert drawn == page.page(GOOD)
    assert run.verify(written(tmp_path, drawn.encode()), SIGNER.public.hex()) == 0
    for changed in (drawn.replace("✗ FAIL", "✓ pass"), drawn.replace("MB-07", "MB-08"), drawn + "<p>accepted</p>"):
        assert changed != drawn
        assert run.verify(written(tmp_path, changed.encode()), None) == 1
        assert "changed by hand" in capsys.readouterr().out
    assert page.carried(drawn) == GOOD


def test_the_page_fetches_nothing_runs_nothing_and_shows_text_as_text() -> None:
    drawn = page.page(GOOD)
    assert "<b>" not in drawn and "A. Lee &amp; &lt;b&gt;" in drawn and "worn &lt;80 %&gt;" in drawn
    assert "http://" not in drawn and "https://" not in drawn
    assert drawn.count("<script") == 1, "the record itself, of a type that no browser runs"
    assert drawn.count("data:image/svg+xml;base64,") == 2, "the times, and the wiring"


def test_junit_counts_what_did_not_pass_and_skips_what_is_not_known() -> None:
    suite = ElementTree.fromstring(junit.xml(GOOD))
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("4", "1", "1")
    cases = {str(case.get("name")): case for case in suite.iter("testcase")}
    failure = cases["voltage"].find("failure")
    assert failure is not None and failure.get("message") == "F401: was low; wanted: never"
    assert failure.text == "another supply"
    assert cases["edge to lamp"].find("skipped") is not None
    assert "taken as it is (F412)" in str(cases["memory card"].findtext("system-out"))


# --- at a running table -----------------------------------------------------------------------------------------------


async def visit(folder: Path) -> list[int]:
    """A bench, one chip, and three records: good, with a changed file, without a key."""
    config = folder / "table.toml"
    config.write_bytes(TABLE.read_bytes())
    command = ["report", "--run-dir", str(folder), "--over", "0.1", "--who", "A. Lee", "--json"]

    async def report(*more: str) -> int:
        return await asyncio.to_thread(cli.main, [*command, *more])

    async with Bench(layout_of(config, folder), 1) as bench:
        await latency.measured(bench, 1, lambda done: None)
        statuses = [await report("--html", str(folder / "r.html"), "--junit", str(folder / "r.xml"))]
        config.write_bytes(TABLE.read_bytes() + b"# later\n")
        statuses.append(await report())
        config.write_bytes(TABLE.read_bytes())
        (folder / bench.layout.settings.storage.signing_key).rename(folder / "away")
        statuses.append(await report())
    return statuses


def test_records_of_a_running_table(capsys: pytest.CaptureFixture[str]) -> None:
    with tempfile.TemporaryDirectory(prefix="hil-") as name:
        folder = Path(name)
        assert asyncio.run(visit(folder)) == [0, 1, 1]
        first, second, third = (json.loads(line) for line in capsys.readouterr().out.splitlines())
        public = next(folder.glob("*.pub"))
        assert run.verify(folder / "r.html", str(public)) == 0
        assert ElementTree.parse(folder / "r.xml").getroot().get("failures") == "0"
    record = first["record"]
    assert (record["table"], record["by"], record["profile"]) == ("MB-SIM", "A. Lee", "simulated")
    assert len(record["lamp_times_ns"]) == 1
    assert record["configuration"] == TABLE.read_text("utf-8")
    assert {one["of"] for one in record["measurements"]} == {"lines", "lamps", "board", "display", "shoe", "table"}
    failed = [one["code"] for one in second["record"]["measurements"] if one["outcome"] == "fail"]
    assert failed == ["F620"], "the file is not the one that the daemon runs"
    assert third["signature"] == "" and "no key is there" in third["not_signed"]


def test_without_a_daemon_there_is_no_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["report", "--run-dir", str(tmp_path)]) == 2
    assert "no daemon answers" in capsys.readouterr().err
