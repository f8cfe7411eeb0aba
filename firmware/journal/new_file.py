"""A small file that must not be lost (a key): whole under its name or not there, and never in another one's place."""

from __future__ import annotations

import os
from pathlib import Path

from firmware.journal.database import sync_folder
from firmware.journal.drafts import draft_of


def put_new(path: Path, content: bytes, mode: int) -> None:
    """Write it, durably, with this mode whatever the umask. Raises FileExistsError where something is, OSError."""
    draft = draft_of(path)
    draft.unlink(missing_ok=True)  # of a call that was cut off
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
    try:
        os.fchmod(descriptor, mode)
        write_all(descriptor, content)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
    try:
        os.link(draft, path)  # fails where a file is
    finally:
        draft.unlink()
    sync_folder(path.parent)


def write_all(descriptor: int, content: bytes) -> None:
    """Every byte, or OSError: on a disk that is nearly full a write may take only some, and say so by a number."""
    while content:
        content = content[os.write(descriptor, content) :]
