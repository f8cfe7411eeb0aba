"""What a scenario's steps do to the machine under the daemon: its disk, clocks and files, and who holds its ports."""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import os
import resource
import shutil
import signal
from pathlib import Path

import apsw

from hil.bench import Bench
from hil.scenario import failing_machine, schema

FAILING = ("hil.scenario.failing_machine", "run")
KEPT = "kept-aside"
FULL_LOOKS = 10
"""So many looks, one after the other, at a buffer that takes nothing more."""
LOOK_EVERY_S = 0.02


class CanNotBeDone(Exception):
    """The step asks for what this machine or this table does not give; the message says what."""


class Machine:
    """One machine's. `daemon_starts` before each start of a daemon; `close` at the end."""

    def __init__(self, bench: Bench, needed: bool) -> None:
        """`needed`: some step makes the machine fail, so the daemon has to run on one that can."""
        self._bench = bench
        self._folder = bench.layout.run_dir
        self._file = self._folder / "failures.json"
        self._failures = failing_machine.Failures()
        self._held: dict[str, int] = {}
        if needed:
            self._folder.mkdir(parents=True, exist_ok=True)
            failing_machine.write(self._file, self._failures)
            bench.daemon_command = FAILING
            bench.daemon_environment[failing_machine.FILE] = str(self._file)

    def disk(self, step: schema.Disk) -> None:
        self._now(disk=step.fault, sync_takes_ms=step.sync_takes_ms)
        daemon = self._bench.daemon
        if daemon is not None and daemon.running:
            _, hard = resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE)
            resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE, (0 if step.fault == "refused" else hard, hard))

    def clock(self, step: schema.Clock) -> None:
        self._now(wall_off_by_ns=int(step.off_by_s * 1e9), wall_trusted=step.trusted)

    def busy(self, step: schema.Busy) -> None:
        self._now(busy_ms=step.ms)
        daemon = self._bench.daemon
        if daemon is None or not daemon.running:
            raise CanNotBeDone("no daemon runs")
        daemon.signal(signal.SIGUSR1)

    def _now(self, **failures: object) -> None:
        self._failures = failing_machine.changed(self._failures, failures)
        failing_machine.write(self._file, self._failures)

    def file(self, step: schema.File) -> None:
        file, aside = self._folder / step.name, self._folder / KEPT / step.name
        try:
            match step.act:
                case "keep":
                    aside.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy2(file, aside)
                case "put back":
                    shutil.copy2(aside, file)
                case "remove":
                    file.unlink()
                case "cut":
                    os.truncate(file, max(0, file.stat().st_size - step.bytes))
                case "sql":
                    connection = apsw.Connection(str(file))
                    connection.execute(step.text)
                    if not connection.changes():
                        raise CanNotBeDone(f"{step.text}: changes nothing")
                    connection.close()
        except (OSError, apsw.Error) as error:
            raise CanNotBeDone(f"{step.act} {file.name}: {error}") from error

    async def port(self, step: schema.Port) -> None:
        match step.act:
            case "hold":
                if not self._take(step.device):
                    raise CanNotBeDone(f"{step.device}'s port is held by somebody else")
            case "refused":
                if self._take(step.device):
                    raise CanNotBeDone(f"{step.device}'s port could be taken by another program beside the daemon")
            case "let go":
                os.close(self._held.pop(step.device))
            case "fill":
                await self._fill(step.device)
            case "swap":
                one, other = self._bench.clients[step.device], self._bench.clients[step.other]
                names = [(await client.call("status"))["link"] for client in (other, one)]
                for client in (one, other):
                    await client.call("unplug")
                for client, name in zip((one, other), names, strict=True):
                    await client.call("plug", link=name)

    def _take(self, device: str) -> bool:
        """As any program does that asks for a port for itself alone."""
        descriptor = os.open(self._port(device), os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        self._held[device] = descriptor
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._held.pop(device))
            return False
        return True

    async def _fill(self, device: str) -> None:
        """The kernel hands what it was given on in a while, which makes room again: full is what stays so."""
        descriptor = os.open(self._port(device), os.O_WRONLY | os.O_NOCTTY | os.O_NONBLOCK)
        try:
            full = 0
            while full < FULL_LOOKS:
                try:
                    os.write(descriptor, bytes(1024))
                    full = 0
                except BlockingIOError:
                    full += 1
                    await asyncio.sleep(LOOK_EVERY_S)
        finally:
            os.close(descriptor)

    def _port(self, device: str) -> Path:
        return self._folder / str(getattr(self._bench.layout.settings.devices[device], "url", ""))

    def close(self) -> None:
        for descriptor in self._held.values():
            with contextlib.suppress(OSError):
                os.close(descriptor)
        self._held.clear()
