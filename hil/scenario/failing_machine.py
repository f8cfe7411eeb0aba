"""`tabled` on a machine whose disk and clocks fail on command: `python -m hil.scenario.failing_machine run ...`.

What fails stands in the file $TABLED_FAILURES, which a scenario's steps write anew. All else is the daemon's own.

Rules:
* The file is read at every write, every sync and every look at the wall clock, so that a step counts at once.
* A disk is failed below SQLite, by a VFS over the real one: what gets to the file is SQLite's own doing.
* SIGUSR1 holds the loop's thread up for `busy_ms`; other threads go on.
"""

from __future__ import annotations

import functools
import os
import resource
import signal
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import Any

import apsw
import msgspec
from msgspec import Struct

from firmware.app import clock
from firmware.app import main as program
from firmware.cli import main as command_line
from firmware.journal import writer

FILE = "TABLED_FAILURES"
VFS = "failing"


class Failures(Struct, frozen=True, forbid_unknown_fields=True):
    """Nothing, by default."""

    disk: str = "none"
    sync_takes_ms: int = 0
    wall_off_by_ns: int = 0
    wall_trusted: bool | None = None
    busy_ms: int = 0


def write(file: Path, failures: Failures) -> None:
    """As a whole, since it is read at any moment."""
    draft = file.with_name(f"{file.name}.new")
    draft.write_bytes(msgspec.json.encode(failures))
    draft.replace(file)


def changed(failures: Failures, to: Mapping[str, object]) -> Failures:
    return msgspec.convert({**msgspec.to_builtins(failures), **to}, Failures)


def _now() -> Failures:
    return msgspec.json.decode(Path(os.environ[FILE]).read_bytes(), type=Failures)


class FailingDisk(apsw.VFS):
    def __init__(self) -> None:
        super().__init__(VFS, "")

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        return _FailingFile(name, flags)


class _FailingFile(apsw.VFSFile):
    def __init__(self, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        super().__init__("", name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        match _now().disk:
            case "full":
                raise _error(apsw.SQLITE_FULL, "database or disk is full")
            case "read only":
                raise _error(apsw.SQLITE_READONLY, "attempt to write a readonly database")
            case "write error":
                raise _error(apsw.SQLITE_IOERR_WRITE, "disk I/O error in a write")
            case "torn":
                super().xWrite(data[: len(data) // 2], offset)
                os.kill(os.getpid(), signal.SIGKILL)
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:  # noqa: N802
        failures = _now()
        time.sleep(failures.sync_takes_ms / 1000)
        if failures.disk in ("sync error", "read only"):
            raise _error(apsw.SQLITE_IOERR_FSYNC, "disk I/O error in a sync")
        super().xSync(flags)


def _error(code: int, text: str) -> Exception:
    error = apsw.exception_for(code)
    error.args = (text,)
    return error


def _hold_up(_signal: int, _frame: FrameType | None) -> None:
    """In the main thread, which is the loop's."""
    time.sleep(_now().busy_ms / 1000)


def main() -> int:
    true_reading, true_open = clock.reading, writer.open_journal
    disk = FailingDisk()
    if _now().disk == "refused":
        _, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (0, hard))

    def reading() -> clock.Reading:
        failures, true = _now(), true_reading()
        trusted = true.trusted if failures.wall_trusted is None else failures.wall_trusted
        return true._replace(wall_ns=true.wall_ns + failures.wall_off_by_ns, trusted=trusted)

    @functools.wraps(true_open)
    def opened(*arguments: Any, **named: Any) -> Any:
        return true_open(*arguments, **named, vfs=VFS)

    clock.reading = reading
    setattr(program, "open_journal", opened)  # noqa: B010  # no name that it exports
    signal.signal(signal.SIGUSR1, _hold_up)
    try:
        return command_line()
    finally:
        disk.unregister()


if __name__ == "__main__":
    sys.exit(main())
