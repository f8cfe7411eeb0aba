"""What output lines ask of a table: each a line of its own on the header or on the simulated chip, and driven by what
can drive it; and figures a bus of their own."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from firmware.settings.devices.expanders import LinesShiftRegister
from firmware.settings.devices.lamps import LampsGpioOptions, LampsNeopixelPwm, LampsNeopixelSpi
from firmware.settings.devices.meters import MeterMax7219, MeterMax7219Options
from firmware.settings.devices.options import OutputLibrary
from firmware.settings.devices.releases import ReleaseOptions
from firmware.settings.looks import LampFault
from firmware.settings.model import Profile, Settings
from firmware.settings.problems import KeyPath, Problem, Severity

HEADER = "the header"
"""Place of the lines that all libraries share."""
PWM_LINES = (10, 12, 18, 21)
"""GPIO numbers at which a Pi 4 or older has hardware for a lamps' data line."""

Claim = tuple[str, int]
HeaderLine = Callable[[KeyPath, int], Iterator[Problem]]


def claims(settings: Settings) -> Iterator[tuple[KeyPath, Claim]]:
    """Every line that an output device names for itself, its own inputs too."""
    for name, device in settings.devices.items():
        place = getattr(device, "socket", HEADER)
        if isinstance(device, LampsGpioOptions):
            for index, line in enumerate(device.lines):
                yield ("devices", name, "lines", str(index)), (place, line)
        elif isinstance(device, ReleaseOptions):
            for key in ("line", "button", "ball"):
                if (number := getattr(device, key)) is not None:
                    yield ("devices", name, key), (place, number)


def problems(
    settings: Settings, inputs: Mapping[Claim, KeyPath], header_line: HeaderLine, remedy: str
) -> Iterator[Problem]:
    """`inputs`: whose the lines of the line devices are. `header_line`: what is wrong with a line of the header;
    `remedy`: what to do about one that can't be had."""
    seen = dict(inputs)
    for path, claim in claims(settings):
        place, number = claim
        if place == HEADER:
            yield from header_line(path, number)
        first = seen.setdefault(claim, path)
        if first != path:
            key = Problem(first, "", "", "").key
            told = remedy if place == HEADER else "Use a free line."
            yield Problem(path, f"line {number} is already {key}", "a line of its own", told)
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
    yield from _figures(settings)


def lamp_policy(settings: Settings) -> Iterator[Problem]:
    """What a house should know that it has chosen."""
    if settings.table.profile is Profile.SIMULATED:
        return
    if settings.lamps.fault is LampFault.PLAYS_ON:
        yield Problem(
            ("lamps", "fault"),
            "plays_on: wagers are accepted that no lamp acknowledges",
            "closes",
            "Leave it only where the Rules Submission has it so.",
            "627b.3(a)(1)",
            severity=Severity.WARNING,
        )
    told = any(
        getattr(device, key, "") for _, device in settings.in_role("lamps") for key in ("return_line", "current_line")
    )
    if not told and not settings.lamps.opening_test:
        yield Problem(
            ("lamps", "opening_test"),
            "false, and no input tells whether the lamps live: a string that is dark stays unknown",
            "true, or a return_line or current_line of the lamps",
            "Set it, or wire the string back.",
            "627b.3(a)(1)",
            severity=Severity.WARNING,
        )


def _figures(settings: Settings) -> Iterator[Problem]:
    known = {*settings.meters, *(() if settings.mystery is None else ("mystery",))}
    buses = {device.bus: name for name, device in settings.devices.items() if isinstance(device, LampsNeopixelSpi)}
    for name, device in settings.devices.items():
        if isinstance(device, MeterMax7219 | LinesShiftRegister):
            other = buses.setdefault(device.bus, name)
            if other != name:
                yield Problem(
                    ("devices", name, "bus"),
                    f"SPI bus {device.bus} is already devices.{other}",
                    "a bus of its own: chips of one chain share one, lamps leave no room for others",
                    "Put chips of one kind into one chain, or use the other bus.",
                )
        if isinstance(device, MeterMax7219Options):
            for index, meter in enumerate(device.meters):
                path = ("devices", name, "meters", str(index))
                if meter not in known:
                    expected = "one of " + (", ".join(sorted(known)) or "no meter: this table has none")
                    yield Problem(path, f"no meter {meter!r}", expected, "Correct it.")
                if meter in device.meters[:index]:
                    yield Problem(path, f"{meter} stands there already", "each meter once", "Remove it.")
