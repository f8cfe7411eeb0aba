"""The plug of a simulated device: a name under which the other side opens it, and where its bytes go.

Rules:
* Unplugging takes the name away; the same device may come back under another one.
* A write that the other side has no room for is dropped and counted; unplugged, all of it is.
"""

from __future__ import annotations

import contextlib
import os
from abc import ABC, abstractmethod
from pathlib import Path

from hil.sim.control import ControlError


class Plug(ABC):
    """A kind of port adds what is abstract here."""

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
        self._descriptor = self.appear(link)
        self._link = link

    def unplug(self) -> None:
        """Disappear; nothing happens if it isn't plugged in."""
        if self._descriptor is None:
            return
        self._link.unlink(missing_ok=True)
        os.close(self._descriptor)
        self._descriptor = None

    def write(self, data: bytes) -> None:
        """Send to the other side what it has room for."""
        sent = 0
        if self._descriptor is not None:
            with contextlib.suppress(BlockingIOError):
                sent = os.write(self._descriptor, data)
        self.dropped_bytes += len(data) - sent

    @abstractmethod
    def appear(self, link: Path) -> int:
        """Make it openable under `link`; the descriptor to write to, which does not block. `ControlError`."""

    @abstractmethod
    def stall(self) -> None:
        """Take nothing more from the other side. `ControlError` where nothing comes from it."""

    @abstractmethod
    def resume(self) -> None:
        """Take data again. `ControlError` while unplugged, or where nothing comes."""
