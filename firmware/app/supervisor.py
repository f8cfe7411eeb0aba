"""Keeps every device's task alive, and makes an event of each one's death.

Rules:
* A device's `run` returns only when cancelled. If it raises, the core hears of it at once (`DeviceDown`), the trace is
  logged, and the device is started again after `RESTART_AFTER_S`: never a quiet table. One that dies again and again of
  the same is told to the core each time, but logged at its 1st, 2nd, 4th, 8th ... death only.
* An exception in a callback of the loop (a timer, an edge, a socket) is a fault of the program like one of a task: the
  loop alone would only log it and go on with whatever was left half done.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Collection, Iterable
from typing import Any, Never, NoReturn

from drivers.events import DeviceEvent
from drivers.ports import Device
from firmware.app import clock
from firmware.core.events import DeviceDown, Event

log = logging.getLogger(__name__)

RESTART_AFTER_S = 1.0


async def keep_running(device: Device, emit: Callable[[DeviceEvent], None], post: Callable[[Event], None]) -> None:
    """Run one device for ever."""
    died_of: dict[str, int] = {}  # the last reason, and how often in a row
    while True:
        try:
            await device.run(emit)
            reason = "its task ended"
            trace = None
        except asyncio.CancelledError:
            raise
        except Exception as error:  # noqa: BLE001 - it becomes an event, a log entry and a new start
            reason = f"{type(error).__name__}: {error}"
            trace = error
        count = died_of.get(reason, 0) + 1
        died_of = {reason: count}
        if count & (count - 1) == 0:
            log.error(
                "%s: its task died (%s), %d times of this; started again in %.0f s",
                device.name, reason, count, RESTART_AFTER_S, exc_info=trace,
            )  # fmt: skip
        post(DeviceDown(device.name, reason, clock.monotonic_ns()))
        await asyncio.sleep(RESTART_AFTER_S)


async def end_at_callback_fault() -> NoReturn:
    """Wait until a callback of this loop raises, and raise the same."""
    loop = asyncio.get_running_loop()
    fault: asyncio.Future[Never] = loop.create_future()

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        loop.default_exception_handler(context)
        error = context.get("exception")
        if error is not None and "handle" in context and not fault.done():
            fault.set_exception(error)

    loop.set_exception_handler(handle)
    try:
        await fault
    finally:
        loop.set_exception_handler(None)


class Keeper:
    """All devices of a table, each in a task of its own; one may be let go of for a while."""

    def __init__(
        self, devices: Iterable[Device], emit: Callable[[DeviceEvent], None], post: Callable[[Event], None]
    ) -> None:
        self._devices = {device.name: device for device in devices}
        self._emit = emit
        self._post = post
        self._group: asyncio.TaskGroup | None = None
        self._tasks: dict[str, asyncio.Task[None]] = {}

    @property
    def names(self) -> Collection[str]:
        return self._devices.keys()

    async def run(self) -> None:
        """Run all of them until cancelled; then each closes its hardware before this returns."""
        async with asyncio.TaskGroup() as group:
            self._group = group
            try:
                for name in self._devices:
                    self.take_back(name)
                await asyncio.get_running_loop().create_future()
            finally:
                self._group = None

    async def let_go(self, name: str) -> None:
        """Until this device has closed its hardware. It stays closed until `take_back`."""
        task = self._tasks.pop(name, None)
        if task is not None:
            task.cancel()
            await asyncio.wait([task])

    def take_back(self, name: str) -> None:
        """Run a device that does not run; nothing while the whole table ends."""
        if self._group is not None and name not in self._tasks:
            keeping = keep_running(self._devices[name], self._emit, self._post)
            self._tasks[name] = self._group.create_task(keeping, name=name)
