"""Options of the line expanders: port expanders on I2C, shift registers on SPI. Both are polled."""

from __future__ import annotations

from typing import Annotated, ClassVar

from firmware.settings.devices.options import GPIOCHIP, DeviceOptions
from firmware.settings.fields import doc, entries, path, whole

BUS_SOCKET = "Socket of the simulated bus"
_SETTLE = whole("Nothing counts for this long after the lines are opened: pulls take hold late", 0, 5000, unit="ms")
_ADDRESS = whole("Address of a chip, by its pins A2 to A0", 0x20, 0x27, source="MCP23017")
_ADDRESSES = entries("Address of each chip, 0x20 to 0x27: line n is line n % 16 of the n // 16th", 1, source="MCP23017")
_POLL = whole("How often levels are read; with an interrupt line 50 is enough", 2, 50, unit="ms")
_CHIPS = whole("Chips of the chain: line n is input n % 8 (0 is A, 7 is H) of chip n // 8, 0 the nearest", 1, 16)
_CHAIN_POLL = whole("How often levels are read", 2, 50, unit="ms")


class Mcp23017Options(DeviceOptions, frozen=True, kw_only=True):
    """Base of the port expanders. Lines 7 and 15 of a chip are outputs on newer chips, and take no sensor."""

    role: ClassVar[str] = "lines"
    addresses: Annotated[list[Annotated[int, _ADDRESS]], _ADDRESSES]
    poll_ms: Annotated[int, _POLL] = 10
    settle_ms: Annotated[int, _SETTLE] = 1000


class LinesMcp23017(Mcp23017Options, frozen=True, kw_only=True, tag="lines.mcp23017"):
    """Port expanders MCP23017 on an I2C bus: 14 lines a chip, for spots, keys and doors; never the lock-out button."""

    bus: Annotated[int, whole("I2C bus of /dev/i2c-BUS", 0, 30)] = 1
    interrupt_gpio: (
        Annotated[
            int,
            whole("GPIO line of the chips' INT, which stamps a change by the kernel; left out, polled only", 2, 27),
        ]
        | None
    ) = None
    gpiochip: Annotated[int, GPIOCHIP] | None = None


class LinesMcp23017Simulated(Mcp23017Options, frozen=True, kw_only=True, tag="lines.mcp23017_simulated"):
    """The same code on simulated chips."""

    simulated: ClassVar[bool] = True
    socket: Annotated[str, path(BUS_SOCKET)]
    interrupt: Annotated[bool, doc("Whether the chips' INT is wired")] = False
    settle_ms: Annotated[int, _SETTLE] = 0


class ShiftRegisterOptions(DeviceOptions, frozen=True, kw_only=True):
    """Base of the shift registers. Input H of the nearest chip is tied to 3.3 V, A of the farthest to ground."""

    role: ClassVar[str] = "lines"
    chips: Annotated[int, _CHIPS]
    poll_ms: Annotated[int, _CHAIN_POLL] = 10
    settle_ms: Annotated[int, _SETTLE] = 1000


class LinesShiftRegister(ShiftRegisterOptions, frozen=True, kw_only=True, tag="lines.shift_register"):
    """A chain of 74HC165 on an SPI bus of its own: for spots, keys and doors; never the lock-out button."""

    bus: Annotated[int, whole("SPI bus of /dev/spidevBUS.DEVICE", 0, 6)] = 0
    device: Annotated[int, whole("SPI device of /dev/spidevBUS.DEVICE; its chip select is not used", 0, 2)] = 0
    load_gpio: Annotated[int, whole("GPIO line that loads the registers (SH/LD)", 2, 27)]
    speed_hz: Annotated[int, whole("Clock; over a cable at most 1000000", 10_000, 4_000_000, unit="Hz")] = 500_000
    gpiochip: Annotated[int, GPIOCHIP] | None = None


class LinesShiftRegisterSimulated(
    ShiftRegisterOptions, frozen=True, kw_only=True, tag="lines.shift_register_simulated"
):
    """The same code on a simulated chain."""

    simulated: ClassVar[bool] = True
    socket: Annotated[str, path(BUS_SOCKET)]
    settle_ms: Annotated[int, _SETTLE] = 0


ExpanderDevice = LinesMcp23017 | LinesMcp23017Simulated | LinesShiftRegister | LinesShiftRegisterSimulated
