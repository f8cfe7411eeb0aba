"""What a serial bus asks of the devices that share it, and the names by which serial ports may be called."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator

from firmware.settings.devices.bus_lines import ModbusOptions, TglineBoardOptions
from firmware.settings.devices.meters import MeterTglineOptions
from firmware.settings.model import Profile, Settings
from firmware.settings.problems import KeyPath, Problem

OnBus = TglineBoardOptions | ModbusOptions | MeterTglineOptions
SHARED = ("baud", "parity", "stop_bits", "answer_ms", "poll_ms")
"""Options that belong to the bus."""

NUMBERED = re.compile(r"/dev/(tty(USB|ACM)\d+|input/event\d+)")
"""Names that the kernel gives in the order in which it finds the devices. The header's own UARTs keep theirs."""


def problems(settings: Settings) -> Iterator[Problem]:
    """Every problem of buses and of ports' names."""
    yield from _buses(settings)
    yield from _unused(settings)
    yield from _levels(settings)
    yield from _names(settings)


def ports(settings: Settings) -> Iterator[tuple[KeyPath, str]]:
    """The port of each bus, once: a claim against whoever else names it."""
    seen = set()
    for name, device in settings.devices.items():
        if isinstance(device, OnBus) and (_place(device), _protocol(device)) not in seen:
            seen.add((_place(device), _protocol(device)))
            yield ("devices", name, "url"), _place(device)


def line_problems(
    path: KeyPath, name: str, device: TglineBoardOptions | ModbusOptions, number: int, is_lock: bool
) -> Iterator[Problem]:
    """What is wrong with naming this line of this device."""
    if number >= device.line_count:
        expected = f"a line from 0 to {device.line_count - 1}"
        yield Problem(path, f"{name} has no line {number}", expected, "Correct it, or raise line_count.")
    if is_lock:
        yield Problem(
            path,
            f"on {device.kind}, which is polled",
            "a device that stamps edges: betting closes at the button's first edge",
            "Wire the lock-out button to a line of lines.lgpio.",
            "627b.3(a)(2)",
        )


def _place(device: OnBus) -> str:
    url: str = device.url  # type: ignore[union-attr]
    return url if "://" in url else posixpath.normpath(url)


def _protocol(device: OnBus) -> str:
    return "modbus" if isinstance(device, ModbusOptions) else "tgline"


def _buses(settings: Settings) -> Iterator[Problem]:
    first: dict[tuple[str, str], tuple[str, OnBus]] = {}
    stations: dict[tuple[str, int], str] = {}
    for name, device in settings.devices.items():
        if not isinstance(device, OnBus):
            continue
        if not isinstance(device, MeterTglineOptions):
            other = stations.setdefault((_place(device), device.station), name)
            if other != name:
                key = "unit" if isinstance(device, ModbusOptions) else "address"
                yield Problem(
                    ("devices", name, key),
                    f"{device.station} is already devices.{other}",
                    "an address of its own: two that answer at once are both unreadable",
                    "Set another on the device, and here.",
                )
        for key in SHARED:
            if not hasattr(device, key):
                continue
            other, device_there = first.setdefault((_place(device), key), (name, device))
            there, here = getattr(device_there, key), getattr(device, key)
            if there != here:
                expected = f"{there}, as devices.{other} on the same bus"
                yield Problem(("devices", name, key), f"got {here}", expected, "Make them the same.")


def _unused(settings: Settings) -> Iterator[Problem]:
    keys = settings.keys
    named = [spot for offer in settings.wagers.values() for spot in offer.spots]
    named += [keys.lockout, keys.confirm, keys.call, keys.clear, keys.door or "", *keys.folds]
    for key in (keys.floor_key, keys.reset_key):
        named += [key.normally_closed, key.normally_open]
    for _, lamps in settings.in_role("lamps"):
        named += [str(getattr(lamps, "return_line", "")), str(getattr(lamps, "current_line", ""))]
    used = {line.partition(":")[0] for line in named}
    for name, _ in settings.in_role("lines"):
        if name not in used:
            got, expected = "none of its lines is used", "a spot or key on it"
            yield Problem(("devices", name), got, expected, "Name one, or remove it.")


def _levels(settings: Settings) -> Iterator[Problem]:
    known = {*settings.meters, *(() if settings.mystery is None else ("mystery",))}
    for name, device in settings.devices.items():
        if not isinstance(device, MeterTglineOptions):
            continue
        used: dict[int, str] = {}
        for meter, level in device.levels.items():
            path = ("devices", name, "levels", meter)
            if meter not in known:
                expected = "one of " + (", ".join(sorted(known)) or "no meter: this table has none")
                yield Problem(path, f"no meter {meter!r}", expected, "Correct it.")
            if not 1 <= level <= 9:
                yield Problem(path, f"level {level}", "1 to 9", "Correct it.")
            other = used.setdefault(level, meter)
            if other != meter:
                yield Problem(path, f"level {level} is already {other}", "a level of its own", "Use a free one.")
        if not device.levels:
            yield Problem(
                ("devices", name, "levels"), "no meter", "at least one meter", "Name one, or remove the device."
            )


def _names(settings: Settings) -> Iterator[Problem]:
    if settings.table.profile is Profile.SIMULATED:
        return
    for name, device in settings.devices.items():
        url = getattr(device, "url", None)
        if isinstance(url, str) and NUMBERED.fullmatch(posixpath.normpath(url)):
            folder = "/dev/input/by-id" if "/input/" in url else "/dev/serial/by-id or /dev/serial/by-path"
            yield Problem(
                ("devices", name, "url"),
                f"got {url!r}, a number that the kernel gives anew at each start and re-plug",
                "a name that stays with the device",
                f"Use its name under {folder}, or a udev rule of its own in 80-tabled.rules.",
            )
