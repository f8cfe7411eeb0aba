"""Jackpot meters on a bus: amounts told again and again, hits until they are over, dashes when nobody tells."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from contextlib import suppress

import pytest

from drivers.codecs import tgline, tgline_meter
from drivers.codecs.text_lines import Received
from drivers.devices.bus_lines import BusLinesSettings
from drivers.devices.tgline_board import SIZE, TglineBoard, TglineBus
from drivers.devices.tgline_meter import TglineMeter
from drivers.events import LinkChanged, LinkState, ShowFailed, Shown
from drivers.links.port import PortSettings
from drivers.ports import MeterContent, MeterHit, MeterReading
from hil.sim.tgline_bus_model import BusModel
from tests.bus_bench import SPOTS, Heard, ScriptedBus
from tests.virtual_time import VirtualLoop, run_virtual

LEVELS = {"royal_9.mega": 1, "royal_9.major": 2}


class Bench:
    def __init__(self, loop: VirtualLoop, boards: list[int]) -> None:
        self.loop = loop
        self.model = BusModel(boards)
        self.end = ScriptedBus(loop, lambda data: self.model.received(data, loop.now_ns()))
        self.bus = TglineBus(PortSettings("scripted://bus", 38400), loop.now_ns, opener=self.end.opener)
        self.heard = Heard()
        self.meter = TglineMeter("jackpots", self.bus, LEVELS, loop.now_ns)

    @property
    def screen(self) -> list[str]:
        return self.model.screen(self.loop.now_ns()).splitlines()


def amounts(mega: int | None, major: int | None, *hits: MeterHit) -> MeterContent:
    other = MeterReading("royal_9.minor", 1)  # which this sign does not show
    return MeterContent((MeterReading("royal_9.mega", mega), other, MeterReading("royal_9.major", major)), hits)


def play(script: Callable[[Bench], Awaitable[None]], boards: tuple[int, ...] = ()) -> None:
    async def main(loop: VirtualLoop) -> None:
        bench = Bench(loop, list(boards))
        devices = [
            TglineBoard(BusLinesSettings(f"b{a}", SPOTS, SIZE), bench.bus, a, loop.now_ns) for a in bench.model.boards
        ]
        tasks = [asyncio.ensure_future(bench.meter.run(bench.heard.emit))]
        tasks += [asyncio.ensure_future(device.run(Heard().emit)) for device in devices]
        try:
            await script(bench)
        finally:
            for task in tasks:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
        assert bench.meter.link is LinkState.ABSENT and bench.end.opener.ports[-1].closed

    run_virtual(main)


def test_amounts_are_told_at_least_once_and_at_most_five_times_a_second() -> None:
    async def script(bench: Bench) -> None:
        bench.meter.show(amounts(1_234_567, 45_000))
        await asyncio.sleep(1)
        assert bench.screen == ["1 12345.67", "2 450.00"]
        bench.end.requests.clear()
        for cents in range(45_001, 45_101):  # a change each 100 ms
            bench.meter.show(amounts(1_234_567, cents))
            await asyncio.sleep(0.1)
        decoder = tgline.Decoder()
        heard = [
            (at, tgline_meter.message_of(found.message))
            for at, data in bench.end.requests
            for found in decoder.feed(data)
            if isinstance(found, Received)
        ]
        of_major = [at for at, message in heard if isinstance(message, tgline_meter.Value) and message.level == 2]
        gaps = [later - earlier for earlier, later in itertools.pairwise(of_major)]
        assert 0.2 <= min(gaps) <= max(gaps) <= 1.0
        await asyncio.sleep(1)
        assert bench.screen[1] == "2 451.00", "the newest"

    play(script)


def test_each_show_is_answered_once_it_is_out() -> None:
    async def script(bench: Bench) -> None:
        bench.meter.show(amounts(100, 200))
        await asyncio.sleep(1)
        assert len(bench.heard.of(Shown)) == 1
        bench.meter.show(amounts(100, 200))
        await asyncio.sleep(1)
        assert len(bench.heard.of(Shown)) == 2, "also one that changes nothing"

    play(script)


def test_a_hit_is_told_each_second_until_it_is_over_and_the_oldest_of_a_level_first() -> None:
    async def script(bench: Bench) -> None:
        first, second = MeterHit("royal_9.major", 50_000, 5), MeterHit("royal_9.major", 1_000, 6)
        bench.meter.show(amounts(100, 200, first, second, MeterHit("royal_9.minor", 1, 1)))
        await asyncio.sleep(0.5)
        assert bench.screen == ["1 1.00", "2 HIT 500.00 P5"]
        bench.model.forget_meters()
        await asyncio.sleep(1.6)
        assert bench.screen == ["1 1.00", "2 HIT 500.00 P5"], "switched off and on it is told again"
        bench.meter.show(amounts(100, 300))
        bench.end.cut = True
        await asyncio.sleep(0.5)  # the first CLR is lost
        bench.end.cut = False
        await asyncio.sleep(2)
        assert bench.screen == ["1 1.00", "2 3.00"]

    play(script)


def test_what_is_not_to_be_relied_on_is_dashes_and_so_is_a_dead_wire() -> None:
    async def script(bench: Bench) -> None:
        bench.meter.show(amounts(100, 200))
        await asyncio.sleep(1)
        bench.meter.show(amounts(100, None))
        await asyncio.sleep(6)
        assert bench.screen == ["1 1.00", "2 ------"]
        bench.end.unplug()
        await asyncio.sleep(6)
        assert bench.screen == ["1 ------", "2 ------"]
        bench.meter.show(amounts(300, 400))
        bench.end.plug()
        await asyncio.sleep(60)
        assert bench.screen == ["1 3.00", "2 4.00"]
        assert [e.up for e in bench.heard.events if isinstance(e, LinkChanged)] == [True, False, False, True]

    play(script)


def test_an_amount_without_twelve_digits_is_not_told_at_all() -> None:
    async def script(bench: Bench) -> None:
        bench.meter.show(amounts(100, 200))
        await asyncio.sleep(1)
        bench.meter.show(amounts(10**12, 200))
        await asyncio.sleep(6)
        assert bench.screen == ["1 ------", "2 ------"]
        (failed,) = bench.heard.of(ShowFailed)
        assert isinstance(failed, ShowFailed) and "no legal tgline of a meter" in failed.reason

    play(script)


def test_meters_and_boards_share_a_bus_and_dead_boards_do_not_darken_the_meters() -> None:
    async def script(bench: Bench) -> None:
        bench.meter.show(amounts(100, 200))
        await asyncio.sleep(2)
        assert bench.screen == ["1 1.00", "2 2.00"]
        polls = {board.address: board.polls for board in bench.model.boards.values()}
        assert min(polls.values()) >= 20
        for board in bench.model.boards.values():
            board.powered = False
        await asyncio.sleep(30)
        assert bench.screen == ["1 1.00", "2 2.00"] and bench.meter.link is LinkState.READY

    play(script, boards=(3, 4))


@pytest.mark.parametrize("levels", [{}, {"a": 0}, {"a": 10}, {"a": 1, "b": 1}])
def test_levels_that_there_are_not_are_refused(levels: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="a level of its own from 1 to 9"):
        TglineMeter("m", TglineBus(PortSettings("x", 9600), lambda: 0), levels, lambda: 0)
