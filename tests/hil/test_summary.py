"""What a round's line and a session's summary call wagers, and why they were cancelled."""

from __future__ import annotations

from pathlib import Path

from firmware.core.effects import WagerCancelled
from hil.round_records import RoundReader, RoundRecord
from hil.summary import story
from hil.tellers import round_line
from tests.core.table import Table


def a_round(*stakes: tuple[int, str, int]) -> RoundRecord:
    """A round whose rules do not matter."""
    record = RoundRecord(1, Table().rules)
    record.at_lock = {(position, wager): cents for position, wager, cents in stakes}
    return record


def test_a_chip_that_says_who_is_dealt_in_is_no_wager() -> None:
    record = a_round((1, "ante", 0), (2, "ante", 0), (2, "ultimate_pairs", 500))
    assert round_line(record).startswith("round   1:  1 wager; 2 dealt in; ")


def test_a_cancelled_wager_says_why() -> None:
    record = a_round((3, "b2b_roulette", 500))
    record.cancelled = [WagerCancelled(3, "b2b_roulette", 500, "no previous spin")]
    assert "3/b2b_roulette cancelled (no previous spin)" in round_line(record)


def test_a_session_at_a_wheel_counts_no_shoes_and_tells_why_wagers_were_cancelled(tmp_path: Path) -> None:
    record = a_round((3, "b2b_roulette", 500))
    record.cancelled = [WagerCancelled(3, "b2b_roulette", 500, "no previous spin")]
    rows = list(story([record], RoundReader(tmp_path / "unread.sqlite")))
    assert rows[0] == "rounds          1, of which 0 void"
    assert rows[1] == "wagers          1 accepted ($5.00), 1 cancelled (1: no previous spin), 0 chips not accepted"


def test_a_session_of_poker_counts_antes_apart(tmp_path: Path) -> None:
    record = a_round((1, "ante", 0), (2, "ultimate_pairs", 500))
    rows = list(story([record], RoundReader(tmp_path / "unread.sqlite")))
    assert rows[1] == "wagers          1 accepted ($5.00), 1 chip dealt in, 0 cancelled, 0 chips not accepted"
