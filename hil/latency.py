"""`hil latency`: from a chip's edge until its lamp is lit, as a distribution.

Two ways of measuring, told apart in what is printed:
* attached: the daemon's own figures of the chips that were placed (`firmware/app/lamp_times.py`): from the edge,
  stamped by the kernel, until the lamps' driver has written the frame. Real or simulated.
* `bench`: at a bench of one's own, from outside of the daemon: from the edge that the simulated chip stamped until the
  frame in which the lamp's pixel changed, stamped by the same chip.

Rules: the debounce time is part of it, and named. Chips are placed one at a time, at moments that keep no step with any
timer of the daemon.
"""

from __future__ import annotations

import asyncio
import random
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from firmware.settings.problems import ConfigurationError
from hil import daemon, distribution, lease
from hil.bench import Bench
from hil.children import PartDied
from hil.dealer import Dealer
from hil.dealer_screen import DealerScreen, Stuck
from hil.layout import Layout, NotForTheBench, Spot, layout_of
from hil.machine_identity import Machine, read

MEASURED, NOT_MEASURED, NOT_POSSIBLE = 0, 1, 2
SEED = 1
LOOK_EVERY_S = 0.003
LAMP_LIMIT_S = 5.0
WAIT_MS = (5, 45)
"""Between two chips: at random."""
BY_DAEMON = "by the daemon: from the edge's time until the lamps' driver has written the frame"
BY_CHIP = "at the simulated chip: from the edge until the frame that changes the lamp"


class Latency(Struct, frozen=True):
    """One measurement. `times_ns`: each chip's, in the order in which they came."""

    table: str
    how: str
    debounce_ms: int
    times_ns: tuple[int, ...]
    machine: Machine


class LampAmiss(Exception):
    """A lamp did not follow its chip; the message names the spot."""


def attached(socket: Path, svg: Path | None, as_json: bool) -> int:
    """The daemon's own figures. Returns the exit status."""
    try:
        status = daemon.decode(asyncio.run(daemon.status_line(socket)))
        settings = lease.table(Path(status.config)).settings
    except (daemon.NoDaemon, lease.NoLease) as error:
        print(f"hil latency: {error}", file=sys.stderr)
        return NOT_POSSIBLE
    if not status.lamp_times_ns:
        print(
            "hil latency: no chip has lit its lamp since the daemon started. Open the table, place chips on spots, and "
            "ask again; or measure on a bench: --table FILE",
            file=sys.stderr,
        )
        return NOT_MEASURED
    found = Latency(status.table, BY_DAEMON, settings.timing.present_ms, status.lamp_times_ns, read())
    return _told(found, svg, as_json)


def bench(table: Path, count: int, svg: Path | None, as_json: bool) -> int:
    """At a bench of this table. Returns the exit status."""

    def progress(done: int) -> None:
        if sys.stderr.isatty():
            print(f"\r{done} of {count}", end="" if done < count else "\n", file=sys.stderr, flush=True)

    try:
        with tempfile.TemporaryDirectory(prefix="tabled-") as folder:
            found = asyncio.run(at_bench(layout_of(table, Path(folder)), count, progress))
    except (ConfigurationError, NotForTheBench) as error:
        print(f"hil latency: {error}", file=sys.stderr)
        return NOT_POSSIBLE
    except (PartDied, Stuck, LampAmiss) as error:
        print(f"hil latency: {error}", file=sys.stderr)
        return NOT_MEASURED
    return _told(found, svg, as_json)


async def at_bench(layout: Layout, count: int, progress: Callable[[int], None]) -> Latency:
    """Place `count` chips on a table with nobody at it. Raises PartDied, Stuck, LampAmiss."""
    async with Bench(layout, SEED) as table:
        times = await measured(table, count, progress)
    return Latency(layout.settings.table.id, BY_CHIP, layout.settings.timing.present_ms, times, read())


async def measured(table: Bench, count: int, progress: Callable[[int], None]) -> tuple[int, ...]:
    """Open the table, and place one chip after the other. Raises as `at_bench`."""
    chance = random.Random(SEED)
    times: list[int] = []
    dealer = Dealer(table.layout, table.panel, DealerScreen(table.display), table.shoe, SEED, 0)
    await table.or_dead(dealer.open_table())
    spots = sorted(table.layout.spots)
    before: Spot | None = None
    for done in range(1, count + 1):
        spot = chance.choice([one for one in spots if one != before])
        await _dark(table, spot)
        await asyncio.sleep(chance.uniform(*WAIT_MS) / 1000)
        await table.panel.place(spot)
        times.append(await _lit(table, spot) - table.panel.chips[spot])
        await table.panel.take(spot)
        before = spot
        progress(done)
    return tuple(times)


async def _lit(bench: Bench, spot: Spot) -> int:
    """When the lamp of a chip that was just placed was first changed. Raises `LampAmiss`."""
    pixel, edge_ns = bench.layout.lamps[spot], bench.panel.chips[spot]
    try:
        async with asyncio.timeout(LAMP_LIMIT_S):
            while True:
                lamps = await bench.chip.lamps()
                if lamps.changed_at_ns[pixel] > edge_ns:
                    return lamps.changed_at_ns[pixel]
                await asyncio.sleep(LOOK_EVERY_S)
    except TimeoutError:
        where = f"{spot.position}/{spot.wager}"
        raise LampAmiss(f"{where}: a chip lay there for {LAMP_LIMIT_S:.0f} s and its lamp stayed dark") from None


async def _dark(bench: Bench, spot: Spot) -> None:
    """Until the lamp has forgotten the chip that lay there before."""
    pixel = bench.layout.lamps[spot]
    try:
        async with asyncio.timeout(LAMP_LIMIT_S):
            while any((await bench.chip.lamps()).pixels[pixel]):
                await asyncio.sleep(LOOK_EVERY_S)
    except TimeoutError:
        where = f"{spot.position}/{spot.wager}"
        raise LampAmiss(f"{where}: its lamp is still lit {LAMP_LIMIT_S:.0f} s after the chip was taken") from None


def _told(found: Latency, svg: Path | None, as_json: bool) -> int:
    figures = distribution.figures(found.times_ns)
    if svg is not None:
        try:
            svg.write_text(distribution.svg(found.times_ns, title(found)), "utf-8")
        except OSError as error:
            print(f"hil latency: {error}", file=sys.stderr)
            return NOT_POSSIBLE
    if as_json:
        print(msgspec.json.encode({"measured": found, "figures": figures}).decode(), flush=True)
    else:
        print("\n".join(report(found, figures)), flush=True)
    return MEASURED


def title(found: Latency) -> str:
    return f"{found.table}: from a chip's edge to its lamp"


def report(found: Latency, figures: distribution.Figures) -> Sequence[str]:
    """For people."""
    beyond = distribution.figures([time_ns - found.debounce_ms * 1_000_000 for time_ns in found.times_ns])
    rest = f"median {beyond.median_ms:.1f}, 99 % {beyond.p99_ms:.1f}, longest {beyond.longest_ms:.1f} ms"
    return [
        title(found),
        f"measured {found.how}",
        f"machine: {found.machine.told}",
        *distribution.lines(found.times_ns),
        distribution.told(figures),
        f"a chip must lie for {found.debounce_ms} ms; beyond that: {rest}",
    ]
