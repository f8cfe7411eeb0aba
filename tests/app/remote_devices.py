"""Devices whose hardware stands in another process: the daemon's side of `tests.app.remote_bench`.

One connection carries device events in and what is shown out. A batch of events is answered by `DONE` when the engine
has made it durable and shown it. The daemon around them is the real one: only `registry.build` is exchanged.
"""

from __future__ import annotations

import asyncio
import io
import os
import pickle
from collections.abc import Mapping, Sequence
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, ClassVar

from drivers.events import DeviceEvent, LinkState
from drivers.ports import BoardContent, Emit, Pixel, Timestamps
from firmware.app import main, registry
from firmware.app.engine import Engine
from firmware.app.outputs import LampString
from firmware.app.registry import Devices
from firmware.settings.model import Settings
from tests.app.killed_daemon import KillPlan, arm
from tests.app.recorded_daemon import RecordPlan, record

HELLO, DONE, DISPLAY, BOARD, LAMPS, SETTLE = "hello", "done", "display", "board", "lamps", "settle"


class _Known(pickle.Unpickler):
    """Finds a class by a name that it keeps: the interpreter's cache of attributes would keep a new text each time, and
    the memory that is measured here would be the bench's."""

    _classes: ClassVar[dict[tuple[str, str], Any]] = {}

    def find_class(self, module_name: str, global_name: str) -> Any:
        key = (module_name, global_name)
        if key not in self._classes:
            self._classes[key] = super().find_class(module_name, global_name)
        return self._classes[key]


class _Remote:
    """What all of them are: always there, without a life of their own."""

    def __init__(self, name: str, connection: Connection) -> None:
        self.name = name
        self.identity = f"sim+remote {name}"
        self.link = LinkState.READY
        self.counters: Mapping[str, int] = {}
        self.connection = connection

    async def run(self, emit: Emit) -> None:
        await asyncio.get_running_loop().create_future()


class RemoteLines(_Remote):
    """The lines; also the one that reads the connection for all."""

    timestamps = Timestamps.KERNEL
    engine: Engine | None = None

    def settle(self, at_ns: int) -> None:
        self.connection.send((SETTLE, at_ns))

    def unsettle(self) -> None:
        self.connection.send((SETTLE, None))

    async def run(self, emit: Emit) -> None:
        loop = asyncio.get_running_loop()
        batches: asyncio.Queue[Sequence[DeviceEvent]] = asyncio.Queue()

        def readable() -> None:
            try:
                batches.put_nowait(_Known(io.BytesIO(self.connection.recv_bytes())).load())
            except EOFError:
                os._exit(3)  # the bench is gone

        loop.add_reader(self.connection.fileno(), readable)
        self.connection.send((HELLO, None))
        while True:
            for event in await batches.get():
                emit(event)
            assert self.engine is not None
            await self.engine.drained()
            self.connection.send((DONE, None))


class RemoteDisplay(_Remote):
    def show(self, lines: Sequence[str]) -> None:
        self.connection.send((DISPLAY, tuple(lines)))


class RemoteBoard(_Remote):
    def show(self, content: BoardContent) -> None:
        self.connection.send((BOARD, content))


class RemoteLamps(_Remote):
    def __init__(self, name: str, connection: Connection, size: int) -> None:
        super().__init__(name, connection)
        self.size = size

    def show(self, frame: Sequence[Pixel]) -> None:
        if len(frame) != self.size:
            raise ValueError(f"a frame of {len(frame)} pixels, expected {self.size}")


Plan = KillPlan | RecordPlan | None
"""What a daemon's life is for: to be killed, to be written down, or just to be lived."""


def serve(connection: Connection, config: Path, folder: Path, plan: Plan, all_drivers: bool) -> None:
    """One life of the daemon, in this process."""
    log = os.open(folder / "daemon.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(log, 2)
    lines = RemoteLines("lines", connection)
    real_engine, real_build = Engine, registry.build

    def engine(*args: Any, **options: Any) -> Engine:
        lines.engine = real_engine(*args, **options)
        return lines.engine

    def build(settings: Settings, run_dir: Path) -> Devices:
        if all_drivers:
            real_build(settings, run_dir)
        pixels = registry.lamps._pixels(settings)
        return Devices(
            lines=[lines],
            lamps=[LampString(RemoteLamps("lamps", connection, max(pixels.values()) + 1), pixels)],
            boards=[RemoteBoard("board", connection)],
            displays=[RemoteDisplay("display", connection)],
            readers=[_Remote("shoe", connection)],
        )

    main.Engine = engine  # type: ignore[attr-defined]
    registry.build = build
    match plan:
        case KillPlan():
            arm(folder, plan)
        case RecordPlan():
            record(folder, plan)
    os._exit(main.run(config, folder, create_journal=True))
