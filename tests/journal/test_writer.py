"""The writer: commits, failures, reopening, a hung disk, a second writer, files that vanish. Real files throughout."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from firmware.journal import database, session
from firmware.journal.codec import sha256
from firmware.journal.errors import (
    JournalDamaged,
    JournalError,
    JournalLocked,
    JournalMissing,
    JournalReplaced,
    RecordError,
    WriterBlocked,
)
from firmware.journal.reader import Reader
from firmware.journal.records import Batch, Entry, SegmentStart
from firmware.journal.replay import replay, restart
from firmware.journal.writer import CommitFailed, Committed, Opened, OpenFailed, Outcome
from tests.journal.sample import (
    Contributed,
    Effect,
    Event,
    RoundEnded,
    Sensed,
    State,
    Table,
    committed,
    header,
    play_round,
    programs,
    start_state,
)
from tests.journal.torture_vfs import Action, Op, Plan, TortureVfs


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table.journal"


@pytest.fixture
def vfs() -> Iterator[TortureVfs]:
    shim = TortureVfs()
    yield shim
    shim.unblock.set()
    shim.unregister()


def opened(outcome: Outcome) -> Opened:
    assert isinstance(outcome, Opened), outcome
    return outcome


def failed(outcome: Outcome) -> CommitFailed:
    assert isinstance(outcome, CommitFailed), outcome
    return outcome


def reopen(table: Table) -> Opened:
    """As the engine does it: at once, when the failure has been told."""
    table.journal.reopen()
    return opened(table.answer())


def test_batches_are_committed_in_order_and_play_again(path: Path) -> None:
    table = Table(path)
    assert table.opened_at is None
    committed(table.begin())
    first = committed(table.play(Sensed(1, True, 5)))
    assert (first.first_seq, first.last_seq) == (1, 1)
    second = committed(table.play(Contributed(1, 50), Contributed(2, 60), RoundEnded(7)))
    assert (second.first_seq, second.last_seq) == (2, 4)
    with Reader(path) as reader:  # while the writer is open
        assert reader.verify().head == second.head
        rows = list(reader.entries())
        assert [row.state_hash is not None for row in rows] == [True, False, False, True]
        assert [row.snapshot for row in rows] == [0, 0, 0, 1]
        assert [(r.number, r.first_seq, r.last_seq) for r in reader.rounds()] == [(7, 1, 4)]
        stands = restart(reader, programs)
    assert stands is not None
    assert stands.state == table.state
    table.close()
    again = Table(path, create=False)
    assert again.opened_at is not None
    assert again.opened_at.head == second.head
    again.close()


def test_a_snapshot_comes_after_a_thousand_entries_without_a_round_s_end(path: Path) -> None:
    table = Table(path)
    committed(table.begin())
    for _ in range(25):
        committed(table.play(*(Contributed(1, 1) for _ in range(100))))
    table.close()
    with Reader(path) as reader:
        assert [row.seq for row in reader.entries() if row.snapshot] == [1_000, 2_000]
        stands = restart(reader, programs)
    assert stands is not None
    assert stands.entries == 500


def test_a_gap_in_the_sequence_is_refused_and_nothing_is_written(path: Path) -> None:
    table = Table(path)
    committed(table.begin())
    committed(table.play(Contributed(1, 1)))
    table.seq += 1
    assert "entry 3 can't follow entry 1" in str(failed(table.play(Contributed(1, 1))).error)
    position = reopen(table).position
    assert position is not None
    assert position.last_seq == 1
    table.close()


def test_what_could_not_be_read_back_is_not_written(path: Path) -> None:
    table = Table(path)
    committed(table.begin())
    wrong: Batch[Event, Effect, State] = Batch((Entry(1, 1, 1, Contributed(1, 1.5), ()),), table.state)  # type: ignore[arg-type]
    table.journal.submit(wrong)
    assert "Expected `int`, got `float` - at `$.event.amount_micro`" in str(failed(table.answer()).error)
    table.close()


def test_an_entry_needs_a_segment_and_a_batch_an_entry(path: Path) -> None:
    table = Table(path)
    assert "begin one first" in str(failed(table.play(Contributed(1, 1))).error)
    with pytest.raises(RecordError):
        Batch((), table.state)
    table.close()


@pytest.mark.parametrize("action", [Action.FAIL_IO, Action.FAIL_FULL])
@pytest.mark.parametrize("op", [Op.WRITE, Op.SYNC])
def test_a_failed_commit_fails_all_that_waits(path: Path, vfs: TortureVfs, op: Op, action: Action) -> None:
    table = Table(path, vfs=vfs.name)
    committed(table.begin())
    before = committed(table.play(Contributed(1, 10)))
    state = table.state
    vfs.arm(Plan(frozenset({op}), 1, action))
    table.journal.submit(table.batch(Contributed(1, 20)))
    table.journal.submit(table.batch(Contributed(1, 30)))
    assert failed(table.answer()).last_seq == 2
    assert failed(table.answer()).last_seq == 3
    table.journal.submit(table.batch(Contributed(1, 40)))  # the loop may not have heard yet
    assert failed(table.answer()).last_seq == 4
    position = reopen(table).position
    assert position is not None
    # A failed sync leaves a whole transaction that the system still holds: it may get in, whole, or not at all.
    assert position.last_seq in ((1,) if op is Op.WRITE else (1, 2))
    with Reader(path) as reader:
        stands = restart(reader, programs)
    assert stands is not None
    table.state, table.seq = stands.state, position.last_seq
    if position.last_seq == 1:
        assert (stands.state, position.head) == (state, before.head)
    committed(table.play(Contributed(1, 50)))
    table.close()
    with Reader(path) as reader:
        reader.verify(before.head)
        replay(reader, programs)


def test_a_disk_that_stays_full_keeps_the_journal_closed_and_unharmed(path: Path, vfs: TortureVfs) -> None:
    table = Table(path, vfs=vfs.name)
    committed(table.begin())
    play_round(table, 1)
    vfs.arm(Plan(frozenset({Op.WRITE}), 1, Action.FAIL_FULL, lasting=True))
    assert "make room" in str(failed(table.play(Contributed(1, 1))).error)
    # Opening writes nothing when the WAL has gone back; the next commit fails again.
    table.journal.reopen()
    answer = table.answer()
    if isinstance(answer, Opened):
        table.seq -= 1
        failed(table.play(Contributed(1, 1)))
    else:
        assert isinstance(answer, OpenFailed)
    vfs.arm(None)
    position = reopen(table).position
    assert position is not None
    assert position.last_seq == 8
    table.close()


def test_a_full_file_system(tmp_path: Path) -> None:
    """The real thing where a small file system can be mounted; the shim's version runs everywhere."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=512k", "tmpfs", str(tmp_path)]
    mounted = subprocess.run(mount, capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip(f"no tmpfs can be mounted here: {mounted.stderr.decode().strip()}")
    try:
        table = Table(tmp_path / "table.journal", state=start_state(20_000))
        outcome: Outcome = table.begin()
        number = 0
        last: Committed | None = None
        while isinstance(outcome, Committed):
            last, number = outcome, number + 1
            outcome = table.play(RoundEnded(number))
        assert last is not None
        assert isinstance(outcome, CommitFailed)
        table.journal.close()
        with Reader(tmp_path / "table.journal") as reader:
            assert reader.verify(last.head).entries >= last.last_seq
    finally:
        subprocess.run(["umount", tmp_path], check=True)


def test_a_hung_disk_is_given_up_and_the_old_thread_writes_no_more(path: Path, vfs: TortureVfs) -> None:
    table = Table(path, vfs=vfs.name)
    committed(table.begin())
    committed(table.play(Contributed(1, 10)))
    vfs.arm(Plan(frozenset({Op.SYNC}), 1, Action.BLOCK))
    table.journal.submit(table.batch(Contributed(1, 20)))
    table.journal.submit(table.batch(Contributed(1, 30)))
    assert vfs.blocked.wait(10)
    table.journal.abandon()
    with pytest.raises(WriterBlocked):
        table.journal.reopen()
    assert not table.journal.wait_ended(0)
    table.journal.submit(table.batch(Contributed(1, 40)))
    assert failed(table.answer()).last_seq == 4  # refused at once, though the thread hangs
    vfs.unblock.set()
    assert failed(table.answer()).last_seq == 2  # it did get in, but nobody could know in time
    assert failed(table.answer()).last_seq == 3
    assert table.journal.wait_ended(10)
    position = reopen(table).position
    assert position is not None
    assert position.last_seq == 2
    table.seq = 2
    committed(table.play(Contributed(1, 50)))
    table.close()
    with Reader(path) as reader:
        reader.verify()


def test_closing_with_a_hung_disk_ends(path: Path, vfs: TortureVfs) -> None:
    table = Table(path, vfs=vfs.name)
    committed(table.begin())
    vfs.arm(Plan(frozenset({Op.SYNC}), 1, Action.BLOCK))
    table.journal.submit(table.batch(Contributed(1, 20)))
    assert vfs.blocked.wait(10)
    with pytest.raises(WriterBlocked):
        table.journal.close(timeout_s=0.01)
    vfs.unblock.set()
    committed(table.answer())
    table.close()


@pytest.mark.parametrize("suffix", ["", "-wal", "-shm", ".lock"])
@pytest.mark.parametrize("exchanged", [False, True])
def test_a_file_removed_or_exchanged_underneath_is_noticed_before_the_answer(
    path: Path, suffix: str, exchanged: bool
) -> None:
    table = Table(path)
    committed(table.begin())
    committed(table.play(Contributed(1, 10)))
    victim = Path(f"{path}{suffix}")
    victim.rename(victim.with_name("moved"))
    if exchanged:
        shutil.copy(victim.with_name("moved"), victim)
    error = failed(table.play(Contributed(1, 20))).error
    assert isinstance(error, JournalReplaced | JournalError)
    assert suffix in str(error)
    if suffix == "" and not exchanged:
        table.journal.reopen()
        answer = table.answer()
        assert isinstance(answer, OpenFailed)
        assert isinstance(answer.error, JournalMissing)
    table.close()


def test_an_older_copy_put_in_place_is_refused(path: Path, tmp_path: Path) -> None:
    table = Table(path)
    committed(table.begin())
    play_round(table, 1)
    table.close()
    shutil.copy(path, tmp_path / "older")
    table = Table(path, create=False, state=table.state)
    play_round(table, 2)
    for suffix in ("", "-wal", "-shm"):
        Path(f"{path}{suffix}").rename(tmp_path / f"newer{suffix}")
    shutil.copy(tmp_path / "older", path)
    failed(table.play(Contributed(1, 1)))
    table.journal.reopen()
    answer = table.answer()
    assert isinstance(answer, OpenFailed)
    assert "noted head" in str(answer.error)
    table.close()


def test_another_program_s_row_is_noticed_at_the_next_commit(path: Path) -> None:
    table = Table(path)
    committed(table.begin())
    committed(table.play(Contributed(1, 10)))
    stranger = apsw.Connection(str(path))
    stranger.execute(
        "INSERT INTO entry SELECT 2, segment, at_ns, wall_ns, body, ends_round, state_hash, snapshot, "
        "prev_hash, hash FROM entry WHERE seq = 1"
    )
    stranger.close()
    error = failed(table.play(Contributed(1, 20))).error
    assert isinstance(error, JournalDamaged)
    assert "another program" in str(error)
    table.journal.reopen()
    answer = table.answer()
    assert isinstance(answer, OpenFailed)
    assert "entry 2" in str(answer.error)
    table.close()


def test_a_trigger_put_in_while_nobody_wrote_is_refused_at_the_start(path: Path) -> None:
    table = Table(path)
    committed(table.begin())
    table.close()
    stranger = apsw.Connection(str(path))
    stranger.execute("CREATE TRIGGER quiet AFTER INSERT ON entry BEGIN DELETE FROM entry WHERE seq < new.seq; END")
    stranger.close()
    with pytest.raises(JournalDamaged, match="table definitions, quiet"):
        Table(path, create=False)


def test_one_writer_in_this_process_and_in_another(path: Path) -> None:
    table = Table(path)
    with pytest.raises(JournalLocked, match="only one may"):
        Table(path)
    code = (
        "import sys; from pathlib import Path; from tests.journal.sample import Table\n"
        "from firmware.journal.errors import JournalLocked\n"
        "try: Table(Path(sys.argv[1]))\n"
        "except JournalLocked as error: print(error); sys.exit(7)\n"
    )
    child = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=False)
    assert child.returncode == 7, child.stderr
    assert f"process {os.getpid()}" in child.stdout
    table.close()
    Table(path, create=False).close()


