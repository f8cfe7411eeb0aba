"""What the Raspberry Pi's 40-pin header asks of a table: which lines there are, who has them, and which are free.

Header facts: GPIO 0 to 27. 0 and 1 belong to the HAT's EEPROM, SPI bus 0 claims 7 to 11 and bus 1 claims 16 to 21 while
lamps or figures hang on it; 2 and 3 have fixed pull-ups, 14 and 15 are the UART, on many models the mini-UART.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping

from firmware.settings import check_expanders, check_outputs
from firmware.settings.check_expanders import SPI_LINES
from firmware.settings.devices.lamps import LampsNeopixelPio, LampsNeopixelPwm, LampsNeopixelSpi
from firmware.settings.devices.lines import LinesLgpio, LinesRpiGpio
from firmware.settings.devices.meters import MeterMax7219
from firmware.settings.devices.options import DeviceOptions
from firmware.settings.devices.screens import Parity
from firmware.settings.model import Settings
from firmware.settings.problems import KeyPath, Problem, Severity

LineClaim = tuple[KeyPath, str, int, bool]
"""As `check_wiring.line_claims` has them."""
HEADER_LINES = range(2, 28)
EEPROM_LINES = range(2)
DOUBTFUL_LINES = {
    2: "has a fixed pull-up and is I2C",
    3: "has a fixed pull-up and is I2C",
    14: "is the UART",
    15: "is the UART",
}
HEADER_UART = re.compile(r"/dev/(serial0|ttyAMA0|ttyS0)")
"""Names of the header's own serial port; which UART is behind them differs between models."""
UART_LINES = (14, 15)
MINI_UART = ("/dev/ttyS0", "/dev/serial0")
"""Names behind which a Pi with Bluetooth has it."""
EXPANDERS = "an expander (lines.mcp23017, lines.shift_register)"


def on_header_uart(device: DeviceOptions) -> bool:
    """Whether a device's port is the serial port of the header."""
    url = getattr(device, "url", "")
    return isinstance(url, str) and HEADER_UART.fullmatch(posixpath.normpath(url)) is not None


def device_pins(settings: Settings) -> Iterator[tuple[KeyPath, int, str]]:
    """Every GPIO number that a device takes besides lines: where the file says so, the number, whose it is."""
    for name, device in settings.devices.items():
        path = ("devices", name)
        if on_header_uart(device):
            yield from (((*path, "url"), gpio, f"devices.{name} (serial port of the header)") for gpio in UART_LINES)
        match device:
            case LampsNeopixelSpi() | MeterMax7219():
                for gpio in SPI_LINES.get(device.bus, ()):
                    yield (*path, "bus"), gpio, f"devices.{name} (SPI bus {device.bus})"
            case LampsNeopixelPwm() | LampsNeopixelPio():
                yield (*path, "gpio"), device.gpio, f"devices.{name}"
            case _:
                yield from check_expanders.pins(path, device)


def taken_lines(settings: Settings) -> dict[int, str]:
    """GPIO numbers that lamps, figures, expanders and a serial port of the header take."""
    return {gpio: whose for _, gpio, whose in device_pins(settings)}


def pins_twice(settings: Settings) -> Iterator[Problem]:
    """Two devices that take one pin, told once a key. Whether they may share a bus is not a matter of pins."""
    first: dict[int, tuple[KeyPath, str]] = {}
    told: set[KeyPath] = set()
    for path, gpio, whose in device_pins(settings):
        other_path, other = first.setdefault(gpio, (path, whose))
        bus = whose.partition(" (")[2]
        if other_path == path or path in told or ("bus" in bus and other.endswith(bus)):
            continue
        told.add(path)
        expected = "pins that no other device takes"
        yield Problem(path, f"takes GPIO {gpio}, as does {other}", expected, "Use another bus or pin.")


def free(settings: Settings, claims: Iterable[LineClaim]) -> tuple[int, ...]:
    """GPIO numbers that nothing has and that have no second use. `claims`: of `check_wiring.line_claims`."""
    used = set(taken_lines(settings)) | {number for _, name, number, _ in claims if _is_header(settings, name)}
    used |= {number for _, (place, number) in check_outputs.claims(settings) if place == check_outputs.HEADER}
    return tuple(number for number in HEADER_LINES if number not in used and number not in DOUBTFUL_LINES)


def remedy(settings: Settings, claims: Iterable[LineClaim]) -> str:
    """What can be done about a line of the header that can't be had."""
    numbers = free(settings, claims)
    there = "free: GPIO " + ", ".join(map(str, numbers)) if numbers else "no line of the header is free"
    return f"Move it ({there}); spots and keys, not the lock-out button, can go to {EXPANDERS}."


def line_problems(path: KeyPath, number: int, taken: Mapping[int, str], remedy: str) -> Iterator[Problem]:
    """What is wrong with naming this line of the header."""
    if number in EEPROM_LINES:
        yield Problem(path, f"GPIO {number} is the HAT's EEPROM", "GPIO 2 to 27", remedy)
    elif number not in HEADER_LINES:
        yield Problem(path, f"the header has no GPIO {number}", "GPIO 2 to 27", remedy)
    elif number in taken:
        yield Problem(path, f"GPIO {number} is taken by {taken[number]}", "a line that no device drives", remedy)
    elif number in DOUBTFUL_LINES:
        yield Problem(
            path,
            f"GPIO {number} {DOUBTFUL_LINES[number]}",
            "a line without a second use",
            "Move it if a line is free.",
            severity=Severity.WARNING,
        )


def count(settings: Settings, claims: Iterable[LineClaim]) -> Iterator[Problem]:
    """More lines on the header than it has."""
    used = sum(_is_header(settings, name) for _, name, _, _ in claims)
    used += sum(place == check_outputs.HEADER for _, (place, _) in check_outputs.claims(settings))
    most = sum(number not in taken_lines(settings) for number in HEADER_LINES)
    if used > most:
        yield Problem(
            ("devices",),
            f"{used} lines on the header",
            f"at most {most}: the header has {len(HEADER_LINES)}, less those that devices take",
            "Put spots on expanders (lines.mcp23017, lines.shift_register) or boards, or call wagers.",
        )


def parity(settings: Settings) -> Iterator[Problem]:
    """A device with parity on the mini-UART, which has none. `ttyS0` is that one on a Pi, and a full one on a PC."""
    on_a_pi = any(_is_header(settings, name) for name in settings.devices)
    for name, device in settings.devices.items():
        wanted = getattr(device, "parity", Parity.NONE)
        port = posixpath.normpath(str(getattr(device, "url", "")))
        if wanted != Parity.NONE and port in MINI_UART:
            surely = port == "/dev/ttyS0" and on_a_pi
            yield Problem(
                ("devices", name, "url"),
                f"{port}, with {wanted} parity: {'it is' if surely else 'on many a Pi it is'} the mini-UART, "
                "which has none",
                "a port with parity",
                "Use a USB adapter, or /dev/ttyAMA0 with dtoverlay=disable-bt in /boot/firmware/config.txt.",
                severity=Severity.REFUSED if surely else Severity.WARNING,
            )


def _is_header(settings: Settings, name: str) -> bool:
    return isinstance(settings.devices.get(name), LinesLgpio | LinesRpiGpio)
