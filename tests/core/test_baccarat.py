"""The tableau, cell by cell, against 631a.11 transcribed a second time, and as a dealer deals it."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware.core.baccarat import Hand, check_hands, is_natural, next_card, points
from firmware.core.cards import DECK, Card
from firmware.core.errors import ErrorCode, SettlementError

# 631a.11: rows are the Banker hand's points 0 to 7, columns the Player hand's third card counting 0 to 9.
BANKER_ROWS = [
    "DDDDDDDDDD",
    "DDDDDDDDDD",
    "DDDDDDDDDD",
    "DDDDDDDDSD",
    "SSDDDDDDSS",
    "SSSSDDDDSS",
    "SSSSSSDDSS",
    "SSSSSSSSSS",
]

CARD_COUNTING = [Card.parse(text) for text in ("KH", "AH", "2H", "3H", "4H", "5H", "6H", "7H", "8H", "9H")]


def hand(text: str) -> tuple[Card, ...]:
    return tuple(Card.parse(card) for card in text.split())


def _two_cards_counting(count: int) -> tuple[Card, Card]:
    return CARD_COUNTING[0], CARD_COUNTING[count]


def test_point_counts() -> None:
    assert [points((card,)) for card in hand("AS 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS")] == [
        1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0,
    ]  # fmt: skip
    assert points(hand("9S 9H 9D")) == 7
    assert points(hand("TS KH")) == 0


@pytest.mark.parametrize(("banker", "third"), list(itertools.product(range(8), range(10))))
def test_banker_after_the_players_third_card(banker: int, third: int) -> None:
    player = (*_two_cards_counting(0), CARD_COUNTING[third])
    draws = next_card(player, _two_cards_counting(banker)) is Hand.BANKER
    assert draws == (BANKER_ROWS[banker][third] == "D")


@pytest.mark.parametrize(("player", "banker"), list(itertools.product(range(10), range(10))))
def test_third_cards_on_four_cards(player: int, banker: int) -> None:
    due = next_card(_two_cards_counting(player), _two_cards_counting(banker))
    if player >= 8 or banker >= 8:
        assert due is None
    elif player <= 5:
        assert due is Hand.PLAYER
    else:
        assert due is (Hand.BANKER if banker <= 5 else None)


def test_the_first_four_cards_alternate() -> None:
    dealt: dict[Hand, tuple[Card, ...]] = {Hand.PLAYER: (), Hand.BANKER: ()}
    order = []
    for card in hand("KS 9H 4D 2C"):
        due = next_card(dealt[Hand.PLAYER], dealt[Hand.BANKER])
        assert due is not None
        order.append(due)
        dealt[due] += (card,)
    assert order == [Hand.PLAYER, Hand.BANKER, Hand.PLAYER, Hand.BANKER]


SHOE = st.lists(st.sampled_from(DECK), min_size=6, max_size=6)


@given(SHOE)
def test_every_deal_ends_and_is_found_good_and_no_other_size_is(cards: list[Card]) -> None:
    dealt: dict[Hand, tuple[Card, ...]] = {Hand.PLAYER: (), Hand.BANKER: ()}
    for card in cards:
        due = next_card(dealt[Hand.PLAYER], dealt[Hand.BANKER])
        if due is None:
            break
        dealt[due] += (card,)
    player, banker = dealt[Hand.PLAYER], dealt[Hand.BANKER]
    assert next_card(player, banker) is None
    check_hands(player, banker)
    extra = cards[0]
    for wrong in ((player, (*banker, extra)), ((*player, extra), banker), (player[:-1], banker), (player, banker[:-1])):
        with pytest.raises(SettlementError) as raised:
            check_hands(*wrong)
        in_range = all(len(cards_) in (2, 3) for cards_ in wrong)
        assert raised.value.code is (ErrorCode.IMPOSSIBLE_CARDS if in_range else ErrorCode.BAD_OUTCOME)


def test_naturals() -> None:
    assert is_natural(hand("KS 9H")) and is_natural(hand("4D 4C"))
    assert not is_natural(hand("4D 3C"))