def test_the_wal_stays_small_and_a_reader_only_delays_it(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "WAL_PAGES_LIMIT", 50)
    wal = Path(f"{path}-wal")
    table = Table(path)
    committed(table.begin())
    for number in range(40):
        play_round(table, number)
    quiet = wal.stat().st_size
    assert quiet < 60 * 4_120
    with Reader(path) as reader:
        held = reader.entries()
        next(held)  # a view that stays open
        for number in range(40):
            play_round(table, number)
        assert wal.stat().st_size > quiet
        held.close()
    grown = 0
    for number in range(80):
        play_round(table, number)
        grown = max(grown, wal.stat().st_size)
    play_round(table, 81)
    assert wal.stat().st_size == grown  # used again from its start, not longer
    table.close()


def test_a_wal_that_a_reader_makes_grow_without_end_closes_the_journal(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "WAL_PAGES_LIMIT", 50)
    monkeypatch.setattr(session, "WAL_PAGES_MOST", 400)
    monkeypatch.setattr(database, "WAL_BYTES_KEPT", 60 * 4_120)
    monkeypatch.setattr(database, "BUSY_TIMEOUT_MS", 20)
    wal = Path(f"{path}-wal")
    table = Table(path)
    committed(table.begin())
    with Reader(path) as reader:
        held = reader.entries()
        committed(table.play(Sensed(1, True, 5)))
        held = reader.entries()
        next(held)
        outcome: Outcome = committed(table.play(Sensed(1, False, 5)))
        number = 0
        while isinstance(outcome, Committed):
            number += 1
            assert number < 2_000
            last_seq = outcome.last_seq
            state = table.state
            outcome = table.play(RoundEnded(number))
        assert "a reader has held an old view of the file for so long" in str(failed(outcome).error)
        assert wal.stat().st_size < 600 * 4_120
        table.journal.reopen()
        answer = table.answer()
        assert isinstance(answer, OpenFailed), answer
        assert "end it" in str(answer.error)
        held.close()
    position = reopen(table).position
    assert position is not None
    assert position.last_seq == last_seq, "what was acknowledged is there, and no more"
    table.seq, table.state = last_seq, state
    play_round(table, 5_000)
    table.close()
    with Reader(path) as reader:
        reader.verify()


