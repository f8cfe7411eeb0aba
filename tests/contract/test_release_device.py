"""The contract of `ReleaseDevice`, in memory and on lines of the simulated chip as a process; and its faults."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from typing import Protocol

import pytest

from drivers.devices.gpio_release import BALL, BUTTON, GpioRelease, Pulse
from drivers.devices.line_inputs import GpioLineInputs, LineInputsSettings
from drivers.events import LinkChanged, LinkState
from drivers.gpio.backends import GpioBackend, factory_maker, gpio_pins
from drivers.gpio.gpiozero_pins import OutputPins
from drivers.gpio.pins import PinsLostError
from drivers.line_spec import NS_PER_MS, DecisionWindow, LineRole, LineSpec
from drivers.ports import ReleaseDevice
from drivers.release_events import BallLeft, ReleaseAsked, Released, ReleaseFailed, ReleaseRefused
from hil.chip_control import SimulatedChip, simulated_chip
from tests.drivers.recorder import WAIT_S, Recorder

SPARE_LINE, LINE, BUTTON_LINE, BALL_LINE = range(4)
PULSE_MS, PAUSE_MS = 60, 250
SLACK_MS = 1000
"""Of a machine that is busy with other tests."""


class MemoryPins:
    """Output pins in memory, with every level and when. Strict: no write while closed."""

    def __init__(self) -> None:
        self.levels: list[tuple[float, bool]] = []
        self.away = False
        self.hang_s = 0.0
        self._lost: Callable[[str], None] | None = None

    def open(self, safe: Sequence[tuple[int, bool]], lost: Callable[[str], None]) -> None:
        if self.away:
            raise PinsLostError("memory pins are away")
        self._lost = lost
        ((_, high),) = safe
        self.levels.append((time.monotonic(), high))

    def write(self, number: int, high: bool) -> None:
        if self.away or self._lost is None:
            raise PinsLostError("memory pins are away")
        assert number == LINE
        self.levels.append((time.monotonic(), high))
        if high and self.hang_s:
            threading.Event().wait(self.hang_s)  # the driver below stands still

    def close(self) -> None:
        self._lost = None

    def lose(self) -> None:
        self.away, lost = True, self._lost
        assert lost is not None
        threading.Thread(target=lost, args=("pulled out",)).start()


class Bench(Protocol):
    device: ReleaseDevice

    async def releasing(self) -> bool:
        """Whether the line stands at the level that releases."""

    async def lose(self) -> None: ...

    async def restore(self) -> None: ...


class MemoryBench:
    def __init__(self, slack_ms: int = SLACK_MS) -> None:
        self.pins = MemoryPins()
        self.device: ReleaseDevice = GpioRelease(
            "release", "sim+memory", (self.pins, LINE), Pulse(PULSE_MS, PAUSE_MS, False, slack_ms)
        )

    async def releasing(self) -> bool:
        return self.pins.levels[-1][1]

    async def lose(self) -> None:
        self.pins.lose()

    async def restore(self) -> None:
        self.pins.away = False


class ChipBench:
    def __init__(self, chip: SimulatedChip, active_low: bool) -> None:
        self.chip = chip
        self._active_low = active_low
        pins = OutputPins(factory_maker(GpioBackend.SIMULATED, socket=chip.socket))
        lines = [LineSpec(BUTTON, BUTTON_LINE, LineRole.BUTTON), LineSpec(BALL, BALL_LINE, LineRole.SPOT)]
        window = DecisionWindow(present_ns=2 * NS_PER_MS, absent_ns=20 * NS_PER_MS)
        settings = LineInputsSettings("release", lines, (), window, 0)
        inputs = GpioLineInputs(settings, gpio_pins(GpioBackend.SIMULATED, socket=chip.socket))
        self.device: ReleaseDevice = GpioRelease(
            "release", "sim+chip", (pins, LINE), Pulse(PULSE_MS, PAUSE_MS, active_low, SLACK_MS), inputs
        )

    async def releasing(self) -> bool:
        levels = await self.chip.control.outputs()
        return levels[LINE] ^ self._active_low

    async def lose(self) -> None:
        await self.chip.control.disconnect(ms=200)

    async def restore(self) -> None:
        pass  # it comes back by itself


@contextlib.asynccontextmanager
async def memory(folder: Path) -> AsyncIterator[Bench]:
    yield MemoryBench()


@contextlib.asynccontextmanager
async def chip(folder: Path) -> AsyncIterator[ChipBench]:
    async with simulated_chip(folder, lines=4, pixels=1) as started:
        yield ChipBench(started, active_low=False)


@contextlib.asynccontextmanager
async def low_chip(folder: Path) -> AsyncIterator[ChipBench]:
    async with simulated_chip(folder, lines=4, pixels=1) as started:
        yield ChipBench(started, active_low=True)


BENCHES: dict[str, Callable[[Path], contextlib.AbstractAsyncContextManager[Bench]]] = {
    "memory": memory,
    "simulated chip": chip,
    "simulated chip, low": low_chip,
}
Script = Callable[[Bench, Recorder], Awaitable[None]]


def play(backend: str, folder: Path, script: Script) -> None:
    async def main() -> None:
        async with BENCHES[backend](folder) as bench:
            recorder = Recorder()
            async with recorder.running(bench.device):
                await recorder.wait(LinkChanged, lambda event: event.up)
                await script(bench, recorder)
            assert bench.device.link is LinkState.ABSENT
            assert not await bench.releasing()

    asyncio.run(main())


async def until_releasing(bench: Bench) -> None:
    async with asyncio.timeout(WAIT_S):
        while not await bench.releasing():
            await asyncio.sleep(0.001)


@pytest.mark.parametrize("backend", BENCHES)
class TestReleaseDevice:
    def test_one_pulse_an_order_of_its_length_and_at_rest_before_and_after(self, backend: str, tmp_path: Path) -> None:
        async def script(bench: Bench, recorder: Recorder) -> None:
            assert bench.device.identity.startswith("sim+")
            assert not await bench.releasing()
            bench.device.release(1)
            await until_releasing(bench)
            given = await recorder.wait(Released)
            assert given.order == 1
            assert PULSE_MS <= (given.ended_ns - given.began_ns) / NS_PER_MS < PULSE_MS + SLACK_MS
            assert not await bench.releasing()
            assert bench.device.counters["pulses"] == 1

        play(backend, tmp_path, script)

    def test_never_two_at_once_nor_too_soon(self, backend: str, tmp_path: Path) -> None:
        async def script(bench: Bench, recorder: Recorder) -> None:
            bench.device.release(1)
            bench.device.release(2)
            refused = await recorder.wait(ReleaseRefused)
            assert (refused.order, "order 1 is not over" in refused.reason) == (2, True)
            first = await recorder.wait(Released)
            bench.device.release(3)
            refused = await recorder.wait(ReleaseRefused, count=2)
            assert (refused.order, "pause of 250 ms" in refused.reason) == (3, True)
            async with asyncio.timeout(WAIT_S):
                while time.monotonic_ns() < first.ended_ns + PAUSE_MS * NS_PER_MS:
                    await asyncio.sleep(0.01)
            bench.device.release(4)
            second = await recorder.wait(Released, count=2)
            assert second.order == 4 and second.began_ns - first.ended_ns >= PAUSE_MS * NS_PER_MS

        play(backend, tmp_path, script)

    def test_an_order_while_it_is_away_is_refused_and_never_kept(self, backend: str, tmp_path: Path) -> None:
        async def script(bench: Bench, recorder: Recorder) -> None:
            await bench.lose()
            down = await recorder.wait(LinkChanged, lambda event: not event.up)
            assert down.reason
            bench.device.release(1)
            assert (await recorder.wait(ReleaseRefused)).order == 1
            await bench.restore()
            await recorder.wait(LinkChanged, lambda event: event.up, count=2)
            assert not await bench.releasing()
            bench.device.release(2)
            assert (await recorder.wait(Released)).order == 2
            assert len(recorder.all(Released)) == 1

        play(backend, tmp_path, script)

    def test_ended_in_a_pulse_it_is_at_rest(self, backend: str, tmp_path: Path) -> None:
        async def script(bench: Bench, recorder: Recorder) -> None:
            bench.device.release(1)
            await until_releasing(bench)

        play(backend, tmp_path, script)

    def test_lost_in_a_pulse_it_is_a_failure_or_given_whole_never_silence(self, backend: str, tmp_path: Path) -> None:
        async def script(bench: Bench, recorder: Recorder) -> None:
            bench.device.release(1)
            await until_releasing(bench)
            await bench.lose()
            answer = await recorder.wait(Released | ReleaseFailed)
            assert answer.order == 1
            await bench.restore()
            await recorder.wait(LinkChanged, lambda event: event.up, count=2)
            assert not await bench.releasing(), "claimed anew at rest"

        play(backend, tmp_path, script)


def test_a_button_asks_and_releases_nothing_and_balls_are_counted_to_their_order(tmp_path: Path) -> None:
    async def script(bench: ChipBench, recorder: Recorder) -> None:
        control = bench.chip.control
        await control.pulse(BALL_LINE, False, 8)
        assert (await recorder.wait(BallLeft)).order is None, "nobody ordered it"
        await control.pulse(BUTTON_LINE, False, 80)
        await recorder.wait(ReleaseAsked)
        assert not await bench.releasing()
        bench.device.release(7)
        await until_releasing(bench)
        for _ in range(3):
            await control.pulse(BALL_LINE, False, 8)
            await control.pulse(SPARE_LINE, False, 40)  # the distance between two balls, by the chip's own time
        await recorder.wait(BallLeft, lambda event: event.order == 7, count=3)
        assert await recorder.wait(Released)
        assert bench.device.counters["balls"] == 3 and bench.device.counters["balls_without_order"] == 1

    play("simulated chip", tmp_path, script)


def test_a_line_below_that_stands_still_is_a_failure_with_its_length() -> None:
    async def main() -> None:
        bench, recorder = MemoryBench(slack_ms=50), Recorder()
        bench.pins.hang_s = 0.2
        async with recorder.running(bench.device):
            await recorder.wait(LinkChanged)
            bench.device.release(1)
            failed = await recorder.wait(ReleaseFailed)
            assert "ms instead of 60" in failed.reason
            assert not bench.pins.levels[-1][1]

    asyncio.run(main())


def test_a_loop_that_stands_still_makes_no_pulse_longer() -> None:
    async def main() -> None:
        bench, recorder = MemoryBench(), Recorder()
        async with recorder.running(bench.device):
            await recorder.wait(LinkChanged)
            bench.device.release(1)
            await until_releasing(bench)
            threading.Event().wait((PULSE_MS + 2 * SLACK_MS) / 1000)  # the loop stands still
            given = await recorder.wait(Released)
            assert (given.ended_ns - given.began_ns) / NS_PER_MS < PULSE_MS + SLACK_MS

    asyncio.run(main())


@pytest.mark.parametrize(("pulse_ms", "pause_ms"), [(0, 0), (2001, 0), (10, -1)])
def test_a_pulse_that_can_not_be_meant_is_refused(pulse_ms: int, pause_ms: int) -> None:
    with pytest.raises(ValueError, match="expected"):
        Pulse(pulse_ms, pause_ms)
