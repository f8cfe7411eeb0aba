"""A device's wire as it is now: every byte with its time, and beneath what the table's own driver makes of it.

Rules: the driver runs as it does in the daemon, and answers the device (a `tgline` device is acknowledged, a wheel that
says nothing by itself is asked): what is seen is what the table would see. Lines that the driver rejects stand on
standard error, as in the daemon's log. It ends on Ctrl-C, SIGTERM, after `seconds`, or with the lease.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

import msgspec

from drivers.devices.serial_device import SerialDevice
from drivers.events import DeviceEvent
from drivers.links.tap import tapped
from drivers.ports import NowNs
from firmware.app import clock
from firmware.journal.commands import counted
from hil.codes import results
from hil.ending import ending_after
from hil.lease import Access, NoLease, devices
from hil.wire import recording
from hil.wire.recording import Head, Item, What

BYTES_A_ROW = 24
NOTHING_CAME = "did the device have something to say? Else its cable, power, port, speed or parity"


class Wire:
    """A `Tap` that hands on items, and the driver's events with them."""

    def __init__(self, hand_on: Callable[[Item], None], now_ns: NowNs = clock.monotonic_ns) -> None:
        self._hand_on = hand_on
        self._now_ns = now_ns
        self.pieces = self.events = 0

    def opened(self, at_ns: int) -> None:
        self._hand_on(Item(at_ns, What.OPEN))

    def closed(self, why: str, at_ns: int) -> None:
        self._hand_on(Item(at_ns, What.CLOSE, text=why))

    def received(self, data: bytes, at_ns: int) -> None:
        self.pieces += 1
        self._hand_on(Item(at_ns, What.CAME, data=data))

    def sent(self, data: bytes, at_ns: int) -> None:
        self._hand_on(Item(at_ns, What.WENT, data=data))

    def told(self, event: DeviceEvent) -> None:
        self.events += type(event).__name__ in recording.OF_THE_DEVICE
        codes = tuple(results.codes_of(event))
        self._hand_on(Item(self._now_ns(), What.TOLD, text=recording.told(event), codes=codes))


def rows(item: Item, base_ns: int) -> list[str]:
    """An item for a person: time, direction, bytes in hexadecimal and as text; or what was told."""
    at = f"{max(0, item.at_ns - base_ns) / 1e9:10.3f}"
    if item.what is What.TOLD:
        return [f"{at} = {'  '.join([plain(item.text, base_ns), *item.codes])}"]
    if item.what in (What.OPEN, What.CLOSE):
        return [f"{at} {item.what}{': ' if item.text else ''}{item.text}"]
    parts = [item.data[start : start + BYTES_A_ROW] for start in range(0, len(item.data), BYTES_A_ROW)]
    return [f"{at} {item.what} {part.hex(' ').upper():{BYTES_A_ROW * 3}} {_readable(part)}" for part in parts]


def plain(told: str, base_ns: int) -> str:
    """What the driver told, without its bytes; times in seconds of the trace."""
    name, _, fields = told.partition(" ")
    words = [name]
    for field, value in msgspec.json.decode(fields).items():
        if field.endswith("_ns") and value is not None:
            words.append(f"{field.removesuffix('_ns')} {max(0, value - base_ns) / 1e9:.3f}")
        elif field != "raw" and value not in (None, ""):
            words.append(f"{field} {_said(value)}")
    return "  ".join(words)


def _said(value: object) -> str:
    if isinstance(value, dict):
        return " ".join(f"{name} {_said(one)}" for name, one in value.items())
    if isinstance(value, list):
        return "+".join(map(_said, value)) or "none"
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def _readable(data: bytes) -> str:
    return "".join(chr(byte) if 0x20 <= byte < 0x7F else "." for byte in data)


async def trace(access: Access, role: str, name: str, to: Path | None, seconds: float | None) -> int:
    """Show the wire of device `name`, and record it in `to`. Exit status 0, or 1 if nothing at all came; raises as
    `hil.lease.devices`."""
    async with devices(access, [name]) as held:
        options = held.settings.devices[name]
        device = held.device(name)
        if options.role != role or not isinstance(device, SerialDevice):
            raise NoLease(f"{name} is {options.kind}, and no {role} on a wire of its own")
        base_ns = clock.monotonic_ns()
        items: asyncio.Queue[Item] = asyncio.Queue()
        wire = Wire(items.put_nowait)
        device.open_through(lambda opener: tapped(opener, wire))
        with contextlib.ExitStack() as stack:
            head = Head(name, options, base_ns, f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}")
            file = None if to is None else stack.enter_context(_new(to, head))
            print(held.how)
            print(f"{device.identity}; Ctrl-C ends it")
            async with held.running(name, wire.told), ending_after(seconds) as ending:
                while (item := await _next(items, ending)) is not None:
                    _hand_on(item, base_ns, file)
            while not items.empty():  # that it was closed
                _hand_on(items.get_nowait(), base_ns, file)
            for line in summary(device.counters):
                print(line)
            if to is not None:
                print(f"recorded in {to}: {counted(wire.pieces, 'piece')}, {counted(wire.events, 'event')}")
        if not wire.pieces:
            print(f"{name}: no byte came; {NOTHING_CAME}: hil check {name}", file=sys.stderr)
            return 1
        return 0


def summary(counters: Mapping[str, int]) -> list[str]:
    """What was counted, in one line."""
    counted = ", ".join(f"{name} {count}" for name, count in counters.items() if count)
    return [f"counted: {counted}" if counted else "nothing was counted"]


def _new(path: Path, head: Head) -> TextIO:
    try:
        file = path.open("x", encoding="utf-8", buffering=1)
    except FileExistsError:
        raise NoLease(f"{path} is there already; name another file") from None
    except OSError as error:
        raise NoLease(f"{path}: {error.strerror}") from None
    file.write(recording.head_text(head))
    return file


def _hand_on(item: Item, base_ns: int, file: TextIO | None) -> None:
    for row in rows(item, base_ns):
        print(row, flush=True)
    if file is not None:
        try:
            file.write(recording.item_text(item, base_ns))
        except OSError as error:
            raise NoLease(f"{file.name}: {error.strerror}; recorded until here") from None


async def _next(items: asyncio.Queue[Item], ending: asyncio.Event) -> Item | None:
    """The next item; None once it is to end."""
    getting, waiting = asyncio.ensure_future(items.get()), asyncio.ensure_future(ending.wait())
    try:
        await asyncio.wait((getting, waiting), return_when=asyncio.FIRST_COMPLETED)
        return getting.result() if getting.done() else None
    finally:
        getting.cancel()
        waiting.cancel()
