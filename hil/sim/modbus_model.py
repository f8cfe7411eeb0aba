"""Modbus RTU units with discrete inputs on one bus, as the host sees them: requests in, answers out. No I/O.

Frames and messages are pymodbus's. A unit knows function 2 only and refuses others with exception 1; inputs that it has
not are exception 2. What has a wrong check, or is for a unit that is not here, is not answered.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from pymodbus.exceptions import ModbusException
from pymodbus.framer import FramerRTU
from pymodbus.pdu import DecodePDU, ExceptionResponse, ModbusPDU
from pymodbus.pdu.bit_message import ReadDiscreteInputsRequest, ReadDiscreteInputsResponse

from hil.sim.bus_faults import Answer, Faults

LIMIT = 264


@dataclass
class Unit:
    """One unit. `inputs` by address; `refuses`: exception code that it answers everything with, 0: none."""

    number: int
    first: int
    count: int
    inputs: dict[int, bool] = field(default_factory=dict)
    refuses: int = 0
    powered: bool = True
    requests: int = 0


class ModbusModel:
    """Every unit of the bus."""

    def __init__(self, units: list[Unit], answer_ms: int = 3, seed: int = 1) -> None:
        self.units = {unit.number: unit for unit in units}
        self.faults = Faults(seed)
        self.answer_ms = answer_ms
        self.rejected = 0
        self._framer = FramerRTU(DecodePDU(True))
        self._buffer = b""

    def received(self, data: bytes) -> list[Answer]:
        self._buffer += data
        used, unit, _, body = self._framer.decode(self._buffer) if len(self._buffer) >= 2 else (0, 0, 0, b"")
        if not used:
            if len(self._buffer) > LIMIT:
                self._buffer, self.rejected = b"", self.rejected + 1
            return []
        frame, self._buffer = self._buffer, b""
        if not body:
            self.rejected += 1
            return []
        asked = self.units.get(unit)
        if asked is None or not asked.powered:
            return []
        asked.requests += 1
        whole = self._framer.buildFrame(self._answer(asked, frame, body[0]))
        return self.faults.answers(unit, whole, self.answer_ms)

    def _answer(self, unit: Unit, frame: bytes, function: int) -> ModbusPDU:
        try:
            _, request = self._framer.handleFrame(frame, 0, 0)
        except ModbusException:
            request = None
        if unit.refuses:
            return ExceptionResponse(function, unit.refuses, device_id=unit.number)
        if not isinstance(request, ReadDiscreteInputsRequest):
            return ExceptionResponse(function, 1, device_id=unit.number)
        wanted = range(request.address, request.address + request.count)
        if wanted.start < unit.first or wanted.stop > unit.first + unit.count:
            return ExceptionResponse(function, 2, device_id=unit.number)
        bits = [unit.inputs.get(address, False) for address in wanted]
        return ReadDiscreteInputsResponse(dev_id=unit.number, bits=bits)
