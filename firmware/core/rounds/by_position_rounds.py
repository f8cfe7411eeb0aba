"""What the games keep of a round whose hands belong to positions, beside what every game keeps (`state.py`)."""

from __future__ import annotations

from firmware.core.rounds.dealt import Dealt, EarlyCard
from firmware.core.stored import Stored


class PositionHand(Stored, frozen=True):
    """The two cards that were dealt to a position first."""

    position: int
    cards: tuple[Dealt, ...] = ()


class BlackjackRound(Stored, frozen=True, tag_field="game", tag="blackjack"):
    """The initial cards. `hands`: the positions dealt in, in the order of the deal; empty until the deal begins."""

    dealer: tuple[Dealt, ...] = ()  # the upcard, then the hole card
    hands: tuple[PositionHand, ...] = ()
    early: tuple[EarlyCard, ...] = ()
    exposed: bool = False  # the hole card lies open


class PokerTableRound(Stored, frozen=True, tag_field="game", tag="poker"):
    """The hands, the community cards, and who folded."""

    dealer: tuple[Dealt, ...] = ()
    hands: tuple[PositionHand, ...] = ()
    board: tuple[Dealt, ...] = ()
    folded: tuple[int, ...] = ()
    early: tuple[EarlyCard, ...] = ()
    exposed: bool = False  # every hand lies open
