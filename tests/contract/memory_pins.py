"""Input pins in memory: the fake back end of the contract suite. Strict: what the port doesn't allow raises."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence

from drivers.gpio.pins import InputPin, PinLevels, PinSink, PinsLostError
from drivers.ports import Timestamps


class MemoryPins:
    identity = "sim+memory pins"

    def __init__(self, size: int, timestamps: Timestamps = Timestamps.KERNEL) -> None:
        self.timestamps = timestamps
        self.high = [True] * size
        self.away = False
        self._sink: PinSink | None = None
        self._claimed: set[int] = set()
        self._lock = threading.Lock()

    def open(self, pins: Sequence[InputPin], sink: PinSink) -> None:
        with self._lock:
            assert self._sink is None, "opened twice without a close"
            if self.away:
                raise PinsLostError("memory pins are away")
            self._sink = sink
            self._claimed = {pin.number for pin in pins}

    def read_levels(self) -> PinLevels:
        with self._lock:
            if self._sink is None or self.away:
                raise PinsLostError("memory pins are not open")
            at_ns = time.monotonic_ns()
            return PinLevels(at_ns, at_ns, {number: self.high[number] for number in self._claimed})

    def close(self) -> None:
        with self._lock:
            self._sink = None

    def set(self, number: int, high: bool, deliver: bool = True) -> int:
        with self._lock:
            at_ns = time.monotonic_ns()
            if self.high[number] != high:
                self.high[number] = high
                if (
                    deliver
                    and self._sink is not None
                    and number in self._claimed
                    and self.timestamps is Timestamps.KERNEL
                ):
                    self._sink.edge(number, high, at_ns)
            return at_ns

    def lose(self) -> None:
        self.away = True
        with self._lock:
            sink = self._sink
        if sink is not None:
            sink.lost("memory pins went away")
