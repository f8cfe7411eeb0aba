"""What a round of each game shows, as the journal keeps it: the very `outcome` object that `tabled settle` takes.

Rules:
* One record a kind of game, its fields named as in the interface; a tag that the interface does not know tells them
  apart. Whoever checks a settlement, the auditor above all, needs this record and nothing of the round's state.
* `rows` is for whoever looks at the table. `world` makes of it what the wagers of the game are judged by.
"""

from __future__ import annotations

from typing import Any

import msgspec

from firmware.core.cards import Card
from firmware.core.stored import Stored
from firmware.core.wagers.initial_cards import InitialCards
from firmware.core.wagers.two_hands import TwoHands

Rows = tuple[tuple[str, tuple[str, ...]], ...]
"""What lies on the table, for people: a name and its cards (or numbers, or faces) a row."""


class TwoHandsShown(Stored, frozen=True, tag_field="kind", tag="two_hands"):
    """The Player and the Banker hand, in the order in which the cards came; after four cards or complete."""

    player: tuple[str, ...]
    banker: tuple[str, ...]

    def world(self) -> TwoHands:
        return TwoHands(_cards(self.player), _cards(self.banker))

    def rows(self) -> Rows:
        return (("Player", self.player), ("Banker", self.banker))

    def opened_by(self) -> str:
        """The row that has the first card dealt."""
        return "Player"


class InitialCardsShown(Stored, frozen=True, tag_field="kind", tag="initial_cards"):
    """The dealer's cards as far as they lie open, the upcard first, and each position's initial two, in its order."""

    dealer: tuple[str, ...]
    positions: dict[str, tuple[str, ...]]

    def world(self) -> InitialCards:
        return InitialCards(_cards(self.dealer), {int(p): _cards(cards) for p, cards in self.positions.items()})

    def rows(self) -> Rows:
        return (("Dealer", self.dealer), *self.positions.items())

    def opened_by(self) -> str:
        """The row that has the first card dealt."""
        return next(iter(self.positions), "Dealer")


Shown = TwoHandsShown | InitialCardsShown


def outcome(shown: Shown) -> dict[str, Any]:
    """As `outcome` of `tabled settle`."""
    fields = msgspec.to_builtins(shown)
    del fields["kind"]
    return dict(fields)


def _cards(texts: tuple[str, ...]) -> tuple[Card, ...]:
    return tuple(Card.parse(text) for text in texts)
