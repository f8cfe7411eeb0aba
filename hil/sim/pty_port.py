"""The plug of a simulated serial device: the master of a pty, and a symlink of a stable name to its other end.

Rules:
* Raw mode: no echo, no change of line ends. A pty enforces no baud rate and no parity.
* Unplugging closes the master, which hangs the other side up, and removes the link; plugging in makes a new pty, under
  the same name or another one.
"""

from __future__ import annotations

import asyncio
import errno
import os
import tty
from collections.abc import Callable
from pathlib import Path

from hil.sim.control import ControlError
from hil.sim.plug import Plug


class PtyPort(Plug):
    """`on_bytes`: called on the loop with what the other side wrote."""

    def __init__(self, link: Path, on_bytes: Callable[[bytes], None]) -> None:
        super().__init__(link)
        self._on_bytes = on_bytes
        self._slave: int | None = None  # held open, so that the master reads nothing odd while nobody has opened it
        self._reading = False

    def plug(self, link: Path | None = None) -> None:
        super().plug(link)
        self.resume()

    def appear(self, link: Path) -> int:
        if link.is_symlink() and str(link.readlink()).startswith("/dev/pts/"):
            link.unlink()  # left by a simulator that was killed; one that runs still holds its control socket
        elif link.exists() or link.is_symlink():
            raise ControlError(f"{link} exists; name another one")
        master, self._slave = os.openpty()
        tty.setraw(master)
        tty.setraw(self._slave)
        os.set_blocking(master, False)
        link.symlink_to(os.ttyname(self._slave))
        return master

    def unplug(self) -> None:
        self.stall()
        super().unplug()
        if self._slave is not None:
            os.close(self._slave)
            self._slave = None

    def stall(self) -> None:
        if self._reading and self._descriptor is not None:
            asyncio.get_running_loop().remove_reader(self._descriptor)
        self._reading = False

    def resume(self) -> None:
        if self._descriptor is None:
            raise ControlError("not plugged in")
        if not self._reading:
            asyncio.get_running_loop().add_reader(self._descriptor, self._read)
        self._reading = True

    def _read(self) -> None:
        assert self._descriptor is not None
        try:
            data = os.read(self._descriptor, 4096)
        except BlockingIOError:
            return
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            return
        self._on_bytes(data)
