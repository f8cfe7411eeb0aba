"""Baccarat, Chapter 631b: its wagers in the order in which those at one position are settled."""

from __future__ import annotations

from firmware.core.wagers.commission_free import BANKER, BANKER_PAIR, LUCKY_SIX, PLAYER, PLAYER_PAIR, TIE
from firmware.core.wagers.five_treasures import BLAZING_7S, COVER_ALL, FORTUNE_7, GOLDEN_8, HEAVENLY_9
from firmware.core.wagers.heavenly_9_progressive import HEAVENLY_9_PROGRESSIVE
from firmware.core.wagers.lucky_nines import LUCKY_NINES
from firmware.core.wagers.perfect_pairs import PERFECT_PAIRS_BANKER, PERFECT_PAIRS_PLAYER
from firmware.core.wagers.two_hands import TwoHands, check_two_hands
from firmware.core.wagers.wager import Game, TableKey

BACCARAT: Game[TwoHands] = Game(
    "baccarat",
    (
        PERFECT_PAIRS_PLAYER,
        PERFECT_PAIRS_BANKER,
        PLAYER,
        BANKER,
        TIE,
        PLAYER_PAIR,
        BANKER_PAIR,
        LUCKY_SIX,
        HEAVENLY_9_PROGRESSIVE,
        FORTUNE_7,
        GOLDEN_8,
        HEAVENLY_9,
        BLAZING_7S,
        COVER_ALL,
        LUCKY_NINES,
    ),
    check_two_hands,
    needs=frozenset({TableKey.DECKS}),
)
