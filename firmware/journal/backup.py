"""A copy of a journal, made by SQLite's own backup while the daemon writes.

Rules:
* The copy is one moment of the journal, whole transactions, and is verified before it gets its name.
* It is marked as a copy in the file's header (`database.COPY_ID`). All readers read it; the writer refuses it: a copy
  becomes the journal only by being restored, which counts the generation up. So an old copy never goes on unnoticed.
* It is one file without a WAL. Beside it, `COPY.head` holds the newest signed head.
"""

from __future__ import annotations

import os
from pathlib import Path

import apsw
from msgspec import Struct
from msgspec.structs import replace

from firmware.journal.database import COPY_ID, named_errors, one_view, open_for_reading, sync_folder
from firmware.journal.drafts import draft_of
from firmware.journal.errors import JournalError
from firmware.journal.heads import SignedHead, write_head
from firmware.journal.reader import newest_signed
from firmware.journal.verify import Report, verify

PAGES_AT_ONCE = 1_000
"""4 MiB: between two such steps a signal is heard."""


class Copied(Struct, frozen=True):
    report: Report
    signed: SignedHead | None  # the newest, also written beside the copy


def copy_journal(path: Path, to: Path, signed: SignedHead | None = None) -> Copied:
    """Copy `path` to the new file `to`, durably and verified. `signed`: what is written beside it instead of the newest
    signature that it holds, where somebody with the key signs for its very end.

    Raises JournalDamaged if what was copied is not in order, JournalError if `to` exists or can't be written; then
    there is no `to`.
    """
    head = to.with_name(to.name + ".head")
    for taken in (to, head):
        if os.path.lexists(taken):
            raise JournalError(f"{taken}: exists already; give a new file, so that no copy is lost")
    draft = draft_of(to)
    try:
        source = open_for_reading(path)
        try:
            copied = copy_pages(source, path, draft, COPY_ID)
        finally:
            source.close()
        with named_errors(to):
            draft.replace(to)  # not by a link, which a stick's file system may not have
    finally:
        with named_errors(draft):
            draft.unlink(missing_ok=True)
    copied = replace(copied, signed=signed or copied.signed)
    if copied.signed is not None:
        write_head(head, copied.signed)
    with named_errors(to):
        sync_folder(to.parent)
    return copied


def copy_pages(source: apsw.Connection, path: Path, draft: Path, application_id: int) -> Copied:
    """Make `draft` from `source` (which is `path`), mark it, verify it, sync it. What was there under the name goes."""
    with named_errors(draft):
        for leftover in (draft, Path(f"{draft}-journal"), Path(f"{draft}-wal"), Path(f"{draft}-shm")):
            leftover.unlink(missing_ok=True)
        target = apsw.Connection(str(draft))
    try:
        with named_errors(path), one_view(source):  # without it the copying would begin anew at each commit
            next(iter(source.execute("SELECT count(*) FROM segment")))
            with target.backup("main", source, "main") as backup:
                while not backup.done:
                    backup.step(PAGES_AT_ONCE)
        with named_errors(draft):
            target.pragma("journal_mode", "delete")
            target.pragma("synchronous", "extra")
            target.pragma("application_id", application_id)
            return Copied(verify(target), newest_signed(target))
    finally:
        target.close()
