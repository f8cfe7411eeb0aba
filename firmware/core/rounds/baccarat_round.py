"""What the baccarat games keep of a round, beside what every game keeps (`firmware/core/state.py`)."""

from __future__ import annotations

from firmware.core.baccarat import Hand
from firmware.core.cards import Card
from firmware.core.rounds.dealt import Dealt, EarlyCard
from firmware.core.stored import Stored


class ReaderSays(Stored, frozen=True):
    """The reader's own result of the round."""

    winner: str
    player_pair: bool
    banker_pair: bool


class BaccaratRound(Stored, frozen=True, tag_field="game", tag="baccarat"):
    """The two hands as they were dealt, and what the reader said of them."""

    player: tuple[Dealt, ...] = ()
    banker: tuple[Dealt, ...] = ()
    early: tuple[EarlyCard, ...] = ()
    reader: ReaderSays | None = None

    def hand(self, hand: Hand) -> tuple[Dealt, ...]:
        return self.player if hand is Hand.PLAYER else self.banker

    def cards(self, hand: Hand) -> tuple[Card, ...]:
        return tuple(Card.parse(dealt.card) for dealt in self.hand(hand))
