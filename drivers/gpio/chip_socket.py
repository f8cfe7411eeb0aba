"""The daemon's end of the simulated line chip's socket, shared by simulated pins and the simulated SPI bus.

Rules: blocking, with a limit; every failure is `PinsLostError` and names the socket.
"""

from __future__ import annotations

import contextlib
import socket
from pathlib import Path

from drivers.codecs.simchip import Hello, SimChipDecoder, SimChipError, SimChipFrame, encode
from drivers.gpio.pins import PinsLostError

ANSWER_S = 1.0
"""A chip that is silent for longer is lost."""


class ChipSocket:
    """One connection to the chip, with `Hello` exchanged. Blocking; raises `PinsLostError`."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._decoder = SimChipDecoder()
        self._waiting: list[SimChipFrame] = []
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(ANSWER_S)
        try:
            self._socket.connect(str(path))
            self.send(Hello())
            hello = self.receive()
        except (OSError, PinsLostError) as error:
            self._socket.close()
            raise PinsLostError(f"line chip at {path}: {error}. Is the simulated chip running?") from error
        if not isinstance(hello, Hello):
            self._socket.close()
            raise PinsLostError(f"line chip at {path} began with {type(hello).__name__}; expected Hello")
        self.lines = hello.lines
        self.pixels = hello.pixels

    def wait_without_limit(self) -> None:
        """From now on `receive` waits for ever (the reading thread of a chip that may have nothing to say)."""
        self._socket.settimeout(None)

    def send(self, frame: SimChipFrame) -> None:
        try:
            self._socket.sendall(encode(frame))
        except OSError as error:
            raise PinsLostError(f"line chip at {self._path}: {error}") from error

    def receive(self) -> SimChipFrame:
        """The next frame."""
        while not self._waiting:
            try:
                data = self._socket.recv(65536)
                self._waiting = self._decoder.feed(data)
            except (OSError, SimChipError) as error:
                raise PinsLostError(f"line chip at {self._path}: {error}") from error
            if not data:
                raise PinsLostError(f"line chip at {self._path} closed the connection")
        return self._waiting.pop(0)

    def close(self) -> None:
        with contextlib.suppress(OSError):  # the other end may have gone first
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
