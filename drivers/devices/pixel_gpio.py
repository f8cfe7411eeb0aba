"""Plain lamps, one GPIO line each, as a `PixelString`: a lamp is lit by any colour but black.

Answers for: lamps that a transistor or relay switches. What a spot says is told by its pattern in time alone; no two
states share one, so nothing is lost with the colour.

Rules:
* Every line is claimed dark, in one request with its direction, and left dark at the end. What it does between the end
  of a process and the next claim is the chip's business: a resistor to the dark level belongs at each transistor.
* Only lines that change are written: a repaint writes all, since a level may have been lost unseen.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

from drivers.devices.pixel_lamps import PixelsLostError
from drivers.gpio.gpiozero_pins import OutputPins
from drivers.gpio.pins import PinsLostError
from drivers.ports import Pixel


class GpioPixels:
    """`lines`: GPIO numbers, the first lamp first. `active_low`: a lamp is lit while its line is low."""

    def __init__(self, identity: str, pins: OutputPins, lines: Sequence[int], active_low: bool = False) -> None:
        if not lines or len(set(lines)) != len(lines):
            raise ValueError(f"{identity}: each lamp needs a line of its own, got {list(lines)}")
        self.identity = f"{identity}, lamps on {len(lines)} lines"
        self._pins = pins
        self._lines = tuple(lines)
        self._active_low = active_low
        self._lost = threading.Event()
        self._reason = ""

    def open(self, size: int) -> None:
        if size != len(self._lines):
            raise ValueError(f"{self.identity}: asked for {size}")
        self._lost.clear()
        try:
            self._pins.open([(line, self._active_low) for line in self._lines], self._gone)
        except PinsLostError as error:
            raise PixelsLostError(str(error)) from error

    def write(self, frame: Sequence[Pixel]) -> None:
        if self._lost.is_set():
            raise PixelsLostError(f"{self.identity}: {self._reason}")
        try:
            for line, pixel in zip(self._lines, frame, strict=True):
                lit = bool(pixel.red or pixel.green or pixel.blue)
                self._pins.write(line, lit ^ self._active_low)
        except PinsLostError as error:
            raise PixelsLostError(str(error)) from error

    def close(self) -> None:
        self._pins.close()

    def _gone(self, reason: str) -> None:
        """On the chip's own thread."""
        self._reason = reason
        self._lost.set()
