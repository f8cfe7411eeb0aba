"""Whether a journal is what was written: the chain, every row of it.

What it finds: any changed value in any row, a row removed from the middle, put in, or exchanged, a snapshot that is
not the state that was hashed, altered table definitions, damaged pages. It names the first place.

What it can't find by itself: entries removed from the very end in whole transactions, and a file that was rewritten
as a whole with all its hashes made anew. Both change the head, the last row's hash. A head noted elsewhere (on the
display, in a printed report, by the surveillance room) finds them: `verify(connection, noted_head=...)`. A rewritten
file is found by the table's public key alone, noted at the installation: `verify(connection, public_keys=...)`.
"""

from __future__ import annotations

import heapq
import operator
from collections.abc import Collection, Iterator

import apsw
from msgspec import Struct

from firmware.journal.codec import sha256
from firmware.journal.database import check_tables, one_view
from firmware.journal.errors import JournalDamaged, RecordError
from firmware.journal.pages import check_header, check_pages, check_size, located
from firmware.journal.records import (
    HASH_BYTES,
    HEADER_CODEC,
    NO_HASH,
    EntryRow,
    SegmentHeader,
    SegmentRow,
    entry_hash,
    entry_row,
    segment_hash,
    segment_row,
)
from firmware.journal.signatures import check_signatures

SEGMENT_COLUMNS = ", ".join(SegmentRow._fields)
ENTRY_COLUMNS = ", ".join(EntryRow._fields)


class Report(Struct, frozen=True):
    """What `verify` found in order."""

    segments: int  # in this file, as entries are
    entries: int
    snapshots: int
    signed: int  # heads with a signature, each checked with the key that its segment names
    first_seq: int  # of the file; above 1 in a file that continues another
    anchor: bytes  # `prev_hash` of the first segment: zeros, or the head of the file that this one continues
    head: bytes  # hash of the last row; zeros in a journal without a segment


class Chain:
    """Follows the chain row by row. Raises JournalDamaged, naming the row, at the first that does not fit."""

    def __init__(self) -> None:
        self.head = NO_HASH
        self.anchor = NO_HASH
        self.first_seq = 1
        self.first_segment = 1
        self.next_seq = 1
        self.segment: SegmentRow | None = None
        self.header: SegmentHeader | None = None
        self.open_state_hash: bytes | None = None  # state hash of the newest row; None inside a transaction

    def add_segment(self, row: SegmentRow) -> None:
        place = f"segment {row.number}"
        if self.segment is None:
            self.anchor = self.head = row.prev_hash
            self.first_seq = self.next_seq = row.first_seq
            self.first_segment = row.number
            if len(self.anchor) != HASH_BYTES or (self.anchor == NO_HASH) != (row.first_seq == 1 and row.number == 1):
                raise JournalDamaged(
                    f"{place}: a journal begins with segment 1, entry 1, unless it continues another; "
                    f"got entry {row.first_seq} after hash {self.anchor.hex()}"
                )
        else:
            self._expect(place, "number", row.number, self.segment.number + 1)
            self._expect_whole_transaction(place)
        self._expect(place, "first_seq", row.first_seq, self.next_seq)
        self._link(place, row.prev_hash, row.hash, segment_hash(row))
        self.segment = row
        self.open_state_hash = row.state_hash
        try:
            self.header = HEADER_CODEC.decode(row.header)
        except RecordError as error:
            raise JournalDamaged(f"{place}: header: {error}") from error

    def resume_after(self, row: EntryRow, segment: SegmentRow) -> None:
        """Go on behind a row whose own place in the chain is not checked (the entry of a snapshot)."""
        self.segment = segment
        self.head = row.hash
        self.next_seq = row.seq + 1
        self._expect(f"entry {row.seq}", "hash", row.hash.hex(), entry_hash(row).hex())
        self.open_state_hash = row.state_hash

    def add_entry(self, row: EntryRow) -> None:
        place = f"entry {row.seq}"
        if self.segment is None:
            raise JournalDamaged(f"{place}: stands before any segment")
        if row.seq != self.next_seq:
            self._expect(place, "seq", row.seq, self.next_seq)
        if row.segment != self.segment.number:
            self._expect(place, "segment", row.segment, self.segment.number)
        if row.snapshot not in (0, 1):
            raise JournalDamaged(f"{place}: snapshot is {row.snapshot}, expected 0 or 1")
        self._link(place, row.prev_hash, row.hash, entry_hash(row))
        self.next_seq = row.seq + 1
        self.open_state_hash = row.state_hash

    def whole_state_hash(self) -> bytes:
        """Hash of the state after the newest row. Raises JournalDamaged if that row doesn't end its transaction."""
        return self._expect_whole_transaction("end of the file")

    def _link(self, place: str, prev_hash: bytes, stored: bytes, computed: bytes) -> None:
        if prev_hash != self.head:
            raise JournalDamaged(
                f"{place}: prev_hash is {prev_hash.hex()}, expected {self.head.hex()}: a row "
                "before it was changed, removed or exchanged"
            )
        if stored != computed:
            raise JournalDamaged(f"{place}: was changed: its hash is {stored.hex()}, its values give {computed.hex()}")
        self.head = stored

    def _expect_whole_transaction(self, place: str) -> bytes:
        if self.open_state_hash is None:
            raise JournalDamaged(
                f"{place}: entry {self.next_seq - 1} before it has no state hash, so its transaction "
                "is not whole: entries were removed"
            )
        return self.open_state_hash

    @staticmethod
    def _expect(place: str, what: str, got: object, expected: object) -> None:
        if got != expected:
            raise JournalDamaged(f"{place}: {what} is {got}, expected {expected}")


