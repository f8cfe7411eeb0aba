"""The log of a disk's writes is read as it is written, and a power cut leaves only what it may."""

from __future__ import annotations

import io
import random
import struct
from pathlib import Path

import pytest

from tests.virtual_pi import write_log
from tests.virtual_pi.write_log import DISCARD, FLUSH, FUA, MAGIC, SECTOR_BYTES

DONE = [(8, b"a" * 1024, 0), (0, b"", FLUSH), (9, b"b" * 512, 0), (10, b"c" * 1536, FUA), (20, b"d" * 2048, 0)]


def made(folder: Path, done: list[tuple[int, bytes, int]]) -> Path:
    parts = [struct.pack("<QQQI", MAGIC, 1, len(done), SECTOR_BYTES).ljust(SECTOR_BYTES, b"\0")]
    for sector, data, flags in done:
        parts.append(struct.pack("<QQQQ", sector, len(data) // SECTOR_BYTES, flags, 0).ljust(SECTOR_BYTES, b"\0"))
        parts.append(data)
    log = folder / "writes.log"
    log.write_bytes(b"".join(parts))
    return log


def test_every_write_is_read_with_its_data(tmp_path: Path) -> None:
    log = made(tmp_path, DONE)
    assert write_log.count(log) == 5
    read = list(write_log.entries(log))
    assert [(w.sector, w.sectors, w.flags) for w in read] == [(s, len(d) // 512, f) for s, d, f in DONE]
    disk = io.BytesIO(bytes(30 * SECTOR_BYTES))
    write_log.apply(log, read, disk)
    assert disk.getvalue()[8 * 512 : 14 * 512] == b"a" * 512 + b"b" * 512 + b"c" * 1536 + bytes(512)


def test_a_discarded_range_has_no_data_and_reads_as_nothing(tmp_path: Path) -> None:
    log = made(tmp_path, [(0, b"x" * 1024, 0)])
    with log.open("ab") as file:
        file.write(struct.pack("<QQQQ", 1, 1, DISCARD, 0).ljust(SECTOR_BYTES, b"\0"))
    data = log.read_bytes()
    log.write_bytes(struct.pack("<QQQI", MAGIC, 1, 2, SECTOR_BYTES).ljust(SECTOR_BYTES, b"\0") + data[SECTOR_BYTES:])
    disk = io.BytesIO(b"o" * 1024)
    write_log.apply(log, list(write_log.entries(log)), disk)
    assert disk.getvalue() == b"x" * 512 + bytes(512)


def test_what_was_flushed_or_forced_is_there_after_any_cut(tmp_path: Path) -> None:
    writes = list(write_log.entries(made(tmp_path, DONE)))
    sizes = set()
    for seed in range(200):
        kept = write_log.after_a_cut(writes, 5, random.Random(seed))
        assert kept[:2] == writes[:2]
        assert writes[3] in kept
        sizes.add(tuple(w.sectors for w in kept if w.sector == 20))
    assert sizes == {(), (1,), (2,), (3,)}, "the last write is lost, or torn at a sector; never half a sector"
    assert write_log.after_a_cut(writes, 2, random.Random(1)) == writes[:2]


def test_a_card_that_ignores_flushes_loses_also_what_was_flushed(tmp_path: Path) -> None:
    writes = list(write_log.entries(made(tmp_path, DONE)))
    lost = sum(
        all(w.sector != 8 for w in write_log.after_a_cut(writes, 5, random.Random(seed), flushes=False))
        for seed in range(100)
    )
    assert 20 < lost < 80


def test_another_file_is_refused(tmp_path: Path) -> None:
    other = tmp_path / "x"
    other.write_bytes(bytes(1024))
    assert write_log.count(other) == 0
    with pytest.raises(ValueError, match="no log"):
        list(write_log.entries(other))
