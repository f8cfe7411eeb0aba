"""Progressive meters: contributions, reversals, payment and reseed. Millionths of a dollar, never a float.

A meter's accounts are checked after every step: what went in is what is held and what went out (605a.7).
"""

from __future__ import annotations

from msgspec.structs import replace

from firmware.core.money import MICRO_PER_CENT
from firmware.core.order_data import Account
from firmware.core.readings import Readings
from firmware.core.rules import MeterRule
from firmware.core.settlement import reseed_from
from firmware.core.state import Increment, Meter

PPM = 1_000_000


class MeterImbalanceError(Exception):
    """A meter's accounts do not add up: a fault of the program, never of the table."""


def increment(rule: MeterRule, cents: int) -> Increment:
    """What a wager of `cents` adds to this meter and to its reserve. Exact: `tabled check` refuses other rates."""
    micro = cents * MICRO_PER_CENT
    shown, rest = divmod(micro * rule.increment_ppm, PPM)
    reserve, reserve_rest = divmod(micro * rule.reserve_ppm, PPM)
    if rest or reserve_rest:
        raise MeterImbalanceError(f"{rule.name}: its rate on {cents} cents is no whole number of micro-dollars")
    return Increment(rule.name, shown, reserve)


def contribute(meter: Meter, inc: Increment) -> Meter:
    return replace(
        meter,
        shown_micro=meter.shown_micro + inc.shown_micro,
        reserve_micro=meter.reserve_micro + inc.reserve_micro,
        contributed_micro=meter.contributed_micro + inc.shown_micro + inc.reserve_micro,
        wagers=meter.wagers + 1,
    )


def reverse(meter: Meter, inc: Increment) -> Meter:
    """Give back exactly what a voided or cancelled wager added (X22)."""
    return replace(
        meter,
        shown_micro=meter.shown_micro - inc.shown_micro,
        reserve_micro=meter.reserve_micro - inc.reserve_micro,
        reversed_micro=meter.reversed_micro + inc.shown_micro + inc.reserve_micro,
        ahead_micro=max(0, meter.ahead_micro - inc.shown_micro),  # after a hit, what was not won lies ahead
    )


def charge(meter: Meter, inc: Increment) -> Meter:
    """Give back what a voided wager added and somebody has won since: the house pays it, the meter stays (X22)."""
    micro = inc.shown_micro + inc.reserve_micro
    return replace(meter, reversed_micro=meter.reversed_micro + micro, charged_micro=meter.charged_micro + micro)


def pay_and_reseed(
    meter: Meter, rule: MeterRule, paid_cents: int, readings: Readings, hits: int = 1
) -> tuple[Meter, int, int]:
    """Pay `paid_cents` from a won meter and return it to its seed: reserve first, the house tops up (X15, X17).

    The fraction of a cent that was not paid stays on the meter, and after a mystery hit what lies ahead (M7): so the
    house also funds the seeds of further `hits` that are paid with the first. Where every winner gets the whole meter
    (X4 "each") the house pays what the meter does not hold. Returns the meter, micro from its reserve and from the
    house.
    """
    paid = paid_cents * MICRO_PER_CENT
    rest = meter.ahead_micro or meter.shown_micro % MICRO_PER_CENT
    value, reserve = reseed_from(rule.seed_micro, meter.reserve_micro, readings)
    from_reserve = meter.reserve_micro - reserve
    from_house = value - from_reserve + paid - (meter.shown_micro - rest)
    if from_house < value - from_reserve:
        raise MeterImbalanceError(f"{meter.name}: paid {paid_cents} cents of {meter.shown_micro} micro-dollars")
    after = replace(
        meter,
        shown_micro=value + rest,
        reserve_micro=reserve,
        seeded_micro=meter.seeded_micro + from_house,
        paid_micro=meter.paid_micro + paid,
        hits=meter.hits + hits,
        ahead_micro=0,
    )
    return after, from_reserve, from_house


def held(meter: Meter, account: Account) -> int:
    """What lies on an account, in micro-dollars."""
    return int(getattr(meter, f"{account}_micro"))


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
    """Raise `MeterImbalanceError` unless the accounts add up and nothing is negative."""
    put_in = meter.seeded_micro + meter.contributed_micro + meter.charged_micro + meter.corrected_up_micro
    went_out = meter.paid_micro + meter.reversed_micro + meter.corrected_down_micro
    if put_in != meter.shown_micro + meter.reserve_micro + went_out or meter.shown_micro < 0 or meter.reserve_micro < 0:
        raise MeterImbalanceError(f"{meter.name}: put in {put_in} micro-dollars, of it out {went_out}: {meter}")


def text(micro: int) -> str:
    """Dollars for people, floored to the cent: "$50,123.45"."""
    return cents_text(micro // MICRO_PER_CENT)


def cents_text(cents: int) -> str:
    return f"${cents // 100:,}.{cents % 100:02d}"
