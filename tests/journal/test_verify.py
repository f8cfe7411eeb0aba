"""Verification finds every change, and names the place. Changes are made with SQLite itself, as a forger would."""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import apsw
import pytest

from firmware.journal.codec import sha256
from firmware.journal.database import open_for_reading
from firmware.journal.errors import JournalDamaged, JournalError
from firmware.journal.reader import Reader
from firmware.journal.records import NO_HASH, EntryRow, SegmentRow, entry_hash
from tests.journal.sample import Contributed, Table, committed, play_round


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two segments, three rounds, one transaction of several entries; closed, so that it is one file."""
    path = tmp_path_factory.mktemp("journal") / "table.journal"
    table = Table(path)
    committed(table.begin())
    play_round(table, 1)
    committed(table.play(Contributed(3, 30), Contributed(4, 40), Contributed(5, 50)))
    play_round(table, 2)
    table.close()
    again = Table(path, create=False, state=table.state)
    committed(again.begin())
    play_round(again, 3)
    again.close()
    return path


@pytest.fixture
def path(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(original, tmp_path / "table.journal"))


def change(path: Path, *statements: str) -> None:
    connection = apsw.Connection(str(path))
    for statement in statements:
        connection.execute(statement)
    connection.close()


def damage(path: Path, noted_head: bytes | None = None) -> str:
    with Reader(path) as reader, pytest.raises(JournalDamaged) as caught:
        reader.verify(noted_head)
    return str(caught.value)


def test_the_original_is_in_order(original: Path) -> None:
    with Reader(original) as reader:
        report = reader.verify()
        assert (report.segments, report.entries, report.snapshots) == (2, 27, 5)
        for row in reader.entries():
            reader.verify(row.hash)  # any row's hash may have been noted


COPY_4_TO_5 = (
    "INSERT INTO entry SELECT 5, segment, at_ns, wall_ns, body, ends_round, state_hash, snapshot, prev_hash, hash "
    "FROM entry WHERE seq = 4"
)
OTHER_VALUE = {int: "{0} + 1", str: "{0} || ' '", bytes: "randomblob(32)", type(None): "1"}


@pytest.mark.parametrize("seq", [1, 10, 27])
@pytest.mark.parametrize("column", EntryRow._fields)
def test_any_changed_value_of_an_entry(path: Path, seq: int, column: str) -> None:
    with Reader(path) as reader:
        (row,) = reader.entries(seq, seq)
    value = getattr(row, column)
    if value is None and column == "state_hash":
        expression = "zeroblob(32)"
    elif column == "seq":
        expression = "seq + 1000"
    else:
        expression = OTHER_VALUE[type(value)].format(column)
    change(path, f"UPDATE entry SET {column} = {expression} WHERE seq = {seq}")
    found = damage(path)
    assert f"entry {seq}:" in found or f"entry {seq + 1}" in found or "entry 1027:" in found


@pytest.mark.parametrize("column", SegmentRow._fields)
@pytest.mark.parametrize("number", [1, 2])
def test_any_changed_value_of_a_segment(path: Path, number: int, column: str) -> None:
    with Reader(path) as reader:
        row = reader.segments()[number - 1]
    expression = "number + 5" if column == "number" else OTHER_VALUE[type(getattr(row, column))].format(column)
    change(path, f"UPDATE segment SET {column} = {expression} WHERE number = {number}")
    found = damage(path)
    assert "segment" in found or "entry" in found


@pytest.mark.parametrize(
    ("statements", "place"),
    [
        (["DELETE FROM entry WHERE seq = 12"], "entry 13: seq is 13, expected 12"),
        (["DELETE FROM entry WHERE seq = 12", "UPDATE entry SET seq = seq - 1 WHERE seq > 12"], "entry 12: prev_hash"),
        (["DELETE FROM entry WHERE seq = 1"], "entry 2: seq is 2, expected 1"),
        (["UPDATE entry SET seq = -1 WHERE seq = 5", "UPDATE entry SET seq = 5 WHERE seq = 6",
          "UPDATE entry SET seq = 6 WHERE seq = -1"], "entry 5: prev_hash"),
        (["UPDATE entry SET seq = -seq WHERE seq >= 5", "UPDATE entry SET seq = 1 - seq WHERE seq < 0",
          COPY_4_TO_5], "entry 5: prev_hash"),
        (["DELETE FROM segment WHERE number = 1"], "entry 1: stands before any segment"),
        (["DELETE FROM segment WHERE number = 2"], "entry 20: segment is 2, expected 1"),
        (["DELETE FROM entry WHERE seq BETWEEN 20 AND 27", "DELETE FROM entry WHERE seq = 19"], "segment 2: first_seq"),
        (["DELETE FROM entry WHERE seq >= 12", "DELETE FROM segment WHERE number = 2"], "none was due there"),
        (["DELETE FROM entry WHERE seq >= 12", "DELETE FROM segment WHERE number = 2",
          "DELETE FROM snapshot WHERE seq >= 12"], ""),
        (["DELETE FROM entry WHERE seq >= 11", "DELETE FROM segment WHERE number = 2",
          "DELETE FROM snapshot WHERE seq >= 11"], "transaction is not whole"),
        (["DELETE FROM snapshot WHERE seq = 8"], "snapshot of segment 1 after entry 8: is missing"),
        (["UPDATE snapshot SET state = replace(state, 'meter', 'metre') WHERE seq = 8"], "after entry 8: was "),
        (["UPDATE snapshot SET seq = 9 WHERE seq = 8"], "after entry 8: is missing"),
        (["UPDATE snapshot SET seq = 7 WHERE seq = 8"], "after entry 7: none was due there"),
        (["INSERT INTO snapshot VALUES (1, 5, '{}', NULL)"], "after entry 5: none was due there"),
        (["CREATE TABLE extra (a)"], "table definitions, extra"),
        (["DROP INDEX round_end"], "table definitions, round_end"),
        (["CREATE TRIGGER t AFTER INSERT ON entry BEGIN DELETE FROM entry; END"], "table definitions, t"),
    ],
)  # fmt: skip
def test_rows_removed_renumbered_exchanged_or_put_in(path: Path, statements: list[str], place: str) -> None:
    with Reader(path) as reader:
        head = reader.verify().head
    change(path, *statements)
    if place:
        assert place in damage(path)
    else:  # whole transactions gone from the end: by itself the file can't tell, by a noted head it can
        with Reader(path) as reader:
            reader.verify()
        assert "entries were removed from the end" in damage(path, head)


def test_a_rewritten_chain_is_found_by_a_noted_head(path: Path) -> None:
    """A forger who makes all hashes anew is caught only by what was noted outside."""
    with Reader(path) as reader:
        head = reader.verify().head
        rows = list(reader.entries(20))
    connection = apsw.Connection(str(path))
    before = rows[0].prev_hash
    for row in rows:
        forged = row._replace(body=row.body.replace("1001", "9001"), prev_hash=before, hash=NO_HASH)
        before = entry_hash(forged)
        connection.execute("UPDATE entry SET body = ?, prev_hash = ?, hash = ? WHERE seq = ?",
                           (forged.body, forged.prev_hash, before, row.seq))  # fmt: skip
    connection.close()
    with Reader(path) as reader:
        assert reader.verify().head == before != head
    assert "not in the chain" in damage(path, head)


def contents(path: Path) -> bytes:
    connection = open_for_reading(path)
    tables = ("segment", "entry", "snapshot")
    rows = [list(connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2")) for table in tables]
    connection.close()
    return sha256(repr(rows).encode())


def test_flipped_bits_anywhere_in_the_file(original: Path, tmp_path: Path) -> None:
    """Every flipped bit is found, or changes nothing that the file says."""
    rng = random.Random(58)
    clean, said = original.read_bytes(), contents(original)
    found = 0
    for _ in range(300):
        flipped = bytearray(clean)
        flipped[rng.randrange(len(flipped))] ^= 1 << rng.randrange(8)
        path = tmp_path / "flipped"
        path.write_bytes(flipped)
        try:
            with Reader(path) as reader:
                reader.verify()
        except JournalError:
            found += 1
        else:
            assert contents(path) == said
    assert found > 50  # the rest fell into unused space
