"""What goes into a settlement and what comes out of it, as frozen values; `settlement.py` makes the one from the other.

Rules:
* Stakes and awards are cents, meters, seeds and reserves micro-dollars by the meter's name.
* These are also the live table's values: the daemon builds the same `RoundToSettle` that `tabled settle` reads from a
  line.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Generic, NamedTuple

from msgspec import Struct, field

from firmware.core.readings import RECOMMENDED, Readings
from firmware.core.roulette_wheel import Pocket
from firmware.core.wagers.wager import Dealt, Game, PlacedWager, Table

VALIDATED_OVER_FOR_ONE = 200
"""633b.21(e)(2), taken for every progressive wager (X20): a line that pays more for 1 is validated by the
floorperson.
"""


class Offer(Struct, frozen=True):
    """A wager that the table offers, and under which paytable. `denomination_cents`: the stake that a seed stated in
    wagers multiplies; None takes the smallest stake on that meter in the round."""

    paytable: str
    denomination_cents: int | None = None


class RoundToSettle(Struct, Generic[Dealt], frozen=True):
    """One round. Meters, seeds and reserves are micro-dollars by the meter's name.

    `meters`: the snapshot at lock-out, this round's own contributions included. `seeds`: absent ones are what the
    paytable prints (the least amount where it prints a least). `reserves`: None when the round says nothing of them,
    which counts as empty. `date`: which text of the regulation holds, None for the latest in hand.
    `validated_over_for_one`: a progressive line that pays more for 1 waits for the floorperson.
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
    validated_over_for_one: int = VALIDATED_OVER_FOR_ONE


class Result(StrEnum):
    WIN = "win"
    LOSE = "lose"
    PUSH = "push"
    PENDING = "pending"


class Source(StrEnum):
    """What an award is paid from. A meter award is never paid from the table inventory container."""

    TABLE_INVENTORY = "table_inventory"
    METER = "meter"


class PaidBy(StrEnum):
    """How an award reaches the patron: from the dealer's container; or by slip, and then the cards stay on the layout
    until its documentation is complete (633b.17(f)(4))."""

    TABLE_INVENTORY = "table_inventory"
    SLIP = "slip"


class InterimAward(Struct, frozen=True):
    """What a wager was paid on a line while it went on working."""

    line: str
    award_cents: int


class Payment(NamedTuple):
    """What a wager comes to: the same for every position where it has the same verdict and stake, and then one object.

    `award_cents` is paid on top of `stake_returned_cents`; `section` is that of the paytable, for a losing wager too.
    `interim`: None for a wager that can't be paid while it works."""

    wager: str
    result: Result
    line: str | None
    award_cents: int
    stake_returned_cents: int
    source: Source | None
    meter: str | None
    validation: bool
    section: str
    interim: tuple[InterimAward, ...] | None = None


class Settlement(NamedTuple):
    """One wager settled: where it stood (`number` as placed), and what it comes to."""

    position: int
    payment: Payment
    number: Pocket | None = None

    @property
    def wager(self) -> str:
        return self.payment.wager

    @property
    def result(self) -> Result:
        return self.payment.result

    @property
    def line(self) -> str | None:
        return self.payment.line

    @property
    def award_cents(self) -> int:
        return self.payment.award_cents

    @property
    def stake_returned_cents(self) -> int:
        return self.payment.stake_returned_cents

    @property
    def source(self) -> Source | None:
        return self.payment.source

    @property
    def meter(self) -> str | None:
        return self.payment.meter

    @property
    def validation(self) -> bool:
        return self.payment.validation

    @property
    def section(self) -> str:
        return self.payment.section

    @property
    def interim(self) -> tuple[InterimAward, ...] | None:
        return self.payment.interim


class Envy(Struct, frozen=True):
    """A bonus to one position because of another's hand, beside its own settlement (633b.18(k)); Mega Envy is none, but
    a line of the Royal 9 paytable."""

    position: int
    wager: str
    award_cents: int
    because_of: int
    section: str


class SettledRound(Struct, frozen=True):
    """Settlements in the order in which the dealer pays; the meters given, and the reserves if given, as they stand
    then.
    """

    settlements: tuple[Settlement, ...]
    envy: tuple[Envy, ...]
    meters_after: Mapping[str, int]
    reserves_after: Mapping[str, int] | None
