"""What a scenario's steps do to the machine under the daemon: its disk, clocks and files, and who holds its ports."""

from __future__ import annotations

import contextlib
import fcntl
import os
import resource
import shutil
import signal
from pathlib import Path

from hil.bench import Bench
from hil.scenario import ailing, schema

AILING = ("hil.scenario.ailing", "run")
KEPT = "kept-aside"


class CanNotBeDone(Exception):
    """The step asks for what this machine or this table does not give; the message says what."""


class Troubles:
    """One machine's. `daemon_starts` before each start of a daemon; `close` at the end."""

    def __init__(self, bench: Bench, needed: bool) -> None:
        """`needed`: some step makes the machine fail, so the daemon has to run on one that can."""
        self._bench = bench
        self._folder = bench.layout.run_dir
        self._file = self._folder / "ailing.json"
        self._ails = ailing.Ailments()
        self._held: dict[str, int] = {}
        if needed:
            self._folder.mkdir(parents=True, exist_ok=True)
            ailing.write(self._file, self._ails)
            bench.daemon_command = AILING
            bench.daemon_environment[ailing.FILE] = str(self._file)

    def disk(self, step: schema.Disk) -> None:
        self._now(disk=step.fault, sync_takes_ms=step.sync_takes_ms)
        daemon = self._bench.daemon
        if daemon is not None and daemon.running:
            _, hard = resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE)
            resource.prlimit(daemon.pid, resource.RLIMIT_FSIZE, (0 if step.fault == "full" else hard, hard))

    def clock(self, step: schema.Clock) -> None:
        self._now(wall_off_by_ns=int(step.off_by_s * 1e9), wall_trusted=step.trusted)

    def busy(self, step: schema.Busy) -> None:
        self._now(busy_ms=step.ms)
        daemon = self._bench.daemon
        if daemon is None or not daemon.running:
            raise CanNotBeDone("no daemon runs")
        daemon.signal(signal.SIGUSR1)

    def _now(self, **ails: object) -> None:
        self._ails = ailing.changed(self._ails, ails)
        ailing.write(self._file, self._ails)

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
                case "write":
                    file.write_text(step.text, "utf-8")
                case "cut":
                    os.truncate(file, max(0, file.stat().st_size - step.bytes))
                case "flip":
                    content = bytearray(file.read_bytes())
                    content[step.at] ^= 1
                    file.write_bytes(content)
        except (OSError, IndexError) as error:
            raise CanNotBeDone(f"{step.act} {file.name}: {error}") from error

    async def port(self, step: schema.Port) -> None:
        match step.act:
            case "hold":
                descriptor = os.open(self._port(step.device), os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
                self._held[step.device] = descriptor
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    raise CanNotBeDone(f"{step.device}'s port is held by somebody else") from None
            case "let go":
                os.close(self._held.pop(step.device))
            case "swap":
                one, other = self._bench.clients[step.device], self._bench.clients[step.other]
                for client in (one, other):
                    await client.call("unplug")
                await one.call("plug", link=str(self._port(step.other)))
                await other.call("plug", link=str(self._port(step.device)))

    def _port(self, device: str) -> Path:
        return self._folder / str(getattr(self._bench.layout.settings.devices[device], "url", ""))

    def close(self) -> None:
        for descriptor in self._held.values():
            with contextlib.suppress(OSError):
                os.close(descriptor)
        self._held.clear()
