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
from firmware.journal.errors import JournalDamaged, JournalError
from firmware.journal.reader import Position, Reader, Recorded
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


def replay(reader: Reader, programs: Programs[Any, Any, Any, Any], from_segment: int = 1) -> Replayed:
    """Every segment from `from_segment` on, from its header and the end of the one before it.

    The first one replayed opens with its stored opening snapshot unless it is segment 1. Raises ReplayDiffers,
    UnknownRules, RecordError, JournalDamaged. It does not check the chain; `verify` does.
    """
    segments = [row for row in reader.segments() if row.number >= from_segment]
    state: Any = None
    entries = hashes = 0
    ends = [*(row.first_seq - 1 for row in segments[1:]), (1 << 63) - 1]
    for row, last_seq in zip(segments, ends, strict=False):  # an empty journal has an end but no segment
        header = HEADER_CODEC.decode(row.header)
        program = programs(header)
        rules = program.rules(header)
        state = _open(reader, program, rules, row, state, first=row is segments[0])
        recorded = (
            Recorded(program.codec.decode_entry(entry), entry.state_hash)
            for entry in reader.entries(row.first_seq, last_seq)
        )
        state, played, compared = _play(program, rules, state, recorded)
        entries += played
        hashes += compared + 1
    return Replayed(len(segments), entries, hashes)


def _open(reader: Reader, program: Program[R, S, E, F], rules: R, row: SegmentRow, before: S | None, first: bool) -> S:
    """The opening state, computed and compared; of a segment whose predecessor is not replayed, the stored one."""
    if first and row.number > 1:
        text = reader.snapshot(row.number, row.first_seq - 1)
        if text is None:
            raise JournalDamaged(f"segment {row.number}: the snapshot of its opening state is missing")
        return program.codec.states.decode(text)
    state = program.opening(rules, before)
    _compare_state(f"opening of segment {row.number}", program, state, row.state_hash)
    return state


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
