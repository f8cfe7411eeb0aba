"""The bench: a table's simulated devices and its daemon as processes, and connections to all of them.

Rules:
* Devices first, each said to be ready; the panel at rest; then the daemon, until it says READY to a notification socket
  of the bench's own. Stopped in the opposite order.
* Any part that ends by itself ends the bench: `PartDied` says which, and what it said last.
* Nothing is left behind, however the bench ends: no process, no socket.
"""

from __future__ import annotations

import asyncio
import fcntl
import os
import socket
import time
from collections.abc import Awaitable, Sequence
from types import TracebackType
from typing import NoReturn

from hil import children
from hil.children import Child, PartDied, Start
from hil.chip_control import ChipControl
from hil.layout import Layout, NotForTheBench
from hil.panel import Panel
from hil.sensors import sensors_of
from hil.simclient import AsyncSimClient
from hil.simulators import simulators_of

START_LIMIT_S = 60.0
"""A loaded machine takes its time; a part that dies meanwhile is seen at once."""


class Bench:
    """A running table. An asynchronous context manager; while it is open `watch` must be awaited by somebody."""

    def __init__(self, layout: Layout, seed: int, start: Start = children.start) -> None:
        self.layout = layout
        self.start = start
        """How its parts are started."""
        self.status = ""
        """The daemon's own words about itself, as systemd would hear them."""
        self._seed = seed
        self.daemon_command: Sequence[str] = ("firmware.cli", "run")
        """Module and words of the daemon; its configuration and run directory follow."""
        self.daemon_environment: dict[str, str] = {}
        self.fed_at_s: float | None = None
        """When the daemon last fed its watchdog, by `time.monotonic`."""
        self.daemon: Child | None = None
        """The newest one."""
        self.children: list[Child] = []
        self.notify_path = layout.run_dir / "notify.sock"
        self._notify: socket.socket | None = None
        self._lock: int | None = None
        self._listening: asyncio.Task[None] | None = None
        self.ready = asyncio.Event()
        self._connected: list[ChipControl | AsyncSimClient] = []
        self.clients: dict[str, AsyncSimClient] = {}
        """To every simulator but the line chip, by the name of its device."""
        self.chip: ChipControl
        self.panel: Panel
        self.shoe: AsyncSimClient
        """At a table without cards: the wheel."""
        self.sign: AsyncSimClient
        self.display: AsyncSimClient

    async def __aenter__(self) -> Bench:
        try:
            async with asyncio.timeout(START_LIMIT_S):
                await self._start()
        except TimeoutError:
            await self._stop()
            said = self.status or "nothing yet"
            raise PartDied(f"the bench did not start within {START_LIMIT_S:.0f} s; the daemon said: {said}") from None
        except BaseException:
            await self._stop()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        await self._stop()

    async def watch(self) -> NoReturn:
        """Wait until a part ends by itself; raises `PartDied`."""
        waits = [asyncio.ensure_future(child.died()) for child in self.children]
        try:
            done, _ = await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
            raise done.pop().result()
        finally:
            for wait in waits:
                wait.cancel()

    # --- start and stop ---------------------------------------------------------------------------------------------

    async def _start(self) -> None:
        layout = self.layout
        try:
            layout.run_dir.mkdir(parents=True, exist_ok=True)
            self._lock = os.open(layout.run_dir / "bench.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise NotForTheBench(
                f"can't write to {layout.run_dir} ({error.strerror}); name another folder with --run-dir"
            ) from None
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise NotForTheBench(
                f"another bench plays in {layout.run_dir}; end it, or name another --run-dir"
            ) from None
        simulators = list(simulators_of(layout.settings, layout.run_dir, self._seed))
        for simulator in simulators:
            await self._child(simulator.what, simulator.module, *simulator.arguments)
        for child in list(self.children):
            await self.or_dead(child.said_ready())
        for simulator in simulators:
            if simulator.device == layout.lines_device:
                self.chip = await ChipControl.connect(simulator.control)
                self._connected.append(self.chip)
            else:
                client = await AsyncSimClient.connect(simulator.control)
                self._connected.append(client)
                self.clients |= dict.fromkeys(simulator.names, client)
        self.panel = Panel(self.chip, layout, sensors_of(layout, self.clients))
        await self.panel.rest()
        self.shoe = self._only("wheel" if layout.wheel else "shoe")
        self.sign = self._only("board")
        self.display = self._only("display")
        self._listen()
        await self.start_daemon()

    async def start_daemon(self) -> None:
        """Start the daemon, in the place of one that has ended, and wait for its READY. Raises PartDied if it ends
        before."""
        layout = self.layout
        if self.daemon in self.children:
            self.children.remove(self.daemon)
        self.ready.clear()
        module, *words = self.daemon_command
        words += ["--config", str(layout.config), "--run-dir", str(layout.run_dir)]
        environment = {"NOTIFY_SOCKET": str(self.notify_path), **self.daemon_environment}
        self.daemon = await self.start("daemon", module, words, environment)
        self.children.append(self.daemon)
        await self.or_dead(self.ready.wait())

    async def _child(self, name: str, module: str, *options: object) -> None:
        self.children.append(await self.start(name, module, [*map(str, options)]))

    def _only(self, role: str) -> AsyncSimClient:
        return next(self.clients[name] for name, _ in self.layout.settings.in_role(role))

    async def or_dead(self, what: Awaitable[object]) -> None:
        """Wait for something, unless a part ends first."""
        hoped, dead = asyncio.ensure_future(what), asyncio.ensure_future(self.watch())
        try:
            await asyncio.wait([hoped, dead], return_when=asyncio.FIRST_COMPLETED)
            if not hoped.done():
                await dead
        finally:
            hoped.cancel()
            dead.cancel()

    def _listen(self) -> None:
        self.notify_path.unlink(missing_ok=True)
        self._notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK | socket.SOCK_CLOEXEC)
        self._notify.bind(str(self.notify_path))
        self._listening = asyncio.create_task(self._hear(self._notify), name="notifications")

    async def _hear(self, notify: socket.socket) -> None:
        """All the daemon's life long: unread messages would make it wait."""
        loop = asyncio.get_running_loop()
        while True:
            for line in (await loop.sock_recv(notify, 4096)).decode(errors="replace").splitlines():
                name, _, value = line.partition("=")
                if name == "READY":
                    self.ready.set()
                elif name == "STATUS":
                    self.status = value
                elif name == "WATCHDOG":
                    self.fed_at_s = time.monotonic()

    async def _stop(self) -> None:
        while self.children:
            await self.children.pop().end()
        while self._connected:
            await self._connected.pop().close()
        if self._listening is not None:
            self._listening.cancel()
        if self._notify is not None:
            self._notify.close()
            self.notify_path.unlink(missing_ok=True)
        if self._lock is not None:
            os.close(self._lock)
