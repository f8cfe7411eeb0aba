"""The bench's hand on the simulated line chip: an asyncio client of its control socket, and the chip as a process.

Answers for: one method for each thing a bench does to lines and lamps. What the requests mean stands at the head of
`hil.sim.chip`.

Rules:
* Levels here are electrical, as on the chip: which level means "chip on the spot" is the configuration's business.
* A refused request raises `ChipControlError` with the chip's own words.
* Requests of one client are answered in order; a client may be used from several tasks.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import signal
import sys
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

ANSWER_LIMIT_BYTES = 1 << 20
START_S = 20.0

Kind = TypeVar("Kind")


class ChipControlError(Exception):
    """The chip refused a request, or is gone."""


class LampReport(msgspec.Struct, frozen=True):
    """What the pixels show (red, green, blue), and how they were written."""

    pixels: list[tuple[int, int, int]]
    frames: int
    bad_frames: int
    last_error: str
    last_at_ns: int
    shortest_gap_ns: int | None
    longest_gap_ns: int | None
    changed_at_ns: list[int] = []
    """Of each pixel, the time of the frame that last changed it; 0 for one that no frame has."""


class _Answer(msgspec.Struct, frozen=True):
    ok: bool
    error: str = ""


class _Edge(msgspec.Struct, frozen=True):
    at_ns: int


class _Script(msgspec.Struct, frozen=True):
    at_ns: list[int]


class _LevelsAnswer(msgspec.Struct, frozen=True):
    at_ns: int
    high: list[bool]


class _Outputs(msgspec.Struct, frozen=True):
    high: dict[int, bool]


class ChipControl:
    """A connection to the control socket."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._turn = asyncio.Lock()

    @classmethod
    async def connect(cls, path: Path) -> ChipControl:
        try:
            return cls(*await asyncio.open_unix_connection(path, limit=ANSWER_LIMIT_BYTES))
        except OSError as error:
            raise ChipControlError(f"{path}: {error}. Is the simulated line chip running?") from error

    async def close(self) -> None:
        self._writer.close()
        with contextlib.suppress(ConnectionError):
            await self._writer.wait_closed()

    async def request(self, do: str, options: Mapping[str, object]) -> None:
        """Any request that the head of `hil.sim.chip` names."""
        await self._ask(_Answer, do=do, **options)

    async def set(self, line: int, high: bool) -> int:
        """Drive a line; the time of its edge."""
        return (await self._ask(_Edge, do="set", line=line, high=high)).at_ns

    async def pulse(self, line: int, high: bool, ms: float) -> int:
        """Drive a line and put it back after `ms`; the time of the first edge. Returns once it is back."""
        return (await self._ask(_Edge, do="pulse", line=line, high=high, ms=ms)).at_ns

    async def bounce(self, line: int, high: bool, times: int, gap_us: float) -> int:
        """A train of `times` false contacts that ends at `high`; the time of the first edge."""
        return (await self._ask(_Edge, do="bounce", line=line, high=high, times=times, gap_us=gap_us)).at_ns

    async def chatter(self, line: int, changes: int, gap_ms: float) -> None:
        await self._ask(_Answer, do="chatter", line=line, changes=changes, gap_ms=gap_ms)

    async def burst(self, ms: float, times: int = 1) -> int:
        """Invert all lines for `ms`, `times` over with as long between; the time of the first edge."""
        return (await self._ask(_Edge, do="burst", ms=ms, times=times)).at_ns

    async def stick(self, line: int, high: bool) -> None:
        await self._ask(_Answer, do="stick", line=line, high=high)

    async def unstick(self, line: int) -> None:
        await self._ask(_Answer, do="unstick", line=line)

    async def script(self, steps: Sequence[tuple[float, int, bool]]) -> list[int]:
        """(microseconds from the start, line, high), kept to as well as the machine allows; the true times."""
        return (await self._ask(_Script, do="script", steps=steps)).at_ns

    async def levels(self) -> list[bool]:
        return (await self._ask(_LevelsAnswer, do="levels")).high

    async def outputs(self) -> dict[int, bool]:
        return (await self._ask(_Outputs, do="outputs")).high

    async def lamps(self) -> LampReport:
        return await self._ask(LampReport, do="lamps")

    async def faults(self, **faults: float | bool) -> None:
        """Delivery faults by name (`hil.sim.chip_delivery.DeliveryFaults`); those not named are switched off."""
        await self._ask(_Answer, do="faults", **faults)

    async def dead_pixel(self, first: int | None) -> None:
        await self._ask(_Answer, do="dead_pixel", **{"from": first})

    async def supply(self, on: bool) -> None:
        """Of the pixels."""
        await self._ask(_Answer, do="supply", on=on)

    async def disconnect(self, ms: float) -> None:
        await self._ask(_Answer, do="disconnect", ms=ms)

    async def _ask(self, kind: type[Kind], **request: object) -> Kind:
        async with self._turn:
            try:
                self._writer.write(json.dumps(request).encode() + b"\n")
                await self._writer.drain()
                line = await self._reader.readline()
            except ConnectionError as error:
                raise ChipControlError(f"line chip control: {error}") from error
        if not line:
            raise ChipControlError("line chip control: the chip closed the connection")
        answer = msgspec.json.decode(line, type=_Answer)
        if not answer.ok:
            raise ChipControlError(f"line chip refused {request}: {answer.error}")
        return msgspec.json.decode(line, type=kind)


class SimulatedChip(Struct, frozen=True):
    """A running chip process: its socket for the daemon, and a control connection."""

    socket: Path
    control_path: Path
    control: ChipControl
    process: asyncio.subprocess.Process


@contextlib.asynccontextmanager
async def simulated_chip(
    folder: Path,
    lines: int,
    pixels: int,
    name: str = "chip",
    closed: Sequence[int] = (),
    jumpers: Sequence[tuple[int, int]] = (),
    returns: int | None = None,
    current: int | None = None,
) -> AsyncIterator[SimulatedChip]:
    """Start the chip as a process with its sockets in `folder`, and end it afterwards.

    `closed`: lines whose contact is closed at rest, hence low (a lock-out button, a key's rest contact). `jumpers`:
    (output, line) that are wired together. `returns`, `current`: lines on which the pixels are wired back.
    """
    socket, control_path = folder / f"{name}.socket", folder / f"{name}.control"
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "hil.sim.chip", "--socket", str(socket), "--control", str(control_path),
        "--lines", str(lines), "--pixels", str(pixels), "--closed", *map(str, closed),
        "--jumpers", *(f"{output}:{line}" for output, line in jumpers),
        *(("--returns", str(returns)) if returns is not None else ()),
        *(("--current", str(current)) if current is not None else ()), stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        assert process.stdout is not None
        async with asyncio.timeout(START_S):
            if await process.stdout.readline() != b"ready\n":
                raise ChipControlError(f"the simulated line chip ended with status {await process.wait()} at its start")
        control = await ChipControl.connect(control_path)
        try:
            yield SimulatedChip(socket, control_path, control, process)
        finally:
            await control.close()
    finally:
        if process.returncode is None:
            process.send_signal(signal.SIGTERM)
        await process.wait()
        if process.stdout is not None:
            await process.stdout.read()  # to its end, else the pipe outlives the loop
