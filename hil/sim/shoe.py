"""A simulated Angel Eye II-EX: `python -m hil.sim.shoe --port LINK --control SOCKET [--decks N] [--seed N]`.

Ops: those of `card_device.py` (`copies` is 3 here), and `repeat_seq`: the next telegram uses the last Seq again.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping

from drivers.codecs import angeleye
from drivers.codecs.angeleye_messages import Message
from hil.sim import card_device, process
from hil.sim.card_device import CardDevice
from hil.sim.control import Arguments, ControlError, Handler, Reply
from hil.sim.shoe_model import ShoeModel

COPIES = 3


class SimulatedShoe(CardDevice):
    """It says everything, three times."""

    def __init__(self, model: ShoeModel, seed: int, send: Callable[[bytes], None]) -> None:
        super().__init__(model, seed, send)
        self._copies = COPIES
        self._repeat_seq = False
        self._seq = ""

    def encode(self, message: Message) -> bytes:
        if not self._repeat_seq:
            self._seq = self._model.next_seq()
        self._repeat_seq = False
        return angeleye.encode(self._seq, message)

    def handlers(self) -> Mapping[str, Handler]:
        return {**super().handlers(), "repeat_seq": self._repeat}

    async def _repeat(self, arguments: Arguments) -> Reply:
        arguments.end()
        if not self._seq:
            raise ControlError("no telegram was sent yet")
        self._repeat_seq = True
        return {}


def main(argv: list[str] | None = None) -> int:
    def make(parsed: argparse.Namespace, send: Callable[[bytes], None]) -> SimulatedShoe:
        return SimulatedShoe(card_device.model_of(parsed), parsed.seed, send)

    return process.main(card_device.parser("simulated Angel Eye II-EX card shoe"), make, argv)


if __name__ == "__main__":
    sys.exit(main())
