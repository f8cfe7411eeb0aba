"""Reading a journal: from the same process, from another while the daemon writes, or from a copy.

Rules: a Reader can't write. Each call sees one state of the file, that of its first row. Rows are handed out as
stored; `recover` alone checks what it reads (hashes and links from the snapshot on), since a table will stand on it.
The whole chain is checked by `verify`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Generic, TypeVar, cast

import apsw
from msgspec import Struct

from firmware.journal.codec import sha256
from firmware.journal.database import named_errors, one_view, open_for_reading
from firmware.journal.errors import JournalDamaged, RecordError
from firmware.journal.heads import Head, SignedHead
from firmware.journal.records import (
    HEADER_CODEC,
    Entry,
    EntryRow,
    RecordCodec,
    SegmentHeader,
    SegmentRow,
    entry_row,
    segment_row,
)
from firmware.journal.verify import ENTRY_COLUMNS, SEGMENT_COLUMNS, Chain, Report, verify

E = TypeVar("E")
F = TypeVar("F")
S = TypeVar("S")


class Position(Struct, frozen=True):
    """Where a journal ends."""

    segment: int
    last_seq: int  # `first_seq - 1` of the segment while it has no entry
    head: bytes  # hash of the last row


class Mark(Struct, frozen=True, order=True):
    """The state after entry `seq` of a segment; `first_seq - 1` is that with which the segment opens."""

    segment: int
    seq: int


class Round(Struct, frozen=True):
    """The entries of one finished round of play: what came after the round before it ended, to its own end."""

    number: int
    first_seq: int
    last_seq: int


class Recorded(Struct, Generic[E, F], frozen=True):
    """An entry and, on the last of a transaction, the SHA-256 of the state after it."""

    entry: Entry[E, F]
    state_hash: bytes | None


class Recovered(Struct, Generic[E, F, S], frozen=True):
    """What a table restarts from: the latest snapshot and the entries after it, in order."""

    header: SegmentHeader  # of the last segment, to which snapshot and entries belong
    state: S
    entries: tuple[Recorded[E, F], ...]
    position: Position


class Reader:
    """An open journal, read-only."""

    def __init__(self, path: Path) -> None:
        """Raises what `database.open_for_reading` raises."""
        self._path = path
        self._connection = open_for_reading(path)

    def close(self) -> None:
        self._connection.close()

    def __enter__(self) -> Reader:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def verify(self, noted_head: bytes | None = None, public_keys: Collection[bytes] = ()) -> Report:
        """`verify.verify` on this file."""
        with named_errors(self._path):
            return verify(self._connection, noted_head, public_keys)

    def holds(self, head: bytes) -> bool:
        """Whether a row has this hash. Reads all of them."""
        query = "SELECT 1 FROM segment WHERE hash = ?1 UNION ALL SELECT 1 FROM entry WHERE hash = ?1 LIMIT 1"
        with named_errors(self._path):
            return next(iter(self._connection.execute(query, (head,))), None) is not None

    def newest_signed(self) -> SignedHead | None:
        """The newest head that stands signed in the journal, as it stands there; None where none does."""
        with named_errors(self._path):
            return newest_signed(self._connection)

    def segments(self) -> tuple[SegmentRow, ...]:
        with named_errors(self._path):
            rows = self._connection.execute(f"SELECT {SEGMENT_COLUMNS} FROM segment ORDER BY number")
            return tuple(segment_row(row) for row in rows)

    def segment(self, number: int) -> SegmentRow:
        """Raises JournalDamaged if it is not there."""
        with named_errors(self._path):
            row = _first(self._connection, f"SELECT {SEGMENT_COLUMNS} FROM segment WHERE number = ?", (number,))
        if row is None:
            raise JournalDamaged(f"segment {number}: is missing")
        return segment_row(row)

    def starts(self) -> tuple[Mark, ...]:
        """The opening of every segment, without its header, which holds the whole configuration."""
        with named_errors(self._path):
            rows = self._connection.execute("SELECT number, first_seq - 1 FROM segment ORDER BY number")
            return tuple(Mark(*row) for row in rows)

    def snapshot_from(self, mark: Mark) -> Mark | None:
        """The first snapshot at `mark` or after it."""
        query = "SELECT segment, seq FROM snapshot WHERE (segment, seq) >= (?, ?) ORDER BY segment, seq LIMIT 1"
        with named_errors(self._path):
            row = _first(self._connection, query, (mark.segment, mark.seq))
        return Mark(*row) if row else None

    def entries(self, first_seq: int = 1, last_seq: int = (1 << 63) - 1) -> Generator[EntryRow, None, None]:
        """Entries in order, both ends included. The file's WAL can't shrink until the generator ends or is closed."""
        query = f"SELECT {ENTRY_COLUMNS} FROM entry WHERE seq BETWEEN ? AND ? ORDER BY seq"
        with named_errors(self._path):
            for row in self._connection.execute(query, (first_seq, last_seq)):
                yield entry_row(row)

    def rounds(self) -> Iterator[Round]:
        """Finished rounds in the order in which they ended."""
        first_seq = next((start.seq + 1 for start in self.starts()), 1)
        query = "SELECT ends_round, seq FROM entry WHERE ends_round IS NOT NULL ORDER BY seq"
        with named_errors(self._path):
            for number, seq in self._connection.execute(query):
                yield Round(number, first_seq, seq)
                first_seq = seq + 1

    def snapshot(self, segment: int, seq: int) -> str | None:
        """The state's text after entry `seq`, or None where no snapshot was taken."""
        query = "SELECT state FROM snapshot WHERE segment = ? AND seq = ?"
        with named_errors(self._path):
            row = _first(self._connection, query, (segment, seq))
        return row[0] if row else None

    def position(self) -> Position | None:
        """None for a journal without a segment."""
        with named_errors(self._path):
            return read_position(self._connection)

    def recover(self, codec_for: Callable[[SegmentHeader], RecordCodec[E, F, S]]) -> Recovered[E, F, S] | None:
        """The latest snapshot and all after it, or None for a journal without a segment.

        `codec_for` gives the codec of a segment's rules and schema, or raises UnknownRules. Raises JournalDamaged if
        the tail's chain is broken or the snapshot is not the state that was hashed, RecordError if a text does not fit.
        """
        with named_errors(self._path), one_view(self._connection):
            tail = read_tail(self._connection)
        if tail is None:
            return None
        codec = codec_for(tail.header)
        try:
            state = codec.states.decode(tail.state)
        except RecordError as error:
            raise RecordError(f"snapshot after entry {tail.state_seq}: {error}") from error
        entries = tuple(Recorded(codec.decode_entry(row), row.state_hash) for row in tail.rows)
        return Recovered(tail.header, state, entries, tail.position)


