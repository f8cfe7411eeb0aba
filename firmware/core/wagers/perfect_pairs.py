"""Perfect Pairs on the Player hand and on the Banker hand: §§ 627b.1, 627c.1, 629b.1, 631b.1.

Readings that these functions keep to: P1 the "Dealer Hand" is the Banker hand. P2 each wager looks at its own hand and
is paid by itself. P3 the three kinds exclude each other, and a perfect pair needs two decks. C4 a pair is of one rank,
not of one count: K-10 is none.
"""

from __future__ import annotations

from enum import StrEnum

from firmware.core.baccarat import Hand
from firmware.core.wagers.two_hands import TwoHands
from firmware.core.wagers.wager import LOST, Seat, Stage, Verdict, Wager, Won


class PairLine(StrEnum):
    PERFECT_PAIR = "perfect_pair"
    COLORED_PAIR = "colored_pair"
    MIXED_PAIR = "mixed_pair"


def _perfect_pairs(dealt: TwoHands, hand: Hand) -> Verdict:
    first, second = dealt.initial(hand)
    if first.rank is not second.rank:
        return LOST
    if first.suit is second.suit:
        return _WON[PairLine.PERFECT_PAIR]
    if first.suit.colour is second.suit.colour:
        return _WON[PairLine.COLORED_PAIR]
    return _WON[PairLine.MIXED_PAIR]


def perfect_pairs_player(dealt: TwoHands, _seat: Seat) -> Verdict:
    """627b.1(a), (d): the kind of pair in the Player hand's initial two cards."""
    return _perfect_pairs(dealt, Hand.PLAYER)


def perfect_pairs_banker(dealt: TwoHands, _seat: Seat) -> Verdict:
    """627b.1(a), (d): the kind of pair in the Banker hand's initial two cards."""
    return _perfect_pairs(dealt, Hand.BANKER)


_WON = {line: Won((line,)) for line in PairLine}

PERFECT_PAIRS_PLAYER = Wager("perfect_pairs_player", Stage.INITIAL, tuple(PairLine), perfect_pairs_player)
PERFECT_PAIRS_BANKER = Wager("perfect_pairs_banker", Stage.INITIAL, tuple(PairLine), perfect_pairs_banker)