def test_reopening_waits_for_no_reader_but_says_so(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware.journal.database.BUSY_TIMEOUT_MS", 20)
    table = Table(path)
    committed(table.begin())
    committed(table.play(Contributed(1, 10)))
    with Reader(path) as reader:
        held = reader.entries()
        next(held)
        committed(table.play(Contributed(1, 10)))
        table.seq += 1
        failed(table.play(Contributed(1, 10)))
        table.journal.reopen()
        answer = table.answer()
        assert isinstance(answer, OpenFailed)
        assert "a reader holds" in str(answer.error)
        held.close()
    assert reopen(table).position is not None
    table.close()


def test_a_schema_change_ends_the_segment_with_a_snapshot_under_both(path: Path) -> None:
    table = Table(path)
    committed(table.begin())
    committed(table.play(Contributed(1, 10)))
    text = programs(header()).codec.states.encode(table.state)
    assert "closing_state" in str(failed(table.begin(header(state_schema=2))).error)
    reopen(table)
    start = SegmentStart(header(state_schema=2), 1, 2, table.state, closing_state=text)
    table.journal.begin_segment(start)
    committed(table.answer())
    with Reader(path) as reader:
        assert reader.snapshot(1, 1) == text.decode()
        assert reader.snapshot(2, 1) is not None
        assert sha256(text) == reader.segments()[1].state_hash
        assert reader.verify().snapshots == 3
    table.close()


def test_wall_time_going_backwards_changes_nothing(path: Path) -> None:
    table = Table(path)
    committed(table.begin())
    for wall_ns in (9_000, 10, -5):
        (entry,) = table.batch(Contributed(1, 1)).entries
        moved = Entry(entry.seq, entry.at_ns, wall_ns, entry.event, entry.effects)
        table.journal.submit(Batch((moved,), table.state))
        committed(table.answer())
    table.close()
    with Reader(path) as reader:
        reader.verify()
        assert [row.wall_ns for row in reader.entries()] == [9_000, 10, -5]
        replay(reader, programs)
