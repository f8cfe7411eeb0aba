"""A board of multipliers as the bonus games of Crazy Time show it: how many, from what to what, and at most one Double.

Rules:
* Values are base values, before the Top Slot multiplies them: each section puts its range under the proviso that the
  Top Slot may exceed it.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from firmware.core.errors import ErrorCode, SettlementError
from firmware.core.readings import Readings


class Double(StrEnum):
    """What one place of a board may show in place of a multiplier."""

    DOUBLE = "double"


DOUBLE = Double.DOUBLE

Shown = int | Double

FIFTY = 50
"""690.7(e)(2), 690.8(e)(3): the multiplier that replaces Double."""


class BoardRule(Struct, frozen=True):
    """What a section says of a board: `size` places, from `least` to `most`, and whether Double may be one of them."""

    size: int
    least: int
    most: int
    double: bool
    section: str


def check_board(shown: tuple[Shown, ...], rule: BoardRule, where: str) -> None:
    """Refuse a board that its section does not allow. Raises `SettlementError` (`bad_outcome`)."""
    if len(shown) != rule.size:
        raise _bad(where, f"{len(shown)} multipliers", f"{rule.size}", rule)
    for index, value in enumerate(shown):
        if isinstance(value, Double):
            if not rule.double:
                raise _bad(f"{where}[{index}]", f'"{value}"', "a multiplier", rule)
        elif not rule.least <= value <= rule.most:
            raise _bad(f"{where}[{index}]", str(value), f"a multiplier from {rule.least} to {rule.most}", rule)
    if shown.count(DOUBLE) > 1:
        raise _bad(where, f'"{DOUBLE}" {shown.count(DOUBLE)} times', "it once at most", rule)


def in_place_of_double(multiplier: int, readings: Readings) -> int:
    """What replaces Double: 50 as printed, or multiplied by the Top Slot (D6)."""
    return FIFTY * multiplier if readings.D6 == "top_slot" else FIFTY


def _bad(where: str, got: str, expected: str, rule: BoardRule) -> SettlementError:
    return SettlementError(ErrorCode.BAD_OUTCOME, f"{where}: got {got}, expected {expected} ({rule.section})")
