"""Each byte of a journal changed, and the file cut at each length: `python -m tests.journal.every_byte` takes them all.

Changed bytes that verification passes over must mean nothing: with all of them changed, SQLite, asked to write the file
anew (`VACUUM INTO`), gives the same bytes but for its own counters. `test_tampering` takes the header's bytes and a
sample of the others.
"""

from __future__ import annotations

import random
import re
import tempfile
from collections.abc import Iterable
from pathlib import Path

import apsw

from firmware.journal.errors import JournalError
from firmware.journal.heads import Custody
from firmware.journal.reader import Reader
from firmware.journal.signing import Signer
from tests.journal.sample import Contributed, RoundEnded, Table, committed, play_round

SIGNER = Signer(bytes(range(32)))
PAGE = 512
HEADER = range(100)
COUNTERS = (*range(24, 28), *range(40, 44), *range(92, 100))
"""Of the header: change counter, schema cookie, "valid for", version of the last writer. SQLite's own."""
PLACE = re.compile(
    r"entry \d+|segment \d+|snapshot of segment|signature of segment|table definitions|pages of the file|header of the "
    r"file|table (sqlite_schema|segment|entry|snapshot), |index round_end|malformed database schema|is not a database|"
    r"journal schema|another program's database|unsupported file format|database disk image is malformed|is empty|"
    r"ends within a page"
)


def play(path: Path, noted: Path, signer: Signer = SIGNER) -> None:
    """Two segments, three rounds, one transaction of two entries."""
    table = Table(path, custody=Custody(signer, noted))
    committed(table.begin())
    play_round(table, 1, 4)
    committed(table.play(Contributed(3, 30), Contributed(4, 40)))
    committed(table.play(RoundEnded(2)))
    table.close()
    again = Table(path, create=False, state=table.state, custody=Custody(signer, noted))
    committed(again.begin())
    play_round(again, 3, 3)
    again.close()


def small_journal(folder: Path) -> Path:
    """A journal as a copy has it, in one file, and in small pages: little unused space between what means something."""
    path = folder / "table.journal"
    play(path, folder / "noted")
    connection = apsw.Connection(str(path))
    connection.pragma("journal_mode", "delete")
    connection.pragma("page_size", PAGE)
    connection.execute("VACUUM")
    connection.close()
    return path


def found(path: Path, noted_head: bytes | None = None) -> str | None:
    """What verification says, or None."""
    try:
        with Reader(path) as reader:
            reader.verify(noted_head, [SIGNER.public])
    except JournalError as error:
        return str(error)
    return None


def change_each(journal: Path, folder: Path, indices: Iterable[int]) -> tuple[int, int]:
    """Each of these bytes is found and located, or means nothing. How many were changed, and how many found."""
    rng = random.Random(58)
    clean = journal.read_bytes()
    passed = bytearray(clean)
    path = folder / "changed"
    count = seen = 0
    for index in indices:
        changed = bytearray(clean)
        changed[index] ^= rng.randrange(1, 256)
        path.write_bytes(changed)
        said = found(path)
        count += 1
        if said is None:
            assert index not in HEADER or index in COUNTERS, f"byte {index} of the header"
            passed[index] = changed[index]
        else:
            assert PLACE.search(said), f"byte {index}: {said} names no place"
            seen += 1
    path.write_bytes(passed)  # every change that was passed over, all at once
    assert found(path) is None
    assert _written_anew(path) == _written_anew(journal)
    return count, seen


def cut_at_each(journal: Path, folder: Path, lengths: Iterable[int]) -> int:
    """Cut to each of these lengths it is found, and located. How many there were."""
    clean = journal.read_bytes()
    path = folder / "cut"
    count = 0
    for length in lengths:
        path.write_bytes(clean[:length])
        said = found(path)
        assert said is not None, f"cut to {length} bytes"
        assert PLACE.search(said), f"cut to {length} bytes: {said} names no place"
        count += 1
    return count


def _written_anew(path: Path) -> bytes:
    image = path.with_name("anew")
    image.unlink(missing_ok=True)
    uri = f"file:{path}?immutable=1"
    connection = apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    connection.pragma("synchronous", "off")
    connection.execute("VACUUM INTO ?", (str(image),))
    connection.close()
    content = bytearray(image.read_bytes())
    for index in COUNTERS:
        content[index] = 0
    return bytes(content)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        journal = small_journal(folder)
        size = journal.stat().st_size
        count, seen = change_each(journal, folder, range(size))
        print(f"{count} bytes changed, one at a time: {seen} found and located, {count - seen} mean nothing")
        print(f"cut to {cut_at_each(journal, folder, range(size))} lengths: each found")


if __name__ == "__main__":
    main()
