"""Devices that die become events at once and start again; systemd hears only what went through the core."""

from __future__ import annotations

import asyncio
import os
import socket
import tempfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from drivers.events import LinkState
from drivers.ports import Emit
from firmware.app import clock, supervisor
from firmware.app.notify import FALLBACK_TICK_S, Notifier, send_ticks
from firmware.core.events import DeviceDown, Event, Tick
from tests.app.rig import rig
from tests.virtual_time import VirtualLoop, run_virtual


class Mortal:
    """A device whose task dies in turn by an exception, by returning, and not at all."""

    name = "shoe"
    identity = "sim+mortal"
    link = LinkState.READY
    counters: Mapping[str, int] = {}

    def __init__(self) -> None:
        self.starts: list[float] = []
        self.closed = False

    async def run(self, emit: Emit) -> None:
        loop = asyncio.get_running_loop()
        self.starts.append(loop.time())
        if len(self.starts) == 1:
            raise ZeroDivisionError("a bug")
        if len(self.starts) == 2:
            return
        try:
            await asyncio.sleep(3600)
        finally:
            self.closed = True


def test_a_device_that_dies_is_an_event_at_once_and_starts_again() -> None:
    async def play(loop: VirtualLoop) -> None:
        device, posted = Mortal(), []
        began = loop.time()
        keeping = asyncio.create_task(supervisor.Keeper([device], lambda event: None, posted.append).run())
        await asyncio.sleep(0.001)
        assert [type(event) for event in posted] == [DeviceDown], "before anything else is tried"
        await asyncio.sleep(2.5)
        assert [event.reason for event in posted] == ["ZeroDivisionError: a bug", "its task ended"]
        assert [round(at - began, 2) for at in device.starts] == [0.0, 1.0, 2.0]
        keeping.cancel()
        await asyncio.wait([keeping])
        assert device.closed

    run_virtual(play)


class Doomed(Mortal):
    """It dies of the same at each start, after some work."""

    async def run(self, emit: Emit) -> None:
        await asyncio.sleep(0.25)
        raise ZeroDivisionError("a bug")


def test_a_death_is_a_fault_within_a_second_each_time_and_a_day_of_them_is_no_flood(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def play(loop: VirtualLoop) -> None:
        posted: list[DeviceDown] = []
        keeping = asyncio.create_task(supervisor.Keeper([Doomed()], lambda event: None, posted.append).run())  # type: ignore[arg-type]
        await asyncio.sleep(1)
        assert [event.reason for event in posted] == ["ZeroDivisionError: a bug"]
        await asyncio.sleep(24 * 3600)
        assert len(posted) >= 24 * 3600 / 1.26
        keeping.cancel()
        await asyncio.wait([keeping])

    run_virtual(play)
    assert len(caplog.records) == 17, "at 1, 2, 4, ... 65,536 deaths"
    assert all(record.exc_info for record in caplog.records)


class Systemd:
    """The receiving end of $NOTIFY_SOCKET."""

    def __init__(self, folder: str) -> None:
        self.path = Path(folder) / "notify"
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(self.path))
        self._socket.setblocking(False)

    def heard(self) -> list[str]:
        out = []
        while True:
            try:
                out.append(self._socket.recv(4096).decode())
            except BlockingIOError:
                return out

    def close(self) -> None:
        self._socket.close()


def test_datagrams() -> None:
    with tempfile.TemporaryDirectory(prefix="ntf") as folder:
        systemd = Systemd(folder)
        notifier = Notifier({"NOTIFY_SOCKET": str(systemd.path), "WATCHDOG_USEC": "9000000"})
        assert notifier.tick_s == 3.0
        notifier.status("closed")
        notifier.status("closed")
        notifier.ready()
        notifier.tick_came_back(Tick(clock.monotonic_ns()))
        notifier.stopping()
        assert systemd.heard() == ["STATUS=closed", "READY=1", "WATCHDOG=1", "STOPPING=1"]
        systemd.close()
    Notifier({}).ready()  # without systemd: nothing, and no error


def test_a_tick_that_was_long_on_its_way_is_no_proof_of_life() -> None:
    """Every tick comes back, three seconds and more after it was sent: the table is as good as dead."""
    with tempfile.TemporaryDirectory(prefix="ntf") as folder:
        systemd = Systemd(folder)
        notifier = Notifier({"NOTIFY_SOCKET": str(systemd.path), "WATCHDOG_USEC": "9000000"})
        for age_s in (3.1, 9, 3600):
            notifier.tick_came_back(Tick(clock.monotonic_ns() - round(age_s * 1e9)))
        assert systemd.heard() == []
        notifier.tick_came_back(Tick(clock.monotonic_ns() - 1_000_000_000))
        assert systemd.heard() == ["WATCHDOG=1"]
        systemd.close()


def test_another_process_s_watchdog_is_not_ours_to_feed() -> None:
    own, other = str(os.getpid()), str(os.getppid())
    assert Notifier({"WATCHDOG_USEC": "9000000", "WATCHDOG_PID": own}).tick_s == 3.0
    assert Notifier({"WATCHDOG_USEC": "9000000", "WATCHDOG_PID": other}).tick_s == FALLBACK_TICK_S


def test_a_stalled_core_gets_no_feed(tmp_path: Path) -> None:
    """Ticks are sent, the engine does not run: the watchdog hears nothing. It runs again: it is fed."""

    async def play() -> None:
        with tempfile.TemporaryDirectory(prefix="ntf") as folder:
            systemd = Systemd(folder)
            notifier = Notifier({"NOTIFY_SOCKET": str(systemd.path)})
            async with rig(tmp_path) as table:
                sent: list[Event] = []

                def post(event: Event) -> None:
                    sent.append(event)
                    stalled.append(event) if holding else table.engine.post(event)

                holding, stalled = True, []
                sending = asyncio.create_task(send_ticks(post, 0.001))
                while len(sent) < 5:
                    await asyncio.sleep(0.001)
                assert systemd.heard() == []
                holding = False
                await table.until(lambda: bool(table.ticks))
                notifier.tick_came_back(table.ticks[0])
                assert systemd.heard() == ["WATCHDOG=1"]
                sending.cancel()
                await asyncio.wait([sending])
            systemd.close()

    asyncio.run(play())
