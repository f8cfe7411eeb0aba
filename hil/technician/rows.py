"""What the panel lists: faults, links, lines, the machine. Pure: from statuses to lines of text.

Rules: nothing is told by colour alone. A line's `mark` says how it stands, and is written before it; the colour comes
on top.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum

from msgspec import Struct

from drivers.events import LinkState
from drivers.facts.fact import Verdict
from firmware.app.line_levels import LineStatus
from firmware.app.status import DeviceStatus, TableStatus
from firmware.core.meters import text
from hil.codes.machine import code_of
from hil.status import wrong

BAUD_COUNTERS = ("bytes", "bytes_in", "received", "frames", "edges", "writes", "polls")
"""Counters whose growth says that something moves, the first that a device has."""


class Mark(StrEnum):
    """How a line of a list stands."""

    GOOD = " "
    ACTIVE = "●"
    WRONG = "!"
    UNKNOWN = "?"
    PLAIN = ""


class Row(Struct, frozen=True):
    mark: Mark
    text: str


def faults(status: TableStatus) -> Iterator[Row]:
    """Everything that is not in order, with its code and what to do; one line if nothing is."""
    found = [Row(Mark.WRONG, what) for what in wrong(status)]
    yield from found or [Row(Mark.GOOD, "in order")]


def links(status: TableStatus, rates: Mapping[str, str]) -> Iterator[Row]:
    """Each device's link, what it is, where, and its counters. `rates`: of `rates_of`."""
    leased = {name for lease in status.leases for name in lease.devices}
    for device in status.devices:
        ready = device.link == LinkState.READY
        state = "LEASED" if device.name in leased else device.link.upper()
        told = f"{device.name}: {state}"
        if device.trouble:
            told += f" ({device.trouble})"
        if device.name in rates:
            told += f"  {rates[device.name]}"
        yield Row(Mark.GOOD if ready else Mark.WRONG, told)
        yield Row(Mark.PLAIN, f"    {device.identity or 'not identified'}")
        counters = "  ".join(f"{name} {value}" for name, value in device.counters.items() if value)
        yield Row(Mark.PLAIN, f"    {counters or 'all counters at zero'}")


def rates_of(before: TableStatus, now: TableStatus, seconds: float) -> dict[str, str]:
    """How fast a device's counters grew between two statuses, by its name; only where one did."""
    was = {device.name: device.counters for device in before.devices}
    out: dict[str, str] = {}
    for device in now.devices:
        moving = _moving(device, was.get(device.name, {}), seconds)
        if moving:
            out[device.name] = moving
    return out


def _moving(device: DeviceStatus, before: Mapping[str, int], seconds: float) -> str:
    for name in BAUD_COUNTERS:
        if name in device.counters:
            more = device.counters[name] - before.get(name, 0)
            return f"{more / seconds:.0f} {name}/s" if more > 0 and seconds > 0 else ""
    return ""


def lines(status: TableStatus) -> Iterator[Row]:
    """Every line as its device last said, in the order of the configuration; its name last, which may be long."""
    place = max((len(_place(line)) for line in status.lines), default=0)
    for line in status.lines:
        level = "unknown" if line.active is None else "ACTIVE" if line.active else "rest"
        trouble = f"  {line.trouble.upper()}" if line.trouble else ""
        yield Row(_mark(line), f"{level:<7} {line.changes:>5}  {_place(line):<{place}}  {line.name}{trouble}")


def _place(line: LineStatus) -> str:
    return f"{line.device}:{line.number}"


def _mark(line: LineStatus) -> Mark:
    if line.trouble:
        return Mark.WRONG
    if line.active is None:
        return Mark.UNKNOWN
    return Mark.ACTIVE if line.active else Mark.GOOD


MACHINE_MARKS = {
    Verdict.GOOD: Mark.GOOD,
    Verdict.WARN: Mark.WRONG,
    Verdict.BAD: Mark.WRONG,
    Verdict.NOT_KNOWN: Mark.UNKNOWN,
}


def machine(status: TableStatus) -> Iterator[Row]:
    """Software, journal, meters, and the facts of the computer in the table."""
    journal = status.journal
    yield Row(Mark.PLAIN, f"tabled {status.version}; {status.config}")
    clock = "synchronized" if status.wall_trusted else "NOT synchronized"
    yield Row(Mark.GOOD if status.wall_trusted else Mark.WRONG, f"wall clock {clock}")
    slowest = f"slowest {journal.slowest_commit_ns / 1e6:.1f} ms"
    told = journal.fault or f"{journal.commits} commits, {slowest}, WAL {journal.wal_bytes / 2**20:.1f} MiB"
    yield Row(Mark.WRONG if journal.fault else Mark.GOOD, f"journal: {told}")
    yield Row(Mark.PLAIN, f"    {journal.path}, head {journal.head[:16] or 'none yet'}")
    for one in status.meters:
        yield Row(Mark.GOOD, f"meter {one.meter.name}: {text(one.meter.shown_micro)}")
    for fact in status.hardware:
        code = code_of(fact)
        yield Row(MACHINE_MARKS[fact.verdict], f"{fact.name}: {fact.value}{f'  [{code}]' if code else ''}")
