"""A table's journal is rotated, cleared and brought back by the commands, on files that the real writer has made."""

from __future__ import annotations

import contextlib
import io
import multiprocessing
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest
from msgspec.structs import replace

from firmware.app import clock, custody, custody_commands, program
from firmware.audit.auditor import Auditor
from firmware.audit.items import Finding
from firmware.audit.walk import walk
from firmware.core import events as ev
from firmware.core.events import Event
from firmware.core.faults import Irregularity
from firmware.core.machine_events import JournalBegun, MeterLeft, Succession
from firmware.core.order_data import Account, Approval, Clearing, ClearJournal, Transfer
from firmware.core.state import State, initial_state
from firmware.core.step import step
from firmware.journal import database
from firmware.journal.backup import copy_journal
from firmware.journal.database import open_for_writing
from firmware.journal.errors import JournalReplaced
from firmware.journal.heads import Custody, read_head
from firmware.journal.lock import WriterLock
from firmware.journal.reader import Reader
from firmware.journal.records import Batch, Entry, SegmentHeader, SegmentStart
from firmware.journal.replay import replay, restart
from firmware.journal.session import Session
from firmware.journal.signing import Signer, make_key
from tests.app.rig import CONFIG, header

TABLE = "MB-SIM"
KILLS = 8
"""Of each act, spread over its steps; the last fourteen, where the names change, are taken all."""
TWO = Approval("Ann Lee", "Bob Roe", "new layout")


class Bench:
    """A closed table's files, written as the daemon writes them, but one event at a time and without a loop."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.folder = folder
        self.journal = folder / "journal.sqlite"
        self.noted = folder / "noted-head.json"
        self.key = folder / "signing.key"
        self.profile = "simulated"
        self.rules = program.rules_of(header())
        if not self.key.exists():
            make_key(self.key)
        self.files = custody.Files(self.journal, self.key, self.noted)

    def custody(self) -> Custody:
        return Custody(Signer.load(self.key), self.noted)

    def start(self, *events: Event) -> State:
        """One run of a daemon that takes these events, from the files as they lie. Raises what a start raises."""
        ours = self.custody()
        lock = WriterLock(self.journal)
        session = None
        try:
            if not self.journal.exists():
                ours.begin(self.journal)
                database.create(self.journal)
            session = Session(self.journal, program.codec(), None, ours)
            session.check(None, whole=False)
            state, generation, seq = initial_state(self.rules), 1, 0
            with Reader(self.journal) as reader:
                stands = restart(reader, program.programs)
            if stands is not None:
                state, generation, seq = stands.state, stands.header.generation, stands.position.last_seq
            now: SegmentHeader = replace(
                header(), public_key=ours.signer.public.hex(), generation=generation, profile=self.profile
            )
            session.commit(SegmentStart(now, 1, 1, state))
            for event in (ev.Started(clock.monotonic_ns(), 0, False, "boot-1"), *events):
                state, effects = step(self.rules, state, event)
                seq += 1
                session.commit(Batch((Entry(seq, 1, 1, event, effects),), state))
            session.finish()
            return state
        finally:
            if session is not None:
                session.drop()
            lock.release()

    def order_clearing(self, how: Clearing = Clearing.BEGIN) -> State:
        return self.start(ev.InputsReady(2, (), False, True, True), ev.OrderGiven(ClearJournal(how), TWO, 3))

    def put_back(self) -> None:
        """What an act that was cut off left half changed, as whoever writes next does it; a reader may not."""
        if self.journal.with_name("journal.sqlite-journal").exists():
            open_for_writing(self.journal).close()

    def last_entries(self, count: int = 1) -> list[Event]:
        with Reader(self.journal) as reader:
            rows = list(reader.entries())[-count:]
        return [program.codec().decode_entry(row).event for row in rows]

    def in_order(self, *before: Path) -> None:
        """Every file verified by the table's key, each continuing the one before, replayed and audited."""
        anchor = None
        for path in (*before, self.journal):
            with Reader(path) as reader:
                report = reader.verify(public_keys=[Signer.load(self.key).public])
                assert anchor is None or report.anchor == anchor
                anchor = report.head
                replay(reader, program.programs)
                assert [f for f in walk(reader, Auditor()) if isinstance(f.item, Finding)] == []


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    bench = Bench(tmp_path / "run")
    bench.start(ev.DoorMoved(True, 2))
    return bench


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    (tmp_path / "archive").mkdir()
    return tmp_path / "archive"


