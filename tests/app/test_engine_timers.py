"""The engine leaves nothing behind in the event loop, however many commits and core timers there were."""

from __future__ import annotations

import asyncio
from pathlib import Path

from firmware.core import events as ev
from tests.app.rig import rig


def test_timers_do_not_pile_up(tmp_path: Path) -> None:
    async def play() -> None:
        async with rig(tmp_path) as table:
            await table.open_table()
            table.post(table.chip(1), *table.press())
            await table.engine.drained()
            table.post(ev.KeyPressed(ev.Key.CONFIRM, table.at()))  # from here on a card is due, by a timer of the core
            await table.engine.drained()
            assert table.engine.durable.timers
            # As a lamp that blinks: while a nearer timer waits, the loop keeps the cancelled ones behind it.
            asyncio.get_running_loop().call_later(1.0, lambda: None)
            for _ in range(100):
                table.post(ev.DoorMoved(True, table.at()))
                await table.engine.drained()
            assert table.engine.commits > 100
            waiting = asyncio.get_running_loop()._scheduled  # type: ignore[attr-defined]
            assert len(waiting) <= 4, waiting

    asyncio.run(play())
