"""The contract of `Lamps`, on a string in memory and on the simulated chip as a process; and its faults."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import sys
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path
from typing import Protocol

import pytest

from drivers.devices.pixel_gpio import GpioPixels
from drivers.devices.pixel_lamps import PixelLamps, PixelsLostError, PixelString
from drivers.devices.pixel_strings import SimulatedSpi, SpidevSpi, SpiPixels
from drivers.events import LinkChanged, LinkState, ShowFailed, Shown
from drivers.gpio.backends import GpioBackend, factory_maker
from drivers.gpio.gpiozero_pins import OutputPins
from drivers.ports import BackendUnavailable, Lamps, Pixel
from hil.chip_control import SimulatedChip, simulated_chip
from tests.drivers.recorder import WAIT_S, Recorder

SIZE = 4
DARK = (Pixel(0, 0, 0),) * SIZE
RED = (Pixel(200, 0, 0),) * SIZE
GREEN = (Pixel(0, 200, 0),) * SIZE


class MemoryString:
    """A string in memory. Strict: no write while closed, none from two threads."""

    identity = "sim+memory string"

    def __init__(self) -> None:
        self.frames: list[tuple[float, tuple[Pixel, ...]]] = []
        self.broken = False
        self._size: int | None = None
        self._threads: set[int] = set()

    def open(self, size: int) -> None:
        self._threads.add(threading.get_ident())
        assert self._size is None, "opened twice without a close"
        if self.broken:
            raise PixelsLostError("memory string is broken")
        self._size = size

    def write(self, frame: Sequence[Pixel]) -> None:
        self._threads.add(threading.get_ident())
        assert len(self._threads) == 1, "written from two threads"
        if self.broken or self._size is None:
            raise PixelsLostError("memory string is broken")
        assert len(frame) == self._size
        self.frames.append((time.monotonic(), tuple(frame)))

    def close(self) -> None:
        self._size = None


class Bench(Protocol):
    @property
    def pixels(self) -> PixelString: ...

    def seen(self, frame: Sequence[Pixel]) -> list[tuple[int, int, int]]:
        """What a person sees of it."""

    async def shown(self) -> list[tuple[int, int, int]]: ...

    async def lose(self) -> None: ...

    async def restore(self) -> None: ...


class MemoryBench:
    def __init__(self) -> None:
        self.pixels = MemoryString()

    def seen(self, frame: Sequence[Pixel]) -> list[tuple[int, int, int]]:
        return coloured(frame)

    async def shown(self) -> list[tuple[int, int, int]]:
        return [(p.red, p.green, p.blue) for p in self.pixels.frames[-1][1]] if self.pixels.frames else []

    async def lose(self) -> None:
        self.pixels.broken = True

    async def restore(self) -> None:
        self.pixels.broken = False


class ChipBench:
    def __init__(self, chip: SimulatedChip) -> None:
        self.chip = chip
        self.pixels = SpiPixels(SimulatedSpi(chip.socket), brightness=100)

    def seen(self, frame: Sequence[Pixel]) -> list[tuple[int, int, int]]:
        return coloured(frame)

    async def shown(self) -> list[tuple[int, int, int]]:
        return (await self.chip.control.lamps()).pixels

    async def lose(self) -> None:
        await self.chip.control.disconnect(ms=300)

    async def restore(self) -> None:
        pass  # it comes back by itself


class LinesBench:
    """Plain lamps on lines 1, 2, 3, ... of the chip: lit is white."""

    def __init__(self, chip: SimulatedChip, active_low: bool) -> None:
        self.chip = chip
        self._active_low = active_low
        pins = OutputPins(factory_maker(GpioBackend.SIMULATED, socket=chip.socket))
        self.pixels = GpioPixels("sim+line chip", pins, range(1, SIZE + 1), active_low)

    def seen(self, frame: Sequence[Pixel]) -> list[tuple[int, int, int]]:
        return [WHITE if any(colour) else (0, 0, 0) for colour in coloured(frame)]

    async def shown(self) -> list[tuple[int, int, int]]:
        levels = await self.chip.control.outputs()
        return [WHITE if high ^ self._active_low else (0, 0, 0) for _, high in sorted(levels.items())]

    async def lose(self) -> None:
        await self.chip.control.disconnect(ms=300)

    async def restore(self) -> None:
        pass  # it comes back by itself


WHITE = (255, 255, 255)


def coloured(frame: Sequence[Pixel]) -> list[tuple[int, int, int]]:
    return [(pixel.red, pixel.green, pixel.blue) for pixel in frame]


@contextlib.asynccontextmanager
async def memory_bench(folder: Path) -> AsyncIterator[Bench]:
    yield MemoryBench()


@contextlib.asynccontextmanager
async def chip_bench(folder: Path) -> AsyncIterator[Bench]:
    async with simulated_chip(folder, lines=1, pixels=SIZE) as chip:
        yield ChipBench(chip)


@contextlib.asynccontextmanager
async def lines_bench(folder: Path) -> AsyncIterator[Bench]:
    async with simulated_chip(folder, lines=SIZE + 1, pixels=1) as chip:
        yield LinesBench(chip, active_low=False)


@contextlib.asynccontextmanager
async def low_lines_bench(folder: Path) -> AsyncIterator[Bench]:
    async with simulated_chip(folder, lines=SIZE + 1, pixels=1) as chip:
        yield LinesBench(chip, active_low=True)


BENCHES = {
    "memory": memory_bench,
    "simulated chip": chip_bench,
    "plain lamps": lines_bench,
    "plain lamps, lit while low": low_lines_bench,
}


async def until_shown(bench: Bench, frame: Sequence[Pixel]) -> None:
    wanted = bench.seen(frame)
    async with asyncio.timeout(WAIT_S):
        while await bench.shown() != wanted:
            await asyncio.sleep(0.001)


@pytest.mark.parametrize("backend", BENCHES)
class TestLamps:
    def play(self, backend: str, folder: Path, script: Callable[[Bench, Lamps, Recorder], Awaitable[None]]) -> None:
        async def main() -> None:
            async with BENCHES[backend](folder) as bench:
                lamps: Lamps = PixelLamps("lamps", SIZE, bench.pixels)
                recorder = Recorder()
                async with recorder.running(lamps):
                    await recorder.wait(LinkChanged, lambda event: event.up)
                    await script(bench, lamps, recorder)
                assert lamps.link is LinkState.ABSENT
                await until_shown(bench, DARK)

        asyncio.run(main())

    def test_shows_a_frame_and_is_dark_at_the_end(self, backend: str, tmp_path: Path) -> None:
        async def script(bench: Bench, lamps: Lamps, recorder: Recorder) -> None:
            assert lamps.identity.startswith("sim+") and lamps.link is LinkState.READY
            await until_shown(bench, DARK)
            lamps.show(RED)
            await until_shown(bench, RED)

        self.play(backend, tmp_path, script)

    def test_newest_frame_wins(self, backend: str, tmp_path: Path) -> None:
        async def script(bench: Bench, lamps: Lamps, recorder: Recorder) -> None:
            for _ in range(50):
                lamps.show(RED)
                lamps.show(GREEN)
            await until_shown(bench, GREEN)
            assert lamps.counters["frames_skipped"] >= 98
            assert lamps.counters["frames"] <= 4

        self.play(backend, tmp_path, script)

    def test_loss_is_told_at_once_and_the_newest_frame_comes_back(self, backend: str, tmp_path: Path) -> None:
        async def script(bench: Bench, lamps: Lamps, recorder: Recorder) -> None:
            lamps.show(RED)
            await until_shown(bench, RED)
            await bench.lose()
            lamps.show(GREEN)
            failed = await recorder.wait(ShowFailed)
            assert failed.reason
            await bench.restore()
            await recorder.wait(LinkChanged, lambda event: event.up, count=2)
            await until_shown(bench, GREEN)
            assert [event.up for event in recorder.all(LinkChanged)] == [True, False, True]
            assert len(recorder.all(ShowFailed)) == 1

        self.play(backend, tmp_path, script)

    def test_wrong_length_is_the_callers_error(self, backend: str, tmp_path: Path) -> None:
        async def script(bench: Bench, lamps: Lamps, recorder: Recorder) -> None:
            with pytest.raises(ValueError, match="3 pixels; expected 4"):
                lamps.show(RED[:3])

        self.play(backend, tmp_path, script)


def test_frames_are_2_ms_apart_and_repainted_every_second() -> None:
    async def main() -> None:
        string, recorder = MemoryString(), Recorder()
        lamps = PixelLamps("lamps", SIZE, string)
        async with recorder.running(lamps):
            await recorder.wait(LinkChanged)
            end = time.monotonic() + 0.2
            while time.monotonic() < end:
                lamps.show(RED)
                await asyncio.sleep(0)
            count = len(string.frames)
            async with asyncio.timeout(WAIT_S):
                while len(string.frames) < count + 2:
                    await asyncio.sleep(0.01)
        times = [at for at, _ in string.frames[:-1]]  # the last is the dark one of the end
        gaps = [b - a for a, b in itertools.pairwise(times)]
        assert min(gaps) >= 0.002
        assert count > 20, "pace was tested on too few frames"
        assert lamps.counters["repaints"] >= 1

    asyncio.run(main())


def test_a_string_that_was_never_there_is_told_once() -> None:
    async def main() -> None:
        string, recorder = MemoryString(), Recorder()
        string.broken = True
        async with recorder.running(PixelLamps("lamps", SIZE, string)):
            await recorder.wait(ShowFailed)
            string.broken = False
            await recorder.wait(LinkChanged, lambda event: event.up)
            told = [type(event) for event in recorder.events if not isinstance(event, Shown)]
            assert told == [ShowFailed, LinkChanged, LinkChanged]

    asyncio.run(main())


def test_dead_pixel_string_shows_nothing_beyond_it_though_every_write_succeeds(tmp_path: Path) -> None:
    async def main() -> None:
        async with simulated_chip(tmp_path, lines=1, pixels=SIZE) as chip:
            bench, recorder = ChipBench(chip), Recorder()
            lamps = PixelLamps("lamps", SIZE, bench.pixels)
            async with recorder.running(lamps):
                await recorder.wait(LinkChanged)
                await chip.control.dead_pixel(2)
                lamps.show(RED)
                await until_shown(bench, [*RED[:2], *DARK[2:]])
                assert not recorder.all(ShowFailed)
                assert (await chip.control.lamps()).bad_frames == 0

    asyncio.run(main())


def test_a_string_that_is_wired_back_sends_one_pixel_more_which_comes_out_while_it_lives(tmp_path: Path) -> None:
    async def low(chip: SimulatedChip, line: int) -> bool:
        return not (await chip.control.levels())[line]

    async def main() -> None:
        async with simulated_chip(tmp_path, lines=3, pixels=SIZE, returns=1, current=2) as chip:
            recorder = Recorder()
            lamps = PixelLamps("lamps", SIZE, SpiPixels(SimulatedSpi(chip.socket), brightness=100), returns=True)
            assert (await low(chip, 1), await low(chip, 2)) == (False, True)
            async with recorder.running(lamps):
                await recorder.wait(LinkChanged)
                lamps.show(RED)
                async with asyncio.timeout(WAIT_S):
                    while (await chip.control.lamps()).pixels != coloured(RED) or not await low(chip, 1):
                        await asyncio.sleep(0.01)
                await chip.control.supply(False)
                assert not await low(chip, 2)
                assert await low(chip, 1), "the one-shot runs on for its time"
                async with asyncio.timeout(WAIT_S):
                    while await low(chip, 1):
                        await asyncio.sleep(0.05)
                assert (await chip.control.lamps()).pixels == coloured(DARK)
                assert (await chip.control.lamps()).bad_frames == 0

    asyncio.run(main())


def test_missing_libraries_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in ("spidev", "neopixel_spi"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(BackendUnavailable, match=r'spidev.*extra "pi"'):
        SpidevSpi()
    with pytest.raises(BackendUnavailable, match="adafruit-circuitpython-neopixel-spi"):
        SpiPixels(SimulatedSpi(Path("nowhere")))
