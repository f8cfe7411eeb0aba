"""A recording to a port of its own, as fast as it was or faster: for a daemon, or any program, to hear it again.

Rules: the port is there while the recorded one was open; what is written to it is heard and not answered, so a driver
that needs answers to its own times may do otherwise than recorded. Devices whose records carry the kernel's times
(keypads, scanners that type) can't be played: those times are past.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from firmware.settings.devices.readers import ShoeBarcodeHid, ShoeBarcodeHidSimulated
from firmware.settings.devices.results import KeypadOptions
from hil.sim.control import ControlError
from hil.sim.pty_port import PtyPort
from hil.wire.recording import BadRecording, Recording
from hil.wire.replay import connections


async def play(recorded: Recording, link: Path, speed: float) -> int:
    """Exit status 0 at the recording's end, 1 if bytes were not taken. Raises BadRecording where it can't be played."""
    if isinstance(recorded.head.options, KeypadOptions | ShoeBarcodeHid | ShoeBarcodeHidSimulated):
        raise BadRecording("keys carry the kernel's times, which are past: replay it without --port")
    heard = 0

    def hear(data: bytes) -> None:
        nonlocal heard
        heard += len(data)

    loop = asyncio.get_running_loop()
    begun_s = loop.time()

    async def until(at_ns: int) -> None:
        when_s = begun_s + (at_ns - recorded.head.base_ns) / 1e9 / speed
        await asyncio.sleep(max(0.0, when_s - loop.time()))

    port, sent = PtyPort(link, hear), 0
    try:
        for connection in connections(recorded):
            await until(connection.opened_ns)
            if not port.plugged:
                port.plug()
                print(f"plugged in as {link}", flush=True)
            for item in connection.came:
                await until(item.at_ns)
                port.write(item.data)
                sent += len(item.data)
            if connection.lost is not None:
                await until(connection.lost.at_ns)
                port.unplug()
                print("unplugged", flush=True)
        await until(recorded.head.base_ns + recorded.lasts_ns())
    except ControlError as error:
        raise BadRecording(str(error)) from None
    finally:
        port.unplug()
    print(f"{sent - port.dropped_bytes} bytes sent, {port.dropped_bytes} not taken, {heard} heard")
    return 1 if port.dropped_bytes else 0
