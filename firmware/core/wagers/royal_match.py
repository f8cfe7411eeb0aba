"""The Royal Match progressive: § 633b.18.

Readings that this function keeps to:
Y1 an ace ends a two-card straight flush at either end, A-2 and K-A (a setting). Y2 a suited king and queen, which are
consecutive too, are a Royal Match alone. Y3 the dealer's Royal Match may be of another suit than the position's (a
setting). Y4 the dealer's is the upcard and the hole card. Y5 the position's is its initial two cards, whatever becomes
of the hand; the wager is settled with the first cards, but a Royal Match beside a king or queen once the hole card is
exposed (g)(4). Y6 two Crown
Treasures split the meter and bring each other the envy bonus. Y7 a stake that was swept at lock-out is lost, or comes
back with a row that pays "to 1" (X2). Y9 the envy bonus is odds on the receiver's wager, and no stake comes with it.
X3 the highest row only.
"""

from __future__ import annotations

from enum import StrEnum
from itertools import pairwise

from firmware.core.cards import Rank
from firmware.core.readings import Readings
from firmware.core.wagers.initial_cards import Cards, InitialCards
from firmware.core.wagers.wager import LOST, Seat, Stage, Verdict, Wager, Won


class RoyalMatchLine(StrEnum):
    """In the order of the paytable."""

    CROWN_TREASURE = "crown_treasure"
    ROYAL_MATCH = "royal_match"
    TWO_CARD_STRAIGHT_FLUSH = "two_card_straight_flush"


_WON = {line: Won((line,)) for line in RoyalMatchLine}

_KING_QUEEN = frozenset({Rank.KING, Rank.QUEEN})
_ACE_LOW = frozenset({Rank.ACE, Rank.TWO})
_ACE_HIGH = frozenset({Rank.KING, Rank.ACE})
_CONSECUTIVE = frozenset(map(frozenset, pairwise((*Rank, Rank.ACE))))


def royal_match(dealt: InitialCards, seat: Seat) -> Verdict:
    """633b.18(b), (m): the highest row that the position's two cards form, the dealer's two beside them."""
    hand = dealt.positions[seat.position]
    if hand[0].suit is not hand[1].suit:
        return LOST
    if _is_royal_match(hand):
        same_suit_needed = seat.readings.Y3 == "same"
        if _is_royal_match(dealt.dealer) and (hand[0].suit is dealt.dealer[0].suit or not same_suit_needed):
            return _WON[RoyalMatchLine.CROWN_TREASURE]
        return _WON[RoyalMatchLine.ROYAL_MATCH]
    return _WON[RoyalMatchLine.TWO_CARD_STRAIGHT_FLUSH] if _is_consecutive(hand, seat.readings) else LOST


def royal_match_waits(dealt: InitialCards, seat: Seat) -> bool:
    """633b.18(g)(4): a Royal Match, and the dealer shows a king or queen."""
    return dealt.upcard.rank in _KING_QUEEN and _is_royal_match(dealt.positions[seat.position])


def _is_royal_match(two: Cards) -> bool:
    """(m): a king and queen of the same suit. The upcard alone is none."""
    return len(two) == 2 and two[0].suit is two[1].suit and frozenset((two[0].rank, two[1].rank)) == _KING_QUEEN


def _is_consecutive(two: Cards, readings: Readings) -> bool:
    ranks = frozenset((two[0].rank, two[1].rank))
    if ranks == _ACE_LOW:
        return readings.Y1 in ("both", "low")
    if ranks == _ACE_HIGH:
        return readings.Y1 in ("both", "high")
    return ranks in _CONSECUTIVE


ROYAL_MATCH_PROGRESSIVE = Wager(
    "royal_match_progressive",
    Stage.INITIAL,
    tuple(RoyalMatchLine),
    royal_match,
    per_position=True,
    waits=royal_match_waits,
)
