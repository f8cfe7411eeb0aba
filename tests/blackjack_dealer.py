"""Dealer and patrons at a Blackjack table, as `tests.dealer` has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from firmware.core.events import Key
from tests.dealer import Bench, Dealer, Script

SEAT = "blackjack"


class ScanningBench(Bench, Protocol):
    def scan(self, card: str) -> None:
        """A card leaves the shoe, which does not say for whom."""


@dataclass
class BlackjackScript(Script):
    """`hands`: by the name that the display has ("P3", "DEALER"), the two cards of each; `chips` are the side wagers,
    and every position that has cards gets its Blackjack wager too."""

    player: Sequence[str] = ()
    banker: Sequence[str] = ()
    hands: Mapping[str, str] = field(default_factory=dict)
    out: list[tuple[str, int]] = field(default_factory=list)  # cards that have left the shoe

    def __post_init__(self) -> None:
        seats = [(int(name[1:]), SEAT) for name in self.hands if name.startswith("P")]
        self.chips = [*seats, *self.chips]

    def check(self) -> None:
        assert all(len(cards.split()) == 2 for cards in self.hands.values()), self


class BlackjackDealer(Dealer):
    def __init__(self, bench: ScanningBench) -> None:
        super().__init__(bench)
        self._shoe = bench

    def _deal(self, script: Script, name: str, index: int) -> None:
        assert isinstance(script, BlackjackScript)
        card = script.hands[name].split()[index - 1]
        if (name, index) in script.out:  # it came out of the shoe while the daemon was away
            self._enter(name, card)
        elif script.void and not script.called and index == 2:
            script.called = True
            self.bench.key(Key.CALL)
        else:
            script.out.append((name, index))
            self._shoe.scan(card)
