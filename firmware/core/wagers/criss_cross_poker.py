"""Criss-Cross Poker, Chapter 674b: Ultimate Pairs. There is no dealer's hand."""

from __future__ import annotations

from firmware.core.wagers.poker_round import DECKS, PokerRound, check_poker_round
from firmware.core.wagers.ultimate_pairs import CRISS_CROSS_ULTIMATE_PAIRS
from firmware.core.wagers.wager import Game, Play, TableKey


def check(play: Play[PokerRound]) -> None:
    """Refuse a round that can't have been. Raises `SettlementError`."""
    check_poker_round(play, dealer_cards=0)


CRISS_CROSS_POKER: Game[PokerRound] = Game(
    "criss_cross_poker",
    (CRISS_CROSS_ULTIMATE_PAIRS,),
    check,
    takes=frozenset({TableKey.DECKS}),
    usual_decks=DECKS,
)
