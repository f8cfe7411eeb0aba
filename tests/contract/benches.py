"""What the contract suites of the serial ports run on: a device with its other end, in memory on virtual time or a
simulator process over a pty in real time. The suites see only this.

Waits are for events and for what a screen shows, never for time; `LIMIT_S` ends a wait that would hang.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from enum import StrEnum
from pathlib import Path
from time import monotonic_ns
from typing import Protocol, TypeVar

from drivers.codecs import alpha_sign, chardisplay
from drivers.devices import alpha_board, char_display
from drivers.events import DeviceEvent, ReaderStandBy, Shown
from drivers.links.port import PortError
from drivers.ports import Device
from hil.sim.history import History
from hil.sim.sign_model import SignModel
from hil.simclient import AsyncSimClient
from tests.scripted_port import ScriptedOpener, ScriptedPort, absent
from tests.simulators import simulator
from tests.virtual_time import VirtualLoop, run_virtual

LIMIT_S = 20.0
_Event = TypeVar("_Event")


AT_ANY_TIME = (Shown, ReaderStandBy)


class Backend(StrEnum):
    SCRIPTED = "scripted"  # in memory, virtual time
    PROCESS = "process"  # a simulator of its own over a pty, real time


class Events:
    """The device's events, in order."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[DeviceEvent] = asyncio.Queue()

    def emit(self, event: DeviceEvent) -> None:
        self._queue.put_nowait(event)

    async def next(self, kind: type[_Event]) -> _Event:
        """The next event, which must be of this kind; those of `AT_ANY_TIME` are passed over."""
        event: DeviceEvent | None = None
        while event is None or (isinstance(event, AT_ANY_TIME) and not isinstance(event, kind)):
            async with asyncio.timeout(LIMIT_S):
                event = await self._queue.get()
        assert isinstance(event, kind), f"expected {kind.__name__}, got {event}"
        return event

    async def any(self) -> DeviceEvent:
        """The next event, whatever it is."""
        async with asyncio.timeout(LIMIT_S):
            return await self._queue.get()

    async def first(self, kind: type[_Event]) -> _Event:
        """The next event of this kind, whatever comes before it."""
        while not isinstance(event := await self.any(), kind):
            pass
        return event

    def none(self) -> bool:
        """Whether nothing waits but what may come at any time."""
        waiting = [self._queue.get_nowait() for _ in range(self._queue.qsize())]
        for event in waiting:
            self._queue.put_nowait(event)
        return all(isinstance(event, AT_ANY_TIME) for event in waiting)


class OtherEnd(Protocol):
    """The plug of the device's other end."""

    async def unplug(self) -> None: ...

    async def plug(self) -> None: ...


class ScreenEnd(OtherEnd, Protocol):
    async def until(self, text: str) -> None:
        """Wait until `text` is on the screen."""

    async def screen(self) -> str: ...

    async def power_cycle(self) -> None:
        """It forgets everything, unseen by the host."""


class ScriptedEnd:
    """The plug of a scripted port."""

    def __init__(self, opener: ScriptedOpener) -> None:
        self._opener = opener

    @property
    def port(self) -> ScriptedPort:
        return self._opener.ports[-1]

    async def unplug(self) -> None:
        self._opener.error = absent()
        self.port.lose(PortError("device reports readiness to read but returned no data"))

    async def plug(self) -> None:
        self._opener.error = None


class ScriptedScreen(ScriptedEnd):
    """A screen in memory. `hear` is told the bytes, `see` tells what is on it."""

    def __init__(self, opener: ScriptedOpener, loop: VirtualLoop) -> None:
        super().__init__(opener)
        self._loop = loop
        self.history = History()
        opener.prepare = self._attach
        self.forget()

    def forget(self) -> None:
        raise NotImplementedError

    def hear(self, data: bytes) -> None:
        raise NotImplementedError

    def see(self) -> str:
        raise NotImplementedError

    def _attach(self, port: ScriptedPort) -> None:
        def on_write(data: bytes) -> None:
            self.hear(data)
            self.history.note(self._loop.now_ns(), self.see())

        port.on_write = on_write

    async def until(self, text: str) -> None:
        assert await self.history.until(text, 700.0) is not None, f"not shown: {text!r}; shown: {self.see()!r}"

    async def screen(self) -> str:
        return self.see()

    async def power_cycle(self) -> None:
        self.forget()
        self.history.note(self._loop.now_ns(), self.see())


