"""What a simulated device sends, one telegram after the other, over a wire with faults.

Ops of whoever has one: `set` (`copies` 1..9 of each telegram, `spacing_ms` between them); `fault` (`kind`, see
`line_faults.py`; `copies`: list of numbers): strikes the next telegram.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Mapping

from msgspec import Struct

from hil.sim.control import Arguments, Handler, Reply
from hil.sim.line_faults import Fault, Piece, fault, pieces


class Parcel(Struct, frozen=True):
    """One telegram on its way. `first`: done with the time at which its first byte went out."""

    telegram: bytes
    pieces: list[Piece]
    first: asyncio.Future[int]


class Outbox:
    """Base of these devices."""

    def __init__(self, seed: int, send: Callable[[bytes], None]) -> None:
        self._send = send
        self._noise = random.Random(seed)
        self._outbox: asyncio.Queue[Parcel] = asyncio.Queue()
        self._copies, self._spacing_ms = 1, 60
        self._faults: list[Fault] = []
        self._host_bytes = 0

    # What a device adds.

    async def due(self, parcel: Parcel) -> None:
        """Wait until this telegram may go out."""

    async def delivered(self, parcel: Parcel) -> None:
        """It went out: see to it that it arrives, where the protocol has a way."""

    # The simulator.

    def received(self, data: bytes) -> None:
        self._host_bytes += len(data)

    def status(self) -> Reply:
        return {"host_bytes": self._host_bytes, "unsent": self._outbox.qsize()}

    async def run(self) -> None:
        while True:
            parcel = await self._outbox.get()
            await self.due(parcel)
            for piece in parcel.pieces:
                if piece.after_ms:
                    await asyncio.sleep(piece.after_ms / 1000)
                at_ns = time.monotonic_ns()
                self._send(piece.data)
                if not parcel.first.done():
                    parcel.first.set_result(at_ns)
            await self.delivered(parcel)

    def post(self, telegram: bytes) -> asyncio.Future[int]:
        """Send this after what waits already; the time of its first byte comes."""
        todo = pieces(telegram, self._copies, self._spacing_ms, self._faults, self._noise)
        self._faults = []
        first: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._outbox.put_nowait(Parcel(telegram, todo, first))
        return first

    async def send_all(self, telegrams: list[bytes]) -> dict[str, object]:
        """Send these; the reply, `sent` and `at_ns`, comes when the first byte of the first has gone out."""
        waits = [self.post(telegram) for telegram in telegrams]
        at_ns = await waits[0] if waits else time.monotonic_ns()
        return {"sent": [telegram.hex() for telegram in telegrams], "at_ns": at_ns}

    def handlers(self) -> Mapping[str, Handler]:
        return {"set": self._set, "fault": self._fault}

    async def _set(self, arguments: Arguments) -> Reply:
        copies = arguments.integer("copies", self._copies, least=1, most=9)
        spacing_ms = arguments.integer("spacing_ms", self._spacing_ms, most=10_000)
        arguments.end()
        self._copies, self._spacing_ms = copies, spacing_ms
        return {}

    async def _fault(self, arguments: Arguments) -> Reply:
        ordered = fault(arguments.text("kind"), arguments.integers("copies", []))
        arguments.end()
        self._faults.append(ordered)
        return {}
