"""The disk fails under the real engine: what was not durable is never shown, and nothing is lost or counted twice."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from firmware.core import effects as fx
from firmware.core import events as ev
from tests.app.rig import Rig, rig
from tests.journal.torture_vfs import Action, Op, Plan, TortureVfs

CENTS = 500
MINOR_SHARE_MICRO = CENTS * 10_000 * 10_000 // 1_000_000
"""1 % of a $5 wager, as config/tables/minibaccarat.toml has it."""


class AilingVfs(TortureVfs):
    """Beside the planned faults: a disk that turned read-only, and one that is slow to sync."""

    read_only = False
    sync_takes_s = 0.0

    def before(self, op: Op, file: str, halfway: Callable[[], None]) -> None:
        if self.read_only:
            raise apsw.exception_for(apsw.SQLITE_READONLY)
        if op is Op.SYNC and self.sync_takes_s:
            threading.Event().wait(self.sync_takes_s)
        super().before(op, file, halfway)


def fail(ops: set[Op], action: Action) -> Callable[[AilingVfs], None]:
    return lambda vfs: vfs.arm(Plan(frozenset(ops), 1, action, lasting=True))


def turn_read_only(vfs: AilingVfs) -> None:
    vfs.read_only = True


def mend(vfs: AilingVfs) -> None:
    vfs.arm(None)
    vfs.read_only = False


FAULTS = {
    "write error": fail({Op.WRITE}, Action.FAIL_IO),
    "disk full": fail({Op.WRITE}, Action.FAIL_FULL),
    "sync error": fail({Op.SYNC}, Action.FAIL_IO),
    "read-only": turn_read_only,
}


async def bets_on_the_table(table: Rig) -> int:
    """Three progressive chips; returns the minor meter before them."""
    await table.open_table()
    before = table.meter()
    table.post(table.chip(3), table.chip(1), table.chip(7))
    await table.engine.drained()
    return before


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
def test_a_failed_commit_shows_nothing_and_loses_nothing(tmp_path: Path, fault: Callable[[AilingVfs], None]) -> None:
    async def play() -> None:
        vfs = AilingVfs()
        async with rig(tmp_path, vfs) as table:
            before = await bets_on_the_table(table)
            shown = len(table.shown)
            fault(vfs)
            table.post(*table.press())
            await table.until(lambda: bool(table.faults))
            assert len(table.shown) == shown
            assert table.engine.durable.phase == "betting", "what is shown is only what is durable"
            table.post(ev.LockReleased(table.at()))  # kept, like everything that happens meanwhile
            await table.until(lambda: len(table.faults) > 1)  # and opening it again fails as well
            assert len(table.shown) == shown
            mend(vfs)
            await table.until(lambda: len(table.accepted()) == 3)
            await table.engine.drained()
            assert not table.engine.fault
            assert [position for position, _ in table.accepted()] == [3, 1, 7]
            assert table.meter() == before + 3 * MINOR_SHARE_MICRO
            assert len(table.saw(fx.BettingClosed)) == 1
        events = table.entries()
        assert [type(e) for e in events].count(ev.LockEdge) == 1
        assert [type(e) for e in events].count(ev.LockReleased) == 1
        assert [type(e) for e in events].count(ev.InputsSettled) == 1
        assert [type(e) for e in events].count(ev.JournalResumed) == 1

    asyncio.run(play())


def test_a_commit_that_takes_too_long_is_given_up_and_counted_once_when_it_got_in(tmp_path: Path) -> None:
    async def play() -> None:
        vfs = AilingVfs()
        async with rig(tmp_path, vfs, commit_limit_s=0.5) as table:
            before = await bets_on_the_table(table)
            shown = len(table.shown)
            vfs.arm(Plan(frozenset({Op.SYNC}), 1, Action.BLOCK))
            began = time.monotonic()
            table.post(table.chip(5))
            await table.until(lambda: bool(table.faults))
            assert "took over 0.5 s" in table.faults[0]
            assert time.monotonic() - began >= 0.5, "the time of the commits before it does not count"
            table.post(*table.press())
            assert len(table.shown) == shown
            vfs.unblock.set()  # the disk answers after all: that commit is in the file whole
            await table.until(lambda: len(table.accepted()) == 4)
            await table.engine.drained()
            assert table.meter() == before + 4 * MINOR_SHARE_MICRO
        events = table.entries()
        assert [e.position for e in events if isinstance(e, ev.ChipPlaced)] == [3, 1, 7, 5]
        sensed = [e.position for e in table.saw(fx.LampChanged) if e.show is fx.LampShow.SENSED]  # type: ignore[union-attr]
        assert sensed == [3, 1, 7, 5], "carried out once, although nobody was told of its commit"

    asyncio.run(play())


def test_the_watchdog_is_fed_while_the_journal_is_away(tmp_path: Path) -> None:
    """Else systemd would end a daemon that keeps events nobody else has."""

    async def play() -> None:
        vfs = AilingVfs()
        async with rig(tmp_path, vfs, reopen_after_s=3600) as table:
            await table.open_table()
            turn_read_only(vfs)
            table.post(table.chip(1))
            await table.until(lambda: bool(table.faults))
            table.post(table.chip(2), ev.Tick(1), table.chip(3), ev.Tick(2))
            await table.until(lambda: len(table.ticks) == 2)
            assert table.engine.queue_length == 2, "the chips wait"
            vfs.read_only = False

    asyncio.run(play())


def test_a_slow_card_changes_neither_acceptance_nor_order(tmp_path: Path) -> None:
    """Commits of 200 ms: the same wagers in the same order as at once; only lamps come later."""

    async def play(folder: Path, sync_takes_s: float) -> tuple[list[tuple[int, str]], list[int]]:
        folder.mkdir()
        vfs = AilingVfs()
        async with rig(folder, vfs) as table:
            await table.open_table()
            vfs.sync_takes_s = sync_takes_s
            for position in (4, 2, 6, 1, 7):
                table.post(table.chip(position))
                await asyncio.sleep(0)  # each has its turn before the next comes
            late = table.now_ns + 50_000_000
            table.post(*table.press())
            table.post(ev.ChipPlaced(5, "royal_9_progressive", late + 60_000_000, late + 60_000_000))
            await table.until(lambda: len(table.accepted()) == 5)
            await table.engine.drained()
            vfs.sync_takes_s = 0.0
            if sync_takes_s:
                assert table.engine.slowest_commit_ns > sync_takes_s * 1e9
            assert not table.faults
            return table.accepted(), [e.position for e in table.entries() if isinstance(e, ev.ChipPlaced)]

    fast = asyncio.run(play(tmp_path / "fast", 0.0))
    slow = asyncio.run(play(tmp_path / "slow", 0.2))
    assert slow == fast
    assert [position for position, _ in slow[0]] == [4, 2, 6, 1, 7]


def test_what_waits_for_a_disk_goes_in_one_commit_in_order(tmp_path: Path) -> None:
    async def play() -> None:
        vfs = AilingVfs()
        async with rig(tmp_path, vfs) as table:
            await table.open_table()
            commits, shown = table.engine.commits, len(table.shown)
            vfs.arm(Plan(frozenset({Op.SYNC}), 1, Action.BLOCK))
            table.post(table.chip(1))
            await asyncio.to_thread(vfs.blocked.wait, 10)
            table.post(table.chip(2), ev.Tick(1), table.chip(3), table.chip(4))
            await table.until(lambda: bool(table.ticks))  # stepped, while the first commit sits in the disk
            assert len(table.shown) == shown, "nothing is shown before its commit"
            vfs.unblock.set()
            await table.until(lambda: len(table.shown) == shown + 4)
            assert table.engine.commits == commits + 2
            assert [seq for seq, _ in table.shown] == sorted(seq for seq, _ in table.shown)
        assert [e.position for e in table.entries() if isinstance(e, ev.ChipPlaced)] == [1, 2, 3, 4]
        assert not any(isinstance(e, ev.Tick) for e in table.entries())

    asyncio.run(play())
