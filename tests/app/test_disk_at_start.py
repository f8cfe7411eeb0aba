"""The disk fails when a table starts, or where the head is noted: nothing is lost, it is said, and it recovers."""

from __future__ import annotations

import resource
from pathlib import Path
from typing import Any

import apsw
import pytest

from firmware.app import main
from firmware.core import events as ev
from firmware.journal.errors import JournalError, JournalLocked, JournalReplaced
from firmware.journal.heads import Custody, read_head
from firmware.journal.lock import WriterLock
from firmware.journal.reader import Reader
from firmware.journal.replay import restart
from firmware.journal.signing import Signer
from firmware.journal.writer import CommitFailed, Committed, Opened, OpenFailed, Outcome, open_journal
from tests.app.rig import CONFIG
from tests.app.test_custody import Bench
from tests.journal.sample import RoundEnded, Table, committed, play_round, programs
from tests.journal.torture_vfs import Action, Op, Plan, TortureVfs

SIGNER = Signer(bytes(32))


class FailingReads(apsw.VFS):
    """SQLite's own file system, whose `nth` read (from 1) fails; 0: none does."""

    def __init__(self) -> None:
        self.nth = self.count = 0
        super().__init__(f"failing-reads-{id(self)}", "")
        self.name = f"failing-reads-{id(self)}"

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        return _File(self, name, flags)


class _File(apsw.VFSFile):
    def __init__(self, vfs: FailingReads, name: Any, flags: list[int]) -> None:
        self.vfs = vfs
        super().__init__("", name, flags)

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802
        self.vfs.count += 1
        if self.vfs.count == self.vfs.nth:
            raise apsw.exception_for(apsw.SQLITE_IOERR_READ)
        return super().xRead(amount, offset)


@pytest.fixture
def played(tmp_path: Path) -> Path:
    """A journal that a killed daemon left, with its newest rounds in the WAL."""
    path = tmp_path / "table.journal"
    table = Table(path, custody=Custody(SIGNER, tmp_path / "noted"))
    committed(table.begin())
    for number in range(1, 4):
        play_round(table, number)
    kept = {suffix: Path(f"{path}{suffix}").read_bytes() for suffix in ("", "-wal")}
    noted = (tmp_path / "noted").read_bytes()
    table.close()
    for suffix, content in kept.items():
        Path(f"{path}{suffix}").write_bytes(content)
    (tmp_path / "noted").write_bytes(noted)
    return path


def open_and_close(path: Path, vfs: str | None) -> None:
    Table(path, create=False, vfs=vfs, custody=Custody(SIGNER, path.with_name("noted"))).close()


def test_a_read_that_fails_at_a_start_is_said_and_the_next_start_goes_on(played: Path) -> None:
    clean = {file: file.read_bytes() for file in played.parent.iterdir() if file.is_file()}
    vfs = FailingReads()
    open_and_close(played, vfs.name)
    reads = vfs.count
    assert reads > 5
    for nth in range(1, reads + 1):
        for file, content in clean.items():
            file.write_bytes(content)
        vfs.nth, vfs.count = nth, 0
        try:
            open_and_close(played, vfs.name)
        except JournalError as error:
            assert str(played) in str(error), error
            assert not isinstance(error, JournalReplaced), "a disk that does not answer is no exchanged journal"
        vfs.nth = 0
        open_and_close(played, vfs.name)
        with Reader(played) as reader:
            assert reader.verify(public_keys=[SIGNER.public]).entries == 24
            assert restart(reader, programs) is not None
    vfs.unregister()


@pytest.mark.parametrize("action", [Action.FAIL_FULL, Action.FAIL_IO])
@pytest.mark.parametrize("nth", [1, 2, 3, 5])
def test_a_full_or_failing_disk_at_a_start_is_said_and_the_next_start_goes_on(
    played: Path, action: Action, nth: int
) -> None:
    vfs = TortureVfs()
    vfs.arm(Plan(frozenset({Op.WRITE, Op.SYNC}), nth, action, lasting=True))
    custody = Custody(SIGNER, played.with_name("noted"))
    try:
        table = Table(played, create=False, vfs=vfs.name, custody=custody)
        assert isinstance(table.begin(), CommitFailed), "it could be opened; then the segment can't be written"
        table.close()
    except JournalError as error:
        assert str(played) in str(error)
    vfs.arm(None)
    open_and_close(played, None)
    with Reader(played) as reader:
        assert reader.verify(public_keys=[SIGNER.public]).entries == 24
    vfs.unregister()


