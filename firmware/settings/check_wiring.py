"""What the hardware asks of a table: lines, lamps, devices, paths, times, lamp looks. The Pi's header itself is judged
by `check_header.py`.
"""

from __future__ import annotations

import difflib
import posixpath
import re
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath

from firmware.settings import check_bus, check_expanders, check_header, check_outputs
from firmware.settings.check_results import ROLE_OF
from firmware.settings.devices.bus_lines import ModbusOptions, TglineBoardOptions
from firmware.settings.devices.expanders import Mcp23017Options, ShiftRegisterOptions
from firmware.settings.devices.lines import LinesLgpio, LinesRpiGpio, LinesSimulated
from firmware.settings.devices.readers import ShoeBarcodeHid
from firmware.settings.devices.results import DiceKeypad
from firmware.settings.fields import DEVICE_NAME_EXPECTED, DEVICE_NAME_PATTERN
from firmware.settings.looks import Look, Pattern
from firmware.settings.model import Profile, Settings
from firmware.settings.problems import KeyPath, Problem, Severity

EXACTLY_ONE = ("lamps", "shoe", "board", "display")
VOLATILE = ("/run", "/tmp", "/dev/shm", "/var/run", "/var/tmp")


def problems(settings: Settings) -> tuple[Problem, ...]:
    """Every problem of the wiring."""
    return tuple(problem for check in CHECKS for problem in check(settings))


def line_claims(settings: Settings) -> Iterator[tuple[KeyPath, str, int, bool]]:
    """Every line in use: where it is named, its device, its number, and whether its edges must carry times."""
    for wager, offer in settings.wagers.items():
        for index, line in enumerate(offer.spots):
            yield (("wagers", wager, "spots", str(index)), *_split(line), True)
    keys = settings.keys
    yield (("keys", "lockout"), *_split(keys.lockout), True)
    for name in ("confirm", "call", "clear"):
        yield (("keys", name), *_split(getattr(keys, name)), False)
    if keys.door:
        yield (("keys", "door"), *_split(keys.door), False)
    for index, line in enumerate(keys.folds):
        yield (("keys", "folds", str(index)), *_split(line), False)
    for name, switch in (("floor_key", keys.floor_key), ("reset_key", keys.reset_key)):
        yield (("keys", name, "normally_closed"), *_split(switch.normally_closed), False)
        yield (("keys", name, "normally_open"), *_split(switch.normally_open), False)
    for path, line in lamp_lines(settings):
        yield (path, *_split(line), False)


def lamp_lines(settings: Settings) -> Iterator[tuple[KeyPath, str]]:
    """Every input that tells whether lamps live: where it is named, and the line."""
    for name, device in settings.in_role("lamps"):
        for key in ("return_line", "current_line"):
            if line := str(getattr(device, key, "")):
                yield ("devices", name, key), line


def _split(line: str) -> tuple[str, int]:
    device, _, number = line.partition(":")
    return device, int(number)


def _roles(settings: Settings) -> Iterator[Problem]:
    for role in EXACTLY_ONE:
        if role == "shoe" and settings.table.game in ROLE_OF:
            continue  # `check_results` refuses one
        names = [name for name, _ in settings.in_role(role)]
        if len(names) != 1:
            got = "none" if not names else "several: " + ", ".join(names)
            yield Problem(("devices",), f"{role}: {got}", f"exactly one device of kind {role}.*", "Add or remove.")
    if not settings.in_role("lines"):
        yield Problem(("devices",), "lines: none", "at least one device of kind lines.*", "Add one.")
    for name in settings.devices:
        if re.search(DEVICE_NAME_PATTERN, name) is None:
            yield Problem(("devices", name), f"got {name!r}", DEVICE_NAME_EXPECTED, "Rename it.")


def _profile(settings: Settings) -> Iterator[Problem]:
    if settings.table.profile is Profile.SIMULATED:
        return
    for name, device in settings.devices.items():
        if device.simulated:
            yield Problem(
                ("devices", name, "kind"),
                f"{device.kind} in the production profile",
                "real devices only: a simulated one shows and takes nothing",
                'Name the real kind, or set table.profile = "simulated".',
            )
    storage = settings.storage
    kept, secret = _kept(settings), _secret(settings)
    for key, path in {**kept, ("storage", "control"): storage.control}.items():
        if not PurePosixPath(path).is_absolute():
            expected = "an absolute path in the production profile"
            yield Problem(key, f"got {path!r}", expected, "Write it from the root down.")
    for key, path in kept.items():
        if any(PurePosixPath(path).is_relative_to(folder) for folder in VOLATILE):
            remedy = "Use /etc/tabled." if key in secret else "Use /var/lib/tabled."
            yield Problem(key, f"got {path!r}, which a power cut empties", "a folder on a disk", remedy)
    for key, path in secret.items():
        if PurePosixPath(path).parent == PurePosixPath(storage.journal).parent:
            yield Problem(
                key,
                f"got {path!r}, beside the journal",
                "a folder of its own: a copy of the journal's folder must not take the key along",
                "Use /etc/tabled.",
            )


