"""A simulated Alpha sign: `python -m hil.sim.sign --port LINK --control SOCKET`.

Its own ops: `screen` (what a person sees: `screen`, and `files` by label); `history` (`since_ns`, default 0: every
change of the screen with its CLOCK_MONOTONIC time); `wait` (`text`, `timeout_ms`: replies when it is on the screen);
`power_cycle` (a sign with an empty battery: all files are gone).
"""

from __future__ import annotations

import sys
import time

from drivers.codecs import alpha_sign
from hil.sim import process
from hil.sim.control import Arguments, Reply
from hil.sim.screen import SimulatedScreen
from hil.sim.sign_model import SignModel


class SimulatedSign(SimulatedScreen):
    """The face of a `SignModel`."""

    def __init__(self) -> None:
        super().__init__()
        self._decoder = alpha_sign.Decoder()
        self._model = SignModel()

    def received(self, data: bytes) -> None:
        now_ns = time.monotonic_ns()
        for found in self._decoder.feed(data, now_ns):
            if not isinstance(found, alpha_sign.RejectedPacket):
                self._model.obey(found)
                self._history.note(now_ns, self._shown())

    def status(self) -> Reply:
        return {"decoder": self._decoder.counters, "sign": self._model.counters}

    def _shown(self) -> str:
        return self._model.screen

    async def _screen(self, arguments: Arguments) -> Reply:
        arguments.end()
        return {"screen": self._model.screen, "files": self._model.files}

    async def _power_cycle(self, arguments: Arguments) -> Reply:
        arguments.end()
        self._model = SignModel()
        self._history.note(time.monotonic_ns(), self._shown())
        return {}


def main(argv: list[str] | None = None) -> int:
    return process.main(process.parser("simulated Alpha sign"), lambda _options, _send: SimulatedSign(), argv)


if __name__ == "__main__":
    sys.exit(main())
