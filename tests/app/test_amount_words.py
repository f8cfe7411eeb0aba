"""Amounts in words: what stands on a slip beside the figures must be that amount and no other."""

from __future__ import annotations

import hypothesis.strategies as st
import pytest
from hypothesis import given

from firmware.app.amount_words import MOST_CENTS, amount_in_words


@pytest.mark.parametrize(
    ("cents", "words"),
    [
        (0, "Zero and 00/100 dollars"),
        (1, "Zero and 01/100 dollars"),
        (99, "Zero and 99/100 dollars"),
        (100, "One and 00/100 dollar"),
        (110, "One and 10/100 dollar"),
        (200, "Two and 00/100 dollars"),
        (1_300, "Thirteen and 00/100 dollars"),
        (2_000, "Twenty and 00/100 dollars"),
        (2_105, "Twenty-one and 05/100 dollars"),
        (10_000, "One hundred and 00/100 dollars"),
        (10_110, "One hundred one and 10/100 dollars"),
        (45_005, "Four hundred fifty and 05/100 dollars"),
        (100_000, "One thousand and 00/100 dollars"),
        (100_100, "One thousand one and 00/100 dollars"),
        (101_400, "One thousand fourteen and 00/100 dollars"),
        (5_000_000, "Fifty thousand and 00/100 dollars"),
        (
            99_999_999,
            "Nine hundred ninety-nine thousand nine hundred ninety-nine and 99/100 dollars",
        ),
        (100_000_000, "One million and 00/100 dollars"),
        (100_000_001, "One million and 01/100 dollars"),
        (100_100_000, "One million one thousand and 00/100 dollars"),
        (10**11, "One billion and 00/100 dollars"),
        (
            MOST_CENTS,
            (
                "Nine hundred ninety-nine billion nine hundred ninety-nine million nine hundred ninety-nine thousand "
                "nine hundred ninety-nine and 99/100 dollars"
            ),
        ),
    ],
)
def test_edges(cents: int, words: str) -> None:
    assert amount_in_words(cents) == words


@pytest.mark.parametrize("cents", [-1, MOST_CENTS + 1])
def test_what_has_no_words_is_refused(cents: int) -> None:
    with pytest.raises(ValueError, match=f"got {cents} cents, expected 0 to"):
        amount_in_words(cents)


SMALL = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen"""
TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
VALUES = dict(zip(SMALL.split(), range(20), strict=True)) | dict(zip(TENS.split(), range(20, 100, 10), strict=True))


def read_back(words: str) -> int:
    """Cents of an amount in words, by another way than it was made."""
    dollars, _, fraction = words.lower().partition(" and ")
    total = group = 0
    for word in dollars.replace("-", " ").split():
        if word == "hundred":
            group *= 100
        elif word in ("thousand", "million", "billion"):
            total += group * {"thousand": 10**3, "million": 10**6, "billion": 10**9}[word]
            group = 0
        else:
            group += VALUES[word]
    return (total + group) * 100 + int(fraction[:2])


@given(st.integers(0, MOST_CENTS) | st.integers(0, 200_000_00))
def test_the_words_say_the_amount(cents: int) -> None:
    assert read_back(amount_in_words(cents)) == cents
