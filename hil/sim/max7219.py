"""A simulated chain of MAX7219 chips: `python -m hil.sim.max7219 --port SOCKET --control SOCKET --chips N`.

Its own ops: `screen` (`screen`: a line for each chip, the nearest first); `history`, `wait` as all screens;
`power_cycle` (every register is 0, the figures are dark); `glitch` (`seed`: registers hold anything).
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from drivers.codecs.simchip import Hello, SimChipDecoder, SimChipError, SpiWrite, encode
from hil.sim import process
from hil.sim.control import Arguments, Handler, Reply
from hil.sim.max7219_model import Max7219Chain
from hil.sim.screen import SimulatedScreen
from hil.sim.socket_port import SocketPort


class SimulatedFigures(SimulatedScreen):
    """The face of a `Max7219Chain` behind its bus."""

    def __init__(self, chips: int, send: Callable[[bytes], None]) -> None:
        super().__init__()
        self._chain = Max7219Chain(chips)
        self._send = send
        self._decoder = SimChipDecoder()
        self._note()

    def handlers(self) -> Mapping[str, Handler]:
        return {**super().handlers(), "glitch": self._glitch}

    def received(self, data: bytes) -> None:
        if not data:  # a new connection
            self._decoder = SimChipDecoder()
            self._send(encode(Hello()))
            return
        try:
            frames = self._decoder.feed(data)
        except SimChipError:
            self._chain.rejected += 1
            self._decoder = SimChipDecoder()
            return
        for frame in frames:
            if isinstance(frame, SpiWrite):
                self._chain.latch(frame.mosi)
        self._note()

    def status(self) -> Reply:
        return {"latches": self._chain.latches, "rejected": self._chain.rejected}

    async def _screen(self, arguments: Arguments) -> Reply:
        arguments.end()
        return {"screen": self._shown()}

    async def _power_cycle(self, arguments: Arguments) -> Reply:
        arguments.end()
        self._chain.power_on()
        self._note()
        return {}

    async def _glitch(self, arguments: Arguments) -> Reply:
        seed = arguments.integer("seed", 1)
        arguments.end()
        self._chain.scramble(seed)
        self._note()
        return {}

    def _shown(self) -> str:
        return "\n".join(self._chain.shown())

    def _note(self) -> None:
        self._history.note(time.monotonic_ns(), self._shown())


def _plug(parsed: argparse.Namespace, link: Path, on_bytes: Callable[[bytes], None]) -> SocketPort:
    return SocketPort(link, on_bytes)


def main(argv: list[str] | None = None) -> int:
    options = process.parser("simulated chain of MAX7219 figures")
    options.add_argument("--chips", type=int, default=2)
    return process.main(options, lambda parsed, send: SimulatedFigures(parsed.chips, send), argv, _plug)


if __name__ == "__main__":
    sys.exit(main())
