"""The control socket: answers, refusals, and clients who misbehave, on a real socket."""

from __future__ import annotations

import asyncio
import contextlib
import json
import stat
import tempfile
from collections.abc import AsyncIterator, Callable
from itertools import count
from pathlib import Path

from firmware.app import control
from firmware.app.lease_desk import LeaseAnswer, LeaseRequest
from firmware.core.order_data import Approval, Order
from firmware.core.service_data import LeaseEnd

LIMIT_S = 20.0


async def no_orders(order: Order, approval: Approval) -> object:
    raise AssertionError("nobody gave an order")


class NoLeases:
    """`control_lease.Lender` of a table where nobody asks for one."""

    async def lend(self, request: LeaseRequest) -> LeaseAnswer:
        raise AssertionError("nobody asked for a lease")

    def take_back(self, lease: int, how: LeaseEnd) -> None:
        raise AssertionError("there is no lease")


@contextlib.asynccontextmanager
async def server(status: Callable[[], object]) -> AsyncIterator[Path]:
    with tempfile.TemporaryDirectory(prefix="ctl") as folder:  # not tmp_path: a socket's path is short
        path = Path(folder) / "control.sock"
        path.write_text("left by a daemon that was killed")
        serving = asyncio.create_task(control.serve(path, status, no_orders, NoLeases()))
        async with asyncio.timeout(LIMIT_S):
            while not path.is_socket():
                await asyncio.sleep(0)
            yield path
        serving.cancel()
        _, left = await asyncio.wait(asyncio.all_tasks() - {asyncio.current_task()}, timeout=LIMIT_S)
        assert not left, "a client went, and the daemon still serves it"
        assert not path.exists()


async def ask(path: Path, *lines: bytes) -> list[dict[str, object]]:
    reader, writer = await asyncio.open_unix_connection(path)
    writer.write(b"".join(lines))
    answers = [json.loads(await reader.readline()) for _ in lines]
    writer.close()
    return answers


def test_status_and_refusals_in_order() -> None:
    async def play() -> None:
        async with server(lambda: {"round": 7}) as path:
            answers = await ask(
                path, b'{"op": "status"}\n', b"{\n", b'{"op": "open_table"}\n', b'{"op": "status", "force": true}\n'
            )
            assert answers[0] == {"round": 7}
            assert [list(answer) for answer in answers[1:]] == [["error"]] * 3
            assert "open_table" in str(answers[2]["error"])
            assert stat.S_IMODE(path.stat().st_mode) == 0o660

    asyncio.run(play())


def test_a_line_nested_too_deep_is_no_request() -> None:
    """It is answered like any malformed one; it had ended in a trace in the log and a client left hanging."""

    async def play() -> None:
        faults: list[object] = []
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: faults.append(context))
        nested = b"[" * 1_500 + b"]" * 1_500
        names = b',"first":"a","second":"b","reason":"r"}\n'
        async with server(lambda: {"round": 7}) as path:
            order = b'{"op":"order","kind":"transfer","order":' + nested + names
            answers = await ask(path, nested + b"\n", order, b'{"op":"status"}\n')
            assert [list(answer) for answer in answers] == [["error"], ["error"], ["round"]]
        assert faults == []

    asyncio.run(play())


def test_a_line_without_end_costs_that_client_only() -> None:
    async def play() -> None:
        async with server(lambda: {"round": 7}) as path:
            reader, writer = await asyncio.open_unix_connection(path)
            writer.write(b"x" * 100_000)
            with contextlib.suppress(ConnectionError):
                assert await reader.read() == b""
            writer.close()
            assert await ask(path, b'{"op": "status"}\n') == [{"round": 7}]

    asyncio.run(play())


def test_watch_tells_changes_only() -> None:
    async def play() -> None:
        told = iter([1, 1, 1, 2, 2, 3])
        async with server(lambda: {"round": next(told, 3)}) as path:
            reader, writer = await asyncio.open_unix_connection(path)
            writer.write(b'{"op": "watch"}\n')
            assert [json.loads(await reader.readline())["round"] for _ in range(3)] == [1, 2, 3]
            writer.close()

    asyncio.run(play())


def test_a_client_that_does_not_read_is_dropped() -> None:
    async def play() -> None:
        numbers = count()
        async with server(lambda: {"round": next(numbers), "much": "x" * 400_000}) as path:
            reader, writer = await asyncio.open_unix_connection(path, limit=1024)
            writer.write(b'{"op": "watch"}\n')
            async with asyncio.timeout(LIMIT_S):
                while next(numbers) < 40:  # so long has nobody read
                    await asyncio.sleep(control.WATCH_PERIOD_S)
            with contextlib.suppress(ConnectionError):
                while await reader.read(1 << 20):
                    pass  # what was on its way; then the end, instead of waiting for ever
            writer.close()
            assert len(await ask(path, b'{"op": "nothing"}\n')) == 1, "others are served"

    asyncio.run(play())