def _kept(settings: Settings) -> dict[KeyPath, str]:
    """Path of what must outlive a power cut, by key."""
    storage = settings.storage
    return {
        ("storage", "journal"): storage.journal,
        ("storage", "noted_head"): storage.noted_head,
        **_secret(settings),
    }


def _secret(settings: Settings) -> dict[KeyPath, str]:
    """Of those, the keys."""
    keys: dict[KeyPath, str] = {("storage", "signing_key"): settings.storage.signing_key}
    if settings.mystery is not None:
        keys["mystery", "key_file"] = settings.mystery.key_file
    return keys


def _lines(settings: Settings) -> Iterator[Problem]:
    devices = settings.devices
    claims = tuple(line_claims(settings))
    taken, remedy = check_header.taken_lines(settings), check_header.remedy(settings, claims)
    seen: dict[tuple[str, int], KeyPath] = {}
    for path, name, number, edge_timed in claims:
        device = devices.get(name)
        match device:
            case LinesLgpio() | LinesRpiGpio():
                yield from check_header.line_problems(path, number, taken, remedy)
                if isinstance(device, LinesRpiGpio) and edge_timed:
                    yield Problem(
                        path,
                        f"on {device.kind}, which gives no edge times",
                        "a device that stamps edges: a wager counts by the time of its edge",
                        "Use lines.lgpio for spots and lock-out.",
                        "627b.3(a)(2)",
                    )
                claim = (check_outputs.HEADER, number)  # both libraries drive the same lines
            case LinesSimulated():
                if number >= device.line_count:
                    expected = f"a line from 0 to {device.line_count - 1}"
                    yield Problem(path, f"{name} has no line {number}", expected, "Correct it, or raise line_count.")
                claim = (device.socket, number)
            case TglineBoardOptions() | ModbusOptions():
                yield from check_bus.line_problems(path, name, device, number, is_lock=path == ("keys", "lockout"))
                claim = (name, number)
            case Mcp23017Options() | ShiftRegisterOptions():
                yield from check_expanders.line_problems(
                    path, name, device, number, is_lock=path == ("keys", "lockout")
                )
                claim = (name, number)
            case _:
                known = [other for other, _ in settings.in_role("lines")]
                near = difflib.get_close_matches(name, known, n=1, cutoff=0.5)
                meant = f"Did you mean {near[0]}?" if near else "Name a device of kind lines.*."
                expected = "one of " + (", ".join(known) or "no device of kind lines.*")
                yield Problem(path, f"no line device {name!r}", expected, meant)
                continue
        first = seen.setdefault(claim, path)
        if first != path:
            key = Problem(first, "", "", "").key
            told = remedy if claim[0] == check_outputs.HEADER else "Use a free line."
            yield Problem(path, f"line {number} is already {key}", "a line of its own", told)
    yield from check_outputs.problems(
        settings, seen, lambda path, number: check_header.line_problems(path, number, taken, remedy), remedy
    )


def _key_contacts(settings: Settings) -> Iterator[Problem]:
    """Both contacts of a key switch are judged together, by one device."""
    for name in ("floor_key", "reset_key"):
        switch = getattr(settings.keys, name)
        rest, turned = _split(switch.normally_closed)[0], _split(switch.normally_open)[0]
        if rest != turned:
            yield Problem(
                ("keys", name, "normally_open"),
                f"on {turned}, and the other contact on {rest}",
                "both contacts on one device: they are compared with each other",
                "Wire both to the same device.",
                "605a.7(a)(5)",
            )


def _spots(settings: Settings) -> Iterator[Problem]:
    positions = settings.table.positions
    for wager, offer in settings.wagers.items():
        path = ("wagers", wager)
        if offer.sensed and len(offer.spots) != positions:
            yield Problem(
                (*path, "spots"),
                f"{len(offer.spots)} lines",
                f"one for each of {positions} positions",
                "Add or remove lines, or correct table.positions.",
            )
        if offer.lamps and len(offer.lamps) != len(offer.spots):
            expected = f"one for each of {len(offer.spots)} spots"
            yield Problem((*path, "lamps"), f"{len(offer.lamps)} lamps", expected, "Add or remove lamps.")


