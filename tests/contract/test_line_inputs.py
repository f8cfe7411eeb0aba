"""The contract of `LineInputs`, on every back end that can run here: memory, the simulated chip as a process, lgpio
where a kernel's gpio-sim is set up."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from typing import Protocol

import pytest

from drivers.devices.line_inputs import GpioLineInputs, LineInputsSettings
from drivers.events import (
    LineChanged,
    LineEdge,
    LineGlitch,
    LineReconciled,
    LinesReady,
    LinesSettled,
    LinkChanged,
    LinkState,
)
from drivers.gpio.backends import GpioBackend, gpio_pins
from drivers.gpio.pins import InputPin, InputPins, PinSink, Pull
from drivers.line_spec import DecisionWindow, LineRole, LineSpec
from drivers.ports import BackendUnavailable, LineInputs, Timestamps
from hil.chip_control import SimulatedChip, simulated_chip
from tests.contract.jumpered import jumpered_bench
from tests.contract.memory_pins import MemoryPins
from tests.drivers.recorder import Recorder

MS = 1_000_000
LOCK, CHIP, OTHER = 0, 1, 2
LINES = (
    LineSpec("lock", LOCK, LineRole.LOCK_OUT, normally_closed=True),
    LineSpec("chip", CHIP, LineRole.SPOT),
    LineSpec("other", OTHER, LineRole.SPOT),
)
SETTINGS = LineInputsSettings("table", LINES, window=DecisionWindow(30 * MS, 60 * MS, 40 * MS), settle_ns=0)


class Bench(Protocol):
    """What moves the lines under test."""

    @property
    def pins(self) -> InputPins: ...

    async def set(self, line: int, high: bool) -> int: ...

    async def lose(self) -> None: ...

    async def restore(self) -> None: ...


class MemoryBench:
    def __init__(self) -> None:
        self.pins = MemoryPins(3)
        self.pins.high[LOCK] = False

    async def set(self, line: int, high: bool) -> int:
        return self.pins.set(line, high)

    async def lose(self) -> None:
        self.pins.lose()

    async def restore(self) -> None:
        self.pins.away = False


class ChipBench:
    def __init__(self, chip: SimulatedChip) -> None:
        self.chip = chip
        self.pins = gpio_pins(GpioBackend.SIMULATED, socket=chip.socket)

    async def set(self, line: int, high: bool) -> int:
        return await self.chip.control.set(line, high)

    async def lose(self) -> None:
        await self.chip.control.disconnect(ms=200)

    async def restore(self) -> None:
        pass  # it comes back by itself


@contextlib.asynccontextmanager
async def memory_bench(folder: Path) -> AsyncIterator[Bench]:
    yield MemoryBench()


@contextlib.asynccontextmanager
async def chip_bench(folder: Path) -> AsyncIterator[Bench]:
    async with simulated_chip(folder, lines=3, pixels=0, closed=[LOCK]) as chip:
        yield ChipBench(chip)


class Floating:
    """Input pins without the chip's own resistors. gpio-sim knows one pull a line, whoever set it last: a program that
    asks for a pull would move the contact."""

    def __init__(self, pins: InputPins) -> None:
        self._pins = pins
        self.identity, self.timestamps = pins.identity, pins.timestamps
        self.read_levels, self.close = pins.read_levels, pins.close

    def open(self, pins: Sequence[InputPin], sink: PinSink) -> None:
        self._pins.open([InputPin(pin.number, Pull.FLOATING) for pin in pins], sink)


class SimLines:
    """The kernel's gpio-sim: a chip whose contacts are files. Set up by the machine, not by the test."""

    def __init__(self, folder: Path, number: int) -> None:
        self._folder = folder
        self.pins = Floating(gpio_pins(GpioBackend.LGPIO, chip=number))

    async def set(self, line: int, high: bool) -> int:
        import time

        at_ns = time.monotonic_ns()
        (self._folder / f"sim_gpio{line}" / "pull").write_text("pull-up" if high else "pull-down")
        return at_ns

    async def lose(self) -> None:
        pytest.skip("gpio-sim can't be unplugged while a line is claimed")

    async def restore(self) -> None: ...


