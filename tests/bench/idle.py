"""What the daemon costs while nothing happens: `python -m tests.bench.idle`.

    --seconds N     how long each state is measured (default 30)
    --table NAME    config/tables/NAME.toml (default midibaccarat: nine positions)

The daemon and every device as processes; processor time of the daemon alone, all its threads, as a share of one core.
States: the table closed; betting open, nothing lies there; betting open and a chip at every position, so that lamps
blink; the same while a status is read each second. Exit status 0 only if the daemon idles below 3 %.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from hil import daemon
from hil.bench import Bench
from hil.dealer import Dealer
from hil.dealer_screen import DealerScreen, Title
from hil.layout import Spot, layout_of
from tests.bench.wire_bench import TABLE

TARGET = 0.03
HZ = os.sysconf("SC_CLK_TCK")
USER_AT, SYSTEM_AT = 11, 12
"""Among the fields that stand behind the name in a `stat` file."""


def processor_s(pid: int) -> dict[str, float]:
    """Processor time of each thread so far, by number and name."""
    spent = {}
    for task in Path(f"/proc/{pid}/task").iterdir():
        head, _, rest = task.joinpath("stat").read_text().rpartition(")")
        fields = rest.split()
        spent[f"{task.name} {head.partition('(')[2]}"] = (int(fields[USER_AT]) + int(fields[SYSTEM_AT])) / HZ
    return spent


async def share(pid: int, seconds: float) -> tuple[float, list[tuple[str, float]]]:
    """Share of one core, and of which threads, the busiest first."""
    began_s, before = time.monotonic(), processor_s(pid)
    await asyncio.sleep(seconds)
    took_s, after = time.monotonic() - began_s, processor_s(pid)
    each = {name: (spent - before.get(name, 0.0)) / took_s for name, spent in after.items()}
    return sum(each.values()), sorted(each.items(), key=lambda one: -one[1])


async def measure(table: str, seconds: float, folder: Path) -> bool:
    bench = Bench(layout_of(TABLE.parent / f"{table}.toml", folder), 1)
    async with bench:
        assert bench.daemon is not None
        pid = bench.daemon.pid
        screen = DealerScreen(bench.display)
        await screen.until("the closed table", lambda seen: seen.title == Title.CLOSED)
        await asyncio.sleep(2)
        idle = [_told("table closed", *await share(pid, seconds))]
        dealer = Dealer(bench.layout, bench.panel, screen, bench.shoe, 1, 0)
        await dealer.open_table()
        await screen.until("betting", lambda seen: seen.title == Title.BETTING)
        await asyncio.sleep(2)
        idle.append(_told("betting open", *await share(pid, seconds)))
        for spot in _one_each(bench):
            await bench.panel.place(spot)
            await bench.panel.let_it_be_sensed(spot)
        _told("betting open, a chip at each position, lamps blink", *await share(pid, seconds))
        asking = asyncio.create_task(_ask(folder / bench.layout.settings.storage.control))
        _told("the same, asked for its status each second", *await share(pid, seconds))
        asking.cancel()
    return max(idle) < TARGET


def _one_each(bench: Bench) -> Iterator[Spot]:
    seen: set[int] = set()
    for spot in bench.layout.spots:
        if spot.position not in seen:
            seen.add(spot.position)
            yield spot


async def _ask(control: Path) -> None:
    while True:
        await daemon.status_line(control)
        await asyncio.sleep(1)


def _told(state: str, whole: float, threads: list[tuple[str, float]]) -> float:
    parts = ", ".join(f"{name.partition(' ')[2]} {part:.1%}" for name, part in threads[:3] if part >= 0.0005)
    print(f"  {state}: {whole:.1%} of one core ({parts})", flush=True)
    return whole


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="what the daemon costs while nothing happens")
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--table", default="midibaccarat")
    options = parser.parse_args(argv)
    print(f"idle: {options.table}, the daemon's processor time over {options.seconds:g} s a state; target {TARGET:.0%}")
    with tempfile.TemporaryDirectory(prefix="idle") as folder:
        held = asyncio.run(measure(options.table, options.seconds, Path(folder)))
    print(f"  held: {'yes' if held else 'NO'}")
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
