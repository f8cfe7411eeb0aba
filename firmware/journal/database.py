"""The journal's file: its tables, its marks, and the two ways to open it.

Rules:
* Never open the database file by other means than SQLite within a process that has it open: closing such a descriptor
  drops the locks that SQLite holds on the file (POSIX). What must be known of the file is asked of SQLite or of `stat`.
* One connection writes (`open_for_writing`): WAL, synchronous=FULL, both read back. Any number may read.
* A file is made complete under another name and then linked to its own, so a half-made journal is never found.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote

import apsw

from firmware.journal.drafts import draft_of
from firmware.journal.errors import (
    JournalDamaged,
    JournalError,
    JournalMissing,
    JournalReplaced,
    LaterSchema,
    NotAJournal,
    UnsafeStorage,
)

APPLICATION_ID = 0x54424C4A  # "TBLJ", in the file's header: `file` and sqlite tools show it
COPY_ID = 0x54424C43  # "TBLC": a copy, which is read like a journal and never written as one
SCHEMA_VERSION = 1
OLDEST_SQLITE = (3, 51, 3)
"""The first release in which a reset of the WAL can't lose a commit."""

WRITER_CACHE_KIB = 512
"""Pages that the writing connection keeps: it only appends. A larger cache fills over thousands of rounds of play."""

WAL_BYTES_KEPT = 32 << 20
"""To which a WAL that has grown is cut when it is used again from its start."""

BUSY_TIMEOUT_MS = 1_000
"""How long the writer waits for a foreign lock (a person with a database shell) before the commit counts as failed."""

ASSUMED_OF_THE_CARD = "psow=0"
"""No power-safe overwrite: a sector that is being written when the power goes may be lost whole, with what had been
durable in it (decision 0150). SQLite then fills each commit up to its sector's end and never writes there again."""

TABLES = {
    "segment": """CREATE TABLE segment (
    number INTEGER PRIMARY KEY,
    first_seq INTEGER NOT NULL,
    at_ns INTEGER NOT NULL,
    wall_ns INTEGER NOT NULL,
    header TEXT NOT NULL,
    state_hash BLOB NOT NULL,
    prev_hash BLOB NOT NULL,
    hash BLOB NOT NULL
) STRICT""",
    "entry": """CREATE TABLE entry (
    seq INTEGER PRIMARY KEY,
    segment INTEGER NOT NULL,
    at_ns INTEGER NOT NULL,
    wall_ns INTEGER NOT NULL,
    body TEXT NOT NULL,
    ends_round INTEGER,
    state_hash BLOB,
    snapshot INTEGER NOT NULL,
    prev_hash BLOB NOT NULL,
    hash BLOB NOT NULL
) STRICT""",
    "snapshot": """CREATE TABLE snapshot (
    segment INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    state TEXT NOT NULL,
    signature BLOB,
    PRIMARY KEY (segment, seq)
) STRICT, WITHOUT ROWID""",
    "round_end": "CREATE INDEX round_end ON entry (ends_round, seq) WHERE ends_round IS NOT NULL",
}
"""Everything in the file, by name. `snapshot.seq` is `first_seq - 1` for the state with which a segment opens;
`snapshot.signature` is that of the head at its row (`heads`), where the segment is signed."""


def sqlite_version() -> str:
    return apsw.sqlite_lib_version()


def create(path: Path, vfs: str | None = None) -> None:
    """Make a journal without a segment at `path`, durably. Raises NotAJournal if something is there already."""
    _check_library()
    if os.path.lexists(path):
        raise NotAJournal(
            f"{path}: exists already; a new journal is only made where there is nothing. Use the one "
            "that is there, or move it (with its -wal file) away"
        )
    _check_folder(path)
    draft = draft_of(path)
    with named_errors(draft):
        for leftover in (draft, Path(f"{draft}-journal"), Path(f"{draft}-wal")):
            leftover.unlink(missing_ok=True)
        connection = apsw.Connection(str(draft), vfs=vfs)
        try:
            connection.pragma("journal_mode", "wal")
            with connection:
                for statement in TABLES.values():
                    connection.execute(statement)
                connection.pragma("application_id", APPLICATION_ID)
                connection.pragma("user_version", SCHEMA_VERSION)
        finally:
            connection.close()  # the last connection writes the WAL back and removes it
        os.link(draft, path)
        draft.unlink()
        sync_folder(path.parent)


