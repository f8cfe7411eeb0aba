"""How strong a poker hand is: the best five of five to seven cards of one deck, by the ranks of § 653a.6.

Rules:
* A strength is one whole number: the greater hand is the greater number, hands that tie have the same one. It holds
  the hand's rank and then the ranks of cards that decide between two hands of that rank; suits decide nothing.
* The best hand is either made of ranks alone (anything up to four of a kind) or of one suit (a flush, a straight
  flush): both are judged by themselves, and the greater is the hand.
* The ace is high, and low only in 5-4-3-2-A; a run does not wrap (Q-K-A-2-3 is none).
* One deck: five cards of one rank are no hand of § 653a.6, and are refused before they get here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import IntEnum

from firmware.core.cards import Card, Rank, Suit

Strength = int
"""Greater is better; `hand_rank` tells the rank of the hand."""


class HandRank(IntEnum):
    """The ranks of hands, the lowest first."""

    HIGH_CARD = 0
    PAIR = 1
    TWO_PAIR = 2
    THREE_OF_A_KIND = 3
    STRAIGHT = 4
    FLUSH = 5
    FULL_HOUSE = 6
    FOUR_OF_A_KIND = 7
    STRAIGHT_FLUSH = 8
    ROYAL_FLUSH = 9


HEIGHT: dict[Rank, int] = {rank: 2 + place for place, rank in enumerate([*list(Rank)[1:], Rank.ACE])}
"""What a card of the rank counts between two hands: 2 to 14, the ace high."""

_ACE = HEIGHT[Rank.ACE]
_HEIGHT_BITS = 4
_DECIDING = 5  # at most five cards decide between two hands of one rank


def best_hand(cards: Iterable[Card]) -> Strength:
    """The strength of the best five of five to seven cards, all of one deck."""
    counts: dict[int, int] = {}
    by_suit: dict[Suit, list[int]] = {}
    for card in cards:
        height = HEIGHT[card.rank]
        counts[height] = counts.get(height, 0) + 1
        by_suit.setdefault(card.suit, []).append(height)
    strength = best_of_ranks(counts)
    for heights in by_suit.values():
        if len(heights) >= 5:
            strength = max(strength, best_of_suit(heights))
    return strength


def hand_rank(strength: Strength) -> HandRank:
    """The rank of a hand of this strength."""
    return HandRank(strength >> _HEIGHT_BITS * _DECIDING)


def deciding_height(strength: Strength) -> int:
    """The height of the card that counts first within the hand's rank: of a pair the pair's."""
    return strength >> _HEIGHT_BITS * (_DECIDING - 1) & 0xF


def best_of_ranks(counts: Mapping[int, int]) -> Strength:
    """The best hand when suits are left out of account: `counts` is how often each height is held, one to four times,
    five to seven cards in all."""
    groups = sorted(((held, height) for height, held in counts.items()), reverse=True)
    most, first = groups[0]
    more, second = groups[1]
    if most == 4:
        return _strength(HandRank.FOUR_OF_A_KIND, first, *_others(counts, 1, first))
    if most == 3 and more >= 2:
        return _strength(HandRank.FULL_HOUSE, first, second)
    straight = _highest_run(counts)
    if straight:
        return _strength(HandRank.STRAIGHT, straight)
    if most == 3:
        return _strength(HandRank.THREE_OF_A_KIND, first, *_others(counts, 2, first))
    if more == 2:
        return _strength(HandRank.TWO_PAIR, first, second, *_others(counts, 1, first, second))
    if most == 2:
        return _strength(HandRank.PAIR, first, *_others(counts, 3, first))
    return _strength(HandRank.HIGH_CARD, *_others(counts, 5))


def best_of_suit(heights: Iterable[int]) -> Strength:
    """The best hand of five of these heights, five to seven of one suit."""
    held = tuple(heights)
    straight = _highest_run(held)
    if straight == _ACE:
        return _strength(HandRank.ROYAL_FLUSH, straight)
    if straight:
        return _strength(HandRank.STRAIGHT_FLUSH, straight)
    return _strength(HandRank.FLUSH, *_others(held, 5))


def _others(held: Iterable[int], count: int, *but: int) -> list[int]:
    """The greatest heights that are not among `but`, each once however often it is held."""
    return sorted((height for height in held if height not in but), reverse=True)[:count]


def _highest_run(held: Iterable[int]) -> int:
    """The greatest height of the best five in a row, 0 where there are none; of 5-4-3-2-A it is the five."""
    bits = 0
    for height in held:
        bits |= 1 << height
    bits |= bits >> _ACE - 1 & 2  # the ace also stands below the two
    runs = bits & bits << 1 & bits << 2 & bits << 3 & bits << 4  # a bit stays where the four below it are held too
    return runs.bit_length() - 1 if runs else 0


def _strength(rank: HandRank, *heights: int) -> Strength:
    strength = int(rank)
    for height in heights:
        strength = strength << _HEIGHT_BITS | height
    return strength << _HEIGHT_BITS * (_DECIDING - len(heights))
