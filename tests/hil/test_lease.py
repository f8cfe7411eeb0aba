"""Leases at a real daemon on the simulated bench: given, refused, returned, lost by kill -9, timed out."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path

import pytest

from drivers.events import DeviceEvent, LinkChanged
from firmware.app import program
from firmware.app.status import TableStatus
from firmware.core.service_data import LeaseEnd, LeaseOver
from firmware.journal.reader import Reader
from hil import daemon, lease
from hil.bench import Bench
from hil.layout import layout_of
from tests.hil.played import PROJECT, TABLE, hil

LIMIT_S = 60.0
NAMES = ("--who", "A. Lee", "--why", "new cable", "--confirm", "MB-SIM")


class Place:
    """A closed table on the bench, and what its status says."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.run_dir = bench.layout.run_dir
        self.socket = self.run_dir / daemon.CONTROL_NAME

    def access(self, **changes: object) -> lease.Access:
        values: dict[str, object] = {
            "socket": self.socket, "who": "A. Lee", "why": "new cable", "confirm": "MB-SIM", "limit_s": 600,
        }  # fmt: skip
        return lease.Access(**{**values, **changes})  # type: ignore[arg-type]

    async def status(self) -> TableStatus:
        return daemon.decode(await daemon.status_line(self.socket))

    async def until(self, wanted: Callable[[TableStatus], bool]) -> TableStatus:
        async with asyncio.timeout(LIMIT_S):
            async for line in daemon.watch_lines(self.socket):
                if wanted(status := daemon.decode(line)):
                    return status
        raise AssertionError("the daemon ended")

    async def closed_and_up(self) -> TableStatus:
        return await self.until(lambda s: s.phase == "closed" and all(d.link == "ready" for d in s.devices))

    @contextlib.asynccontextmanager
    async def lend(self, *devices: str, limit: int = 600) -> AsyncIterator[asyncio.subprocess.Process]:
        """`hil lend` as a process, holding its lease."""
        process = await asyncio.create_subprocess_exec(
            *hil("lend", *devices, "--run-dir", self.run_dir, "--limit", limit, *NAMES),
            cwd=PROJECT, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
        )  # fmt: skip
        try:
            assert process.stdout is not None
            assert (await process.stdout.readline()).startswith(b"lease ")
            yield process
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()

    def leases(self) -> list[LeaseEnd]:
        """How each lease ended, by the journal."""
        codec = program.codec()
        with Reader(self.run_dir / self.bench.layout.settings.storage.journal) as reader:
            entries = [codec.decode_entry(row) for row in reader.entries()]
        return [effect.how for entry in entries for effect in entry.effects if isinstance(effect, LeaseOver)]


def at_a_table(run_dir: Path, play: Callable[[Place], Coroutine[None, None, None]]) -> None:
    async def run() -> None:
        layout = layout_of(TABLE, run_dir)
        async with asyncio.timeout(100), Bench(layout, 1) as bench:
            watching = asyncio.create_task(bench.watch())
            playing = asyncio.create_task(play(Place(bench)))
            await asyncio.wait([watching, playing], return_when=asyncio.FIRST_COMPLETED)
            watching.cancel()
            if not playing.done():
                playing.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await watching
            await playing

    asyncio.run(run())


def shoe_of(status: TableStatus) -> str:
    return next(device.link for device in status.devices if device.name == "shoe")


