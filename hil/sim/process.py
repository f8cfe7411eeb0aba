"""A simulated serial device as a process: its plug, its control socket, and the ops that all of them have.

`python -m hil.sim.<device> --port LINK --control SOCKET`: prints one line, `ready`, when both are there, and ends on
SIGTERM, SIGINT or the op `quit`, taking link and socket away.

Ops of all: `status`; `unplug`; `plug` (`link`: another name); `stall` and `resume` (the device takes no more data from
the host); `garbage` (`hex`: sent as it is); `quit`.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import signal
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from hil.sim.control import Arguments, ControlError, ControlServer, Handler, Reply
from hil.sim.plug import Plug
from hil.sim.pty_port import PtyPort


class SimulatedDevice(Protocol):
    """The model and face of one device."""

    def received(self, data: bytes) -> None:
        """Bytes from the host."""

    def handlers(self) -> Mapping[str, Handler]:
        """Its own ops."""

    def status(self) -> Reply:
        """What `status` tells beside the plug."""

    async def run(self) -> None:
        """The device's own life, until cancelled."""


Maker = Callable[[argparse.Namespace, Callable[[bytes], None]], SimulatedDevice]
"""Makes the device from its options and the function that sends bytes to the host."""


PortMaker = Callable[[argparse.Namespace, Path, Callable[[bytes], None]], Plug]
"""Makes the plug from the options, its name, and the function that hears the host."""


def _pty(parsed: argparse.Namespace, link: Path, on_bytes: Callable[[bytes], None]) -> Plug:
    return PtyPort(link, on_bytes)


def parser(description: str) -> argparse.ArgumentParser:
    """A parser with the options of all simulators."""
    options = argparse.ArgumentParser(description=description)
    options.add_argument("--port", type=Path, required=True, help="symlink to the device's port, made here")
    options.add_argument("--control", type=Path, required=True, help="Unix socket for commands, made here")
    return options


def main(options: argparse.ArgumentParser, make: Maker, argv: list[str] | None = None, plug: PortMaker = _pty) -> int:
    """Run until told to end. Exit status 2 for a port or socket that can't be made."""
    parsed = options.parse_args(argv)
    try:
        asyncio.run(_run(parsed, make, plug))
    except (ControlError, OSError) as error:
        print(f"{options.prog}: {error}", file=sys.stderr)
        return 2
    return 0


async def _run(parsed: argparse.Namespace, make: Maker, plug: PortMaker) -> None:
    quitting = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, quitting.set)

    port = plug(parsed, parsed.port, lambda data: device.received(data))
    device = make(parsed, port.write)
    server = ControlServer(parsed.control, {**_common_handlers(port, device, quitting), **device.handlers()})
    server.claim()
    port.plug()
    try:
        tasks = [
            asyncio.ensure_future(device.run()),
            asyncio.ensure_future(server.serve(lambda: print("ready", flush=True))),
            asyncio.ensure_future(quitting.wait()),
        ]
        done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        for task in tasks:
            task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(*(task for task in tasks if task not in done))
        for task in done:
            task.result()
    finally:
        port.unplug()


async def forever() -> None:
    """For a device that does nothing by itself."""
    await asyncio.get_running_loop().create_future()


def _common_handlers(port: Plug, device: SimulatedDevice, quitting: asyncio.Event) -> dict[str, Handler]:
    async def status(arguments: Arguments) -> Reply:
        arguments.end()
        return {"plugged": port.plugged, "link": str(port.link), "dropped_bytes": port.dropped_bytes, **device.status()}

    async def unplug(arguments: Arguments) -> Reply:
        arguments.end()
        port.unplug()
        return {}

    async def plug(arguments: Arguments) -> Reply:
        link = arguments.optional_text("link")
        arguments.end()
        port.plug(Path(link) if link is not None else None)
        return {"link": str(port.link)}

    async def stall(arguments: Arguments) -> Reply:
        arguments.end()
        port.stall()
        return {}

    async def resume(arguments: Arguments) -> Reply:
        arguments.end()
        port.resume()
        return {}

    async def garbage(arguments: Arguments) -> Reply:
        data = arguments.octets("hex")
        arguments.end()
        port.write(data)
        return {}

    async def stop(arguments: Arguments) -> Reply:
        arguments.end()
        asyncio.get_running_loop().call_soon(quitting.set)
        return {}

    return {
        "status": status,
        "unplug": unplug,
        "plug": plug,
        "stall": stall,
        "resume": resume,
        "garbage": garbage,
        "quit": stop,
    }