def open_for_writing(path: Path, vfs: str | None = None) -> apsw.Connection:
    """The one writing connection. The caller holds the lock (`lock.WriterLock`) and closes the connection.

    Raises JournalMissing, NotAJournal, LaterSchema, UnsafeStorage, JournalError.
    """
    _check_library()
    _check_path(path)
    with named_errors(path):
        uri = f"file:{quote(str(path.absolute()))}?{ASSUMED_OF_THE_CARD}"
        connection = apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI, vfs=vfs)
        try:
            connection.pragma("cache_size", -WRITER_CACHE_KIB)  # before the first page is read
            connection.set_busy_timeout(BUSY_TIMEOUT_MS)
            _check_marks(connection, path, for_writing=True)
            if connection.readonly("main"):
                raise UnsafeStorage(f"{path}: can't be written; check the file's owner and mode and the file system")
            insist(connection, path, "journal_mode", "wal", "wal")
            insist(connection, path, "synchronous", "full", 2)
            insist(connection, path, "wal_autocheckpoint", 0, 0)  # the writer chooses the moment
            insist(connection, path, "journal_size_limit", WAL_BYTES_KEPT, WAL_BYTES_KEPT)
            insist(connection, path, "trusted_schema", 0, 0)
        except BaseException:
            connection.close()
            raise
    return connection


def open_for_reading(path: Path) -> apsw.Connection:
    """A connection that can't write. It works while the daemon writes, and on a copy in a read-only place.

    Raises JournalMissing, NotAJournal, LaterSchema, UnsafeStorage, JournalError.
    """
    _check_library()
    _check_path(path)
    with named_errors(path):
        try:
            return _connect_reader(path, "mode=ro")
        except (apsw.CantOpenError, apsw.ReadOnlyError) as error:
            # SQLite wants its -shm file beside a WAL database. Where none can be made and no WAL is there, nobody has
            # the file open for writing and nothing is outside it: it may be read as the unchanging file that it is. Not
            # so beside a rollback journal: until a writer has put it back, a page of the file may be half changed.
            if _size(Path(f"{path}-journal")):
                raise JournalError(
                    f"{path}: the power went while it was rotated, cleared or restored, and what {path.name}-journal "
                    "holds must be put back first: do the same again, or start the daemon"
                ) from error
            if _size(Path(f"{path}-wal")):
                raise JournalError(
                    f"{path}: has a -wal file with the newest entries, and this place can't be written, "
                    "which reading both needs; copy both files to a folder of yours"
                ) from error
            return _connect_reader(path, "immutable=1")


def check_tables(connection: apsw.Connection) -> None:
    """Raises JournalDamaged if anything but the journal's own tables is in the file, or one of them was altered."""
    found = {str(name): str(sql) for name, sql in connection.execute("SELECT name, sql FROM sqlite_schema")}
    for name in sorted(found.keys() | TABLES.keys()):
        if found.get(name) != TABLES.get(name):
            expected = TABLES.get(name, "nothing of this name")
            raise JournalDamaged(f"table definitions, {name}: got {found.get(name)!r}, expected {expected!r}")


@contextmanager
def one_view(connection: apsw.Connection) -> Iterator[None]:
    """All that is read inside is of one moment, whatever is written meanwhile. SQLite may have ended it at an error."""
    connection.execute("BEGIN")
    try:
        yield
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


