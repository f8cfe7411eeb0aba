"""How a configuration key is described: what it means, its unit, its source. One place for errors and reference.

The description stands at the field itself (`doc(...)`), so that `config/REFERENCE.md`, the messages of `load` and the
code can't drift apart.
"""

from __future__ import annotations

import msgspec

from firmware.settings.amounts import DOLLARS_EXPECTED, DOLLARS_PATTERN, PERCENT_EXPECTED, PERCENT_PATTERN

DEVICE_NAME_PATTERN = r"\A[a-z][a-z0-9_-]*\Z"
DEVICE_NAME_EXPECTED = "a name of lower-case letters, digits, dashes and underscores"
LINE_PATTERN = r"\A[a-z][a-z0-9_-]*:[0-9]{1,3}\Z"
LINE_EXPECTED = 'a line as "DEVICE:NUMBER", such as "lines:17"'
CARD_PATTERN = r"\A[A2-9TJQK][SHDC]\Z"
CARD_EXPECTED = 'a card as rank and suit, such as "KS" or "9H"'
SUIT_PATTERN = r"\A[SHDC]\Z"
WHEEL_EXPECTED = "single_zero or double_zero"
WHEEL_PATTERN = "^(single_zero|double_zero)$"
SUIT_EXPECTED = "a suit: S, H, D or C"
COLOUR_PATTERN = r"\A#[0-9a-f]{6}\Z"
COLOUR_EXPECTED = 'a colour as "#rrggbb", six lower-case hexadecimal digits'
NAME_PATTERN = r"\A[A-Za-z0-9][A-Za-z0-9._-]{0,31}\Z"
NAME_EXPECTED = "1 to 32 letters, digits, dots, dashes or underscores"
PLACEHOLDER = "REPLACE"
"""What a text of an example begins with as long as nobody has put the real one in."""

HOUR_PATTERN = r"\A([01][0-9]|2[0-3]):[0-5][0-9]\Z"
HOUR_EXPECTED = 'a time of day as "HH:MM", such as "06:00"'
ZONE_PATTERN = r"\A[A-Za-z][A-Za-z0-9_+-]*(/[A-Za-z0-9_+-]+){0,2}\Z"
ZONE_EXPECTED = 'a time zone by its name, such as "America/New_York"'


def doc(text: str, *, source: str = "") -> msgspec.Meta:
    """Describe a key. `source` is a section of the regulation, a reading's id or a device's protocol."""
    return msgspec.Meta(description=text, extra={"source": source})


def whole(text: str, least: int, most: int, *, unit: str = "", source: str = "") -> msgspec.Meta:
    """A whole number from `least` to `most`."""
    expected = f"a whole number from {least} to {most}"
    return msgspec.Meta(
        description=text, ge=least, le=most, extra={"unit": unit, "source": source, "expected": expected}
    )


def written(text: str, pattern: str, expected: str, *, unit: str = "", source: str = "") -> msgspec.Meta:
    """Text of a form; `expected` says the pattern in words."""
    return msgspec.Meta(description=text, pattern=pattern, extra={"unit": unit, "source": source, "expected": expected})


def words(text: str, least: int, most: int, *, source: str = "") -> msgspec.Meta:
    """Free text of `least` to `most` characters."""
    expected = f"text of {least} to {most} characters"
    return msgspec.Meta(
        description=text, min_length=least, max_length=most, extra={"source": source, "expected": expected}
    )


def entries(text: str, least: int, most: int | None = None, *, source: str = "") -> msgspec.Meta:
    """A table or an array of `least` entries or more (and `most` or fewer)."""
    expected = f"exactly {least} entries" if least == most else f"at least {least} entry"
    return msgspec.Meta(
        description=text, min_length=least, max_length=most, extra={"source": source, "expected": expected}
    )


def line(text: str, *, source: str = "") -> msgspec.Meta:
    """One line of a line device."""
    return written(text, LINE_PATTERN, LINE_EXPECTED, unit="DEVICE:NUMBER", source=source)


def dollars(text: str, *, source: str = "") -> msgspec.Meta:
    """An amount of whole cents."""
    return written(text, DOLLARS_PATTERN, DOLLARS_EXPECTED, unit="dollars", source=source)


def percent(text: str, *, source: str = "") -> msgspec.Meta:
    """A rate, exact to one part per million."""
    return written(text, PERCENT_PATTERN, PERCENT_EXPECTED, unit="percent of the wager", source=source)


def path(text: str) -> msgspec.Meta:
    """A file, socket or serial port; relative ones lie under the run directory."""
    return words(text, 1, 200)