@contextlib.asynccontextmanager
async def gpio_sim_bench(folder: Path) -> AsyncIterator[Bench]:
    banks = sorted(Path("/sys/devices/platform").glob("gpio-sim.*/gpiochip*"))
    if not banks:
        pytest.skip(
            "no gpio-sim in this kernel (needs the module gpio-sim and a bank with 3 lines): lgpio not exercised"
        )
    bench = SimLines(banks[0], int(banks[0].name.removeprefix("gpiochip")))
    for line in (LOCK, CHIP, OTHER):  # as the test before this one left them
        await bench.set(line, line != LOCK)
    yield bench


BENCHES = {
    "memory": memory_bench,
    "simulated chip": chip_bench,
    "lgpio on gpio-sim": gpio_sim_bench,
    "jumpered pins": jumpered_bench,
}


@pytest.mark.parametrize("backend", BENCHES)
class TestLineInputs:
    def play(
        self,
        backend: str,
        folder: Path,
        script: Callable[[Bench, LineInputs, Recorder], Awaitable[None]],
        settings: LineInputsSettings = SETTINGS,
    ) -> None:
        async def main() -> None:
            async with BENCHES[backend](folder) as bench:
                device: LineInputs = GpioLineInputs(settings, bench.pins)
                recorder = Recorder()
                async with recorder.running(device):
                    await recorder.wait(LinkChanged, lambda event: event.up)
                    await script(bench, device, recorder)
                assert device.link is LinkState.ABSENT

        asyncio.run(main())

    def test_start_gives_levels_and_no_edges(self, backend: str, tmp_path: Path) -> None:
        async def script(bench: Bench, device: LineInputs, recorder: Recorder) -> None:
            assert device.link is LinkState.READY
            assert device.timestamps is Timestamps.KERNEL
            ready, up = recorder.events
            assert isinstance(ready, LinesReady) and isinstance(up, LinkChanged)
            assert {state.line: state.active for state in ready.levels} == {
                "lock": False,
                "chip": False,
                "other": False,
            }

        self.play(backend, tmp_path, script)

    def test_chip_comes_and_goes(self, backend: str, tmp_path: Path) -> None:
        async def script(bench: Bench, device: LineInputs, recorder: Recorder) -> None:
            before = await bench.set(CHIP, False)
            placed = await recorder.wait(LineChanged)
            assert (placed.line, placed.active) == ("chip", True)
            assert abs(placed.not_before_ns - before) < 20 * MS
            assert placed.not_before_ns == placed.not_after_ns == placed.decided_ns - 30 * MS
            await bench.set(CHIP, True)
            left = await recorder.wait(LineChanged, count=2)
            assert (left.line, left.active) == ("chip", False)

        self.play(backend, tmp_path, script)

    def test_lock_out_acts_at_once_and_a_glitch_is_taken_back(self, backend: str, tmp_path: Path) -> None:
        async def script(bench: Bench, device: LineInputs, recorder: Recorder) -> None:
            await bench.set(LOCK, True)
            pressed = await recorder.wait(LineEdge)
            await bench.set(LOCK, False)
            taken_back = await recorder.wait(LineGlitch)
            assert taken_back.at_ns == pressed.at_ns and taken_back.lasted_ns > 0
            await bench.set(LOCK, True)
            held = await recorder.wait(LineChanged)
            assert held.line == "lock" and held.not_before_ns == recorder.all(LineEdge)[-1].at_ns

        self.play(backend, tmp_path, script)

    def test_settle_tells_before_from_after(self, backend: str, tmp_path: Path) -> None:
        async def script(bench: Bench, device: LineInputs, recorder: Recorder) -> None:
            await bench.set(CHIP, False)
            await bench.set(LOCK, True)
            pressed = await recorder.wait(LineEdge)
            device.settle(pressed.at_ns)
            await bench.set(OTHER, False)
            settled = await recorder.wait(LinesSettled)
            assert settled.at_ns == pressed.at_ns and settled.window_ns >= 70 * MS
            chip, other = settled.verdicts
            assert (chip.line, chip.active, chip.straddles, chip.contradicted) == ("chip", True, False, False)
            assert (other.line, other.active, other.contradicted, other.arrived_after) == ("other", False, False, True)

        self.play(backend, tmp_path, script)

    def test_unsettle_takes_the_question_back(self, backend: str, tmp_path: Path) -> None:
        async def script(bench: Bench, device: LineInputs, recorder: Recorder) -> None:
            at_ns = await bench.set(CHIP, False)
            device.settle(at_ns)
            device.unsettle()
            await recorder.wait(LineChanged)
            device.settle(at_ns + 1)
            settled = await recorder.wait(LinesSettled)
            assert settled.at_ns == at_ns + 1 and len(recorder.all(LinesSettled)) == 1

        self.play(backend, tmp_path, script)

    def test_loss_is_told_once_and_return_gives_levels_anew(self, backend: str, tmp_path: Path) -> None:
        async def script(bench: Bench, device: LineInputs, recorder: Recorder) -> None:
            await bench.lose()
            down = await recorder.wait(LinkChanged, lambda event: not event.up)
            assert down.state is LinkState.BACKOFF and down.reason
            device.settle(down.at_ns)
            settled = await recorder.wait(LinesSettled)
            assert all(verdict.contradicted and not verdict.active for verdict in settled.verdicts)
            await bench.set(CHIP, False)
            await bench.restore()
            ready = await recorder.wait(LinesReady, count=2)
            assert {state.line: state.active for state in ready.levels}["chip"]
            assert [event.up for event in recorder.all(LinkChanged)][:3] in ([True, False], [True, False, True])
            assert not recorder.all(LineChanged)

        self.play(backend, tmp_path, script)

    def test_covered_and_held_at_start_are_levels_not_edges(self, backend: str, tmp_path: Path) -> None:
        async def main() -> None:
            async with BENCHES[backend](tmp_path) as bench:
                await bench.set(LOCK, True)
                await bench.set(CHIP, False)
                device = GpioLineInputs(SETTINGS, bench.pins)
                recorder = Recorder()
                async with recorder.running(device):
                    ready = await recorder.wait(LinesReady)
                    assert {s.line: s.active for s in ready.levels} == {"lock": True, "chip": True, "other": False}
                    await bench.set(OTHER, False)
                    assert (await recorder.wait(LineChanged)).line == "other"
                    assert not recorder.all(LineEdge)

        asyncio.run(main())


