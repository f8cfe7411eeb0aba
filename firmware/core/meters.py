"""Progressive meters: contributions, reversals, payment and reseed. Millionths of a dollar, never a float.

The invariant, checked after every step (605a.7): what was put in is what is held and what went out,

    seed funded by the house + contributions + transfers in + corrections up + reversals charged to the house
        = shown + reserve + hidden + overflow + paid + transfers out + corrections down + reversals.

Rules:
* A wager's share of the shown meter goes to the overflow from the limit on. The sign floors to the cent, the fraction
  stays on the meter (X18).
* A won meter returns to its reseed (N/A: to what its reserve holds, X16). The reserve pays first, then the hidden pool,
  then the overflow, where the configuration lets it; the house pays what is missing and never takes anything out. What
  a pool holds beyond that stays there (X17: or goes into the meter).
* A reversal takes back exactly what that wager added (X22). What can't be taken back, since it has been won meanwhile,
  is charged to the house.
* `ahead` is a part of what is shown: after a mystery hit, until the reset, what belongs to the next amount (M7).
* Counters only grow; a meter falls only where one of its ways out has grown.
"""

from __future__ import annotations

from msgspec.structs import replace

from firmware.core.effects import MeterRecorded, MeterReset
from firmware.core.money import MICRO_PER_CENT
from firmware.core.order_data import Account, Overflow
from firmware.core.rules import MeterRule, TableRules
from firmware.core.settlement import reseed_from
from firmware.core.state import Increment, Meter

PPM = 1_000_000

WAYS_IN = (
    "seeded_micro",
    "contributed_micro",
    "transferred_in_micro",
    "corrected_up_micro",
    "charged_micro",
)
WAYS_OUT = ("paid_micro", "transferred_out_micro", "corrected_down_micro", "reversed_micro")
COUNTERS = (*WAYS_IN, *WAYS_OUT, "reserve_in_micro", "reserve_out_micro", "wagers", "hits")
"""Fields of a meter that only grow. The others are what it holds: its accounts."""


class MeterImbalanceError(Exception):
    """A meter's accounts do not add up: a fault of the program, never of the table."""


def held(meter: Meter, account: Account) -> int:
    """What lies on an account, in micro-dollars."""
    return int(getattr(meter, f"{account}_micro"))


def increment(rule: MeterRule, meter: Meter, cents: int) -> Increment:
    """What a wager of `cents` adds to this meter now. Exact: `tabled check` refuses other rates."""
    share, reserve, hidden = shares(rule, cents)
    room = share if rule.limit_micro is None else max(0, rule.limit_micro - meter.shown_micro)
    shown = min(share, room)
    return Increment(rule.name, shown, reserve, hidden, share - shown)


def shares(rule: MeterRule, cents: int) -> tuple[int, int, int]:
    """The meter's, the reserve's and the hidden share of a wager, in micro-dollars."""
    rates = (rule.increment_ppm, rule.reserve_ppm, rule.hidden_ppm)
    exact = [divmod(cents * MICRO_PER_CENT * ppm, PPM) for ppm in rates]
    if any(rest for _, rest in exact):
        raise MeterImbalanceError(f"{rule.name}: its rates on {cents} cents give no whole number of micro-dollars")
    (share, _), (reserve, _), (hidden, _) = exact
    return share, reserve, hidden


def contribute(meter: Meter, inc: Increment) -> Meter:
    return replace(
        meter,
        shown_micro=meter.shown_micro + inc.shown_micro,
        reserve_micro=meter.reserve_micro + inc.reserve_micro,
        hidden_micro=meter.hidden_micro + inc.hidden_micro,
        overflow_micro=meter.overflow_micro + inc.overflow_micro,
        contributed_micro=meter.contributed_micro + inc.total_micro,
        reserve_in_micro=meter.reserve_in_micro + inc.reserve_micro,
        wagers=meter.wagers + 1,
    )


def reverse(meter: Meter, inc: Increment) -> Meter:
    """Give back exactly what a voided or cancelled wager added (X22)."""
    return replace(
        meter,
        shown_micro=meter.shown_micro - inc.shown_micro,
        reserve_micro=meter.reserve_micro - inc.reserve_micro,
        hidden_micro=meter.hidden_micro - inc.hidden_micro,
        overflow_micro=meter.overflow_micro - inc.overflow_micro,
        reversed_micro=meter.reversed_micro + inc.total_micro,
        ahead_micro=max(0, meter.ahead_micro - inc.shown_micro),  # after a hit, what was not won lies ahead
    )


def charge(meter: Meter, inc: Increment) -> Meter:
    """Give back what a voided wager added and the meter keeps: the house pays it. Somebody has won it since, or the
    submission leaves increments standing (X22)."""
    return replace(
        meter,
        reversed_micro=meter.reversed_micro + inc.total_micro,
        charged_micro=meter.charged_micro + inc.total_micro,
    )


