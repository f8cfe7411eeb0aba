"""`hil watch`: a running table live, from its daemon's socket: spots, lamps, board, display, meters, state.

Rules: on a terminal the picture (also over ssh: only what changes is sent); else, or with `--plain`, a line for every
change that a person would call one; with `--json` the daemon's own lines. Until Ctrl-C (exit status 0), or until the
daemon ends (1); 2 if none answers.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path

from firmware.app.status import TableStatus
from firmware.core.meters import text
from hil import daemon
from hil.picture import draw
from hil.terminal import NotATerminal, Terminal
from hil.views import sign_text, status_view

FRAME_S = 0.08
STOPPED, DAEMON_ENDED, NO_DAEMON = 0, 1, 2


def run(socket: Path, plain: bool, as_json: bool) -> int:
    """Watch. Returns the exit status."""
    terminal: Terminal | None = None
    if not plain and not as_json:
        try:
            terminal = Terminal()
        except NotATerminal as error:
            print(f"hil watch: plain lines: {error}", file=sys.stderr)
    try:
        return asyncio.run(_watch(socket, terminal, as_json))
    except daemon.NoDaemon as error:
        print(f"hil watch: {error}", file=sys.stderr)
        return NO_DAEMON


async def _watch(socket: Path, terminal: Terminal | None, as_json: bool) -> int:
    watching = asyncio.ensure_future(_pictures(socket, terminal) if terminal else _lines(socket, as_json))
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, watching.cancel)
    try:
        await watching
    except asyncio.CancelledError:
        return STOPPED
    print("the daemon has ended", file=sys.stderr)
    return DAEMON_ENDED


async def _lines(socket: Path, as_json: bool) -> None:
    before: TableStatus | None = None
    async for line in daemon.watch_lines(socket):
        if as_json:
            print(line.decode(), flush=True)
            continue
        now = daemon.decode(line)
        for change in changes(before, now):
            print(change, flush=True)
        before = now


async def _pictures(socket: Path, terminal: Terminal) -> None:
    """Draw the newest status for as long as the daemon sends them."""
    newest: TableStatus | None = None
    news: deque[str] = deque(maxlen=6)

    async def listen() -> None:
        nonlocal newest
        async for line in daemon.watch_lines(socket):
            now = daemon.decode(line)
            news.extend(change for change in changes(newest, now) if newest is not None)
            newest = now

    listening = asyncio.ensure_future(listen())
    try:
        while newest is None and not listening.done():
            await asyncio.sleep(0.01)
        if not listening.done():
            with terminal:
                while not listening.done():
                    if newest is not None:
                        view = status_view(
                            newest, time.monotonic_ns() // 1_000_000, tuple(news), f"{socket}   Ctrl-C ends"
                        )
                        terminal.show(draw(view))
                    await asyncio.wait([listening], timeout=FRAME_S)
        await listening
    finally:
        listening.cancel()
        with contextlib.suppress(asyncio.CancelledError, daemon.NoDaemon):
            await listening


def changes(before: TableStatus | None, now: TableStatus) -> Iterator[str]:
    """What is new, a line each; of the first status everything that matters."""
    if before is None or (before.phase, before.round) != (now.phase, now.round):
        yield f"state: {now.phase}, round {now.round}"
    if now.journal.fault and (before is None or before.journal.fault != now.journal.fault):
        yield f"CLOSED: JOURNAL: {now.journal.fault}"
    if before is None or before.not_wagering_because != now.not_wagering_because:
        yield from (f"no wagers: {reason.lower()}" for reason in now.not_wagering_because)
    for number, spot in enumerate(now.spots):
        old = before.spots[number] if before is not None else None
        if (old.covered, old.lamp, old.service) != (spot.covered, spot.lamp, spot.service) if old else spot.covered:
            chip = "chip" if spot.covered else "no chip"
            service = "" if spot.service == "in" else f", {spot.service.replace('_', ' ')}"
            yield f"spot {spot.position}/{spot.wager}: {chip}, lamp {spot.lamp.replace('_', ' ')}{service}"
    if before is None or sign_text(before) != sign_text(now):
        yield f"board: {sign_text(now)}"
    if before is None or before.display != now.display:
        yield f"display: {' / '.join(line.strip() for line in now.display)}"
    if before is None or before.meters != now.meters:
        yield "meters: " + ", ".join(f"{one.meter.name} {text(one.meter.shown_micro)}" for one in now.meters)
    for device in now.devices:
        known = {d.name: d.link for d in before.devices} if before is not None else {}
        if known.get(device.name) != device.link:
            yield f"device {device.name}: {device.link}{f' ({device.trouble})' if device.trouble else ''}"
    new = [i for i in now.irregularities if before is None or i not in before.irregularities]
    for noted in new:
        where = f" at position {noted.position}" if noted.position is not None else ""
        yield f"irregularity: {noted.kind.replace('_', ' ')}{where} {noted.detail}".rstrip()
