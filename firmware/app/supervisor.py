"""Keeps every device's task alive, and makes an event of each one's death.

Rules:
* A device's `run` returns only when cancelled. If it raises, the core hears of it at once (`DeviceDown`), the trace is
  logged, and the device is started again after `RESTART_AFTER_S`: never a quiet table.
* An exception in a callback of the loop (a timer, an edge, a socket) is a fault of the program like one of a task: the
  loop alone would only log it and go on with whatever was left half done.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from typing import Any, Never, NoReturn

from drivers.events import DeviceEvent
from drivers.ports import Device
from firmware.app import clock
from firmware.core.events import DeviceDown, Event

log = logging.getLogger(__name__)

RESTART_AFTER_S = 1.0


async def keep_running(device: Device, emit: Callable[[DeviceEvent], None], post: Callable[[Event], None]) -> None:
    """Run one device for ever."""
    while True:
        try:
            await device.run(emit)
            reason = "its task ended"
        except asyncio.CancelledError:
            raise
        except Exception as error:  # whatever it is: it becomes an event, a log entry and a new start
            reason = f"{type(error).__name__}: {error}"
            log.exception("%s: its task died; started again in %.0f s", device.name, RESTART_AFTER_S)
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


async def keep_all(
    devices: Sequence[Device], emit: Callable[[DeviceEvent], None], post: Callable[[Event], None]
) -> None:
    """Run all devices; on cancellation each closes its hardware before this returns."""
    async with asyncio.TaskGroup() as group:
        for device in devices:
            group.create_task(keep_running(device, emit, post), name=device.name)
