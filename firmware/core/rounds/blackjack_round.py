"""What Blackjack keeps of a round, beside what every game keeps (`firmware/core/state.py`)."""

from __future__ import annotations

from firmware.core.rounds.dealt import Dealt, EarlyCard
from firmware.core.stored import Stored


class PositionHand(Stored, frozen=True):
    """The initial two cards of a position."""

    position: int
    cards: tuple[Dealt, ...] = ()


class BlackjackRound(Stored, frozen=True, tag_field="game", tag="blackjack"):
    """The initial cards. `hands`: the positions dealt in, in the order of the deal; empty until the deal begins."""

    dealer: tuple[Dealt, ...] = ()  # the upcard, then the hole card
    hands: tuple[PositionHand, ...] = ()
    early: tuple[EarlyCard, ...] = ()
    exposed: bool = False  # the hole card lies open
