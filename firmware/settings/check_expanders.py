"""What line expanders ask of a table: lines that a sensor may use, chips and buses of their own, pins of the header."""

from __future__ import annotations

from collections.abc import Iterator

from firmware.settings.devices.expanders import (
    LinesMcp23017,
    LinesMcp23017Simulated,
    LinesShiftRegister,
    LinesShiftRegisterSimulated,
    Mcp23017Options,
    ShiftRegisterOptions,
)
from firmware.settings.devices.options import DeviceOptions
from firmware.settings.model import Settings
from firmware.settings.problems import KeyPath, Problem

SPI_LINES = {0: range(7, 12), 1: range(16, 22)}
"""GPIO numbers of the header's SPI buses."""
I2C_LINES = {1: (2, 3)}
LINES_A_CHIP = 16
OUTPUTS = (7, 15)
"""Lines of a chip that newer data sheets have as outputs only: GPA7, GPB7 (DS20001952D)."""


def pins(path: KeyPath, device: DeviceOptions) -> Iterator[tuple[KeyPath, int, str]]:
    """GPIO numbers that an expander takes of the header: key, number, whose."""
    name = ".".join(path)
    match device:
        case LinesMcp23017():
            for gpio in I2C_LINES.get(device.bus, ()):
                yield (*path, "bus"), gpio, f"{name} (I2C bus {device.bus})"
            if device.interrupt_gpio is not None:
                yield (*path, "interrupt_gpio"), device.interrupt_gpio, f"{name} (INT)"
        case LinesShiftRegister():
            for gpio in SPI_LINES.get(device.bus, ()):
                yield (*path, "bus"), gpio, f"{name} (SPI bus {device.bus})"
            yield (*path, "load_gpio"), device.load_gpio, f"{name} (SH/LD)"
        case _:
            pass


def tied(device: ShiftRegisterOptions) -> tuple[int, int]:
    """Lines that are tied, so that a broken chain is known: high, low."""
    return 7, 8 * (device.chips - 1)


def line_problems(
    path: KeyPath, name: str, device: Mcp23017Options | ShiftRegisterOptions, number: int, is_lock: bool
) -> Iterator[Problem]:
    """What is wrong with naming this line of this device."""
    remedy = "Use another line of it."
    if isinstance(device, Mcp23017Options):
        count, reserved = LINES_A_CHIP * len(device.addresses), number % LINES_A_CHIP in OUTPUTS
        why = "an output only on newer chips"
    else:
        count, reserved = 8 * device.chips, number in tied(device)
        why = f"tied {'high' if number == tied(device)[0] else 'low'}: it proves that the chain is whole"
    if number >= count:
        more = "name a further address" if isinstance(device, Mcp23017Options) else "raise chips"
        yield Problem(path, f"{name} has no line {number}", f"a line from 0 to {count - 1}", f"Correct it, or {more}.")
    elif reserved:
        yield Problem(path, f"line {number} of {name} is {why}", "a line that can carry a sensor", remedy)
    if is_lock:
        yield Problem(
            path,
            f"on {device.kind}, which is polled",
            "a device that stamps edges: betting closes at the button's first edge",
            "Wire the lock-out button to a line of lines.lgpio.",
            "627b.3(a)(2)",
        )


def problems(settings: Settings) -> Iterator[Problem]:
    """Chips of one address on a bus, simulated buses that two devices name, and polling that is too slow."""
    present_ms = settings.timing.present_ms
    for name, device in settings.devices.items():
        if isinstance(device, Mcp23017Options | ShiftRegisterOptions) and device.poll_ms >= present_ms:
            yield Problem(
                ("devices", name, "poll_ms"),
                f"{device.poll_ms}, and a chip counts after timing.present_ms = {present_ms}",
                "less than that: a level that was read once proves nothing",
                "Lower poll_ms.",
            )
    yield from _shared(settings)


def _shared(settings: Settings) -> Iterator[Problem]:
    chips: dict[tuple[str, int], str] = {}
    for name, device in settings.devices.items():
        match device:
            case LinesMcp23017Simulated() | LinesShiftRegisterSimulated():
                place = device.socket
                other = next(n for n, d in settings.devices.items() if getattr(d, "socket", "") == place)
                if other != name:
                    yield Problem(
                        ("devices", name, "socket"),
                        f"{place!r} is already devices.{other}.socket",
                        "a bus of its own",
                        "Name another, or put the lines on one device.",
                    )
            case LinesMcp23017():
                place = f"/dev/i2c-{device.bus}"
            case _:
                continue
        if isinstance(device, Mcp23017Options):
            for index, address in enumerate(device.addresses):
                other = chips.setdefault((place, address), f"devices.{name}.addresses.{index}")
                if other != f"devices.{name}.addresses.{index}":
                    yield Problem(
                        ("devices", name, "addresses", str(index)),
                        f"{address:#04x} is already {other}",
                        "an address of its own for each chip of a bus",
                        "Set A2 to A0 of the chip otherwise, and say so here.",
                    )