class ScriptedSign(ScriptedScreen):
    def forget(self) -> None:
        self.decoder = alpha_sign.Decoder()
        self.model = SignModel()

    def hear(self, data: bytes) -> None:
        for found in self.decoder.feed(data, self._loop.now_ns()):
            assert not isinstance(found, alpha_sign.RejectedPacket), found
            self.model.obey(found)

    def see(self) -> str:
        return self.model.screen


class ScriptedDisplay(ScriptedScreen):
    def forget(self) -> None:
        self.decoder = chardisplay.Decoder()

    def hear(self, data: bytes) -> None:
        self.decoder.feed(data)

    def see(self) -> str:
        return "\n".join(self.decoder.lines)


class ProcessEnd:
    """The plug, and whatever else the simulator offers, of a process."""

    def __init__(self, client: AsyncSimClient) -> None:
        self.client = client

    async def unplug(self) -> None:
        await self.client.call("unplug")

    async def plug(self) -> None:
        await self.client.call("plug")

    async def until(self, text: str) -> None:
        await self.client.call("wait", text=text, timeout_ms=int(LIMIT_S * 1000))

    async def screen(self) -> str:
        reply = await self.client.call("screen")
        lines = reply.get("lines")
        return "\n".join(lines) if isinstance(lines, list) else str(reply["screen"])

    async def power_cycle(self) -> None:
        await self.client.call("power_cycle")


@asynccontextmanager
async def running(device: Device) -> AsyncIterator[Events]:
    """The device's task, ended at the end; an exception of the device fails the test."""
    events = Events()
    task = asyncio.ensure_future(device.run(events.emit))
    try:
        yield events
    finally:
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task


BoardScript = Callable[[alpha_board.AlphaBoard, ScreenEnd, Events], Awaitable[None]]
DisplayScript = Callable[[char_display.CharDisplay, ScreenEnd, Events], Awaitable[None]]


def on_board(backend: Backend, script: BoardScript) -> None:
    if backend is Backend.SCRIPTED:

        async def scripted(loop: VirtualLoop) -> None:
            opener = ScriptedOpener()
            end = ScriptedSign(opener, loop)
            device = alpha_board.create(name="board", url="scripted://port", now_ns=loop.now_ns, opener=opener)
            async with running(device) as events:
                await script(device, end, events)

        run_virtual(scripted)
        return

    async def process(port: Path, client: AsyncSimClient) -> None:
        device = alpha_board.create(name="board", url=str(port), now_ns=monotonic_ns, simulated=True)
        async with running(device) as events:
            await script(device, ProcessEnd(client), events)

    on_process("hil.sim.sign", process)


def on_display(backend: Backend, script: DisplayScript) -> None:
    if backend is Backend.SCRIPTED:

        async def scripted(loop: VirtualLoop) -> None:
            opener = ScriptedOpener()
            end = ScriptedDisplay(opener, loop)
            device = char_display.create(name="dealer", url="scripted://port", now_ns=loop.now_ns, opener=opener)
            async with running(device) as events:
                await script(device, end, events)

        run_virtual(scripted)
        return

    async def process(port: Path, client: AsyncSimClient) -> None:
        device = char_display.create(name="dealer", url=str(port), now_ns=monotonic_ns, simulated=True)
        async with running(device) as events:
            await script(device, ProcessEnd(client), events)

    on_process("hil.sim.display", process)


def on_process(module: str, main: Callable[[Path, AsyncSimClient], Awaitable[None]], *options: str) -> None:
    """`main` with the port and the control of a simulator that runs for it."""

    async def connected(port: Path, control: Path) -> None:
        async with await AsyncSimClient.connect(control) as client:
            await main(port, client)

    with simulator(module, *options) as started:
        asyncio.run(connected(started.port, started.control))
