"""A simulated 4x20 display: `python -m hil.sim.display --port LINK --control SOCKET`.

Its own ops: `screen` (`lines`: the four lines as a person sees them); `history` (`since_ns`, default 0: every change
with its CLOCK_MONOTONIC time, lines with a line feed between); `wait` (`text`, `timeout_ms`: replies when it is on
the screen); `power_cycle` (the display starts blank).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping

from drivers.codecs import chardisplay
from hil.sim import process
from hil.sim.control import Arguments, ControlError, Handler, Reply
from hil.sim.history import History
from hil.sim.process import forever


class SimulatedDisplay:
    """The face of a `chardisplay.Decoder`, which is the model."""

    def __init__(self) -> None:
        self._decoder = chardisplay.Decoder()
        self._history = History()

    def received(self, data: bytes) -> None:
        self._decoder.feed(data)
        self._note()

    def status(self) -> Reply:
        return {"decoder": self._decoder.counters}

    def handlers(self) -> Mapping[str, Handler]:
        return {"screen": self._screen, "history": self._past, "wait": self._wait, "power_cycle": self._power_cycle}

    async def run(self) -> None:
        await forever()

    async def _screen(self, arguments: Arguments) -> Reply:
        arguments.end()
        return {"lines": self._decoder.lines}

    async def _past(self, arguments: Arguments) -> Reply:
        since_ns = arguments.integer("since_ns", 0, most=1 << 63)
        arguments.end()
        return {"history": self._history.since(since_ns)}

    async def _wait(self, arguments: Arguments) -> Reply:
        text, timeout_ms = arguments.text("text"), arguments.integer("timeout_ms", 5000, most=600_000)
        arguments.end()
        at_ns = await self._history.until(text, timeout_ms / 1000)
        if at_ns is None:
            raise ControlError(f"not shown within {timeout_ms} ms: {text!r}; shown: {self._shown()!r}")
        return {"at_ns": at_ns}

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
