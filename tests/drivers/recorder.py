"""What a device emitted, and waiting for more of it without sleeping."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import TypeVar

from drivers.events import DeviceEvent
from drivers.ports import Device

WAIT_S = 20.0
Event = TypeVar("Event")


class Recorder:
    def __init__(self) -> None:
        self.events: list[DeviceEvent] = []
        self._more = asyncio.Event()

    def emit(self, event: DeviceEvent) -> None:
        self.events.append(event)
        self._more.set()

    def all(self, kind: type[Event]) -> list[Event]:
        return [event for event in self.events if isinstance(event, kind)]

    async def wait(
        self, kind: type[Event], wanted: Callable[[Event], bool] = lambda event: True, count: int = 1
    ) -> Event:
        """The `count`th event of the kind that is wanted, past ones included."""
        async with asyncio.timeout(WAIT_S):
            while True:
                found = [event for event in self.all(kind) if wanted(event)]
                if len(found) >= count:
                    return found[count - 1]
                self._more.clear()
                await self._more.wait()

    @contextlib.asynccontextmanager
    async def running(self, device: Device) -> AsyncIterator[None]:
        task = asyncio.ensure_future(device.run(self.emit))
        try:
            yield
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
