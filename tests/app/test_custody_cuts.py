"""Some of the cuts of `python -m tests.app.custody_cuts`, and what must lose something."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from firmware.journal.errors import JournalError
from firmware.journal.reader import Reader
from tests.app.custody_cuts import Act, begun, bring_back, clear, cuts, end_of, give_up, recorded, rotate
from tests.app.test_custody import Bench
from tests.journal.disk import Damage, FolderSynced, Sync, Tear, Write
from tests.journal.recording import Recording

CUTS = 10


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return begun(tmp_path / "run")


@pytest.mark.parametrize("act", [rotate, clear])
def test_a_journal_is_given_up_only_for_one_that_follows_it_and_only_exported(
    bench: Bench, tmp_path: Path, act: Act
) -> None:
    assert give_up(bench, tmp_path / "cuts", act, CUTS) > CUTS


def test_a_copy_is_brought_back_or_is_still_to_be(bench: Bench, tmp_path: Path) -> None:
    assert bring_back(bench, tmp_path / "cuts", CUTS) > CUTS


def test_a_page_torn_while_the_old_journal_is_settled_is_no_damage(bench: Bench, tmp_path: Path) -> None:
    """SQLite's rollback journal holds the page; a reader, which may not put it back, says so and judges nothing."""
    ended = end_of(bench)
    records = recorded(bench, rotate)
    into_journal = [n for n, r in enumerate(records.records) if isinstance(r, Write) and (r.file, r.offset) == (0, 0)]
    ((_, disk),) = records.disks([into_journal[-1] + 1])
    left = tmp_path / "left"
    left.mkdir()
    disk.cut(left, random.Random(1), Damage(sector=4096, keep=0.0, tear=Tear.NOISE, names_in_order=True))
    assert (left / "journal.sqlite-journal").stat().st_size
    with pytest.raises(JournalError, match="do the same again, or start the daemon") as refused:
        Reader(left / "journal.sqlite")
    assert type(refused.value) is JournalError, "not damaged, and not another file"
    torn = Bench(left)
    list(rotate(torn))
    torn.in_order(*left.glob("journal-*.sqlite"))
    with Reader(torn.journal) as reader:
        assert reader.verify().anchor == ended.head


def test_on_a_card_that_ignores_flushes_the_same_finds_losses(bench: Bench, tmp_path: Path) -> None:
    """The negative control."""
    recording = recorded(bench, rotate)
    records = [record for record in recording.records if not isinstance(record, Sync | FolderSynced)]
    ended = end_of(bench)
    lost = 0
    for left, _ in cuts(Recording(recording.before, records), tmp_path / "cuts", 25):
        try:
            old = end_of(left) == ended
            left.in_order(*(() if old else left.folder.glob("journal-*.sqlite")))
            lost += not old and not list(left.folder.glob("journal-*.sqlite"))
            left.start()
        except (JournalError, AssertionError):
            lost += 1
    assert lost
