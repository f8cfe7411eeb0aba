"""What a scenario sees of its table: the daemon's own status, and the devices as people see them."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator
from pathlib import Path

import msgspec

from firmware.app.status import TableStatus
from firmware.core.meters import text
from firmware.journal.reader import Reader
from hil import daemon
from hil.bench import Bench
from hil.scenario.schema import See

LOOK_EVERY_S = 0.02


class NotSeen(Exception):
    """What had to be seen was not, or what must never be was; the message names it and what there was instead."""


class Look:
    def __init__(self, bench: Bench) -> None:
        self._bench = bench

    async def until(self, wanted: See) -> None:
        """Wait until all of it holds at once. Raises NotSeen."""
        until = time.monotonic() + wanted.limit_s
        while missing := await self._missing(wanted):
            if time.monotonic() > until:
                raise NotSeen(f"not within {wanted.limit_s:g} s: " + "; ".join(missing))
            await asyncio.sleep(LOOK_EVERY_S)

    async def never(self, unwanted: See, ms: int) -> None:
        """Raises NotSeen if all of it holds at any look within the time."""
        until = time.monotonic() + ms / 1000
        while time.monotonic() < until:
            if not await self._missing(unwanted):
                raise NotSeen("this must not come to be, and did")
            await asyncio.sleep(LOOK_EVERY_S)

    async def _missing(self, wanted: See) -> list[str]:
        try:
            async with asyncio.timeout(5):
                line = await daemon.status_line(
                    self._bench.layout.run_dir / self._bench.layout.settings.storage.control
                )
        except (daemon.NoDaemon, TimeoutError) as error:
            return [f"the daemon answers: {error}"]
        return [*_differences(wanted, daemon.decode(line)), *self._noted(wanted), *await self._shown(wanted)]

    def _noted(self, wanted: See) -> list[str]:
        if not wanted.irregularity:
            return []
        layout = self._bench.layout
        noted = {
            str(one["kind"])
            for one in told(layout.run_dir / layout.settings.storage.journal)
            if one["type"] == "IrregularityNoted"
        }
        missing = [kind for kind in wanted.irregularity if kind not in noted]
        return [f"irregularity {kind} in the journal, which has {sorted(noted)}" for kind in missing]

    async def _shown(self, wanted: See) -> list[str]:
        out = []
        if wanted.display:
            lines = (await self._bench.display.call("screen"))["lines"]
            shown = " / ".join(str(line).strip() for line in lines) if isinstance(lines, list) else ""
            out += [f"{part!r} on the display, which shows {shown!r}" for part in wanted.display if part not in shown]
        if wanted.board is not None:
            screen = str((await self._bench.sign.call("screen"))["screen"])
            if wanted.board not in screen:
                out.append(f"{wanted.board!r} on the board, which shows {screen!r}")
        if wanted.status_text is not None and wanted.status_text not in self._bench.status:
            out.append(f"{wanted.status_text!r} told to systemd, which heard {self._bench.status!r}")
        return out


def told(journal: Path) -> Iterator[dict[str, object]]:
    """A journal's events, each with its effects, in order, as its text has them."""
    with Reader(journal) as reader:
        for row in reader.entries():
            body = msgspec.json.decode(row.body)
            yield body["event"]
            yield from body["effects"]


def _differences(wanted: See, status: TableStatus) -> Iterator[str]:
    if wanted.phase is not None and status.phase != wanted.phase:
        yield f"phase {wanted.phase}, is {status.phase}"
    if wanted.round is not None and status.round != wanted.round:
        yield f"round {wanted.round}, is {status.round}"
    against = "; ".join(status.not_wagering_because)
    if wanted.against is not None and wanted.against not in against:
        yield f"{wanted.against!r} against wagering, is {against!r}"
    open_ones = [one.kind for one in status.irregularities]
    if wanted.no_irregularity and open_ones:
        yield f"no irregularity, open are {open_ones}"
    devices = {one.name: one for one in status.devices}
    for name, link in wanted.link.items():
        if devices[name].link != link:
            yield f"{name} {link}, is {devices[name].link}"
    for name, part in wanted.trouble.items():
        trouble = devices[name].trouble
        if (part not in trouble) if part else bool(trouble):
            yield f"{name}'s trouble {part!r}, is {trouble!r}"
    for counter, least in wanted.counter.items():
        name, _, what = counter.partition(".")
        if devices[name].counters.get(what, 0) < least:
            yield f"{counter} at least {least}, is {devices[name].counters.get(what)}"
    meters = {one.meter.name: text(one.meter.shown_micro) for one in status.meters}
    for name, shown in wanted.meter.items():
        if meters[name] != shown:
            yield f"meter {name} {shown}, is {meters[name]}"
    spots = {f"{one.position}/{one.wager}": one for one in status.spots}
    for name, show in wanted.lamps.items():
        if spots[name].lamp != show:
            yield f"lamp {name} {show}, is {spots[name].lamp}"
    for name, service in wanted.service.items():
        if spots[name].service != service:
            yield f"{name} {service}, is {spots[name].service}"
