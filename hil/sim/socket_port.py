"""The plug of a simulated bus: a local stream socket that takes one connection at a time.

Rules:
* Empty bytes to `on_bytes` say that a new connection begins.
* A second connection takes the place of the first: a daemon that was killed may not have closed its own.
* Unplugging ends the connection and takes the name away.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import stat
from collections.abc import Callable
from pathlib import Path

from hil.sim.control import ControlError
from hil.sim.plug import Plug


class SocketPort(Plug):
    def __init__(self, link: Path, on_bytes: Callable[[bytes], None]) -> None:
        super().__init__(link)
        self._on_bytes = on_bytes
        self._listener: socket.socket | None = None
        self._peer: socket.socket | None = None
        self._stalled = False

    def appear(self, link: Path) -> int:
        if link.exists() and not stat.S_ISSOCK(link.stat().st_mode):
            raise ControlError(f"{link} exists; name another one")
        link.unlink(missing_ok=True)  # left by a simulator that was killed; one that runs holds its control socket
        listener = self._listener = socket.socket(socket.AF_UNIX)
        listener.setblocking(False)
        listener.bind(str(link))
        listener.listen(4)
        asyncio.get_running_loop().add_reader(listener, self._accept)
        return os.dup(listener.fileno())

    def unplug(self) -> None:
        self._drop()
        listener, self._listener = self._listener, None
        if listener is not None:
            asyncio.get_running_loop().remove_reader(listener)
            listener.close()
        super().unplug()

    def write(self, data: bytes) -> None:
        sent = 0
        if self._peer is not None:
            with contextlib.suppress(BlockingIOError, ConnectionError):
                sent = self._peer.send(data)
        self.dropped_bytes += len(data) - sent

    def stall(self) -> None:
        self._stalled = True
        if self._peer is not None:
            asyncio.get_running_loop().remove_reader(self._peer)

    def resume(self) -> None:
        self._stalled = False
        if self._peer is not None:
            asyncio.get_running_loop().add_reader(self._peer, self._read, self._peer)

    def _accept(self) -> None:
        assert self._listener is not None
        with contextlib.suppress(BlockingIOError):
            peer, _ = self._listener.accept()
            peer.setblocking(False)
            self._drop()
            self._peer = peer
            self._on_bytes(b"")
            if not self._stalled:
                self.resume()

    def _read(self, peer: socket.socket) -> None:
        try:
            data = peer.recv(65536)
        except BlockingIOError:
            return
        except ConnectionError:
            data = b""
        if data:
            self._on_bytes(data)
        else:
            self._drop()

    def _drop(self) -> None:
        peer, self._peer = self._peer, None
        if peer is not None:
            asyncio.get_running_loop().remove_reader(peer)
            peer.close()
