"""What the simulated `tgline` devices that tell events share: BOOT first, then signs of life between the events.

Ops of whoever is one: those of `tgline_repeats.py`; `start`: a reset, SEQ begins anew; `stand_by`: a sign of life now.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping

from hil.sim.control import Arguments, Handler, Reply
from hil.sim.outbox import Outbox, Parcel
from hil.sim.tgline_repeats import STAND_BY_S, Repeats


class TglineDevice(Outbox, ABC):
    """Base of these devices; where there is a base for the kind of device too, this one comes before it."""

    _repeats: Repeats

    # What a device adds.

    @abstractmethod
    def boot(self) -> bytes:
        """The line after a reset."""

    @abstractmethod
    async def say_alive(self) -> dict[str, object]:
        """A sign of life; what was sent."""

    # The device.

    def at_once(self, line: bytes) -> dict[str, object]:
        """Between whatever waits: for what is not acknowledged."""
        self._send(line)
        return {"sent": [line.hex()]}

    async def due(self, parcel: Parcel) -> None:
        self._repeats.sending()

    async def delivered(self, parcel: Parcel) -> None:
        await self._repeats.delivered(parcel.telegram)

    def received(self, data: bytes) -> None:
        super().received(data)
        self._repeats.received(data)

    async def run(self) -> None:
        await asyncio.gather(super().run(), self._live())

    async def _live(self) -> None:
        self._repeats.sending()  # nothing is said before it
        self.post(self.boot())
        while True:
            if self._repeats.quiet:
                await self.say_alive()
            await asyncio.sleep(STAND_BY_S)

    def status(self) -> Reply:
        return {**super().status(), **self._repeats.counters}

    def handlers(self) -> Mapping[str, Handler]:
        return {
            "start": self._start,  # before the others: a kind of device may have more to reset
            **super().handlers(),
            **self._repeats.handlers(),
            "stand_by": self._stand_by,
        }

    async def _start(self, arguments: Arguments) -> Reply:
        arguments.end()
        return await self.send_all([self.boot()])

    async def _stand_by(self, arguments: Arguments) -> Reply:
        arguments.end()
        return await self.say_alive()
