"""The 21+3 Progressive: § 633b.17(g).

Readings that this function keeps to:
G1 the three cards are the position's initial two and the dealer's upcard, never the hole card. G2 an ace ends a
straight at either end (A-2-3, Q-K-A), and none goes round it (K-A-2). G3 the rows rank in the order of the table:
three of one suit and rank above the straight flush. G4 the declared suit is one suit for every rank that the row
names, and fixed while the meter lives. G5 where two rows pay the meter it is one meter and one award. G7 table 3 with
three decks has no seed and a reserve, as printed. G8 tables 4 to 11 are refused with three decks. G9 a row that prints
Loss loses. G10 three suited cards of a rank that the first rows don't name are "three-of-a-kind (suited)". G11
positions that share the upcard and win the meter split it (X4). X3 the highest row only.
"""

from __future__ import annotations

from enum import StrEnum

from firmware.core.cards import Rank
from firmware.core.wagers.initial_cards import InitialCards
from firmware.core.wagers.wager import LOST, Seat, Stage, TableKey, Verdict, Wager, Won


class ThreeCardLine(StrEnum):
    """In the order of the paytable."""

    DECLARED_SUIT_TOP_TRIPS = "declared_suit_top_trips"
    SUITED_TOP_TRIPS = "suited_top_trips"
    SUITED_TRIPS = "suited_trips"
    STRAIGHT_FLUSH = "straight_flush"
    TRIPS = "trips"
    STRAIGHT = "straight"
    FLUSH = "flush"


_RUN = (*Rank, Rank.ACE)
_STRAIGHTS = frozenset(frozenset(_RUN[start : start + 3]) for start in range(len(_RUN) - 2))
"""The ranks of every straight, A-2-3 to Q-K-A (G2)."""

_WON = {line: Won((line,)) for line in ThreeCardLine}


def twenty_one_plus_three(dealt: InitialCards, seat: Seat) -> Verdict:
    """633b.17(g): the highest row that the position's two cards and the upcard form. Which ranks the first two rows
    name ("3 aces or 3 kings") stands in the paytable."""
    first, second = dealt.positions[seat.position]
    third = dealt.upcard
    suited = first.suit is second.suit is third.suit
    if first.rank is second.rank is third.rank:
        if not suited:
            return _WON[ThreeCardLine.TRIPS]
        lines = seat.paytable.by_line
        declared = first.suit is seat.table.declared_suit
        if declared and first.rank in lines[ThreeCardLine.DECLARED_SUIT_TOP_TRIPS].ranks:
            return _WON[ThreeCardLine.DECLARED_SUIT_TOP_TRIPS]
        if first.rank in lines[ThreeCardLine.SUITED_TOP_TRIPS].ranks:
            return _WON[ThreeCardLine.SUITED_TOP_TRIPS]
        return _WON[ThreeCardLine.SUITED_TRIPS]
    if frozenset((first.rank, second.rank, third.rank)) in _STRAIGHTS:
        return _WON[ThreeCardLine.STRAIGHT_FLUSH if suited else ThreeCardLine.STRAIGHT]
    return _WON[ThreeCardLine.FLUSH] if suited else LOST


TWENTY_ONE_PLUS_THREE_PROGRESSIVE = Wager(
    "21_plus_3_progressive",
    Stage.INITIAL,
    tuple(ThreeCardLine),
    twenty_one_plus_three,
    per_position=True,
    by_paytable=True,
    needs=frozenset({TableKey.DECLARED_SUIT}),
)
