"""Modbus units on one bus: polled, refusing, garbled, dead; each by itself. In memory, on virtual time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import cast

import pytest

from drivers.devices.bus_lines import BusLinesSettings
from drivers.devices.modbus_inputs import ModbusInputs
from drivers.events import LineChanged, LinesReady, LinesSettled, LinkChanged, LinkState
from drivers.line_spec import LineRole, LineSpec
from drivers.links.bus import Bus, BusTiming
from drivers.links.port import PortSettings
from drivers.ports import BackendUnavailable
from hil.sim.bus_faults import BusFault
from hil.sim.modbus_model import ModbusModel, Unit
from tests.bus_bench import SPOTS, Heard, ScriptedBus
from tests.virtual_time import VirtualLoop, run_virtual

LINES = (*SPOTS, LineSpec("door", 7, LineRole.KEY, normally_closed=True))


class Bench:
    def __init__(self, loop: VirtualLoop) -> None:
        self.loop = loop
        self.model = ModbusModel([Unit(3, 0, 8, {7: True}), Unit(9, 100, 8, {107: True})])
        self.end = ScriptedBus(loop, self.model.received)
        timing = BusTiming(0.1, 0.004, 0.05, longest_bytes=64)
        self.bus = Bus(PortSettings("scripted://bus", 9600), loop.now_ns, timing, self.end.opener)
        self.heard = {3: Heard(), 9: Heard()}
        self.devices = {
            unit: ModbusInputs(BusLinesSettings(f"unit{unit}", LINES, 8), self.bus, unit, first, loop.now_ns)
            for unit, first in ((3, 0), (9, 100))
        }

    def ups(self, unit: int) -> list[bool]:
        return [cast(LinkChanged, event).up for event in self.heard[unit].of(LinkChanged)]


def play(script: Callable[[Bench], Awaitable[None]]) -> None:
    async def main(loop: VirtualLoop) -> None:
        bench = Bench(loop)
        tasks = [asyncio.ensure_future(d.run(bench.heard[u].emit)) for u, d in bench.devices.items()]
        await asyncio.sleep(1)
        await script(bench)
        for task in tasks:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        assert bench.end.opener.ports[-1].closed

    run_virtual(main)


def test_levels_changes_and_what_the_press_found() -> None:
    async def script(bench: Bench) -> None:
        assert bench.ups(3) == bench.ups(9) == [True]
        ready = cast(LinesReady, bench.heard[9].of(LinesReady)[0])
        assert not any(level.active for level in ready.levels), "the door's contact is closed"
        placed_ns = bench.loop.now_ns()
        bench.model.units[9].inputs[102] = True
        await asyncio.sleep(0.5)
        (changed,) = cast(list[LineChanged], bench.heard[9].of(LineChanged))
        assert (changed.line, changed.active) == ("spot2", True)
        assert changed.not_before_ns <= placed_ns <= changed.not_after_ns
        bench.model.units[9].inputs[107] = False
        bench.devices[9].settle(bench.loop.now_ns())
        bench.model.units[9].inputs[103] = True
        await asyncio.sleep(0.6)
        settled = cast(LinesSettled, bench.heard[9].of(LinesSettled)[0])
        assert [(v.line, v.active, v.straddles) for v in settled.verdicts if v.active] == [
            ("spot2", True, False),
            ("spot3", True, True),
        ], "no latch here: about the press is in doubt"
        assert [e.line for e in cast(list[LineChanged], bench.heard[9].of(LineChanged))][1:] == ["door", "spot3"] or [
            e.line for e in cast(list[LineChanged], bench.heard[9].of(LineChanged))
        ][1:] == ["spot3", "door"]
        assert bench.heard[3].of(LineChanged) == []

    play(script)


def test_a_unit_that_refuses_says_why_once_and_the_other_goes_on() -> None:
    async def script(bench: Bench) -> None:
        bench.model.units[3].refuses = 2
        await asyncio.sleep(10)
        downs = [e for e in cast(list[LinkChanged], bench.heard[3].of(LinkChanged)) if not e.up]
        assert [e.reason for e in downs] == [
            "Modbus unit 3 refuses: illegal data address; is its number of inputs right?"
        ]
        assert bench.devices[3].link is LinkState.STALE and bench.ups(9) == [True]
        bench.model.units[3].refuses = 0
        await asyncio.sleep(1)
        assert bench.ups(3) == [True, False, True]

    play(script)


@pytest.mark.parametrize("fault", BusFault)
def test_bad_answers_change_nothing_and_many_are_a_dead_unit(fault: BusFault, caplog: pytest.LogCaptureFixture) -> None:
    async def script(bench: Bench) -> None:
        waiting = bench.model.faults._waiting
        waiting[3] = [fault] * 2
        await asyncio.sleep(2)
        assert bench.ups(3) == [True]
        waiting[3] = [fault] * 60
        await asyncio.sleep(3)
        waiting[3] = []
        await asyncio.sleep(3)
        assert bench.ups(3)[-1] and bench.ups(9) == [True]
        assert bench.heard[3].of(LineChanged) == [] == bench.heard[9].of(LineChanged)

    with caplog.at_level(logging.DEBUG):
        play(script)
    assert len([r for r in caplog.records if r.levelno >= logging.INFO]) <= 12, caplog.text


def test_a_unit_without_power_is_told_within_a_second_and_comes_back() -> None:
    async def script(bench: Bench) -> None:
        bench.model.units[3].powered = False
        await asyncio.sleep(1)
        assert bench.ups(3) == [True, False]
        bench.model.units[3].powered = True
        await asyncio.sleep(1)
        assert bench.ups(3) == [True, False, True]
        assert len(bench.heard[3].of(LinesReady)) == 2

    play(script)


def test_a_lock_out_button_is_refused() -> None:
    lock = BusLinesSettings("u", (LineSpec("lock", 0, LineRole.LOCK_OUT),), 8)
    with pytest.raises(BackendUnavailable, match="Modbus unit 3 is polled and stamps no edges"):
        ModbusInputs(lock, Bus(PortSettings("x", 9600), lambda: 0), 3, 0, lambda: 0)
