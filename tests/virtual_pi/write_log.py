"""The log of a disk's writes, and the disk as a power cut could have left it.

Rules (the format of the kernel's dm-log-writes, as QEMU's blklogwrites writes it): a first sector says how many
entries there are; each entry is a sector that says where, how much and with which flags, and then the data. A card may
have done any part of what came after the last flush before the cut, in any order, and one write torn at a sector; what
came before that flush is there. A write with FUA is there once it was logged.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

from msgspec import Struct

SECTOR_BYTES = 512
_HEAD = struct.Struct("<QQQI")
_ENTRY = struct.Struct("<QQQQ")
MAGIC = 0x6A736677736872
FLUSH, FUA, DISCARD = 1, 2, 4
UNFLUSHED = 400
"""Writes that a card which ignores flushes still has in its own memory."""


class Write(Struct, frozen=True):
    """One entry: `data_at` is where its data stands in the log; sectors have 512 bytes."""

    sector: int
    sectors: int
    flags: int
    data_at: int


def count(log: Path) -> int:
    """Entries so far; grows while the machine runs."""
    with log.open("rb") as file:
        head = file.read(_HEAD.size)
    if len(head) < _HEAD.size:
        return 0
    magic, _, entries, _ = _HEAD.unpack(head)
    return int(entries) if magic == MAGIC else 0


def entries(log: Path) -> Iterator[Write]:
    """Raises ValueError for what is no such log."""
    with log.open("rb") as file:
        magic, _, number, sector_bytes = _HEAD.unpack(file.read(_HEAD.size))
        if magic != MAGIC or sector_bytes != SECTOR_BYTES:
            raise ValueError(f"{log}: magic {magic:#x}, sectors of {sector_bytes} bytes: no log of a disk's writes")
        at = SECTOR_BYTES
        for _ in range(number):
            file.seek(at)
            sector, sectors, flags, _ = _ENTRY.unpack(file.read(_ENTRY.size))
            at += SECTOR_BYTES
            yield Write(sector, sectors, flags, at)
            if not flags & DISCARD:
                at += sectors * SECTOR_BYTES


def after_a_cut(writes: Sequence[Write], cut: int, chance: random.Random, *, flushes: bool = True) -> list[Write]:
    """Which of the first `cut` writes are on the disk. `flushes` False: a card that ignores them, as a control."""
    flushed = max((i + 1 for i in range(cut) if writes[i].flags & FLUSH), default=0)
    last = flushed if flushes else max(0, cut - UNFLUSHED)
    kept = list(writes[:last])
    for write in writes[last:cut]:
        if (flushes and write.flags & FUA) or (write.sectors and chance.random() < 0.5):
            kept.append(write)
    loose = [i for i in range(last, len(kept)) if kept[i].sectors > 1 and not kept[i].flags & FUA]
    if loose:
        torn = chance.choice(loose)
        write = kept[torn]
        kept[torn] = Write(write.sector, chance.randrange(1, write.sectors), write.flags, write.data_at)
    return kept


def apply(log: Path, writes: Sequence[Write], image: BinaryIO) -> None:
    """Do these writes on a disk's image."""
    with log.open("rb") as file:
        for write in writes:
            image.seek(write.sector * SECTOR_BYTES)
            if write.flags & DISCARD:
                image.write(bytes(write.sectors * SECTOR_BYTES))
            elif write.sectors:
                file.seek(write.data_at)
                image.write(file.read(write.sectors * SECTOR_BYTES))
