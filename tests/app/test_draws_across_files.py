"""`tabled journal draws` on a file that continues another: the trigger in force was drawn in the file before."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from msgspec.structs import replace

from firmware.app import custody_commands, program
from firmware.app.generator import Generator
from firmware.audit import draws
from firmware.core import effects as fx
from firmware.core.mystery import range_micro
from firmware.core.state import BonusPhase, State
from firmware.journal.backup import copy_journal
from firmware.journal.reader import Reader
from firmware.journal.records import SegmentHeader
from tests.app import test_custody
from tests.app.rig import header
from tests.app.test_custody import Bench
from tests.core.mystery_table import KEY, LEAST, TABLES

CONFIG = TABLES / "midibaccarat.toml"


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    plain = header()
    configuration = program.filed(CONFIG.read_text("utf-8"))

    def midibaccarat() -> SegmentHeader:
        return replace(plain, configuration=configuration, configuration_hash=program.text_hash(configuration))

    monkeypatch.setattr(test_custody, "header", midibaccarat)
    return Bench(tmp_path / "run")


def asked(bench: Bench, state: State, question: fx.Question) -> State:
    """The table starts again, and its generator answers."""
    return bench.start(*Generator(bench.rules.table_id, KEY).answers([question], state))


@pytest.mark.parametrize("lost", [False, True])
def test_with_entries_lost_a_restored_trigger_is_given_up(
    bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str], lost: bool
) -> None:
    """What is lost may have been its hit: then everybody knows it."""
    asked(bench, bench.start(), fx.DrawTrigger("mystery", 1, *range_micro(bench.rules)))
    copy = tmp_path / "copy"
    copy_journal(bench.journal, copy)
    if lost:
        bench.start()
    bench.journal.unlink()
    options = [str(copy), *test_custody.RESTORE, "--config", str(CONFIG), "--run-dir", str(bench.folder)]
    assert custody_commands.main_restore(options) == 0
    assert ("the mystery bonus stops" in capsys.readouterr().out) == lost
    state = asked(bench, bench.start(), fx.TestTrigger("mystery", 1, LEAST, ()))
    assert state.mystery is not None
    assert (state.mystery.phase is BonusPhase.STOPPED) == lost
    bench.in_order()
    told([bench.journal])


def told(paths: Iterable[Path]) -> list[list[str]]:
    out = []
    for path in paths:
        with Reader(path) as reader:
            out.append(list(draws.audit(reader)))
    return out


def test_a_rotated_journal_s_trigger_is_followed(bench: Bench, tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    archive.mkdir()
    asked(bench, bench.start(), fx.DrawTrigger("mystery", 1, *range_micro(bench.rules)))
    options = ["--config", str(CONFIG), "--run-dir", str(bench.folder), "--archive", str(archive)]
    promised = ""
    for _ in range(2):
        assert custody_commands.main_rotate(options) == 0
        state = asked(bench, bench.start(), fx.TestTrigger("mystery", 1, LEAST, ()))
        assert state.mystery is not None
        promised = state.mystery.commitment
        assert promised
    first, second, third = told([*sorted(archive.glob("*.sqlite")), bench.journal])
    assert "secret since entry" in first[0]
    for lines in (second, third):
        assert "secret since an entry of a file before this one" in lines[0]
        assert f"committed to as {promised}" in lines[0]
        assert lines[-1].startswith("in order: 1 trigger drawn, 0 revealed")
