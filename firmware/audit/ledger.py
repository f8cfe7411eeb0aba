"""One meter's accounts, added up again from the journal's records: arithmetic of the audit's own.

Nothing here is shared with the code that keeps the meters (`firmware/core/meters.py`, the settlement's reseed): the two
are written apart, so that a fault in one is a disagreement and not a habit.

Rules:
* Millionths of a dollar, integers only. A rate of one part per million takes a hundredth of a micro-dollar of a cent.
* The accounts follow what the record says was moved. Where a record states a value that they do not give, that is a
  finding, and they go on with the stated value: each disagreement is found once, where it arose.
* What was put in (by the house as seed, by wagers, by transfers, by corrections, by the house for reversals that the
  meter can't bear) is what is held and what went out, after every movement (605a.7).
* `ahead` is the part of shown that a mystery hit left to the next amount (M7).
"""

from __future__ import annotations

from msgspec import Struct

from firmware.core.order_data import Overflow
from firmware.core.rules import MeterRule, TableRules

MICRO_OF_A_CENT = 10_000
PPM_TO_MICRO_OF_CENTS = 100
"""A wager of c cents at a rate of r ppm gives c * 10,000 * r / 1,000,000 micro-dollars."""


class Amounts(Struct, frozen=True):
    """What lies on a meter's accounts, or moves to (from, where negative) each of them."""

    shown_micro: int = 0
    reserve_micro: int = 0
    hidden_micro: int = 0
    overflow_micro: int = 0

    @staticmethod
    def only(account: str, micro: int) -> Amounts:
        """An amount on one of `ACCOUNTS`."""
        return Amounts(**{f"{account}_micro": micro})

    def __add__(self, other: Amounts) -> Amounts:
        return Amounts(
            self.shown_micro + other.shown_micro,
            self.reserve_micro + other.reserve_micro,
            self.hidden_micro + other.hidden_micro,
            self.overflow_micro + other.overflow_micro,
        )

    def __neg__(self) -> Amounts:
        return Amounts(-self.shown_micro, -self.reserve_micro, -self.hidden_micro, -self.overflow_micro)

    @property
    def total_micro(self) -> int:
        return self.shown_micro + self.reserve_micro + self.hidden_micro + self.overflow_micro

    def on(self, account: str) -> int:
        """The amount of one of `ACCOUNTS`."""
        return int(getattr(self, f"{account}_micro"))

    def __str__(self) -> str:
        rarer = "".join(f", {self.on(account)} {account}" for account in ACCOUNTS[2:] if self.on(account))
        return f"{self.shown_micro} micro-dollars shown, {self.reserve_micro} reserve{rarer}"


NOTHING = Amounts()
ACCOUNTS = tuple(field.removesuffix("_micro") for field in Amounts.__struct_fields__)
"""The accounts of a meter that hold money."""


class Reset(Struct, frozen=True):
    """A won meter's way back to its reseed."""

    paid_cents: int
    from_reserve_micro: int
    from_house_micro: int
    value_micro: int
    from_hidden_micro: int = 0
    from_overflow_micro: int = 0

    @property
    def from_pools(self) -> Amounts:
        """What the pools pay to the shown meter."""
        paid = (self.from_reserve_micro, self.from_hidden_micro, self.from_overflow_micro)
        return Amounts(sum(paid), *(-one for one in paid))


