"""A recording through the driver of today, on virtual time: does it tell what was told when it was recorded?

Rules:
* The very driver of the kind that is recorded, with the recorded options; its port gives each piece at its time, opens
  when the recorded one did and is lost when that was. What it sends goes nowhere.
* Compared is what the device said: cards, numbers, dice, their troubles. What a link or a command did is not, since
  that depended on the machine.
"""

from __future__ import annotations

import asyncio
import difflib
from collections.abc import Iterator, Mapping
from pathlib import Path

from msgspec import Struct

from drivers.devices.serial_device import SerialDevice
from drivers.events import DeviceEvent
from drivers.links.port import OnBytes, OnLost, OpenPort, PortError, PortSettings
from drivers.ports import Device, NowNs
from firmware.app.registry import readers, results
from firmware.journal.commands import counted
from firmware.settings.devices.readers import CardReaderDevice
from firmware.settings.devices.results import DiceDevice, WheelDevice
from hil.virtual_time import VirtualLoop, run_virtual
from hil.wire import recording
from hil.wire.recording import BadRecording, Head, Item, Recording, What
from hil.wire.trace import summary

AFTERWARDS_S = 1.0


class Connection(Struct, frozen=True):
    """One opening of the port: when, what came, and why it was lost; None: it was not."""

    opened_ns: int
    came: tuple[Item, ...]
    lost: Item | None


def connections(recorded: Recording) -> Iterator[Connection]:
    opened, came, lost = recorded.head.base_ns, list[Item](), None
    begun = False
    for item in recorded.items:
        if item.what is What.OPEN:
            if begun:
                yield Connection(opened, tuple(came), lost)
            opened, came, lost, begun = item.at_ns, [], None, True
        elif item.what is What.CAME:
            begun = True
            came.append(item)
        elif item.what is What.CLOSE and item.text:
            lost = item
    if begun:
        yield Connection(opened, tuple(came), lost)


class RecordedOpener:
    """Opens one recorded connection after the other; after the last, none."""

    def __init__(self, recorded: Recording, loop: asyncio.AbstractEventLoop) -> None:
        self._left = list(connections(recorded))
        self._loop = loop
        self._begun_s = loop.time()
        self._base_ns = recorded.head.base_ns

    def when_s(self, at_ns: int) -> float:
        """The loop's time for a time of the recording."""
        return self._begun_s + (at_ns - self._base_ns) / 1e9

    async def __call__(self, settings: PortSettings, now_ns: NowNs) -> OpenPort:
        if not self._left:
            raise PortError("the recording has ended")
        connection = self._left.pop(0)
        await asyncio.sleep(max(0.0, self.when_s(connection.opened_ns) - self._loop.time()))
        return RecordedPort(connection, self)


class RecordedPort:
    """An `OpenPort`."""

    def __init__(self, connection: Connection, opener: RecordedOpener) -> None:
        self._connection = connection
        self._opener = opener
        self._timers: list[asyncio.TimerHandle] = []

    def start(self, on_bytes: OnBytes, on_lost: OnLost) -> None:
        loop, when_s = asyncio.get_running_loop(), self._opener.when_s
        for item in self._connection.came:
            self._timers.append(loop.call_at(when_s(item.at_ns), on_bytes, item.data, item.at_ns))
        if (lost := self._connection.lost) is not None:
            self._timers.append(loop.call_at(when_s(lost.at_ns), on_lost, PortError(lost.text)))

    async def write(self, data: bytes) -> None:
        pass

    async def close(self) -> bool:
        for timer in self._timers:
            timer.cancel()
        return True


def again(recorded: Recording) -> tuple[list[str], Mapping[str, int]]:
    """What the driver tells today, all of it, in the words of a recording; and what it counted."""
    device = _device(recorded.head)
    if not isinstance(device, SerialDevice):
        raise BadRecording(f"{recorded.head.options.kind} is no device whose wire is recorded")
    told: list[str] = []

    def emit(event: DeviceEvent) -> None:
        told.append(recording.told(event))

    async def main(loop: VirtualLoop) -> None:
        opener = RecordedOpener(recorded, loop)
        device.open_through(lambda _: opener)
        task = asyncio.ensure_future(device.run(emit))
        await asyncio.wait([task], timeout=recorded.lasts_ns() / 1e9 + AFTERWARDS_S)
        if task.done():
            task.result()  # what ended it: a fault of the program
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    run_virtual(main)
    return told, device.counters


def _device(head: Head) -> Device | None:
    options, nowhere = head.options, Path("recording")
    if isinstance(options, CardReaderDevice):
        return readers.make(head.device, options, nowhere)
    if isinstance(options, WheelDevice):
        return results.make_wheel(head.device, options, nowhere)
    if isinstance(options, DiceDevice):
        return results.make_dice(head.device, options, nowhere)
    return None


def compared(lines: list[str]) -> list[str]:
    """Those that a device said."""
    return [line for line in lines if line.partition(" ")[0] in recording.OF_THE_DEVICE]


def replay(recorded: Recording) -> int:
    """Exit status 0 if the driver tells the same, 1 with the differences. Raises BadRecording where no byte came: then
    there is nothing that a driver could tell differently."""
    if not any(item.what is What.CAME for item in recorded.items):
        raise BadRecording("no byte came while it was recorded: there is nothing to compare; record it again")
    now, counters = again(recorded)
    before = compared([item.text for item in recorded.items if item.what is What.TOLD])
    after = compared(now)
    for line in summary(counters):
        print(line)
    if before == after:
        print(f"the same: {counted(len(after), 'event')} in {recorded.lasts_ns() / 1e9:.1f} s")
        return 0
    print("NOT THE SAME (- recorded, + told by this driver):")
    for line in difflib.unified_diff(before, after, n=1, lineterm=""):
        if not line.startswith(("---", "+++")):
            print(line)
    return 1
