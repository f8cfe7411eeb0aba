"""Playing a journal again: the same events must give the same effects and the same state hashes.

Rules: nothing here knows a game. What does is handed in as a `Program`, one for each version of the rules; a segment
whose version nobody knows is refused by name (`UnknownRules`), never replayed by another's rules. A difference is an
error that names the entry, what was recorded and what came out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, TypeVar

from msgspec import Struct

from firmware.journal.codec import sha256
from firmware.journal.errors import JournalDamaged, JournalError, RecordError
from firmware.journal.reader import Mark, Position, Reader, Recorded
from firmware.journal.records import HEADER_CODEC, RecordCodec, SegmentHeader, SegmentRow

E = TypeVar("E")
F = TypeVar("F")
S = TypeVar("S")
R = TypeVar("R")


class Program(Struct, Generic[R, S, E, F], frozen=True):
    """One version of a core."""

    codec: RecordCodec[E, F, S]
    rules: Callable[[SegmentHeader], R]
    """Rules and tables from the configuration that the segment's header holds."""
    opening: Callable[[R, S | None], S]
    """The state with which a segment opens, from that with which the one before it ended (None: there is none)."""
    step: Callable[[R, S, E], tuple[S, Sequence[F]]]


Programs = Callable[[SegmentHeader], Program[R, S, E, F]]
"""The program for a segment. Raises UnknownRules, naming the version that can replay it."""


class ReplayDiffers(JournalError):
    """The rules do not give what was recorded."""


class Replayed(Struct, frozen=True):
    """What `replay` went through without a difference."""

    segments: int
    entries: int
    state_hashes: int  # compared


class Restart(Struct, Generic[R, S], frozen=True):
    """Where a table stands after a start."""

    header: SegmentHeader
    rules: R
    state: S
    position: Position
    entries: int  # replayed since the snapshot


def restart(reader: Reader, programs: Programs[R, S, E, F]) -> Restart[R, S] | None:
    """The state at the journal's end: the latest snapshot and the entries after it, each compared with its record.

    None for a journal without a segment. Raises what `Reader.recover` raises, and ReplayDiffers.
    """
    recovered = reader.recover(lambda header: programs(header).codec)
    if recovered is None:
        return None
    program = programs(recovered.header)
    rules = program.rules(recovered.header)
    state, *_ = _play(program, rules, recovered.state, recovered.entries)
    return Restart(recovered.header, rules, state, recovered.position, len(recovered.entries))


class Stretch(Struct, frozen=True):
    """A part of a journal between two snapshots: it begins with the state of one and must end in that of the other."""

    begin: Mark | None  # None: before the first segment, where there is no state
    end: Mark


def whole(reader: Reader, from_segment: int = 1) -> Stretch | None:
    """All from a segment on, as far as the journal goes now; None where there is no such segment.

    It begins before the opening of segment 1, or with the stored opening state of a later segment.
    """
    starts = [start for start in reader.starts() if start.segment >= from_segment]
    position = reader.position()
    if not starts or position is None:
        return None
    begin = None if starts[0].segment == 1 else starts[0]
    return Stretch(begin, Mark(position.segment, position.last_seq))


def replay(reader: Reader, programs: Programs[Any, Any, Any, Any], from_segment: int = 1) -> Replayed:
    """Every segment from `from_segment` on, from its header and the end of the one before it.

    The first one replayed opens with its stored opening snapshot unless it is segment 1. Raises ReplayDiffers,
    UnknownRules, RecordError, JournalDamaged. It does not check the chain; `verify` does. On all processor cores:
    `replay_parts.replay_on_cores`.
    """
    stretch = whole(reader, from_segment)
    return added_up(stretch, [] if stretch is None else [replay_stretch(reader, programs, stretch)])


def added_up(stretch: Stretch | None, parts: Iterable[Replayed]) -> Replayed:
    """What the parts of a stretch come to; a stored opening with which it begins counts as a state and a segment."""
    stored = int(stretch is not None and stretch.begin is not None)
    done = list(parts)
    return Replayed(
        stored + sum(part.segments for part in done),
        sum(part.entries for part in done),
        stored + sum(part.state_hashes for part in done),
    )


def replay_stretch(reader: Reader, programs: Programs[Any, Any, Any, Any], stretch: Stretch) -> Replayed:
    """Replay one part; raises what `replay` raises. Reads row by row: its memory does not grow with the journal."""
    state: Any = None
    segments = entries = hashes = 0
    starts = reader.starts()
    for index, start in enumerate(starts):
        if stretch.begin is not None and start.segment < stretch.begin.segment:
            continue
        if start > stretch.end:
            break
        row = reader.segment(start.segment)
        header = HEADER_CODEC.decode(row.header)
        program = programs(header)
        rules = program.rules(header)
        if stretch.begin is not None and start.segment == stretch.begin.segment:
            state = _stored(reader, program, row, stretch.begin)
            before_seq = stretch.begin.seq
        else:
            state = program.opening(rules, state)
            _compare_state(f"opening of segment {row.number}", program, state, row.state_hash)
            segments, hashes, before_seq = segments + 1, hashes + 1, start.seq
        ends = stretch.end.seq if start.segment == stretch.end.segment else starts[index + 1].seq
        recorded = (
            Recorded(program.codec.decode_entry(entry), entry.state_hash)
            for entry in reader.entries(before_seq + 1, ends)
        )
        state, played, compared = _play(program, rules, state, recorded)
        entries, hashes = entries + played, hashes + compared
    return Replayed(segments, entries, hashes)


def _stored(reader: Reader, program: Program[R, S, E, F], row: SegmentRow, mark: Mark) -> S:
    """The state of a snapshot, which must be the one that was hashed."""
    place = f"snapshot of segment {mark.segment} after entry {mark.seq}"
    text = reader.snapshot(mark.segment, mark.seq)
    if text is None:
        raise JournalDamaged(f"{place}: is missing")
    entry = next(reader.entries(mark.seq, mark.seq), None) if mark.seq >= row.first_seq else None
    recorded = row.state_hash if entry is None else entry.state_hash
    if sha256(text.encode()) != recorded:
        raise JournalDamaged(f"{place}: has another hash than was recorded")
    try:
        return program.codec.states.decode(text)
    except RecordError as error:
        raise RecordError(f"{place}: {error}") from error


def _play(program: Program[R, S, E, F], rules: R, state: S, recorded: Iterable[Recorded[E, F]]) -> tuple[S, int, int]:
    """The state after all of them, how many there were, and how many state hashes were compared."""
    played = hashes = 0
    for record in recorded:
        played += 1
        entry = record.entry
        state, effects = program.step(rules, state, entry.event)
        if tuple(effects) != entry.effects:
            raise ReplayDiffers(
                f"entry {entry.seq}: {entry.event!r} gives the effects {tuple(effects)!r}, recorded "
                f"were {entry.effects!r}"
            )
        if record.state_hash is not None:
            _compare_state(f"entry {entry.seq} ({entry.event!r})", program, state, record.state_hash)
            hashes += 1
    return state, played, hashes


def _compare_state(place: str, program: Program[R, S, E, F], state: S, recorded: bytes) -> None:
    computed = sha256(program.codec.states.encode(state))
    if computed != recorded:
        raise ReplayDiffers(
            f"{place}: gives a state with hash {computed.hex()}, recorded was {recorded.hex()}; the state: {state!r}"
        )