def test_a_first_start_that_a_full_disk_cut_off_is_done_by_the_next(tmp_path: Path) -> None:
    path, noted = tmp_path / "table.journal", tmp_path / "noted"
    vfs = TortureVfs()
    for nth in range(1, 12):
        vfs.arm(Plan(frozenset({Op.WRITE, Op.SYNC}), nth, Action.FAIL_FULL, lasting=True))
        try:
            table = Table(path, vfs=vfs.name, custody=Custody(SIGNER, noted))
            table.begin()
            table.close()
        except JournalError as error:
            assert "make room" in str(error) or "full" in str(error), error
        vfs.arm(None)
    table = Table(path, custody=Custody(SIGNER, noted))
    committed(table.begin())
    table.close()
    vfs.unregister()


# --- where the head is noted ----------------------------------------------------------------------------------------


def test_a_head_that_can_t_be_noted_closes_the_journal_until_it_can(tmp_path: Path) -> None:
    folder = tmp_path / "other-medium"
    folder.mkdir()
    table = Table(tmp_path / "table.journal", custody=Custody(SIGNER, folder / "noted"))
    committed(table.begin())
    outcome: Outcome = play_round(table, 1)
    folder.rename(tmp_path / "unplugged")
    while isinstance(outcome, Committed):  # the round whose head can't be noted is itself durable
        last, state, seq = outcome, table.state, table.seq
        outcome = table.play(RoundEnded(table.seq))
    assert isinstance(outcome, CommitFailed)
    assert "other-medium" in str(outcome.error)
    table.journal.reopen()
    answer = table.answer()
    assert isinstance(answer, OpenFailed)
    assert "noted: is missing" in str(answer.error)
    (tmp_path / "unplugged").rename(folder)
    table.journal.reopen()
    answer = table.answer()
    assert isinstance(answer, Opened)
    assert answer.position is not None
    assert answer.position.last_seq == last.last_seq
    table.state, table.seq = state, seq
    play_round(table, 9)
    table.close()
    head = read_head(folder / "noted")
    with Reader(tmp_path / "table.journal") as reader:
        position = reader.position()
    assert head is not None
    assert position is not None
    assert head.head.head == position.head


# --- the daemon -----------------------------------------------------------------------------------------------------


def run_daemon(bench: Bench, monkeypatch: pytest.MonkeyPatch, vfs: str | None) -> int:
    def opened(path: Path, *arguments: Any, **named: Any) -> Any:
        return open_journal(path, *arguments, **{**named, "vfs": vfs})

    monkeypatch.setattr(main, "open_journal", opened)
    return main.run(CONFIG, bench.folder, create_journal=False)


def test_the_daemon_ends_with_1_where_the_disk_may_recover_and_with_78_where_a_person_must_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    bench = Bench(tmp_path / "run")
    bench.start(ev.DoorMoved(True, 2))
    old = bench.journal.read_bytes()
    vfs = FailingReads()
    vfs.nth = 3
    assert run_daemon(bench, monkeypatch, vfs.name) == 1
    told = capfd.readouterr().err
    assert "check the card and the system's log" in told
    assert "Traceback" not in told
    bench.start(ev.DoorMoved(True, 3))
    bench.journal.write_bytes(old)
    assert run_daemon(bench, monkeypatch, None) == 78
    told = capfd.readouterr().err
    assert "ends without what was acknowledged" in told
    assert "tabled journal restore" in told
    bench.journal.write_bytes(old[: len(old) // 2])
    assert run_daemon(bench, monkeypatch, None) == 78
    bench.key.chmod(0o644)
    assert run_daemon(bench, monkeypatch, None) == 78
    assert "expected 0600" in capfd.readouterr().err
    vfs.unregister()


def test_a_full_disk_does_not_keep_the_lock_from_being_held(tmp_path: Path) -> None:
    """Whose it is can't be written then; a start says what the journal's disk does, and ends by no other error."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))
    try:
        lock = WriterLock(tmp_path / "journal")
        with pytest.raises(JournalLocked, match="process unknown writes this journal"):
            WriterLock(tmp_path / "journal")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    lock.release()
