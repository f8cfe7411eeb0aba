"""Files that continue each other: rotated within a round, cleared by two persons; audited alone and together."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from firmware.app import custody
from firmware.audit.commands import main_audit
from firmware.audit.orders import two_persons
from firmware.core.order_data import Approval, Clearing, ClearJournal
from firmware.journal.heads import Custody
from firmware.journal.signing import Signer, make_key
from firmware.settings.check import load_checked
from tests.app.rig import CONFIG
from tests.audit.evening import MAJOR, MINOR, ROYAL_9, JournaledTable, script, table
from tests.dealer import Dealer

STOPS = {"between rounds": "", "cards dealt": "BANKER CARD 2", "award open": "FLOOR KEY: VALIDATE"}
"""What the display says when the file changes."""

Files = tuple[Path, Path]


class _Table:
    """A table's files in a folder."""

    def __init__(self, folder: Path) -> None:
        make_key(folder / "signing.key")
        self.files = custody.Files(folder / "journal.sqlite", folder / "signing.key", folder / "noted-head.json")
        self.archive = folder / "archive"
        self.archive.mkdir()

    def play(self, act: Callable[[JournaledTable], None], *, create: bool = False) -> None:
        vouched = Custody(Signer.load(self.files.key), self.files.noted)
        with table(self.files.journal, create=create, custody=vouched) as t:
            t.begin()
            act(t)

    def exported(self) -> Path:
        (found,) = self.archive.glob("*.sqlite")
        return found


@pytest.fixture(scope="module", params=STOPS)
def rotated(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Files:
    """The exported file, and the one that goes on, from within a round that pays a meter."""
    t = _Table(tmp_path_factory.mktemp("files"))
    chance = random.Random(4)
    paid = script(chance, MAJOR, [(1, ROYAL_9), (5, ROYAL_9)])

    def first(now: JournaledTable) -> None:
        now.play(script(chance), script(chance, MINOR, [(1, ROYAL_9)]))
        dealer = Dealer(now.bench)
        stop = STOPS[request.param]
        while stop and stop not in now.shown():
            assert not dealer.step(paid)

    def second(now: JournaledTable) -> None:
        now.play(paid, script(chance, chips=[(2, ROYAL_9)], void=True))

    t.play(first, create=True)
    list(custody.rotate(t.files, t.archive))
    t.play(second)
    return t.exported(), t.files.journal


def test_each_file_and_both_together_are_in_order(rotated: Files, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = rotated
    for files in ((old,), (new,), (old, new)):
        assert main_audit([str(file) for file in files]) == 0, capsys.readouterr().err
        assert "NOT IN ORDER" not in capsys.readouterr().out


def test_the_wrong_order_is_refused(rotated: Files, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = rotated
    assert main_audit([str(new), str(old)]) == 1
    assert "another file belongs between them" in capsys.readouterr().err


def test_a_cleared_journal_says_what_was_given_up(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    t = _Table(tmp_path)
    chance = random.Random(6)

    def close_and_order(now: JournaledTable) -> None:
        now.play(script(chance, chips=[(3, ROYAL_9)]))
        now.floor("CLOSE TABLE")
        now.order(ClearJournal(Clearing.BEGIN))

    t.play(close_and_order, create=True)
    list(custody.clear(t.files, load_checked(CONFIG, "2022-01-01"), t.archive, confirmed=True))
    t.play(lambda now: now.play(script(chance)))
    capsys.readouterr()
    for files in ((t.files.journal,), (t.exported(), t.files.journal)):
        assert main_audit([str(file) for file in files]) == 0, capsys.readouterr().err
    assert "given up when cleared" in capsys.readouterr().out


def test_two_persons_stand_for_a_clearing() -> None:
    """What the audit asks of the record of a clearing."""
    assert two_persons(Approval("Ann Lee", "Bob Roe", "new layout"))
    assert not two_persons(Approval("Ann Lee", "ann  lee", "new layout"))
    assert not two_persons(Approval("Ann Lee", "Bob Roe", " "))
