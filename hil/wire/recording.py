"""A recording of one device's wire: plain text that a person can read, cut and send on.

    hil recording 1
    device: wheel
    options: {"kind":"wheel.cammegh","url":"/dev/tabled/wheel","baud":9600}
    base_ns: 81234567890123
    made: 2026-12-01T03:40:00Z
    0.000000000 open
    0.751233000 > 2A580D0A
    0.800012000 < 2A583B343B3030383B31353B303B3135383B310D0A
    0.800012000 = WheelPhaseChanged {"phase":"no_more_bets",...}
    9.120000000 close the device reports readiness but returned no data

Rules:
* A line's first word is seconds since `base_ns`, which is nanoseconds of CLOCK_MONOTONIC of the machine that recorded.
* `<` came from the device, `>` went to it, in hexadecimal, in the pieces in which it came; `=` is what the driver told,
  its type and fields; `close` names why, and nothing where the driver closed the port itself.
* Empty lines and lines that begin with `#` are passed over. Anything else is refused with its number.
* `options` is the device's part of the table's file, so that a recording can be read without that file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import StrEnum
from pathlib import Path
from typing import get_args

import msgspec
from msgspec import Struct

from drivers.events import CardEvent, DeviceEvent
from drivers.result_events import DiceEvent, WheelEvent, WheelObeyed, WheelRefused
from firmware.settings.devices import Device

TITLE = "hil recording 1"
NS_PER_S = 1_000_000_000
HEAD = ("device", "options", "base_ns", "made")
OF_THE_DEVICE = frozenset(
    kind.__name__
    for kind in (*get_args(CardEvent), *get_args(WheelEvent), *get_args(DiceEvent))
    if kind not in (WheelObeyed, WheelRefused)
)
"""Events that the device said, and no link or command."""
_LINE = re.compile(r"(\d+)\.(\d{9}) (open|close|[<>=])(?: (.*))?")


class BadRecording(Exception):
    """The file is no recording. The message names the line."""


class What(StrEnum):
    OPEN = "open"
    CLOSE = "close"
    CAME = "<"
    WENT = ">"
    TOLD = "="


class Item(Struct, frozen=True):
    """One line. `at_ns`: CLOCK_MONOTONIC; `text`: why it closed, or what the driver told; `data`: bytes; `codes`: of
    what was told, for a person; they are not recorded."""

    at_ns: int
    what: What
    data: bytes = b""
    text: str = ""
    codes: tuple[str, ...] = ()


class Head(Struct, frozen=True):
    """Whose wire it is. `options`: as the configuration has it; `made`: UTC, for people."""

    device: str
    options: Device
    base_ns: int
    made: str


class Recording(Struct, frozen=True):
    head: Head
    items: tuple[Item, ...]

    def lasts_ns(self) -> int:
        return max((item.at_ns for item in self.items), default=self.head.base_ns) - self.head.base_ns


def told(event: DeviceEvent) -> str:
    """An event in the words of a recording, without the device's name."""
    fields = {name: value for name, value in msgspec.structs.asdict(event).items() if name != "device"}
    return f"{type(event).__name__} {msgspec.json.encode(fields).decode()}"


def head_text(head: Head) -> str:
    values = (head.device, msgspec.json.encode(head.options).decode(), head.base_ns, head.made)
    return "\n".join([TITLE, *(f"{name}: {value}" for name, value in zip(HEAD, values, strict=True)), ""])


def item_text(item: Item, base_ns: int) -> str:
    """One line with its end. An item from before `base_ns` counts as of that time."""
    seconds, ns = divmod(max(0, item.at_ns - base_ns), NS_PER_S)
    rest = item.data.hex().upper() if item.what in (What.CAME, What.WENT) else " ".join(item.text.split("\n"))
    return f"{seconds}.{ns:09} {item.what}{' ' if rest else ''}{rest}\n"


def read(path: Path) -> Recording:
    """Read a recording. Raises `BadRecording` and OSError."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        raise BadRecording(f"{path}: is no text") from None
    if not lines or lines[0] != TITLE:
        raise BadRecording(f"{path}: does not begin with {TITLE!r}")
    head = _head(path, lines[1 : len(HEAD) + 1])
    numbered = enumerate(lines[len(HEAD) + 1 :], start=len(HEAD) + 2)
    return Recording(head, tuple(_items(path, head.base_ns, numbered)))


def _head(path: Path, lines: list[str]) -> Head:
    said = dict(line.split(": ", 1) for line in lines if ": " in line)
    if tuple(said) != HEAD or not said["base_ns"].isdecimal():
        raise BadRecording(f"{path}: after the title it says {', '.join(HEAD)}, a line each")
    try:
        options: Device = msgspec.json.decode(said["options"], type=Device)
    except msgspec.MsgspecError as error:
        raise BadRecording(f"{path}: options: {error}") from None
    return Head(said["device"], options, int(said["base_ns"]), said["made"])


def _items(path: Path, base_ns: int, numbered: Iterator[tuple[int, str]]) -> Iterator[Item]:
    for number, line in numbered:
        if not line or line.startswith("#"):
            continue
        match = _LINE.fullmatch(line)
        if match is None:
            raise BadRecording(f"{path}:{number}: expected SECONDS open|close|<|>|= ..., got {line[:40]!r}")
        seconds, ns, what, rest = match.groups(default="")
        at_ns = base_ns + int(seconds) * NS_PER_S + int(ns)
        if what not in (What.CAME, What.WENT):
            yield Item(at_ns, What(what), text=rest)
            continue
        if not re.fullmatch("(?:[0-9A-F]{2})+", rest):
            raise BadRecording(f"{path}:{number}: expected bytes in hexadecimal, got {rest[:40]!r}")
        yield Item(at_ns, What(what), data=bytes.fromhex(rest))
