"""The Crazy Time wheel with its 54 sections, and the Top Slot that may multiply what one of them pays: §§ 690.1, 690.3.

Readings that this module keeps to: D2 the 1 of the Top Slot's second reel multiplies by one. D12 a spin that comes to
rest between two sections is void, its Top Slot with it: neither is ever an outcome. D13 the multiplier counts only
where both reels show a symbol and align.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from firmware.core.errors import ErrorCode, SettlementError


class Segment(StrEnum):
    """What a section shows; by that name the wager on it goes, too."""

    NUMBER_1 = "number_1"
    NUMBER_2 = "number_2"
    NUMBER_5 = "number_5"
    NUMBER_10 = "number_10"
    COIN_FLIP = "coin_flip"
    CASH_HUNT = "cash_hunt"
    PACHINKO = "pachinko"
    CRAZY_TIME_WORLD = "crazy_time_world"


_SYMBOLS = dict(zip(("1", "2", "5", "10", "F", "H", "P", "W"), Segment, strict=True))

_CLOCKWISE = (
    "1 2 5 1 2 P 1 5 1 2 1 F 1 2 1 10 2 H 1 2 1 5 1 F 1 5 2 10 1 P 1 2 5 1 2 F 1 10 1 5 1 H 1 2 5 1 2 F 2 1 10 2 1 W"
)

WHEEL: tuple[Segment, ...] = tuple(_SYMBOLS[symbol] for symbol in _CLOCKWISE.split())
"""690.1(b): the 54 sections, clockwise; all are equally wide."""

MULTIPLIERS = (1, 2, 3, 4, 5, 7, 10, 15, 20)
"""690.3(b)(2): the symbols of the second reel."""


class TopSlot(Struct, frozen=True):
    """What the two reels show: the betting option, the multiplier, and whether they align."""

    option: Segment
    multiplier: int
    aligned: bool

    def on(self, segment: Segment) -> int:
        """690.3(c): what the odds of a segment are multiplied by, 1 where the Top Slot does not apply to it."""
        return self.multiplier if self.aligned and self.option is segment else 1


def check_top_slot(shown: TopSlot) -> None:
    """Refuse a multiplier that the second reel does not have. Raises `SettlementError` (`bad_outcome`)."""
    if shown.multiplier not in MULTIPLIERS:
        raise SettlementError(
            ErrorCode.BAD_OUTCOME,
            f"outcome.top_slot.multiplier: got {shown.multiplier}, expected one of {', '.join(map(str, MULTIPLIERS))} "
            "(690.3(b)(2))",
        )
