"""The physical table for `tests.dealer.Dealer` where the daemon is a `tests.core.table.Table` in memory."""

from __future__ import annotations

from firmware.core import events as ev
from firmware.core.baccarat import Hand
from firmware.core.events import Key
from tests.core.table import Table


class MemoryBench:
    """The physical table for `tests.dealer.Dealer`."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._laid: set[tuple[int, str]] = {(s.position, s.wager) for s in table.state.spots if s.chip is not None}
        self.unreadable = 0  # so many of the next cards have no face for the reader

    def display(self) -> tuple[str, ...]:
        return self._table.shown()

    def chip(self, position: int, wager: str, covered: bool) -> None:
        if covered:
            self._laid.add((position, wager))
            self._table.place(position, wager)
        else:
            self._laid.discard((position, wager))
            self._table.lift(position, wager)

    def chips(self) -> set[tuple[int, str]]:
        return set(self._laid)

    def lock_out(self) -> None:
        self._table.lock()

    def key(self, key: Key) -> None:
        self._table.key(key)

    def floor_key(self, turned: bool) -> None:
        self._table.do(ev.FloorKeyTurned(turned, self._table.tick()))

    def floor_key_turned(self) -> bool:
        return self._table.state.panel.floor_turned

    def reset_key(self) -> None:
        self._table.reset_key()

    def card(self, hand: Hand, index: int, card: str) -> None:
        unread = self.unreadable > 0
        self.unreadable -= unread
        self._table.card(hand, None if unread else card, index)

    def result(self, winner: str, player_pair: bool, banker_pair: bool) -> None:
        self._table.result(winner, player_pair, banker_pair)

    def wait(self) -> None:
        raise AssertionError(f"nothing to wait for: {self.display()}")
