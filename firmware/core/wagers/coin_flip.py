"""Coin Flip, a bonus game of Crazy Time: § 690.5.

Readings that this module keeps to: D5 the Rescue Flip asks for the multipliers before the Top Slot (a setting: as
displayed, after it). D11 whether a Rescue Flip was activated is told by the round; how often is the Rules Submission's.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from firmware.core.errors import ErrorCode, SettlementError
from firmware.core.readings import Readings

LEAST, MOST = 2, 100
"""690.5(c)(1): the multipliers of both sides."""

RESCUED = frozenset({2, 3})
"""690.5(f)(1): the small multipliers that a Rescue Flip may follow."""

BIG_OVER = 15
"""690.5(f)(2): the big multiplier must be greater."""


class Side(StrEnum):
    RED = "red"
    BLUE = "blue"

    @property
    def other(self) -> Side:
        return Side.BLUE if self is Side.RED else Side.RED


class CoinFlip(Struct, frozen=True):
    """Both sides' multipliers, before the Top Slot; which side came up; which one after a Rescue Flip, None without."""

    red: int
    blue: int
    landed: Side
    rescue: Side | None = None

    def of(self, side: Side) -> int:
        return self.red if side is Side.RED else self.blue


def coin_flip_odds(shown: CoinFlip, multiplier: int) -> int:
    """690.5(d), (e), (g): the multiplier that came up last, by that of the Top Slot."""
    return shown.of(shown.rescue or shown.landed) * multiplier


def may_rescue(shown: CoinFlip, multiplier: int, readings: Readings) -> bool:
    """690.5(f)(1)-(3): the coin landed on 2 or 3 and the other side is over 15, by base or displayed values (D5)."""
    factor = multiplier if readings.D5 == "displayed" else 1
    small, big = shown.of(shown.landed) * factor, shown.of(shown.landed.other) * factor
    return small in RESCUED and big > BIG_OVER


def check_coin_flip(shown: CoinFlip, multiplier: int, readings: Readings) -> None:
    """Refuse multipliers out of range and a Rescue Flip without its conditions. Raises `SettlementError`
    (`bad_outcome`).
    """
    for side in Side:
        if not LEAST <= shown.of(side) <= MOST:
            raise SettlementError(
                ErrorCode.BAD_OUTCOME,
                f"outcome.bonus.{side}: got {shown.of(side)}, expected a multiplier from {LEAST} to {MOST} "
                "(690.5(c)(1))",
            )
    if shown.rescue is not None and not may_rescue(shown, multiplier, readings):
        raise SettlementError(
            ErrorCode.BAD_OUTCOME,
            f"outcome.bonus.rescue: got {shown.rescue}, but {shown.landed} had landed with {shown.of(shown.landed)} "
            f"against {shown.of(shown.landed.other)}, Top Slot {multiplier}; a Rescue Flip follows only 2 or 3 against "
            f"more than {BIG_OVER}, {readings.D5} values (690.5(f), D5); expected null",
        )
