"""The contract of `MeterDisplay`, on every back end: the newest content, whole, also after a return; never a guess."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from time import monotonic_ns

import pytest

from drivers.devices.max7219_meter import Max7219Meter
from drivers.devices.spi_latches import SimulatedLatches
from drivers.devices.tgline_board import TglineBus
from drivers.devices.tgline_meter import TglineMeter
from drivers.events import LinkChanged, LinkState, ShowFailed, Shown
from drivers.links.port import PortSettings
from drivers.ports import MeterContent, MeterDisplay, MeterHit, MeterReading
from hil.sim.tgline_bus_model import BusModel
from hil.simclient import AsyncSimClient
from tests.bus_bench import ScriptedBus
from tests.contract.benches import ProcessEnd, ScreenEnd, ScriptedScreen, on_process
from tests.drivers.recorder import Recorder
from tests.virtual_time import VirtualLoop, run_virtual

Script = Callable[[MeterDisplay, ScreenEnd, Recorder], Awaitable[None]]
LEVELS = {"mega": 1, "major": 2}


class ScriptedMeters(ScriptedScreen):
    def __init__(self, loop: VirtualLoop) -> None:
        self.model = BusModel([])
        self.bus = ScriptedBus(loop, lambda data: self.model.received(data, loop.now_ns()))
        super().__init__(self.bus.opener, loop)

    def forget(self) -> None:
        self.model.forget_meters()

    def hear(self, data: bytes) -> None:
        self.model.received(data, self._loop.now_ns())

    def see(self) -> str:
        return self.model.screen(self._loop.now_ns())


def tgline_in_memory(script: Script) -> None:
    async def main(loop: VirtualLoop) -> None:
        end, recorder = ScriptedMeters(loop), Recorder()
        bus = TglineBus(PortSettings("scripted://bus", 38400), loop.now_ns, opener=end.bus.opener)
        device = TglineMeter("jackpots", bus, LEVELS, loop.now_ns, simulated=True)
        async with recorder.running(device):
            await script(device, end, recorder)

    run_virtual(main)


def tgline_as_a_process(script: Script) -> None:
    async def main(port: Path, client: AsyncSimClient) -> None:
        recorder = Recorder()
        bus = TglineBus(PortSettings(str(port), 38400), monotonic_ns)
        device = TglineMeter("jackpots", bus, LEVELS, monotonic_ns, simulated=True)
        async with recorder.running(device):
            await script(device, ProcessEnd(client), recorder)

    on_process("hil.sim.tgline_bus", main)


def max7219_as_a_process(script: Script) -> None:
    async def main(port: Path, client: AsyncSimClient) -> None:
        recorder = Recorder()
        device = Max7219Meter("figures", SimulatedLatches(port), tuple(LEVELS), 7, monotonic_ns)
        async with recorder.running(device):
            await script(device, ProcessEnd(client), recorder)

    on_process("hil.sim.max7219", main, "--chips", "2")


BACKENDS: dict[str, Callable[[Script], None]] = {
    "tgline in memory": tgline_in_memory,
    "tgline as a process": tgline_as_a_process,
    "max7219 as a process": max7219_as_a_process,
}
SEAT = {"max7219 as a process": ("500.00", "HIT P5")}
"""What tells a hit of 500 dollars at position 5, one after the other, where it is not "500.00 P5"."""


def amounts(mega: int | None, major: int | None, *hits: MeterHit) -> MeterContent:
    return MeterContent((MeterReading("mega", mega), MeterReading("major", major)), hits)


@pytest.mark.parametrize("backend", BACKENDS)
class TestMeterDisplay:
    def test_it_shows_what_it_was_last_told_and_says_so(self, backend: str) -> None:
        async def script(device: MeterDisplay, end: ScreenEnd, recorder: Recorder) -> None:
            assert device.identity.startswith("sim+")
            device.show(amounts(100, 200))  # before it is there
            device.show(amounts(1_234_567, 45_005))
            await end.until("12345.67")
            await end.until("450.05")
            await recorder.wait(Shown)
            assert device.link is LinkState.READY
            device.show(amounts(1_234_568, 45_005))
            await end.until("12345.68")
            await recorder.wait(Shown, count=2)

        BACKENDS[backend](script)

    def test_a_hit_and_its_end(self, backend: str) -> None:
        async def script(device: MeterDisplay, end: ScreenEnd, recorder: Recorder) -> None:
            device.show(amounts(100, 50_000, MeterHit("major", 50_000, 5)))
            for text in SEAT.get(backend, ("500.00 P5",)):
                await end.until(text)
            device.show(amounts(100, 20_000))
            await end.until("200.00")
            assert "P5" not in await end.screen()

        BACKENDS[backend](script)

    def test_other_meters_are_left_out_and_its_own_that_is_missing_is_dashes(self, backend: str) -> None:
        async def script(device: MeterDisplay, end: ScreenEnd, recorder: Recorder) -> None:
            device.show(amounts(100, 200))
            await end.until("2.00")
            device.show(MeterContent((MeterReading("mega", 300), MeterReading("minor", 77_700))))
            await end.until("3.00")
            await end.until("---")
            assert "777.00" not in await end.screen()

        BACKENDS[backend](script)

    def test_after_a_power_cut_of_its_own_all_is_there_again(self, backend: str) -> None:
        async def script(device: MeterDisplay, end: ScreenEnd, recorder: Recorder) -> None:
            device.show(amounts(100, 200))
            await end.until("2.00")
            await end.power_cycle()
            await end.until("1.00")
            await end.until("2.00")

        BACKENDS[backend](script)

    def test_unplugged_nothing_blocks_and_plugged_in_again_the_newest_is_shown(self, backend: str) -> None:
        async def script(device: MeterDisplay, end: ScreenEnd, recorder: Recorder) -> None:
            device.show(amounts(100, 200))
            await end.until("2.00")
            await end.unplug()
            await recorder.wait(LinkChanged, lambda event: not event.up)
            for cents in range(1000, 1100):
                device.show(amounts(100, cents))
            await end.plug()
            await end.until("10.99")
            assert not recorder.all(ShowFailed)

        BACKENDS[backend](script)
