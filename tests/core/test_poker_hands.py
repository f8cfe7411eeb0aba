"""The ranking of poker hands: by example, against a naive ranking of every five of seven, and by published counts."""

from __future__ import annotations

import itertools
from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from firmware.core.cards import DECK, Card, Suit
from firmware.core.poker import HEIGHT, HandRank, best_hand, deciding_height, hand_rank
from firmware.odds.poker_deals import ALL_RANKS, hand_classes

Hand = tuple[Card, ...]


def cards(text: str) -> Hand:
    return tuple(Card.parse(card) for card in text.split())


RISING = [
    ("7S 5H 4D 3C 2S", HandRank.HIGH_CARD),  # the lowest hand there is
    ("8S 5H 4D 3C 2S", HandRank.HIGH_CARD),
    ("AS KH QD JC 9S", HandRank.HIGH_CARD),
    ("2S 2H 5D 4C 3S", HandRank.PAIR),
    ("2S 2H AD KC QS", HandRank.PAIR),
    ("9S 9H AD KC QS", HandRank.PAIR),
    ("TS TH 4D 3C 2S", HandRank.PAIR),
    ("3S 3H 2D 2C AS", HandRank.TWO_PAIR),
    ("AS AH 2D 2C 3S", HandRank.TWO_PAIR),
    ("AS AH 2D 2C 4S", HandRank.TWO_PAIR),
    ("2S 2H 2D 4C 3S", HandRank.THREE_OF_A_KIND),
    ("AS AH AD KC QS", HandRank.THREE_OF_A_KIND),
    ("AS 2H 3D 4C 5S", HandRank.STRAIGHT),  # the ace is low here, and so this is the lowest
    ("2S 3H 4D 5C 6S", HandRank.STRAIGHT),
    ("TS JH QD KC AS", HandRank.STRAIGHT),
    ("7S 5S 4S 3S 2S", HandRank.FLUSH),
    ("AS KS QS JS 9S", HandRank.FLUSH),
    ("2S 2H 2D 3C 3S", HandRank.FULL_HOUSE),
    ("2S 2H 2D AC AS", HandRank.FULL_HOUSE),
    ("3S 3H 3D 2C 2S", HandRank.FULL_HOUSE),
    ("2S 2H 2D 2C 3S", HandRank.FOUR_OF_A_KIND),
    ("AS AH AD AC KS", HandRank.FOUR_OF_A_KIND),
    ("AS 2S 3S 4S 5S", HandRank.STRAIGHT_FLUSH),
    ("9S TS JS QS KS", HandRank.STRAIGHT_FLUSH),
    ("TS JS QS KS AS", HandRank.ROYAL_FLUSH),
]


def test_hands_from_the_lowest_to_the_highest() -> None:
    strengths = [best_hand(cards(text)) for text, _ in RISING]
    assert [hand_rank(strength) for strength in strengths] == [rank for _, rank in RISING]
    assert strengths == sorted(set(strengths))


@pytest.mark.parametrize(
    ("seven", "same_as"),
    [
        ("AS AH KD KC QS QH 2D", "AS AH KD KC QS"),  # of three pairs the third gives the fifth card
        ("AS AH KD KC QS QH JD", "AS AH KD KC QH"),
        ("8S 8H 8D 7C 7S 7H 2D", "8S 8H 8D 7C 7S"),  # of two threes the lower is the pair
        ("8S 8H 8D 7C 7S AH AD", "8S 8H 8D AH AD"),
        ("8S 8H 8D 8C 7S 7H 7D", "8S 8H 8D 8C 7S"),
        ("8S 8H 8D 8C 7S 7H AD", "8S 8H 8D 8C AD"),
        ("AS KS QS JS 9S TD TH", "AS KS QS JS 9S"),  # a straight beside a flush
        ("9S 8S 7S 6S 5S AS KS", "9S 8S 7S 6S 5S"),  # a straight flush below a higher flush
        ("5S 4S 3S 2S AS 6H 7D", "5S 4S 3S 2S AS"),  # the suited five are lower than the seven in a row
        ("QS KS AS 2S 3D 9H 9D", "9H 9D AS KS QS"),  # no run around the ace
        ("AS KH QD JC TS 9H 8D", "AD KH QD JC TS"),
        ("AS 2H 3D 4C 5S 6H 9D", "2H 3D 4C 5S 6H"),
        ("2S 3S 4S 5S 7S 9S JS", "JS 9S 7S 5S 4S"),
    ],
)
def test_the_best_five_of_seven(seven: str, same_as: str) -> None:
    assert best_hand(cards(seven)) == best_hand(cards(same_as))


