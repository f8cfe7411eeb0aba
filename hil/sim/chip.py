"""The simulated line chip, a process of its own: `python -m hil.sim.chip --socket PATH --control PATH --lines N
--pixels N [--closed LINE ...]`.

Answers for: two local sockets. On the first it is the GPIO chip and the SPI bus for the daemon
(`drivers.codecs.simchip`); several connections are served (lines and lamps have one each). On the second, the control
socket, a bench moves lines, reads lamps and orders faults: one JSON object a line, each answered by one.

    {"do": "set", "line": 3, "high": false}            drive a line        -> {"ok": true, "at_ns": ...}
    {"do": "pulse", "line": 3, "high": false, "ms": 5} and back again after ms
    {"do": "bounce", "line": 3, "high": false, "times": 4, "gap_us": 500}  a train of contacts that ends at "high"
    {"do": "chatter", "line": 3, "changes": 40, "gap_ms": 10}
    {"do": "burst", "ms": 3, "times": 5}               all lines invert, and back after ms; again after ms
    {"do": "stick", "line": 3, "high": false}          and {"do": "unstick", "line": 3}
    {"do": "script", "steps": [[0, 3, false], ...]}    [microseconds from the start, line, high], kept to by spinning;
                                                       -> "at_ns" of every step
    {"do": "levels"} {"do": "outputs"} {"do": "lamps"}
    {"do": "faults", "delay_ms": 80, "reorder": true, ...}   see `DeliveryFaults`; all others return to none
    {"do": "dead_pixel", "from": 2}                    null: mended
    {"do": "supply", "on": false}                      of the pixels
    {"do": "disconnect", "ms": 500}                    drop every daemon connection, and refuse new ones for ms

Rules:
* Edges are stamped with this process's own reads of CLOCK_MONOTONIC; within a bounce, a burst (100 ms at most) or a
  script with the time at which they are due from its start, so that a busy machine can't stretch them.
* A request that can't be done is answered {"ok": false, "error": "..."}; the chip goes on.
* Sockets are made with mode 0600 and removed at the end. SIGTERM and SIGINT end it.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import signal
import time
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

from drivers.codecs.simchip import (
    ClaimInputs,
    ClaimOutput,
    Edge,
    Hello,
    Levels,
    ReadLevels,
    Refused,
    SetOutput,
    SimChipDecoder,
    SimChipError,
    SimChipFrame,
    SpiWrite,
    encode,
)
from hil.sim.chip_delivery import Delivery, DeliveryFaults
from hil.sim.chip_model import LineChip, LineMoved, NoSuchLineError, PixelString
from hil.sim.chip_request import BadRequestError, ChipRequest
from hil.sim.lamp_wires import LampWires

Answer = dict[str, object]
MAX_REQUEST_BYTES = 1 << 20
WAVEFORM_LIMIT_US = 100_000


class ChipServer:
    """The chip behind its two sockets."""

    def __init__(
        self,
        lines: int,
        pixels: int,
        closed: Sequence[int] = (),
        jumpers: Sequence[tuple[int, int]] = (),
        returns: int | None = None,
        current: int | None = None,
    ) -> None:
        """`returns`, `current`: lines on which the pixels are wired back, see `lamp_wires.py`."""
        self._withheld: list[LineMoved] | None = None
        self._chip = LineChip(lines, time.monotonic_ns, self._moved)
        self._pixels = PixelString(pixels)
        self._daemons: set[_Daemon] = set()
        self._wires = LampWires(self._chip, self._pixels, returns, current)
        self._faults = DeliveryFaults()
        self._away_until_s = 0.0
        for line in closed:
            self._chip.set(line, False)
        for output, line in jumpers:
            self._chip.jumper(output, line)
        self._commands: dict[str, Callable[[ChipRequest], Awaitable[Answer]]] = {
            "set": self._set,
            "pulse": self._pulse,
            "bounce": self._bounce,
            "chatter": self._chatter,
            "burst": self._burst,
            "stick": self._stick,
            "unstick": self._unstick,
            "script": self._script,
            "levels": self._levels,
            "outputs": self._outputs,
            "lamps": self._lamps,
            "faults": self._set_faults,
            "dead_pixel": self._dead_pixel,
            "supply": self._supply,
            "disconnect": self._disconnect,
        }

    async def serve(self, socket: Path, control: Path, ready: Callable[[], None]) -> None:
        """Serve until cancelled."""
        for path in (socket, control):
            path.unlink(missing_ok=True)
        old_mask = os.umask(0o177)
        try:
            daemons = await asyncio.start_unix_server(self._serve_daemon, socket)
            controls = await asyncio.start_unix_server(self._serve_control, control, limit=MAX_REQUEST_BYTES)
        finally:
            os.umask(old_mask)
        try:
            ready()
            await asyncio.Event().wait()
        finally:
            daemons.close()
            controls.close()
            for path in (socket, control):
                path.unlink(missing_ok=True)

    # -- the daemon's socket ------------------------------------------------------------------------------------

    async def _serve_daemon(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        daemon = _Daemon(writer, self._faults)
        if asyncio.get_running_loop().time() < self._away_until_s:
            writer.transport.abort()
            return
        self._daemons.add(daemon)
        daemon.send(Hello(self._chip.size, self._pixels.size))
        decoder = SimChipDecoder()
        try:
            while data := await reader.read(65536):
                for frame in decoder.feed(data):
                    self._take(daemon, frame)
        except (SimChipError, NoSuchLineError) as error:
            daemon.send(Refused(str(error)))
        except (ConnectionError, asyncio.CancelledError):
            pass  # it went away, or the chip ends; a cancelled handler would be printed by Python 3.11's streams
        finally:
            self._daemons.discard(daemon)
            daemon.delivery.close()
            writer.close()

    def _take(self, daemon: _Daemon, frame: SimChipFrame) -> None:
        match frame:
            case Hello():
                pass  # the decoder has checked its version
            case ClaimInputs():
                for line, _pull in frame.lines:
                    self._chip.check(line)
                    daemon.claimed.add(line)
            case ClaimOutput() | SetOutput():
                self._chip.drive_output(frame.line, frame.high)
            case ReadLevels():
                at_ns, high = self._chip.levels()
                daemon.send(Levels(frame.request, at_ns, high))
            case SpiWrite():
                self._pixels.write(frame.mosi, time.monotonic_ns())
                self._wires.written()
            case Edge() | Levels() | Refused():
                raise SimChipError(f"{type(frame).__name__} is sent by the chip, not by the daemon")

    def _moved(self, moved: LineMoved) -> None:
        if self._withheld is not None:
            self._withheld.append(moved)
            return
        for daemon in self._daemons:
            if moved.line in daemon.claimed:
                daemon.delivery.edge(moved.line, moved.high, moved.at_ns)

    # -- the control socket -------------------------------------------------------------------------------------

    async def _serve_control(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError, asyncio.CancelledError):
            while line := await reader.readline():
                answer = await self._control(line)
                writer.write(json.dumps(answer).encode() + b"\n")
                await writer.drain()
        writer.close()

    async def _control(self, line: bytes) -> Answer:
        try:
            request = ChipRequest(line)
            command = self._commands.get(request.text("do"))
            if command is None:
                raise BadRequestError(f'"do" is {request.text("do")!r}; expected one of {", ".join(self._commands)}')
            return {"ok": True, **await command(request)}
        except (BadRequestError, NoSuchLineError, ValueError) as error:
            return {"ok": False, "error": str(error)}

    async def _set(self, request: ChipRequest) -> Answer:
        return {"at_ns": self._chip.set(request.whole("line"), request.flag("high"))}

    async def _pulse(self, request: ChipRequest) -> Answer:
        line, high = request.whole("line"), request.flag("high")
        at_ns = self._chip.set(line, high)
        await asyncio.sleep(request.number("ms") / 1000)
        return {"at_ns": at_ns, "back_ns": self._chip.set(line, not high)}

    async def _bounce(self, request: ChipRequest) -> Answer:
        line, high, gap_us = request.whole("line"), request.flag("high"), request.number("gap_us")
        contacts = [(n * gap_us, line, high == (n % 2 == 0)) for n in range(2 * request.whole("times") + 1)]
        times = self._waveform(contacts)
        return {"at_ns": times[0], "settled_ns": times[-1]}

    async def _chatter(self, request: ChipRequest) -> Answer:
        line, gap_s = request.whole("line"), request.number("gap_ms") / 1000
        _, levels = self._chip.levels()
        self._chip.check(line)
        high = levels[line]
        for _ in range(request.whole("changes")):
            high = not high
            self._chip.set(line, high)
            await asyncio.sleep(gap_s)
        return {"high": high}

    async def _burst(self, request: ChipRequest) -> Answer:
        _, before = self._chip.levels()
        half_us, halves = request.number("ms") * 1000, 2 * request.whole("times")
        changes = [(n * half_us, line, high == bool(n % 2)) for n in range(halves) for line, high in enumerate(before)]
        return {"at_ns": self._waveform(changes)[0]}

    def _waveform(self, steps: Sequence[tuple[float, int, bool]]) -> list[int]:
        """Microseconds from the start, line, high. Exact by the chip's clock and handed over when it is over, as from a
        buffer: a busy machine can't stretch it. Nothing else comes between; so it has to be short."""
        if steps[-1][0] > WAVEFORM_LIMIT_US:
            raise BadRequestError(f"it takes {steps[-1][0] / 1000:g} ms; expected at most {WAVEFORM_LIMIT_US // 1000}")
        start_ns = time.monotonic_ns()
        self._withheld = []
        try:
            times = [self._chip.set(line, high, start_ns + int(at_us * 1000)) for at_us, line, high in steps]
            _spin_until(times[-1])
        finally:
            moves, self._withheld = self._withheld, None
            for moved in moves:
                self._moved(moved)
        return times

    async def _stick(self, request: ChipRequest) -> Answer:
        return {"at_ns": self._chip.stick(request.whole("line"), request.flag("high"))}

    async def _unstick(self, request: ChipRequest) -> Answer:
        return {"at_ns": self._chip.unstick(request.whole("line"))}

    async def _script(self, request: ChipRequest) -> Answer:
        steps = request.steps("steps")
        start_ns = time.monotonic_ns()
        times = []
        for offset_us, line, high in steps:
            due_ns = start_ns + int(offset_us * 1000)
            _spin_until(due_ns)
            times.append(self._chip.set(line, high, due_ns))
        return {"at_ns": times}

    async def _levels(self, request: ChipRequest) -> Answer:
        at_ns, high = self._chip.levels()
        return {"at_ns": at_ns, "high": high}

    async def _outputs(self, request: ChipRequest) -> Answer:
        return {"high": {str(line): high for line, high in self._chip.outputs.items()}}

    async def _lamps(self, request: ChipRequest) -> Answer:
        pixels = self._pixels
        return {
            "pixels": pixels.colours,
            "frames": pixels.frames,
            "bad_frames": pixels.bad_frames,
            "last_error": pixels.last_error,
            "last_at_ns": pixels.last_at_ns,
            "changed_at_ns": pixels.changed_at_ns,
            "shortest_gap_ns": pixels.shortest_gap_ns,
            "longest_gap_ns": pixels.longest_gap_ns,
        }

    async def _set_faults(self, request: ChipRequest) -> Answer:
        self._faults = request.faults()
        for daemon in self._daemons:
            daemon.delivery.use(self._faults)
        return {}

    async def _dead_pixel(self, request: ChipRequest) -> Answer:
        self._pixels.dead_from = None if request.is_null("from") else request.whole("from")
        return {}

    async def _supply(self, request: ChipRequest) -> Answer:
        self._wires.supply(request.flag("on"))
        return {}

    async def _disconnect(self, request: ChipRequest) -> Answer:
        self._away_until_s = asyncio.get_running_loop().time() + request.number("ms") / 1000
        for daemon in self._daemons:
            daemon.abort()
        return {"dropped": len(self._daemons)}


