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
from hil.layout import spot_of
from hil.scenario.schema import See
from hil.views import LampColours

LOOK_EVERY_S = 0.02
TOLD = (
    "phase", "round", "against", "no_irregularity", "link", "trouble", "counter", "meter", "lamps", "service",
    "journal_fault", "wall_trusted",
)  # fmt: skip
"""Keys of `see` that are answered by the daemon's status; the others by what is around it, also while it hangs."""


NOTHING = See()


class NotSeen(Exception):
    """What had to be seen was not, or what must never be was; the message names it and what there was instead."""


class Look:
    def __init__(self, bench: Bench, watchdog_ms: int = 0) -> None:
        self._bench = bench
        self._watchdog_ms = watchdog_ms
        self._colours = LampColours(bench.layout)

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
        return [
            *await self._told(wanted),
            *self._noted(wanted),
            *self._heard(wanted),
            *await self._shown(wanted),
            *await self._lit(wanted),
        ]

    async def _told(self, wanted: See) -> list[str]:
        """By the daemon itself, where anything is asked of it."""
        if all(getattr(wanted, name) == getattr(NOTHING, name) for name in TOLD):
            return []
        control = self._bench.layout.run_dir / self._bench.layout.settings.storage.control
        try:
            async with asyncio.timeout(5):
                line = await daemon.status_line(control)
        except (daemon.NoDaemon, TimeoutError) as error:
            return [f"the daemon answers: {error}"]
        return list(_differences(wanted, daemon.decode(line)))

    def _heard(self, wanted: See) -> list[str]:
        """What systemd would hear."""
        out = []
        if wanted.status_text is not None and wanted.status_text not in self._bench.status:
            out.append(f"{wanted.status_text!r} told to systemd, which heard {self._bench.status!r}")
        if wanted.fed is not None:
            at_s = self._bench.fed_at_s
            ago_s = None if at_s is None else time.monotonic() - at_s
            if wanted.fed != (ago_s is not None and ago_s * 1000 <= self._watchdog_ms):
                said = "never" if ago_s is None else f"{ago_s:.2f} s ago"
                out.append(f"watchdog {'fed' if wanted.fed else 'hungry'}, it was fed last {said}")
        return out

    async def _lit(self, wanted: See) -> list[str]:
        """Lamps as people see them."""
        if not wanted.pixels:
            return []
        pixels, number = (await self._bench.chip.lamps()).pixels, self._bench.layout.lamps
        out = []
        for name, state in wanted.pixels.items():
            if (shown := self._colours.state_of(pixels[number[spot_of(name)]]).value) != state:
                out.append(f"pixel of {name} {state}, is {shown}")
        return out

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
        for name, part in wanted.screen.items():
            shown = str((await self._bench.clients[name].call("screen"))["screen"])
            if part not in shown:
                out.append(f"{part!r} on {name}, which shows {shown!r}")
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
    if wanted.journal_fault is not None:
        fault = status.journal.fault
        if (wanted.journal_fault not in fault) if wanted.journal_fault else bool(fault):
            yield f"journal's fault {wanted.journal_fault!r}, is {fault!r}"
    if wanted.wall_trusted is not None and status.wall_trusted != wanted.wall_trusted:
        yield f"wall time trusted: {wanted.wall_trusted}, is {status.wall_trusted}"
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
