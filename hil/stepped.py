"""An output device shown one thing after another by a technician's command, each held for a while.

Rules: a step is told before it is shown and counts once the driver says that it has left (`Shown`). A device that does
not become ready, or can't be written, ends it: `NotShown`, with the device's own words.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from drivers.events import DeviceEvent, LinkChanged, ShowFailed, Shown
from hil.lease import Held

READY_LIMIT_S = 15.0
SHOWN_LIMIT_S = 15.0


class NotShown(Exception):
    """The device did not take what it was to show."""


class Stepped:
    """Use `stepped`."""

    def __init__(self, name: str, heard: asyncio.Queue[DeviceEvent], hold_s: float) -> None:
        self._name = name
        self._heard = heard
        self._hold_s = hold_s

    async def ready(self) -> None:
        """Wait until the device can be shown something. Raises NotShown."""
        await self._until(LinkChanged, READY_LIMIT_S, "is not ready")

    async def step(self, what: str, show: Callable[[], None]) -> None:
        """Tell, show, wait until it has left, hold. Raises NotShown."""
        print(what, flush=True)
        while not self._heard.empty():
            self._heard.get_nowait()
        show()
        await self._until(Shown, SHOWN_LIMIT_S, "took nothing")
        await asyncio.sleep(self._hold_s)

    async def _until(self, wanted: type[LinkChanged | Shown], limit_s: float, else_it: str) -> None:
        why = ""
        try:
            async with asyncio.timeout(limit_s):
                while True:
                    event = await self._heard.get()
                    if isinstance(event, ShowFailed):
                        raise NotShown(f"{self._name} can't be written: {event.reason}")
                    if isinstance(event, LinkChanged):
                        why = event.reason
                    if isinstance(event, wanted) and (not isinstance(event, LinkChanged) or event.up):
                        return
        except TimeoutError:
            raise NotShown(f"{self._name} {else_it} within {limit_s:.0f} s{f': {why}' if why else ''}") from None


@asynccontextmanager
async def stepped(held: Held, name: str, hold_s: float) -> AsyncIterator[Stepped]:
    """The device, running and ready. Raises NotShown."""
    heard: asyncio.Queue[DeviceEvent] = asyncio.Queue()
    async with held.running(name, heard.put_nowait):
        steps = Stepped(name, heard, hold_s)
        await steps.ready()
        yield steps
