"""Telling simulators what to do: the client's side of `hil/sim/control.py`, for programs and for tests.

`SimClient` blocks, `AsyncSimClient` doesn't. `call` returns the fields of the reply and raises `SimError` with the
simulator's words if it refused.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from pathlib import Path


class SimError(Exception):
    """The simulator refused, or it is gone."""


class SimClient:
    """A connection to one simulator. `timeout_s`: for the connection and for each reply."""

    def __init__(self, path: Path, *, timeout_s: float = 10.0) -> None:
        self._path = path
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(timeout_s)
        try:
            self._socket.connect(str(path))
        except OSError as error:
            self._socket.close()
            raise SimError(f"no simulator at {path}: {error}") from error
        self._lines = self._socket.makefile("rb")

    def call(self, op: str, **arguments: object) -> dict[str, object]:
        """One request and its reply."""
        try:
            self._socket.sendall(_request(op, arguments))
            return _reply(self._path, op, self._lines.readline())
        except OSError as error:
            raise SimError(f"the simulator at {self._path} gave no answer to {op!r}: {error}") from error

    def close(self) -> None:
        self._lines.close()
        self._socket.close()

    def __enter__(self) -> SimClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class AsyncSimClient:
    """A connection to one simulator; use `AsyncSimClient.connect`. Calls are answered in order."""

    def __init__(self, path: Path, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._path = path
        self._reader = reader
        self._writer = writer
        self._turn = asyncio.Lock()

    @classmethod
    async def connect(cls, path: Path) -> AsyncSimClient:
        """`SimError` if nobody listens there."""
        try:
            return cls(path, *await asyncio.open_unix_connection(path, limit=1 << 20))
        except OSError as error:
            raise SimError(f"no simulator at {path}: {error}") from error

    async def call(self, op: str, **arguments: object) -> dict[str, object]:
        """One request and its reply."""
        async with self._turn:
            try:
                self._writer.write(_request(op, arguments))
                await self._writer.drain()
                return _reply(self._path, op, await self._reader.readline())
            except OSError as error:
                raise SimError(f"the simulator at {self._path} gave no answer to {op!r}: {error}") from error

    async def close(self) -> None:
        """Leave; also after the simulator has."""
        self._writer.close()
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()

    async def __aenter__(self) -> AsyncSimClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


def _request(op: str, arguments: dict[str, object]) -> bytes:
    return json.dumps({"op": op, **arguments}).encode() + b"\n"


def _reply(path: Path, op: str, line: bytes) -> dict[str, object]:
    if not line:
        raise SimError(f"the simulator at {path} ended before it answered {op!r}")
    reply = json.loads(line)
    if not reply.pop("ok"):
        raise SimError(f"{op}: {reply['error']}")
    return dict(reply)
