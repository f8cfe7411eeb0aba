"""Some of the cuts of `python -m tests.app.custody_cuts`, and what must lose something."""

from __future__ import annotations

from pathlib import Path

import pytest

from firmware.journal.errors import JournalError
from tests.app.custody_cuts import Act, begun, bring_back, clear, cuts, end_of, give_up, recorded, rotate
from tests.app.test_custody import Bench
from tests.journal.disk import FolderSynced, Sync
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
