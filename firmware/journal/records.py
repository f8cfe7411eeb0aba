"""What a journal holds, and how each row is bound to the one before it.

One chain runs through a journal: segment 1, its entries, segment 2, its entries, ... Every row holds its
predecessor's hash and its own:

    hash(entry)   = SHA-256(prev_hash + "E" + seq, segment, at_ns, wall_ns, ends_round, marks + state_hash + body)
    hash(segment) = SHA-256(prev_hash + "S" + number, first_seq, at_ns, wall_ns + state_hash + header)

Integers are 8 bytes, big-endian, signed (`ends_round` is 0 where it has none); `marks` is one byte: 1 it ends a round,
2 it has a state hash, 4 it has a snapshot; `state_hash` is 32 bytes, zeros where there is none; body and header are
their UTF-8 text, last, so that no two rows have the same bytes. The first row's `prev_hash` is 32 zero bytes, or the
last hash of the file that this one continues.

A snapshot is the state's whole text after one entry (or at a segment's start); its SHA-256 is that entry's (that
segment's) `state_hash`, so it is in the chain without a hash of its own.

Rules: times are monotonic nanoseconds; `wall_ns` is an annotation for people and orders nothing.
"""

from __future__ import annotations

import struct
from typing import Any, Generic, NamedTuple, TypeVar

from msgspec import Struct

from firmware.core.stored import Stored
from firmware.journal.codec import Codec, sha256
from firmware.journal.errors import JournalDamaged, RecordError

E = TypeVar("E")
F = TypeVar("F")
S = TypeVar("S")

HASH_BYTES = 32
NO_HASH = bytes(HASH_BYTES)
SNAPSHOT_EVERY = 1_000
"""Entries after which a snapshot is written although no round has ended."""

_ENTRY_FIELDS = struct.Struct(">c5qB32s")
_SEGMENT_FIELDS = struct.Struct(">c4q32s")


class SegmentHeader(Stored, frozen=True):
    """Who wrote a segment and under what: every start of the daemon begins one."""

    rules_version: int  # of the core: which `step` replays this segment
    state_schema: int  # of the state's dataclasses: which codec reads its snapshots
    firmware_version: str
    code_hash: str  # SHA-256, hex, of the installed code
    paytables_hash: str  # SHA-256, hex, of the paytable files
    configuration: str  # the whole configuration as text, so that a replay needs no file
    configuration_hash: str  # SHA-256, hex, of that text's UTF-8
    profile: str  # "production" or "simulated"
    sqlite_version: str
    boot_id: str  # times of two segments are comparable only if this is the same
    wall_trusted: bool  # whether the wall clock was set when the segment began
    public_key: str = ""  # Ed25519, hex, of who signs this segment's heads (`heads`); empty: nobody
    generation: int = 1  # which file in turn is the table's journal: one more at each rotation, clearing, restoring


class Entry(Struct, Generic[E, F], frozen=True):
    """One event and what was decided on it."""

    seq: int  # from 1, without a gap, through all segments
    at_ns: int
    wall_ns: int
    event: E
    effects: tuple[F, ...]
    ends_round: int | None = None  # number of the round of play that this entry ends


class Batch(Struct, Generic[E, F, S], frozen=True):
    """What one transaction holds: at least one entry, in order, and the state after the last."""

    entries: tuple[Entry[E, F], ...]
    state: S

    def __post_init__(self) -> None:
        if not self.entries:
            raise RecordError("a batch without an entry; there is nothing to commit")


class SegmentStart(Struct, Generic[S], frozen=True):
    """The begin of a segment: who writes from here on, and the state with which it opens."""

    header: SegmentHeader
    at_ns: int
    wall_ns: int
    state: S
    closing_state: bytes | None = None
    """Text of the state that the segment before ended with, under its own schema. Needed where the schema changes."""


class EntryRow(NamedTuple):
    """A row of `entry`, as stored."""

    seq: int
    segment: int
    at_ns: int
    wall_ns: int
    body: str  # {"event": ..., "effects": [...]}
    ends_round: int | None
    state_hash: bytes | None  # on the last entry of a transaction
    snapshot: int  # 1 if a snapshot of the state after this entry is stored, else 0
    prev_hash: bytes
    hash: bytes