class Ledger(Struct):
    """A meter's accounts while the journal is read; field by field what a snapshot of the table's state has."""

    name: str
    shown_micro: int
    reserve_micro: int = 0
    hidden_micro: int = 0
    overflow_micro: int = 0
    seeded_micro: int = 0
    contributed_micro: int = 0
    transferred_in_micro: int = 0
    corrected_up_micro: int = 0
    charged_micro: int = 0
    paid_micro: int = 0
    transferred_out_micro: int = 0
    corrected_down_micro: int = 0
    reversed_micro: int = 0
    reserve_in_micro: int = 0
    reserve_out_micro: int = 0
    wagers: int = 0
    hits: int = 0
    ahead_micro: int = 0

    @property
    def missing_micro(self) -> int:
        """What the accounts lack of what was put in; 0 where they balance."""
        put_in = self.seeded_micro + self.contributed_micro + self.transferred_in_micro
        put_in += self.corrected_up_micro + self.charged_micro
        went_out = self.paid_micro + self.transferred_out_micro + self.corrected_down_micro + self.reversed_micro
        return put_in - went_out - self.held.total_micro

    @property
    def held(self) -> Amounts:
        return Amounts(self.shown_micro, self.reserve_micro, self.hidden_micro, self.overflow_micro)

    def put(self, moved: Amounts) -> None:
        """Move what is on the accounts; whoever calls it books where it came from."""
        self.shown_micro += moved.shown_micro
        self.reserve_micro += moved.reserve_micro
        self.hidden_micro += moved.hidden_micro
        self.overflow_micro += moved.overflow_micro

    # --- wagers -------------------------------------------------------------------------------------------------------

    def due_share(self, rule: MeterRule, cents: int) -> Amounts:
        """What a wager of `cents` puts in now; `tabled check` refuses rates that give no whole micro-dollars. What
        would lift the shown meter over its limit overflows."""
        share = cents * rule.increment_ppm // PPM_TO_MICRO_OF_CENTS
        over = 0
        if rule.limit_micro is not None:
            over = min(share, max(0, self.shown_micro + share - rule.limit_micro))
        reserve = cents * rule.reserve_ppm // PPM_TO_MICRO_OF_CENTS
        return Amounts(share - over, reserve, cents * rule.hidden_ppm // PPM_TO_MICRO_OF_CENTS, over)

    def contribute(self, share: Amounts) -> None:
        self.put(share)
        self.contributed_micro += share.total_micro
        self.reserve_in_micro += share.reserve_micro
        self.wagers += 1

    def reverse(self, share: Amounts) -> None:
        self.put(-share)
        self.reversed_micro += share.total_micro
        self.ahead_micro = max(0, self.ahead_micro - share.shown_micro)

    def charge(self, micro: int) -> None:
        """A reversal that the house bears: the meter keeps what it was given (X22)."""
        self.reversed_micro += micro
        self.charged_micro += micro

    # --- awards -------------------------------------------------------------------------------------------------------

    def due_reset(self, rules: TableRules, rule: MeterRule, paid_cents: int) -> Reset:
        """How this meter returns to its reseed when awards of `paid_cents` have been paid from it.

        The reserve pays first, then the hidden pool, then the overflow, each where the configuration lets it (X15), and
        the house what they lack. What lies ahead, or else the fraction of a cent that nobody can be paid, stays on the
        meter (M7, X6). What was paid beyond the meter's whole cents, where each winner gets all of it (X4 "each"), is
        the house's.
        """
        reserve_waits = rules.table_readings().X15 == "second_meter"
        target = rule.reseed_micro
        if target is None or (
            rules.chosen_readings().X17 == "max" and not reserve_waits and self.reserve_micro > target
        ):
            target = self.reserve_micro
        if rule.limit_micro is not None and target > rule.limit_micro:
            target = rule.limit_micro
        from_reserve = 0 if reserve_waits else min(target, self.reserve_micro)
        from_hidden = min(target - from_reserve, self.hidden_micro)
        from_overflow = 0
        if rule.overflow is Overflow.RESEED:
            from_overflow = min(target - from_reserve - from_hidden, self.overflow_micro)
        stays = self.ahead_micro or self.shown_micro % MICRO_OF_A_CENT
        beyond = paid_cents * MICRO_OF_A_CENT + stays - self.shown_micro
        house = target - from_reserve - from_hidden - from_overflow + beyond
        return Reset(paid_cents, from_reserve, house, target + stays, from_hidden, from_overflow)

    def reset(self, done: Reset, hits: int) -> None:
        """As the record says, whatever was due."""
        paid_micro = done.paid_cents * MICRO_OF_A_CENT
        self.put(done.from_pools + Amounts(done.from_house_micro - paid_micro))
        self.seeded_micro += done.from_house_micro
        self.paid_micro += paid_micro
        self.reserve_out_micro += done.from_reserve_micro
        self.hits += hits
        self.ahead_micro = 0

    # --- orders -------------------------------------------------------------------------------------------------------

    def correct(self, moved: Amounts) -> None:
        self.put(moved)
        self.corrected_up_micro += max(moved.total_micro, 0)
        self.corrected_down_micro += max(-moved.total_micro, 0)

    def transfer(self, moved: Amounts) -> None:
        self.put(moved)
        self.transferred_in_micro += max(moved.total_micro, 0)
        self.transferred_out_micro += max(-moved.total_micro, 0)
