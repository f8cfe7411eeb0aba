"""A bus with several devices on one serial port (RS-485): one master, who asks the devices in turn.

Answers for: opening the port once for all of them, the poll cycle, who is being asked when bytes come, broadcasts in
their place between two exchanges, and the link of each device from that of the port.

Rules:
* The port is open while at least one member runs. What kills the bus leaves the `run` of every member.
* One exchange at a time: request, answer, then the bus is quiet for `gap_s`. A station that has not answered
  `answer_s` after its request was sent has missed; an answer that has begun by then may end.
* Stations that answer are asked in every cycle. Of those that don't one is asked a cycle, in turn, so that dead ones
  don't make the others slow. A cycle begins at most each `cycle_s`, and at once when a broadcast was sent.
* The port is READY when a station has answered, or nobody on it can. If nobody answers for `SILENT_S` the port is
  closed and opened anew, which revives a hung adapter; it is told once, however long it lasts.
* Bytes that come while nobody is asked are dropped and counted: a late answer, noise, another master.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Callable, Mapping
from typing import Protocol

from msgspec import Struct

from drivers.events import DeviceEvent, LinkChanged, LinkState
from drivers.links.port import Opener, Parity, PortError, PortSettings, open_serial
from drivers.links.serial import SerialLink
from drivers.ports import NowNs

SILENT_S = 5.0
IDENTIFY_S = 60.0
"""How long the first answer is waited for before the port is opened anew."""


class Member(Protocol):
    """A device on the bus."""

    @property
    def name(self) -> str: ...

    def port_changed(self, event: LinkChanged | None) -> None:
        """The port is usable (`event.up`) or not; None while nothing is known yet."""


class Station(Member, Protocol):
    """A member that is asked."""

    @property
    def answers(self) -> bool:
        """Whether it has answered lately; asked in every cycle while it does."""

    def ask(self) -> bytes:
        """The next request."""

    def hear(self, data: bytes, arrived_ns: int) -> bool:
        """Bytes that came while it is asked. True once its answer is whole."""

    def missed(self) -> None:
        """There was no answer in time."""


class Sent(Struct, frozen=True):
    """When a broadcast reached everyone: not before, not after (CLOCK_MONOTONIC, ns)."""

    not_before_ns: int
    not_after_ns: int


class BusTiming(Struct, frozen=True):
    """Times of the master, in seconds, and the longest answer that may still end after `answer_s`."""

    answer_s: float = 0.030
    gap_s: float = 0.002
    cycle_s: float = 0.050
    longest_bytes: int = 96


class Bus:
    """The port, and whoever shares it."""

    def __init__(
        self, settings: PortSettings, now_ns: NowNs, timing: BusTiming | None = None, opener: Opener = open_serial
    ) -> None:
        self.url = settings.url
        bits = 1 + settings.data_bits + (settings.parity is not Parity.NONE) + settings.stop_bits
        self._byte_s = bits / settings.baud
        self.timing = timing or BusTiming()
        self._now_ns = now_ns
        self._link = SerialLink(
            device=f"bus {settings.url}", settings=settings, now_ns=now_ns, client=self, opener=opener
        )
        self._members: list[Member] = []
        self._stations: list[Station] = []
        self._port: LinkChanged | None = None
        self._turning = asyncio.Lock()
        self._task: asyncio.Task[None] | None = None
        self._asked: Station | None = None
        self._answered: asyncio.Future[None] | None = None
        self._heard = 0
        self._answered_s = 0.0
        self._turn = 0
        self._waiting: deque[tuple[Callable[[], bytes], Callable[[Sent], None]]] = deque()
        self._urgent = asyncio.Event()
        self._counters = {"polls": 0, "missed": 0, "broadcasts": 0, "unasked_bytes": 0}

    @property
    def counters(self) -> Mapping[str, int]:
        return self._link.counters | self._counters

    @property
    def state(self) -> LinkState:
        """The port's."""
        return self._link.state

    async def run(self, member: Member, station: Station | None = None) -> None:
        """Take part until cancelled. `station`: the member itself, if it is to be asked."""
        async with self._turning:
            self._members.append(member)
            if station is not None:
                self._stations.append(station)
            if self._task is None or self._task.done():
                self._port = None
                self._task = asyncio.create_task(self._link.run(self._port_changed), name=f"bus {self.url}")
            task = self._task
        member.port_changed(self._port)
        try:
            await asyncio.shield(task)
        finally:
            self._members.remove(member)
            if station is not None:
                self._stations.remove(station)
            async with self._turning:
                if not self._members and not task.done():
                    task.cancel()
                    with contextlib.suppress(asyncio.CancelledError):
                        await task

    def broadcast(self, make: Callable[[], bytes], sent: Callable[[Sent], None]) -> None:
        """Send to everyone before the next request. `make` is called then, `sent` when it has reached them. A port that
        is lost meanwhile forgets it."""
        self._waiting.append((make, sent))
        self._urgent.set()

    def _port_changed(self, event: DeviceEvent) -> None:
        assert isinstance(event, LinkChanged)
        self._port = event
        for member in tuple(self._members):
            member.port_changed(event)

    # What the link asks of its client.

    def connected(self) -> None:
        self._waiting.clear()
        self._asked = None
        self._answered_s = asyncio.get_running_loop().time()

    def received(self, data: bytes, arrived_ns: int) -> None:
        if self._asked is None or self._answered is None or self._answered.done():
            self._counters["unasked_bytes"] += len(data)
            return
        self._heard += len(data)
        if self._asked.hear(data, arrived_ns):
            self._answered.set_result(None)

    async def identify(self) -> None:
        loop = asyncio.get_running_loop()
        until_s = loop.time() + IDENTIFY_S
        began_s = loop.time()
        while self._all_can_answer() and self._answered_s <= began_s:
            if loop.time() >= until_s:
                raise PortError(f"nobody answers on {self.url}; is the bus wired and powered, A and B not crossed?")
            await self._cycle()

    async def serve(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._cycle()
            if self._all_can_answer() and loop.time() - self._answered_s >= SILENT_S:
                raise PortError(f"nobody answers on {self.url}; is the bus wired and powered, A and B not crossed?")

    def _all_can_answer(self) -> bool:
        return bool(self._stations) and len(self._stations) == len(self._members)

    # The master.

    async def _cycle(self) -> None:
        loop = asyncio.get_running_loop()
        next_s = loop.time() + self.timing.cycle_s
        self._urgent.clear()
        asked = [station for station in self._stations if station.answers]
        if quiet := [station for station in self._stations if not station.answers]:
            self._turn += 1
            asked.append(quiet[self._turn % len(quiet)])
        for station in asked:
            await self._send_waiting()
            if station in self._stations:
                await self._exchange(station)
        await self._send_waiting()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._urgent.wait(), max(next_s - loop.time(), 0.001))

    async def _exchange(self, station: Station) -> None:
        loop = asyncio.get_running_loop()
        request = station.ask()
        self._asked, self._answered, self._heard = station, loop.create_future(), 0
        try:
            self._counters["polls"] += 1
            await self._link.write(request)
            await self._wait(self._answered, len(request) * self._byte_s + self.timing.answer_s)
            if self._heard and not self._answered.done():
                await self._wait(self._answered, self.timing.longest_bytes * self._byte_s)
            if self._answered.done():
                self._answered_s = loop.time()
            else:
                self._counters["missed"] += 1
                station.missed()
        finally:
            self._asked = None
        await asyncio.sleep(self.timing.gap_s)

    async def _send_waiting(self) -> None:
        while self._waiting:
            make, sent = self._waiting.popleft()
            data = make()
            began_ns = self._now_ns()
            await self._link.write(data)
            self._counters["broadcasts"] += 1
            await asyncio.sleep(len(data) * self._byte_s + self.timing.gap_s)  # on the wire, and taken by everyone
            sent(Sent(began_ns, self._now_ns()))

    @staticmethod
    async def _wait(future: asyncio.Future[None], limit_s: float) -> None:
        await asyncio.wait({future}, timeout=limit_s)
