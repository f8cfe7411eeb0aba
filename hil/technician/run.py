"""From the options of `hil panel` to a panel: at a running daemon, or at a bench of its own."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import tempfile
from collections.abc import Coroutine
from pathlib import Path

from firmware.app.status import TableStatus
from firmware.settings.problems import ConfigurationError
from hil import daemon
from hil.bench import Bench
from hil.children import PartDied
from hil.layout import NotForTheBench, layout_of
from hil.technician.app import Panel
from hil.technician.hands import Hands, NoHands

ENDED, PART_DIED, NOT_POSSIBLE = 0, 1, 2
SEED = 1


def run(socket: Path, svg: Path | None, size: tuple[int, int]) -> int:
    """At a running daemon. Returns the exit status."""
    return _told(attached(socket, svg, size))


def run_own(table: Path, run_dir: Path | None, svg: Path | None, size: tuple[int, int]) -> int:
    """At a bench of this table, with nobody at it. Without a run directory nothing is kept. Returns the exit status."""
    if run_dir is not None:
        return _told(_own(table, run_dir, svg, size))
    with tempfile.TemporaryDirectory(prefix="tabled-") as folder:
        return _told(_own(table, Path(folder), svg, size))


def _told(panel: Coroutine[None, None, int]) -> int:
    try:
        return asyncio.run(panel)
    except (daemon.NoDaemon, ConfigurationError, NotForTheBench, OSError) as error:
        print(f"hil panel: {error}", file=sys.stderr)
        return NOT_POSSIBLE
    except PartDied as error:
        print(f"hil panel: {error}", file=sys.stderr)
        return PART_DIED


async def first_status(socket: Path) -> TableStatus:
    """Raises `NoDaemon`."""
    return daemon.decode(await daemon.status_line(socket))


async def attached(socket: Path, svg: Path | None, size: tuple[int, int]) -> int:
    """Show, or save, the table of a running daemon. Raises `NoDaemon`."""
    first = await first_status(socket)
    hands: Hands | NoHands
    try:
        hands = await Hands.attached(first)
    except NoHands as error:
        hands = error
    try:
        return await _show(Panel(socket, first, hands, svg), svg, size)
    finally:
        if isinstance(hands, Hands):
            await hands.close()


async def _own(table: Path, folder: Path, svg: Path | None, size: tuple[int, int]) -> int:
    layout = layout_of(table, folder)
    socket = layout.run_dir / layout.settings.storage.control
    async with Bench(layout, SEED) as bench:
        first = await first_status(socket)
        showing = asyncio.ensure_future(_show(Panel(socket, first, Hands.of(bench), svg), svg, size))
        watching = asyncio.ensure_future(bench.watch())
        try:
            await asyncio.wait([showing, watching], return_when=asyncio.FIRST_COMPLETED)
            if not showing.done():
                await watching
            return await showing
        finally:
            for task in (showing, watching):
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError, PartDied):
                    await task


async def _show(panel: Panel, svg: Path | None, size: tuple[int, int]) -> int:
    if svg is not None:
        svg.touch()  # what can't be written is said before anything is shown
        return await panel.run_async(headless=True, size=size) or ENDED
    return await panel.run_async() or ENDED
