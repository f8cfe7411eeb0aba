"""The local socket over which `hil` attaches: read-only, one JSON request a line, one JSON answer a line.

{"op": "status"}  one answer: identity, state, devices, journal, meters
{"op": "watch"}   the same again whenever something changed, at most 20 times a second, until the client goes

Rules:
* Nothing here changes the table. Money is integers (`_cents`, `_micro`), times are monotonic nanoseconds.
* A client that does not read is dropped; the daemon never waits for one.
* Only the daemon's user and group may connect (mode 0660).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from pathlib import Path

import msgspec

log = logging.getLogger(__name__)

WATCH_PERIOD_S = 0.05
MOST_WAITING_BYTES = 1 << 20


class Request(msgspec.Struct, forbid_unknown_fields=True):
    op: str


async def serve(path: Path, status: Callable[[], object]) -> None:
    """Serve for ever. A stale socket file is replaced: the journal's lock has kept out a second daemon."""
    path.unlink(missing_ok=True)
    server = await asyncio.start_unix_server(lambda r, w: _client(r, w, status), path, limit=4096)
    path.chmod(0o660)
    try:
        async with server:
            await server.serve_forever()
    finally:
        path.unlink(missing_ok=True)


async def _client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, status: Callable[[], object]) -> None:
    with contextlib.suppress(ConnectionError, asyncio.LimitOverrunError, ValueError):  # the client went or misbehaved
        while line := await reader.readline():
            try:
                request = msgspec.json.decode(line, type=Request)
            except msgspec.MsgspecError as error:
                _answer(writer, {"error": f'no request ({error}); send {{"op": "status"}} or {{"op": "watch"}}'})
                continue
            if request.op == "status":
                _answer(writer, status())
            elif request.op == "watch":
                await _watch(reader, writer, status)
            else:
                _answer(writer, {"error": f"no operation {request.op!r}; there are status and watch"})
            await writer.drain()
    writer.close()


async def _watch(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, status: Callable[[], object]) -> None:
    last = b""
    while not (writer.is_closing() or reader.at_eof()):  # where nothing changes, only the end tells that it went
        text = msgspec.json.encode(status())
        if text != last:
            last = text
            writer.write(text + b"\n")
        if writer.transport.get_write_buffer_size() > MOST_WAITING_BYTES:
            log.warning("a client of the control socket does not read; dropped")
            writer.transport.abort()  # closing would wait for it to read what is on its way
            return
        await asyncio.sleep(WATCH_PERIOD_S)


def _answer(writer: asyncio.StreamWriter, answer: object) -> None:
    writer.write(msgspec.json.encode(answer) + b"\n")
