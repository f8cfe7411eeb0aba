"""Money and rates as people write them in a configuration, turned into exact integers.

Rules: a decimal stands in quotes, so that no reader makes a binary fraction of it; what can't be kept exactly in the
unit that the core uses is refused by the pattern, never rounded. Dollars have two places (a chip, a seed, a minimum
are whole cents); a rate has up to four places of a percent, which is one part per million.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction

MICRO_PER_CENT = 10_000
PPM_PER_WHOLE = 1_000_000

DOLLARS_PATTERN = r"\A(0|[1-9][0-9]{0,8})\.[0-9]{2}\Z"
DOLLARS_EXPECTED = 'dollars and cents in quotes, two places, up to 999999999.99, such as "50000.00"'

PERCENT_PATTERN = r"\A(0|[1-9][0-9]?)(\.[0-9]{1,4})?\Z"
PERCENT_EXPECTED = 'a percentage in quotes from "0" to "99.9999", at most four places, such as "1.2"'


def cents(dollars: str) -> int:
    """Cents of "5.00" -> 500. Raises ValueError for text that `DOLLARS_PATTERN` does not match."""
    if re.fullmatch(DOLLARS_PATTERN, dollars) is None:
        raise ValueError(f"{dollars!r} is not {DOLLARS_EXPECTED}")
    whole, fraction = dollars.split(".")
    return int(whole) * 100 + int(fraction)


def micro(dollars: str) -> int:
    """Millionths of a dollar of "450.00" -> 450_000_000. Raises ValueError as `cents` does."""
    return cents(dollars) * MICRO_PER_CENT


def parts_per_million(percent: str) -> int:
    """Parts per million of "1.2" (percent) -> 12_000. Raises ValueError for what `PERCENT_PATTERN` does not match."""
    if re.fullmatch(PERCENT_PATTERN, percent) is None:
        raise ValueError(f"{percent!r} is not {PERCENT_EXPECTED}")
    whole, _, fraction = percent.partition(".")
    return int(whole) * 10_000 + int(fraction.ljust(4, "0"))


def dollars_text(amount_cents: int) -> str:
    """`cents` undone: 45000 -> "450.00". For messages."""
    return f"{amount_cents // 100}.{amount_cents % 100:02d}"


_FRACTION = re.compile(r"[1-9][0-9]{0,17}/[1-9][0-9]{0,17}", re.ASCII)


def fractions(weights: Mapping[str, str]) -> dict[str, Fraction]:
    """Weights as exact fractions. Raises ValueError for a text that is no fraction above zero."""
    for text in weights.values():
        if _FRACTION.fullmatch(text) is None:
            raise ValueError(f"got {text!r:.60}, expected a fraction above zero such as '1/38'")
    return {value: Fraction(text) for value, text in weights.items()}
