"""What may stand at a journal's path, and what is said about it. And reading where nothing can be written."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import apsw
import pytest

from firmware.journal import database
from firmware.journal.database import create, open_for_reading, open_for_writing
from firmware.journal.drafts import draft_of
from firmware.journal.errors import (
    JournalDamaged,
    JournalError,
    JournalMissing,
    LaterSchema,
    NotAJournal,
    UnsafeStorage,
)
from firmware.journal.reader import Reader
from tests.journal.sample import Contributed, Table, committed, play_round


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "table.journal"


@pytest.mark.parametrize("opening", [open_for_reading, open_for_writing])
class TestWhatIsNoJournal:
    def refused(self, opening: object, path: Path, kind: type[JournalError]) -> str:
        assert callable(opening)
        before = path.read_bytes() if path.is_file() else None
        with pytest.raises(kind) as caught:
            opening(path)
        assert type(caught.value) is kind
        assert (path.read_bytes() if path.is_file() else None) == before
        return str(caught.value)

    def test_nothing(self, opening: object, path: Path) -> None:
        assert "no journal is there" in self.refused(opening, path, JournalMissing)
        assert not path.exists()

    def test_a_directory(self, opening: object, path: Path) -> None:
        path.mkdir()
        assert "is a directory" in self.refused(opening, path, NotAJournal)

    def test_an_empty_file(self, opening: object, path: Path) -> None:
        path.touch()
        assert "is empty" in self.refused(opening, path, NotAJournal)

    def test_garbage(self, opening: object, path: Path) -> None:
        path.write_bytes(bytes(range(256)) * 64)
        assert "not a database" in self.refused(opening, path, NotAJournal)

    def test_another_programs_database(self, opening: object, path: Path) -> None:
        connection = apsw.Connection(str(path))
        connection.execute("CREATE TABLE t (a)")
        connection.close()
        assert "another program's" in self.refused(opening, path, NotAJournal)

    def test_a_later_schema(self, opening: object, path: Path) -> None:
        create(path)
        connection = apsw.Connection(str(path))
        connection.pragma("user_version", 2)
        connection.close()
        assert "schema 2, this firmware knows up to 1" in self.refused(opening, path, LaterSchema)

    def test_a_named_pipe(self, opening: object, path: Path) -> None:
        os.mkfifo(path)
        assert "no regular file" in self.refused(opening, path, NotAJournal)

    def test_a_truncated_file(self, opening: object, path: Path) -> None:
        create(path)
        with path.open("r+b") as file:
            file.truncate(5_000)
        try:
            assert callable(opening)
            connection = opening(path)
        except JournalDamaged:
            return
        connection.close()
        with Reader(path) as reader, pytest.raises(JournalDamaged):
            reader.verify()

    def test_an_old_sqlite(self, opening: object, path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        create(path)
        monkeypatch.setattr(database, "sqlite_version", lambda: "3.51.2")
        assert "SQLite 3.51.2 is loaded, expected 3.51.3" in self.refused(opening, path, UnsafeStorage)


def test_the_writing_connection_is_as_durability_needs_it(path: Path) -> None:
    create(path)
    connection = open_for_writing(path)
    assert connection.pragma("journal_mode") == "wal"
    assert connection.pragma("synchronous") == 2
    connection.close()


def test_a_setting_that_does_not_take_is_refused(path: Path) -> None:
    create(path)
    connection = open_for_writing(path)
    with pytest.raises(UnsafeStorage, match="PRAGMA synchronous is 2 after setting, expected 9"):
        database.insist(connection, path, "synchronous", "full", 9)
    connection.close()


def test_create_takes_nothing_away_and_finishes_what_was_left_half_done(path: Path, tmp_path: Path) -> None:
    draft_of(path.with_name("table.journal")).write_bytes(b"left by a power cut")
    create(path)
    assert sorted(entry.name for entry in tmp_path.iterdir()) == ["table.journal"]
    before = path.read_bytes()
    with pytest.raises(NotAJournal, match="exists already"):
        create(path)
    assert path.read_bytes() == before
    with pytest.raises(JournalMissing, match="no such folder"):
        create(tmp_path / "absent" / "table.journal")


def played(path: Path) -> Table:
    table = Table(path)
    committed(table.begin())
    play_round(table, 1)
    return table


READ = """
import os, sys
from pathlib import Path
from firmware.journal.errors import JournalError
from firmware.journal.reader import Reader
if os.getuid() == 0: os.setgid(65534); os.setuid(65534)  # root may write anywhere
try:
    with Reader(Path(sys.argv[1])) as reader: print("read", reader.verify().entries)
except JournalError as error: print(error)
"""


def read_elsewhere(path: Path) -> str:
    child = subprocess.run([sys.executable, "-c", READ, path], capture_output=True, text=True, check=True)
    return child.stdout


def open_to_all(folder: Path) -> None:
    """pytest's own folders are its user's alone; no folder above them is touched."""
    for above in (folder, *folder.parents):
        if not any(name.startswith("pytest-of-") for name in above.parts):
            return
        above.chmod(0o755)


def test_a_copy_is_read_where_nothing_can_be_written(path: Path, tmp_path: Path) -> None:
    played(path).close()
    folder = tmp_path / "evidence"
    folder.mkdir()
    copy = Path(shutil.copy(path, folder))
    copy.chmod(0o444)
    folder.chmod(0o555)
    open_to_all(tmp_path)
    try:
        assert read_elsewhere(copy) == "read 8\n"
        assert sorted(entry.name for entry in folder.iterdir()) == ["table.journal"]
    finally:
        folder.chmod(0o755)


def test_a_copy_with_a_wal_in_a_read_only_place_says_what_to_do(path: Path, tmp_path: Path) -> None:
    table = played(path)
    committed(table.play(Contributed(1, 1)))
    folder = tmp_path / "evidence"
    folder.mkdir()
    for suffix in ("", "-wal"):
        shutil.copy(f"{path}{suffix}", folder)
        (folder / f"{path.name}{suffix}").chmod(0o444)
    table.close()
    folder.chmod(0o555)
    open_to_all(tmp_path)
    try:
        assert "copy both files to a folder of yours" in read_elsewhere(folder / path.name)
    finally:
        folder.chmod(0o755)


def test_another_process_reads_while_the_daemon_writes(path: Path, tmp_path: Path) -> None:
    table = played(path)
    committed(table.play(Contributed(1, 1)))
    open_to_all(tmp_path)
    assert read_elsewhere(path) == "read 9\n"
    committed(table.play(Contributed(1, 1)))
    table.close()
