"""A file takes another's place as the table's journal: rotated, cleared, or brought back from a copy.

Rules:
* The next file is made complete beside the journal (`JOURNAL.next`), verified, and only then given the journal's name,
  by one rename. Whatever is cut off before leaves the old journal as it was, whatever is cut off after leaves the new
  one: `prepare` throws away what an interrupted attempt has left.
* The next file's last segment has a generation one above all that were: the file that it replaced, and every copy of
  it, are no longer written (`heads.Custody`).
* A continuing file's first segment goes on with the numbers of the one before it and carries its head as `prev_hash`,
  so that `verify` follows the chain from file to file.
* The caller holds the journal's lock over all of it, and what is replaced must have been exported before.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Generic, TypeVar

import apsw
from msgspec import Struct

from firmware.journal import database
from firmware.journal.backup import copy_pages
from firmware.journal.database import APPLICATION_ID, named_errors, open_for_reading, open_for_writing, sync_folder
from firmware.journal.drafts import draft_of
from firmware.journal.errors import JournalError
from firmware.journal.heads import Custody
from firmware.journal.lock import WriterLock
from firmware.journal.reader import Position, Reader
from firmware.journal.records import Batch, RecordCodec, SegmentStart
from firmware.journal.session import Session

E = TypeVar("E")
F = TypeVar("F")
S = TypeVar("S")


class Opening(Struct, Generic[E, F, S], frozen=True):
    """What the next file begins with (or, restored, goes on with): a segment, and the entry that tells of it."""

    start: SegmentStart[S]
    batch: Batch[E, F, S]


def next_path(path: Path) -> Path:
    return path.with_name(path.name + ".next")


def prepare(
    path: Path,
    codec: RecordCodec[E, F, S],
    custody: Custody,
    opening: Opening[E, F, S],
    continues: Position | None,
    copy: Path | None,
) -> None:
    """Make the next file of the journal `path`, verified: after `continues` (a new file), or from `copy`.

    Raises JournalError; the journal is then as it was.
    """
    draft = next_path(path)
    drafted = custody.next()
    _discard(draft)
    drafted.forget()
    if copy is None:
        database.create(draft)
    else:
        source = open_for_reading(copy)
        try:
            copy_pages(source, copy, draft, APPLICATION_ID)
        finally:
            source.close()
    drafted.begin(draft)
    lock = WriterLock(draft)
    session: Session[E, F, S] | None = None
    try:
        session = Session(draft, codec, None, drafted, continues)
        session.check(None, whole=False)
        session.commit(opening.start)
        session.commit(opening.batch)
        session.finish()
    finally:
        if session is not None:
            session.drop()
        lock.release()
    with Reader(draft) as reader:
        reader.verify()
    _settle(draft)


def take_place(path: Path, custody: Custody, aside: Path | None = None) -> None:
    """Give the next file the journal's name, and note its head. `path` is the journal that ends here.

    `aside`: its other name (`keep_aside`), where it is unsound: then its WAL goes there as it is. Raises JournalError,
    also where somebody reads a sound journal: a reader would mix the two files up.
    """
    draft = next_path(path)
    with named_errors(path):
        if aside is not None:
            for suffix in ("-wal", "-shm"):
                if Path(f"{path}{suffix}").exists():
                    Path(f"{path}{suffix}").replace(f"{aside}{suffix}")
        elif path.exists():
            _settle(path)
        draft.replace(path)
        sync_folder(path.parent)
    custody.adopt_next()
    _discard(draft)


def aside_path(path: Path, generation: int) -> Path:
    """Where what generation `generation` replaced is kept."""
    return path.with_name(f"{path.name}.replaced-{generation}")


def keep_aside(path: Path, generation: int) -> Path | None:
    """Another name for the journal that is about to be replaced and was not exported; None where there is none."""
    if not path.exists():
        return None
    aside = aside_path(path, generation)
    with named_errors(path):
        aside.unlink(missing_ok=True)  # of an interrupted attempt: the same file
        os.link(path, aside)
        sync_folder(path.parent)
    return aside


def _settle(path: Path) -> None:
    """Write the WAL back and do without one, which SQLite does only for the file's one connection."""
    connection = open_for_writing(path)
    try:
        with named_errors(path):
            connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
            mode = connection.pragma("journal_mode", "delete")
    except (JournalError, apsw.BusyError) as error:
        raise JournalError(
            f"{path}: is being read ({error}); end that (journal verify, show, backup, hil) and try again"
        ) from error
    finally:
        connection.close()
    if mode != "delete":
        raise JournalError(f"{path}: is being read; end that (journal verify, show, backup, hil) and try again")


def _discard(draft: Path) -> None:
    with named_errors(draft):
        draft_of(draft).unlink(missing_ok=True)
        for suffix in ("", "-wal", "-shm", "-journal", ".lock"):
            Path(f"{draft}{suffix}").unlink(missing_ok=True)
