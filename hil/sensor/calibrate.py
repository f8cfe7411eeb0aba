"""`hil sensor calibrate`: hands cover and clear the table's spots while the raw edges of a line device are recorded.

Rules:
* The table's own driver, leased or opened directly; what it saw before its filter is what is judged.
* Where levels are polled, a run shorter than a poll may not have been seen, and one that was seen may be that much
  shorter or longer: said with the figures.
* Ended early, by Ctrl-C or SIGTERM, it tells of what was recorded until then.
* A line that nobody moved is named, and not judged.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from drivers.events import DeviceEvent, LinesReady
from drivers.line_spec import NS_PER_MS, LineTiming
from drivers.ports import LineInputs, Timestamps
from drivers.raw_lines import Tapped
from hil import distribution
from hil.codes.measured import measured_code
from hil.ending import ending_after
from hil.lease import Access, NoLease, devices
from hil.sensor.trains import Bounce, Change, bounce, suggested_ms

READY_LIMIT_S = 15.0
NAMED = 12
IN_ORDER, NOT_IN_ORDER, NOT_POSSIBLE = 0, 1, 2


class Recording:
    """What a device saw, by line: the sink of its tap."""

    def __init__(self, polled: bool) -> None:
        self._polled = polled
        self._first: dict[str, bool] = {}
        self._last: dict[str, bool] = {}
        self._changes: dict[str, list[Change]] = {}

    def edge(self, line: str, active: bool, at_ns: int) -> None:
        if line in self._first:
            self._changes[line].append((at_ns, active))
            self._last[line] = active

    def level(self, line: str, active: bool, started_ns: int, ended_ns: int) -> None:
        if line not in self._first:
            self._first[line] = active
            self._changes[line] = []
        elif self._polled and active is not self._last[line]:
            self._changes[line].append((ended_ns, active))
        else:
            return
        self._last[line] = active

    def found(self, timings: Mapping[str, LineTiming]) -> list[LineFound]:
        """Every line that was read, in the order of the configuration."""
        return [
            line_found(name, self._last[name], bounce(self._first[name], self._changes[name]), timing)
            for name, timing in timings.items()
            if name in self._first
        ]


class LineFound(Struct, frozen=True):
    """A line, and the filter that it needs beside the one that it has: times for "there" and "away", in ms."""

    line: str
    active: bool
    changes: int
    spikes: int
    bounces_ns: tuple[int, ...]
    longest_false_active_ms: float
    longest_false_inactive_ms: float
    needs_active_ms: int
    needs_inactive_ms: int
    has_active_ms: int
    has_inactive_ms: int

    @property
    def moved(self) -> bool:
        return self.changes + self.spikes > 0

    @property
    def in_order(self) -> bool:
        return self.needs_active_ms <= self.has_active_ms and self.needs_inactive_ms <= self.has_inactive_ms


def line_found(name: str, active: bool, seen: Bounce, timing: LineTiming) -> LineFound:
    return LineFound(
        line=name,
        active=active,
        changes=seen.changes,
        spikes=seen.spikes,
        bounces_ns=(*seen.false_active_ns, *seen.false_inactive_ns),
        longest_false_active_ms=max(seen.false_active_ns, default=0) / 1e6,
        longest_false_inactive_ms=max(seen.false_inactive_ns, default=0) / 1e6,
        needs_active_ms=suggested_ms(seen.false_active_ns),
        needs_inactive_ms=suggested_ms(seen.false_inactive_ns),
        has_active_ms=timing.active_ns // NS_PER_MS,
        has_inactive_ms=timing.inactive_ns // NS_PER_MS,
    )


async def calibrate(access: Access, name: str, seconds: float, svg: Path | None, as_json: bool) -> int:
    """Returns the exit status. Raises as `hil.lease.devices`."""
    async with devices(access, [name]) as held:
        device = next((device for device in held.devices.lines if device.name == name), None)
        if device is None or not isinstance(device, Tapped):
            known = ", ".join(options for options, _ in held.settings.in_role("lines"))
            raise NoLease(f"{name} is no device with lines; there are: {known}")
        say = sys.stderr if as_json else sys.stdout
        print(held.how, file=say)
        polled = device.timestamps is Timestamps.NONE
        recording = Recording(polled)
        tap: Tapped = device
        ready = asyncio.Event()

        def heard(event: DeviceEvent) -> None:
            if isinstance(event, LinesReady):
                ready.set()

        tap.raw = recording
        async with held.running(name, heard):
            try:
                async with asyncio.timeout(READY_LIMIT_S):
                    await ready.wait()
            except TimeoutError:
                raise NoLease(f"{name} was not ready within {READY_LIMIT_S:g} s: hil check {name}") from None
            async with ending_after(seconds) as ending:
                print(
                    f"{name} is recorded for {seconds:g} s, or until Ctrl-C: cover and clear each spot, press each "
                    "button, turn each key, several times, slower than twice a second",
                    file=say, flush=True,
                )  # fmt: skip
                await ending.wait()
        found = recording.found(tap.timings)
    return _tell(device, found, polled, svg, as_json)


def _tell(device: LineInputs, found: Sequence[LineFound], polled: bool, svg: Path | None, as_json: bool) -> int:
    times_ns = [time_ns for line in found for time_ns in line.bounces_ns]
    if svg is not None and not times_ns:
        print(f"{svg} is not written: every level lasted, there is nothing to draw", file=sys.stderr)
    elif svg is not None:
        try:
            svg.write_text(distribution.svg(times_ns, f"{device.name}: levels that did not last"), "utf-8")
        except OSError as error:
            print(f"hil sensor: {error}", file=sys.stderr)
            return NOT_POSSIBLE
    if as_json:
        print(msgspec.json.encode({"device": device.name, "identity": device.identity, "lines": found}).decode())
    else:
        print("\n".join(told(device.identity, found, dict(device.counters), polled)), flush=True)
    return NOT_IN_ORDER if any(line.moved and not line.in_order for line in found) else IN_ORDER


def told(identity: str, found: Sequence[LineFound], counters: Mapping[str, int], polled: bool) -> Iterator[str]:
    """For people: a row a line, the histogram, and what to do."""
    yield identity
    if polled:
        mean_us = counters.get("poll_mean_us", 0)
        grain = f" (here {mean_us / 1000:.1f} ms)" if mean_us else ""
        yield f"levels are polled: what is shorter than the time between two reads{grain} may not be seen"
    moved = [line for line in found if line.moved]
    width = max([len(line.line) for line in found], default=4)
    if moved:
        yield (
            f"{'line':<{width}}  now    changes  spikes  bounces  did not last, ms        filter needs    has, ms"
        ).rstrip()
    for line in moved:
        longest = f"{line.longest_false_active_ms:.1f} there, {line.longest_false_inactive_ms:.1f} away"
        needs, has = f"{line.needs_active_ms}/{line.needs_inactive_ms}", f"{line.has_active_ms}/{line.has_inactive_ms}"
        mark = "" if line.in_order else f"  TOO SHORT [{measured_code('filter')}]"
        yield (
            f"{line.line:<{width}}  {'on' if line.active else 'off':<5}  {line.changes:>7}  {line.spikes:>6}  "
            f"{len(line.bounces_ns):>7}  {longest:<22}  {needs:>12}  {has:>9}{mark}"
        )
    times_ns = [time_ns for line in moved for time_ns in line.bounces_ns]
    if times_ns:
        yield ""
        yield f"levels that did not last, all lines: {distribution.told(distribution.figures(times_ns))}"
        yield from distribution.lines(times_ns)
    yield ""
    still = [line.line for line in found if not line.moved]
    if still:
        more = f" and {len(still) - NAMED} more" if len(still) > NAMED else ""
        yield f"not moved, not judged: {', '.join(still[:NAMED])}{more}"
    stuck = [line.line for line in found if line.active and not line.moved]
    if stuck:
        yield f"on all the time: {', '.join(stuck[:NAMED])}"
    yield from _advice(moved)


def _advice(moved: Sequence[LineFound]) -> Iterator[str]:
    bad = [line for line in moved if not line.in_order]
    if not moved:
        yield "nothing moved: was anything touched? hil watch shows the lines as they are"
    elif not bad:
        which = "the one line" if len(moved) == 1 else f"all {len(moved)} lines"
        yield f"filters are long enough for {which} that moved"
    for line in bad:
        is_spot = "/" in line.line
        keys = ("present_ms", "absent_ms") if is_spot else ("stable_ms", "stable_ms")
        needs = {}
        if line.needs_active_ms > line.has_active_ms:
            needs[keys[0]] = line.needs_active_ms
        if line.needs_inactive_ms > line.has_inactive_ms:
            needs[keys[1]] = max(line.needs_inactive_ms, needs.get(keys[1], 0))
        wanted = ", ".join(f"{key} = {value}" for key, value in needs.items())
        yield f"{line.line}: mend the sensor or its wiring; or [timing] {wanted}"
