"""A journal, read once from its first entry to its last: every item of the audit with the entry that it belongs to.

Rules: rows are read as they are needed and forgotten; the chain is not checked here (`tabled journal verify` does, and
`tabled journal audit` begins with it). A segment of rules that this version does not know is refused by name.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from firmware.app.program import TableProgram, programs
from firmware.audit.auditor import Auditor, Beginning
from firmware.audit.items import Item, When
from firmware.audit.snapshot import Snapshot, read_snapshot
from firmware.core.machine_events import JournalBegun, Succession
from firmware.journal.errors import JournalDamaged
from firmware.journal.reader import Reader
from firmware.journal.records import HEADER_CODEC, NO_HASH
from firmware.journal.wall_trust import WallTrust


class Found(NamedTuple):
    """An item and its entry; for what was found at a segment's start, the segment's first entry."""

    when: When
    item: Item


def walk(
    reader: Reader, auditor: Auditor, last_seq: int = (1 << 63) - 1, *, continues: bool = False
) -> Iterator[Found]:
    """Audit everything up to `last_seq`. Raises UnknownRules, RecordError, JournalDamaged.

    `continues`: the auditor has read the file that this one continues.
    """
    segments = [row for row in reader.segments() if row.first_seq <= last_seq + 1]
    ends = [*(row.first_seq - 1 for row in segments[1:]), last_seq]
    for row, end in zip(segments, ends, strict=False):  # an empty journal has an end but no segment
        header = HEADER_CODEC.decode(row.header)
        program = programs(header)
        opening = _snapshot(reader, row.number, row.first_seq - 1)
        when = When(row.first_seq, row.wall_ns, header.wall_trusted)
        begins = row is segments[0]
        beginning = Beginning(
            known=continues or not begins,
            new_table=begins and row.prev_hash == NO_HASH,
            begun=_begun(reader, program, row.first_seq, begins),
        )
        items = auditor.segment(when, program.rules(header), opening, beginning)
        yield from (Found(when, item) for item in items)
        trust = WallTrust(header)
        for entry_row in reader.entries(row.first_seq, end):
            entry = program.codec.decode_entry(entry_row)
            when = When(entry_row.seq, entry_row.wall_ns, trust.take((entry_row,)))
            items = auditor.entry(when, entry.event, entry.effects)
            if entry_row.snapshot:
                items += auditor.snapshot(when, _snapshot(reader, row.number, entry_row.seq))
            yield from (Found(when, item) for item in items)


def _begun(reader: Reader, program: TableProgram, first_seq: int, begins: bool) -> JournalBegun | None:
    """What a segment's first entry says of how this file took another's place: the file's own first one, or that with
    which a copy goes on."""
    for row in reader.entries(first_seq, first_seq):
        event = program.codec.decode_entry(row).event
        if isinstance(event, JournalBegun) and (begins or event.how is Succession.RESTORED):
            return event
    return None


def _snapshot(reader: Reader, segment: int, seq: int) -> Snapshot:
    text = reader.snapshot(segment, seq)
    if text is None:
        raise JournalDamaged(f"segment {segment}: the snapshot after entry {seq} is missing")
    try:
        return read_snapshot(text)
    except (msgspec.DecodeError, RecursionError) as error:
        raise JournalDamaged(f"segment {segment}: the snapshot after entry {seq}: {error}") from error