def _last_segment(connection: apsw.Connection) -> SegmentRow | None:
    values = _first(connection, f"SELECT {SEGMENT_COLUMNS} FROM segment ORDER BY number DESC LIMIT 1")
    return segment_row(values) if values is not None else None


def _first(connection: apsw.Connection, query: str, values: tuple[int, ...] = ()) -> tuple[Any, ...] | None:
    return next(iter(connection.execute(query, values)), None)


def newest_signed(connection: apsw.Connection) -> SignedHead | None:
    """The newest snapshot's signature with the head that it signs; unchecked. None where nothing is signed."""
    query = """SELECT snapshot.seq, snapshot.signature, number, header, coalesce(entry.hash, segment.hash)
        FROM snapshot JOIN segment ON segment.number = snapshot.segment
        LEFT JOIN entry ON entry.seq = snapshot.seq AND entry.segment = snapshot.segment
        WHERE snapshot.signature IS NOT NULL ORDER BY snapshot.segment DESC, snapshot.seq DESC LIMIT 1"""
    found = _first(connection, query)
    if found is None:
        return None
    seq, signature, number, text, head = found
    header = HEADER_CODEC.decode(text)
    return SignedHead(Head(header.generation, number, seq, head), bytes.fromhex(header.public_key), signature)


class Tail(Struct, frozen=True):
    """The end of a journal from its latest snapshot on, checked, as stored."""

    header: SegmentHeader
    state: str
    state_seq: int
    rows: tuple[EntryRow, ...]
    position: Position
    last_state_hash: bytes  # of the state after the last row


def read_position(connection: apsw.Connection) -> Position | None:
    """None for a journal without a segment."""
    segment = _last_segment(connection)
    if segment is None:
        return None
    values = _first(connection, f"SELECT {ENTRY_COLUMNS} FROM entry ORDER BY seq DESC LIMIT 1")
    entry = entry_row(values) if values is not None else None
    if entry is None or entry.seq < segment.first_seq:
        return Position(segment.number, segment.first_seq - 1, segment.hash)
    return Position(segment.number, entry.seq, entry.hash)


def _check_follows(connection: apsw.Connection, segment: SegmentRow, entries: list[EntryRow]) -> None:
    """`segment` is bound to the row before it: an entry, or a segment that ended (a power cut) before it had one.

    `entries` begins with the last entry before the segment, if there is any. Raises JournalDamaged.
    """
    values = _first(connection, f"SELECT {SEGMENT_COLUMNS} FROM segment WHERE number = ?", (segment.number - 1,))
    before = segment_row(values) if values is not None else None
    if before is not None and before.first_seq == segment.first_seq:
        if before.hash != segment.prev_hash:
            raise JournalDamaged(f"segment {segment.number}: does not follow segment {before.number}")
    elif entries and entries[0].seq < segment.first_seq and entries[0].hash != segment.prev_hash:
        raise JournalDamaged(f"segment {segment.number}: does not follow entry {entries[0].seq}")


def read_tail(connection: apsw.Connection) -> Tail | None:
    """None for a journal without a segment. Raises JournalDamaged. Reads the last segment from its newest snapshot."""
    segment = _last_segment(connection)
    if segment is None:
        return None
    query = "SELECT seq, state FROM snapshot WHERE segment = ? ORDER BY seq DESC LIMIT 1"
    found = _first(connection, query, (segment.number,))
    if found is None:
        raise JournalDamaged(f"segment {segment.number}: the snapshot of its opening state is missing")
    state_seq, state = found
    if (type(state_seq), type(state)) != (int, str):
        raise JournalDamaged(
            f"segment {segment.number}: its newest snapshot has values of wrong types; the page is damaged"
        )
    chain = Chain()
    chain.add_segment(segment)
    header = cast(SegmentHeader, chain.header)
    query = f"SELECT {ENTRY_COLUMNS} FROM entry WHERE seq >= ? ORDER BY seq"
    entries = [entry_row(row) for row in connection.execute(query, (state_seq,))]
    if state_seq >= segment.first_seq:
        if not entries or entries[0].seq != state_seq:
            raise JournalDamaged(f"entry {state_seq}: is missing, but its snapshot is there")
        chain.resume_after(entries[0], segment)
    else:
        _check_follows(connection, segment, entries)
    if chain.open_state_hash != sha256(state.encode()):
        raise JournalDamaged(f"snapshot of segment {segment.number} after entry {state_seq}: has another hash")
    tail = tuple(row for row in entries if row.seq > state_seq)
    for row in tail:
        chain.add_entry(row)
    position = Position(segment.number, chain.next_seq - 1, chain.head)
    return Tail(header, state, state_seq, tail, position, chain.whole_state_hash())
