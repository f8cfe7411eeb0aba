"""A board's snapshot on our command: a chip in it counts, though its time is an interval about the press."""

from __future__ import annotations

import pytest

from firmware.core import events as ev
from firmware.core.effects import WagerAccepted, WagerRefused
from tests.core.table import MS, Table


@pytest.mark.parametrize("latched", [True, False])
def test_only_a_latched_chip_counts_when_its_interval_ends_after_the_press(latched: bool) -> None:
    table = Table().opened()
    press_ns = table.press()
    verdict = ev.SpotVerdict(
        2, "tie", True, press_ns - 30 * MS, press_ns + 12 * MS,
        straddles=not latched, contradicted=False, left_ns=None, arrived_after=False, latched=latched,
    )  # fmt: skip
    table.settle(press_ns, (verdict,))
    assert [(w.position, w.wager) for w in table.state.wagers] == ([(2, "tie")] if latched else [])
    assert len(table.saw(WagerAccepted)) == latched
    assert len(table.saw(WagerRefused)) == (not latched)
    assert table.irregularities() == ([] if latched else ["straddle"])
