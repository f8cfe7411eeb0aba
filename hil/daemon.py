"""The running daemon as `hil` sees it: a client of its local control socket."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from pathlib import Path

import msgspec

from firmware.app.status import TableStatus

ANSWER_LIMIT_BYTES = 4 << 20
ANSWER_LIMIT_S = 10.0
CONTROL_NAME = "control.sock"
USUAL_SOCKET = Path("/run/tabled") / CONTROL_NAME
"""Where an installed table offers it."""


class NoDaemon(Exception):
    """Nobody answers at the socket; the message says what to look at."""


@contextlib.asynccontextmanager
async def connected(path: Path) -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    """A connection to the daemon. Raises `NoDaemon`."""
    try:
        reader, writer = await asyncio.open_unix_connection(path, limit=ANSWER_LIMIT_BYTES)
    except PermissionError:
        raise NoDaemon(
            f"{path}: no permission; only the daemon's user and group may attach: sudo -u tabled hil"
        ) from None
    except OSError as error:
        raise NoDaemon(
            f"no daemon answers at {path} ({error.strerror or error}). Is it running (systemctl status tabled)? Name "
            "its socket with --socket, or its run directory with --run-dir"
        ) from None
    try:
        yield reader, writer
    finally:
        writer.close()
        with contextlib.suppress(ConnectionError):
            await writer.wait_closed()


@contextlib.asynccontextmanager
async def _asked(path: Path, operation: str) -> AsyncIterator[asyncio.StreamReader]:
    """A connection on which one operation was asked for."""
    async with connected(path) as (reader, writer):
        writer.write(msgspec.json.encode({"op": operation}) + b"\n")
        yield reader


async def status_line(path: Path) -> bytes:
    """The status as the daemon wrote it, one line of JSON. Raises `NoDaemon`."""
    async with _asked(path, "status") as reader:
        try:
            async with asyncio.timeout(ANSWER_LIMIT_S):
                line = await reader.readline()
        except TimeoutError:
            raise NoDaemon(f"the daemon at {path} does not answer within {ANSWER_LIMIT_S:.0f} s") from None
        if not line:
            raise NoDaemon(f"the daemon at {path} closed the connection")
        return line.rstrip(b"\n")


async def watch_lines(path: Path) -> AsyncIterator[bytes]:
    """The status anew at every change, until the daemon ends. Raises `NoDaemon` if there is none."""
    async with _asked(path, "watch") as reader:
        while line := await reader.readline():
            yield line.rstrip(b"\n")


def decode(line: bytes) -> TableStatus:
    """Raises `NoDaemon` for a line of another version's daemon."""
    try:
        return msgspec.json.decode(line, type=TableStatus)
    except msgspec.ValidationError as error:
        raise NoDaemon(f"the daemon speaks otherwise than this hil ({error}); use the hil of its own version") from None
