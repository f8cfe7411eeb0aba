"""The Heavenly 9 Progressive: § 631b.2(g)-(i).

Readings that this function keeps to:
H1 a three-card tie is nine against nine: other ties lose. H2 "all cards" of one suit or colour are the six of both
hands (a setting: each hand within itself). H3 one award: a tie pays its row alone, and the tie of one suit the meter
alone. H4 the nine need not win. H5 everyone who has the wager wins the meter, and shares it (X5). H6 the meter's seed
is $10,000 whatever the wager, which is $5 or more. H7 there is one paytable.
"""

from __future__ import annotations

from enum import StrEnum

from firmware.core.baccarat import Cards
from firmware.core.cards import Suit
from firmware.core.wagers.two_hands import TwoHands, is_three_card
from firmware.core.wagers.wager import LOST, Seat, Stage, Verdict, Wager, Won


class HeavenlyLine(StrEnum):
    """In the order of the paytable."""

    TIE_SAME_SUIT = "tie_same_suit"
    TIE_SAME_COLOR = "tie_same_color"
    TIE = "tie"
    BANKER_9 = "banker_9"
    PLAYER_9 = "player_9"


_WON = {line: Won((line,)) for line in HeavenlyLine}


def heavenly_9_progressive(dealt: TwoHands, seat: Seat) -> Verdict:
    """631b.2(g): three cards that count nine, in both hands or in one."""
    banker, player = is_three_card(dealt.banker, 9), is_three_card(dealt.player, 9)
    if banker and player:
        return _WON[_tie_line(dealt, seat)]
    if banker:
        return _WON[HeavenlyLine.BANKER_9]
    return _WON[HeavenlyLine.PLAYER_9] if player else LOST


def _tie_line(dealt: TwoHands, seat: Seat) -> HeavenlyLine:
    groups = (dealt.player + dealt.banker,) if seat.readings.H2 == "six" else (dealt.player, dealt.banker)
    if all(len(_suits(cards)) == 1 for cards in groups):
        return HeavenlyLine.TIE_SAME_SUIT
    if all(len({suit.colour for suit in _suits(cards)}) == 1 for cards in groups):
        return HeavenlyLine.TIE_SAME_COLOR
    return HeavenlyLine.TIE


def _suits(cards: Cards) -> set[Suit]:
    return {card.suit for card in cards}


HEAVENLY_9_PROGRESSIVE = Wager("heavenly_9_progressive", Stage.FINAL, tuple(HeavenlyLine), heavenly_9_progressive)
