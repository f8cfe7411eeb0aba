"""The audit of meters with everything that a configuration can give them: pools, limits, readings, orders."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from firmware.audit.auditor import Auditor
from firmware.audit.items import Cause, Finding, MeterMoved
from firmware.audit.ledger import ACCOUNTS
from firmware.audit.walk import Found, walk
from firmware.core.order_data import Account, ChangeParameters, Overflow, Transfer, TransferIn, TransferOut
from firmware.journal.reader import Reader
from tests.app.rig import CONFIG
from tests.audit import forgery
from tests.audit.evening import MAJOR, MEGA, MINOR, ROYAL_9, script, table
from tests.audit.forgery import Change, add, drop

MINOR_METER = '[meters."royal_9.minor"]\nseed = "450.00"\n'
MAJOR_METER = '[meters."royal_9.major"]\nseed = "450.00"\n'
ORDERED = ChangeParameters(
    "royal_9.minor", 450_000_000, 8_000, 2_500, 450_000_000, hidden_ppm=1_000, overflow=Overflow.RESEED
)


def config(readings: str = "", minor: str = 'hidden = "0.5"\nlimit = "450.30"\n', increment: str = "1") -> str:
    text = CONFIG.read_text("utf-8")
    text = text.replace(MAJOR_METER, MAJOR_METER + 'limit = "450.20"\noverflow = "keep"\n')
    before, _, after = text.partition(MINOR_METER)
    after = after.replace('increment = "1"', f'increment = "{increment}"', 1)
    return before.replace("[timing]", f"{readings}\n[timing]") + MINOR_METER + minor + after


READINGS = {
    "recommended": "",
    "X17 max": '[rules_submission.readings]\nX17 = "max"\n',
    "X15 second meter": '[rules_submission.readings]\nX15 = "second_meter"\n',
    "X22 refund only": '[rules_submission.readings]\nX22 = "refund_only"\n',
    "X4 each": '[rules_submission.readings]\nX4 = "each"\n',
}


def play(path: Path, readings: str = "", *, ordered: bool = True) -> Path:
    chance = random.Random(9)
    with table(path, config(readings)) as t:
        t.begin()
        for number in range(8):
            first, chips = {
                1: (MINOR, [(1, ROYAL_9)]),
                3: (MAJOR, [(1, ROYAL_9), (5, ROYAL_9)]),
                5: (MEGA, [(1, ROYAL_9), (2, ROYAL_9)]),
            }.get(number, ((), [(number % 7 + 1, ROYAL_9), (3, ROYAL_9)]))
            t.play(script(chance, first, chips, void=number in (2, 6)))
        t.floor("CLOSE TABLE")
        minor, major = (next(m for m in t.state.meters if m.name == f"royal_9.{n}") for n in ("minor", "major"))
        over = major.overflow_micro
        t.order(Transfer(major.name, Account.OVERFLOW, over, over, minor.name, Account.HIDDEN))
        t.order(TransferOut(major.name, Account.RESERVE, major.reserve_micro, 12_500, "MB-12 royal_9.major"))
        t.order(TransferIn(major.name, Account.RESERVE, major.reserve_micro - 12_500, 7_500, "MB-12 royal_9.major"))
        t.order(TransferIn(major.name, Account.RESERVE, 1, 7_500, "MB-12 royal_9.major"))  # it does not hold that
        if ordered:
            t.order(ORDERED)
        t.begin(table_text=config(readings, 'hidden = "0.1"\n', increment="0.8"), boot_id="boot-2")
        t.play(script(chance, MINOR, [(1, ROYAL_9), (4, ROYAL_9)]), script(chance, chips=[(2, ROYAL_9)]))
    return path


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return play(tmp_path_factory.mktemp("pools") / "journal.sqlite")


def audited(path: Path) -> list[Found]:
    with Reader(path) as reader:
        reader.verify()
        return list(walk(reader, Auditor()))


def findings(path: Path) -> list[Finding]:
    return [found.item for found in audited(path) if isinstance(found.item, Finding)]


@pytest.mark.parametrize("readings", READINGS.values(), ids=READINGS)
def test_what_was_played_is_clean(tmp_path: Path, readings: str) -> None:
    found = audited(play(tmp_path / "journal.sqlite", readings))
    assert [one for one in found if isinstance(one.item, Finding)] == []
    moves = [one.item for one in found if isinstance(one.item, MeterMoved)]
    assert {account for account in ACCOUNTS for move in moves if move.moved.on(account)} == set(ACCOUNTS)
    assert {move.cause for move in moves} >= {Cause.TRANSFER, Cause.FROM_POOLS, Cause.AWARD}


@pytest.mark.parametrize(
    ("change", "subject", "what"),
    [
        (add("Contributed", "overflow_micro", 1, meter="royal_9.minor", shown_micro=0), "meter", "contribution"),
        (add("Contributed", "hidden_micro", -1, meter="royal_9.minor"), "meter", "contribution"),
        (add("MeterReset", "from_hidden_micro", 1, meter="royal_9.minor"), "meter", "reset: from the hidden"),
        (add("MeterReset", "from_overflow_micro", -1, meter="royal_9.minor"), "meter", "reset: from the overflow"),
        (add("TransferredOut", "micro", 1), "meter", "transfer"),
        (add("TransferredIn", "micro", 1), "meter", "transfer"),
        (drop("TransferredIn"), "order", "order taken"),
        (drop("TransferredOut"), "meter", "transfer"),
        (drop("ParametersOrdered"), "order", "order taken"),
    ],
)
def test_a_forged_amount_is_found(played: Path, tmp_path: Path, change: Change, subject: str, what: str) -> None:
    copy = tmp_path / "forged.sqlite"
    forgery.forge(played, copy, change)
    first = findings(copy)[0]
    assert first.subject.startswith(subject), first
    assert what in first.what, first


def test_parameters_that_nobody_ordered_are_found(tmp_path: Path) -> None:
    (found, *_) = findings(play(tmp_path / "journal.sqlite", ordered=False))
    assert (found.subject, found.what) == ("meter royal_9.minor", "parameters changed without an order")
    assert "increment_ppm=10000" in found.expected
    assert "increment_ppm=8000" in found.found
