"""Line expanders as a technician finds them: where the chips are, which pin a line is, and what is tied."""

from __future__ import annotations

from collections.abc import Iterator

from firmware.settings import check_expanders
from firmware.settings.devices.expanders import (
    ExpanderDevice,
    LinesMcp23017,
    LinesMcp23017Simulated,
    LinesShiftRegister,
    Mcp23017Options,
)


def place(device: ExpanderDevice) -> str:
    """ "/dev/i2c-1, 2 chips"."""
    match device:
        case LinesMcp23017():
            return f"/dev/i2c-{device.bus}, {_chips(len(device.addresses))}"
        case LinesMcp23017Simulated():
            return f"{device.socket}, {_chips(len(device.addresses))}"
        case LinesShiftRegister():
            return f"/dev/spidev{device.bus}.{device.device}, {_chips(device.chips)}"
        case _:
            return f"{device.socket}, {_chips(device.chips)}"


def rows(device: ExpanderDevice, used: dict[int, str]) -> Iterator[tuple[str, str]]:
    """Terminal and signal of each line, tied ones too, in the order of the chain."""
    at = list(used.items())
    if not isinstance(device, Mcp23017Options):
        high, low = check_expanders.tied(device)
        at += [(high, "tie to 3.3 V"), (low, "tie to GND")]
    for number, signal in sorted(at):
        yield terminal(device, number), signal
    if not isinstance(device, Mcp23017Options):
        yield f"chip {device.chips - 1} SER", "tie to 3.3 V"


def terminal(device: ExpanderDevice, number: int) -> str:
    """ "17 0x21 GPA1": the line's number, chip and pin."""
    if isinstance(device, Mcp23017Options):
        chip, pin = divmod(number, check_expanders.LINES_A_CHIP)
        address = f"{device.addresses[chip]:#04x}" if chip < len(device.addresses) else "no chip"
        return f"{number} {address} GP{'AB'[pin // 8]}{pin % 8}"
    return f"{number} chip {number // 8} {'ABCDEFGH'[number % 8]}"


def _chips(count: int) -> str:
    return "1 chip" if count == 1 else f"{count} chips"
