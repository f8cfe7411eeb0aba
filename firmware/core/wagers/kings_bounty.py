"""King's Bounty under its additional paytable: § 633b.19(d).

Readings that this function keeps to:
Q1, X3 the rows overlap, the highest alone pays. Q2 a 20 is any two cards that count 20, an ace and a nine among them (a
setting). Q3 a suited pair is two cards of the same rank and suit; a suited king and queen are a suited 20. Q4 a pair
of kings of spades waits for the dealer's Blackjack where the upcard can become one; every other result is known from
the first cards. Q5 paytable
A stands in 633a.13(h), which is not in hand.
"""

from __future__ import annotations

from enum import StrEnum

from firmware.core.cards import Rank, Suit
from firmware.core.readings import Readings
from firmware.core.wagers.initial_cards import Cards, InitialCards
from firmware.core.wagers.wager import LOST, Seat, Stage, Verdict, Wager, Won


class BountyLine(StrEnum):
    """In the order of the paytable."""

    KING_OF_SPADES_PAIR_AND_DEALER_BLACKJACK = "king_of_spades_pair_and_dealer_blackjack"
    KING_OF_SPADES_PAIR = "king_of_spades_pair"
    SUITED_KINGS = "suited_kings"
    SUITED_QUEENS_JACKS_OR_10S = "suited_queens_jacks_or_10s"
    SUITED_20 = "suited_20"
    PAIR_OF_KINGS = "pair_of_kings"
    ANY_20 = "any_20"


_WON = {line: Won((line,)) for line in BountyLine}

_TEN_VALUES = frozenset({Rank.TEN, Rank.JACK, Rank.QUEEN, Rank.KING})
_ACE_NINE = frozenset({Rank.ACE, Rank.NINE})


def kings_bounty(dealt: InitialCards, seat: Seat) -> Verdict:
    """633b.19(d): the highest row that the position's two cards form; for a pair of kings of spades, the dealer's two
    beside them."""
    first, second = hand = dealt.positions[seat.position]
    suited, paired = first.suit is second.suit, first.rank is second.rank
    if paired and first.rank is Rank.KING:
        if not suited:
            return _WON[BountyLine.PAIR_OF_KINGS]
        if first.suit is not Suit.SPADES:
            return _WON[BountyLine.SUITED_KINGS]
        if _is_blackjack(dealt.dealer):
            return _WON[BountyLine.KING_OF_SPADES_PAIR_AND_DEALER_BLACKJACK]
        return _WON[BountyLine.KING_OF_SPADES_PAIR]
    if not _counts_20(hand, seat.readings):
        return LOST
    if not suited:
        return _WON[BountyLine.ANY_20]
    return _WON[BountyLine.SUITED_QUEENS_JACKS_OR_10S if paired else BountyLine.SUITED_20]


def _counts_20(two: Cards, readings: Readings) -> bool:
    first, second = two[0].rank, two[1].rank
    if first in _TEN_VALUES:
        return second in _TEN_VALUES
    return readings.Q2 == "in" and frozenset((first, second)) == _ACE_NINE


def kings_bounty_waits(dealt: InitialCards, seat: Seat) -> bool:
    """A pair of kings of spades, and the dealer may have a Blackjack (Q4)."""
    may_be = dealt.upcard.rank is Rank.ACE or dealt.upcard.rank in _TEN_VALUES
    return may_be and all(
        card.rank is Rank.KING and card.suit is Suit.SPADES for card in dealt.positions[seat.position]
    )


def _is_blackjack(two: Cards) -> bool:
    """633a.1: an ace and a card that counts ten. The upcard alone is none."""
    if len(two) < 2:
        return False
    first, second = two[0].rank, two[1].rank
    return (first is Rank.ACE and second in _TEN_VALUES) or (second is Rank.ACE and first in _TEN_VALUES)


KINGS_BOUNTY = Wager(
    "kings_bounty", Stage.INITIAL, tuple(BountyLine), kings_bounty, per_position=True, waits=kings_bounty_waits
)
