"""A forger who knows the format: changes what an entry says and makes every hash anew, so the chain is in order."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw

from firmware.journal.records import EntryRow, SegmentRow, entry_hash, segment_hash
from firmware.journal.verify import ENTRY_COLUMNS, SEGMENT_COLUMNS

Effect = dict[str, Any]
Change = Callable[[list[Effect]], bool]
"""Changes an entry's effects in place; True if it did."""


def forge(source: Path, target: Path, change: Change, skip: int = 0) -> int:
    """Copy `source`, change the first entry that `change` takes after `skip` others, rehash. Returns its number."""
    shutil.copyfile(source, target)
    connection = apsw.Connection(str(target))
    try:
        seq = _change(connection, change, skip)
        rehash(connection)
    finally:
        connection.close()
    return seq


def _change(connection: apsw.Connection, change: Change, skip: int) -> int:
    for seq, body in list(connection.execute("SELECT seq, body FROM entry ORDER BY seq")):
        tree = json.loads(body)
        if change(tree["effects"]):
            if skip:
                skip -= 1
                continue
            text = json.dumps(tree, separators=(",", ":"), ensure_ascii=False)
            connection.execute("UPDATE entry SET body = ? WHERE seq = ?", (text, seq))
            return int(seq)
    raise AssertionError("no entry to forge")


def rehash(connection: apsw.Connection) -> None:
    """The chain anew over whatever stands in the rows."""
    segments = [
        SegmentRow(*row) for row in connection.execute(f"SELECT {SEGMENT_COLUMNS} FROM segment ORDER BY number")
    ]
    entries = [EntryRow(*row) for row in connection.execute(f"SELECT {ENTRY_COLUMNS} FROM entry ORDER BY seq")]
    rows: list[tuple[int, int, SegmentRow | EntryRow]] = [
        *((segment.first_seq, 0, segment) for segment in segments),
        *((entry.seq, 1, entry) for entry in entries),
    ]
    head = segments[0].prev_hash
    with connection:
        for _, _, row in sorted(rows, key=lambda one: one[:2]):
            row = row._replace(prev_hash=head)
            head = segment_hash(row) if isinstance(row, SegmentRow) else entry_hash(row)
            table, key = ("segment", row.number) if isinstance(row, SegmentRow) else ("entry", row.seq)
            column = "number" if table == "segment" else "seq"
            connection.execute(
                f"UPDATE {table} SET prev_hash = ?, hash = ? WHERE {column} = ?", (row.prev_hash, head, key)
            )


# --- forgeries: each changes money and nothing else -------------------------------------------------------------------


def first(effects: list[Effect], kind: str, **values: object) -> Effect | None:
    """The first effect of a kind that has these values."""
    return next(
        (e for e in effects if e["type"] == kind and all(e.get(name) == value for name, value in values.items())), None
    )


def add(kind: str, name: str, amount: int, **values: object) -> Change:
    """Add to one field of the first effect of a kind."""

    def change(effects: list[Effect]) -> bool:
        found = first(effects, kind, **values)
        if found is not None:
            found[name] += amount
        return found is not None

    return change


def put(kind: str, name: str, value: object, **values: object) -> Change:
    """Give one field of the first effect of a kind another value."""

    def change(effects: list[Effect]) -> bool:
        found = first(effects, kind, **values)
        if found is not None:
            found[name] = value
        return found is not None

    return change


def drop(kind: str, **values: object) -> Change:
    """Leave the first effect of a kind out."""

    def change(effects: list[Effect]) -> bool:
        found = first(effects, kind, **values)
        if found is not None:
            effects.remove(found)
        return found is not None

    return change


def twice(kind: str, **values: object) -> Change:
    """Write the first effect of a kind twice."""

    def change(effects: list[Effect]) -> bool:
        found = first(effects, kind, **values)
        if found is not None:
            effects.insert(effects.index(found), dict(found))
        return found is not None

    return change


def insert(*new: Effect, beside: str) -> Change:
    """Put effects into the first entry that has one of kind `beside`."""

    def change(effects: list[Effect]) -> bool:
        if first(effects, beside) is None:
            return False
        effects.extend(dict(effect) for effect in new)
        return True

    return change


def exchange_hands(effects: list[Effect]) -> bool:
    """The Player hand's cards become the Banker hand's."""
    found = first(effects, "RoundSettled", stage="final")
    if found is not None:
        shown = found["shown"]
        shown["player"], shown["banker"] = shown["banker"], shown["player"]
    return found is not None
