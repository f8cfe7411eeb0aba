"""The audit of a table with a mystery bonus: clean on what was played, and every forged amount of it found."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from firmware.app.generator import Generator
from firmware.audit.auditor import Auditor
from firmware.audit.items import Cause, Checked, Compared, Finding, MeterMoved
from firmware.audit.walk import Found, walk
from firmware.journal.reader import Reader
from tests.audit import forgery
from tests.audit.evening import shoe, table
from tests.audit.forgery import Change, add, drop, put
from tests.core.mystery_table import CENT, KEY, ROYAL, STEP, TABLES, Script
from tests.dealer import Script as Round

CONFIG = (TABLES / "midibaccarat.toml").read_text("utf-8")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Hits by the first, by a middle and by the last contribution of a round, two in one round, one in a void round."""
    path = tmp_path_factory.mktemp("mystery") / "journal.sqlite"
    chance = random.Random(3)
    deal = shoe(chance)
    with table(path, CONFIG) as t:
        triggers = [STEP - 1, 2 * STEP, CENT, STEP // 2, 3 * STEP, 5, 2_000_000, 2_500_000]
        t.generator = Generator(t.rules.table_id, KEY, Script(triggers))
        t.begin()
        for number, positions in enumerate(((1, 2, 3), (4,), (), (2, 5, 6, 7), (1, 3), (2, 4, 6), (1,), (3, 5))):
            player, banker = deal(())
            chips = [(position, ROYAL) for position in positions] + [(1, "player"), (2, "banker")]
            t.play(Round(chips, player, banker, void=number in (3, 5), new_shoe=number % 4 == 0))
        t.begin(boot_id="boot-2")
    return path


def findings(path: Path) -> list[Finding]:
    return [found.item for found in audited(path) if isinstance(found.item, Finding)]


def audited(path: Path) -> list[Found]:
    with Reader(path) as reader:
        reader.verify()
        return list(walk(reader, Auditor()))


def test_what_was_played_is_clean(played: Path) -> None:
    found = audited(played)
    assert [one for one in found if isinstance(one.item, Finding)] == []
    asked = sum(f.item.count for f in found if isinstance(f.item, Compared) and f.item.what is Checked.MYSTERY)
    paid = [f.item for f in found if isinstance(f.item, MeterMoved) and f.item.cause is Cause.AWARD]
    assert asked >= 6
    assert len([one for one in paid if one.meter == "mystery"]) >= 3


@pytest.mark.parametrize(
    ("change", "subject", "what"),
    [
        (add("AwardLocked", "cents", 1, meter="mystery"), "award", "award"),
        (put("AwardLocked", "position", 7, meter="mystery"), "award", "award"),
        (drop("AwardLocked", meter="mystery"), "", ""),
        (add("TestTrigger", "from_micro", 1), "meter mystery", "amount before these contributions"),
        (add("MeterReset", "value_micro", -CENT, meter="mystery"), "meter mystery", "reset: value"),
        (add("MeterReset", "paid_cents", 1, meter="mystery"), "meter mystery", "reset: paid"),
        (add("ContributionCharged", "micro", 1), "meter mystery", "reversal"),
        (drop("ContributionCharged"), "meter mystery", "reversal"),
    ],
)
def test_a_forged_amount_is_found(played: Path, tmp_path: Path, change: Change, subject: str, what: str) -> None:
    copy = tmp_path / "forged.sqlite"
    forgery.forge(played, copy, change)
    first = findings(copy)[0]
    assert first.subject.startswith(subject), first
    assert what in first.what, first