def pay_and_reseed(
    meter: Meter, rule: MeterRule, paid_cents: int, rules: TableRules, hits: int = 1
) -> tuple[Meter, MeterReset]:
    """Pay `paid_cents` from a won meter and return it to its reseed; the record says who funded it.

    The fraction of a cent that was not paid stays on the meter, and after a mystery hit what lies ahead (M7): so the
    house also funds the seeds of further `hits` that are paid with the first. Where every winner gets the whole meter
    (X4 "each") the house pays what the meter does not hold.
    """
    paid = paid_cents * MICRO_PER_CENT
    rest = meter.ahead_micro or meter.shown_micro % MICRO_PER_CENT
    value = _reseed_value(meter, rule, rules)
    missing = value
    drawn: dict[Account, int] = {}
    for pool in _pools(rule, rules):
        drawn[pool] = min(held(meter, pool), missing)
        missing -= drawn[pool]
    from_house = missing + paid - (meter.shown_micro - rest)
    if from_house < missing:
        raise MeterImbalanceError(f"{meter.name}: paid {paid_cents} cents of {meter.shown_micro} micro-dollars")
    from_reserve, from_hidden, from_overflow = (
        drawn.get(pool, 0) for pool in (Account.RESERVE, Account.HIDDEN, Account.OVERFLOW)
    )
    after = replace(
        meter,
        shown_micro=value + rest,
        reserve_micro=meter.reserve_micro - from_reserve,
        hidden_micro=meter.hidden_micro - from_hidden,
        overflow_micro=meter.overflow_micro - from_overflow,
        seeded_micro=meter.seeded_micro + from_house,
        paid_micro=meter.paid_micro + paid,
        reserve_out_micro=meter.reserve_out_micro + from_reserve,
        hits=meter.hits + hits,
        ahead_micro=0,
    )
    reset = MeterReset(meter.name, paid_cents, from_reserve, from_house, after.shown_micro, from_hidden, from_overflow)
    return after, reset


def _reseed_value(meter: Meter, rule: MeterRule, rules: TableRules) -> int:
    if rule.reseed_micro is None:
        value = meter.reserve_micro
    elif rules.table_readings().X15 == "second_meter":
        value = rule.reseed_micro
    else:
        value, _ = reseed_from(rule.reseed_micro, meter.reserve_micro, rules.chosen_readings())
    return value if rule.limit_micro is None else min(value, rule.limit_micro)


def _pools(rule: MeterRule, rules: TableRules) -> tuple[Account, ...]:
    """What pays a reseed before the house does, in order."""
    reserve = (Account.RESERVE,) if rules.table_readings().X15 == "reseed" else ()
    overflow = (Account.OVERFLOW,) if rule.overflow is Overflow.RESEED else ()
    return (*reserve, Account.HIDDEN, *overflow)


def recorded(meter: Meter) -> MeterRecorded:
    """What lies on each account, for the record."""
    return MeterRecorded(meter.name, *(held(meter, account) for account in Account))


def move_out(meter: Meter, account: Account, micro: int) -> Meter:
    """Transfer out of an account, which must hold it."""
    return replace(
        meter,
        **{f"{account}_micro": held(meter, account) - micro},
        transferred_out_micro=meter.transferred_out_micro + micro,
    )


def move_in(meter: Meter, account: Account, micro: int) -> Meter:
    """Transfer to an account."""
    return replace(
        meter,
        **{f"{account}_micro": held(meter, account) + micro},
        transferred_in_micro=meter.transferred_in_micro + micro,
    )


def correct(meter: Meter, account: Account, becomes_micro: int) -> Meter:
    """Set an account by order of two persons."""
    up = becomes_micro - held(meter, account)
    return replace(
        meter,
        **{f"{account}_micro": becomes_micro},
        corrected_up_micro=meter.corrected_up_micro + max(up, 0),
        corrected_down_micro=meter.corrected_down_micro + max(-up, 0),
    )


def check(meter: Meter) -> None:
    """Raise `MeterImbalanceError` unless the accounts add up and none of them is negative."""
    m = meter
    put_in = m.seeded_micro + m.contributed_micro + m.transferred_in_micro + m.corrected_up_micro + m.charged_micro
    holds = m.shown_micro + m.reserve_micro + m.hidden_micro + m.overflow_micro
    went_out = m.paid_micro + m.transferred_out_micro + m.corrected_down_micro + m.reversed_micro
    if put_in != holds + went_out:
        raise MeterImbalanceError(f"put in {put_in}, held {holds}, went out {went_out} micro-dollars: {meter}")
    if min(m.shown_micro, m.reserve_micro, m.hidden_micro, m.overflow_micro) < 0:
        raise MeterImbalanceError(f"an account is below zero: {meter}")
    if not 0 <= m.ahead_micro <= m.shown_micro:
        raise MeterImbalanceError(f"what lies ahead is no part of what is shown: {meter}")


def check_growth(before: Meter, after: Meter) -> None:
    """Raise `MeterImbalanceError` where a counter fell, or where a meter shows less although nothing went out."""
    if after is before:
        return
    for name in COUNTERS:
        if getattr(after, name) < getattr(before, name):
            raise MeterImbalanceError(f"{name} fell: {before} -> {after}")
    went_out = any(getattr(after, name) > getattr(before, name) for name in WAYS_OUT)
    if after.shown_micro < before.shown_micro and not went_out:
        raise MeterImbalanceError(f"it shows less, and nothing went out: {before} -> {after}")


def text(micro: int) -> str:
    """Dollars for people, floored to the cent: "$50,123.45"."""
    return cents_text(micro // MICRO_PER_CENT)


def cents_text(cents: int) -> str:
    return f"${cents // 100:,}.{cents % 100:02d}"
