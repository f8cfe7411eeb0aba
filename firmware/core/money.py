"""Money: integers only. Cents for wagers and awards, micro-dollars for meters.

Rules:
* A cent is `MICRO_PER_CENT` micro-dollars, a dollar `MICRO_PER_DOLLAR`. Nothing here is ever a float.
* There are exactly two roundings, and each has a name: an award by odds that is no whole number of cents is rounded up
  (reading C2: never against the patron); a share of a meter is rounded down and the rest stays in the meter (X6, X18).
* Outside the program a meter is a decimal text with exactly six places ("50000.000000").
"""

from __future__ import annotations

import re

MICRO_PER_CENT = 10_000
MICRO_PER_DOLLAR = 1_000_000
CENTS_PER_DOLLAR = 100

MAX_CENTS = 10**13
"""Largest amount of a single wager that is believed (100 billion dollars): beyond it a figure is a fault, not a
wager.
"""

_METER_TEXT = re.compile(r"(0|[1-9][0-9]{0,11})\.([0-9]{6})", re.ASCII)


def award_cents(stake_cents: int, numerator: int, denominator: int) -> int:
    """`stake_cents * numerator / denominator`, rounded up to a whole cent (C2)."""
    return -(-stake_cents * numerator // denominator)


def floor_to_cents(micro: int) -> int:
    """Whole cents in a non-negative amount of micro-dollars."""
    return micro // MICRO_PER_CENT


def cents_to_micro(cents: int) -> int:
    return cents * MICRO_PER_CENT


def parse_meter(text: str) -> int:
    """Micro-dollars of a decimal text with exactly six places, from 0 to under a trillion dollars.

    Raises `ValueError` for anything else: signs, spaces, separators, exponents, a leading zero, more or fewer places.
    """
    found = _METER_TEXT.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is no amount in dollars with six places, e.g. '50000.000000'")
    return int(found[1]) * MICRO_PER_DOLLAR + int(found[2])


def format_meter(micro: int) -> str:
    """The six-place decimal text of a non-negative amount; `parse_meter` reads it back exactly."""
    dollars, rest = divmod(micro, MICRO_PER_DOLLAR)
    return f"{dollars}.{rest:06d}"


def exact_text(micro: int) -> str:
    """A non-negative amount for people, with the fractions of a cent that a sign does not show: "$50,000.022500"."""
    dollars, rest = divmod(micro, MICRO_PER_DOLLAR)
    return f"${dollars:,}.{rest:06d}"


def format_cents(cents: int) -> str:
    """A non-negative amount for people: "$1,500" or "$12.50"."""
    dollars, rest = divmod(cents, CENTS_PER_DOLLAR)
    return f"${dollars:,}.{rest:02d}" if rest else f"${dollars:,}"


def split_cents(total_cents: int, winners: int) -> list[int]:
    """Equal shares of a non-negative total among one or more winners; the cents left over go one each to the first ones
    (X6)."""
    each, left = divmod(total_cents, winners)
    return [each + (1 if index < left else 0) for index in range(winners)]
