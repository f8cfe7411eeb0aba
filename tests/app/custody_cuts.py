"""The power goes while a table's journal is exported, rotated, cleared or brought back.

    python -m tests.app.custody_cuts --cuts 500     so many of each act; `test_custody_cuts` makes ten

The cuts are at random operations of the disk; the last twenty of an act, where the names change, are cut one by one
besides. After each cut the table has the old journal whole or the new one whole; what was given up has been exported,
whole; and the same act, done again, ends as it should.
"""

from __future__ import annotations

import argparse
import random
import shutil
import tempfile
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from firmware.app import clock, custody
from firmware.core import events as ev
from firmware.journal import backup, database
from firmware.journal.errors import JournalReplaced
from firmware.journal.reader import Position, Reader
from firmware.settings.check import CheckedTable, load_checked
from tests.app.rig import CONFIG
from tests.app.test_custody import TWO, Bench
from tests.journal.disk import Damage, Disk, Record
from tests.journal.recording import Recorder, Recording, before, watching
from tests.journal.torture_vfs import TortureVfs, through

Act = Callable[[Bench], Iterator[str]]


def rotate(bench: Bench) -> Iterator[str]:
    return custody.rotate(bench.files, bench.folder)


def clear(bench: Bench) -> Iterator[str]:
    return custody.clear(bench.files, _table(), bench.folder, confirmed=True)


def restore(bench: Bench) -> Iterator[str]:
    return custody.restore(bench.files, _table().settings, bench.folder / "copy.sqlite", TWO)


@cache
def _table() -> CheckedTable:
    return load_checked(CONFIG, clock.today())


def begun(folder: Path) -> Bench:
    """A table that has started once."""
    bench = Bench(folder)
    bench.start(ev.DoorMoved(True, 2))
    return bench


def recorded(bench: Bench, act: Act) -> Recording:
    """What the act does to the disk, on a copy of the bench's files."""
    played = Bench(shutil.copytree(bench.folder, bench.folder.with_name("played")))
    files, records = before(played.folder), list[Record]()
    recorder = Recorder(played.folder, records.append)
    vfs = TortureVfs(recorder)
    try:
        with watching(recorder), through(vfs, database, backup):
            list(act(played))
    finally:
        vfs.unregister()
    shutil.rmtree(played.folder)
    return Recording(files, records)


def cuts(recording: Recording, folder: Path, random_cuts: int) -> Iterator[tuple[Bench, bool]]:
    """What each cut leaves, and whether the act had been over."""
    rng = random.Random(len(recording.records))
    count = len(recording.records)
    moments = [*(rng.randrange(count + 1) for _ in range(random_cuts)), *range(count - 20, count + 1)]
    for number, (moment, disk) in enumerate(recording.disks(sorted(moments))):
        yield _left(disk, folder / str(number), rng), moment == count
        shutil.rmtree(folder / str(number))


def _left(disk: Disk, folder: Path, rng: random.Random) -> Bench:
    folder.mkdir(parents=True)
    disk.cut(folder, rng, Damage.any(rng))
    return Bench(folder)


def end_of(bench: Bench) -> Position:
    bench.put_back()
    with Reader(bench.journal) as reader:
        reader.verify()
        position = reader.position()
    assert position is not None
    return position


def give_up(bench: Bench, folder: Path, act: Act, random_cuts: int) -> int:
    """A journal is given up only for one that follows it, and only exported. How many cuts it was."""
    if act is clear:
        bench.order_clearing()
    ended = end_of(bench)
    seen: list[bool] = []
    for left, over in cuts(recorded(bench, act), folder, random_cuts):
        old = end_of(left) == ended
        with Reader(left.journal) as reader:
            report = reader.verify()
        assert old or report.anchor == ended.head
        assert not (old and over)
        seen.append(old)
        if old:
            list(act(left))
        exported = list(left.folder.glob("journal-*.sqlite"))
        left.in_order(*exported)
        assert len(exported) == 1
        left.start()
    assert set(seen) == {True, False}
    return len(seen)


def bring_back(bench: Bench, folder: Path, random_cuts: int) -> int:
    """A copy is brought back, or is still to be. How many cuts it was."""
    backup.copy_journal(bench.journal, bench.folder / "copy.sqlite")
    bench.journal.unlink()
    seen: list[bool] = []
    for left, over in cuts(recorded(bench, restore), folder, random_cuts):
        restored = left.journal.exists()
        assert restored or not over
        seen.append(restored)
        if not restored:
            with pytest.raises(JournalReplaced, match="was removed"):
                left.start()
            list(restore(left))
        left.start()
        left.in_order()
    assert set(seen) == {True, False}
    return len(seen)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.app.custody_cuts", description=__doc__.partition("\n")[0])
    parser.add_argument("--cuts", type=int, default=200, help="of each act, at random operations")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for act in (rotate, clear):
            made = give_up(begun(folder / act.__name__), folder / "cuts", act, options.cuts)
            print(f"{act.__name__}: {made} cuts, the old journal or the new one each time")
        made = bring_back(begun(folder / "restore"), folder / "cuts", options.cuts)
        print(f"restore: {made} cuts, brought back or still to be each time")


if __name__ == "__main__":
    main()
