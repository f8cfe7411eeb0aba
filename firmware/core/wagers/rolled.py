"""What a round of Craps shows: the rolls of the dice, in order, from the come-out roll after the wagers were placed.

Rules:
* Invalid rolls are left out (K6); a roll is two dice of 1 to 6, in either order.
* A point is set by a come-out roll of 4, 5, 6, 8, 9 or 10 and stands until it is rolled again or a 7 is.
"""

from __future__ import annotations

from msgspec import Struct

Roll = tuple[int, int]
"""Two dice."""

SEVEN = 7

POINTS = frozenset({4, 5, 6, 8, 9, 10})


class Rolled(Struct, frozen=True):
    """The rolls, in order."""

    rolls: tuple[Roll, ...]


def point_after(point: int | None, total: int) -> int | None:
    """The point that stands after a roll of that total which is no 7; None: the next roll is a come-out roll."""
    if point is None:
        return total if total in POINTS else None
    return None if total == point else point
