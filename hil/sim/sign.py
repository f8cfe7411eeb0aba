"""A simulated Alpha sign: `python -m hil.sim.sign --port LINK --control SOCKET`.

Its own ops: `screen` (what a person sees: `screen`, and `files` by label); `history` (`since_ns`, default 0: every
change of the screen with its CLOCK_MONOTONIC time); `wait` (`text`, `timeout_ms`: replies when it is on the screen);
`power_cycle` (a sign with an empty battery: all files are gone).
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping

from drivers.codecs import alpha_sign
from hil.sim import process
from hil.sim.control import Arguments, ControlError, Handler, Reply
from hil.sim.history import History
from hil.sim.process import forever
from hil.sim.sign_model import SignModel


class SimulatedSign:
    """The face of a `SignModel`."""

    def __init__(self) -> None:
        self._decoder = alpha_sign.Decoder()
        self._model = SignModel()
        self._history = History()

    def received(self, data: bytes) -> None:
        now_ns = time.monotonic_ns()
        for found in self._decoder.feed(data, now_ns):
            if not isinstance(found, alpha_sign.RejectedPacket):
                self._model.obey(found)
                self._history.note(now_ns, self._shown())

    def status(self) -> Reply:
        return {"decoder": self._decoder.counters, "sign": self._model.counters}

    def handlers(self) -> Mapping[str, Handler]:
        return {"screen": self._screen, "history": self._past, "wait": self._wait, "power_cycle": self._power_cycle}

    async def run(self) -> None:
        await forever()

    def _shown(self) -> str:
        return self._model.screen

    async def _screen(self, arguments: Arguments) -> Reply:
        arguments.end()
        return {"screen": self._model.screen, "files": self._model.files}

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
        self._model = SignModel()
        self._history.note(time.monotonic_ns(), self._shown())
        return {}


def main(argv: list[str] | None = None) -> int:
    return process.main(process.parser("simulated Alpha sign"), lambda _options, _send: SimulatedSign(), argv)


if __name__ == "__main__":
    sys.exit(main())
