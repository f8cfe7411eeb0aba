"""What goes into a settlement and what comes out of it, as frozen values; `settlement.py` makes the one from the other.

Rules:
* Stakes and awards are cents, meters, seeds and reserves micro-dollars by the meter's name.
* These are also the live table's values: the daemon builds the same `RoundToSettle` that `tabled settle` reads from a
  line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic

from firmware.core.readings import RECOMMENDED, Readings
from firmware.core.wagers.wager import Dealt, Game, Table


@dataclass(frozen=True, slots=True)
class PlacedWager:
    """A wager that was accepted before lock-out."""

    position: int
    wager: str
    cents: int


@dataclass(frozen=True, slots=True)
class Offer:
    """A wager that the table offers, and under which paytable. `denomination_cents`: the stake that a seed stated in
    wagers multiplies; None takes the smallest stake on that meter in the round."""

    paytable: str
    denomination_cents: int | None = None


@dataclass(frozen=True, slots=True)
class RoundToSettle(Generic[Dealt]):
    """One round. Meters, seeds and reserves are micro-dollars by the meter's name.

    `meters`: the snapshot at lock-out, this round's own contributions included. `seeds`: absent ones are the least
    amount that the paytable prints. `reserves`: None when the table keeps none. `date`: which text of the regulation
    holds, None for the latest in hand.
    """

    game: Game[Dealt]
    table: Table
    offered: Mapping[str, Offer]
    wagers: tuple[PlacedWager, ...]
    dealt: Dealt
    meters: Mapping[str, int] = field(default_factory=dict)
    seeds: Mapping[str, int] = field(default_factory=dict)
    reserves: Mapping[str, int] | None = None
    readings: Readings = RECOMMENDED
    date: str | None = None


class Result(StrEnum):
    WIN = "win"
    LOSE = "lose"
    PUSH = "push"


class Source(StrEnum):
    """What an award is paid from. A meter award is never paid from the table inventory container."""

    TABLE_INVENTORY = "table_inventory"
    METER = "meter"


@dataclass(frozen=True, slots=True)
class Settlement:
    """One wager settled. `award_cents` is paid on top of `stake_returned_cents`; `section` is that of the paytable,
    for a losing wager too."""

    position: int
    wager: str
    result: Result
    line: str | None
    award_cents: int
    stake_returned_cents: int
    source: Source | None
    meter: str | None
    validation: bool
    section: str


@dataclass(frozen=True, slots=True)
class Envy:
    """A bonus to one position because of another's hand, beside its own settlement. No wager of Chapter 627b pays
    one: Mega Envy is a line of the Royal 9 paytable."""

    position: int
    wager: str
    award_cents: int
    because_of: int
    section: str


@dataclass(frozen=True, slots=True)
class SettledRound:
    """Settlements in the order in which the dealer pays; the meters given, and the reserves if given, as they stand
    then.
    """

    settlements: tuple[Settlement, ...]
    envy: tuple[Envy, ...]
    meters_after: Mapping[str, int]
    reserves_after: Mapping[str, int] | None
