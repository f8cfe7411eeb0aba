"""Discrete inputs of a Modbus RTU unit, as the table's `LineInputs`.

Rules:
* Input n of the unit is line n; an input that is on is a closed contact.
* pymodbus makes and takes the frames. Its clients are not used: they open the port by themselves, wait by the wall
  clock and swallow what goes wrong; here the port is the bus's (`drivers/links/bus.py`), as for every other device.
* An exception of the unit is told as the reason why it is down, and it is asked on like a unit that does not answer.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping

from drivers.codecs import modbus_rtu
from drivers.devices.bus_lines import BusLines, BusLinesSettings
from drivers.events import LinkState
from drivers.links.bus import Bus
from drivers.ports import NowNs

_PYMODBUS = logging.getLogger("pymodbus.logging")
_PYMODBUS.setLevel(logging.CRITICAL)  # what it can't read is counted here, not told a line each


class ModbusInputs(BusLines):
    """A `LineInputs`."""

    def __init__(
        self, settings: BusLinesSettings, bus: Bus, unit: int, first: int, now_ns: NowNs, simulated: bool = False
    ) -> None:
        """`unit` 1..247; `first`: address of input 0. `BackendUnavailable` for a lock-out line, ValueError for lines
        that the unit can't have."""
        super().__init__(settings, bus, f"Modbus unit {unit}", now_ns, simulated)
        self._exchange = modbus_rtu.Exchange(unit, first, settings.size)
        self._refusals = 0
        self._first_ns = 0

    @property
    def counters(self) -> Mapping[str, int]:
        return dict(super().counters) | self._exchange.counters | {"refused": self._refusals}

    def ask(self) -> bytes:
        self._asked_ns = self._now_ns()
        self._first_ns = 0
        return self._exchange.request()

    def hear(self, data: bytes, arrived_ns: int) -> bool:
        self._first_ns = self._first_ns or arrived_ns
        match self._exchange.feed(data):
            case modbus_rtu.Inputs(on=on):
                self._heard({number: not each for number, each in enumerate(on)}, self._asked_ns, self._first_ns)
                return True
            case modbus_rtu.Refused() as refused:
                self._refusals += 1
                self._down(LinkState.STALE, f"{self._what} refuses: {refused.text}; is its number of inputs right?")
                return True
            case None:
                return False
