"""A simulated `tgline` dice reader: `python -m hil.sim.tgline_dice --port LINK --control SOCKET [--dice N] ...`.

It says BOOT when it starts, each event until it is acknowledged, one at a time, and STBY while there is nothing else.

Ops: those of `outbox.py` and `tgline_device.py`; `roll` (`faces`), `undo`, `shooter`, `error` (`code`).
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping

from drivers.codecs import tgline
from drivers.codecs import tgline_dice as words
from drivers.codecs.tgline_events import StandBy
from hil.sim import process
from hil.sim.control import Arguments, ControlError, Handler, Reply
from hil.sim.tgline_device import TglineDevice
from hil.sim.tgline_repeats import Repeats


class SimulatedTglineDice(TglineDevice):
    def __init__(self, address: int, dice: int, seed: int, send: Callable[[bytes], None]) -> None:
        super().__init__(seed, send)
        self._address = address
        self._dice = dice
        self._repeats = Repeats(tgline.Tag.DICE, address, send)

    def _line(self, said: words.Message) -> bytes:
        seq = self._repeats.next_seq(reset=isinstance(said, words.Boot))
        try:
            return tgline.encode(words.line_of(self._address, seq, said))
        except ValueError as error:
            raise ControlError(str(error)) from None

    def boot(self) -> bytes:
        return self._line(words.Boot(self._dice))

    async def say_alive(self) -> dict[str, object]:
        return self.at_once(self._line(StandBy()))

    def handlers(self) -> Mapping[str, Handler]:
        return {
            **super().handlers(),
            "roll": self._roll,
            "undo": self._plain(words.Undo()),
            "shooter": self._plain(words.Shooter()),
            "error": self._error,
        }

    def _plain(self, message: words.Message) -> Handler:
        async def handler(arguments: Arguments) -> Reply:
            arguments.end()
            return await self.send_all([self._line(message)])

        return handler

    async def _roll(self, arguments: Arguments) -> Reply:
        faces = arguments.integers("faces", [])
        arguments.end()
        return await self.send_all([self._line(words.Roll(tuple(faces)))])

    async def _error(self, arguments: Arguments) -> Reply:
        code = arguments.integer("code", most=99)
        arguments.end()
        return await self.send_all([self._line(words.Error(code))])


def main(argv: list[str] | None = None) -> int:
    options = process.parser("simulated tgline dice reader")
    options.add_argument("--address", type=int, default=1)
    options.add_argument("--dice", type=int, choices=words.DICE, default=2)
    options.add_argument("--seed", type=int, default=0)

    def make(parsed: argparse.Namespace, send: Callable[[bytes], None]) -> SimulatedTglineDice:
        return SimulatedTglineDice(parsed.address, parsed.dice, parsed.seed, send)

    return process.main(options, make, argv)


if __name__ == "__main__":
    sys.exit(main())
