"""What output lines ask of a table: each a line of its own on the header or on the simulated chip, and driven by what
can drive it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from firmware.settings.devices.lamps import LampsGpioOptions, LampsNeopixelPwm
from firmware.settings.devices.options import OutputLibrary
from firmware.settings.model import Settings
from firmware.settings.problems import KeyPath, Problem

HEADER = "the header"
"""Place of the lines that all libraries share."""
PWM_LINES = (10, 12, 18, 21)
"""GPIO numbers at which a Pi 4 or older has hardware for a lamps' data line."""

Claim = tuple[str, int]
HeaderLine = Callable[[KeyPath, int], Iterator[Problem]]


def claims(settings: Settings) -> Iterator[tuple[KeyPath, Claim]]:
    """Every line that an output device names for itself."""
    for name, device in settings.devices.items():
        place = getattr(device, "socket", HEADER)
        if isinstance(device, LampsGpioOptions):
            for index, line in enumerate(device.lines):
                yield ("devices", name, "lines", str(index)), (place, line)


def problems(settings: Settings, inputs: Mapping[Claim, KeyPath], header_line: HeaderLine) -> Iterator[Problem]:
    """`inputs`: whose the lines of the line devices are. `header_line`: what is wrong with a line of the header."""
    seen = dict(inputs)
    for path, claim in claims(settings):
        place, number = claim
        if place == HEADER:
            yield from header_line(path, number)
        first = seen.setdefault(claim, path)
        if first != path:
            key = Problem(first, "", "", "").key
            yield Problem(path, f"line {number} is already {key}", "a line of its own", "Use a free line.")
    for name, device in settings.devices.items():
        if getattr(device, "library", None) is OutputLibrary.RPIGPIO and getattr(device, "chip", None) is not None:
            yield Problem(
                ("devices", name, "chip"),
                "a chip's number, with library rpigpio",
                "none: RPi.GPIO finds the header by itself",
                'Remove it, or use library = "lgpio".',
            )
        if isinstance(device, LampsNeopixelPwm) and device.gpio not in PWM_LINES:
            expected = "one of " + ", ".join(map(str, PWM_LINES))
            yield Problem(("devices", name, "gpio"), f"got {device.gpio}", expected, "Use one of them.")