def _lamps(settings: Settings) -> Iterator[Problem]:
    sizes = [device.pixels for _, device in settings.in_role("lamps") if hasattr(device, "pixels")]
    seen: dict[int, KeyPath] = {}
    for wager, offer in settings.wagers.items():
        for index, pixel in enumerate(offer.lamps):
            path = ("wagers", wager, "lamps", str(index))
            if sizes and pixel >= sizes[0]:
                expected = f"a lamp from 0 to {sizes[0] - 1}"
                yield Problem(path, f"the string has no lamp {pixel}", expected, "Correct it, or raise pixels.")
            first = seen.setdefault(pixel, path)
            if first != path:
                key = Problem(first, "", "", "").key
                yield Problem(path, f"lamp {pixel} is already {key}", "a lamp of its own", "Use a free lamp.")


def _ports(settings: Settings) -> Iterator[Problem]:
    seen: dict[str, KeyPath] = {}
    claims: list[tuple[KeyPath, str]] = []
    for name, device in settings.devices.items():
        url = getattr(device, "url", None)
        if isinstance(url, str):
            if not isinstance(device, check_bus.OnBus):  # those share their port
                claims.append((("devices", name, "url"), url))
            if url.startswith("socket://"):
                yield Problem(
                    ("devices", name, "url"),
                    "is a TCP device, and tabled.service has no network",
                    "the drop-in tabled-network.conf with the device's address",
                    "Install it: see the head of tabled-network.conf.",
                    severity=Severity.WARNING,
                )
        if isinstance(device, ShoeBarcodeHid | DiceKeypad):
            yield Problem(
                ("devices", name, "kind"),
                "reads an input device, and tabled.service may open none",
                "the drop-in tabled-scanner.conf",
                "Install it: see the head of tabled-scanner.conf.",
                severity=Severity.WARNING,
            )
    claims += check_bus.ports(settings)
    claims += _kept(settings).items()
    claims.append((("storage", "control"), settings.storage.control))
    for path, place in claims:
        first = seen.setdefault(place if "://" in place else posixpath.normpath(place), path)
        if first != path:
            key = Problem(first, "", "", "").key
            yield Problem(path, f"{place!r} is already {key}", "a place of its own", "Correct one of the two.")


def _times(settings: Settings) -> Iterator[Problem]:
    timing = settings.timing
    window_ms = timing.present_ms + timing.lateness_ms
    if timing.absent_ms > window_ms:
        yield Problem(
            ("timing", "absent_ms"),
            f"{timing.absent_ms}, longer than the decision window of {window_ms}",
            "at most present_ms + lateness_ms: at the window's end it must be known whether a chip had left",
            "Lower absent_ms or raise lateness_ms.",
        )


def _looks(settings: Settings) -> Iterator[Problem]:
    looks = settings.looks
    colours: dict[str, str] = {}
    patterns: dict[Pattern, str] = {}
    for state in looks.__struct_fields__:
        look: Look = getattr(looks, state)
        path = ("looks", state)
        dark = look.pattern is Pattern.OFF or look.colour == "#000000"
        if dark != (state == "off"):
            expected = "dark" if state == "off" else "a light: only off is dark"
            yield Problem(path, f"{look.colour}, {look.pattern}", expected, "Choose another look.")
            continue
        other = colours.setdefault(look.colour, state)
        if other != state:
            expected = "a colour of its own"
            yield Problem((*path, "colour"), f"{look.colour} is also {other}", expected, "Choose another colour.")
        other = patterns.setdefault(look.pattern, state)
        if other != state:
            expected = "a pattern of its own, for whoever can't tell the colours"
            yield Problem((*path, "pattern"), f"{look.pattern} is also {other}", expected, "Choose another pattern.")


CHECKS: tuple[Callable[[Settings], Iterator[Problem]], ...] = (
    _roles,
    _profile,
    _lines,
    _key_contacts,
    lambda settings: check_header.count(settings, line_claims(settings)),
    check_header.pins_twice,
    check_header.parity,
    check_expanders.problems,
    _spots,
    _lamps,
    check_outputs.lamp_policy,
    _ports,
    check_bus.problems,
    _times,
    _looks,
)
