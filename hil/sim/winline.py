"""A simulated reader of the winning number alone: `python -m hil.sim.winline --port LINK --control SOCKET [--seed N]`.

Ops: those of `outbox.py` (its `copies` and `spacing_ms` are a display's repetitions); `number` (`pocket`).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping

from drivers.codecs import winline
from hil.sim import process
from hil.sim.control import Arguments, ControlError, Handler, Reply
from hil.sim.outbox import Outbox


class SimulatedWinline(Outbox):
    def handlers(self) -> Mapping[str, Handler]:
        return {**super().handlers(), "number": self._number}

    async def _number(self, arguments: Arguments) -> Reply:
        pocket = arguments.text("pocket")
        arguments.end()
        try:
            line = winline.encode(pocket)
        except ValueError as error:
            raise ControlError(str(error)) from None
        return await self.send_all([line])


def main(argv: list[str] | None = None) -> int:
    options = process.parser("simulated winning-number line")
    options.add_argument("--seed", type=int, default=0)

    def make(parsed: argparse.Namespace, send: Callable[[bytes], None]) -> SimulatedWinline:
        return SimulatedWinline(parsed.seed, send)

    return process.main(options, make, argv)


if __name__ == "__main__":
    sys.exit(main())
