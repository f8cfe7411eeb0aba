"""Blazing 7's and the Blazing 7's multi-progressive at Blackjack: §§ 633b.20, 633b.21, which win on the same hands.

Readings that this function keeps to:
O1 the highest row alone; the rows of three sevens need the position's two and the upcard. O2 one seven beside an upcard
of seven is one seven: "two 7's" are the position's first two cards. O3 the rows of three exclude each other, best
first: diamonds, one suit, one colour. O4 with a seven up the dealer can't have a Blackjack, so nothing waits for the
hole card. O6 the three meters are won each by itself, and one that is won twice is split (X4). O7 every award of a
meter is the whole of it, and never paid from the table inventory container.
"""

from __future__ import annotations

from enum import StrEnum

from firmware.core.cards import Rank, Suit
from firmware.core.wagers.initial_cards import InitialCards
from firmware.core.wagers.wager import LOST, Seat, Stage, Verdict, Wager, Won


class SevensLine(StrEnum):
    """In the order of the paytables."""

    THREE_7S_DIAMONDS = "three_7s_diamonds"
    THREE_7S_SAME_SUIT = "three_7s_same_suit"
    THREE_7S_SAME_COLOR = "three_7s_same_color"
    THREE_7S = "three_7s"
    TWO_7S = "two_7s"
    ONE_7 = "one_7"


_WON = {line: Won((line,)) for line in SevensLine}


def blazing_7s(dealt: InitialCards, seat: Seat) -> Verdict:
    """633b.20(d), (e) and 633b.21(d), (f): the row by the sevens among the position's two cards and the upcard."""
    first, second = dealt.positions[seat.position]
    if first.rank is not Rank.SEVEN and second.rank is not Rank.SEVEN:
        return LOST
    if first.rank is not second.rank:
        return _WON[SevensLine.ONE_7]
    third = dealt.upcard
    if third.rank is not Rank.SEVEN:
        return _WON[SevensLine.TWO_7S]
    if first.suit is second.suit is third.suit:
        return _WON[SevensLine.THREE_7S_DIAMONDS if first.suit is Suit.DIAMONDS else SevensLine.THREE_7S_SAME_SUIT]
    same_colour = first.suit.colour is second.suit.colour is third.suit.colour
    return _WON[SevensLine.THREE_7S_SAME_COLOR if same_colour else SevensLine.THREE_7S]


BLAZING_7S, BLAZING_7S_MULTI_PROGRESSIVE = (
    Wager(name, Stage.INITIAL, tuple(SevensLine), blazing_7s, per_position=True)
    for name in ("blazing_7s", "blazing_7s_multi_progressive")
)
