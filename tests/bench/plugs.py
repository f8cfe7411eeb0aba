"""Unplugged and plugged in again, with the daemon and every device as processes: `python -m tests.bench.plugs`.

    --times N       how often each device is unplugged (default 5)
    --seed N

A simulated device's plug is pulled (the pty hangs up and its name is gone), the daemon's status is watched, the plug is
put back a random time later. What is printed for each device, in seconds:

* from the pull to a status that shows its trouble: at most 1
* from the plug to a status that shows it ready: at most 5

A plug is left in for 11 s before the next pull: one that flaps is tried again later and later, on purpose. Exit status
0 only if all of it held.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from firmware.app.status import DeviceStatus
from hil.bench import Bench
from hil.daemon import CONTROL_NAME, decode, watch_lines
from hil.layout import layout_of
from hil.simclient import AsyncSimClient
from tests.bench.wire_bench import TABLE

VISIBLE_S = 1.0
READY_S = 5.0
STEADY_S = 11.0
LIMIT_S = 70.0
BUS = """
[devices.jackpots]
kind = "meter.tgline_simulated"
url = "bus.tty"
levels = { "royal_9.mega" = 1, "royal_9.major" = 2 }

"""


def table(folder: Path) -> Path:
    """The example table, with jackpot meters on a bus."""
    config = folder / "table.toml"
    config.write_text(TABLE.read_text("utf-8").replace("[devices.lines]", BUS + "[devices.lines]"), "utf-8")
    return config


class Watched:
    """The newest status of every device."""

    def __init__(self) -> None:
        self._devices: dict[str, DeviceStatus] = {}
        self._news = asyncio.Event()

    async def run(self, socket: Path) -> None:
        async for line in watch_lines(socket):
            self._devices = {device.name: device for device in decode(line).devices}
            self._news.set()

    async def until(self, names: list[str], wanted: Callable[[DeviceStatus], bool]) -> float:
        """When all of these devices were seen so; seconds of the monotonic clock."""
        async with asyncio.timeout(LIMIT_S):
            while not all(name in self._devices and wanted(self._devices[name]) for name in names):
                self._news.clear()
                await self._news.wait()
        return time.monotonic()


def is_ready(device: DeviceStatus) -> bool:
    return device.link == "ready" and not device.trouble


def is_in_trouble(device: DeviceStatus) -> bool:
    return device.link != "ready" and bool(device.trouble)


async def measure(times: int, seed: int, folder: Path) -> bool:
    chance = random.Random(seed)
    bench = Bench(layout_of(table(folder), folder), seed)
    held = True
    async with bench:
        watched = Watched()
        watching = asyncio.ensure_future(watched.run(folder / CONTROL_NAME))
        plugs = {"shoe": ["shoe"], "board": ["board"], "display": ["display"], "jackpots": ["jackpots"]}
        await watched.until([name for names in plugs.values() for name in names], is_ready)
        await asyncio.sleep(STEADY_S)
        for plug, names in plugs.items():
            seen = [await _once(bench.clients[plug], watched, names, chance) for _ in range(times)]
            visible, ready = max(one[0] for one in seen), max(one[1] for one in seen)
            held &= visible <= VISIBLE_S and ready <= READY_S
            what = " and ".join(names)
            print(f"  {what}: {times} times, pull to trouble seen {visible:.3f} s, plug to ready {ready:.3f} s (worst)")
        watching.cancel()
    return held


async def _once(
    client: AsyncSimClient, watched: Watched, names: list[str], chance: random.Random
) -> tuple[float, float]:
    pulled_s = time.monotonic()
    await client.call("unplug")
    seen_s = await watched.until(names, is_in_trouble)
    await asyncio.sleep(chance.uniform(0.2, 6.0))
    plugged_s = time.monotonic()
    await client.call("plug")
    ready_s = await watched.until(names, is_ready)
    await asyncio.sleep(STEADY_S)
    return seen_s - pulled_s, ready_s - plugged_s


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="unplugged and plugged in again")
    parser.add_argument("--times", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(argv)
    print(f"plugs: the daemon and its devices as processes; targets {VISIBLE_S:g} s and {READY_S:g} s")
    with tempfile.TemporaryDirectory(prefix="plugs") as folder:
        held = asyncio.run(measure(options.times, options.seed, Path(folder)))
    print(f"  held: {'yes' if held else 'NO'}")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
