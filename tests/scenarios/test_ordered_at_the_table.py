"""Two persons at a real daemon, both keys turned: a meter corrected, and a parameter changed, which needs the order."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path

from firmware.app.program import programs
from firmware.app.status import MeterStatus
from firmware.journal.reader import Reader
from firmware.journal.replay import replay
from hil import daemon
from hil.chip_control import ChipControl, simulated_chip

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "config" / "tables" / "minibaccarat.toml"
AT_REST = (64, 68, 70)
"""Lines that are closed: the lock-out button and the rest contact of either key."""
KEYS = ((68, 69), (70, 71))
"""Rest and turned contact of the floorperson's and the reset key; closed is low."""
LIMIT_S = 60.0
WHO = ("--first", "Ann Lee", "--second", "Bob Roe", "--reason", "as filed")
CORRECTION = (
    "correct-meter", "--meter", "royal_9.minor", "--account", "shown", "--was", "450", "--becomes", "450.01",
)  # fmt: skip
CHANGE = (
    "change-parameters", "--meter", "royal_9.minor", "--seed", "450", "--reseed", "450", "--increment", "1.5",
    "--reserve", "0.25", "--limit", "900", "--overflow", "keep",
)  # fmt: skip
NOW = '[meters."royal_9.minor"]\nseed = "450.00"\nincrement = "1"'
WANTED = '[meters."royal_9.minor"]\nseed = "450.00"\nlimit = "900.00"\noverflow = "keep"\nincrement = "1.5"'


async def tabled(*arguments: str) -> tuple[int, str]:
    """Exit status, and what it said."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "firmware.cli", *arguments,
        cwd=ROOT, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    said, _ = await process.communicate()
    assert process.returncode is not None
    return process.returncode, said.decode()


@contextlib.asynccontextmanager
async def running(config: Path) -> AsyncIterator[Path]:
    """A daemon with nothing but its line chip; the folder's control socket."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        path = config.parent / "notify"
        path.unlink(missing_ok=True)
        systemd.bind(str(path))
        systemd.setblocking(False)
        process = await asyncio.create_subprocess_exec(
            sys.executable, "-m", "firmware.cli", "run", "--config", str(config),
            cwd=ROOT, env={**os.environ, "NOTIFY_SOCKET": str(path)}, stderr=asyncio.subprocess.DEVNULL,
        )  # fmt: skip
        try:
            while await asyncio.get_running_loop().sock_recv(systemd, 4096) != b"READY=1":
                pass
            yield config.parent / "control.sock"
        finally:
            process.send_signal(signal.SIGTERM)
            assert await process.wait() == 0


async def turn_both(chip: ChipControl, turned: bool) -> None:
    for rest, other in KEYS:
        await chip.set(rest, turned)
        await chip.set(other, not turned)


async def order_once_turned(config: Path, *order: str) -> tuple[int, str]:
    """The order, given as soon as both keys have been held long enough to count."""
    async with asyncio.timeout(LIMIT_S):
        status, said = await tabled("order", *order, *WHO, "--config", str(config))
        while "key is not turned" in said:
            status, said = await tabled("order", *order, *WHO, "--config", str(config))
    return status, said


async def minor(control: Path) -> MeterStatus:
    status = daemon.decode(await daemon.status_line(control))
    return next(one for one in status.meters if one.meter.name == "royal_9.minor")


async def play(folder: Path) -> None:
    config = folder / "table.toml"
    text = EXAMPLE.read_text("utf-8").replace('socket = "chip.sock"', 'socket = "chip.socket"')
    assert NOW in text
    changed = text.replace(NOW, WANTED)
    config.write_text(text, "utf-8")
    async with simulated_chip(folder, 72, 63, closed=AT_REST) as chip:
        async with running(config) as control:
            status, said = await tabled("order", *CORRECTION, *WHO, "--config", str(config))
            assert status == 1
            assert "the floorperson's key is not turned" in said
            await turn_both(chip.control, True)
            status, said = await order_once_turned(config, *CORRECTION)
            assert status == 0, said
            assert said.startswith("taken: entry ")
            status, said = await tabled("order", *CORRECTION, *WHO, "--config", str(config))
            assert status == 1
            assert "holds 450010000 micro-dollars, not 450000000" in said
            assert (await minor(control)).meter.corrected_up_micro == 10_000
            await turn_both(chip.control, False)
        config.write_text(changed, "utf-8")
        status, said = await tabled("run", "--config", str(config))
        assert status == 78
        assert "royal_9.minor lives" in said
        assert "increment_ppm was 10000, is 15000" in said
        assert "tabled order change-parameters" in said
        config.write_text(text, "utf-8")
        async with running(config) as control:
            await turn_both(chip.control, True)
            status, said = await order_once_turned(config, *CHANGE)
            assert status == 0, said
            one = await minor(control)
            assert one.ordered is not None
            assert (one.parameters.increment_ppm, one.ordered.increment_ppm) == (10_000, 15_000)
        config.write_text(changed, "utf-8")
        async with running(config) as control:
            one = await minor(control)
            assert (one.parameters.increment_ppm, one.ordered) == (15_000, None)
            assert one.meter.shown_micro == 450_010_000, "the meter lives on"
    with Reader(folder / "journal.sqlite") as reader:
        reader.verify()
        replay(reader, programs)


def test_corrected_and_changed_by_order() -> None:
    async def limited() -> None:
        async with asyncio.timeout(LIMIT_S):
            with tempfile.TemporaryDirectory(prefix="ord") as folder:  # not tmp_path: a socket's path is short
                await play(Path(folder))

    asyncio.run(limited())
