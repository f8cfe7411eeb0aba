"""A file system that fails on command, under the very SQLite that the product uses.

`TortureVfs` passes everything on to the real one, counts writes, syncs and truncations, and at a planned operation
fails, blocks, or kills the process. Given a `recording.Recorder` it tells that of every operation, for power cuts.
"""

from __future__ import annotations

import itertools
import os
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from types import ModuleType
from typing import Any
from unittest.mock import patch

import apsw

from tests.journal.disk import FolderSynced, Sync, Truncate, Write
from tests.journal.recording import Recorder

_numbers = itertools.count()


class Op(Enum):
    WRITE = auto()
    SYNC = auto()
    TRUNCATE = auto()


class Action(Enum):
    FAIL_IO = auto()
    FAIL_FULL = auto()
    BLOCK = auto()  # until `TortureVfs.unblock` is set
    KILL = auto()  # SIGKILL to this process in place of the operation
    KILL_HALFWAY = auto()  # half of a write is done; a sync or truncation is done whole


@dataclass(frozen=True)
class Plan:
    """Do `action` at the `nth` operation (from 1) of these kinds on files whose name ends in `suffix`.

    `lasting`: and at every later one.
    """

    ops: frozenset[Op]
    nth: int
    action: Action
    suffix: str = ""
    lasting: bool = False


class TortureVfs(apsw.VFS):
    """Register by making it, use its `name`, and `unregister` it at the end."""

    def __init__(self, recorder: Recorder | None = None) -> None:
        self.name = f"torture-{next(_numbers)}"
        self.plan: Plan | None = None
        self.count = 0  # operations that the plan matches
        self.total = 0  # operations of any kind
        self.blocked = threading.Event()
        self.unblock = threading.Event()
        self.recorder = recorder
        super().__init__(self.name, "")

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        return _TortureFile(self, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        super().xDelete(filename, syncdir)
        if self.recorder is not None:
            self.recorder.removed(filename)
            if syncdir:
                self.recorder.note(FolderSynced())

    def arm(self, plan: Plan | None) -> None:
        self.plan = plan
        self.count = 0

    def before(self, op: Op, file: str, halfway: Callable[[], None]) -> None:
        """Called in front of every operation; does what the plan says."""
        self.total += 1
        plan = self.plan
        if plan is None or op not in plan.ops or not file.endswith(plan.suffix):
            return
        self.count += 1
        if self.count != plan.nth and not (plan.lasting and self.count > plan.nth):
            return
        match plan.action:
            case Action.FAIL_IO:
                code = {Op.WRITE: apsw.SQLITE_IOERR_WRITE, Op.SYNC: apsw.SQLITE_IOERR_FSYNC,
                        Op.TRUNCATE: apsw.SQLITE_IOERR_TRUNCATE}[op]  # fmt: skip
                raise apsw.exception_for(code)
            case Action.FAIL_FULL:
                raise apsw.exception_for(apsw.SQLITE_FULL)
            case Action.BLOCK:
                self.blocked.set()
                self.unblock.wait()
            case Action.KILL_HALFWAY:
                halfway()
                os.kill(os.getpid(), signal.SIGKILL)
            case Action.KILL:
                os.kill(os.getpid(), signal.SIGKILL)


_LOGS = apsw.SQLITE_OPEN_WAL | apsw.SQLITE_OPEN_MAIN_JOURNAL | apsw.SQLITE_OPEN_SUPER_JOURNAL


class _TortureFile(apsw.VFSFile):
    def __init__(self, vfs: TortureVfs, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        full = name.filename() if isinstance(name, apsw.URIFilename) else name or ""
        is_new = bool(full) and not Path(full).exists()
        self._name = Path(full).name
        self._vfs = vfs
        super().__init__("", name, flags)
        self._recorder = vfs.recorder
        self._number: int | None = None
        self._syncs_folder = is_new and bool(flags[0] & _LOGS)  # os_unix.c does so at the first sync of a new log
        if self._recorder is not None and full:
            self._number = self._recorder.file(full)
            if self._number is not None:
                self._recorder.written_by_sqlite(self._number)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self._vfs.before(Op.WRITE, self._name, lambda: super(_TortureFile, self).xWrite(data[: len(data) // 2], offset))
        super().xWrite(data, offset)
        if self._recorder is not None and self._number is not None:
            self._recorder.note(Write(self._number, offset, bytes(data)))

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._vfs.before(Op.SYNC, self._name, lambda: super(_TortureFile, self).xSync(flags))
        super().xSync(flags)
        if self._recorder is not None and self._number is not None:
            self._recorder.note(Sync(self._number))
            if self._syncs_folder:
                self._recorder.note(FolderSynced())
                self._syncs_folder = False

    def xTruncate(self, size: int) -> None:  # noqa: N802
        self._vfs.before(Op.TRUNCATE, self._name, lambda: super(_TortureFile, self).xTruncate(size))
        super().xTruncate(size)
        if self._recorder is not None and self._number is not None:
            self._recorder.note(Truncate(self._number, size))


class _Through:
    """The module `apsw`, but a connection that may write and names no VFS goes through ours."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, name: str) -> object:
        return getattr(apsw, name)

    def Connection(self, path: str, **options: Any) -> apsw.Connection:  # noqa: N802
        # A reader goes past us: a lock that it may not take is an exception here, and nothing to SQLite.
        if options.get("vfs") is None and not options.get("flags", 0) & apsw.SQLITE_OPEN_READONLY:
            options["vfs"] = self._name
        return apsw.Connection(path, **options)


@contextmanager
def through(vfs: TortureVfs, *modules: ModuleType) -> Iterator[None]:
    """See what these modules write, although their callers hand them no VFS."""
    with ExitStack() as stack:
        for module in modules:
            stack.enter_context(patch.object(module, "apsw", _Through(vfs.name)))
        yield
