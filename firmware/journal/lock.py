"""One writing process for one journal.

Rules: the lock is `flock` on a file beside the journal, held for the daemon's life and dropped by the kernel when the
process ends, however it ends. It is a file of its own because locks on the journal itself are SQLite's. Readers take
no lock.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
from pathlib import Path

from firmware.journal.errors import JournalError, JournalLocked


class WriterLock:
    """Held from construction to `release`."""

    def __init__(self, journal: Path) -> None:
        """Raises JournalLocked if another process (or another Journal of this one) holds it, else JournalError."""
        self._path = Path(f"{journal}.lock")
        try:
            self._descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o640)
        except OSError as error:
            raise JournalError(f"{self._path}: {error.strerror}; the daemon's user must be able to write it") from error
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.pread(self._descriptor, 32, 0).decode(errors="replace").strip() or "unknown"
            os.close(self._descriptor)
            raise JournalLocked(
                f"{journal}: process {holder} writes this journal, and only one may; stop that one "
                "first (systemctl status tabled)"
            ) from None
        with contextlib.suppress(OSError):  # who holds it is told to people; on a full disk it is held all the same
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, f"{os.getpid()}\n".encode(), 0)

    @staticmethod
    def held_by(journal: Path) -> str | None:
        """The process that writes this journal, or None if none does as far as this user may know. Makes no file."""
        try:
            descriptor = os.open(f"{journal}.lock", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            return os.pread(descriptor, 32, 0).decode(errors="replace").strip() or "unknown"
        finally:
            os.close(descriptor)
        return None

    def release(self) -> None:
        """The file stays: removing it would let two processes lock two files of one name."""
        os.close(self._descriptor)
