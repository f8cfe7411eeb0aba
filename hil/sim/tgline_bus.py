"""Simulated `tgline` bet boards and jackpot meters on one bus: `python -m hil.sim.tgline_bus --port LINK --control
SOCKET [--boards 3,4] [--answer-ms N]`.

Ops of its own; `board` is an address:
* `set`: `board`, `input` 0..15, `on`; replies with `at_ns`. `fault_bit`: the same for the board's own fault bits
* `flags`: `board`, `tamper`, `reset_key`; `reboot`: `board`; `power`: `board`, `on`; `deaf_to_latch`: `board`, `deaf`
* `fault`: `board`, `kind` (see `bus_faults.py`), `times`; `calm`: no more faults
* `screen`, `history`, `wait`: what the meters show; `power_cycle`: they forget it
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Callable, Mapping

from hil.sim import process
from hil.sim.control import Arguments, ControlError, Handler, Reply
from hil.sim.screen import SimulatedScreen
from hil.sim.tgline_bus_model import Board, BusModel

REPAINT_S = 0.2


class SimulatedBus(SimulatedScreen):
    """The face of a `BusModel`."""

    def __init__(self, model: BusModel, send: Callable[[bytes], None]) -> None:
        super().__init__()
        self._model = model
        self._send = send

    def received(self, data: bytes) -> None:
        now_ns = time.monotonic_ns()
        loop = asyncio.get_running_loop()
        for answer in self._model.received(data, now_ns):
            loop.call_later(answer.after_ms / 1000, self._send, answer.data)
        self._history.note(now_ns, self._shown())

    async def run(self) -> None:
        while True:  # a meter that hears nothing goes to dashes by itself
            self._history.note(time.monotonic_ns(), self._shown())
            await asyncio.sleep(REPAINT_S)

    def status(self) -> Reply:
        return {
            "decoder": self._model.decoder.counters,
            "values": self._model.values_heard,
            "closed": {f"{b.address}": [n for n, on in b.inputs.items() if on] for b in self._model.boards.values()},
            "boards": {
                f"{board.address}": {"polls": board.polls, "latches": board.latches, "arms": board.arms}
                for board in self._model.boards.values()
            },
        }

    def _shown(self) -> str:
        return self._model.screen(time.monotonic_ns())

    async def _screen(self, arguments: Arguments) -> Reply:
        arguments.end()
        return {"screen": self._shown()}

    async def _power_cycle(self, arguments: Arguments) -> Reply:
        arguments.end()
        self._model.forget_meters()
        return {}

    def handlers(self) -> Mapping[str, Handler]:
        return {
            **super().handlers(),
            "set": self._set,
            "fault_bit": self._fault_bit,
            "flags": self._flags,
            "reboot": self._reboot,
            "power": self._power,
            "deaf_to_latch": self._deaf,
            "fault": self._fault,
            "calm": self._calm,
        }

    def _board(self, arguments: Arguments) -> Board:
        address = arguments.integer("board", least=1, most=254)
        board = self._model.boards.get(address)
        if board is None:
            raise ControlError(f"board must be one of {sorted(self._model.boards)}, got {address}")
        return board

    async def _set(self, arguments: Arguments) -> Reply:
        board, number, on = self._board(arguments), arguments.integer("input", most=15), arguments.flag("on")
        arguments.end()
        board.inputs[number] = on
        return {"at_ns": time.monotonic_ns()}

    async def _fault_bit(self, arguments: Arguments) -> Reply:
        board, number, on = self._board(arguments), arguments.integer("input", most=15), arguments.flag("on")
        arguments.end()
        board.faulty[number] = on
        return {}

    async def _flags(self, arguments: Arguments) -> Reply:
        board = self._board(arguments)
        tamper, reset_key = arguments.flag("tamper", board.tamper), arguments.flag("reset_key", board.reset_key)
        arguments.end()
        board.tamper, board.reset_key = tamper, reset_key
        return {}

    async def _reboot(self, arguments: Arguments) -> Reply:
        board = self._board(arguments)
        arguments.end()
        board.reboot()
        return {}

    async def _power(self, arguments: Arguments) -> Reply:
        board, on = self._board(arguments), arguments.flag("on")
        arguments.end()
        if on and not board.powered:
            board.reboot()
        board.powered = on
        return {}

    async def _deaf(self, arguments: Arguments) -> Reply:
        board, deaf = self._board(arguments), arguments.flag("deaf", True)
        arguments.end()
        board.deaf_to_latch = deaf
        return {}

    async def _fault(self, arguments: Arguments) -> Reply:
        board = self._board(arguments)
        self._model.faults.order(board.address, arguments)
        return {}

    async def _calm(self, arguments: Arguments) -> Reply:
        arguments.end()
        self._model.faults.clear()
        return {}


def main(argv: list[str] | None = None) -> int:
    options = process.parser("simulated tgline bet boards and jackpot meters on one bus")
    options.add_argument("--boards", default="", help="addresses, separated by commas")
    options.add_argument("--answer-ms", type=int, default=3, help="after how long a board answers")

    def make(parsed: argparse.Namespace, send: Callable[[bytes], None]) -> SimulatedBus:
        addresses = [int(address) for address in parsed.boards.split(",") if address]
        return SimulatedBus(BusModel(addresses, parsed.answer_ms), send)

    return process.main(options, make, argv)


if __name__ == "__main__":
    sys.exit(main())
