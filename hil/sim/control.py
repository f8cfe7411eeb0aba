"""How a simulator is told what to do: JSON lines over a local Unix socket. The client's side: `hil/simclient.py`.

One request a line, `{"op": "deal", "target": "player", "index": 1}`; one reply a line, in order:
`{"ok": true, ...}` or `{"ok": false, "error": "what, got, expected"}`.

Rules:
* Every key of a request is used or refused.
* A request that can't be carried out changes nothing and says why; the connection goes on.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import stat
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path

LINE_LIMIT = 1 << 20
SOCKET_PATH_LIMIT = 107  # bytes of sockaddr_un.sun_path on Linux, less the final NUL

Reply = Mapping[str, object]


class ControlError(Exception):
    """A request that can't be carried out."""


class Arguments:
    """The keys of one request. Each is asked for by name and type; `end` refuses what nobody asked for."""

    def __init__(self, request: Mapping[str, object]) -> None:
        self._left = dict(request)

    def text(self, key: str, default: str | None = None) -> str:
        value = self._take(key, default)
        if not isinstance(value, str):
            raise ControlError(f"{key} must be a text, got {value!r}")
        return value

    def optional_text(self, key: str) -> str | None:
        return self.text(key) if key in self._left else None

    def integer(self, key: str, default: int | None = None, *, least: int = 0, most: int = 1 << 53) -> int:
        value = self._take(key, default)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise ControlError(f"{key} must be a whole number {least}..{most}, got {value!r}")
        return value

    def flag(self, key: str, default: bool | None = None) -> bool:
        value = self._take(key, default)
        if not isinstance(value, bool):
            raise ControlError(f"{key} must be true or false, got {value!r}")
        return value

    def texts(self, key: str) -> list[str]:
        value = self._take(key, None)
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise ControlError(f"{key} must be a list of texts, got {value!r}")
        return value

    def integers(self, key: str, default: list[int]) -> list[int]:
        value = self._take(key, default)
        if not isinstance(value, list) or not all(isinstance(each, int) for each in value):
            raise ControlError(f"{key} must be a list of whole numbers, got {value!r}")
        return value

    def octets(self, key: str) -> bytes:
        value = self.text(key)
        try:
            return bytes.fromhex(value)
        except ValueError:
            raise ControlError(f"{key} must be hex bytes, got {value!r}") from None

    def end(self) -> None:
        """No further keys are expected."""
        if self._left:
            raise ControlError(f"unknown key {', '.join(sorted(self._left))}")

    def _take(self, key: str, default: object) -> object:
        if key in self._left:
            return self._left.pop(key)
        if default is None:
            raise ControlError(f"{key} is missing")
        return default


Handler = Callable[[Arguments], Awaitable[Reply]]


class ControlServer:
    """Serves `handlers`, by the name of their op, on the socket `path`."""

    def __init__(self, path: Path, handlers: Mapping[str, Handler]) -> None:
        if len(str(path).encode()) > SOCKET_PATH_LIMIT:
            raise ControlError(f"a socket's path has at most {SOCKET_PATH_LIMIT} bytes, got {path}; use a shorter one")
        self._path = path
        self._handlers = handlers

    def claim(self) -> None:
        """Take the socket's path. `ControlError` if a simulator answers there or it is something else."""
        with contextlib.suppress(FileNotFoundError, ConnectionRefusedError), socket.socket(socket.AF_UNIX) as other:
            if not stat.S_ISSOCK(self._path.lstat().st_mode):
                raise ControlError(f"{self._path} exists and is no socket; remove it or name another one")
            other.connect(str(self._path))
            raise ControlError(f"a simulator runs already with the control socket {self._path}; end it first")
        self._path.unlink(missing_ok=True)  # left by a simulator that was killed

    async def serve(self, ready: Callable[[], None]) -> None:
        """Until cancelled, after `claim`. `ready` is called when clients may connect. OSError if there is no socket."""
        server = await asyncio.start_unix_server(self._client, self._path, limit=LINE_LIMIT)
        try:
            ready()
            await asyncio.get_running_loop().create_future()
        finally:
            server.close()  # not serve_forever(): since Python 3.12 its end waits for every client to leave
            self._path.unlink(missing_ok=True)

    async def _client(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                reply = await self.answer(line)
                writer.write(json.dumps(reply).encode() + b"\n")
                await writer.drain()
        except (ConnectionError, ValueError):
            pass  # the client went away, or sent a line beyond LINE_LIMIT: its connection ends
        except asyncio.CancelledError:
            pass  # the simulator ends; Python 3.11 would print a traceback for a connection's cancelled task
        finally:
            writer.close()

    async def answer(self, line: bytes) -> Reply:
        """The reply to one request line."""
        try:
            request = json.loads(line)
            if not isinstance(request, dict):
                raise ControlError(f"a request is a JSON object, got {request!r}")
            arguments = Arguments(request)
            op = arguments.text("op")
            handler = self._handlers.get(op)
            if handler is None:
                raise ControlError(f"unknown op {op!r}; known: {', '.join(sorted(self._handlers))}")
            return {"ok": True, **await handler(arguments)}
        except ValueError as error:
            return {"ok": False, "error": f"not JSON: {error}"}
        except ControlError as error:
            return {"ok": False, "error": str(error)}
