"""The devices themselves, opened by their own drivers: what each port lets one measure.

Rules:
* Every device has its time. One that hangs is a failed measurement, and the next one's turn comes; whether it could be
  closed is told, so that the process can end all the same.
* Inputs are measured at rest: nobody touches the table. Outputs are given one plain picture, and the daemon, or the
  end of the check, puts its own in its place.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager

from drivers.devices.pixel_lamps import DARK
from drivers.events import DeviceEvent, LineChanged, LineReconciled, LinesReady, LinkChanged, Shown
from drivers.ports import BoardContent, Device, MeterContent, Pixel
from drivers.result_events import WheelPhaseChanged, WheelWarned
from firmware.app.line_names import FLOOR_KEY, KEY_LINES, LOCKOUT, RESET_KEY
from hil.check.attached import errors, identity
from hil.codes.measured import measured_code
from hil.lease import Held
from hil.measure import Measurement, Outcome

DEVICE_LIMIT_S = 15.0
CLOSE_LIMIT_S = 5.0
QUIET_S = 1.0
DIM = Pixel(24, 24, 24)
BLANK = " " * 20


class Opened:
    """One check of opened devices. `left`: names of those that could not be closed in time."""

    def __init__(self, held: Held, *, limit_s: float = DEVICE_LIMIT_S, quiet_s: float = QUIET_S) -> None:
        self._held = held
        self._limit_s = limit_s
        self._quiet_s = quiet_s
        self.left: list[str] = []

    async def all(self) -> list[Measurement]:
        """Every device, one after the other."""
        found: list[Measurement] = []
        for device in self._held.devices.all():
            found += await self._one(device)
        return found

    async def _one(self, device: Device) -> list[Measurement]:
        found: list[Measurement] = []
        heard = Heard()
        try:
            async with asyncio.timeout(self._limit_s), self._running(device, heard):
                await self._measure(device, heard, found)
        except TimeoutError:
            told = [event.reason for event in heard.events if isinstance(event, LinkChanged) and event.reason]
            done = (
                f"measured: {', '.join(m.name for m in found)}" if found else (told[-1] if told else "it says nothing")
            )
            value = f"not done within {self._limit_s:g} s: {done}"
            name = "deadline" if found else "link"
            limits = f"ready within {self._limit_s:g} s" if name == "link" else f"{self._limit_s:g} s"
            found.append(Measurement(device.name, name, value, "", limits, Outcome.FAIL, measured_code(name)))
        return found

    async def _measure(self, device: Device, heard: Heard, found: list[Measurement]) -> None:
        began_s = time.monotonic()
        await heard.until(lambda event: isinstance(event, LinkChanged) and event.up)
        took_ms = (time.monotonic() - began_s) * 1000
        limits = f"ready within {self._limit_s:g} s"
        found.append(Measurement(device.name, "link", f"ready after {took_ms:.0f}", "ms", limits, Outcome.PASS))
        found.append(identity(device.name, device.identity, self._held.settings.table.profile.value))
        before = dict(device.counters)
        devices = self._held.devices
        if device in devices.lines:
            found += await self._lines(device.name, heard)
            if "poll_worst_us" in device.counters:
                found.append(self._polling(device.name, device.counters))
        elif device in (*devices.boards, *devices.displays, *devices.meters, *(s.device for s in devices.lamps)):
            found.append(await self._shown(device, heard))
        elif any(wheel is device and wheel.abilities.phases for wheel in devices.wheels):
            found.append(await self._wheel(device.name, heard))
        else:
            await asyncio.sleep(self._quiet_s)
        found.append(errors(device.name, before, dict(device.counters), self._quiet_s))

    async def _lines(self, name: str, heard: Heard) -> list[Measurement]:
        ready = next(event for event in heard.events if isinstance(event, LinesReady))
        levels = {state.line: state.active for state in ready.levels}
        seen = len(heard.events)
        await asyncio.sleep(self._quiet_s)
        changed = {e.line for e in heard.events[seen:] if isinstance(e, LineChanged | LineReconciled)}
        out = []
        if LOCKOUT in levels:
            value = "open (pressed)" if levels[LOCKOUT] else "closed"
            out.append(_judged(name, "lock-out button", value, "closed at rest", not levels[LOCKOUT]))
        for key in (FLOOR_KEY, RESET_KEY):
            rest, turned = levels.get(f"{key}.rest"), levels.get(f"{key}.turned")
            if rest is not None and turned is not None:
                value = f"{key}: rest {_contact(rest)}, turned {_contact(turned)}"
                out.append(_judged(name, "key contacts", value, "they differ", rest != turned))
        keys = {LOCKOUT, *KEY_LINES, *(f"{k}.{c}" for k in (FLOOR_KEY, RESET_KEY) for c in ("rest", "turned"))}
        covered = sorted(line for line, active in levels.items() if active and "/" in line and line not in keys)
        out.append(_judged(name, "spots", ", ".join(covered) or "none covered", "none covered", not covered))
        value = f"{', '.join(sorted(changed)) or 'none'} changed in {self._quiet_s:g} s"
        out.append(_judged(name, "noise", value, "none", not changed))
        return out

    async def _wheel(self, name: str, heard: Heard) -> Measurement:
        """Of a wheel that tells its phases: where it is, and that it warns of nothing."""
        await heard.until(lambda event: isinstance(event, WheelPhaseChanged))
        await asyncio.sleep(self._quiet_s)
        phase = next(event.phase for event in reversed(heard.events) if isinstance(event, WheelPhaseChanged))
        warned = [event.warnings for event in heard.events if isinstance(event, WheelWarned)]
        warnings = ", ".join(warned[-1]) if warned and warned[-1] else "none"
        value = f"in phase {phase}, warnings {warnings}"
        return _judged(name, "wheel", value, "no warning", warnings == "none")

    def _polling(self, name: str, counters: Mapping[str, int]) -> Measurement:
        """How evenly an expander was read while its lines were watched."""
        worst_ms, limit_ms = counters["poll_worst_us"] / 1000, self._held.settings.timing.present_ms
        good = worst_ms < limit_ms
        value = f"{counters['poll_mean_us'] / 1000:.1f} mean, {worst_ms:.1f} worst"
        outcome = Outcome.PASS if good else Outcome.FAIL
        code = "" if good else measured_code("polling")
        return Measurement(name, "polling", value, "ms", f"under {limit_ms} (present_ms)", outcome, code)

    async def _shown(self, device: Device, heard: Heard) -> Measurement:
        seen = len(heard.events)
        began_s = time.monotonic()
        devices = self._held.devices
        for board in devices.boards:
            if board is device:
                board.show(BoardContent("HIL CHECK", ()))
        for display in devices.displays:
            if display is device:
                display.show(("HIL CHECK".ljust(20), BLANK, BLANK, BLANK))
        for meter in devices.meters:
            if meter is device:
                meter.show(MeterContent())
        for string in devices.lamps:
            if string.device is device:
                string.device.show([DIM] * string.device.size)
        await heard.until(lambda event: isinstance(event, Shown), seen)
        took_ms = (time.monotonic() - began_s) * 1000
        for string in devices.lamps:
            if string.device is device:
                string.device.show([DARK] * string.device.size)
        return Measurement(device.name, "shown", f"after {took_ms:.0f}", "ms", "the whole content taken", Outcome.PASS)

    @asynccontextmanager
    async def _running(self, device: Device, heard: Heard) -> AsyncIterator[None]:
        task = asyncio.create_task(device.run(heard.emit), name=device.name)
        heard.watch(task)
        try:
            yield
        finally:
            task.cancel()
            done, _ = await asyncio.wait([task], timeout=CLOSE_LIMIT_S)
            if not done:
                self.left.append(device.name)


class Heard:
    """What a device has told so far, and a wait for more; a device's task that dies ends the wait by its exception."""

    def __init__(self) -> None:
        self.events: list[DeviceEvent] = []
        self._more = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    def emit(self, event: DeviceEvent) -> None:
        self.events.append(event)
        self._more.set()

    def watch(self, task: asyncio.Task[None]) -> None:
        self._task = task
        task.add_done_callback(lambda _: self._more.set())

    async def until(self, wanted: Callable[[DeviceEvent], bool], after: int = 0) -> None:
        """Until an event from number `after` on is the wanted one."""
        while not any(wanted(event) for event in self.events[after:]):
            if self._task is not None and self._task.done():
                self._task.result()
            self._more.clear()
            await self._more.wait()


def _judged(of: str, name: str, value: str, limits: str, good: bool) -> Measurement:
    outcome = Outcome.PASS if good else Outcome.FAIL
    return Measurement(of, name, value, "", limits, outcome, "" if good else measured_code(name))


def _contact(active: bool) -> str:
    return "closed" if active else "open"
