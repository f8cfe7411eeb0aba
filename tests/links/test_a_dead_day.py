"""A device that is dead for a day: no memory, no flood in the log, and it is noticed when it lives again."""

from __future__ import annotations

import asyncio
import gc
import logging
import tracemalloc
from collections.abc import Callable
from contextlib import suppress

import pytest

from drivers.codecs import angeleye, tgline
from drivers.codecs.angeleye_messages import StandBy as AngelEyeStandBy
from drivers.codecs.tgline_events import StandBy
from drivers.codecs.tgline_shoe import line_of
from drivers.devices import angeleye_shoe, tgline_shoe
from drivers.devices.bus_lines import BusLinesSettings
from drivers.devices.tgline_board import SIZE, TglineBoard, TglineBus
from drivers.events import DeviceEvent, LinkChanged
from drivers.links.port import PortError, PortSettings
from drivers.ports import Device
from hil.sim.tgline_bus_model import BusModel
from tests.bus_bench import SPOTS, ScriptedBus
from tests.scripted_port import ScriptedOpener, ScriptedPort, absent
from tests.virtual_time import VirtualLoop, run_virtual

HOUR_S = 3600
MEMORY_BYTES = 64 * 1024
EVENTS_MOST = 6
LINES_MOST = 6

Make = Callable[[VirtualLoop, ScriptedOpener], Device]


def _tgline(loop: VirtualLoop, opener: ScriptedOpener) -> Device:
    return tgline_shoe.create(name="shoe", url="scripted://port", now_ns=loop.now_ns, opener=opener)


def _angeleye(loop: VirtualLoop, opener: ScriptedOpener) -> Device:
    return angeleye_shoe.create(
        name="shoe", url="scripted://port", now_ns=loop.now_ns, opener=opener, silent_limit_s=30
    )


SHOES: dict[str, tuple[Make, bytes]] = {
    "tgline": (_tgline, tgline.encode(line_of(1, 5, StandBy()))),
    "angeleye": (_angeleye, angeleye.encode("1", AngelEyeStandBy())),
}


async def dead_for_a_day(device: Device, opener: ScriptedOpener, caplog: pytest.LogCaptureFixture) -> list[DeviceEvent]:
    """What the device told; memory and log are judged."""
    told: list[DeviceEvent] = []
    task = asyncio.ensure_future(device.run(told.append))
    await asyncio.sleep(2 * HOUR_S)  # what it keeps once is kept
    forget(opener)
    gc.collect()
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    await asyncio.sleep(22 * HOUR_S)
    forget(opener)
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    assert after - before < MEMORY_BYTES, f"{after - before} bytes more after 22 hours"
    lines = [record.getMessage() for record in caplog.records]
    assert len(lines) <= LINES_MOST, lines
    assert len(told) <= EVENTS_MOST, told
    return told


def forget(opener: ScriptedOpener) -> None:
    """What the test itself keeps of the port."""
    opener.attempts_ns.clear()
    del opener.ports[:-1]


@pytest.mark.parametrize("shoe", SHOES)
def test_a_shoe_that_is_silent_for_a_day(shoe: str, caplog: pytest.LogCaptureFixture) -> None:
    make, sign_of_life = SHOES[shoe]

    async def main(loop: VirtualLoop) -> None:
        opener = ScriptedOpener()
        opened: list[ScriptedPort] = []

        def prepare(port: ScriptedPort) -> None:
            if not opened:
                loop.call_later(1, port.send, sign_of_life)
                opened.append(port)

        opener.prepare = prepare
        told = await dead_for_a_day(make(loop, opener), opener, caplog)
        links = [event for event in told if isinstance(event, LinkChanged)]
        assert [event.up for event in links].count(True) == 1, links
        assert not links[-1].up

    with caplog.at_level(logging.INFO):
        run_virtual(main)


@pytest.mark.parametrize("shoe", SHOES)
def test_a_shoe_whose_port_is_gone_or_refused_for_a_day(shoe: str, caplog: pytest.LogCaptureFixture) -> None:
    make, _ = SHOES[shoe]
    for error in (absent(), PortError("scripted://port is used by process 7 (minicom)")):
        caplog.clear()

        async def main(loop: VirtualLoop, error: PortError = error) -> None:
            opener = ScriptedOpener()
            opener.error = error
            told = await dead_for_a_day(make(loop, opener), opener, caplog)
            assert len(told) == 1

        with caplog.at_level(logging.INFO):
            run_virtual(main)


def test_a_bus_whose_boards_are_dead_for_a_day(caplog: pytest.LogCaptureFixture) -> None:
    async def main(loop: VirtualLoop) -> None:
        model = BusModel([3])
        end = ScriptedBus(loop, lambda data: model.received(data, loop.now_ns()))
        bus = TglineBus(PortSettings("scripted://bus", 38400), loop.now_ns, opener=end.opener)
        board = TglineBoard(BusLinesSettings("b3", SPOTS, SIZE), bus, 3, loop.now_ns)
        told: list[DeviceEvent] = []
        task = asyncio.ensure_future(board.run(told.append))
        await asyncio.sleep(1)
        end.cut = True
        await asyncio.sleep(HOUR_S)  # of a day: polls cost the test time
        task.cancel()
        with suppress(asyncio.CancelledError):
            await task
        assert len([event for event in told if isinstance(event, LinkChanged)]) <= 3

    with caplog.at_level(logging.INFO):
        run_virtual(main)
    assert len(caplog.records) <= LINES_MOST, [record.getMessage() for record in caplog.records]
