"""Bet boards on one bus: polled, latched, dead, reset, garbled, doubled; each by itself. In memory, on virtual time."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from typing import cast

import pytest

from drivers.codecs import tgline
from drivers.devices.bus_lines import BusLinesSettings
from drivers.devices.tgline_board import SIZE, TAMPER, TglineBoard, TglineBus
from drivers.events import (
    LineChanged,
    LineHealthy,
    LinesReady,
    LinesSettled,
    LineTrouble,
    LineTroubled,
    LinkChanged,
    LinkState,
)
from drivers.line_spec import LineRole, LineSpec
from drivers.links.bus import BusTiming
from drivers.links.port import PortSettings
from drivers.ports import BackendUnavailable
from hil.sim.bus_faults import BusFault
from hil.sim.tgline_bus_model import Board, BusModel
from tests.bus_bench import SPOTS, Heard, ScriptedBus
from tests.virtual_time import VirtualLoop, run_virtual

MS = 1_000_000
TAMPERED = (*SPOTS, LineSpec("door", TAMPER, LineRole.KEY, normally_closed=True))


class Bench:
    def __init__(self, loop: VirtualLoop, addresses: list[int]) -> None:
        self.loop = loop
        self.model = BusModel(addresses)
        self.end = ScriptedBus(loop, lambda data: self.model.received(data, loop.now_ns()))
        settings = PortSettings("scripted://bus", 38400)
        self.bus = TglineBus(settings, loop.now_ns, BusTiming(), self.end.opener)
        self.heard = {address: Heard() for address in addresses}
        self.devices = {
            address: TglineBoard(BusLinesSettings(f"board{address}", TAMPERED, SIZE), self.bus, address, loop.now_ns)
            for address in addresses
        }

    def board(self, address: int) -> Board:
        return self.model.boards[address]

    @asynccontextmanager
    async def running(self, address: int):  # type: ignore[no-untyped-def]
        task = asyncio.ensure_future(self.devices[address].run(self.heard[address].emit))
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    def ups(self, address: int) -> list[bool]:
        return [cast(LinkChanged, event).up for event in self.heard[address].of(LinkChanged)]

    def settled(self, address: int) -> LinesSettled:
        return cast(LinesSettled, self.heard[address].of(LinesSettled)[-1])


def on_bus(*addresses: int) -> Callable[[Callable[[Bench], Awaitable[None]]], None]:
    def play(script: Callable[[Bench], Awaitable[None]]) -> None:
        async def main(loop: VirtualLoop) -> None:
            bench = Bench(loop, list(addresses))
            async with AsyncExitStack() as stack:
                for address in addresses:
                    await stack.enter_async_context(bench.running(address))
                await asyncio.sleep(1)
                await script(bench)
            assert all(device.link is LinkState.ABSENT for device in bench.devices.values())
            assert all(port.closed for port in bench.end.opener.ports), "the last to leave closes the port"

        run_virtual(main)

    return play


def test_every_board_tells_its_levels_then_its_changes() -> None:
    async def script(bench: Bench) -> None:
        for address in (3, 4):
            ready, up = bench.heard[address].events[:2]
            assert isinstance(ready, LinesReady) and not any(level.active for level in ready.levels)
            assert isinstance(up, LinkChanged) and up.up and up.device == f"board{address}"
        placed_ns = bench.loop.now_ns()
        bench.board(4).inputs[2] = True
        await asyncio.sleep(0.5)
        (changed,) = bench.heard[4].of(LineChanged)
        assert isinstance(changed, LineChanged) and (changed.line, changed.active) == ("spot2", True)
        assert changed.not_before_ns <= placed_ns <= changed.not_after_ns
        assert changed.not_after_ns - changed.not_before_ns < 120 * MS
        assert bench.heard[3].of(LineChanged) == []
        assert bench.devices[4].identity == "tgline bet board 04 on scripted://bus"

    on_bus(3, 4)(script)


def test_eight_boards_are_asked_in_a_quarter_of_a_second_and_are_left_two_milliseconds() -> None:
    async def script(bench: Bench) -> None:
        bench.model.answer_ms = 20  # the slowest that a board may be
        bench.end.requests.clear()
        await asyncio.sleep(5)
        polls = [(at, data) for at, data in bench.end.requests if b"POLL" in data]
        assert len(polls) >= 5 / 0.25 * 8
        gaps = [later - earlier for (earlier, _), (later, _) in itertools.pairwise(polls)]
        assert min(gaps) >= 0.020 + 0.002
        assert all(device.counters["missed"] == 0 for device in bench.devices.values())

    on_bus(*range(1, 9))(script)


def test_a_dead_board_is_told_within_a_second_and_no_other_with_it() -> None:
    async def script(bench: Bench) -> None:
        bench.board(3).powered = False
        dead_s = bench.loop.time()
        while bench.ups(3) == [True]:
            await asyncio.sleep(0.01)
        assert bench.loop.time() - dead_s < 1.0
        down = cast(LinkChanged, bench.heard[3].of(LinkChanged)[-1])
        assert (down.state, down.reason) == (LinkState.STALE, "no answer from tgline bet board 03, asked 3 times")
        bench.devices[3].settle(bench.loop.now_ns())
        await asyncio.sleep(0.5)
        assert all(v.contradicted and not v.active for v in bench.settled(3).verdicts), "it proves nothing"
        bench.end.requests.clear()
        await asyncio.sleep(2)
        polls = [data[7:9] for _, data in bench.end.requests if b"POLL" in data]
        assert polls.count(b"04") >= 20, "the dead one does not make the other slow"
        assert bench.ups(4) == [True]
        bench.board(3).powered = True
        await asyncio.sleep(1)
        assert bench.ups(3) == [True, False, True]
        assert len(bench.heard[3].of(LinesReady)) == 2, "every level anew"

    on_bus(3, 4)(script)


def test_a_press_makes_all_boards_keep_what_they_have_with_one_latch() -> None:
    async def script(bench: Bench) -> None:
        bench.board(3).inputs[0] = True
        await asyncio.sleep(1)
        press_ns = bench.loop.now_ns()
        bench.board(3).inputs[1] = True  # in the very instant of the press: between two polls
        for device in bench.devices.values():
            device.settle(press_ns)
        await asyncio.sleep(0.015)
        bench.board(4).inputs[0] = True  # after the latch
        await asyncio.sleep(0.6)
        long_there, at_the_press, *_ = bench.settled(3).verdicts
        assert (long_there.active, long_there.straddles, long_there.latched) == (True, False, False)
        assert (at_the_press.active, at_the_press.straddles, at_the_press.latched) == (True, False, True)
        late = bench.settled(4).verdicts[0]
        assert (late.active, late.straddles, late.arrived_after) == (False, False, True)
        latches = [data for _, data in bench.end.requests if b"LATCH" in data]
        assert len(latches) == 1
        assert [board.latches for board in bench.model.boards.values()] == [1, 1]
        assert all(board.arms >= 1 and board.snapshot is None for board in bench.model.boards.values())
        assert [device.counters["snapshots"] for device in bench.devices.values()] == [1, 1]

    on_bus(3, 4)(script)


def test_without_the_latch_a_chip_in_the_interval_about_the_press_is_in_doubt() -> None:
    async def script(bench: Bench) -> None:
        bench.board(3).deaf_to_latch = True
        press_ns = bench.loop.now_ns()
        bench.board(3).inputs[1] = True
        bench.devices[3].settle(press_ns)
        await asyncio.sleep(0.6)
        verdict = bench.settled(3).verdicts[1]
        assert verdict.straddles and not verdict.latched

    on_bus(3)(script)


def test_a_latch_too_long_after_the_press_decides_nothing() -> None:
    async def script(bench: Bench) -> None:
        press_ns = bench.loop.now_ns()
        await asyncio.sleep(0.120)  # this program was held up
        bench.board(3).inputs[1] = True
        bench.devices[3].settle(press_ns)
        await asyncio.sleep(0.6)
        verdict = bench.settled(3).verdicts[1]
        assert not verdict.latched and (verdict.straddles or verdict.arrived_after)
        assert bench.devices[3].counters["late_snapshots"] == 1

    on_bus(3)(script)


def test_a_board_that_missed_the_arm_is_armed_again_and_its_old_snapshot_is_no_level() -> None:
    async def script(bench: Bench) -> None:
        bench.devices[3].settle(bench.loop.now_ns())
        await asyncio.sleep(0.5)
        bench.board(3).inputs[0] = True
        bench.board(3).everyone("LATCH", 0x0BAD)  # as if it had never heard the ARM
        bench.board(3).inputs[0] = False
        await asyncio.sleep(0.5)
        assert bench.heard[3].of(LineChanged) == []
        assert bench.board(3).snapshot is None
        assert bench.ups(3) == [True]

    on_bus(3)(script)


def test_a_reset_board_is_down_for_a_moment_and_tells_every_level_anew() -> None:
    async def script(bench: Bench) -> None:
        bench.board(3).inputs[0] = True
        await asyncio.sleep(0.5)
        bench.board(3).reboot()
        await asyncio.sleep(0.5)
        assert bench.ups(3) == [True, False, True]
        assert cast(LinkChanged, bench.heard[3].of(LinkChanged)[1]).reason == "tgline bet board 03 was reset"
        again = cast(LinesReady, bench.heard[3].of(LinesReady)[1])
        assert [level.line for level in again.levels if level.active] == ["spot0"]
        assert bench.devices[3].counters["resets"] == 1

    on_bus(3)(script)


def test_a_board_s_own_fault_bits_and_cover() -> None:
    async def script(bench: Bench) -> None:
        board, heard = bench.board(3), bench.heard[3]
        board.faulty[1] = board.inputs[1] = True
        board.tamper = True
        await asyncio.sleep(1)
        assert [(e.line, e.trouble) for e in cast(list[LineTroubled], heard.of(LineTroubled))] == [
            ("spot1", LineTrouble.REPORTED)
        ]
        assert [(e.line, e.active) for e in cast(list[LineChanged], heard.of(LineChanged))] == [("door", True)]
        board.faulty[1] = False
        await asyncio.sleep(1)
        assert [(e.line, e.active) for e in cast(list[LineHealthy], heard.of(LineHealthy))] == [("spot1", True)]

    on_bus(3)(script)


@pytest.mark.parametrize("fault", BusFault)
def test_two_bad_answers_in_a_row_change_nothing_and_many_are_a_dead_board(fault: BusFault) -> None:
    async def script(bench: Bench) -> None:
        waiting = bench.model.faults._waiting
        bench.board(3).inputs[0] = True
        await asyncio.sleep(0.5)
        waiting[3] = [fault] * 2
        await asyncio.sleep(1)
        assert bench.ups(3) == [True]
        assert len(bench.heard[3].of(LineChanged)) == 1
        waiting[3] = [fault] * 200
        await asyncio.sleep(2)
        harmless = fault in (BusFault.NOISE_BEFORE, BusFault.TWICE)
        assert bench.ups(3) == ([True] if harmless else [True, False])
        waiting[3] = []
        await asyncio.sleep(2)
        assert bench.ups(3)[-1]
        assert bench.ups(4) == [True], "the other board never noticed"
        assert len(bench.heard[3].of(LineChanged)) == 1

    on_bus(3, 4)(script)


def test_a_cut_wire_is_told_once_for_hours_and_its_mending_is_noticed() -> None:
    async def script(bench: Bench) -> None:
        bench.end.cut = True
        await asyncio.sleep(3600)
        assert bench.ups(3)[:2] == [True, False] and len(bench.ups(3)) <= 3, bench.heard[3].of(LinkChanged)
        assert len(bench.end.opener.ports) > 10, "opened anew now and then"
        bench.end.cut = False
        mended_s = bench.loop.time()
        while not bench.ups(3)[-1]:
            await asyncio.sleep(0.1)
        assert bench.loop.time() - mended_s <= 61

    on_bus(3, 4)(script)


def test_unplugged_and_plugged_in_again() -> None:
    async def script(bench: Bench) -> None:
        bench.end.unplug()
        await asyncio.sleep(0.1)
        assert bench.ups(3) == bench.ups(4) == [True, False]
        await asyncio.sleep(30)
        bench.end.plug()
        await asyncio.sleep(61)
        assert bench.ups(3) == bench.ups(4) == [True, False, False, True], "lost; not there any more; back"

    on_bus(3, 4)(script)


def test_one_board_may_leave_and_come_back_while_the_others_are_asked_on() -> None:
    async def main(loop: VirtualLoop) -> None:
        bench = Bench(loop, [3, 4])
        async with bench.running(4):
            async with bench.running(3):
                await asyncio.sleep(1)
            assert bench.devices[3].link is LinkState.ABSENT
            polls = bench.board(3).polls
            await asyncio.sleep(1)
            assert bench.board(3).polls == polls
            assert bench.ups(4) == [True]
            async with bench.running(3):
                await asyncio.sleep(1)
                assert bench.ups(3) == [True, True]
        assert len(bench.end.opener.ports) == 1
        assert bench.end.opener.ports[0].closed

    run_virtual(main)


def test_what_kills_the_bus_leaves_every_board() -> None:
    async def main(loop: VirtualLoop) -> None:
        bench = Bench(loop, [3, 4])
        runs = [asyncio.ensure_future(d.run(bench.heard[a].emit)) for a, d in bench.devices.items()]
        await asyncio.sleep(1)
        bench.end.opener.ports[-1].lose(RuntimeError("a thread of the port died"))
        ends = await asyncio.gather(*runs, return_exceptions=True)
        assert [str(end) for end in ends] == ["a thread of the port died"] * 2

    run_virtual(main)


def test_lines_that_a_board_can_not_have_are_refused() -> None:
    async def main(loop: VirtualLoop) -> None:
        bench = Bench(loop, [3])
        lock = BusLinesSettings("b", (LineSpec("lock", 0, LineRole.LOCK_OUT),), SIZE)
        with pytest.raises(BackendUnavailable, match=r"stamps no edges; wire lock to a line of lines.lgpio"):
            TglineBoard(lock, bench.bus, 5, loop.now_ns)
        beyond = BusLinesSettings("b", (LineSpec("spot", 17, LineRole.SPOT),), SIZE)
        with pytest.raises(ValueError, match=r"inputs 0 to 16, got 17"):
            TglineBoard(beyond, bench.bus, 5, loop.now_ns)
        with pytest.raises(ValueError, match=r"another board .* has address 3"):
            TglineBoard(BusLinesSettings("b", SPOTS, SIZE), bench.bus, 3, loop.now_ns)

    run_virtual(main)


def test_every_line_of_the_bus_has_the_long_check() -> None:
    async def script(bench: Bench) -> None:
        bench.devices[3].settle(bench.loop.now_ns())
        await asyncio.sleep(0.5)
        decoder = tgline.Decoder()
        for _, data in bench.end.requests:
            decoder.feed(data)
        assert decoder.counters["lines"] == len(bench.end.requests) == sum(decoder.counters.values())

    on_bus(3)(script)