def command(main: Callable[[list[str]], int], bench: Bench, *options: str | Path) -> int:
    return main([*map(str, options), "--config", str(CONFIG), "--run-dir", str(bench.folder)])


def clear(bench: Bench, export: Path, typed: str, monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(sys, "stdin", io.StringIO(typed + "\n"))
    return custody_commands.clear(CONFIG, bench.folder, export)


def test_a_rotated_journal_goes_on_where_the_exported_one_ends(bench: Bench, archive: Path) -> None:
    before = bench.start(ev.DoorMoved(True, 5))
    assert command(custody_commands.main_rotate, bench, "--archive", archive) == 0
    (exported,) = archive.glob("*.sqlite")
    assert exported.name == "journal-0001-1-4.sqlite"
    head = read_head(exported.with_name(exported.name + ".head"))
    with Reader(exported) as reader:
        position = reader.position()
    assert head is not None and position is not None
    assert (head.head.head, head.head.seq) == (position.head, 4), "signed to its very end"
    (begun,) = bench.last_entries()
    assert isinstance(begun, JournalBegun)
    assert (begun.how, begun.generation, begun.old_head) == (Succession.ROTATED, 2, position.head.hex())
    after = bench.start(ev.DoorMoved(True, 9))
    assert after.meters == before.meters
    assert after.noted == before.noted
    bench.in_order(exported)
    with contextlib.chdir(bench.folder):  # and once more
        assert command(custody_commands.main_rotate, bench, "--archive", archive) == 0
    bench.start()
    bench.in_order(*sorted(archive.glob("*.sqlite")))


def test_what_was_replaced_never_comes_back_as_current(bench: Bench, archive: Path) -> None:
    old = bench.folder / "old"
    shutil.copy(bench.journal, old)
    assert command(custody_commands.main_rotate, bench, "--archive", archive) == 0
    new = bench.journal.read_bytes()
    for file, why in ((old, "is of generation 1"), (next(archive.glob("*.sqlite")), "is a copy")):
        shutil.copy(file, bench.journal)
        with pytest.raises(JournalReplaced, match=why):
            bench.start()
    bench.journal.write_bytes(new)
    bench.start()


def test_who_reads_the_journal_is_named_and_nothing_is_replaced(
    bench: Bench, archive: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Reader(bench.journal) as reader:
        rows = reader.entries()
        next(rows)
        before = bench.journal.stat().st_ino
        assert command(custody_commands.main_rotate, bench, "--archive", archive) == 2
        assert "is being read" in capsys.readouterr().err
        assert bench.journal.stat().st_ino == before
        rows.close()
    bench.start()
    assert command(custody_commands.main_rotate, bench, "--archive", archive) == 0


def test_while_the_daemon_runs_nothing_is_done(bench: Bench, archive: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lock = WriterLock(bench.journal)
    assert command(custody_commands.main_rotate, bench, "--archive", archive) == 2
    assert "writes this journal, and only one may" in capsys.readouterr().err
    lock.release()
    assert list(archive.iterdir()) == []


def test_a_full_archive_leaves_everything_as_it_was(bench: Bench, tmp_path: Path) -> None:
    before = bench.journal.read_bytes()
    assert command(custody_commands.main_rotate, bench, "--archive", tmp_path / "none") == 2
    assert bench.journal.read_bytes()[100:] == before[100:]
    bench.start()


# --- clearing -------------------------------------------------------------------------------------------------------


def test_nobody_clears_without_the_order(
    bench: Bench, archive: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert clear(bench, archive, f"CLEAR {TABLE}", monkeypatch) == 2
    assert "nobody has ordered that it be cleared" in capsys.readouterr().err
    assert bench.order_clearing().clearing == TWO
    assert bench.order_clearing(Clearing.WITHDRAW).clearing is None
    assert clear(bench, archive, f"CLEAR {TABLE}", monkeypatch) == 2
    assert list(archive.iterdir()) == []


@pytest.mark.parametrize("typed", ["", "CLEAR", f"clear {TABLE}", f"CLEAR {TABLE}2", "yes"])
def test_only_the_exact_words_confirm(
    bench: Bench, archive: Path, typed: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    bench.order_clearing()
    assert clear(bench, archive, typed, monkeypatch) == 2
    told = capsys.readouterr()
    assert "nothing was done" in told.err
    assert "meter royal_9.mega: 50000.000000" in told.out
    assert list(archive.iterdir()) == []
    assert bench.start().clearing == TWO


def test_a_cleared_journal_begins_anew_and_says_after_what(
    bench: Bench, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = bench.order_clearing()
    with Reader(bench.journal) as reader:
        position = reader.position()
    assert position is not None
    assert clear(bench, archive, f"CLEAR {TABLE}", monkeypatch) == 0
    (exported,) = archive.glob("*.sqlite")
    (begun,) = bench.last_entries()
    assert isinstance(begun, JournalBegun)
    assert (begun.how, begun.approval, begun.old_seq) == (Succession.CLEARED, TWO, position.last_seq)
    assert begun.old_head == position.head.hex()
    assert [(m.meter, m.shown_micro) for m in begun.meters] == [(m.name, m.shown_micro) for m in old.meters]
    state = bench.start()
    assert state.clearing is None
    assert [n.kind for n in state.noted] == [Irregularity.JOURNAL_REPLACED]
    assert (state.round, state.next_award, state.next_slip) == (old.round, old.next_award, old.next_slip)
    bench.in_order(exported)


def test_every_account_of_a_meter_is_in_the_next_file_s_first_entry(
    bench: Bench, archive: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    keys = ev.InputsReady(2, (), False, True, True)
    mega, shown = "royal_9.mega", 50_000_000_000
    hidden = Transfer(mega, Account.SHOWN, shown, 5_000_001, mega, Account.HIDDEN)
    overflow = Transfer(mega, Account.SHOWN, shown - 5_000_001, 7, mega, Account.OVERFLOW)
    bench.start(keys, ev.OrderGiven(hidden, TWO, 3), ev.OrderGiven(overflow, TWO, 4))
    assert command(custody_commands.main_rotate, bench, "--archive", archive) == 0
    left = MeterLeft("royal_9.mega", shown - 5_000_008, 0, 5_000_001, 7)
    (begun,) = bench.last_entries()
    assert isinstance(begun, JournalBegun)
    assert begun.meters[0] == left
    bench.order_clearing()
    bench.in_order(*archive.glob("*.sqlite"))
    capsys.readouterr()
    assert clear(bench, archive, f"CLEAR {TABLE}", monkeypatch) == 0
    told = "meter royal_9.mega: 49994.999992, reserve 0.000000, hidden 5.000001, overflow 0.000007\n"
    assert told in capsys.readouterr().out
    (begun,) = bench.last_entries()
    assert isinstance(begun, JournalBegun)
    assert begun.meters[0] == left


@pytest.mark.parametrize(
    ("was", "becomes", "why"),
    [
        (f'id = "{TABLE}"', 'id = "SIM-9"', f"is of table {TABLE}, the configuration is of SIM-9"),
        (None, None, "it is the journal of a production table"),
    ],
)
def test_another_table_s_configuration_clears_nothing(
    bench: Bench,
    archive: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    was: str | None,
    becomes: str | None,
    why: str,
) -> None:
    if was is None:
        bench.profile = "production"
    bench.order_clearing()
    text = CONFIG.read_text("utf-8")
    other = tmp_path / "other.toml"
    other.write_text(text if was is None or becomes is None else text.replace(was, becomes), "utf-8")
    monkeypatch.setattr(sys, "stdin", io.StringIO("CLEAR SIM-9\n" if was else f"CLEAR {TABLE}\n"))
    assert custody_commands.clear(other, bench.folder, archive) == 2
    assert why in capsys.readouterr().err
    assert list(archive.iterdir()) == []
    assert bench.start().clearing == TWO


class _Deadly(apsw.VFS):
    """SQLite's own file system, told of each write, sync, truncation and removal before it happens."""

    def __init__(self, step: Callable[[], None]) -> None:
        self.step = step
        super().__init__("deadly", "", makedefault=True)

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        return _DeadlyFile(self.step, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        self.step()
        super().xDelete(filename, syncdir)


class _DeadlyFile(apsw.VFSFile):
    def __init__(self, step: Callable[[], None], name: Any, flags: list[int]) -> None:
        self.step = step
        super().__init__("unix", name, flags)

    def xLock(self, level: int) -> None:  # noqa: N802
        try:
            super().xLock(level)
        except apsw.IOError:  # a reader that would write at its end, which SQLite tries and passes over
            raise apsw.BusyError from None

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self.step()
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802
        self.step()
        super().xSync(flags)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        self.step()
        super().xTruncate(newsize)


def _killed(act: Callable[[], object], at: int, told: Path) -> None:
    """In a process of its own: do it, and die before the `at`-th step that changes a file or makes it durable."""
    count = 0

    def step() -> None:
        nonlocal count
        count += 1
        if count == at:
            os.kill(os.getpid(), signal.SIGKILL)

    def dying(real: Callable[..., object]) -> Callable[..., object]:
        def call(*arguments: object, **named: object) -> object:
            step()
            return real(*arguments, **named)

        return call

    vfs = _Deadly(step)
    for name in ("fsync", "link", "write"):
        setattr(os, name, dying(getattr(os, name)))
    for name in ("replace", "unlink"):
        setattr(Path, name, dying(getattr(Path, name)))
    assert act() == 0
    told.write_text(str(count), "utf-8")
    del vfs
    os._exit(0)


def kills(act: Callable[[], object], prepare: Callable[[], None], told: Path) -> Iterator[int]:
    """Do it whole once to count its steps, then again and again, killed at one of `KILLS` of them each time."""

    def run(at: int) -> int | None:
        prepare()
        child = multiprocessing.get_context("fork").Process(target=_killed, args=(act, at, told))
        child.start()
        child.join(60)
        return child.exitcode

    assert run(0) == 0
    steps = int(told.read_text("utf-8"))
    points = sorted({1 + index * (steps - 1) // (KILLS - 1) for index in range(KILLS)} | set(range(steps - 14, steps)))
    for at in points:
        assert run(at) == -signal.SIGKILL
        yield at


@pytest.mark.parametrize("what", ["clear", "rotate"])
def test_killed_at_any_step_it_leaves_the_old_journal_or_the_new_one(
    tmp_path: Path, what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    origin = Bench(tmp_path / "origin")
    origin.start(ev.DoorMoved(True, 2))
    if what == "clear":
        origin.order_clearing()
    with Reader(origin.journal) as reader:
        ended = reader.position()
    assert ended is not None
    run, archive = tmp_path / "run", tmp_path / "archive"
    seen: set[bool] = set()
    bench = origin

    def afresh() -> None:
        nonlocal bench
        for folder in (run, archive):
            shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(origin.folder, run)
        archive.mkdir()
        bench = Bench(run)

    def act() -> object:
        if what == "clear":
            return clear(bench, archive, f"CLEAR {TABLE}", monkeypatch)
        return command(custody_commands.main_rotate, bench, "--archive", archive)

    for _ in kills(act, afresh, tmp_path / "told"):
        bench.put_back()
        with Reader(bench.journal) as reader:
            report = reader.verify()
            position = reader.position()
        assert position is not None
        old = position.head == ended.head
        assert old or report.anchor == ended.head
        seen.add(old)
        exported = list(archive.glob("*.sqlite"))
        if not old:
            bench.in_order(*exported)
        state = bench.start()  # the daemon starts on whichever it is
        assert (state.clearing is None) or old
        bench.in_order(*([] if old else exported))
        if old:
            with contextlib.redirect_stdout(io.StringIO()):
                assert act() == 0, "and the same call does it after all"
        bench.start()
    assert seen == {True, False}


# --- bringing back ----------------------------------------------------------------------------------------------------

RESTORE = ("--first", "Ann Lee", "--second", "Bob Roe", "--reason", "the card died")


def test_a_copy_is_brought_back_by_two_persons_and_what_is_lost_is_said(
    bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    copy = tmp_path / "copy"
    copy_journal(bench.journal, copy)
    bench.start(ev.DoorMoved(True, 7))
    assert command(custody_commands.main_restore, bench, copy, *RESTORE) == 2
    assert "nothing is to be restored" in capsys.readouterr().err
    bench.journal.unlink()
    with pytest.raises(JournalReplaced, match="is missing"):
        bench.start()
    assert command(custody_commands.main_restore, bench, copy, *RESTORE) == 0
    assert "LOST: the table had acknowledged entry 4; entries 3 to 4 are not in the copy" in capsys.readouterr().out
    (begun,) = bench.last_entries()
    assert isinstance(begun, JournalBegun)
    assert (begun.how, begun.generation, begun.old_seq) == (Succession.RESTORED, 2, 2)
    assert "entry 4" in begun.noted
    state = bench.start()
    assert (state.next_award, state.next_slip) == (1_001, 1_001), "entries 3 to 4 may have given some out"
    assert Irregularity.JOURNAL_REPLACED in [n.kind for n in state.noted]
    bench.in_order()


@pytest.mark.parametrize("names", [("Ann", "ann "), ("", "Bob")])
def test_one_person_brings_nothing_back(bench: Bench, tmp_path: Path, names: tuple[str, str]) -> None:
    copy = tmp_path / "copy"
    copy_journal(bench.journal, copy)
    bench.journal.unlink()
    options = ["--first", names[0], "--second", names[1], "--reason", "x"]
    assert command(custody_commands.main_restore, bench, copy, *options) == 2
    assert not bench.journal.exists()


def test_a_damaged_journal_is_kept_aside_when_its_copy_is_brought_back(bench: Bench, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy_journal(bench.journal, copy)
    damaged = bytearray(bench.journal.read_bytes())
    damaged[len(damaged) // 2 :] = bytes(len(damaged) - len(damaged) // 2)
    bench.journal.write_bytes(damaged)
    assert command(custody_commands.main_restore, bench, copy, *RESTORE) == 0
    assert (bench.folder / "journal.sqlite.replaced-2").read_bytes() == damaged
    bench.start()
    bench.in_order()


def test_without_the_noted_head_the_journal_is_accepted_by_two_persons(bench: Bench) -> None:
    bench.noted.unlink()
    with pytest.raises(JournalReplaced, match="is missing, so nobody can tell"):
        bench.start()
    assert command(custody_commands.main_restore, bench, bench.journal, *RESTORE) == 0
    bench.start()
    bench.in_order()


def test_a_pipe_in_the_noted_head_s_place_is_not_waited_for(bench: Bench) -> None:
    bench.noted.unlink()
    os.mkfifo(bench.noted)
    with pytest.raises(JournalReplaced, match="no regular file"):
        bench.start()


def test_a_lost_key_is_replaced_and_the_journal_accepted(bench: Bench) -> None:
    old = Signer.load(bench.key).public
    for file in (bench.key, bench.key.with_name("signing.key.pub")):
        file.unlink()
    make_key(bench.key)
    with pytest.raises(JournalReplaced, match="is signed by the key"):
        bench.start()
    assert command(custody_commands.main_restore, bench, bench.journal, *RESTORE) == 1
    bench.noted.unlink()
    assert command(custody_commands.main_restore, bench, bench.journal, *RESTORE) == 1, "nobody said whose it is"
    earlier = ("--public-key", old.hex())
    assert command(custody_commands.main_restore, bench, bench.journal, *RESTORE, *earlier) == 0
    bench.start()
    with Reader(bench.journal) as reader:
        reader.verify(public_keys=[old, Signer.load(bench.key).public])


def test_another_table_s_copy_is_refused(bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    copy = tmp_path / "copy"
    copy_journal(bench.journal, copy)
    bench.journal.unlink()
    other = tmp_path / "other.toml"
    other.write_text(CONFIG.read_text("utf-8").replace(f'id = "{TABLE}"', 'id = "SIM-9"'), "utf-8")
    options = [str(copy), *RESTORE, "--config", str(other), "--run-dir", str(bench.folder)]
    assert custody_commands.main_restore(options) == 2
    assert f"is of table {TABLE}, the configuration is of SIM-9" in capsys.readouterr().err


def test_a_copy_that_another_key_signed_is_refused_whoever_brings_it(
    bench: Bench, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Its chain is in order and it names this table: only the key tells that this table never wrote it."""
    forger = Bench(tmp_path / "forger")
    forger.start(ev.DoorMoved(True, 2))
    copy = tmp_path / "copy"
    copy_journal(forger.journal, copy)
    bench.journal.unlink()
    assert command(custody_commands.main_restore, bench, copy, *RESTORE) == 1
    assert "another key's journal, or a forged one" in capsys.readouterr().err
    assert not bench.journal.exists()


def test_the_audit_sees_who_brought_a_copy_back(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copy = tmp_path / "copy"
    copy_journal(bench.journal, copy)
    bench.journal.unlink()
    with monkeypatch.context() as patched:
        patched.setattr(custody, "reasons_against_persons", lambda approval: iter(()))
        one = ("--first", "Ann Lee", "--second", "Lee, Ann", "--reason", "the card died")
        assert command(custody_commands.main_restore, bench, copy, *one) == 0
    bench.start()
    with Reader(bench.journal) as reader:
        found = [f.item for f in walk(reader, Auditor()) if isinstance(f.item, Finding)]
    assert [(item.subject, item.what) for item in found] == [("journal", "journal restored")]


def test_every_restoring_has_a_generation_of_its_own_and_keeps_what_it_replaces(bench: Bench, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    copy_journal(bench.journal, copy)
    replaced = []
    for generation in (2, 3):
        bench.start(ev.DoorMoved(True, 7))
        replaced.append(bench.journal.read_bytes())
        bench.noted.unlink()  # so the copy alone would say which generation is next
        assert command(custody_commands.main_restore, bench, copy, *RESTORE) == 0
        (begun,) = bench.last_entries()
        assert isinstance(begun, JournalBegun)
        assert begun.generation == generation
    damaged = bytes(len(replaced[0]))
    bench.journal.write_bytes(damaged)  # nothing tells its generation
    bench.noted.unlink()
    assert command(custody_commands.main_restore, bench, copy, *RESTORE) == 0
    kept = [bench.folder / f"journal.sqlite.replaced-{generation}" for generation in (2, 3, 4)]
    assert [file.read_bytes() for file in kept] == [*replaced, damaged]
    bench.start()
    bench.in_order()


def test_what_an_interrupted_attempt_left_is_no_journal_once_the_table_has_gone_on(
    bench: Bench, archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(custody, "take_place", dies)
        command(custody_commands.main_rotate, bench, "--archive", archive)
    bench.start(ev.DoorMoved(True, 7))
    bench.journal.with_name("journal.sqlite.next").rename(bench.journal)
    with pytest.raises(JournalReplaced, match="ends without what was acknowledged"):
        bench.start()


def test_a_copy_of_play_for_money_is_no_simulated_table_s(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bench = Bench(tmp_path / "run")
    bench.profile = "production"
    bench.start()
    copy = tmp_path / "copy"
    copy_journal(bench.journal, copy)
    bench.journal.unlink()
    assert command(custody_commands.main_restore, bench, copy, *RESTORE) == 2
    assert "it is the journal of a production table" in capsys.readouterr().err
    assert not bench.journal.exists()


def test_killed_at_any_step_a_restoring_is_done_by_the_same_call(tmp_path: Path) -> None:
    origin = Bench(tmp_path / "origin")
    origin.start(ev.DoorMoved(True, 2))
    copy = tmp_path / "copy"
    copy_journal(origin.journal, copy)
    origin.start(ev.DoorMoved(True, 7))
    shutil.copy(copy, origin.journal)  # an old copy came back
    run = tmp_path / "run"
    bench = origin

    def afresh() -> None:
        nonlocal bench
        shutil.rmtree(run, ignore_errors=True)
        shutil.copytree(origin.folder, run)
        bench = Bench(run)

    def act() -> int:
        return command(custody_commands.main_restore, bench, copy, *RESTORE)

    for _ in kills(act, afresh, tmp_path / "told"):
        with Reader(bench.journal) as reader:
            reader.verify()
        with contextlib.suppress(JournalReplaced):
            bench.start()
            continue
        assert act() == 0
        bench.start()
        bench.in_order()


def test_another_user_s_files_are_left_alone(bench: Bench, archive: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a file away")
    os.chown(bench.key, 12_345, -1)
    assert command(custody_commands.main_rotate, bench, "--archive", archive) == 2
    assert list(archive.iterdir()) == []
