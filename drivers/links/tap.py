"""Listening along at a port: an opener that hands on everything and tells somebody of it.

Rules: who listens is told of each piece before the device is, and of each write once it has gone out whole; he can
change nothing. A tap is for a technician's tool; the daemon opens no port through one.
"""

from __future__ import annotations

from typing import Protocol

from drivers.links.port import OnBytes, OnLost, Opener, OpenPort, PortSettings
from drivers.ports import NowNs


class Tap(Protocol):
    """Who listens. Times are nanoseconds of CLOCK_MONOTONIC; all calls come on the loop's thread."""

    def opened(self, at_ns: int) -> None: ...

    def received(self, data: bytes, at_ns: int) -> None: ...

    def sent(self, data: bytes, at_ns: int) -> None: ...

    def closed(self, why: str, at_ns: int) -> None:
        """`why`: how the port was lost; empty where the device closed it."""


def tapped(opener: Opener, tap: Tap) -> Opener:
    """The same opener with `tap` at every port that it opens."""

    async def open_tapped(settings: PortSettings, now_ns: NowNs) -> OpenPort:
        port = await opener(settings, now_ns)
        tap.opened(now_ns())
        return TappedPort(port, tap, now_ns)

    return open_tapped


class TappedPort:
    """An `OpenPort`."""

    def __init__(self, port: OpenPort, tap: Tap, now_ns: NowNs) -> None:
        self._port = port
        self._tap = tap
        self._now_ns = now_ns
        self._lost = False

    def start(self, on_bytes: OnBytes, on_lost: OnLost) -> None:
        def hear(data: bytes, arrived_ns: int) -> None:
            self._tap.received(data, arrived_ns)
            on_bytes(data, arrived_ns)

        def lose(error: Exception) -> None:
            self._lost = True
            self._tap.closed(str(error), self._now_ns())
            on_lost(error)

        self._port.start(hear, lose)

    async def write(self, data: bytes) -> None:
        await self._port.write(data)
        self._tap.sent(data, self._now_ns())

    async def close(self) -> bool:
        if not self._lost:
            self._tap.closed("", self._now_ns())
        return await self._port.close()
