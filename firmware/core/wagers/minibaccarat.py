"""Minibaccarat, Chapter 627b (and § 627c.1): its wagers in the order in which those at one position are settled."""

from __future__ import annotations

from firmware.core.wagers.commission_free import BANKER, BANKER_PAIR, LUCKY_SIX, PLAYER, PLAYER_PAIR, TIE
from firmware.core.wagers.perfect_pairs import PERFECT_PAIRS_BANKER, PERFECT_PAIRS_PLAYER
from firmware.core.wagers.royal_9 import ROYAL_9_PROGRESSIVE, check_combinations
from firmware.core.wagers.two_hands import TwoHands, check_two_hands
from firmware.core.wagers.wager import Game, Play, TableKey


def check(play: Play[TwoHands]) -> None:
    """Refuse a layout or hands that the chapter or the tableau does not allow. Raises `SettlementError`."""
    check_combinations(play.table)
    check_two_hands(play)


MINIBACCARAT: Game[TwoHands] = Game(
    "minibaccarat",
    (
        PERFECT_PAIRS_PLAYER,
        PERFECT_PAIRS_BANKER,
        PLAYER,
        BANKER,
        TIE,
        PLAYER_PAIR,
        BANKER_PAIR,
        LUCKY_SIX,
        ROYAL_9_PROGRESSIVE,
    ),
    check,
    needs=frozenset({TableKey.DECKS}),
    takes=frozenset({TableKey.PERSONAL_COMBINATIONS}),
)
