"""What a round of each game shows, as the journal keeps it: what the `outcome` object of `tabled settle` has.

Rules:
* One record a kind of game, its fields named as in the interface. Whoever checks a settlement, the auditor above all,
  needs this record and nothing of the round's state.
* `outcome` is the very object that `tabled settle` takes, `rows` is for whoever looks at the table, `world` what the
  wagers of the game are judged by; `opened_by` names the row that has the first card dealt.
"""

from __future__ import annotations

from typing import Any

from firmware.core.cards import Card
from firmware.core.roulette_wheel import POCKETS
from firmware.core.stored import Stored
from firmware.core.wagers.initial_cards import InitialCards
from firmware.core.wagers.poker_round import PokerRound
from firmware.core.wagers.spun import NoSpin, Spun
from firmware.core.wagers.two_hands import TwoHands

Rows = tuple[tuple[str, tuple[str, ...]], ...]
"""What lies on the table, for people: a name and its cards (or numbers, or faces) a row."""


class TwoHandsShown(Stored, frozen=True, tag_field="kind", tag="two_hands"):
    """The Player and the Banker hand, in the order in which the cards came; after four cards or complete."""

    player: tuple[str, ...]
    banker: tuple[str, ...]

    def world(self) -> TwoHands:
        return TwoHands(_cards(self.player), _cards(self.banker))

    def outcome(self) -> dict[str, Any]:
        return {"player": list(self.player), "banker": list(self.banker)}

    def rows(self) -> Rows:
        return (("Player", self.player), ("Banker", self.banker))

    def opened_by(self) -> str:
        """The row that has the first card dealt."""
        return "Player"


class PositionShown(Stored, frozen=True):
    """The cards of one position."""

    position: int
    cards: tuple[str, ...]


class InitialCardsShown(Stored, frozen=True, tag_field="kind", tag="initial_cards"):
    """The dealer's cards as far as they lie open, the upcard first, and each position's initial two, in its order."""

    dealer: tuple[str, ...]
    positions: tuple[PositionShown, ...]

    def world(self) -> InitialCards:
        return InitialCards(_cards(self.dealer), {hand.position: _cards(hand.cards) for hand in self.positions})

    def outcome(self) -> dict[str, Any]:
        return {"dealer": list(self.dealer), "positions": _by_position(self.positions)}

    def rows(self) -> Rows:
        return (("Dealer", self.dealer), *_rows(self.positions))

    def opened_by(self) -> str:
        """The row that has the first card dealt."""
        return str(self.positions[0].position) if self.positions else "Dealer"


class SpunShown(Stored, frozen=True, tag_field="kind", tag="spun"):
    """The spin's number, the last valid one before it (None: none yet), and the odds drawn for B2B."""

    number: str
    previous: str | None
    drawn_odds: int | None = None

    def world(self) -> Spun:
        previous = NoSpin.YET if self.previous is None else POCKETS[self.previous]
        return Spun((POCKETS[self.number],), previous, self.drawn_odds)

    def outcome(self) -> dict[str, Any]:
        previous = None if self.previous is None else POCKETS[self.previous].value
        drawn = {} if self.drawn_odds is None else {"drawn_odds": self.drawn_odds}
        return {"previous": previous, "spins": [POCKETS[self.number].value], **drawn}

    def rows(self) -> Rows:
        return (("Number", (self.number,)),)

    def opened_by(self) -> str:
        """The row that has what came first."""
        return "Number"


class HoldemShown(Stored, frozen=True, tag_field="kind", tag="holdem"):
    """The community cards, and once they lie open the dealer's two and each position's; who folded."""

    community: tuple[str, ...]
    dealer: tuple[str, ...]
    positions: tuple[PositionShown, ...]
    folded: tuple[int, ...] = ()

    def world(self) -> PokerRound:
        return _poker(self.community, self.dealer, self.positions, self.folded)

    def outcome(self) -> dict[str, Any]:
        return {
            "community": list(self.community),
            "dealer": list(self.dealer),
            "positions": _by_position(self.positions),
            "folded": list(self.folded),
        }

    def rows(self) -> Rows:
        return (("Board", self.community), ("Dealer", self.dealer), *_rows(self.positions))

    def opened_by(self) -> str:
        """The row that has the first card dealt."""
        return str(self.positions[0].position) if self.positions else "Dealer"


class CrissCrossShown(Stored, frozen=True, tag_field="kind", tag="criss_cross"):
    """The same without a dealer's hand."""

    community: tuple[str, ...]
    positions: tuple[PositionShown, ...]
    folded: tuple[int, ...] = ()

    def world(self) -> PokerRound:
        return _poker(self.community, (), self.positions, self.folded)

    def outcome(self) -> dict[str, Any]:
        return {
            "community": list(self.community),
            "positions": _by_position(self.positions),
            "folded": list(self.folded),
        }

    def rows(self) -> Rows:
        return (("Board", self.community), *_rows(self.positions))

    def opened_by(self) -> str:
        """The row that has the first card dealt."""
        return str(self.positions[0].position) if self.positions else "Board"


Shown = TwoHandsShown | InitialCardsShown | HoldemShown | CrissCrossShown | SpunShown


def _by_position(hands: tuple[PositionShown, ...]) -> dict[str, list[str]]:
    return {str(hand.position): list(hand.cards) for hand in hands}


def _rows(hands: tuple[PositionShown, ...]) -> Rows:
    return tuple((str(hand.position), hand.cards) for hand in hands)


def _poker(
    community: tuple[str, ...], dealer: tuple[str, ...], hands: tuple[PositionShown, ...], folded: tuple[int, ...]
) -> PokerRound:
    positions = {hand.position: _cards(hand.cards) for hand in hands}
    return PokerRound(_cards(community), positions, frozenset(folded), _cards(dealer))


def _cards(texts: tuple[str, ...]) -> tuple[Card, ...]:
    return tuple(Card.parse(text) for text in texts)
