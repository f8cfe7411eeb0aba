"""How a simulated `tgline` device sees to it that its events arrive: repeats until the host answers.

Ops of whoever has one: `deaf` (`deaf`, default true): answers are not heard; `mute` (`mute`, default true): no sign of
life. `status` also tells `acknowledged`, `refused` (by NAK) and `repeated`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

from drivers.codecs import tgline
from drivers.codecs.text_lines import Received
from drivers.codecs.tgline_events import REPEATS_MS
from hil.sim.control import Arguments, Handler, Reply

STAND_BY_S = 1.0
"""Sooner than the 5 s that the protocol allows, so that a bench is ready soon."""


class Repeats:
    """One device's side of the agreement."""

    def __init__(self, tag: tgline.Tag, address: int, send: Callable[[bytes], None]) -> None:
        self._tag = tag
        self._address = address
        self._send = send
        self._seq = 0
        self._answers = tgline.Decoder()
        self._waiting: int | None = None
        self._answered = asyncio.Event()
        self._deaf = False
        self._sending = False
        self.mute = False
        self.counters = {"acknowledged": 0, "refused": 0, "repeated": 0}

    @property
    def quiet(self) -> bool:
        """Whether a sign of life may go out now."""
        return not (self.mute or self._sending)

    def next_seq(self, *, reset: bool = False) -> int:
        """The SEQ of the next line; `reset`: it begins anew."""
        self._seq = 1 if reset else tgline.next_seq(self._seq)
        return self._seq

    def sending(self) -> None:
        """An event is about to go out."""
        self._sending = True

    async def delivered(self, telegram: bytes) -> None:
        """Repeat until it is answered, however long that takes."""
        self._sending = False
        self._waiting = int(telegram[10:14], 16)
        self._answered.clear()
        waits_ms = list(REPEATS_MS)
        while True:
            try:
                async with asyncio.timeout(waits_ms[0] / 1000):
                    await self._answered.wait()
                break
            except TimeoutError:
                self.counters["repeated"] += 1
                self._send(telegram)
                waits_ms = waits_ms[1:] or waits_ms
        self._waiting = None

    def received(self, data: bytes) -> None:
        for found in self._answers.feed(data):
            if self._deaf or not isinstance(found, Received):
                continue
            line = found.message
            if (line.tag, line.address, line.seq) != (self._tag, self._address, self._waiting):
                continue
            if line.verb in ("ACK", "NAK"):
                self.counters["acknowledged" if line.verb == "ACK" else "refused"] += 1
                self._answered.set()

    def handlers(self) -> Mapping[str, Handler]:
        return {"deaf": self._set_deaf, "mute": self._set_mute}

    async def _set_deaf(self, arguments: Arguments) -> Reply:
        self._deaf = arguments.flag("deaf", True)
        arguments.end()
        return {}

    async def _set_mute(self, arguments: Arguments) -> Reply:
        self.mute = arguments.flag("mute", True)
        arguments.end()
        return {}
