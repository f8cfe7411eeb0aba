"""Simulated Modbus RTU units with discrete inputs on one bus: `python -m hil.sim.modbus_units --port LINK --control
SOCKET --units UNIT:FIRST:COUNT[,...] [--answer-ms N]`.

Ops of its own; `unit` is a number:
* `set`: `unit`, `input` (its address), `on`; replies with `at_ns`
* `refuse`: `unit`, `code` (an exception, 0: no longer); `power`: `unit`, `on`
* `fault`: `unit`, `kind` (see `bus_faults.py`), `times`; `calm`: no more faults
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import time
from collections.abc import Callable, Mapping

from hil.sim import process
from hil.sim.control import Arguments, ControlError, Handler, Reply
from hil.sim.modbus_model import ModbusModel, Unit


class SimulatedUnits:
    """The face of a `ModbusModel`."""

    def __init__(self, model: ModbusModel, send: Callable[[bytes], None]) -> None:
        self._model = model
        self._send = send

    def received(self, data: bytes) -> None:
        loop = asyncio.get_running_loop()
        for answer in self._model.received(data):
            loop.call_later(answer.after_ms / 1000, self._send, answer.data)

    async def run(self) -> None:
        await process.forever()

    def status(self) -> Reply:
        requests = {f"{unit.number}": unit.requests for unit in self._model.units.values()}
        closed = {f"{unit.number}": [n for n, on in unit.inputs.items() if on] for unit in self._model.units.values()}
        return {"rejected": self._model.rejected, "requests": requests, "closed": closed}

    def handlers(self) -> Mapping[str, Handler]:
        return {
            "set": self._set,
            "refuse": self._refuse,
            "power": self._power,
            "fault": self._fault,
            "calm": self._calm,
        }

    def _unit(self, arguments: Arguments) -> Unit:
        number = arguments.integer("unit", least=1, most=247)
        unit = self._model.units.get(number)
        if unit is None:
            raise ControlError(f"unit must be one of {sorted(self._model.units)}, got {number}")
        return unit

    async def _set(self, arguments: Arguments) -> Reply:
        unit, address, on = self._unit(arguments), arguments.integer("input", most=0xFFFF), arguments.flag("on")
        arguments.end()
        unit.inputs[address] = on
        return {"at_ns": time.monotonic_ns()}

    async def _refuse(self, arguments: Arguments) -> Reply:
        unit, code = self._unit(arguments), arguments.integer("code", most=255)
        arguments.end()
        unit.refuses = code
        return {}

    async def _power(self, arguments: Arguments) -> Reply:
        unit, on = self._unit(arguments), arguments.flag("on")
        arguments.end()
        unit.powered = on
        return {}

    async def _fault(self, arguments: Arguments) -> Reply:
        unit = self._unit(arguments)
        self._model.faults.order(unit.number, arguments)
        return {}

    async def _calm(self, arguments: Arguments) -> Reply:
        arguments.end()
        self._model.faults.clear()
        return {}


def main(argv: list[str] | None = None) -> int:
    options = process.parser("simulated Modbus RTU units")
    options.add_argument("--units", required=True, help="UNIT:FIRST:COUNT, separated by commas")
    options.add_argument("--answer-ms", type=int, default=3, help="after how long a unit answers")

    def make(parsed: argparse.Namespace, send: Callable[[bytes], None]) -> SimulatedUnits:
        units = []
        for each in parsed.units.split(","):
            number, first, count = map(int, each.split(":"))
            units.append(Unit(number, first, count))
        return SimulatedUnits(ModbusModel(units, parsed.answer_ms), send)

    return process.main(options, make, argv)


if __name__ == "__main__":
    sys.exit(main())