def test_lost_edge_is_found_by_the_periodic_level_read() -> None:
    async def main() -> None:
        pins = MemoryPins(3)
        device, recorder = GpioLineInputs(SETTINGS, pins), Recorder()
        async with recorder.running(device):
            await recorder.wait(LinesReady)
            at_ns = pins.set(CHIP, False, deliver=False)
            found = await recorder.wait(LineReconciled)
            assert found.line == "chip" and found.active
            assert found.not_before_ns < at_ns < found.not_after_ns
            changed = await recorder.wait(LineChanged)
            assert (changed.not_before_ns, changed.not_after_ns) == (found.not_before_ns, found.not_after_ns)

    asyncio.run(main())


def test_untimed_back_end_refuses_spots_and_lock_out() -> None:
    pins = MemoryPins(3, Timestamps.NONE)
    with pytest.raises(BackendUnavailable, match="lock, chip, other"):
        GpioLineInputs(SETTINGS, pins)


def test_untimed_back_end_serves_a_door_by_polling() -> None:
    async def main() -> None:
        pins = MemoryPins(3, Timestamps.NONE)
        settings = LineInputsSettings("cabinet", (LineSpec("door", 0, LineRole.BUTTON),), settle_ns=0)
        device, recorder = GpioLineInputs(settings, pins), Recorder()
        async with recorder.running(device):
            await recorder.wait(LinesReady)
            at_ns = pins.set(0, False)
            changed = await recorder.wait(LineChanged)
            assert changed.not_before_ns <= at_ns <= changed.not_after_ns
            assert not recorder.all(LineReconciled)

    asyncio.run(main())
