"""A simulated Bee-Tek shoe: `python -m hil.sim.beetek --port LINK --control SOCKET [--decks N] [--seed N]`.

Ops: those of `line_reader.py`, and `stutter`: the next line repeats its characters. It says cards only, also those that
are burned face down, since they pass its eye; of a start, a cut card or a result it says nothing.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping

from drivers.codecs import beetek
from hil.sim import card_device, process
from hil.sim.control import Arguments, Handler, Reply
from hil.sim.line_reader import LineReader
from hil.sim.shoe_model import ShoeModel

SAME_GAP_MS = 350


class SimulatedBeeTek(LineReader):
    reads_face_down = True

    def __init__(self, model: ShoeModel, seed: int, send: Callable[[bytes], None]) -> None:
        super().__init__(model, seed, send, SAME_GAP_MS)
        self._stutter = False

    def said_of(self, card: str) -> bytes:
        line = beetek.encode(card)
        said, self._stutter = (line[:-2] + line if self._stutter else line), False
        return said

    def handlers(self) -> Mapping[str, Handler]:
        return {**super().handlers(), "stutter": self._stutter_next}

    async def _stutter_next(self, arguments: Arguments) -> Reply:
        arguments.end()
        self._stutter = True
        return {}


def main(argv: list[str] | None = None) -> int:
    def make(parsed: argparse.Namespace, send: Callable[[bytes], None]) -> SimulatedBeeTek:
        return SimulatedBeeTek(card_device.model_of(parsed), parsed.seed, send)

    return process.main(card_device.parser("simulated Bee-Tek card shoe"), make, argv)


if __name__ == "__main__":
    sys.exit(main())
