"""The small edition of `python -m tests.app.many_wagers`, and what it must notice."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from firmware.core import meters
from firmware.core.rules import MeterRule
from firmware.core.state import Increment, Meter
from firmware.journal.errors import JournalError
from tests.app.books import BooksDiffer
from tests.app.many_wagers import Casino, play


def test_some_thousand_wagers_with_cuts_and_restarts_keep_every_account() -> None:
    tally = play(8_000, seed=627)
    assert tally.wagers >= 8_000
    seldom = (tally.cuts, tally.restarts, tally.wins, tally.voids, tally.corrections)
    assert all(seldom), tally.text()


def test_a_card_that_ignores_flushes_is_noticed() -> None:
    """The negative control."""
    with pytest.raises((JournalError, AssertionError)):
        Casino(seed=628, ignore_syncs=True).play(20_000)


def test_money_on_the_wrong_account_is_noticed_although_the_invariant_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    real = meters.increment

    def generous(rule: MeterRule, meter: Meter, cents: int) -> Increment:
        share = real(rule, meter, cents)
        return replace(share, shown_micro=share.shown_micro + 1, reserve_micro=share.reserve_micro - 1)

    monkeypatch.setattr(meters, "increment", generous)
    with pytest.raises(BooksDiffer, match="royal_9"):
        Casino(seed=629).play(1_000)
