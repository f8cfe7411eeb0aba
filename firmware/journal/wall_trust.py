"""Whether an entry's wall time can be relied on: what the segment's header says, until an event says otherwise.

Rule: an event with a field `trusted` says it from its own entry on, until the next one or the segment's end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from firmware.journal.reader import Reader
from firmware.journal.records import HEADER_CODEC, EntryRow, SegmentHeader

_SAYS = re.compile(r'\A\{"event":\{[^{}]*"trusted":(true|false)')
"""Of an event without records inside it: the only kind that says it. Nothing else is decoded: such entries are few."""


class WallTrust:
    """Entries of one segment, taken in order from its first."""

    def __init__(self, header: SegmentHeader) -> None:
        self.trusted = header.wall_trusted
        """Of the last entry taken."""

    def take(self, rows: Iterable[EntryRow]) -> bool:
        """`trusted` after these entries."""
        for row in rows:
            if (found := _SAYS.match(row.body)) is not None:
                self.trusted = found[1] == "true"
        return self.trusted


def trusted_at(reader: Reader, row: EntryRow) -> bool:
    """Whether the wall time of this entry can be relied on; reads its segment up to there."""
    segment = next(s for s in reader.segments() if s.number == row.segment)
    return WallTrust(HEADER_CODEC.decode(segment.header)).take(reader.entries(segment.first_seq, row.seq))
