"""Options of the line devices: spots, buttons, keys."""

from __future__ import annotations

from typing import Annotated, ClassVar

from firmware.settings.devices.bus_lines import BusLineDevice
from firmware.settings.devices.expanders import ExpanderDevice
from firmware.settings.devices.options import GPIOCHIP, LINE_SOCKET, DeviceOptions
from firmware.settings.fields import path, whole

_SETTLE = whole("Nothing counts for this long after the lines are opened: pulls take hold late", 0, 5000, unit="ms")


class LinesLgpio(DeviceOptions, frozen=True, kw_only=True, tag="lines.lgpio"):
    """The header's GPIO lines through lgpio: edges stamped by the kernel. Lines are GPIO numbers, 2 to 27."""

    role: ClassVar[str] = "lines"
    chip: Annotated[int, GPIOCHIP] | None = None
    settle_ms: Annotated[int, _SETTLE] = 1000


class LinesRpiGpio(DeviceOptions, frozen=True, kw_only=True, tag="lines.rpigpio"):
    """The header's GPIO lines through RPi.GPIO: polled levels, no edge times. For keys and doors, never for spots."""

    role: ClassVar[str] = "lines"
    settle_ms: Annotated[int, _SETTLE] = 1000


class LinesSimulated(DeviceOptions, frozen=True, kw_only=True, tag="lines.simulated"):
    """The simulated line chip: as many lines as asked for, edges stamped by the chip's own clock."""

    role: ClassVar[str] = "lines"
    simulated: ClassVar[bool] = True
    socket: Annotated[str, path(LINE_SOCKET)]
    line_count: Annotated[int, whole("Lines of the chip, numbered from 0", 1, 256, unit="lines")] = 128
    settle_ms: Annotated[int, _SETTLE] = 0


LineDevice = LinesLgpio | LinesRpiGpio | LinesSimulated | BusLineDevice | ExpanderDevice
