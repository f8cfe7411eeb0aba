"""A simulated `tgline` wheel: `python -m hil.sim.tgline_wheel --port LINK --control SOCKET [--pockets N] ...`.

It says BOOT when it starts, its state at each change and each second, and WIN and WARN until they are acknowledged.

Ops: those of `wheel_device.py` and `tgline_device.py`; `warn` (`warnings`): a WARN by itself.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping

from drivers.codecs import tgline
from drivers.codecs import tgline_wheel as words
from drivers.codecs.cammegh_ss2 import Trouble
from hil.sim import process
from hil.sim.control import Arguments, Handler, Reply
from hil.sim.tgline_device import TglineDevice
from hil.sim.tgline_repeats import Repeats
from hil.sim.wheel_device import WheelDevice

DEFAULT_POCKETS = 38


class SimulatedTglineWheel(TglineDevice, WheelDevice):
    def __init__(self, address: int, pockets: int, seed: int, send: Callable[[bytes], None]) -> None:
        super().__init__(seed, send)
        self._address = address
        self._pockets = pockets
        self._repeats = Repeats(tgline.Tag.WHEEL, address, send)

    def _line(self, said: words.Message) -> bytes:
        seq = self._repeats.next_seq(reset=isinstance(said, words.Boot))
        return tgline.encode(words.line_of(self._address, seq, said))

    async def say_state(self) -> dict[str, object]:
        """At once, between whatever waits: a state is not acknowledged."""
        if self.silent or self._repeats.mute:
            return {"sent": []}
        said = words.State(self.state, self.number, self.warnings, self.rpm10, self.clockwise)
        return self.at_once(self._line(said))

    async def say_number(self, pocket: str) -> dict[str, object]:
        return await self.send_all([self._line(words.Win(pocket))])

    def boot(self) -> bytes:
        return self._line(words.Boot(self._pockets))

    async def say_alive(self) -> dict[str, object]:
        return await self.say_state()

    def handlers(self) -> Mapping[str, Handler]:
        return {**super().handlers(), "warn": self._warn}

    async def _warn(self, arguments: Arguments) -> Reply:
        self.warnings = Trouble(arguments.integer("warnings", most=15))
        arguments.end()
        return await self.send_all([self._line(words.Warn(self.warnings))])


def main(argv: list[str] | None = None) -> int:
    options = process.parser("simulated tgline wheel")
    options.add_argument("--address", type=int, default=1)
    options.add_argument("--pockets", type=int, choices=words.POCKETS, default=DEFAULT_POCKETS)
    options.add_argument("--seed", type=int, default=0)

    def make(parsed: argparse.Namespace, send: Callable[[bytes], None]) -> SimulatedTglineWheel:
        return SimulatedTglineWheel(parsed.address, parsed.pockets, parsed.seed, send)

    return process.main(options, make, argv)


if __name__ == "__main__":
    sys.exit(main())
