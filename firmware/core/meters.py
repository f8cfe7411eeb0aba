"""Progressive meters: contributions, reversals, payment and reseed. Millionths of a dollar, never a float.

A meter's accounts are checked after every step: seeded + contributed - reversed = shown + reserve + paid (605a.7).
"""

from __future__ import annotations

from dataclasses import replace

from firmware.core.rules import MeterRule
from firmware.core.state import Increment, Meter

MICRO_PER_CENT = 10_000
PPM = 1_000_000


class MeterImbalance(Exception):
    """A meter's accounts do not add up: a fault of the program, never of the table."""


def increment(rule: MeterRule, cents: int) -> Increment:
    """What a wager of `cents` adds to this meter and to its reserve; exact, or the configuration check was by-passed."""
    micro = cents * MICRO_PER_CENT
    shown, rest = divmod(micro * rule.increment_ppm, PPM)
    reserve, reserve_rest = divmod(micro * rule.reserve_ppm, PPM)
    if rest or reserve_rest:
        raise MeterImbalance(f"{rule.name}: a rate of this meter on {cents} cents is no whole number of micro-dollars")
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
    )


def pay_and_reseed(meter: Meter, rule: MeterRule, paid_cents: int) -> tuple[Meter, int, int]:
    """Pay `paid_cents` from a won meter and return it to its seed: reserve first, the house tops up (X17).

    The fraction of a cent that was not paid stays on the meter. Returns the meter, micro from reserve, micro from house.
    """
    paid = paid_cents * MICRO_PER_CENT
    rest = meter.shown_micro - paid
    if not 0 <= rest < MICRO_PER_CENT:
        raise MeterImbalance(f"{meter.name}: {paid_cents} cents is not the meter's {meter.shown_micro} floored to the cent")
    from_reserve = min(meter.reserve_micro, rule.seed_micro)
    from_house = rule.seed_micro - from_reserve
    after = replace(
        meter,
        shown_micro=rule.seed_micro + rest,
        reserve_micro=meter.reserve_micro - from_reserve,
        seeded_micro=meter.seeded_micro + from_house,
        paid_micro=meter.paid_micro + paid,
        hits=meter.hits + 1,
    )
    return after, from_reserve, from_house


def check(meter: Meter) -> None:
    """Raise `MeterImbalance` unless the accounts add up and nothing is negative."""
    put_in = meter.seeded_micro + meter.contributed_micro - meter.reversed_micro
    held = meter.shown_micro + meter.reserve_micro + meter.paid_micro
    if put_in != held or meter.shown_micro < 0 or meter.reserve_micro < 0:
        raise MeterImbalance(f"{meter.name}: seeded + contributed - reversed is {put_in}, shown + reserve + paid is {held}")


def text(micro: int) -> str:
    """Dollars for people, floored to the cent: "$50,123.45"."""
    cents = micro // MICRO_PER_CENT
    return cents_text(cents)


def cents_text(cents: int) -> str:
    return f"${cents // 100:,}.{cents % 100:02d}"
