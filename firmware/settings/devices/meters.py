"""Options of the displays that show meters' amounts and nothing else."""

from __future__ import annotations

from typing import Annotated, ClassVar

from firmware.settings.devices.bus_lines import BUS_PORT
from firmware.settings.devices.options import SIMULATED_PORT, DeviceOptions
from firmware.settings.fields import doc, entries, path, whole

_LEVELS = doc('Which meter is which level of the sign, 1 to 9: {"royal_9.major" = 1}; the others are not shown')
_CHIPS = entries("The meter on each chip, the chip at the Pi's end of the chain first", 1, 8)
_INTENSITY = whole("Brightness of the figures", 0, 15)
_SPEED = whole("Speed; 38400 on RS-485, 115200 on USB", 1200, 115200, unit="baud", source="tgline 1")


class MeterTglineOptions(DeviceOptions, frozen=True, kw_only=True):
    """Base of the jackpot meters that hear `tgline`."""

    role: ClassVar[str] = "meter"
    levels: Annotated[dict[str, int], _LEVELS]
    baud: Annotated[int, _SPEED] = 38400


class MeterTgline(MeterTglineOptions, frozen=True, kw_only=True, tag="meter.tgline"):
    """Jackpot meters that hear `tgline` version 1, on a port of their own or on the bus of the bet boards. They answer
    nothing."""

    url: Annotated[str, path(BUS_PORT)]


class MeterTglineSimulated(MeterTglineOptions, frozen=True, kw_only=True, tag="meter.tgline_simulated"):
    """The same code on simulated meters."""

    simulated: ClassVar[bool] = True
    url: Annotated[str, path(SIMULATED_PORT)]


class MeterMax7219Options(DeviceOptions, frozen=True, kw_only=True):
    """Base of the 7-segment figures."""

    role: ClassVar[str] = "meter"
    meters: Annotated[list[str], _CHIPS]
    intensity: Annotated[int, _INTENSITY] = 7


class MeterMax7219(MeterMax7219Options, frozen=True, kw_only=True, tag="meter.max7219"):
    """7-segment figures, one MAX7219 chip of eight for each meter, chained on an SPI bus that no lamps have. Over a
    million dollars cents are left out. They answer nothing."""

    bus: Annotated[int, whole("SPI bus of /dev/spidevBUS.DEVICE", 0, 6)] = 1
    device: Annotated[int, whole("SPI device of /dev/spidevBUS.DEVICE", 0, 2)] = 0


class MeterMax7219Simulated(MeterMax7219Options, frozen=True, kw_only=True, tag="meter.max7219_simulated"):
    """The same code on a simulated chain."""

    simulated: ClassVar[bool] = True
    socket: Annotated[str, path("Socket of the simulated chain")]


MeterDevice = MeterTgline | MeterTglineSimulated | MeterMax7219 | MeterMax7219Simulated