@contextmanager
def named_errors(path: Path) -> Iterator[None]:
    """Database and system errors as JournalErrors that name the file and say what to do."""
    try:
        yield
    except apsw.FullError as error:
        raise JournalError(f"{path}: {error}; make room on the file system") from error
    except (apsw.CantOpenError, apsw.ReadOnlyError, apsw.PermissionsError) as error:
        if not path.parent.exists():
            raise JournalError(f"{path.parent}: no such folder; make it, or check the path") from error
        raise JournalError(f"{path}: {error}; check owner and mode of the file, its -wal, and the folder") from error
    except apsw.IOError as error:
        if getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_SHORT_READ:
            raise JournalDamaged(
                f"{path}: ends within a page: it was cut; find its whole, or restore a copy"
            ) from error
        raise JournalError(f"{path}: {error}; check the card and the system's log") from error
    except apsw.NotADBError as error:
        raise NotAJournal(f"{path}: is not a database; expected a journal of tabled. Check the path") from error
    except apsw.CorruptError as error:
        raise JournalDamaged(f"{path}: {error}; keep the file for the laboratory, restore a copy") from error
    except UnicodeDecodeError as error:
        raise JournalDamaged(f"{path}: a text in it is no longer UTF-8; a page is damaged, restore a copy") from error
    except apsw.Error as error:
        raise JournalError(f"{path}: {error}") from error
    except OSError as error:
        raise JournalError(f"{path}: {error.strerror}; check the folder's owner, mode and free space") from error


def _check_library() -> None:
    version = sqlite_version()
    if tuple(map(int, version.split("."))) < OLDEST_SQLITE:
        oldest = ".".join(map(str, OLDEST_SQLITE))
        raise UnsafeStorage(
            f"SQLite {version} is loaded, expected {oldest} or later, since earlier ones can lose a "
            "commit when the WAL is reset; install the apsw wheel that requirements name"
        )


def _check_path(path: Path) -> None:
    try:
        found = path.stat()
    except FileNotFoundError:
        raise JournalMissing(
            f"{path}: no journal is there. Check the path, which in a table's file counts from the run directory. If "
            "this table never had one, create it; if it had, find it or restore the copy: without it meters and awards "
            "are lost"
        ) from None
    except OSError as error:
        raise JournalError(f"{path}: {error.strerror}") from error
    if not stat.S_ISREG(found.st_mode):
        kind = "a directory" if stat.S_ISDIR(found.st_mode) else "no regular file"
        raise NotAJournal(f"{path}: is {kind}; expected a journal file. Check the path")
    if found.st_size == 0:
        raise NotAJournal(f"{path}: is empty; expected a journal file. If it was truncated, restore the copy")


def _check_folder(path: Path) -> None:
    if not path.parent.is_dir():
        raise JournalMissing(f"{path.parent}: no such folder; make it, owned by the daemon's user")


def _check_marks(connection: apsw.Connection, path: Path, for_writing: bool) -> None:
    application = connection.pragma("application_id")
    if application == COPY_ID and for_writing:
        raise JournalReplaced(
            f"{path}: is a copy (made by backup or rotate), not the table's journal. Bring the journal back; if it is "
            f"lost, go on from the copy: tabled journal restore {path}"
        )
    if application not in (APPLICATION_ID, COPY_ID):
        raise NotAJournal(
            f"{path}: is another program's database (application_id {application:#x}, expected "
            f"{APPLICATION_ID:#x}). Check the path"
        )
    schema = connection.pragma("user_version")
    if schema > SCHEMA_VERSION:
        raise LaterSchema(
            f"{path}: has journal schema {schema}, this firmware knows up to {SCHEMA_VERSION}; use the "
            "firmware version that wrote it, or a later one"
        )
    if schema != SCHEMA_VERSION:
        raise JournalDamaged(f"{path}: has journal schema {schema}, which never existed; restore a copy")


def insist(connection: apsw.Connection, path: Path, name: str, value: object, expected: object) -> None:
    """Set a PRAGMA and read it back. Raises UnsafeStorage if it did not take."""
    connection.pragma(name, value)
    got = connection.pragma(name)
    if got != expected:
        raise UnsafeStorage(
            f"{path}: PRAGMA {name} is {got!r} after setting, expected {expected!r}; without it a "
            "power cut can lose entries. Is the file on a network or FUSE file system?"
        )


def _connect_reader(path: Path, mode: str) -> apsw.Connection:
    uri = f"file:{quote(str(path.absolute()))}?{mode}"
    connection = apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
    try:
        connection.set_busy_timeout(BUSY_TIMEOUT_MS)
        connection.pragma("trusted_schema", 0)
        _check_marks(connection, path, for_writing=False)
    except BaseException:
        connection.close()
        raise
    return connection


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0


def sync_folder(folder: Path) -> None:
    """Make new names in `folder` durable."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
