"""`tabled journal verify|show|replay|draws FILE`: a journal read by a person. Taken out of it: `export_commands`.

Rules: nothing is written. Exit status 0: done and in order; 1: the journal is damaged, is not the one that was noted,
or its replay differs, the place is named on standard error; 2: it can't be read, or was asked for wrongly. They work
while the daemon runs. What needs a game to be told is handed in: `tell` narrates one round, `programs` replays
(`replay.Programs`), `audit` checks the draws.
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
from firmware.journal.errors import JournalDamaged, JournalError, JournalReplaced, RecordError
from firmware.journal.heads import read_head
from firmware.journal.reader import Reader, Round
from firmware.journal.records import HASH_BYTES, HEADER_CODEC, NO_HASH, EntryRow, SegmentHeader, SegmentRow
from firmware.journal.replay import Programs, ReplayDiffers
from firmware.journal.replay_parts import replay_on_cores
from firmware.journal.signing import PUBLIC_BYTES, load_public
from firmware.journal.verify import Report
from firmware.journal.wall_trust import WallTrust

Tell = Callable[[Reader, Round], Iterable[str]]
"""Lines that tell one round as a person would ask about it: who was lit at lock-out, what the meters said, ..."""


def main_verify(arguments: Sequence[str]) -> int:
    """`verify FILE... [--head HEAD] [--public-key KEY]`: is every row what was written, and signed by the table?"""
    parser = argparse.ArgumentParser(prog="tabled journal verify", description=main_verify.__doc__)
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help="in order, where files continue each other")
    parser.add_argument("--head", help="a head noted earlier (64 hex digits, or its exported file); must be there")
    parser.add_argument(
        "--public-key",
        action="append",
        default=[],
        metavar="KEY",
        help="the table's key (64 hex digits, or its .pub file), which must have signed all; one more a change",
    )
    options = parser.parse_args(arguments)
    return reporting(lambda: _verify(options.files, options.head, options.public_key))


def main_show(arguments: Sequence[str], tell: Tell | None = None) -> int:
    """`show FILE [--round N] [--from SEQ] [--to SEQ] [--type NAME]`: the entries, or one round told."""
    parser = argparse.ArgumentParser(
        prog="tabled journal show",
        description=main_show.__doc__,
        epilog="A time that ends in '?' is of a clock that was not known to be right then. "
        "A field that is not shown holds its default.",
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--round", type=int, help="only this finished round, told; its entries follow with --entries")
    parser.add_argument("--entries", action="store_true", help="list the entries although a round is told")
    parser.add_argument("--from", dest="first", type=int, default=1, metavar="SEQ", help="from this entry on")
    parser.add_argument("--to", dest="last", type=int, default=(1 << 63) - 1, metavar="SEQ", help="to this entry")
    parser.add_argument("--type", dest="kind", metavar="NAME", help="only entries with an event or effect of this type")
    options = parser.parse_args(arguments)
    return reporting(lambda: _show(options, tell))


def main_replay(arguments: Sequence[str], programs: Programs[Any, Any, Any, Any]) -> int:
    """`replay FILE [--from-segment N] [--jobs N]`: do the rules give the same decisions and states again?"""
    parser = argparse.ArgumentParser(prog="tabled journal replay", description=main_replay.__doc__)
    parser.add_argument("file", type=Path)
    parser.add_argument("--from-segment", type=int, default=1, metavar="N", help="begin with this start of the daemon")
    parser.add_argument("--jobs", type=_jobs, metavar="N", help="processor cores to use; default: all")
    options = parser.parse_args(arguments)
    return reporting(lambda: _replay(options.file, options.from_segment, options.jobs, programs))


def main_draws(arguments: Sequence[str], audit: Callable[[Reader], Iterable[str]]) -> int:
    """`draws FILE`: are the random draws what was asked for, and revealed triggers what was committed to?"""
    parser = argparse.ArgumentParser(prog="tabled journal draws", description=main_draws.__doc__)
    parser.add_argument("file", type=Path)
    options = parser.parse_args(arguments)
    return reporting(lambda: _draws(options.file, audit))


def _draws(path: Path, audit: Callable[[Reader], Iterable[str]]) -> Iterator[str]:
    with Reader(path) as reader:
        yield from audit(reader)


def reporting(command: Callable[[], Iterable[str]]) -> int:
    """Print a command's lines; what a journal's errors say, and the exit status that they have."""
    try:
        for line in command():
            print(line)
    except (JournalDamaged, JournalReplaced, ReplayDiffers) as error:
        print(f"NOT IN ORDER: {error}", file=sys.stderr)
        return 1
    except JournalError as error:
        print(f"tabled journal: {error}", file=sys.stderr)
        return 2
    return 0


def _verify(paths: Sequence[Path], head: str | None, keys: Sequence[str]) -> Iterator[str]:
    public_keys = [public_key(key) for key in keys]
    noted_head = None if head is None else _noted_head(head, public_keys)
    before: bytes | None = None
    found = False
    for path in paths:
        with Reader(path) as reader:
            report = reader.verify(noted_head if len(paths) == 1 else None, public_keys)
            found = found or (noted_head is not None and reader.holds(noted_head))
        if before is not None:
            expect_continues(path, report, before)
        yield from _report(path if len(paths) > 1 else None, report)
        before = report.head
    if noted_head is None:
        yield "note the head elsewhere: only it shows later (--head) that no entries were removed from the end"
    elif not found:
        raise JournalDamaged(f"the noted head {noted_head.hex()} is in none of the files: entries were removed")
    if not keys:
        yield "who signed is known only by the public key that was noted at the installation (--public-key)"


def expect_continues(path: Path, report: Report, before: bytes) -> None:
    """Raises JournalDamaged unless the file continues the one whose head is `before`."""
    if report.anchor != before:
        raise JournalDamaged(
            f"{path}: continues the file with head {report.anchor.hex()}, the file before it ends with "
            f"{before.hex()}: another file belongs between them, or entries were removed from that one's end"
        )


def _report(path: Path | None, report: Report) -> Iterator[str]:
    segments, snapshots = counted(report.segments, "segment"), counted(report.snapshots, "snapshot")
    signed = f"{counted(report.signed, 'head')} signed" if report.signed else "not signed"
    entries = counted(report.entries, "entry", "entries")
    yield f"{f'{path}: ' if path else ''}in order: {segments}, {entries}, {snapshots}, {signed}"
    if report.anchor != NO_HASH:
        yield f"continues at entry {report.first_seq} the file with head {report.anchor.hex()}"
    yield f"head: {report.head.hex()}"


def _noted_head(text: str, public_keys: Sequence[bytes]) -> bytes:
    """From 64 hex digits, or from an exported file: its signature is checked, and must be by one of the keys given."""
    value = hex_bytes(text, HASH_BYTES)
    if value is not None:
        return value
    exported = read_head(Path(text))
    if exported is None:
        raise JournalError(f"--head {text}: is neither the {2 * HASH_BYTES} hex digits of a head nor a file")
    if public_keys and exported.public_key not in public_keys:
        raise JournalDamaged(f"{text}: is signed by {exported.public_key.hex()}, which is none of the keys given")
    return exported.head.head


def public_key(text: str) -> bytes:
    """A public key as people give it: 64 hex digits, or its file. Raises KeyMissing, KeyUnusable."""
    value = hex_bytes(text, PUBLIC_BYTES)
    return load_public(Path(text)) if value is None else value


def _replay(path: Path, from_segment: int, jobs: int | None, programs: Programs[Any, Any, Any, Any]) -> Iterator[str]:
    done = replay_on_cores(path, programs, from_segment, jobs)
    if done.segments == 0 and from_segment != 1:
        with Reader(path) as reader:
            last = max((start.segment for start in reader.starts()), default=0)
            raise JournalError(f"{path}: no segment {from_segment} is there to replay; the last is {last}")
    yield (
        f"the same again: {counted(done.segments, 'segment')}, {counted(done.entries, 'entry', 'entries')}, "
        f"{counted(done.state_hashes, 'state')}"
    )


def counted(number: int, what: str, many: str = "") -> str:
    """ "1 segment", "2 segments"; "1 entry", "2 entries"."""
    return f"{number} {what if number == 1 else many or f'{what}s'}"


def _show(options: argparse.Namespace, tell: Tell | None) -> Iterator[str]:
    with Reader(options.file) as reader:
        first, last = options.first, options.last
        if options.round is not None:
            found = next((found for found in reader.rounds() if found.number == options.round), None)
            if found is None:
                raise JournalError(
                    f"{options.file}: no round {options.round} has ended in this file; {_known_rounds(reader)}"
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
    return f"the rounds are {min(numbers)} to {max(numbers)}" if numbers else "none has; an earlier file may have it"


def _list(reader: Reader, first: int, last: int, kind: str | None) -> Iterator[str]:
    segments = {row.number: (row, HEADER_CODEC.decode(row.header)) for row in reader.segments()}
    shown: int | None = None
    within: int | None = None
    for row in reader.entries(first, last):
        if row.segment not in segments:
            raise JournalDamaged(f"entry {row.seq}: its segment {row.segment} is missing")
        segment, header = segments[row.segment]
        if within != row.segment:
            within, trust = row.segment, WallTrust(header)
            trust.take(reader.entries(segment.first_seq, row.seq - 1))
        trust.take((row,))
        event, effects = _body(row)
        if kind is not None and kind not in (event.get("type"), *(effect.get("type") for effect in effects)):
            continue
        if shown != row.segment:
            yield from _segment_lines(segment, header)
            shown = row.segment
        since_start = (row.at_ns - segment.at_ns) / 1e9
        yield f"{row.seq:>8}  {_wall(row.wall_ns, trust.trusted)}  {since_start:+.6f} s  {_fields(event)}"
        yield from (f"{'':>8}    -> {_fields(effect)}" for effect in effects)
        if row.ends_round is not None:
            yield f"{'':>8}    == round {row.ends_round} ends"


def _segment_lines(row: SegmentRow, header: SegmentHeader) -> Iterator[str]:
    yield (
        f"segment {row.number}  {_wall(row.wall_ns, header.wall_trusted)}  {header.profile}, "
        f"firmware {header.firmware_version}, rules {header.rules_version}, state schema {header.state_schema}, "
        f"SQLite {header.sqlite_version}"
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


def _wall(wall_ns: int, trusted: bool) -> str:
    """UTC to the millisecond; marked where the clock was not known to be right."""
    text = datetime.fromtimestamp(wall_ns // 1_000_000 / 1_000, UTC).isoformat(timespec="milliseconds")
    return text.replace("+00:00", "Z" if trusted else "?")


def _jobs(text: str) -> int:
    if not text.isdecimal() or int(text) == 0:
        raise argparse.ArgumentTypeError(f"got {text!r}, expected a number of cores from 1 on")
    return int(text)


def hex_bytes(text: str, length: int) -> bytes | None:
    """None for a text that is not the hex digits of so many bytes."""
    try:
        value = bytes.fromhex(text)
    except ValueError:
        return None
    return value if len(value) == length else None
