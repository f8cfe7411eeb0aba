"""The audit of a Blackjack table: clean on what was played, and what only such a table can have forged is found."""

from __future__ import annotations

from pathlib import Path

import apsw
import pytest

from firmware.audit.auditor import Auditor
from firmware.audit.items import Finding
from firmware.audit.walk import walk
from firmware.journal.reader import Reader
from tests.app.evening import blackjack_rounds, blackjack_table
from tests.app.remote_bench import RemoteBench
from tests.audit.forgery import Change, Effect, drop, first, forge, put
from tests.blackjack_dealer import SEAT, BlackjackDealer


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Crown Treasure with its envy, meters of the first cards, a void; its file whole without a WAL."""
    folder = tmp_path_factory.mktemp("blackjack")
    bench = RemoteBench(blackjack_table(folder), folder)
    bench.start()
    for script in blackjack_rounds():
        BlackjackDealer(bench).play(script)
    bench.stop()
    journal = folder / "journal.sqlite"
    connection = apsw.Connection(str(journal))
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return journal


def findings(path: Path) -> list[Finding]:
    """Signatures are not looked at: the forger has the key."""
    with Reader(path) as reader:
        return [item for _, item in walk(reader, Auditor()) if isinstance(item, Finding)]


def test_what_was_played_is_clean(played: Path) -> None:
    assert findings(played) == []


def another_card(effects: list[Effect]) -> bool:
    """A card of a position that nobody read."""
    found = first(effects, "RoundSettled", stage="initial")
    if found is not None:
        found["shown"]["positions"][0]["cards"][0] = "9D"
    return found is not None


def another_hole_card(effects: list[Effect]) -> bool:
    found = first(effects, "RoundSettled", stage="final")
    if found is not None:
        found["shown"]["dealer"][1] = "9D"
    return found is not None


FORGERIES: list[tuple[str, Change, str]] = [
    ("a card of a position", another_card, "hand settled"),
    ("the hole card", another_hole_card, "hand settled"),
    ("nobody dealt in", drop("WagerAccepted", wager=SEAT), "wager accepted"),
    ("a Crown Treasure turned into a Royal Match", put("SettlementShown", "line", "royal_match"), "settled"),
    ("an envy bonus left out", drop("AwardLocked", line="envy_bonus"), "award"),
]


@pytest.mark.parametrize(("change", "what"), [f[1:] for f in FORGERIES], ids=[f[0] for f in FORGERIES])
def test_a_forgery_is_found(played: Path, tmp_path: Path, change: Change, what: str) -> None:
    copy = tmp_path / "forged.sqlite"
    forge(played, copy, change)
    found = findings(copy)
    assert any(what in item.what for item in found), found
