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
import sys
from collections.abc import Awaitable
from types import TracebackType
from typing import NoReturn

from hil.children import Child, PartDied
from hil.chip_control import ChipControl
from hil.layout import Layout, NotForTheBench
from hil.panel import Panel
from hil.simclient import AsyncSimClient
from hil.simulators import simulators_of

START_LIMIT_S = 60.0
"""A loaded machine takes its time; a part that dies meanwhile is seen at once."""


class Bench:
    """A running table. An asynchronous context manager; while it is open `watch` must be awaited by somebody."""

    def __init__(self, layout: Layout, seed: int) -> None:
        self.layout = layout
        self.status = ""
        """The daemon's own words about itself, as systemd would hear them."""
        self._seed = seed
        self._children: list[Child] = []
        self._notify_path = layout.run_dir / "notify.sock"
        self._notify: socket.socket | None = None
        self._lock: int | None = None
        self._listening: asyncio.Task[None] | None = None
        self._daemon_ready = asyncio.Event()
        self._connected: list[ChipControl | AsyncSimClient] = []
        self.clients: dict[str, AsyncSimClient] = {}
        """To every simulator but the line chip, by the name of its device."""
        self.chip: ChipControl
        self.panel: Panel
        self.shoe: AsyncSimClient
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
        waits = [asyncio.ensure_future(child.died()) for child in self._children]
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
        for child in list(self._children):
            await self._or_dead(child.said_ready())
        for simulator in simulators:
            if simulator.device == layout.lines_device:
                self.chip = await ChipControl.connect(simulator.control)
                self._connected.append(self.chip)
            else:
                client = await AsyncSimClient.connect(simulator.control)
                self._connected.append(client)
                self.clients[simulator.device] = client
        self.panel = Panel(self.chip, layout)
        await self.panel.rest()
        self.shoe = self._only("shoe")
        self.sign = self._only("board")
        self.display = self._only("display")
        self._listen()
        await self._child(
            "daemon", "firmware.cli", "run", "--config", layout.config, "--run-dir", layout.run_dir,
            environment={"NOTIFY_SOCKET": str(self._notify_path)},
        )  # fmt: skip
        await self._or_dead(self._daemon_ready.wait())

    async def _child(
        self, name: str, module: str, *options: object, environment: dict[str, str] | None = None
    ) -> Child:
        command = [sys.executable, "-m", module, *map(str, options)]
        child = await Child.start(name, command, environment)
        self._children.append(child)
        return child

    def _only(self, role: str) -> AsyncSimClient:
        return next(self.clients[name] for name, _ in self.layout.settings.in_role(role))

    async def _or_dead(self, what: Awaitable[object]) -> None:
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
        self._notify_path.unlink(missing_ok=True)
        self._notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK | socket.SOCK_CLOEXEC)
        self._notify.bind(str(self._notify_path))
        self._listening = asyncio.create_task(self._hear(self._notify), name="notifications")

    async def _hear(self, notify: socket.socket) -> None:
        """All the daemon's life long: unread messages would make it wait."""
        loop = asyncio.get_running_loop()
        while True:
            for line in (await loop.sock_recv(notify, 4096)).decode(errors="replace").splitlines():
                name, _, value = line.partition("=")
                if name == "READY":
                    self._daemon_ready.set()
                elif name == "STATUS":
                    self.status = value

    async def _stop(self) -> None:
        while self._children:
            await self._children.pop().end()
        while self._connected:
            await self._connected.pop().close()
        if self._listening is not None:
            self._listening.cancel()
        if self._notify is not None:
            self._notify.close()
            self._notify_path.unlink(missing_ok=True)
        if self._lock is not None:
            os.close(self._lock)
