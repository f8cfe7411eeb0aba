"""How the simulated pixels are wired back to lines of the chip, where they are.

* The data output of the last pixel: a frame with more pixels than there are leaves through it, and a retriggerable
  one-shot holds its line low for `ONE_SHOT_S` from each.
* The supply: a comparator holds its line low while current flows, also into dark pixels.

Rules: from a dead pixel on nothing passes; without supply nothing passes and no current flows.
"""

from __future__ import annotations

import asyncio

from hil.sim.chip_model import LineChip, PixelString

ONE_SHOT_S = 3.0


class LampWires:
    """`returns`, `current`: the line of each wire; None: it is not there."""

    def __init__(self, chip: LineChip, pixels: PixelString, returns: int | None, current: int | None) -> None:
        self._chip = chip
        self._pixels = pixels
        self._returns = returns
        self._current = current
        self._running: asyncio.TimerHandle | None = None
        if returns is not None:
            chip.set(returns, True)
        if current is not None:
            chip.set(current, False)

    def written(self) -> None:
        """A frame has been written."""
        if self._returns is None or not self._pixels.passes_on:
            return
        if self._running is not None:
            self._running.cancel()
        self._chip.set(self._returns, False)
        self._running = asyncio.get_running_loop().call_later(ONE_SHOT_S, self._chip.set, self._returns, True)

    def supply(self, on: bool) -> None:
        self._pixels.powered = on
        if self._current is not None:
            self._chip.set(self._current, not on)
