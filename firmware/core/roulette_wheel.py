"""The roulette wheel's compartments, and which of them a wheel has.

Source: 58 Pa. Code § 617a.1 (by § 617b.1(a)); § 617b.4(g)(1)(ii) for the order of the zeros. Which numbers are red is
common to all wheels; the text of § 617a.1, which would say it, is not in hand.

Rules:
* Outside the program a compartment is a whole number from 0 to 36, or the text "00".
* Compartments are ordered as Roulette Up orders them: 0 < 00 < 1 < ... < 36 (U4).
* 0 and 00 are green: they have no colour of a wager (Z4).
"""

from __future__ import annotations

from enum import StrEnum
from functools import total_ordering

from msgspec import Struct

from firmware.core.cards import Colour


class Wheel(StrEnum):
    SINGLE_ZERO = "single_zero"
    DOUBLE_ZERO = "double_zero"


@total_ordering
class Pocket(Struct, frozen=True):
    """One compartment; `name` is its number as printed on the wheel. There are exactly 38 values: see `parse`."""

    name: str

    @staticmethod
    def parse(value: object) -> Pocket | None:
        """The compartment that a JSON value names (17, 0 or "00"), None where it names none."""
        if type(value) is int and 0 <= value <= 36:
            return POCKETS[str(value)]
        return POCKETS["00"] if value == "00" else None

    @property
    def value(self) -> int | str:
        """As `parse` takes it."""
        return self.name if self.name == "00" else int(self.name)

    @property
    def colour(self) -> Colour | None:
        """Red or black; None for the green zeros."""
        if self.name in ("0", "00"):
            return None
        return Colour.RED if self.name in _RED else Colour.BLACK

    def __lt__(self, other: Pocket) -> bool:
        return _ORDER[self.name] < _ORDER[other.name]


POCKETS: dict[str, Pocket] = {name: Pocket(name) for name in ("0", "00", *map(str, range(1, 37)))}
"""All 38, by name, in their order."""

_RED = frozenset(map(str, (1, 3, 5, 7, 9, 12, 14, 16, 18, 19, 21, 23, 25, 27, 30, 32, 34, 36)))

_ORDER = {name: number for number, name in enumerate(POCKETS)}


def pockets_of(wheel: Wheel) -> tuple[Pocket, ...]:
    """The compartments in which a ball can come to rest: 37, or 38 with the double zero."""
    return tuple(pocket for pocket in POCKETS.values() if wheel is Wheel.DOUBLE_ZERO or pocket.name != "00")
