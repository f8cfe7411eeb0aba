"""The local socket over which `hil` attaches: one JSON request a line, one JSON answer a line.

{"op": "status"}  one answer: identity, state, devices, journal, meters
{"op": "watch"}   the same again whenever something changed, at most 20 times a second, until the client goes
{"op": "order", "kind": "correct-meter", "order": {...}, "first": "A", "second": "B", "reason": "R"}
                  one answer, after its commit: entry (its number), taken, why; fields and kinds: core/order_data.py
{"op": "lease", ...}  a technician takes devices for the life of the connection: control_lease.py

Rules:
* Status and watch never change the table; an order goes through the queue like any event. Money is integers (`_cents`,
  `_micro`), times are monotonic nanoseconds.
* A client that does not read is dropped; the daemon never waits for one.
* Only the daemon's user and group may connect (mode 0660).
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import assert_never

import msgspec

from firmware.app.control_lease import Lender, serve_lease
from firmware.app.lease_desk import LeaseRequest
from firmware.core.order_data import ORDERS, Approval, Order

log = logging.getLogger(__name__)

WATCH_PERIOD_S = 0.05
MOST_WAITING_BYTES = 1 << 20


class StatusRequest(msgspec.Struct, tag_field="op", tag="status", forbid_unknown_fields=True):
    pass


class WatchRequest(msgspec.Struct, tag_field="op", tag="watch", forbid_unknown_fields=True):
    pass


class OrderRequest(msgspec.Struct, tag_field="op", tag="order", forbid_unknown_fields=True):
    """`order` holds the fields of the class that `kind` names."""

    kind: str
    order: msgspec.Raw
    first: str
    second: str
    reason: str


Request = StatusRequest | WatchRequest | OrderRequest | LeaseRequest
GiveOrder = Callable[[Order, Approval], Awaitable[object]]


async def serve(path: Path, status: Callable[[], object], give_order: GiveOrder, lender: Lender) -> None:
    """Serve for ever. A stale socket file is replaced: the journal's lock has kept out a second daemon."""
    path.unlink(missing_ok=True)
    clients: set[asyncio.Task[None]] = set()

    async def client(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None, "a client is served by a task"
        clients.add(task)
        try:
            await _client(reader, writer, status, give_order, lender)
        except asyncio.CancelledError:
            pass  # it ends here: the streams of Python 3.11 would report a cancelled client as an error
        finally:
            clients.remove(task)

    server = await asyncio.start_unix_server(client, path, limit=4096)
    path.chmod(0o660)
    try:
        await asyncio.get_running_loop().create_future()
    finally:
        server.close()
        for task in tuple(clients):  # else a daemon that ends would wait for whoever stays attached
            task.cancel()
        path.unlink(missing_ok=True)


async def _client(
    reader: asyncio.StreamReader,
    writer: asyncio.StreamWriter,
    status: Callable[[], object],
    give_order: GiveOrder,
    lender: Lender,
) -> None:
    try:
        with contextlib.suppress(ConnectionError):  # the client went
            while line := await _line(reader):
                try:
                    request = msgspec.json.decode(line, type=Request)
                    if isinstance(request, OrderRequest):
                        order, approval = _order(request)
                except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
                    _answer(writer, {"error": f"no request ({error}); there are status, watch, order and lease"})
                    continue
                match request:
                    case StatusRequest():
                        _answer(writer, status())
                    case WatchRequest():
                        await _watch(reader, writer, status)
                    case OrderRequest():
                        _answer(writer, await give_order(order, approval))
                    case LeaseRequest():
                        if await serve_lease(request, lender, reader, partial(_answer, writer)):
                            return
                    case _:
                        assert_never(request)
                await writer.drain()
    finally:
        writer.close()


async def _line(reader: asyncio.StreamReader) -> bytes:
    """The next line; nothing at the end, and where a client sends one that is longer than the server's limit."""
    try:
        return await reader.readline()
    except ValueError:
        return b""


def _order(request: OrderRequest) -> tuple[Order, Approval]:
    """Raises ValidationError for what is no order: nothing of it reaches the table."""
    kind = ORDERS.get(request.kind)
    if kind is None:
        raise msgspec.ValidationError(f"no order {request.kind!r:.60}; there is {', '.join(ORDERS)}")
    names = {"first": request.first, "second": request.second, "reason": request.reason}
    return msgspec.json.decode(request.order, type=kind), msgspec.convert(names, Approval)


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
