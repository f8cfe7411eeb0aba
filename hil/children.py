"""Child processes of a bench: started, listened to, ended, and never left behind.

Rules:
* A child has a session of its own, so that Ctrl-C on the terminal reaches the bench alone, which ends its parts in
  order. If the bench itself is killed the kernel ends its children (PR_SET_PDEATHSIG).
* What a child prints is kept, the newest `KEPT_LINES` lines: that is what is shown when it dies.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import signal
import sys
from collections import deque
from collections.abc import Mapping, Sequence
from typing import Protocol

KEPT_LINES = 25
END_LIMIT_S = 10.0
_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None)


class PartDied(Exception):
    """A part of the bench ended by itself. The message names it and shows what it said last."""


class Process(Protocol):
    """What a child is made of: an `asyncio.subprocess.Process`, or the like."""

    @property
    def pid(self) -> int: ...
    @property
    def returncode(self) -> int | None: ...
    @property
    def stdout(self) -> asyncio.StreamReader | None: ...
    async def wait(self) -> int: ...
    def send_signal(self, signal: int, /) -> None: ...
    def terminate(self) -> None: ...
    def kill(self) -> None: ...


class Child:
    """One process. Use `start`."""

    def __init__(self, name: str, process: Process) -> None:
        self.name = name
        self._process = process
        self._lines: deque[str] = deque(maxlen=KEPT_LINES)
        self._ready = asyncio.Event()
        self._reading = asyncio.create_task(self._read(), name=f"{name} output")

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def running(self) -> bool:
        return self._process.returncode is None

    @property
    def said(self) -> str:
        """What it said last."""
        return "\n".join(self._lines)

    def signal(self, number: int) -> None:
        self._process.send_signal(number)

    async def ended(self) -> int:
        """Wait for its end; the exit status, negative for a signal."""
        status = await self._process.wait()
        await asyncio.wait([self._reading], timeout=1)  # a grandchild may hold the pipe
        return status

    async def said_ready(self) -> None:
        """Until it has printed the line `ready`, as simulators do."""
        await self._ready.wait()

    async def died(self) -> PartDied:
        """Wait until it has ended; the reason as an exception to raise."""
        status = await self.ended()
        how = f"was killed by signal {-status}" if status < 0 else f"ended with status {status}"
        said = "\n".join(f"    {line}" for line in self._lines) or "    nothing"
        return PartDied(f"{self.name} (process {self.pid}) {how}. It said last:\n{said}")

    async def end(self) -> None:
        """Ask it to end, and make it end if it does not within `END_LIMIT_S`."""
        with contextlib.suppress(ProcessLookupError):
            self._process.terminate()
        try:
            async with asyncio.timeout(END_LIMIT_S):
                await self._process.wait()
        except TimeoutError:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()
            await self._process.wait()
        self._reading.cancel()

    async def _read(self) -> None:
        assert self._process.stdout is not None
        async for line in self._process.stdout:
            text = line.decode(errors="replace").rstrip("\n")
            if text == "ready":
                self._ready.set()
            else:
                self._lines.append(text)


class Start(Protocol):
    """How a part of a bench is started."""

    async def __call__(
        self, name: str, module: str, words: Sequence[str], environment: Mapping[str, str] | None = None
    ) -> Child: ...


async def start(name: str, module: str, words: Sequence[str], environment: Mapping[str, str] | None = None) -> Child:
    """`python -m module words`; `environment` is added to ours."""
    return Child(
        name,
        await asyncio.create_subprocess_exec(
            *(sys.executable, "-m", module, *words),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            env={**os.environ, "PYTHONUNBUFFERED": "1", **(environment or {})},
            start_new_session=True,
            preexec_fn=die_with_parent,
        ),
    )


def die_with_parent() -> None:
    """For a child, before it does anything."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)
