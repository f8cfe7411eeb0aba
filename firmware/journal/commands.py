"""`tabled journal verify|show|replay FILE`: a journal read by a person.

Rules: nothing is written. Exit status 0: done and in order; 1: the journal is damaged or its replay differs, the place
is named on standard error; 2: it can't be read, or was asked for wrongly. They work while the daemon runs.
What needs a game to be told is handed in: `tell` narrates one round, `programs` replays (`replay.Programs`).
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from firmware.journal.codec import parse
from firmware.journal.errors import JournalDamaged, JournalError, RecordError
from firmware.journal.reader import Reader, Round
from firmware.journal.records import HASH_BYTES, HEADER_CODEC, NO_HASH, EntryRow, SegmentHeader, SegmentRow
from firmware.journal.replay import Programs, ReplayDiffers, replay

Tell = Callable[[Reader, Round], Iterable[str]]
"""Lines that tell one round as a person would ask about it: who was lit at lock-out, what the meters said, ..."""


def main_verify(arguments: Sequence[str]) -> int:
    """`verify FILE [--head HASH]`: is every row what was written?"""
    parser = argparse.ArgumentParser(prog="tabled journal verify", description=main_verify.__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--head", type=_hash, help="a head noted earlier (64 hex digits); it must be in the chain")
    options = parser.parse_args(arguments)
    return _reporting(lambda: _verify(options.file, options.head))


def main_show(arguments: Sequence[str], tell: Tell | None = None) -> int:
    """`show FILE [--round N] [--from SEQ] [--to SEQ] [--type NAME]`: the entries, or one round told."""
    parser = argparse.ArgumentParser(
        prog="tabled journal show",
        description=main_show.__doc__,
        epilog="A time that ends in '?' is of a clock that was not known to be set when the daemon started. "
        "A field that is not shown holds its default.",
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--round", type=int, help="only this finished round, told; its entries follow with --entries")
    parser.add_argument("--entries", action="store_true", help="list the entries although a round is told")
    parser.add_argument("--from", dest="first", type=int, default=1, metavar="SEQ", help="from this entry on")
    parser.add_argument("--to", dest="last", type=int, default=(1 << 63) - 1, metavar="SEQ", help="to this entry")
    parser.add_argument("--type", dest="kind", metavar="NAME", help="only entries with an event or effect of this type")
    options = parser.parse_args(arguments)
    return _reporting(lambda: _show(options, tell))


def main_replay(arguments: Sequence[str], programs: Programs[Any, Any, Any, Any]) -> int:
    """`replay FILE [--from-segment N]`: do the rules give the same decisions and states again?"""
    parser = argparse.ArgumentParser(prog="tabled journal replay", description=main_replay.__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--from-segment", type=int, default=1, metavar="N", help="begin with this start of the daemon")
    options = parser.parse_args(arguments)
    return _reporting(lambda: _replay(options.file, options.from_segment, programs))


def _reporting(command: Callable[[], Iterable[str]]) -> int:
    try:
        for line in command():
            print(line)
    except (JournalDamaged, ReplayDiffers) as error:
        print(f"NOT IN ORDER: {error}", file=sys.stderr)
        return 1
    except JournalError as error:
        print(f"tabled journal: {error}", file=sys.stderr)
        return 2
    return 0


def _verify(path: Path, noted_head: bytes | None) -> Iterator[str]:
    with Reader(path) as reader:
        report = reader.verify(noted_head)
    segments, snapshots = counted(report.segments, "segment"), counted(report.snapshots, "snapshot")
    yield f"in order: {segments}, {report.entries} entries, {snapshots}"
    if report.anchor != NO_HASH:
        yield f"continues at entry {report.first_seq} the file with head {report.anchor.hex()}"
    yield f"head: {report.head.hex()}"
    if noted_head is None:
        yield "note the head elsewhere: only it shows later (--head) that no entries were removed from the end"


def _replay(path: Path, from_segment: int, programs: Programs[Any, Any, Any, Any]) -> Iterator[str]:
    with Reader(path) as reader:
        done = replay(reader, programs, from_segment)
        if done.segments == 0 and from_segment != 1:
            last = max((row.number for row in reader.segments()), default=0)
            raise JournalError(f"{path}: no segment {from_segment} is there to replay; the last is {last}")
    yield (
        f"the same again: {counted(done.segments, 'segment')}, {done.entries} entries, "
        f"{counted(done.state_hashes, 'state')}"
    )


def counted(number: int, what: str) -> str:
    """ "1 segment", "2 segments"."""
    return f"{number} {what}{'' if number == 1 else 's'}"


def _show(options: argparse.Namespace, tell: Tell | None) -> Iterator[str]:
    with Reader(options.file) as reader:
        first, last = options.first, options.last
        if options.round is not None:
            found = next((found for found in reader.rounds() if found.number == options.round), None)
            if found is None:
                raise JournalError(
                    f"{options.file}: no round {options.round} has ended in this file; the rounds are "
                    f"{_known_rounds(reader)}"
                )
            first, last = max(first, found.first_seq), min(last, found.last_seq)
            if tell is not None:
                yield from tell(reader, found)
                if not options.entries:
                    return
        anything = False
        for line in _list(reader, first, last, options.kind):
            anything = True
            yield line
        if not anything and reader.segments():
            raise JournalError(f"{options.file}: no entry passes --round, --from, --to and --type together")


def _known_rounds(reader: Reader) -> str:
    numbers = [found.number for found in reader.rounds()]
    return f"{min(numbers)} to {max(numbers)}" if numbers else "none yet"


def _list(reader: Reader, first: int, last: int, kind: str | None) -> Iterator[str]:
    segments = {row.number: (row, HEADER_CODEC.decode(row.header)) for row in reader.segments()}
    shown: int | None = None
    for row in reader.entries(first, last):
        event, effects = _body(row)
        if kind is not None and kind not in (event.get("type"), *(effect.get("type") for effect in effects)):
            continue
        if row.segment not in segments:
            raise JournalDamaged(f"entry {row.seq}: its segment {row.segment} is missing")
        segment, header = segments[row.segment]
        if shown != row.segment:
            yield from _segment_lines(segment, header)
            shown = row.segment
        since_start = (row.at_ns - segment.at_ns) / 1e9
        yield f"{row.seq:>8}  {_wall(row.wall_ns, header)}  {since_start:+.6f} s  {_fields(event)}"
        yield from (f"{'':>8}    -> {_fields(effect)}" for effect in effects)
        if row.ends_round is not None:
            yield f"{'':>8}    == round {row.ends_round} ends"


def _segment_lines(row: SegmentRow, header: SegmentHeader) -> Iterator[str]:
    yield (
        f"segment {row.number}  {_wall(row.wall_ns, header)}  {header.profile}, firmware {header.firmware_version}, "
        f"rules {header.rules_version}, state schema {header.state_schema}, SQLite {header.sqlite_version}"
    )
    yield f"    code {header.code_hash}"
    yield f"    paytables {header.paytables_hash}"
    yield f"    configuration {header.configuration_hash}"
    yield f"    boot {header.boot_id}"


def _body(row: EntryRow) -> tuple[dict[str, object], list[dict[str, object]]]:
    try:
        body = parse(row.body)
    except RecordError as error:
        raise JournalDamaged(f"entry {row.seq}: {error}") from error
    match body:
        case {"event": dict() as event, "effects": list() as effects} if all(isinstance(e, dict) for e in effects):
            return event, effects
    raise JournalDamaged(f"entry {row.seq}: its body does not hold event and effects")


def _fields(record: dict[str, object]) -> str:
    fields = (f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in record.items() if name != "type")
    return " ".join([str(record.get("type")), *fields])


def _wall(wall_ns: int, header: SegmentHeader) -> str:
    """UTC to the millisecond; marked where the clock had not been set."""
    text = datetime.fromtimestamp(wall_ns // 1_000_000 / 1_000, UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z" if header.wall_trusted else "?")


def _hash(text: str) -> bytes:
    try:
        value = bytes.fromhex(text)
    except ValueError:
        value = b""
    if len(value) != HASH_BYTES:
        raise argparse.ArgumentTypeError(f"got {text!r}, expected the {2 * HASH_BYTES} hex digits of a head")
    return value
