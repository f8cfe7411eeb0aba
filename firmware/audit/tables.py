"""Tables: one definition for text, CSV and JSON. A table is its columns and its rows of plain values.

Rules:
* Amounts stay integers until they are written, and are written as exact decimals: two places of cents, six of
  micro-dollars; in text with commas, in CSV and JSON without.
* Text fits 100 columns. A value too long for its column pushes the rest of its line, it is never cut; the last column
  is wrapped.
"""

from __future__ import annotations

import csv
import io
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum, auto

from msgspec import Struct

WIDTH = 100
Value = str | int | None
Row = Sequence[Value]


class Kind(Enum):
    """What a column holds, and with that how it is written."""

    TEXT = auto()
    NUMBER = auto()
    CENTS = auto()
    MICRO = auto()
    TIME = auto()  # "2026-11-30 21:00:00"; text leaves the day out


_PLACES = {Kind.NUMBER: 0, Kind.CENTS: 2, Kind.MICRO: 6}


class Column(Struct, frozen=True):
    """`name`: the key in CSV and JSON; text has spaces for underscores. `width`: in text, 0 for not there. `rare`: text
    has it only where it holds anything but zeros."""

    name: str
    width: int
    kind: Kind = Kind.TEXT
    rare: bool = False


class Table(Struct, frozen=True):
    """`grouped`: text writes the first column on a line of its own, where it changes; its `width` is 0."""

    name: str
    title: str
    columns: tuple[Column, ...]
    grouped: bool = False


def decimal(amount: int, places: int, *, commas: bool = False) -> str:
    """An integer of the smallest unit as a decimal: 1234567 with 2 places -> "12345.67"."""
    sign = "-" if amount < 0 else ""
    whole, rest = divmod(abs(amount), 10**places)
    return f"{sign}{whole:{',' if commas else ''}}" + (f".{rest:0{places}d}" if places else "")


def _plain(column: Column, value: Value) -> str:
    if isinstance(value, int):
        return decimal(value, _PLACES[column.kind])
    return value or ""


def csv_lines(table: Table, rows: Iterable[Row], *, head: bool) -> Iterator[str]:
    """RFC 4180 lines without their ends."""
    if head:
        yield _csv([column.name for column in table.columns])
    for row in rows:
        yield _csv([_plain(column, value) for column, value in zip(table.columns, row, strict=True)])


def _csv(cells: Sequence[str]) -> str:
    line = io.StringIO()
    csv.writer(line, lineterminator="").writerow(cells)
    return line.getvalue()


def json_rows(table: Table, rows: Iterable[Row]) -> list[dict[str, Value]]:
    """Rows as objects: numbers stay numbers, amounts are decimal texts, what is not there is null."""
    return [
        {
            column.name: _plain(column, value)
            if column.kind in (Kind.CENTS, Kind.MICRO) and value is not None
            else value
            for column, value in zip(table.columns, row, strict=True)
        }
        for row in rows
    ]


def text_lines(table: Table, rows: Iterable[Row]) -> Iterator[str]:
    """Title, heads and rows for people; nothing for a table without rows."""
    rows = list(rows)
    shown = [
        index
        for index, column in enumerate(table.columns)
        if column.width and not (column.rare and not any(row[index] for row in rows))
    ]
    columns = [table.columns[index] for index in shown]
    indent = "    " if table.grouped else "  "
    group: Value = None
    begun = False
    for row in rows:
        if not begun:
            yield table.title
            yield from _line(indent, columns, [column.name.replace("_", " ") for column in columns])
            begun = True
        if table.grouped and row[0] != group:
            group = row[0]
            yield f"  {group}"
        cells = [_cell(column, row[index]) for index, column in zip(shown, columns, strict=True)]
        yield from _line(indent, columns, cells)


def _cell(column: Column, value: Value) -> str:
    if isinstance(value, int):
        return decimal(value, _PLACES[column.kind], commas=True)
    if column.kind is Kind.TIME and value:
        return value[len("2026-11-30 ") :]
    return value or ""


def _line(indent: str, columns: Sequence[Column], cells: Sequence[str]) -> Iterator[str]:
    done = indent + " ".join(
        f"{cell:<{column.width}}" if column.kind not in _PLACES else f"{cell:>{column.width}}"
        for column, cell in zip(columns[:-1], cells[:-1], strict=True)
    )
    last = columns[-1]
    if last.kind in _PLACES:
        yield f"{done} {cells[-1]:>{last.width}}".rstrip()
        return
    wrapped = textwrap.wrap(cells[-1], max(WIDTH - len(done) - 1, 20)) or [""]
    for index, part in enumerate(wrapped):
        yield f"{done if index == 0 else ' ' * len(done)} {part}".rstrip()
