"""The plug of a simulated input device: a FIFO, whose reader sees what a reader of an event file would.

Rules:
* It is held open for writing, so that the reader finds no end while it is plugged in; unplugging is the end.
* Nothing comes back through it. What nobody reads stays in it, unlike in a kernel's event file, until it is unplugged.
* A write that finds it full is dropped and counted.
"""

from __future__ import annotations

import contextlib
import os
import stat
from pathlib import Path

from hil.sim.control import ControlError


class FifoPort:
    def __init__(self, link: Path) -> None:
        self._link = link
        self._descriptor: int | None = None
        self.dropped_bytes = 0

    @property
    def link(self) -> Path:
        """The name under which it is, or was last, plugged in."""
        return self._link

    @property
    def plugged(self) -> bool:
        return self._descriptor is not None

    def plug(self, link: Path | None = None) -> None:
        """Appear under `link` (default: the last name). `ControlError` if plugged in or the name is taken."""
        if self._descriptor is not None:
            raise ControlError(f"already plugged in as {self._link}")
        link = link or self._link
        if link.exists() and not stat.S_ISFIFO(link.stat().st_mode):
            raise ControlError(f"{link} exists; name another one")
        link.unlink(missing_ok=True)  # left by a simulator that was killed
        os.mkfifo(link, 0o600)
        self._descriptor = os.open(link, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)
        self._link = link

    def unplug(self) -> None:
        """Disappear; nothing happens if it isn't plugged in."""
        if self._descriptor is None:
            return
        self._link.unlink(missing_ok=True)
        os.close(self._descriptor)
        self._descriptor = None

    def write(self, data: bytes) -> None:
        """Type; unplugged, it all goes nowhere."""
        sent = 0
        if self._descriptor is not None:
            with contextlib.suppress(BlockingIOError):
                sent = os.write(self._descriptor, data)
        self.dropped_bytes += len(data) - sent

    def stall(self) -> None:
        raise ControlError("a scanner takes no data that it could refuse")

    def resume(self) -> None:
        raise ControlError("a scanner takes no data")
