"""The lamps: a string of pixels shown whole, frame by frame. The `Lamps` port over any `PixelString`.

Pace, repainting and what happens when the string is lost stand in `painted.py`.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Protocol

from drivers.devices.painted import CanvasLostError, Painted
from drivers.ports import NowNs, Pixel

DARK = Pixel(0, 0, 0)
TAIL = Pixel(255, 255, 255)

PixelsLostError = CanvasLostError
"""The string can't be opened or written."""


class PixelString(Protocol):
    """A string of pixels behind some bus. All calls block and are made on one thread, one at a time."""

    @property
    def identity(self) -> str: ...

    def open(self, size: int) -> None:
        """Raises `PixelsLostError`."""

    def write(self, frame: Sequence[Pixel]) -> None:
        """Put the frame on the wire. Raises `PixelsLostError`."""

    def close(self) -> None:
        """Release the bus. May be called in any state, also twice."""


class _Strung:
    """A string as a canvas. `tails`: pixels sent after the last lamp's, which come out of its data output."""

    def __init__(self, pixels: PixelString, size: int, tails: int) -> None:
        self._pixels = pixels
        self._size = size
        self._tail = (TAIL,) * tails

    @property
    def identity(self) -> str:
        return self._pixels.identity

    def open(self) -> None:
        self._pixels.open(self._size + len(self._tail))

    def write(self, frame: tuple[Pixel, ...]) -> None:
        self._pixels.write(frame + self._tail)

    def close(self) -> None:
        self._pixels.close()


class PixelLamps(Painted[tuple[Pixel, ...]]):
    """`drivers.ports.Lamps` over a pixel string of `size` pixels. `returns`: the last lamp's data output is wired to an
    input, and each frame carries one pixel more for it to pass on."""

    def __init__(
        self,
        name: str,
        size: int,
        pixels: PixelString,
        now_ns: NowNs = time.monotonic_ns,
        returns: bool = False,
    ) -> None:
        if size <= 0:
            raise ValueError(f"{name}: {size} lamps; expected at least one")
        dark = (DARK,) * size
        super().__init__(name, _Strung(pixels, size, tails=int(returns)), dark, now_ns)
        self._size = size
        self._frame = dark

    @property
    def size(self) -> int:
        return self._size

    def show(self, frame: Sequence[Pixel]) -> None:
        if len(frame) != self._size:
            raise ValueError(f"{self._name}: a frame of {len(frame)} pixels; expected {self._size}")
        self._frame = tuple(frame)
        self.newest()

    def painting(self) -> tuple[Pixel, ...]:
        return self._frame
