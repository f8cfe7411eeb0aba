"""Blackjack, Chapter 633b: its side wagers in the order in which those at one position are settled."""

from __future__ import annotations

from firmware.core.wagers.blazing_7s import BLAZING_7S, BLAZING_7S_MULTI_PROGRESSIVE
from firmware.core.wagers.initial_cards import InitialCards, check_initial_cards
from firmware.core.wagers.kings_bounty import KINGS_BOUNTY
from firmware.core.wagers.royal_match import ROYAL_MATCH_PROGRESSIVE
from firmware.core.wagers.twenty_one_plus_three import TWENTY_ONE_PLUS_THREE_PROGRESSIVE
from firmware.core.wagers.wager import Game, TableKey

BLACKJACK: Game[InitialCards] = Game(
    "blackjack",
    (
        TWENTY_ONE_PLUS_THREE_PROGRESSIVE,
        ROYAL_MATCH_PROGRESSIVE,
        KINGS_BOUNTY,
        BLAZING_7S,
        BLAZING_7S_MULTI_PROGRESSIVE,
    ),
    check_initial_cards,
    needs=frozenset({TableKey.DECKS}),
    takes=frozenset({TableKey.DECLARED_SUIT}),
)
