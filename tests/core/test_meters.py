"""A meter's arithmetic against a second account of it: every cent in is held or went out, whatever comes in which
order, and what each readings and each limit does."""

from __future__ import annotations

from dataclasses import dataclass, field

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from firmware.core import meters
from firmware.core.order_data import Account, Overflow
from firmware.core.rules import MeterRule, ReadingRule, TableRules
from firmware.core.state import Increment, Meter
from tests.core.table import Table, rules

SEED = 1_000_000_000
CENT = 10_000
PLAIN = MeterRule("m", "w", SEED, 15_000, 5_000, SEED)
DEFAULT = rules()


def reading(id: str, value: str) -> TableRules:
    return replace(DEFAULT, readings=(ReadingRule(id, value),))


def new(rule: MeterRule) -> Meter:
    return Meter(rule.name, shown_micro=rule.seed_micro, seeded_micro=rule.seed_micro)


def fed(rule: MeterRule, wagers: int, meter: Meter | None = None) -> tuple[Meter, list[Increment]]:
    meter = new(rule) if meter is None else meter
    added = []
    for _ in range(wagers):
        inc = meters.increment(rule, meter, 500)
        meter = meters.contribute(meter, inc)
        added.append(inc)
        meters.check(meter)
    return meter, added


# --- increments, limit, overflow ------------------------------------------------------------------------------------


def test_fractions_of_a_cent_stay_on_the_meter() -> None:
    """X18: 0.5 % of $5 is 2.5 cents; forty wagers are a dollar exactly, and the sign floors."""
    rule = replace(PLAIN, increment_ppm=5_000)
    meter, _ = fed(rule, 1)
    assert meter.shown_micro == SEED + 25_000
    assert meters.text(meter.shown_micro) == "$1,000.02"
    meter, _ = fed(rule, 40)
    assert meters.text(meter.shown_micro) == "$1,001.00"


def test_a_rate_that_is_not_exact_is_a_fault_of_the_program() -> None:
    with pytest.raises(meters.MeterImbalanceError, match="no whole number"):
        meters.increment(replace(PLAIN, increment_ppm=1), new(PLAIN), 1)


def test_at_its_limit_a_meter_overflows_to_the_micro_dollar() -> None:
    rule = replace(PLAIN, limit_micro=SEED + 100_000)
    meter, added = fed(rule, 3)  # 75,000 each
    assert [(inc.shown_micro, inc.overflow_micro) for inc in added] == [(75_000, 0), (25_000, 50_000), (0, 75_000)]
    assert (meter.shown_micro, meter.overflow_micro, meter.reserve_micro) == (SEED + 100_000, 125_000, 75_000)
    for inc in reversed(added):
        meter = meters.reverse(meter, inc)
        meters.check(meter)
    assert (meter.shown_micro, meter.overflow_micro, meter.reserve_micro) == (SEED, 0, 0)
    assert meter.reversed_micro == meter.contributed_micro == 300_000


# --- who pays a reseed ----------------------------------------------------------------------------------------------

RESERVE, HIDDEN, OVERFLOW = 30_000_000, 20_000_000, 10_000_000


def filled(rule: MeterRule, reserve: int = RESERVE) -> Meter:
    return replace(
        new(rule),
        reserve_micro=reserve,
        hidden_micro=HIDDEN,
        overflow_micro=OVERFLOW,
        contributed_micro=reserve + HIDDEN + OVERFLOW,
    )


