"""Events of whole shoes, recorded once and played again and again: load for the journal's benches.

Answers for: a stream that a table of the example configuration understands at once, since it ends where it began, with
betting open and no chip on the layout. Its times are an hour ahead, so that no timer of the core fires by itself.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Iterator

from firmware.app import program
from firmware.core.events import Event
from firmware.core.rules import TableRules
from firmware.core.state import Phase
from tests.app.kill_sweep import shoe_rounds
from tests.app.rig import header
from tests.core.table import WAGERS, Table
from tests.core.test_any_order import CoreBench
from tests.dealer import Dealer

HOUR_NS = 3_600 * 10**9


def table_rules() -> TableRules:
    return program.rules_of(header())


class Stream:
    """`opening` brings a new table to open betting; `shoe` can follow it, and itself."""

    def __init__(self, seed: int, every_spot: bool) -> None:
        """`every_spot`: a chip on each; else up to five, as patrons lay them in the other benches."""
        table = Table(table_rules())
        table.now_ns = time.monotonic_ns() + HOUR_NS
        table.opened()
        self.opening = tuple(table.events)
        dealer = Dealer(CoreBench(table))
        self.rounds = 0
        for script in shoe_rounds(seed):
            script.new_shoe = self.rounds == 0
            if every_spot:
                script.chips = [(position, wager) for position in range(1, 8) for wager in WAGERS]
            script.check()
            dealer.play(script)
            self.rounds += 1
        assert table.state.phase is Phase.BETTING, table.state.phase
        self.shoe = tuple(table.events[len(self.opening) :])

    def endless(self) -> Iterator[Event]:
        return itertools.chain(self.opening, itertools.chain.from_iterable(itertools.repeat(self.shoe)))
