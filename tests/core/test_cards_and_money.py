"""Cards and money: what is written reads back, and nothing else is read."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware.core.cards import DECK, Card, Colour, Suit
from firmware.core.errors import ErrorCode, SettlementError
from firmware.core.money import (
    MICRO_PER_CENT,
    award_cents,
    floor_to_cents,
    format_cents,
    format_meter,
    parse_meter,
    split_cents,
)


def test_a_deck_is_fifty_two_different_cards_that_read_back() -> None:
    assert len(set(DECK)) == len(DECK) == 52
    assert all(Card.parse(str(card)) is card for card in DECK)
    assert {str(card) for card in DECK} == {rank + suit for rank in "A23456789TJQK" for suit in "SHDC"}


@given(st.text(max_size=3).filter(lambda text: text not in {str(card) for card in DECK}))
def test_nothing_else_is_a_card(text: str) -> None:
    with pytest.raises(SettlementError) as raised:
        Card.parse(text)
    assert raised.value.code is ErrorCode.BAD_CARD


def test_colours() -> None:
    assert {suit for suit in Suit if suit.colour is Colour.RED} == {Suit.HEARTS, Suit.DIAMONDS}


@given(st.integers(min_value=0, max_value=10**18 - 1))
def test_a_meter_reads_back(micro: int) -> None:
    assert parse_meter(format_meter(micro)) == micro


@given(st.text(alphabet="0123456789.-+e ,", max_size=12))
def test_what_is_read_as_a_meter_is_written_the_same(text: str) -> None:
    try:
        micro = parse_meter(text)
    except ValueError:
        return
    assert format_meter(micro) == text


@given(st.integers(1, 10**9), st.integers(1, 10_000), st.integers(1, 10))
def test_an_award_by_odds_is_the_least_number_of_cents_that_is_enough(
    stake: int, numerator: int, denominator: int
) -> None:
    exact = Fraction(stake * numerator, denominator)
    assert exact <= award_cents(stake, numerator, denominator) < exact + 1


@given(st.integers(0, 10**15))
def test_whole_cents_of_a_meter(micro: int) -> None:
    assert 0 <= micro - floor_to_cents(micro) * MICRO_PER_CENT < MICRO_PER_CENT


@given(st.integers(0, 10**12), st.integers(1, 30))
def test_shares_are_equal_to_the_cent_and_lose_nothing(total: int, winners: int) -> None:
    shares = split_cents(total, winners)
    assert sum(shares) == total
    assert max(shares) - min(shares) <= 1
    assert shares == sorted(shares, reverse=True)


def test_money_for_people() -> None:
    assert [format_cents(cents) for cents in (0, 5, 100, 1_250, 500_000)] == ["$0", "$0.05", "$1", "$12.50", "$5,000"]