class SegmentRow(NamedTuple):
    """A row of `segment`, as stored."""

    number: int  # from 1
    first_seq: int  # seq of its first entry, once it has one
    at_ns: int
    wall_ns: int
    header: str
    state_hash: bytes  # of the state with which the segment opens; its snapshot is always stored
    prev_hash: bytes
    hash: bytes


_ENTRY_TYPES = {
    (int, int, int, int, str, ends_round, state_hash, int, bytes, bytes)
    for ends_round in (int, type(None))
    for state_hash in (bytes, type(None))
}
_SEGMENT_TYPES = (int, int, int, int, str, bytes, bytes, bytes)


def entry_row(values: tuple[Any, ...]) -> EntryRow:
    """A row as SQLite gave it. Raises JournalDamaged for types that only a damaged page can hold."""
    if tuple(map(type, values)) not in _ENTRY_TYPES:
        raise JournalDamaged(f"entry {values[0]}: has values of the wrong types: {values!r}; the page is damaged")
    return EntryRow._make(values)


def segment_row(values: tuple[Any, ...]) -> SegmentRow:
    """A row as SQLite gave it. Raises JournalDamaged for types that only a damaged page can hold."""
    if tuple(map(type, values)) != _SEGMENT_TYPES:
        raise JournalDamaged(f"segment {values[0]}: has values of the wrong types: {values!r}; the page is damaged")
    return SegmentRow._make(values)


def entry_hash(row: EntryRow) -> bytes:
    """The hash that `row` should have. Raises RecordError for values that are not in a column's range."""
    seq, segment, at_ns, wall_ns, body, ends_round, state_hash, snapshot, prev_hash, _ = row
    marks = (ends_round is not None) | (state_hash is not None) << 1 | snapshot << 2
    try:
        fields = _ENTRY_FIELDS.pack(b"E", seq, segment, at_ns, wall_ns, ends_round or 0, marks, state_hash or NO_HASH)
    except struct.error as error:
        raise RecordError(f"entry {seq}: {error}; expected integers of 64 bits") from error
    return sha256(prev_hash + fields + body.encode())


def segment_hash(row: SegmentRow) -> bytes:
    """The hash that `row` should have. Raises RecordError for values that are not in a column's range."""
    number, first_seq, at_ns, wall_ns, header, state_hash, prev_hash, _ = row
    try:
        fields = _SEGMENT_FIELDS.pack(b"S", number, first_seq, at_ns, wall_ns, state_hash)
    except struct.error as error:
        raise RecordError(f"segment {number}: {error}; expected integers of 64 bits") from error
    return sha256(prev_hash + fields + header.encode())


HEADER_CODEC: Codec[SegmentHeader] = Codec(SegmentHeader)


def encode_header(header: SegmentHeader) -> str:
    """Raises RecordError if the configuration's hash is not that of its text."""
    actual = sha256(header.configuration.encode()).hex()
    if header.configuration_hash != actual:
        raise RecordError(f"segment header: configuration_hash is {header.configuration_hash}, expected {actual}")
    return HEADER_CODEC.encode(header).decode()


class Body(Stored, Generic[E, F], frozen=True):
    """What an entry's text holds."""

    event: E
    effects: tuple[F, ...]


class RecordCodec(Generic[E, F, S]):
    """The texts of one core's events, effects and states."""

    def __init__(self, event: object, effect: object, state: object) -> None:
        """Events and effects are structs or unions of structs, a state is a struct."""
        self.bodies: Codec[Body[E, F]] = Codec(Body[event, effect])  # type: ignore[valid-type]
        self.states: Codec[S] = Codec(state)

    def encode_body(self, entry: Entry[E, F]) -> str:
        """Raises RecordError, naming the entry, also for a body that would not be read back as the same values."""
        try:
            return self.bodies.encode_checked(Body(entry.event, entry.effects)).decode()
        except RecordError as error:
            raise RecordError(f"entry {entry.seq}: {error}") from error

    def decode_entry(self, row: EntryRow) -> Entry[E, F]:
        """Raises RecordError, naming the entry."""
        try:
            body = self.bodies.decode(row.body)
        except RecordError as error:
            raise RecordError(f"entry {row.seq}: {error}") from error
        return Entry(row.seq, row.at_ns, row.wall_ns, body.event, body.effects, row.ends_round)
