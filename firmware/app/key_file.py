"""The key that seals secret draws: 32 random bytes in a file of their own, outside the journal.

Rules:
* Read once, at the start. Missing, damaged, or readable by others: every use says so (`KeyFileError`), and the bonus
  that needs it stops; a new key would open nothing that the old one has sealed.
* Made only for a table that has never sealed anything, complete and synced before its name appears, and never over a
  file that is there.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from firmware.journal.new_file import put_new

KEY_BYTES = 32
MODE = 0o600
_HEAD = b"tabled secret draws 1\n"


class KeyFileError(Exception):
    """The key can't be used; the message says why and is shown to people, and never holds any of it."""


class SecretKey:
    """A key that was read, or why it could not be. Shows itself to nobody."""

    def __init__(self, key: bytes, trouble: str = "") -> None:
        self._key = key
        self.trouble = trouble

    def read(self) -> bytes:
        """The 32 bytes. Raises KeyFileError."""
        if self.trouble:
            raise KeyFileError(self.trouble)
        return self._key

    def __repr__(self) -> str:
        return f"SecretKey({self.trouble or 'usable'})"


def open_key(path: Path, make: bool) -> SecretKey:
    """The key in `path`. `make`: nothing has been sealed yet, so a missing one is made."""
    try:
        if make and not path.exists():
            make_key(path)
        return SecretKey(_read(path))
    except FileNotFoundError:
        trouble = (
            f"{path}: the key file is missing; bring it back from where its copy is kept, or at a new table make it: "
            f"tabled key draws {path}"
        )
    except OSError as error:
        trouble = f"{path}: {error.strerror or error}"
    except KeyFileError as error:
        trouble = str(error)
    return SecretKey(b"", trouble)


def _read(path: Path) -> bytes:
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK), "rb") as stream:
        found_mode = os.fstat(stream.fileno()).st_mode
        if not stat.S_ISREG(found_mode):  # a pipe would be waited for
            raise KeyFileError(f"{path}: is no regular file; expected a key. Check the path")
        mode = stat.S_IMODE(found_mode)
        text = stream.read(len(_HEAD) + 2 * KEY_BYTES + 2)
    if mode & 0o077:
        raise KeyFileError(f"{path}: mode {mode:04o}, others can read the key; expected {MODE:04o}")
    head, key = text[: len(_HEAD)], text[len(_HEAD) :].removesuffix(b"\n")
    try:
        found = bytes.fromhex(key.decode("ascii"))
    except ValueError:
        found = b""
    if head != _HEAD or len(found) != KEY_BYTES:
        raise KeyFileError(f"{path}: no key for secret draws; expected a line that names it and 64 hex digits")
    return found


def make_key(path: Path) -> None:
    """A new key in `path`, durably. Raises FileExistsError where something is, OSError."""
    put_new(path, _HEAD + os.urandom(KEY_BYTES).hex().encode() + b"\n", MODE)
