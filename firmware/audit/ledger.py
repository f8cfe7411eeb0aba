"""One meter's accounts, added up again from the journal's records: arithmetic of the audit's own.

Nothing here is shared with the code that keeps the meters (`firmware/core/meters.py`, the settlement's reseed): the two
are written apart, so that a fault in one is a disagreement and not a habit.

Rules:
* Millionths of a dollar, integers only. A rate of one part per million takes a hundredth of a micro-dollar of a cent.
* The accounts follow what the record says was moved. Where a record states a value that they do not give, that is a
  finding, and they go on with the stated value: each disagreement is found once, where it arose.
* Seeded by the house + contributed + charged to it + corrected up = shown + reserve + paid + reversed + corrected down,
  after every movement (605a.7). `ahead` is the part of shown that a mystery hit left to the next amount (M7).
"""

from __future__ import annotations

from msgspec import Struct

from firmware.core.rules import MeterRule

MICRO_OF_A_CENT = 10_000
PPM_TO_MICRO_OF_CENTS = 100
"""A wager of c cents at a rate of r ppm gives c * 10,000 * r / 1,000,000 micro-dollars."""


class Amounts(Struct, frozen=True):
    """What lies on a meter's accounts, or moves to (from, where negative) each of them."""

    shown_micro: int = 0
    reserve_micro: int = 0

    def __add__(self, other: Amounts) -> Amounts:
        return Amounts(self.shown_micro + other.shown_micro, self.reserve_micro + other.reserve_micro)

    def __neg__(self) -> Amounts:
        return Amounts(-self.shown_micro, -self.reserve_micro)

    @property
    def total_micro(self) -> int:
        return self.shown_micro + self.reserve_micro

    def on(self, account: str) -> int:
        """The amount of one of `ACCOUNTS`."""
        return int(getattr(self, f"{account}_micro"))

    def __str__(self) -> str:
        return f"{self.shown_micro} micro-dollars shown, {self.reserve_micro} reserve"


NOTHING = Amounts()
ACCOUNTS = tuple(field.removesuffix("_micro") for field in Amounts.__struct_fields__)
"""The accounts of a meter that hold money."""


class Reset(Struct, frozen=True):
    """A won meter's way back to its seed."""

    paid_cents: int
    from_reserve_micro: int
    from_house_micro: int
    value_micro: int


class Ledger(Struct):
    """A meter's accounts while the journal is read; field by field what a snapshot of the table's state has."""

    name: str
    shown_micro: int
    reserve_micro: int = 0
    seeded_micro: int = 0
    contributed_micro: int = 0
    reversed_micro: int = 0
    charged_micro: int = 0
    ahead_micro: int = 0
    paid_micro: int = 0
    corrected_up_micro: int = 0
    corrected_down_micro: int = 0
    wagers: int = 0
    hits: int = 0

    @property
    def missing_micro(self) -> int:
        """What the accounts lack of what was put in; 0 where they balance."""
        put_in = self.seeded_micro + self.contributed_micro + self.charged_micro + self.corrected_up_micro
        went_out = self.paid_micro + self.reversed_micro + self.corrected_down_micro
        return put_in - went_out - self.held.total_micro

    @property
    def held(self) -> Amounts:
        return Amounts(self.shown_micro, self.reserve_micro)

    def put(self, moved: Amounts) -> None:
        """Move what is on the accounts; whoever calls it books where it came from."""
        self.shown_micro += moved.shown_micro
        self.reserve_micro += moved.reserve_micro

    def contribute(self, share: Amounts) -> None:
        self.put(share)
        self.contributed_micro += share.total_micro
        self.wagers += 1

    def reverse(self, share: Amounts) -> None:
        self.put(-share)
        self.reversed_micro += share.total_micro
        self.ahead_micro = max(0, self.ahead_micro - share.shown_micro)

    def charge(self, micro: int) -> None:
        """A reversal that the house bears: the meter no longer holds what a mystery hit has taken (X22)."""
        self.reversed_micro += micro
        self.charged_micro += micro

    def correct(self, moved: Amounts) -> None:
        self.put(moved)
        self.corrected_up_micro += max(moved.total_micro, 0)
        self.corrected_down_micro += max(-moved.total_micro, 0)

    def due_reset(self, seed_micro: int, paid_cents: int, reseeds_with_reserve: bool) -> Reset:
        """How this meter returns to `seed_micro` when awards of `paid_cents` have been paid from it.

        The reserve pays the reseed first, the house what it lacks (X17; `reseeds_with_reserve` is its other reading).
        What lies ahead, or else the fraction of a cent that nobody can be paid, stays on the meter (M7, X6). What was
        paid beyond the meter's whole cents, where each winner gets all of it (X4 "each"), is the house's.
        """
        target = seed_micro
        if reseeds_with_reserve and self.reserve_micro > target:
            target = self.reserve_micro
        from_reserve = target if self.reserve_micro >= target else self.reserve_micro
        stays = self.ahead_micro or self.shown_micro % MICRO_OF_A_CENT
        beyond = paid_cents * MICRO_OF_A_CENT + stays - self.shown_micro
        return Reset(paid_cents, from_reserve, target - from_reserve + beyond, target + stays)

    def reset(self, done: Reset, hits: int) -> None:
        """As the record says, whatever was due."""
        paid_micro = done.paid_cents * MICRO_OF_A_CENT
        self.put(Amounts(done.from_reserve_micro + done.from_house_micro - paid_micro, -done.from_reserve_micro))
        self.seeded_micro += done.from_house_micro
        self.paid_micro += paid_micro
        self.hits += hits
        self.ahead_micro = 0


def share_of(rule: MeterRule, cents: int) -> Amounts:
    """The share of a wager of `cents`, floored to the micro-dollar; `tabled check` refuses rates that would not fit."""
    shown_micro = cents * rule.increment_ppm // PPM_TO_MICRO_OF_CENTS
    return Amounts(shown_micro, cents * rule.reserve_ppm // PPM_TO_MICRO_OF_CENTS)