def test_the_face_that_decides_first() -> None:
    for pair, height in (("9S 9H AD KC QS", 9), ("TS TH AD KC QS", 10), ("AS AH 2D 3C 4S", 14)):
        assert deciding_height(best_hand(cards(pair))) == height


def _naive(five: Hand) -> tuple[int, list[int]]:
    """The rank and the deciding heights, in another way than the product: by the pattern of copies."""
    copies = Counter(HEIGHT[card.rank] for card in five)
    by_copies = sorted(copies, key=lambda height: (copies[height], height), reverse=True)
    pattern = sorted(copies.values(), reverse=True)
    suited = len({card.suit for card in five}) == 1
    heights = set(copies)
    top = None
    if len(heights) == 5:
        top = 5 if heights == {14, 2, 3, 4, 5} else max(heights) if max(heights) - min(heights) == 4 else None
    if top is not None:
        return (9 if top == 14 and suited else 8 if suited else 4), [top]
    if suited:
        return 5, by_copies
    patterns = {(4, 1): 7, (3, 2): 6, (3, 1, 1): 3, (2, 2, 1): 2, (2, 1, 1, 1): 1, (1, 1, 1, 1, 1): 0}
    return patterns[tuple(pattern)], by_copies


LIKELY_TO_HIT = [card for card in DECK if card.rank in "A2345" or card.suit is Suit.HEARTS]
HANDS = st.one_of(
    st.lists(st.sampled_from(DECK), min_size=7, max_size=7, unique=True),
    st.lists(st.sampled_from(LIKELY_TO_HIT), min_size=7, max_size=7, unique=True),
)


@settings(deadline=None)
@given(HANDS, HANDS)
def test_seven_cards_are_the_best_of_their_twenty_one_fives(one: list[Card], other: list[Card]) -> None:
    naive = [max(map(_naive, itertools.combinations(hand, 5))) for hand in (one, other)]
    ours = [best_hand(hand) for hand in (one, other)]
    assert [hand_rank(strength) for strength in ours] == [rank for rank, _ in naive]
    assert (ours[0] > ours[1], ours[0] == ours[1]) == (naive[0] > naive[1], naive[0] == naive[1])


@settings(deadline=None)
@given(HANDS, st.permutations(list(Suit)), st.randoms(use_true_random=False))
def test_order_and_names_of_suits_decide_nothing(hand: list[Card], suits: list[Suit], random: object) -> None:
    renamed = dict(zip(Suit, suits, strict=True))
    other = [Card(card.rank, renamed[card.suit]) for card in hand]
    random.shuffle(other)  # type: ignore[attr-defined]
    assert best_hand(other) == best_hand(hand)


FREQUENCIES = {
    # Hands of five and of seven cards by rank, and how many differ in strength: Wikipedia, "Poker probability".
    5: (
        {
            HandRank.ROYAL_FLUSH: 4,
            HandRank.STRAIGHT_FLUSH: 36,
            HandRank.FOUR_OF_A_KIND: 624,
            HandRank.FULL_HOUSE: 3_744,
            HandRank.FLUSH: 5_108,
            HandRank.STRAIGHT: 10_200,
            HandRank.THREE_OF_A_KIND: 54_912,
            HandRank.TWO_PAIR: 123_552,
            HandRank.PAIR: 1_098_240,
            HandRank.HIGH_CARD: 1_302_540,
        },
        7_462,
    ),
    7: (
        {
            HandRank.ROYAL_FLUSH: 4_324,
            HandRank.STRAIGHT_FLUSH: 37_260,
            HandRank.FOUR_OF_A_KIND: 224_848,
            HandRank.FULL_HOUSE: 3_473_184,
            HandRank.FLUSH: 4_047_644,
            HandRank.STRAIGHT: 6_180_020,
            HandRank.THREE_OF_A_KIND: 6_461_620,
            HandRank.TWO_PAIR: 31_433_400,
            HandRank.PAIR: 58_627_800,
            HandRank.HIGH_CARD: 23_294_460,
        },
        4_824,
    ),
}


@pytest.mark.parametrize("size", sorted(FREQUENCIES))
def test_how_often_each_rank_comes(size: int) -> None:
    expected, distinct = FREQUENCIES[size]
    found: Counter[HandRank] = Counter()
    strengths = set()
    for ways, hand in hand_classes(ALL_RANKS, size):
        strength = best_hand(hand)
        strengths.add(strength)
        found[hand_rank(strength)] += ways
    assert found == expected
    assert len(strengths) == distinct
