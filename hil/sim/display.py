"""A simulated 4x20 display: `python -m hil.sim.display --port LINK --control SOCKET`.

Its own ops: `screen` (`lines`: the four lines as a person sees them); `history` (`since_ns`, default 0: every change
with its CLOCK_MONOTONIC time, lines with a line feed between); `wait` (`text`, `timeout_ms`: replies when it is on
the screen); `power_cycle` (the display starts blank).
"""

from __future__ import annotations

import sys
import time

from drivers.codecs import chardisplay
from hil.sim import process
from hil.sim.control import Arguments, Reply
from hil.sim.screen import SimulatedScreen


class SimulatedDisplay(SimulatedScreen):
    """The face of a `chardisplay.Decoder`, which is the model."""

    def __init__(self) -> None:
        super().__init__()
        self._decoder = chardisplay.Decoder()

    def received(self, data: bytes) -> None:
        self._decoder.feed(data)
        self._note()

    def status(self) -> Reply:
        return {"decoder": self._decoder.counters}

    async def _screen(self, arguments: Arguments) -> Reply:
        arguments.end()
        return {"lines": self._decoder.lines}

    async def _power_cycle(self, arguments: Arguments) -> Reply:
        arguments.end()
        self._decoder = chardisplay.Decoder()
        self._note()
        return {}

    def _shown(self) -> str:
        return "\n".join(self._decoder.lines)

    def _note(self) -> None:
        self._history.note(time.monotonic_ns(), self._shown())


def main(argv: list[str] | None = None) -> int:
    return process.main(process.parser("simulated 4x20 display"), lambda _options, _send: SimulatedDisplay(), argv)


if __name__ == "__main__":
    sys.exit(main())
