"""The file under the rows: SQLite's header, its pages, and the place of what can't be read.

Rules: the header's bytes that a journal never changes must be as they were made. What is left over of it are SQLite's
own counters (change counter, size, schema cookie, version of the last writer); they and the unused space of pages mean
nothing: `tests/journal/test_tampering.py` proves it byte by byte.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import apsw

from firmware.journal.errors import JournalDamaged

_HEADER_BYTES = 100
_FIXED = (
    (0, b"SQLite format 3\0"),
    (20, bytes((0, 64, 32, 32))),  # reserved space in pages, payload fractions
    (44, bytes((0, 0, 0, 4))),  # format of the schema
    (48, bytes(8)),  # size of the cache, auto-vacuum: neither is used
    (56, bytes((0, 0, 0, 1))),  # UTF-8
    (64, bytes(4)),  # incremental vacuum
    (72, bytes(20)),  # reserved for expansion
)
"""Offset and content; https://www.sqlite.org/fileformat2.html section 1.3."""
_FORMAT_VERSIONS = (b"\1\1", b"\2\2")
"""Offset 18: how the file is written and read; 2 is a WAL beside it."""

_TABLES = {"sqlite_schema": ("name",), "segment": ("number",), "entry": ("seq",), "snapshot": ("segment", "seq")}


def check_header(connection: apsw.Connection) -> None:
    """Raises JournalDamaged for a fixed byte of the header that is another. A file without a page has no header yet."""
    whole, header = connection.read("main", 0, 0, _HEADER_BYTES)
    if not whole:
        return
    for offset, expected in _FIXED:
        found = header[offset : offset + len(expected)]
        if found != expected:
            raise JournalDamaged(
                f"header of the file, bytes {offset} to {offset + len(expected) - 1}: got {found.hex()}, expected "
                f"{expected.hex()}: it was changed"
            )
    if header[18:20] not in _FORMAT_VERSIONS:
        raise JournalDamaged(f"header of the file, bytes 18 to 19: got {header[18:20].hex()}, expected 0101 or 0202")


def check_size(connection: apsw.Connection) -> None:
    """Raises JournalDamaged for a file that ends within a page. While pages wait in a WAL that is no fault."""
    path = Path(connection.db_filename("main"))
    wal = path.with_name(path.name + "-wal")
    if wal.exists() and wal.stat().st_size:
        return
    size, page = path.stat().st_size, connection.pragma("page_size")
    if size % page:
        raise JournalDamaged(
            f"pages of the file: page {size // page + 1} has {size % page} of {page} bytes: it was cut"
        )


def check_pages(connection: apsw.Connection) -> None:
    """SQLite's own check of every page, every index entry and every declared type. Raises JournalDamaged."""
    problems = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(3)")]
    if problems == ["database disk image is malformed"]:
        raise JournalDamaged(f"{_first_unreadable(connection)}: {problems[0]}; the page is damaged")
    if problems != ["ok"]:
        raise JournalDamaged(f"pages of the file: {'; '.join(problems)}")


@contextmanager
def located(connection: apsw.Connection) -> Iterator[None]:
    """What SQLite or UTF-8 can't read, as JournalDamaged with the place of the first such row."""
    try:
        yield
    except (apsw.CorruptError, UnicodeDecodeError) as error:
        raise JournalDamaged(
            f"{_first_unreadable(connection)}: can't be read ({error}); the page is damaged"
        ) from error


def _first_unreadable(connection: apsw.Connection) -> str:
    for table, keys in _TABLES.items():
        last = "its first row"
        try:
            for values in connection.execute(f"SELECT {', '.join(keys)}, * FROM {table} ORDER BY {', '.join(keys)}"):
                last = "what follows " + ", ".join(f"{key} {value}" for key, value in zip(keys, values, strict=False))
        except (apsw.CorruptError, UnicodeDecodeError):
            return f"table {table}, {last}"
    return "index round_end"