class _Daemon:
    """One connection on the daemon's socket."""

    def __init__(self, writer: asyncio.StreamWriter, faults: DeliveryFaults) -> None:
        self._writer = writer
        self.claimed: set[int] = set()
        self.delivery = Delivery(self.send)
        self.delivery.use(faults)

    def send(self, frame: SimChipFrame) -> None:
        if not self._writer.is_closing():
            self._writer.write(encode(frame))

    def abort(self) -> None:
        self.delivery.close()
        self._writer.transport.abort()


def _spin_until(at_ns: int) -> None:
    """Wait without giving up the processor: a bench asks for tenths of a millisecond."""
    while time.monotonic_ns() < at_ns:
        pass


def _jumper(text: str) -> tuple[int, int]:
    output, _, line = text.partition(":")
    if not (output.isdecimal() and line.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text!r}; expected OUTPUT:LINE")
    return int(output), int(line)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m hil.sim.chip", description="simulated line chip and lamp string")
    parser.add_argument("--socket", type=Path, required=True, help="the daemon's socket")
    parser.add_argument("--control", type=Path, required=True, help="the bench's socket")
    parser.add_argument("--lines", type=int, default=64)
    parser.add_argument("--pixels", type=int, default=9)
    parser.add_argument(
        "--closed", type=int, nargs="*", default=[], metavar="LINE", help="lines whose contact is closed at rest (low)"
    )
    parser.add_argument(
        "--jumpers", type=_jumper, nargs="*", default=[], metavar="OUTPUT:LINE", help="outputs wired to lines"
    )
    parser.add_argument("--returns", type=int, metavar="LINE", help="the last pixel's data output, through a one-shot")
    parser.add_argument("--current", type=int, metavar="LINE", help="the comparator on the pixels' supply")
    options = parser.parse_args()
    try:
        server = ChipServer(
            options.lines, options.pixels, options.closed, options.jumpers, options.returns, options.current
        )
    except NoSuchLineError as error:
        parser.error(f"--closed, --jumpers, --returns, --current: {error}")
    asyncio.run(_run(server, options.socket, options.control))


async def _run(server: ChipServer, socket: Path, control: Path) -> None:
    task = asyncio.ensure_future(server.serve(socket, control, lambda: print("ready", flush=True)))
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, task.cancel)
    with contextlib.suppress(asyncio.CancelledError):
        await task


if __name__ == "__main__":
    main()
