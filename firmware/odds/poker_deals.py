"""Every deal of the poker games, counted exactly: by classes of rank multiset and suit pattern, from one deck.

Rules:
* Counts are whole numbers of equally likely deals; a probability is one count over another. Nothing is drawn at random.
* Which suit is which decides no hand, and of five to seven cards at most one suit holds five. A class is what that
  suit holds: the two cards beside a flush make no full house and no four of a kind of it, and so decide nothing. With
  no such suit a class is the ranks alone. One deal stands for its class.
* Everything is counted over a deck of given ranks in four suits, so that a test can count a short deck one by one.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations, combinations_with_replacement
from math import comb, prod

from firmware.core.cards import Card, Rank, Suit
from firmware.core.poker import Strength, best_hand
from firmware.core.wagers.poker_round import COMMUNITY_CARDS, OWN_CARDS, Cards, PokerRound

POSITION = 1
"""From where a wager is counted; one position is like any other."""

Ranks = tuple[Rank, ...]

ALL_RANKS: Ranks = tuple(Rank)

_FOUR = {rank: tuple(Card(rank, suit) for suit in Suit) for rank in Rank}
_FLUSH = 5


def board_deals(ranks: Ranks = ALL_RANKS) -> Iterator[tuple[int, PokerRound]]:
    """Five community cards: one deal for each strength of the hand that they form."""
    for ways, cards in _by_strength(hand_classes(ranks, COMMUNITY_CARDS)):
        yield ways, PokerRound(cards, {})


def own_hand_deals(ranks: Ranks = ALL_RANKS) -> Iterator[tuple[int, PokerRound]]:
    """Community cards with a position's two: one deal for each strength of the best hand of the seven."""
    for ways, cards in _by_strength(hand_classes(ranks, COMMUNITY_CARDS + OWN_CARDS)):
        yield ways, PokerRound(cards[:COMMUNITY_CARDS], {POSITION: cards[COMMUNITY_CARDS:]})


def own_cards_deals(ranks: Ranks = ALL_RANKS) -> Iterator[tuple[int, PokerRound]]:
    """A position's two cards, one by one."""
    for own in combinations(deck_of(ranks), OWN_CARDS):
        yield 1, PokerRound((), {POSITION: own})


def own_and_dealer_deals(ranks: Ranks = ALL_RANKS) -> Iterator[tuple[int, PokerRound]]:
    """A position's two cards, one by one, each with a dealer who holds two aces and with one who does not."""
    deck = deck_of(ranks)
    for own in combinations(deck, OWN_CARDS):
        rest = [card for card in deck if card not in own]
        aces = [card for card in rest if card.rank is Rank.ACE]
        others = [card for card in rest if card.rank is not Rank.ACE]
        two_aces = comb(len(aces), 2)
        if two_aces:
            yield two_aces, PokerRound((), {POSITION: own}, dealer=tuple(aces[:2]))
        yield comb(len(rest), 2) - two_aces, PokerRound((), {POSITION: own}, dealer=tuple(others[:2]))


def hand_classes(ranks: Ranks, size: int) -> Iterator[tuple[int, Cards]]:
    """Every hand of five to seven cards, by classes that no ranking tells apart: how many hands, and one of them."""
    suit, *other_suits = Suit
    others = [Card(rank, other) for rank in ranks for other in other_suits]
    for held in range(_FLUSH, size + 1):
        for suited in combinations(ranks, held):
            rest = tuple(others[: size - held])
            yield 4 * comb(len(others), len(rest)), tuple(Card(rank, suit) for rank in suited) + rest
    for multiset in rank_multisets(ranks, size, 4):
        yield _ways_without_flush(tuple(Counter(multiset).values())), _spread(multiset)


def rank_multisets(ranks: Ranks, size: int, copies: int) -> Iterator[Ranks]:
    """Every choice of so many ranks, a rank at most `copies` times, equal ones side by side."""
    for chosen in combinations_with_replacement(ranks, size):
        if size <= copies or max(map(chosen.count, chosen)) <= copies:
            yield chosen


def suit_choices(multiset: Ranks, suits: int) -> int:
    """In how many ways cards of these ranks can be had from so many suits."""
    return prod(comb(suits, multiset.count(rank)) for rank in set(multiset))


def deck_of(ranks: Ranks) -> Cards:
    """The deck of these ranks in four suits."""
    return tuple(card for rank in ranks for card in _FOUR[rank])


@cache
def _ways_without_flush(copies: tuple[int, ...]) -> int:
    """In how many ways ranks held so often can be had from four suits, none of which gives five cards."""
    by_held = [1]  # place: cards that one stated suit gives; value: the ways
    for count in copies:
        without, among = comb(3, count), comb(3, count - 1)
        by_held = [
            without * same + among * one_less for same, one_less in zip([*by_held, 0], [0, *by_held], strict=True)
        ]
    return sum(by_held) - 4 * sum(by_held[_FLUSH:])


def _spread(multiset: Ranks) -> Cards:
    """Cards of these ranks in the four suits by turns: equal ranks in different suits, no suit more than twice."""
    return tuple(_FOUR[rank][place % 4] for place, rank in enumerate(multiset))


def _by_strength(classes: Iterable[tuple[int, Cards]]) -> Iterator[tuple[int, Cards]]:
    """Hands of one strength as one: the first of them, with all their ways."""
    first: dict[Strength, Cards] = {}
    ways: Counter[Strength] = Counter()
    for count, cards in classes:
        strength = best_hand(cards)
        first.setdefault(strength, cards)
        ways[strength] += count
    for strength, cards in first.items():
        yield ways[strength], cards
