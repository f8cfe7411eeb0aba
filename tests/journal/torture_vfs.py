"""A file system that fails on command, under the very SQLite that the product uses.

`TortureVfs` passes everything on to the real one, counts writes, syncs and truncations, and at a planned operation
fails, blocks, or kills the process. It also records every operation, so that `PowerCut` can build what a disk would
hold if the power had gone at any point: everything up to each file's last sync, and of what came after it a random
part, one write of it torn at a sector.
"""

from __future__ import annotations

import itertools
import os
import random
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum, auto
from pathlib import Path

import apsw

SECTOR = 512
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


@dataclass(frozen=True)
class Write:
    file: str
    offset: int
    data: bytes


@dataclass(frozen=True)
class Truncate:
    file: str
    size: int


@dataclass(frozen=True)
class Sync:
    file: str


@dataclass(frozen=True)
class Acknowledged:
    """The journal told its caller that this is durable."""

    last_seq: int
    head: bytes


Record = Write | Truncate | Sync | Acknowledged


class TortureVfs(apsw.VFS):
    """Register by making it, use its `name`, and `unregister` it at the end."""

    def __init__(self, recording: bool = False, ignore_syncs: bool = False) -> None:
        self.name = f"torture-{next(_numbers)}"
        self.plan: Plan | None = None
        self.count = 0  # operations that the plan matches
        self.total = 0  # operations of any kind
        self.blocked = threading.Event()
        self.unblock = threading.Event()
        self.records: list[Record] | None = [] if recording else None
        self._ignore_syncs = ignore_syncs
        super().__init__(self.name, "")

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        return _TortureFile(self, name, flags)

    def arm(self, plan: Plan | None) -> None:
        self.plan = plan
        self.count = 0

    def note(self, record: Record) -> None:
        if self.records is not None and not (self._ignore_syncs and isinstance(record, Sync)):
            self.records.append(record)

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


class _TortureFile(apsw.VFSFile):
    def __init__(self, vfs: TortureVfs, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        full = name.filename() if isinstance(name, apsw.URIFilename) else name or ""
        self._name = Path(full).name
        self._vfs = vfs
        super().__init__("", name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self._vfs.before(Op.WRITE, self._name, lambda: super(_TortureFile, self).xWrite(data[: len(data) // 2], offset))
        super().xWrite(data, offset)
        self._vfs.note(Write(self._name, offset, bytes(data)))

    def xSync(self, flags: int) -> None:  # noqa: N802
        self._vfs.before(Op.SYNC, self._name, lambda: super(_TortureFile, self).xSync(flags))
        super().xSync(flags)
        self._vfs.note(Sync(self._name))

    def xTruncate(self, size: int) -> None:  # noqa: N802
        self._vfs.before(Op.TRUNCATE, self._name, lambda: super(_TortureFile, self).xTruncate(size))
        super().xTruncate(size)
        self._vfs.note(Truncate(self._name, size))


@dataclass
class PowerCut:
    """Plays a recording forward and can say at any point what a disk may hold after a power cut."""

    durable: dict[str, bytearray]  # by file name
    waiting: dict[str, list[Write | Truncate]] = field(default_factory=dict)
    acknowledged: Acknowledged | None = None

    def play(self, record: Record) -> None:
        match record:
            case Acknowledged():
                self.acknowledged = record
            case Sync(file):
                content = self.durable.setdefault(file, bytearray())
                for waiting in self.waiting.pop(file, []):
                    _apply(content, waiting)
            case Write(file) | Truncate(file):
                self.waiting.setdefault(file, []).append(record)

    def build(self, folder: Path, rng: random.Random) -> None:
        """Write one possible outcome of a cut here and now into `folder`."""
        keep = rng.choice((0.0, 0.5, 0.9, 1.0))
        for file in self.durable.keys() | self.waiting.keys():
            content = bytearray(self.durable.get(file, b""))
            kept = [record for record in self.waiting.get(file, []) if rng.random() < keep]
            torn = rng.randrange(len(kept)) if kept else None
            for index, record in enumerate(kept):
                _apply(content, _tear(record, rng) if index == torn and isinstance(record, Write) else record)
            (folder / file).write_bytes(content)


def _tear(write: Write, rng: random.Random) -> Write:
    """The write up to a sector's border."""
    borders = range(SECTOR - write.offset % SECTOR, len(write.data), SECTOR)
    return Write(write.file, write.offset, write.data[: rng.choice(borders)] if borders else write.data)


def _apply(content: bytearray, record: Write | Truncate) -> None:
    match record:
        case Write(_, offset, data):
            if len(content) < offset:
                content.extend(bytes(offset - len(content)))
            content[offset : offset + len(data)] = data
        case Truncate(_, size):
            del content[size:]
            content.extend(bytes(size - len(content)))
