"""A serial port that follows a script, for tests on virtual time: no thread, no file, strict about its use."""

from __future__ import annotations

from collections.abc import Callable

from drivers.links.port import OnBytes, OnLost, OpenPort, PortAbsent, PortError, PortSettings
from drivers.ports import NowNs


class ScriptedPort:
    """One opening of the port. `takes` False: writes fail as on a device that takes no data."""

    def __init__(self, now_ns: NowNs) -> None:
        self._now_ns = now_ns
        self._on_bytes: OnBytes | None = None
        self._on_lost: OnLost | None = None
        self.closed = False
        self.closes = True  # False: close() reports that it hangs
        self.write_error: PortError | None = None
        self.on_write: Callable[[bytes], None] = lambda data: None
        self.writes: list[tuple[int, bytes]] = []

    def start(self, on_bytes: OnBytes, on_lost: OnLost) -> None:
        assert self._on_bytes is None, "started twice"
        self._on_bytes, self._on_lost = on_bytes, on_lost

    async def write(self, data: bytes) -> None:
        assert not self.closed, "written to after close"
        if self.write_error is not None:
            raise self.write_error
        self.writes.append((self._now_ns(), data))
        self.on_write(data)

    async def close(self) -> bool:
        assert not self.closed, "closed twice"
        self.closed = True
        return self.closes

    def send(self, data: bytes) -> None:
        """The device sends."""
        assert self._on_bytes is not None and not self.closed
        self._on_bytes(data, self._now_ns())

    def lose(self, error: Exception) -> None:
        """The plug is pulled."""
        assert self._on_lost is not None and not self.closed
        self._on_lost(error)


class ScriptedOpener:
    """Opens `ScriptedPort`s while `error` is None. Every attempt's time is in `attempts_ns`."""

    def __init__(self) -> None:
        self.error: Exception | None = None
        self.attempts_ns: list[int] = []
        self.ports: list[ScriptedPort] = []
        self.prepare: Callable[[ScriptedPort], None] = lambda port: None

    async def __call__(self, settings: PortSettings, now_ns: NowNs) -> OpenPort:
        self.attempts_ns.append(now_ns())
        if self.error is not None:
            raise self.error.with_traceback(None)  # else one exception raised for a day keeps every raise
        assert not any(not port.closed for port in self.ports), "a second port opened beside the first"
        port = ScriptedPort(now_ns)
        self.prepare(port)
        self.ports.append(port)
        return port


def absent() -> PortAbsent:
    return PortAbsent("scripted://port is not there; is the device plugged in and switched on?")