@pytest.mark.parametrize(
    ("rule", "table", "expected"),
    [
        (PLAIN, DEFAULT, (SEED, 0, 0, 0, SEED - RESERVE - HIDDEN - OVERFLOW)),
        (replace(PLAIN, overflow=Overflow.KEEP), DEFAULT, (SEED, 0, 0, OVERFLOW, SEED - RESERVE - HIDDEN)),
        (replace(PLAIN, reseed_micro=40_000_000), DEFAULT, (40_000_000, 0, 10_000_000, OVERFLOW, 0)),
        (replace(PLAIN, reseed_micro=20_000_000), DEFAULT, (20_000_000, 10_000_000, HIDDEN, OVERFLOW, 0)),
        (replace(PLAIN, reseed_micro=20_000_000), reading("X17", "max"), (RESERVE, 0, HIDDEN, OVERFLOW, 0)),
        (replace(PLAIN, reseed_micro=None), DEFAULT, (RESERVE, 0, HIDDEN, OVERFLOW, 0)),
        (PLAIN, reading("X15", "second_meter"), (SEED, RESERVE, 0, 0, SEED - HIDDEN - OVERFLOW)),
        (
            replace(PLAIN, reseed_micro=20_000_000),
            replace(DEFAULT, readings=(ReadingRule("X15", "second_meter"), ReadingRule("X17", "max"))),
            (20_000_000, RESERVE, 0, OVERFLOW, 0),
        ),
        (
            replace(PLAIN, reseed_micro=20_000_000, limit_micro=25_000_000),
            reading("X17", "max"),
            (25_000_000, 5_000_000, HIDDEN, OVERFLOW, 0),
        ),
    ],
    ids=[
        "all", "overflow_kept", "smaller_seed", "excess_stays", "max", "not_printed", "second_meter",
        "second_meter_max", "max_to_limit",
    ],
)  # fmt: skip
def test_the_pools_pay_in_order_and_the_house_what_is_missing(
    rule: MeterRule, table: TableRules, expected: tuple[int, int, int, int, int]
) -> None:
    before = filled(rule)
    meter, reset = meters.pay_and_reseed(before, rule, SEED // CENT, table)
    meters.check(meter)
    meters.check_growth(before, meter)
    held = (meter.shown_micro, meter.reserve_micro, meter.hidden_micro, meter.overflow_micro)
    assert (*held, reset.from_house_micro) == expected
    assert meter.paid_micro == SEED
    assert meter.reserve_out_micro == reset.from_reserve_micro == RESERVE - meter.reserve_micro


def test_an_award_that_the_meter_does_not_hold_is_refused() -> None:
    with pytest.raises(meters.MeterImbalanceError, match="paid"):
        meters.pay_and_reseed(new(PLAIN), PLAIN, SEED // CENT - 1, DEFAULT)


# --- reversals ------------------------------------------------------------------------------------------------------


def test_what_was_won_meanwhile_is_charged_to_the_house() -> None:
    """X22: the next patron's meter must not pay for the void of a round before it."""
    meter, (inc,) = fed(PLAIN, 1)
    meter, _ = meters.pay_and_reseed(meter, PLAIN, meter.shown_micro // CENT, DEFAULT)
    after = meters.charge(meter, inc)
    assert (after.shown_micro, after.reserve_micro) == (meter.shown_micro, meter.reserve_micro)
    assert (after.reversed_micro, after.charged_micro) == (100_000, 100_000)
    meters.check(after)


def test_a_submission_may_leave_increments_standing() -> None:
    """X22 "refund_only", at the table: the wager goes back, the meter keeps what it was fed, the house pays."""
    for value, kept, charged in (("reverse", 0, 0), ("refund_only", 75_000, 100_000)):
        table = Table(rules(readings=(ReadingRule("X22", value),))).opened()
        before = table.meter("mega")
        table.place(1, "royal_9_progressive")
        table.lock()
        table.floor("VOID ROUND")
        assert table.meter("mega") - before == kept
        assert table.state.meters[0].charged_micro == charged
        assert table.state.meters[0].reversed_micro == 100_000


# --- the checks themselves have teeth -------------------------------------------------------------------------------

MONEY = [name for name in Meter.__struct_fields__ if name.endswith("_micro") and name != "ahead_micro"]
IN_BOTH = {"reserve_in_micro", "reserve_out_micro"}  # parts of other counters


@pytest.mark.parametrize("name", MONEY)
@pytest.mark.parametrize("by", [1, -1])
def test_a_micro_dollar_more_or_less_anywhere_is_found(name: str, by: int) -> None:
    meter = replace(filled(PLAIN), **{name: getattr(filled(PLAIN), name) + by})
    if name in IN_BOTH:
        if by < 0:
            with pytest.raises(meters.MeterImbalanceError, match="fell"):
                meters.check_growth(filled(PLAIN), meter)
        return
    with pytest.raises(meters.MeterImbalanceError):
        meters.check(meter)


@pytest.mark.parametrize("ahead", [-1, SEED + 1])
def test_what_lies_ahead_is_a_part_of_what_is_shown(ahead: int) -> None:
    meters.check(replace(new(PLAIN), ahead_micro=SEED))
    with pytest.raises(meters.MeterImbalanceError, match="ahead"):
        meters.check(replace(new(PLAIN), ahead_micro=ahead))


def test_an_account_below_zero_is_found() -> None:
    meter = filled(PLAIN)
    meters.check(meter)
    short = replace(meter, reserve_micro=-1, hidden_micro=HIDDEN + RESERVE + 1)
    with pytest.raises(meters.MeterImbalanceError, match="below zero"):
        meters.check(short)


@pytest.mark.parametrize("name", meters.COUNTERS)
def test_a_counter_that_falls_is_found(name: str) -> None:
    high = replace(filled(PLAIN), **{name: 10})
    with pytest.raises(meters.MeterImbalanceError, match=f"{name} fell"):
        meters.check_growth(high, replace(high, **{name: 9}))


def test_a_meter_that_shows_less_although_nothing_went_out_is_found() -> None:
    meter = filled(PLAIN)
    moved = replace(meter, shown_micro=meter.shown_micro - 1, reserve_micro=meter.reserve_micro + 1)
    meters.check(moved)
    with pytest.raises(meters.MeterImbalanceError, match="shows less"):
        meters.check_growth(meter, moved)


def test_money_that_vanishes_in_balance_is_found() -> None:
    """The accounts would add up: as much less put in as is held. It is found since what was put in fell."""
    meter = filled(PLAIN)
    less = replace(meter, shown_micro=meter.shown_micro - 1, seeded_micro=meter.seeded_micro - 1)
    meters.check(less)
    with pytest.raises(meters.MeterImbalanceError):
        meters.check_growth(meter, less)


# --- any order ------------------------------------------------------------------------------------------------------


@dataclass
class Ledger:
    """The second account: what each holder has, moved by double entry."""

    holders: dict[str, int] = field(default_factory=dict)

    def move(self, source: str, target: str, micro: int) -> None:
        self.holders[source] = self.holders.get(source, 0) - micro
        self.holders[target] = self.holders.get(target, 0) + micro

    def has(self, holder: str) -> int:
        return self.holders.get(holder, 0)


@dataclass
class Play:
    """Two meters, played by drawn numbers; each operation is booked in the ledger by what the regulation says of it."""

    table: TableRules
    rule: MeterRule
    each: bool
    ledger: Ledger = field(default_factory=Ledger)
    meters: list[Meter] = field(default_factory=list)
    open: list[list[tuple[Increment, int]]] = field(default_factory=lambda: [[], []])
    reserved: list[int] = field(default_factory=lambda: [0, 0])

    def start(self) -> None:
        for number in (0, 1):
            self.ledger.move("house", f"{number} shown", self.rule.seed_micro)
            self.meters.append(replace(new(self.rule), name=str(number)))

    def put(self, number: int, meter: Meter) -> None:
        meters.check(meter)
        meters.check_growth(self.meters[number], meter)
        self.meters[number] = meter
        for account in Account:
            assert meters.held(meter, account) == self.ledger.has(f"{number} {account}"), (account, meter)
        assert meter.reserve_in_micro == self.reserved[number]

    def wager(self, number: int, cents: int) -> None:
        meter = self.meters[number]
        inc = meters.increment(self.rule, meter, cents)
        share = cents * CENT * self.rule.increment_ppm // 1_000_000
        limit = self.rule.limit_micro
        above = 0 if limit is None else min(share, max(0, meter.shown_micro + share - limit))
        self.ledger.move("patrons", f"{number} shown", share - above)
        self.ledger.move("patrons", f"{number} overflow", above)
        reserve = cents * CENT * self.rule.reserve_ppm // 1_000_000
        self.ledger.move("patrons", f"{number} reserve", reserve)
        self.reserved[number] += reserve
        self.ledger.move("patrons", f"{number} hidden", cents * CENT * self.rule.hidden_ppm // 1_000_000)
        self.open[number].append((inc, meter.hits))
        self.put(number, meters.contribute(meter, inc))

    def void(self, number: int, which: int) -> None:
        if not self.open[number]:
            return
        inc, hits = self.open[number].pop(which % len(self.open[number]))
        stale = hits != self.meters[number].hits or self.table.table_readings().X22 == "refund_only"
        for account in Account:
            amount = getattr(inc, f"{account}_micro")
            self.ledger.move("house" if stale else f"{number} {account}", "patrons", amount)
        undo = meters.charge if stale else meters.reverse
        self.put(number, undo(self.meters[number], inc))

    def win(self, number: int, winners: int) -> None:
        meter = self.meters[number]
        whole = meter.shown_micro // CENT
        paid = whole * winners if self.each else whole
        after, reset = meters.pay_and_reseed(meter, self.rule, paid, self.table)
        self.ledger.move(f"{number} shown", "winners", whole * CENT)
        self.ledger.move("house", "winners", paid * CENT - whole * CENT)
        for account, drawn in (
            (Account.RESERVE, reset.from_reserve_micro),
            (Account.HIDDEN, reset.from_hidden_micro),
            (Account.OVERFLOW, reset.from_overflow_micro),
        ):
            self.ledger.move(f"{number} {account}", f"{number} shown", drawn)
        topped_up = reset.from_house_micro - (paid - whole) * CENT
        assert topped_up >= 0, "the house never takes from a meter"
        self.ledger.move("house", f"{number} shown", topped_up)
        self.put(number, after)
        assert meters.held(after, Account.SHOWN) >= meter.shown_micro % CENT, "the fraction stays"

    def transfer(self, number: int, account: Account, part: int, to_account: Account) -> None:
        micro = meters.held(self.meters[number], account) * part // 100
        other = 1 - number
        self.ledger.move(f"{number} {account}", f"{other} {to_account}", micro)
        self.put(number, meters.move_out(self.meters[number], account, micro))
        self.put(other, meters.move_in(self.meters[other], to_account, micro))
        self.open = [[], []]  # no wager is open while a table is closed

    def correct(self, number: int, account: Account, becomes_micro: int) -> None:
        self.ledger.move("order", f"{number} {account}", becomes_micro - meters.held(self.meters[number], account))
        self.put(number, meters.correct(self.meters[number], account, becomes_micro))
        self.open = [[], []]


numbers = st.integers(0, 1)
accounts = st.sampled_from(Account)
OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("wager"), numbers, st.sampled_from([100, 500, 2500])),
        st.tuples(st.just("void"), numbers, st.integers(0, 50)),
        st.tuples(st.just("win"), numbers, st.integers(1, 7)),
        st.tuples(st.just("transfer"), numbers, accounts, st.integers(0, 100), accounts),
        st.tuples(st.just("correct"), numbers, accounts, st.integers(0, 3 * SEED)),
    ),
    max_size=60,
)
RULES = st.builds(
    MeterRule,
    st.just("m"),
    st.just("w"),
    st.integers(0, 3).map(lambda n: n * 100_000_000 + n),
    st.integers(1, 200).map(lambda n: n * 1_000),
    st.integers(0, 100).map(lambda n: n * 1_000),
    st.one_of(st.none(), st.integers(0, 2_000_000)),
    st.integers(0, 100).map(lambda n: n * 1_000),
    st.one_of(st.none(), st.integers(300_000_003, 310_000_000)),
    st.sampled_from(Overflow),
)
READINGS = st.fixed_dictionaries(
    {},
    optional={
        "X15": st.sampled_from(["reseed", "second_meter"]),
        "X17": st.sampled_from(["seed", "max"]),
        "X22": st.sampled_from(["reverse", "refund_only"]),
    },
)


@settings(max_examples=300)
@given(RULES, READINGS, st.booleans(), OPERATIONS)
def test_in_any_order_every_micro_dollar_is_somewhere(
    rule: MeterRule, readings: dict[str, str], each: bool, operations: list[tuple[object, ...]]
) -> None:
    play = Play(replace(DEFAULT, readings=tuple(ReadingRule(*item) for item in readings.items())), rule, each)
    play.start()
    for name, *arguments in operations:
        getattr(play, str(name))(*arguments)
    assert sum(play.ledger.holders.values()) == 0
    for number, meter in enumerate(play.meters):
        assert sum(meters.held(meter, a) for a in Account) == sum(play.ledger.has(f"{number} {a}") for a in Account)
