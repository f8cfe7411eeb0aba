"""Progressive meters: contributions, reversals, payment and reseed. Millionths of a dollar, never a float.

The invariant, checked after every step (605a.7): what was put in is what is held and what went out,

    seed funded by the house + contributions + transfers in + corrections up + reversals borne by the house
        = shown + reserve + hidden + overflow + paid + transfers out + corrections down + reversals.

Rules:
* A wager's share of the shown meter goes to the overflow from the limit on. The sign floors to the cent, the fraction
  stays on the meter (X18).
* A won meter returns to its reseed (N/A: to what its reserve holds, X16). The reserve pays first, then the hidden pool,
  then the overflow, where the configuration lets it; the house pays what is missing and never takes anything out. What
  a pool holds beyond that stays there (X17: or goes into the meter).
* A reversal takes back exactly what that wager added (X22). What can't be taken back, since the meter has been won
  meanwhile, the house bears.
* Counters only grow; a meter falls only where one of its ways out has grown.
"""

from __future__ import annotations

from msgspec.structs import replace

from firmware.core.effects import MeterReset
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
    "reversed_by_house_micro",
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
    micro = cents * MICRO_PER_CENT
    rates = (rule.increment_ppm, rule.reserve_ppm, rule.hidden_ppm)
    share, reserve, hidden = (_share(rule, micro, ppm) for ppm in rates)
    room = share if rule.limit_micro is None else max(0, rule.limit_micro - meter.shown_micro)
    shown = min(share, room)
    return Increment(rule.name, shown, reserve, hidden, share - shown, meter.hits)


def _share(rule: MeterRule, micro: int, ppm: int) -> int:
    share, rest = divmod(micro * ppm, PPM)
    if rest:
        raise MeterImbalanceError(f"{rule.name}: {ppm} ppm of {micro} are no whole number of micro-dollars")
    return share


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


def reverse(meter: Meter, inc: Increment, rules: TableRules) -> tuple[Meter, int]:
    """Give back what a voided or cancelled wager added. Returns the meter and how much of it the house bears: all of it
    where the meter was won since, or where the submission leaves increments standing (X22), else nothing."""
    reversed_micro = meter.reversed_micro + inc.total_micro
    if meter.hits != inc.hits or rules.table_readings().X22 == "refund_only":
        borne = meter.reversed_by_house_micro + inc.total_micro
        return replace(meter, reversed_micro=reversed_micro, reversed_by_house_micro=borne), inc.total_micro
    after = replace(
        meter,
        shown_micro=meter.shown_micro - inc.shown_micro,
        reserve_micro=meter.reserve_micro - inc.reserve_micro,
        hidden_micro=meter.hidden_micro - inc.hidden_micro,
        overflow_micro=meter.overflow_micro - inc.overflow_micro,
        reversed_micro=reversed_micro,
    )
    return after, 0


def pay_and_reseed(meter: Meter, rule: MeterRule, paid_cents: int, rules: TableRules) -> tuple[Meter, MeterReset]:
    """Pay `paid_cents` from a won meter and return it to its reseed; the record says who funded it.

    The fraction of a cent that was not paid stays on the meter. Where every winner gets the whole meter (X4 "each")
    the house pays what the meter does not hold.
    """
    paid = paid_cents * MICRO_PER_CENT
    rest = meter.shown_micro % MICRO_PER_CENT
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
        hits=meter.hits + 1,
    )
    reset = MeterReset(
        meter.name, paid_cents, from_reserve, from_house, after.shown_micro, from_hidden, from_overflow
    )
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
    put_in = (
        m.seeded_micro + m.contributed_micro + m.transferred_in_micro + m.corrected_up_micro + m.reversed_by_house_micro
    )
    holds = m.shown_micro + m.reserve_micro + m.hidden_micro + m.overflow_micro
    went_out = m.paid_micro + m.transferred_out_micro + m.corrected_down_micro + m.reversed_micro
    if put_in != holds + went_out:
        raise MeterImbalanceError(f"put in {put_in}, held {holds}, went out {went_out} micro-dollars: {meter}")
    if min(m.shown_micro, m.reserve_micro, m.hidden_micro, m.overflow_micro) < 0:
        raise MeterImbalanceError(f"an account is below zero: {meter}")


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
