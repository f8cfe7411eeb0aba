"""Writes down everything that a process does to the files of one folder, in order, as records of `disk`.

SQLite's part comes from `torture_vfs`; what Python does to names and files itself (making a journal, rotating, backing
up) is seen by standing in for the calls of `os`, while `watching` lasts. A file that Python writes is taken down whole
at its fsync or when it gets a name: what was not synced by then is known to nobody.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from tests.journal.disk import Disk, FolderSynced, Named, Record, Sync, Truncate, Write


@dataclass(frozen=True)
class Recording:
    """The synced files of a folder, and all that happened to them, acknowledgements in their place."""

    before: dict[str, bytes]
    records: Sequence[Record]

    def disks(self, moments: Iterable[int]) -> Iterator[tuple[int, Disk]]:
        """The disk as it is after so many records, for each of the ascending `moments`. It is the same object that
        plays on: look at it before asking for the next."""
        disk = Disk.holding(self.before)
        played = 0
        for moment in moments:
            while played < moment:
                disk.play(self.records[played])
                played += 1
            yield moment, disk


LEFT_OUT = ("-shm", ".lock")  # the first is never synced and made anew at each start, the second has no content


class Recorder:
    """Numbers the folder's files and hands every record to `sink`, on whatever thread it happens."""

    def __init__(self, folder: Path, sink: Callable[[Record], None], ignore_syncs: bool = False) -> None:
        """What is in the folder now counts as synced. `ignore_syncs`: a card that says so and does not."""
        self._folder = os.path.realpath(folder)
        self._sink = sink
        self._ignore_syncs = ignore_syncs
        self._lock = threading.Lock()
        self._files = {name: number for number, name in enumerate(sorted(before(folder)))}
        self._next = len(self._files)
        self._by_python: dict[int, bytes] = {}  # what is known of a file that SQLite did not write
        self._by_sqlite: set[int] = set()

    def note(self, record: Record) -> None:
        if not (self._ignore_syncs and isinstance(record, Sync | FolderSynced)):
            self._sink(record)

    def file(self, path: str) -> int | None:
        """The number of the file that `path` leads to, and which has just been opened or made; None: not ours."""
        name = self._name(path)
        if name is None:
            return None
        with self._lock:
            number = self._files.get(name)
            if number is None:
                number = self._next
                self._next += 1
                self._files[name] = number
                self.note(Named(name, number))
            return number

    def written_by_sqlite(self, number: int) -> None:
        self._by_sqlite.add(number)

    def removed(self, path: str) -> None:
        name = self._name(path)
        if name is not None and self._files.pop(name, None) is not None:
            self.note(Named(name, None))

    # --- what Python does -------------------------------------------------------------------------------------------

    def seen(self, path: str) -> int | None:
        """The number of a file as it stands now; its content is taken down if it is Python that writes it."""
        number = self.file(path)
        if number is not None and number not in self._by_sqlite:
            content = Path(path).read_bytes()
            if self._by_python.get(number) != content:
                self._by_python[number] = content
                self.note(Truncate(number, len(content)))
                self.note(Write(number, 0, content))
        return number

    def named(self, path: str, number: int | None) -> None:
        name = self._name(path)
        if name is not None and number is not None:
            self._files[name] = number
            self.note(Named(name, number))

    def synced(self, path: str) -> None:
        if os.path.realpath(path) == self._folder:
            self.note(FolderSynced())
        elif (number := self.seen(path)) is not None:
            self.note(Sync(number))

    def _name(self, path: str) -> str | None:
        folder, name = os.path.split(os.path.realpath(path))
        return name if folder == self._folder and not name.endswith(LEFT_OUT) else None


def scratch() -> str | None:
    """A place in memory, if there is one (for `tempfile`): what is durable is what `disk` says, not this machine."""
    return "/dev/shm" if os.access("/dev/shm", os.W_OK | os.X_OK) else None


def before(folder: Path) -> dict[str, bytes]:
    """The files of a folder as `disk.Disk.holding` takes them."""
    found = (path for path in folder.iterdir() if path.is_file() and not path.name.endswith(LEFT_OUT))
    return {path.name: path.read_bytes() for path in found}


@contextmanager
def watching(recorder: Recorder) -> Iterator[None]:
    """See what this process does to names and files by `os`."""
    real: dict[str, Callable[..., Any]] = {name: getattr(os, name) for name in
                                           ("link", "unlink", "rename", "replace", "fsync", "fdatasync")}  # fmt: skip

    def link(source: Any, target: Any, **options: Any) -> None:
        real["link"](source, target, **options)
        recorder.named(os.fspath(target), recorder.seen(os.fspath(source)))

    def unlink(path: Any, **options: Any) -> None:
        real["unlink"](path, **options)
        recorder.removed(os.fspath(path))

    def rename(source: Any, target: Any, **options: Any) -> None:
        number = recorder.seen(os.fspath(source))
        real["rename"](source, target, **options)
        recorder.named(os.fspath(target), number)
        recorder.removed(os.fspath(source))

    def sync(descriptor: int) -> None:
        real["fsync"](descriptor)
        recorder.synced(str(Path(f"/proc/self/fd/{descriptor}").readlink()))

    stand_ins: dict[str, Any] = {
        "link": link,
        "unlink": unlink,
        "rename": rename,
        "replace": rename,
        "fsync": sync,
        "fdatasync": sync,
    }
    with patch.multiple(os, **stand_ins):
        yield
