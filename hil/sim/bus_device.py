"""The face of a simulated bus: frames of `drivers/codecs/simbus.py` in, answers out; what chips are on it is a model's.

Ops of every bus: `set`: `line`, `high`, replies with `at_ns`; `stick`: `line`, `high`, and `unstick`: `line`; `fault`:
`kind`, `times` (default 1); `calm`: no more faults. Kinds are the model's, and these of any bus, for so many
transactions: `silent` (no answer), `refuse` (the kernel reports a remote I/O error: nobody acknowledged), `held` (the
kernel gives up: a data line is held low), `flip` (one bit of what is read is wrong).
"""

from __future__ import annotations

import errno
import random
import time
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from drivers.codecs.simbus import (
    Done,
    Exchange,
    Failed,
    Hello,
    Interrupt,
    LoadLine,
    SimBusDecoder,
    SimBusError,
    Transfer,
    encode,
)
from hil.sim import process
from hil.sim.control import Arguments, ControlError, Handler, Reply

COMMON = ("silent", "refuse", "held", "flip")


class NoAnswerError(Exception):
    """Nobody on the bus acknowledged."""


class BusModel(Protocol):
    """The chips of one bus. Lines are numbered over all chips."""

    @property
    def size(self) -> int: ...

    def set(self, line: int, high: bool) -> None: ...

    def stick(self, line: int, high: bool | None) -> None: ...

    def interrupt_high(self) -> bool: ...

    def transfer(self, address: int, write: bytes, read: int) -> bytes:
        """An I2C transaction. Raises `NoAnswerError`."""

    def exchange(self, mosi: bytes) -> bytes:
        """An SPI exchange."""

    def load(self, high: bool) -> None: ...

    def status(self) -> Reply: ...

    def faults(self) -> Mapping[str, Callable[[int], None]]:
        """Faults of its own, by kind; given how many times."""

    def calm(self) -> None: ...


class BusDevice:
    """A `SimulatedDevice` over a model."""

    def __init__(self, model: BusModel, send: Callable[[bytes], None], seed: int = 1) -> None:
        self._model = model
        self._send = send
        self._decoder = SimBusDecoder()
        self._random = random.Random(seed)
        self._waiting = dict.fromkeys(COMMON, 0)
        self._shown_high = True
        self._transactions = 0
        self._rejected = 0

    def received(self, data: bytes) -> None:
        if not data:
            self._decoder = SimBusDecoder()
            self._send(encode(Hello()))
            self._send(encode(Interrupt(self._model.interrupt_high(), time.monotonic_ns())))
            return
        try:
            frames = self._decoder.feed(data)
        except SimBusError:
            self._rejected += 1
            self._decoder = SimBusDecoder()
            return
        for frame in frames:
            match frame:
                case Transfer():
                    self._answer(frame.request, lambda f=frame: self._model.transfer(f.address, f.write, f.read))  # type: ignore[misc]
                case Exchange():
                    self._answer(frame.request, lambda f=frame: self._model.exchange(f.mosi))  # type: ignore[misc]
                case LoadLine():
                    self._model.load(frame.high)
                case _:
                    pass
            self._show()

    def _answer(self, request: int, make: Callable[[], bytes]) -> None:
        self._transactions += 1
        if self._strikes("silent"):
            return
        if self._strikes("held"):
            self._send(encode(Failed(request, errno.ETIMEDOUT)))
            return
        if self._strikes("refuse"):
            self._send(encode(Failed(request, errno.EREMOTEIO)))
            return
        try:
            data = make()
        except NoAnswerError:
            self._send(encode(Failed(request, errno.EREMOTEIO)))
            return
        if data and self._strikes("flip"):
            wrong = bytearray(data)
            wrong[self._random.randrange(len(wrong))] ^= 1 << self._random.randrange(8)
            data = bytes(wrong)
        self._send(encode(Done(request, data)))

    def _strikes(self, kind: str) -> bool:
        if not self._waiting[kind]:
            return False
        self._waiting[kind] -= 1
        return True

    def _show(self, at_ns: int | None = None) -> None:
        """The interrupt line, if it moved; `at_ns`: when, if not now."""
        high = self._model.interrupt_high()
        if high is not self._shown_high:
            self._shown_high = high
            self._send(encode(Interrupt(high, time.monotonic_ns() if at_ns is None else at_ns)))

    async def run(self) -> None:
        await process.forever()

    def status(self) -> Reply:
        return {"transactions": self._transactions, "rejected": self._rejected, **self._model.status()}

    def handlers(self) -> Mapping[str, Handler]:
        return {
            "set": self._set,
            "stick": self._stick,
            "unstick": self._unstick,
            "fault": self._fault,
            "calm": self._calm,
        }

    def _line(self, arguments: Arguments) -> int:
        return arguments.integer("line", most=self._model.size - 1)

    async def _set(self, arguments: Arguments) -> Reply:
        line, high = self._line(arguments), arguments.flag("high")
        arguments.end()
        at_ns = time.monotonic_ns()
        self._model.set(line, high)
        self._show(at_ns)
        return {"at_ns": at_ns}

    async def _stick(self, arguments: Arguments) -> Reply:
        line, high = self._line(arguments), arguments.flag("high")
        arguments.end()
        self._model.stick(line, high)
        self._show()
        return {}

    async def _unstick(self, arguments: Arguments) -> Reply:
        line = self._line(arguments)
        arguments.end()
        self._model.stick(line, None)
        self._show()
        return {}

    async def _fault(self, arguments: Arguments) -> Reply:
        kind, times = arguments.text("kind"), arguments.integer("times", 1, least=0, most=1 << 31)
        arguments.end()
        own = self._model.faults()
        if kind in own:
            own[kind](times)
        elif kind in self._waiting:
            self._waiting[kind] = times
        else:
            raise ControlError(f"kind must be one of {', '.join(_sorted(COMMON, own))}, got {kind!r}")
        self._show()
        return {}

    async def _calm(self, arguments: Arguments) -> Reply:
        arguments.end()
        self._waiting = dict.fromkeys(COMMON, 0)
        self._model.calm()
        self._show()
        return {}


def _sorted(*kinds: Iterable[str]) -> list[str]:
    return sorted({kind for each in kinds for kind in each})
