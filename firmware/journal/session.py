"""One writing connection from its opening to its first failure: what a transaction holds and when the WAL goes back.

Rules: used by one thread only (`writer`). Every method raises JournalError and nothing else for what the disk, the file
or a record does; after that the caller may only `drop`. A transaction begins with a look at the chain's head, and ends
with a look at the files' names: nobody else has written, and the names still lead to what was written.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Generic, TypeVar

import apsw

from firmware.journal.codec import sha256
from firmware.journal.database import check_tables, named_errors, open_for_writing
from firmware.journal.errors import JournalDamaged, JournalError, JournalReplaced, RecordError
from firmware.journal.heads import Custody, Head
from firmware.journal.reader import Position, read_position, read_tail
from firmware.journal.records import (
    NO_HASH,
    SNAPSHOT_EVERY,
    Batch,
    EntryRow,
    RecordCodec,
    SegmentHeader,
    SegmentRow,
    SegmentStart,
    encode_header,
    entry_hash,
    segment_hash,
)
from firmware.journal.verify import has_snapshot, verify

E = TypeVar("E")
F = TypeVar("F")
S = TypeVar("S")

WAL_PAGES_LIMIT = 4_000
"""16 MiB. Reached only when rounds are very long or a reader holds the file open."""

WAL_PAGES_MOST = 64_000
"""250 MiB: some seven hours of play past a reader that never lets go. Then the journal is not written any more: the
table closes and says so, rather than that the card fills up; it goes on by itself when the reader has ended."""

_INSERT_ENTRY = f"INSERT INTO entry VALUES ({', '.join('?' * len(EntryRow._fields))})"
_INSERT_SEGMENT = f"INSERT INTO segment VALUES ({', '.join('?' * len(SegmentRow._fields))})"
_INSERT_SNAPSHOT = "INSERT INTO snapshot VALUES (?, ?, ?, ?)"


class Session(Generic[E, F, S]):
    """An open journal, written by this thread."""

    def __init__(
        self,
        path: Path,
        codec: RecordCodec[E, F, S],
        vfs: str | None,
        custody: Custody | None,
        continues: Position | None = None,
    ) -> None:
        """`continues`: where the file ends that a file without a segment goes on after."""
        self._path = path
        self._codec = codec
        self._custody = custody
        self._continues = continues
        self._generation = 0
        self._public_key = ""
        self.position: Position | None = None
        self._since_snapshot = 0
        self._state_schema: int | None = None
        self._last_state_hash: bytes | None = None
        self._files: tuple[tuple[int, int], ...] = ()
        self._wal_pages = 0
        self._wal_pages_due = WAL_PAGES_LIMIT
        self._snapshot_written = False
        self._finished = False
        self._connection = open_for_writing(path, vfs)
        self._connection.set_wal_hook(self._note_wal_pages)

    def check(self, acknowledged: Position | None, whole: bool) -> None:
        """Write the WAL back, then check the file: all of it, or the newest snapshot and what follows.

        The WAL goes back first because after a failed sync its pages may be in the system's memory only, marked as
        written; copied into the database file they are written, and synced, once more. `acknowledged` must be there.
        """
        with named_errors(self._path):
            try:
                self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_FULL)
            except apsw.BusyError as error:
                raise JournalError(
                    f"{self._path}: a reader holds an old view of the file, so the WAL can't be written "
                    "back; end it (journal verify, show, hil), this is tried again"
                ) from error
            check_tables(self._connection)  # a trigger put in would act on the first insertion
            if whole:
                verify(self._connection, acknowledged.head if acknowledged else None)
            tail = read_tail(self._connection)
            if self._custody is not None:
                self._custody.check(self._connection, self._path, tail.header.generation if tail else 0)
        if tail is not None:
            self.position = tail.position
            self._since_snapshot = len(tail.rows)
            self._take_header(tail.header)
            self._last_state_hash = tail.last_state_hash
        self._files = self._identities()

    def commit(self, work: Batch[E, F, S] | SegmentStart[S]) -> Position:
        """One durable transaction; returns the new end of the journal."""
        position = self._commit_batch(work) if isinstance(work, Batch) else self._commit_segment(work)
        if self._identities() != self._files:
            raise JournalReplaced(
                f"{self._path}: it, its -wal, -shm or .lock file was removed or exchanged while the "
                "journal was open; find out by whom, and put the files back"
            )
        self.position = position
        return position

    def write_back(self, idle: bool) -> None:
        """Copy the WAL into the database where the moment suits: see the rules of `writer`."""
        if (self._snapshot_written and idle) or self._wal_pages >= self._wal_pages_due:
            self.note()
            with named_errors(self._path):
                try:
                    pages, done = self._connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
                except apsw.BusyError:  # somebody else is at it: their work is as good, and there is a next time
                    return
            self._snapshot_written = False
            if done < pages and pages >= WAL_PAGES_MOST:
                raise JournalError(
                    f"{self._path}: a reader has held an old view of the file for so long that its -wal has {pages} "
                    "pages; end it (journal verify, show, backup, hil), then the journal is written again"
                )
            # A reader that holds the file makes the WAL grow; trying again at every commit would not shorten it.
            self._wal_pages_due = WAL_PAGES_LIMIT if done == pages else pages + WAL_PAGES_LIMIT

    def note(self) -> None:
        """Note outside the journal how far it has come."""
        if self._custody is not None and self.position is not None:
            self._custody.note(self._head(self.position))

    def finish(self) -> None:
        """Close in order; the last connection writes the WAL back and removes it."""
        self.note()
        with named_errors(self._path):
            self._connection.close()
        self._finished = True

    def drop(self) -> None:
        """Close after a failure: touch nothing more of the file. The WAL stays for `check` of the next session."""
        if self._finished:
            return
        try:
            self._connection.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            self._connection.close()
        except apsw.Error:  # a connection that fails at closing, too, has failed already and been reported
            return

    def _commit_batch(self, batch: Batch[E, F, S]) -> Position:
        position = self.position
        if position is None:
            raise RecordError("an entry came before any segment; begin one first")
        ends_round = any(entry.ends_round is not None for entry in batch.entries)
        snapshot = ends_round or self._since_snapshot + len(batch.entries) >= SNAPSHOT_EVERY
        states = self._codec.states
        state = states.encode_checked(batch.state) if snapshot else states.encode(batch.state)
        rows = self._rows(batch, position, sha256(state), snapshot)
        after = Position(position.segment, rows[-1].seq, rows[-1].hash)
        with named_errors(self._path):
            self._begin(position)
            self._connection.executemany(_INSERT_ENTRY, rows)
            if snapshot:
                values = (after.segment, after.last_seq, state.decode(), self._signature(after))
                self._connection.execute(_INSERT_SNAPSHOT, values)
            self._connection.execute("COMMIT")
        self._since_snapshot = 0 if snapshot else self._since_snapshot + len(rows)
        self._snapshot_written |= snapshot
        self._last_state_hash = rows[-1].state_hash
        return after

    def _rows(self, batch: Batch[E, F, S], after: Position, state_hash: bytes, snapshot: bool) -> list[EntryRow]:
        rows: list[EntryRow] = []
        seq, head, last = after.last_seq, after.head, len(batch.entries) - 1
        for index, entry in enumerate(batch.entries):
            seq += 1
            if entry.seq != seq:
                raise RecordError(f"entry {entry.seq} can't follow entry {seq - 1}; expected {seq}")
            ends = index == last
            row = EntryRow(
                seq,
                after.segment,
                entry.at_ns,
                entry.wall_ns,
                self._codec.encode_body(entry),
                entry.ends_round,
                state_hash if ends else None,
                int(snapshot and ends),
                head,
                NO_HASH,
            )
            head = entry_hash(row)
            rows.append(row._replace(hash=head))
        return rows

    def _commit_segment(self, start: SegmentStart[S]) -> Position:
        before = self.position
        after_this = before or self._continues
        number, last_seq, prev_hash = (
            (after_this.segment, after_this.last_seq, after_this.head) if after_this else (0, 0, NO_HASH)
        )
        state = self._codec.states.encode_checked(start.state)
        row = SegmentRow(
            number + 1,
            last_seq + 1,
            start.at_ns,
            start.wall_ns,
            encode_header(start.header),
            sha256(state),
            prev_hash,
            NO_HASH,
        )
        row = row._replace(hash=segment_hash(row))
        after = Position(row.number, last_seq, row.hash)
        with named_errors(self._path):
            self._begin(before)
            if before is not None and start.header.state_schema != self._state_schema:
                self._close_schema(before, start)
            self._take_header(start.header)
            self._connection.execute(_INSERT_SEGMENT, row)
            values = (row.number, last_seq, state.decode(), self._signature(after))
            self._connection.execute(_INSERT_SNAPSHOT, values)
            self._connection.execute("COMMIT")
        self._since_snapshot = 0
        self._snapshot_written = True
        self._last_state_hash = row.state_hash
        return after

    def _take_header(self, header: SegmentHeader) -> None:
        self._state_schema = header.state_schema
        self._generation = header.generation
        self._public_key = header.public_key

    def _head(self, position: Position) -> Head:
        return Head(self._generation, position.segment, position.last_seq, position.head)

    def _signature(self, position: Position) -> bytes | None:
        """Of the head at `position`, by the key that the segment names. Raises RecordError where ours is another."""
        ours = "" if self._custody is None else self._custody.signer.public.hex()
        if ours != self._public_key:
            raise RecordError(
                f"segment {position.segment} is signed by the key {self._public_key or 'of nobody'}, ours is "
                f"{ours or 'none'}: begin a segment of our own first"
            )
        return None if self._custody is None else self._custody.signer.sign(self._head(position).message())

    def _close_schema(self, before: Position, start: SegmentStart[S]) -> None:
        """The last segment of a schema ends with a snapshot under it."""
        if has_snapshot(self._connection, before.segment, before.last_seq):
            return
        if start.closing_state is None or sha256(start.closing_state) != self._last_state_hash:
            raise RecordError(
                f"segment {before.segment + 1} changes the state schema from {self._state_schema} to "
                f"{start.header.state_schema}; closing_state must be the text of the state after entry "
                f"{before.last_seq} under the old one"
            )
        values = (before.segment, before.last_seq, start.closing_state.decode(), None)
        self._connection.execute(_INSERT_SNAPSHOT, values)

    def _begin(self, expected: Position | None) -> None:
        self._connection.execute("BEGIN IMMEDIATE")
        found = read_position(self._connection)
        if found != expected:
            raise JournalDamaged(f"{self._path}: ends at {found}, expected {expected}: another program wrote to it")

    def _identities(self) -> tuple[tuple[int, int], ...]:
        found = []
        for suffix in ("", "-wal", "-shm", ".lock"):
            try:
                status = os.stat(f"{self._path}{suffix}")  # noqa: PTH116  # once a commit, and Path costs more than stat
            except OSError as error:
                raise JournalReplaced(
                    f"{self._path}{suffix}: {error.strerror}, while the journal was open; find out "
                    "who removed it, and put it back"
                ) from error
            found.append((status.st_dev, status.st_ino))
        return tuple(found)

    def _note_wal_pages(self, _connection: apsw.Connection, _name: str, pages: int) -> int:
        self._wal_pages = pages
        return apsw.SQLITE_OK
