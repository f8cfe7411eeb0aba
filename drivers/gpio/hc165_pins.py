"""Input pins of a chain of 74HC165 shift registers on SPI, polled.

Rules:
* The registers are loaded by a GPIO line and keep what they had when it went high: a level lies between the instant
  before it went low and the one after it went high, however long the shifting takes.
* Nothing protects a level on its way: one that differs from the read before is read twice more, and two of three hold.
* A reading whose tied inputs are wrong (`drivers/codecs/hc165.py`) is none: no level of it is taken.
"""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence

from drivers.codecs import hc165
from drivers.gpio.buses import SpiBus
from drivers.gpio.pins import InputPin, PinLevels, PinSink, PinsLostError
from drivers.gpio.polling import PolledChips, majority


class Hc165Pins(PolledChips):
    def __init__(self, bus: SpiBus, chips: int, poll_ns: int) -> None:
        super().__init__(bus.identity, f"{chips} 74HC165", poll_ns)
        self._bus = bus
        self._chips = chips
        self._broken = 0
        self._levels: tuple[bool, ...] = ()
        self._numbers: tuple[int, ...] = ()

    @property
    def counters(self) -> Mapping[str, int]:
        return {**self._polling.counters, "broken_reads": self._broken}

    def open(self, pins: Sequence[InputPin], sink: PinSink) -> None:
        self.close()
        self._numbers = tuple(pin.number for pin in pins)
        for number in self._numbers:
            if number >= 8 * self._chips or number in hc165.reserved(self._chips):
                tied = " and ".join(map(str, hc165.reserved(self._chips)))
                expected = f"0 to {8 * self._chips - 1} without {tied}, which are tied"
                raise ValueError(f"{self._identity}: line {number}; expected {expected}")
        try:
            self._bus.open(sink.lost)
        except OSError as error:
            raise PinsLostError(f"{self._identity}: {error}") from error
        self._polling.begin()
        self._levels = ()

    def read_levels(self) -> PinLevels:
        started_ns = time.monotonic_ns()
        try:
            high, ended_ns = self._read()
            if high != self._levels:
                (second, _), (third, ended_ns) = self._read(), self._read()
                high = tuple(bool(majority(bits)) for bits in zip(high, second, third, strict=True))
        except OSError as error:
            raise self._polling.missed(str(error)) from error
        except hc165.ChainError as error:
            self._broken += 1
            raise self._polling.missed(str(error)) from error
        self._levels = high
        self._polling.read(started_ns)
        return PinLevels(started_ns, ended_ns, {number: high[number] for number in self._numbers})

    def _read(self) -> tuple[tuple[bool, ...], int]:
        """Levels of one load, and when it was over."""
        self._bus.load(False)
        self._bus.load(True)
        ended_ns = time.monotonic_ns()
        return hc165.levels(self._bus.exchange(bytes(hc165.clocked(self._chips))), self._chips), ended_ns

    def close(self) -> None:
        self._bus.close()
