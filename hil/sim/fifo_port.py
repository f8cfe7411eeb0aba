"""The plug of a simulated input device: a FIFO, whose reader sees what a reader of an event file would.

Rules:
* It is held open for writing, so that the reader finds no end while it is plugged in; unplugging is the end.
* Nothing comes back through it. What nobody reads stays in it, unlike in a kernel's event file, until it is unplugged.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from hil.sim.control import ControlError
from hil.sim.plug import Plug


class FifoPort(Plug):
    def appear(self, link: Path) -> int:
        if link.exists() and not stat.S_ISFIFO(link.stat().st_mode):
            raise ControlError(f"{link} exists; name another one")
        link.unlink(missing_ok=True)  # left by a simulator that was killed
        os.mkfifo(link, 0o600)
        return os.open(link, os.O_RDWR | os.O_NONBLOCK | os.O_CLOEXEC)

    def stall(self) -> None:
        raise ControlError("a scanner takes no data that it could refuse")

    def resume(self) -> None:
        raise ControlError("a scanner takes no data")
