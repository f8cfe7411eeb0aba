"""The daemon's end of a simulated I2C or SPI bus (`drivers/codecs/simbus.py`), and of its interrupt line.

Rules:
* One thread reads the socket; what it hears of the interrupt line is told there, as lgpio's thread would.
* A refused transaction is the `OSError` that the kernel would raise; one that is not answered within `ANSWER_S` is
  ETIMEDOUT, as of a bus whose clock is held. A closed connection is a lost bus.
"""

from __future__ import annotations

import contextlib
import errno
import os
import socket
import threading
from collections.abc import Callable
from pathlib import Path

from drivers.codecs.simbus import (
    Done,
    Exchange,
    Failed,
    Hello,
    Interrupt,
    LoadLine,
    SimBusDecoder,
    SimBusError,
    SimBusFrame,
    Transfer,
    encode,
)
from drivers.gpio.pins import PinsLostError

ANSWER_S = 1.0


class SimulatedBus:
    """`I2cBus`, `SpiBus` and, by `interrupt`, an `InterruptLine` over one connection."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.identity = f"sim+{path}"
        self.interrupt = SimulatedInterrupt()
        self._connection: _Connection | None = None

    def open(self, lost: Callable[[str], None]) -> None:
        self._connection = _Connection(self._path, self.interrupt.heard, lost)

    def transfer(self, address: int, write: bytes, read: int) -> bytes:
        return self._opened().ask(lambda request: Transfer(request, address, read, write))

    def exchange(self, mosi: bytes) -> bytes:
        return self._opened().ask(lambda request: Exchange(request, mosi))

    def load(self, high: bool) -> None:
        self._opened().send(LoadLine(high))

    def close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.close()

    def _opened(self) -> _Connection:
        if self._connection is None:
            raise PinsLostError(f"simulated bus at {self._path} is not open")
        return self._connection


class SimulatedInterrupt:
    def __init__(self) -> None:
        self._low = False
        self._fell: Callable[[int], None] | None = None
        self.identity = "the simulated interrupt line"

    def heard(self, event: Interrupt) -> None:
        fell = self._fell if self._low is False and not event.high else None
        self._low = not event.high
        if fell is not None:
            fell(event.at_ns)

    def open(self, fell: Callable[[int], None], lost: Callable[[str], None]) -> None:
        self._fell = fell

    def is_low(self) -> bool:
        return self._low

    def close(self) -> None:
        self._fell = None


class _Connection:
    """One connection and its reading thread."""

    def __init__(self, path: Path, heard: Callable[[Interrupt], None], lost: Callable[[str], None]) -> None:
        self._path = path
        self._heard = heard
        self._lost = lost
        self._decoder = SimBusDecoder()
        self._answers: dict[int, Done | Failed] = {}
        self._answered = threading.Condition()
        self._request = 0
        self._closed = False
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(ANSWER_S)
        try:
            self._socket.connect(str(path))
            self._socket.sendall(encode(Hello()))
        except OSError as error:
            self._socket.close()
            raise PinsLostError(f"simulated bus at {path}: {error}. Is the simulator running?") from error
        self._socket.settimeout(None)
        self._thread = threading.Thread(target=self._read, name="sim-bus", daemon=True)
        self._thread.start()

    def send(self, frame: SimBusFrame) -> None:
        try:
            self._socket.sendall(encode(frame))
        except OSError as error:
            raise PinsLostError(f"simulated bus at {self._path}: {error}") from error

    def ask(self, make: Callable[[int], SimBusFrame]) -> bytes:
        with self._answered:
            self._request += 1
            request = self._request
        self.send(make(request))
        with self._answered:
            self._answered.wait_for(lambda: self._closed or request in self._answers, ANSWER_S)
            answer = self._answers.pop(request, None)
            closed = self._closed
        if isinstance(answer, Done):
            return answer.data
        if closed:
            raise PinsLostError(f"simulated bus at {self._path} closed the connection")
        number = answer.errno if answer is not None else errno.ETIMEDOUT
        raise OSError(number, os.strerror(number))

    def close(self) -> None:
        with self._answered:
            self._closed = True
        with contextlib.suppress(OSError):  # the other end may have gone first
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        if threading.current_thread() is not self._thread:
            self._thread.join()

    def _read(self) -> None:
        why = "closed the connection"
        try:
            while data := self._socket.recv(65536):
                for frame in self._decoder.feed(data):
                    self._take(frame)
        except (OSError, SimBusError) as error:
            why = str(error)
        with self._answered:
            told, self._closed = self._closed, True
            self._answered.notify_all()
        if not told:
            self._lost(f"simulated bus at {self._path}: {why}")

    def _take(self, frame: SimBusFrame) -> None:
        match frame:
            case Done() | Failed():
                with self._answered:
                    self._answers = {n: a for n, a in self._answers.items() if n > self._request - 8}
                    self._answers[frame.request] = frame
                    self._answered.notify_all()
            case Interrupt():
                self._heard(frame)
            case Hello():
                pass
            case _:
                raise SimBusError(f"{type(frame).__name__} is sent by the daemon only")
