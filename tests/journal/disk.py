"""A disk that forgets: plays what a recording did to its files, and says what may be left when the power goes.

Durable is what was synced: of a file its content, of the folder its names. Everything later is in the hands of caches:
* of writes that were not synced any may have been done, none, or some sectors of one, in any order;
* one sector that was being written is torn: half of it is new, or all of it is noise, also what had been durable in
  it (a card that rewrites whole sectors);
* of names made, exchanged or removed and not synced a first part holds, as with a journalling file system, or any.
"""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass, field
from enum import Enum, auto
from pathlib import Path


@dataclass(frozen=True)
class Write:
    file: int
    offset: int
    data: bytes


@dataclass(frozen=True)
class Truncate:
    file: int
    size: int


@dataclass(frozen=True)
class Sync:
    file: int


@dataclass(frozen=True)
class Named:
    """A name of the folder leads to this file from now on, or to none."""

    name: str
    file: int | None


@dataclass(frozen=True)
class FolderSynced:
    pass


@dataclass(frozen=True)
class Acknowledged:
    """The journal told its caller that this is durable."""

    last_seq: int
    head: bytes


Record = Write | Truncate | Sync | Named | FolderSynced | Acknowledged


class Tear(Enum):
    """What becomes of one sector that was being written."""

    NOTHING = auto()
    HALF = auto()  # its first half is new
    NOISE = auto()  # all of it, also what stood in it before, is noise


@dataclass(frozen=True)
class Damage:
    """How a cut turns out, apart from chance."""

    sector: int  # bytes that the card writes at once
    keep: float  # how much of what was not synced is on the card all the same
    tear: Tear
    names_in_order: bool

    @staticmethod
    def any(rng: random.Random) -> Damage:
        return Damage(
            sector=rng.choice((512, 4096)),
            keep=rng.choice((0.0, 0.5, 0.9, 1.0)),
            tear=rng.choice(list(Tear)),
            names_in_order=rng.random() < 0.7,
        )


@dataclass
class Disk:
    """One folder's files, numbered; a number keeps its meaning although names change."""

    content: dict[int, bytearray] = field(default_factory=dict)
    names: dict[str, int] = field(default_factory=dict)
    acknowledged: Acknowledged | None = None
    _waiting: dict[int, list[Write | Truncate]] = field(default_factory=dict)
    _names_waiting: list[Named] = field(default_factory=list)

    @staticmethod
    def holding(files: dict[str, bytes]) -> Disk:
        """`files`, all synced, numbered in the order of their names, as `recording.Recorder` numbers them."""
        names = {name: number for number, name in enumerate(sorted(files))}
        return Disk({number: bytearray(files[name]) for name, number in names.items()}, names)

    def play(self, record: Record) -> None:
        match record:
            case Acknowledged():
                self.acknowledged = record
            case Write(file) | Truncate(file):
                self._waiting.setdefault(file, []).append(record)
            case Sync(file):
                content = self.content.setdefault(file, bytearray())
                for waiting in self._waiting.pop(file, []):
                    apply(content, waiting)
            case Named():
                self._names_waiting.append(record)
            case FolderSynced():
                for named in self._names_waiting:
                    _name(self.names, named)
                self._names_waiting.clear()

    def cut(self, folder: Path, rng: random.Random, damage: Damage) -> None:
        """Write one possible outcome of a cut here and now into the empty `folder`."""
        names = dict(self.names)
        waiting = self._names_waiting
        if damage.names_in_order:
            kept = waiting[: rng.randint(0, len(waiting))]
        else:
            kept = [named for named in waiting if rng.random() < 0.5]
        for named in kept:
            _name(names, named)
        for name, file in names.items():
            (folder / name).write_bytes(self._left(file, rng, damage))
            (folder / name).chmod(0o600)  # modes are not what is cut here, and a key must have this one

    def _left(self, file: int, rng: random.Random, damage: Damage) -> bytes:
        content = bytearray(self.content.get(file, b""))
        waiting = self._waiting.get(file, [])
        for record in waiting:
            if rng.random() < damage.keep:
                apply(content, record)
            elif isinstance(record, Write) and rng.random() < 0.3:
                for part in _sectors(record, damage.sector):
                    if rng.random() < 0.5:
                        apply(content, part)
        writes = [record for record in waiting if isinstance(record, Write)]
        if writes and damage.tear is not Tear.NOTHING:
            part = rng.choice(_sectors(rng.choice(writes), damage.sector))
            apply(content, _torn(part, rng, damage))
        return bytes(content)


def apply(content: bytearray, record: Write | Truncate) -> None:
    match record:
        case Write(_, offset, data):
            if len(content) < offset:
                content.extend(bytes(offset - len(content)))
            content[offset : offset + len(data)] = data
        case Truncate(_, size):
            del content[size:]
            content.extend(bytes(size - len(content)))


def _name(names: dict[str, int], named: Named) -> None:
    if named.file is None:
        names.pop(named.name, None)
    else:
        names[named.name] = named.file


def _sectors(write: Write, sector: int) -> list[Write]:
    """The write in parts that each lie in one sector."""
    end = write.offset + len(write.data)
    borders = [write.offset, *range((write.offset // sector + 1) * sector, end, sector), end]
    return [
        Write(write.file, start, write.data[start - write.offset : stop - write.offset])
        for start, stop in itertools.pairwise(borders)
    ]


def _torn(part: Write, rng: random.Random, damage: Damage) -> Write:
    if damage.tear is Tear.HALF:
        return Write(part.file, part.offset, part.data[: len(part.data) // 2])
    start = part.offset // damage.sector * damage.sector
    return Write(part.file, start, rng.randbytes(damage.sector))