def verify(connection: apsw.Connection, noted_head: bytes | None = None, public_keys: Collection[bytes] = ()) -> Report:
    """Check everything. Raises JournalDamaged for the first thing that is wrong.

    `noted_head`: the hash of some row, noted elsewhere; it must be in the chain, else entries it stood for are gone.
    `public_keys`: noted elsewhere; every segment must be signed, and by one of them.
    """
    with one_view(connection), located(connection):
        check_size(connection)
        check_header(connection)
        check_tables(connection)
        check_pages(connection)
        chain, entries, seen_noted = _check_chain(connection, noted_head)
        snapshots = _check_snapshots(connection)
        signed = check_signatures(connection, public_keys)
    if noted_head is not None and not seen_noted:
        raise JournalDamaged(
            f"the noted head {noted_head.hex()} is not in the chain, which ends with entry "
            f"{chain.next_seq - 1}, hash {chain.head.hex()}: entries were removed from the end, or "
            "the file was rewritten"
        )
    segments = chain.segment.number - chain.first_segment + 1 if chain.segment else 0
    return Report(segments, entries, snapshots, signed, chain.first_seq, chain.anchor, chain.head)


def _check_chain(connection: apsw.Connection, noted_head: bytes | None) -> tuple[Chain, int, bool]:
    """The chain, how many entries it has, and whether the noted head is in it. Row by row: a journal may be long."""
    chain = Chain()
    segments = _segments(connection)
    upcoming = next(segments, None)  # the next segment that has not begun
    count = 0
    seen_noted = noted_head == NO_HASH and upcoming is None
    for values in connection.execute(f"SELECT {ENTRY_COLUMNS} FROM entry ORDER BY seq"):
        row = entry_row(values)
        while upcoming is not None and upcoming.first_seq <= row.seq:
            chain.add_segment(upcoming)
            seen_noted |= upcoming.hash == noted_head
            upcoming = next(segments, None)
        chain.add_entry(row)
        seen_noted |= row.hash == noted_head
        count += 1
    while upcoming is not None:
        chain.add_segment(upcoming)
        seen_noted |= upcoming.hash == noted_head
        upcoming = next(segments, None)
    if chain.segment is not None:
        chain.whole_state_hash()
    return chain, count, seen_noted


def _segments(connection: apsw.Connection) -> Iterator[SegmentRow]:
    return map(segment_row, connection.execute(f"SELECT {SEGMENT_COLUMNS} FROM segment ORDER BY number"))


def _check_snapshots(connection: apsw.Connection) -> int:
    """Every snapshot that should be there is, none else is, and each is the state that was hashed.

    Both sides come in order, so the first place that is wrong is where they part.
    """
    due = _due_snapshots(connection)
    expected = next(due, None)
    count = 0
    for segment, seq, state in connection.execute("SELECT segment, seq, state FROM snapshot ORDER BY segment, seq"):
        if expected is not None and (segment, seq) > expected[:2]:
            break
        place = f"snapshot of segment {segment} after entry {seq}"
        if expected is None or (segment, seq) < expected[:2]:
            raise JournalDamaged(f"{place}: none was due there: it was put in")
        found = sha256(state.encode())
        if found != expected[2]:
            raise JournalDamaged(
                f"{place}: was changed: its state has hash {found.hex()}, expected {expected[2].hex()}"
            )
        count += 1
        expected = next(due, None)
    if expected is not None:
        raise JournalDamaged(f"snapshot of segment {expected[0]} after entry {expected[1]}: is missing")
    return count


_Due = tuple[int, int, bytes]
"""Segment, entry and state hash of a snapshot."""


def _due_snapshots(connection: apsw.Connection) -> Iterator[_Due]:
    """In order: each segment's opening, each marked entry, and the end of a state schema. Of an entry that is both
    marked and such an end, once."""
    marked = connection.execute("SELECT segment, seq, state_hash FROM entry WHERE snapshot = 1 ORDER BY seq")
    before: _Due | None = None
    for due in heapq.merge(marked, _due_at_segments(connection), key=operator.itemgetter(0, 1)):
        if due != before:
            yield due
        before = due


def _due_at_segments(connection: apsw.Connection) -> Iterator[_Due]:
    before: SegmentRow | None = None
    for row in _segments(connection):
        if before is not None and _schema(before) != _schema(row):
            last = connection.execute("SELECT state_hash FROM entry WHERE seq = ? AND segment = ?",
                                      (row.first_seq - 1, before.number))  # fmt: skip
            yield before.number, row.first_seq - 1, next(iter(last), (before.state_hash,))[0]
        yield row.number, row.first_seq - 1, row.state_hash
        before = row


def _schema(row: SegmentRow) -> int:
    return HEADER_CODEC.decode(row.header).state_schema


def has_snapshot(connection: apsw.Connection, segment: int, seq: int) -> bool:
    found = connection.execute("SELECT 1 FROM snapshot WHERE segment = ? AND seq = ?", (segment, seq))
    return next(iter(found), None) is not None