def test_the_same_driver_opens_what_the_daemon_lets_go_of_and_the_daemon_has_it_back(run_dir: Path) -> None:
    async def play(place: Place) -> None:
        await place.closed_and_up()
        heard: asyncio.Queue[DeviceEvent] = asyncio.Queue()
        async with lease.devices(place.access(), ["shoe"]) as held:
            status = await place.status()
            assert (status.leases[0].who, status.leases[0].devices) == ("A. Lee", ("shoe",))
            assert (shoe_of(status), status.not_wagering_because[0]) == ("absent", "SHOE LEASED")
            assert "SHOE LEASED" in status.display[1]
            assert "SERVICE" in status.board_title
            assert "(SHOE LEASED" in place.bench.status, "systemd hears of it"
            async with held.running("shoe", heard.put_nowait) as device:
                while not (isinstance(event := await heard.get(), LinkChanged) and event.up):
                    pass
                assert device.identity.startswith("sim+angeleye")
        status = await place.until(  # the link stands at once, the table's own reasons once that is committed
            lambda s: not s.leases and shoe_of(s) == "ready" and "SHOE OFFLINE" not in s.not_wagering_because
        )
        assert status.not_wagering_because == ()
        assert place.leases() == [LeaseEnd.GIVEN_BACK]

    at_a_table(run_dir, play)


@pytest.mark.parametrize("end", ["sigint", "kill", "time"])
def test_a_lease_ends_with_whoever_holds_it(run_dir: Path, end: str) -> None:
    async def play(place: Place) -> None:
        await place.closed_and_up()
        async with place.lend("lines", "lamps", limit=1 if end == "time" else 600) as process:
            assert process.stdout is not None
            match end:
                case "sigint":
                    process.send_signal(signal.SIGINT)
                    assert await process.stdout.read() == b"given back\n"
                    assert await process.wait() == 0
                case "kill":
                    process.kill()
                    await process.wait()
                case "time":
                    assert b"taken the devices back" in await process.stdout.read()
                    assert await process.wait() == 1
            status = await place.until(lambda s: not s.leases and all(d.link == "ready" for d in s.devices))
        while status.not_wagering_because:
            status = await place.status()  # the lines have settled, and the lock-out was seen released
        how = {"sigint": LeaseEnd.GIVEN_BACK, "kill": LeaseEnd.LOST, "time": LeaseEnd.TIMED_OUT}[end]
        assert place.leases() == [how]

    at_a_table(run_dir, play)


def test_two_at_once_wrong_names_and_a_table_that_is_open_are_refused(run_dir: Path) -> None:
    async def refused(access: lease.Access, *names: str) -> str:
        with pytest.raises(lease.NoLease) as why:
            async with lease.devices(access, names):
                pass
        return str(why.value)

    async def play(place: Place) -> None:
        await place.closed_and_up()
        async with lease.lent(place.access(), ["shoe"]):
            assert "shoe is leased to A. Lee already" in await refused(place.access(who="B. Roe"), "board", "shoe")
            async with lease.lent(place.access(who="B. Roe"), ["board"]):
                assert len((await place.status()).leases) == 2
        assert "this table is MB-SIM" in await refused(place.access(confirm="MB-7"), "shoe")
        assert "nobody is named" in await refused(place.access(why=" "), "shoe")
        assert "no device 'shoes'" in await refused(place.access(), "shoes")
        assert "a lease lasts" in await refused(place.access(limit_s=0), "shoe")
        assert "a daemon serves this table" in await refused(place.access(config=TABLE, run_dir=place.run_dir), "shoe")
        await place.until(lambda s: not s.leases and all(d.link == "ready" for d in s.devices))
        await open_the_table(place)
        assert "the table is not closed" in await refused(place.access(), "shoe")

    at_a_table(run_dir, play)


async def open_the_table(place: Place) -> None:
    """As the floorperson does; OPEN TABLE is the menu's first line."""
    panel = place.bench.panel
    await panel.turn_floor_key(True)
    await place.until(lambda s: "OPEN TABLE" in s.display[1])
    await panel.confirm()
    await panel.turn_floor_key(False)
    await place.until(lambda s: s.phase != "closed")


def test_without_a_daemon_the_devices_are_opened_directly_and_it_says_so(run_dir: Path) -> None:
    async def run() -> None:
        layout = layout_of(TABLE, run_dir)
        async with asyncio.timeout(60):
            async with lease.devices(lease.Access(run_dir / "control.sock", layout.config, run_dir), ["shoe"]) as held:
                assert "no daemon runs" in held.how
                assert [device.name for device in held.devices.all()] == ["shoe"]

    asyncio.run(run())
