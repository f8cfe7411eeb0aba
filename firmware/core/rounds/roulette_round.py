"""What Roulette keeps of a round, and of the wheel over all rounds, beside what every game keeps (`state.py`)."""

from __future__ import annotations

from firmware.core.stored import Stored


class NumberSaid(Stored, frozen=True):
    """What one reader said of this spin. Its number is in doubt: "" stands behind what it said."""

    device: str
    pockets: tuple[str, ...]
    at_ns: int


class RouletteRound(Stored, frozen=True, tag_field="game", tag="roulette"):
    """One spin."""

    early: tuple[NumberSaid, ...] = ()  # inside the decision window; held until the accepted set is final
    said: tuple[NumberSaid, ...] = ()  # one a reader
    asked: tuple[str, ...] = ()  # numbers of which the dealer or the floorperson must say which it is
    number: str | None = None
    entered: bool = False  # by a person
    previous: str | None = None  # the last valid number before this one
    draw: int | None = None  # the draw of the odds
    drawn_odds: int | None = None
    void_spins: int = 0


class SpinHeard(Stored, frozen=True):
    """The last spin of which a reader told the number, by its own count."""

    device: str
    spin: int
    pocket: str


class WheelMemory(Stored, frozen=True):
    """What outlasts a round, and a restart. `last`: the last valid number since the table was opened (B1, B2)."""

    last: str | None = None
    closed: bool = False  # the wheel itself takes no more bets: the ball runs
    heard: tuple[SpinHeard, ...] = ()
