"""Options of the line devices that share a serial bus: a device of its own each, several with one `url`.

Devices on one bus agree about everything that is the bus's: speed, parity, times. `tabled check` holds them to it.
"""

from __future__ import annotations

from typing import Annotated, ClassVar

from firmware.settings.devices.options import SIMULATED_PORT, DeviceOptions
from firmware.settings.devices.screens import Parity
from firmware.settings.fields import doc, path, whole

BUS_PORT = "Port of the RS-485 bus: its stable udev name, or socket://HOST:PORT; all devices of the bus name it"
_ADDRESS = whole("Address of the board, 1 to 254; no two on one bus", 1, 254, source="tgline 1")
_BUS_SPEED = whole("Speed; 38400 on RS-485", 1200, 115200, unit="baud", source="tgline 1")
_ANSWER = whole(
    "A board that has not begun its answer by then has missed; three and it is away. A USB adapter adds up to 16",
    10,
    1000,
    unit="ms",
    source="tgline 1",
)
_CYCLE = whole("How often each board is asked at most; eight boards at 38400 baud take up to 250", 10, 1000, unit="ms")
_UNIT = whole("Number of the Modbus unit; no two on one bus", 1, 247, source="Modbus over serial line 1.02")
_FIRST = whole("Address of the unit's first input, counted from 0; it is line 0", 0, 65534)
_INPUTS = whole("Inputs of the unit, asked for together", 1, 256, unit="inputs")
_MODBUS_SPEED = whole("Speed, as set on the unit", 1200, 115200, unit="baud")
_MODBUS_ANSWER = whole(
    "A unit that has not begun its answer by then has missed; three misses and it is away", 10, 2000, unit="ms"
)
_PARITY = doc("Parity, as set on the unit; with none the standard asks for two stop bits, most units take one")
_STOP = whole("Stop bits, as set on the unit", 1, 2)


class TglineBoardOptions(DeviceOptions, frozen=True, kw_only=True):
    """Base of the bet boards. Lines 0 to 15 are the board's inputs, 16 its cover contact."""

    role: ClassVar[str] = "lines"
    line_count: ClassVar[int] = 17
    address: Annotated[int, _ADDRESS]
    baud: Annotated[int, _BUS_SPEED] = 38400
    answer_ms: Annotated[int, _ANSWER] = 30
    poll_ms: Annotated[int, _CYCLE] = 50

    @property
    def station(self) -> int:
        return self.address


class LinesTgline(TglineBoardOptions, frozen=True, kw_only=True, tag="lines.tgline"):
    """Bet board that speaks `tgline` version 1 on an RS-485 bus: polled, and latched by the lock-out."""

    url: Annotated[str, path(BUS_PORT)]


class LinesTglineSimulated(TglineBoardOptions, frozen=True, kw_only=True, tag="lines.tgline_simulated"):
    """The same code on a simulated board."""

    simulated: ClassVar[bool] = True
    url: Annotated[str, path(SIMULATED_PORT)]


class ModbusOptions(DeviceOptions, frozen=True, kw_only=True):
    """Base of the Modbus units. Line n is the unit's input n; an input that is on is a closed contact."""

    role: ClassVar[str] = "lines"
    unit: Annotated[int, _UNIT]
    first: Annotated[int, _FIRST] = 0
    line_count: Annotated[int, _INPUTS] = 8
    baud: Annotated[int, _MODBUS_SPEED] = 9600
    parity: Annotated[Parity, _PARITY] = Parity.NONE
    stop_bits: Annotated[int, _STOP] = 1
    answer_ms: Annotated[int, _MODBUS_ANSWER] = 100
    poll_ms: Annotated[int, _CYCLE] = 50

    @property
    def station(self) -> int:
        return self.unit


class LinesModbus(ModbusOptions, frozen=True, kw_only=True, tag="lines.modbus"):
    """Discrete inputs of a Modbus RTU unit: polled, for spots, keys and doors; never for the lock-out button."""

    url: Annotated[str, path(BUS_PORT)]


class LinesModbusSimulated(ModbusOptions, frozen=True, kw_only=True, tag="lines.modbus_simulated"):
    """The same code on a simulated unit."""

    simulated: ClassVar[bool] = True
    url: Annotated[str, path(SIMULATED_PORT)]


BusLineDevice = LinesTgline | LinesTglineSimulated | LinesModbus | LinesModbusSimulated
