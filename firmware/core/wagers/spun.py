"""What a round of Roulette shows: the results in order, and what the side wagers drew beside them.

Rules:
* What was not stated is None, and only a wager that needs it asks for it (`missing_field`).
* Whether any of this can have been is checked by the wager's own module; the wheel is checked for all in `roulette.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum

from msgspec import Struct

from firmware.core.roulette_wheel import Pocket


class NoSpin(Enum):
    """The previous result of a session that has had no valid spin yet (B1)."""

    YET = "none yet"


class Spun(Struct, frozen=True):
    """`spins`: valid results in order; void spins are left out (U8, B2). `previous`: the last valid result before them.

    `drawn_odds`: the odds to 1 that the generator drew for B2B (617b.1(e)). `bonus_balls`: where the three balls of the
    Blazing 7's bonus round came to rest, after all relaunches (617b.2(h), (i), Z5). `multipliers`: the illuminated
    numbers with their odds to 1 (617b.5(d)).
    """

    spins: tuple[Pocket, ...]
    previous: Pocket | NoSpin | None = None
    drawn_odds: int | None = None
    bonus_balls: tuple[Pocket, ...] | None = None
    multipliers: Mapping[Pocket, int] | None = None

    @property
    def result(self) -> Pocket:
        """The result of a round with one spin."""
        return self.spins[0]
