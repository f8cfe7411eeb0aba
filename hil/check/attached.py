"""The running daemon's devices, measured from its status alone: nothing is touched.

Two statuses, some seconds apart: a link that holds, and error counters that do not grow in between.
"""

from __future__ import annotations

from collections.abc import Iterator

from drivers.events import LinkState
from firmware.app.status import DeviceStatus, TableStatus
from firmware.core.faults import Irregularity
from hil.codes import devices as device_codes
from hil.codes.measured import measured_code
from hil.measure import Measurement, Outcome

ERRORS = frozenset(
    {
        "refused", "lost", "silences", "write_timeouts", "close_stuck", "failed_level_reads", "failures", "foreign",
        "seq_reused", "bad_checks", "rejected", "errors", "crc_errors", "timeouts",
        "chip_resets", "hangs",
    }
)  # fmt: skip
"""Counters that stand still while all is well."""

LOCKOUT_REASONS = ("LOCK-OUT IS FAULTY", "LOCK-OUT IS STUCK", "RELEASE LOCK-OUT")


def measured(before: TableStatus, after: TableStatus, over_s: float, only: str | None = None) -> Iterator[Measurement]:
    """Every device of the table, or the one named."""
    was = {device.name: device for device in before.devices}
    for device in after.devices:
        if only in (None, device.name):
            yield from _device(was[device.name], device, after, over_s)
    if only is None:
        yield from _table(after)


def _device(before: DeviceStatus, after: DeviceStatus, status: TableStatus, over_s: float) -> Iterator[Measurement]:
    name = after.name
    if any(name in lease.devices for lease in status.leases):
        yield Measurement(name, "link", "leased", "", "ready", Outcome.FAIL, device_codes.LEASED.code)
        return
    ready = before.link == after.link == LinkState.READY
    worse = after if after.link != LinkState.READY else before
    value = "ready" if ready else f"{worse.link} ({worse.trouble or 'just now'})"
    code = (
        "" if ready else measured_code("link") if worse.link == LinkState.READY else device_codes.link_code(worse.link)
    )
    yield Measurement(name, "link", value, "", "ready", Outcome.PASS if ready else Outcome.FAIL, code, after.address)
    yield identity(name, after.identity, status.profile)
    yield errors(name, before.counters, after.counters, over_s)


def identity(name: str, found: str, profile: str) -> Measurement:
    good = bool(found) and (profile == "simulated" or not found.startswith("sim+"))
    outcome = Outcome.PASS if good else Outcome.FAIL
    wanted = "a real device" if profile != "simulated" else ""
    return Measurement(
        name, "identity", found or "none", "", wanted, outcome, "" if good else measured_code("identity")
    )


def errors(name: str, before: dict[str, int], after: dict[str, int], over_s: float) -> Measurement:
    grown = {counter: after[counter] - before.get(counter, 0) for counter in sorted(ERRORS & after.keys())}
    more = sum(grown.values())
    total = sum(after[counter] for counter in grown)
    which = "".join(f", {counter} {count}" for counter, count in grown.items() if count)
    value = f"{more} in {over_s:g} s{which}; {total} since the start"
    code = measured_code("errors") if more else ""
    return Measurement(name, "errors", value, "", "0 while watched", Outcome.FAIL if more else Outcome.PASS, code)


def _table(status: TableStatus) -> Iterator[Measurement]:
    reason = next((r for r in status.not_wagering_because if r in LOCKOUT_REASONS), None)
    yield _judged("lock-out button", (reason or "closed").lower(), "closed at rest", reason is None)
    wiring = [noted.detail for noted in status.irregularities if noted.kind == Irregularity.KEY_WIRING]
    yield _judged("key contacts", ", ".join(wiring) or "differ", "rest and turned differ", not wiring)
    trouble = [f"{spot.position}/{spot.wager}" for spot in status.spots if spot.service == "trouble"]
    value = f"out of order: {', '.join(trouble)}" if trouble else "in order"
    yield _judged("spots", value, "every line in order", not trouble)


def _judged(name: str, value: str, limits: str, good: bool) -> Measurement:
    outcome = Outcome.PASS if good else Outcome.FAIL
    return Measurement("table", name, value, "", limits, outcome, "" if good else measured_code(name))
