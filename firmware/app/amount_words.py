"""An amount in words, as it stands on a slip beside the figures: "Four hundred fifty and 05/100 dollars".

Rules: American usage: no "and" inside the whole dollars, a hyphen from twenty-one to ninety-nine, cents as hundredths
in two digits, so that nothing can be written in before or after them.
"""

from __future__ import annotations

_SMALL = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
)
_TENS = ("", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_THOUSANDS = ("", "thousand", "million", "billion")

MOST_CENTS = 100 * 10**12 - 1
"""A cent under a trillion dollars."""


def amount_in_words(cents: int) -> str:
    """The words for an amount from 0 to `MOST_CENTS`. Raises `ValueError` for any other."""
    if not 0 <= cents <= MOST_CENTS:
        raise ValueError(f"got {cents} cents, expected 0 to {MOST_CENTS}")
    dollars, rest = divmod(cents, 100)
    words = f"{_whole(dollars)} and {rest:02d}/100 {'dollar' if dollars == 1 else 'dollars'}"
    return words[0].upper() + words[1:]


def _whole(number: int) -> str:
    groups = []
    for name in _THOUSANDS:
        number, group = divmod(number, 1_000)
        if group:
            groups.append(f"{_under_thousand(group)} {name}".rstrip())
    return " ".join(reversed(groups)) or _SMALL[0]


def _under_thousand(number: int) -> str:
    hundreds, rest = divmod(number, 100)
    words = [f"{_SMALL[hundreds]} hundred"] if hundreds else []
    if rest:
        words.append(_under_hundred(rest))
    return " ".join(words)


def _under_hundred(number: int) -> str:
    if number < len(_SMALL):
        return _SMALL[number]
    tens, ones = divmod(number, 10)
    return f"{_TENS[tens]}-{_SMALL[ones]}" if ones else _TENS[tens]
