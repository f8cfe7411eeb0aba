"""The plug of a simulated serial device: the master of a pty, and a symlink of a stable name to its other end.

Rules:
* Raw mode: no echo, no change of line ends. A pty enforces no baud rate and no parity.
* Unplugging closes the master, which hangs the other side up, and removes the link; plugging in makes a new pty, under
  the same name or another one.
* A write that finds the buffer full is dropped and counted, as a wire would lose it.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import tty
from collections.abc import Callable
from pathlib import Path

from hil.sim.control import ControlError


class PtyPort:
    """`on_bytes`: called on the loop with what the other side wrote."""

    def __init__(self, link: Path, on_bytes: Callable[[bytes], None]) -> None:
        self._link = link
        self._on_bytes = on_bytes
        self._master: int | None = None
        self._slave: int | None = None  # held open, so that the master reads nothing odd while nobody has opened it
        self._reading = False
        self.dropped_bytes = 0

    @property
    def link(self) -> Path:
        """The name under which it is, or was last, plugged in."""
        return self._link

    @property
    def plugged(self) -> bool:
        return self._master is not None

    def plug(self, link: Path | None = None) -> None:
        """Appear under `link` (default: the last name). `ControlError` if plugged in or the name is taken."""
        if self._master is not None:
            raise ControlError(f"already plugged in as {self._link}")
        link = link or self._link
        if link.is_symlink() and str(link.readlink()).startswith("/dev/pts/"):
            link.unlink()  # left by a simulator that was killed; one that runs still holds its control socket
        elif link.exists() or link.is_symlink():
            raise ControlError(f"{link} exists; name another one")
        master, slave = os.openpty()
        tty.setraw(master)
        tty.setraw(slave)
        os.set_blocking(master, False)
        link.symlink_to(os.ttyname(slave))
        self._master, self._slave, self._link = master, slave, link
        self.resume()

    def unplug(self) -> None:
        """Disappear; nothing happens if it isn't plugged in."""
        if self._master is None or self._slave is None:
            return
        self.stall()
        self._link.unlink(missing_ok=True)
        os.close(self._master)
        os.close(self._slave)
        self._master = self._slave = None

    def write(self, data: bytes) -> None:
        """Send to the other side what it has room for; unplugged, it all goes nowhere."""
        sent = 0
        if self._master is not None:
            with contextlib.suppress(BlockingIOError):
                sent = os.write(self._master, data)
        self.dropped_bytes += len(data) - sent

    def stall(self) -> None:
        """Take nothing more from the other side."""
        if self._reading and self._master is not None:
            asyncio.get_running_loop().remove_reader(self._master)
        self._reading = False

    def resume(self) -> None:
        """Take data again. `ControlError` while unplugged."""
        if self._master is None:
            raise ControlError("not plugged in")
        if not self._reading:
            asyncio.get_running_loop().add_reader(self._master, self._read)
        self._reading = True

    def _read(self) -> None:
        assert self._master is not None
        try:
            data = os.read(self._master, 4096)
        except BlockingIOError:
            return
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            return
        self._on_bytes(data)
