"""The power goes while a table's journal is exported, rotated, cleared or brought back.

After each cut the table has the old journal whole or the new one whole; what was given up has been exported, whole; and
the same act, done again, ends as it should.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from firmware.app import clock, custody
from firmware.core import events as ev
from firmware.journal import backup, database
from firmware.journal.errors import JournalError, JournalReplaced
from firmware.journal.reader import Position, Reader
from firmware.settings.check import load_checked
from tests.app.rig import CONFIG
from tests.app.test_custody import TABLE, TWO, Bench
from tests.journal.disk import Damage, Disk, FolderSynced, Record, Sync
from tests.journal.recording import Recorder, Recording, before, watching
from tests.journal.torture_vfs import TortureVfs, through

CUTS = 25
"""Of each act, at random operations; the last twenty operations, where the names change, are cut one by one besides."""

Act = Callable[[Bench], Iterator[str]]


def rotate(bench: Bench) -> Iterator[str]:
    return custody.rotate(bench.files, bench.folder)


def clear(bench: Bench) -> Iterator[str]:
    table = load_checked(CONFIG, clock.today())
    return custody.clear(bench.files, table, bench.folder, confirmed=True)


def restore(bench: Bench) -> Iterator[str]:
    return custody.restore(bench.files, TABLE, bench.folder / "copy.sqlite", TWO)


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    bench = Bench(tmp_path / "run")
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


def cuts(recording: Recording, folder: Path) -> Iterator[tuple[Bench, bool]]:
    """What each cut leaves, and whether the act had been over."""
    rng = random.Random(len(recording.records))
    count = len(recording.records)
    moments = [*(rng.randrange(count + 1) for _ in range(CUTS)), *range(count - 20, count + 1)]
    for number, (moment, disk) in enumerate(recording.disks(sorted(moments))):
        yield _left(disk, folder / str(number), rng), moment == count
        shutil.rmtree(folder / str(number))


def _left(disk: Disk, folder: Path, rng: random.Random) -> Bench:
    folder.mkdir(parents=True)
    disk.cut(folder, rng, Damage.any(rng))
    return Bench(folder)


def end_of(bench: Bench) -> Position:
    with Reader(bench.journal) as reader:
        reader.verify()
        position = reader.position()
    assert position is not None
    return position


@pytest.mark.parametrize("act", [rotate, clear])
def test_a_journal_is_given_up_only_for_one_that_follows_it_and_only_exported(
    bench: Bench, tmp_path: Path, act: Act
) -> None:
    if act is clear:
        bench.order_clearing()
    ended = end_of(bench)
    seen: set[bool] = set()
    for left, over in cuts(recorded(bench, act), tmp_path / "cuts"):
        with Reader(left.journal) as reader:
            report = reader.verify()
        old = end_of(left) == ended
        assert old or report.anchor == ended.head
        assert not (old and over)
        seen.add(old)
        if old:
            list(act(left))
        exported = list(left.folder.glob("journal-*.sqlite"))
        left.in_order(*exported)
        assert len(exported) == 1
        left.start()
    assert seen == {True, False}


def test_a_copy_is_brought_back_or_is_still_to_be(bench: Bench, tmp_path: Path) -> None:
    backup.copy_journal(bench.journal, bench.folder / "copy.sqlite")
    bench.journal.unlink()
    seen: set[bool] = set()
    for left, over in cuts(recorded(bench, restore), tmp_path / "cuts"):
        restored = left.journal.exists()
        assert restored or not over
        seen.add(restored)
        if not restored:
            with pytest.raises(JournalReplaced, match="was removed"):
                left.start()
            list(restore(left))
        left.start()
        left.in_order()
    assert seen == {True, False}


def test_on_a_card_that_ignores_flushes_the_same_finds_losses(bench: Bench, tmp_path: Path) -> None:
    """The negative control."""
    recording = recorded(bench, rotate)
    records = [record for record in recording.records if not isinstance(record, Sync | FolderSynced)]
    ended = end_of(bench)
    lost = 0
    for left, _ in cuts(Recording(recording.before, records), tmp_path / "cuts"):
        try:
            old = end_of(left) == ended
            left.in_order(*(() if old else left.folder.glob("journal-*.sqlite")))
            lost += not old and not list(left.folder.glob("journal-*.sqlite"))
            left.start()
        except (JournalError, AssertionError):
            lost += 1
    assert lost
