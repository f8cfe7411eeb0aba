"""GPIO back ends: the right chip, raw edges, no blip, no fall-back, and nothing imported before it is wanted."""

from __future__ import annotations

import asyncio
import gc
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

import pytest

from drivers.gpio import lgpio_chip
from drivers.gpio.backends import GpioBackend, factory_maker, gpio_pins, timestamps_of
from drivers.gpio.gpiozero_pins import OutputPins
from drivers.gpio.pins import InputPin, PinsLostError, Pull
from drivers.ports import BackendUnavailable, Timestamps
from hil.chip_control import simulated_chip
from tests.drivers.fake_lgpio import FakeLgpio

PI5_BEFORE = {0: "gpio-brcmstb@107d508500", 4: "pinctrl-rp1"}
PI5_AFTER = {0: "pinctrl-rp1", 10: "gpio-brcmstb@107d508500"}
PI4 = {0: "pinctrl-bcm2711", 1: "raspberrypi-exp-gpio"}


class Sink:
    def __init__(self) -> None:
        self.edges: list[tuple[int, bool, int]] = []
        self.reasons: list[str] = []

    def edge(self, number: int, high: bool, at_ns: int) -> None:
        self.edges.append((number, high, at_ns))

    def lost(self, reason: str) -> None:
        self.reasons.append(reason)


@pytest.fixture
def lgpio(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[FakeLgpio]:
    fake = FakeLgpio(PI4, busy=(14,))
    monkeypatch.setenv("LG_WD", str(tmp_path))
    monkeypatch.setitem(sys.modules, "lgpio", fake)
    monkeypatch.delitem(sys.modules, "gpiozero.pins.lgpio", raising=False)
    yield fake
    sys.modules.pop("gpiozero.pins.lgpio", None)
    assert not fake.open_handles, "a chip was left open"


class TestLgpio:
    @pytest.mark.parametrize(("labels", "number"), [(PI5_BEFORE, 4), (PI5_AFTER, 0), (PI4, 0)])
    def test_header_is_found_by_label(
        self, labels: dict[int, str], number: int, lgpio: FakeLgpio, tmp_path: Path
    ) -> None:
        lgpio.labels = labels
        for chip in labels:
            (tmp_path / f"gpiochip{chip}").touch()
        if labels is PI5_AFTER:
            (tmp_path / "gpiochip4").symlink_to("gpiochip0")
        assert lgpio_chip.find_chip(lgpio, list(tmp_path.glob("gpiochip*"))) == number

    def test_no_header_lists_what_was_found(self, lgpio: FakeLgpio, tmp_path: Path) -> None:
        lgpio.labels = {0: "gpio-mockup"}
        (tmp_path / "gpiochip0").touch()
        (tmp_path / "gpiochip1").touch()
        with pytest.raises(PinsLostError, match=r"gpiochip0 \(gpio-mockup\), gpiochip1 \(can not open gpiochip\)"):
            lgpio_chip.find_chip(lgpio, list(tmp_path.glob("gpiochip*")))

    def test_edges_are_raw_and_keep_the_kernels_nanoseconds(self, lgpio: FakeLgpio) -> None:
        pins, sink = gpio_pins(GpioBackend.LGPIO, chip=0), Sink()
        pins.open([InputPin(17, Pull.UP), InputPin(27, Pull.DOWN)], sink)
        gc.collect()  # gpiozero holds callbacks weakly
        at_ns = 123_456_789_012_345_678  # does not survive a float of seconds
        lgpio.move(17, False, at_ns)
        lgpio.move(27, True, at_ns + 1)
        assert sink.edges == [(17, False, at_ns), (27, True, at_ns + 1)]
        assert lgpio.modes == {17: FakeLgpio.SET_PULL_UP, 27: FakeLgpio.SET_PULL_DOWN}
        levels = pins.read_levels()
        assert levels.high == {17: False, 27: True} and levels.started_ns <= levels.ended_ns
        pins.close()
        pins.close()
        assert lgpio.callbacks == {}

    def test_pins_open_again_after_a_close(self, lgpio: FakeLgpio) -> None:
        pins, sink = gpio_pins(GpioBackend.LGPIO, chip=0), Sink()
        for _ in range(3):
            pins.open([InputPin(17, Pull.UP)], sink)
            lgpio.move(17, False, 1)
            pins.close()
        assert len(sink.edges) == 3

    def test_output_shows_its_first_level_from_the_first_instant(self, lgpio: FakeLgpio) -> None:
        outputs = OutputPins(factory_maker(GpioBackend.LGPIO, chip=0))
        outputs.open([(22, True)], Sink().lost)
        assert [entry for entry in lgpio.history if entry[0] != "input"] == [("output", 22, 1)]
        outputs.write(22, False)
        outputs.close()
        assert [entry for entry in lgpio.history if entry[0] == "write"] == [("write", 22, 0), ("write", 22, 1)]

    def test_a_line_in_use_is_named(self, lgpio: FakeLgpio) -> None:
        pins = gpio_pins(GpioBackend.LGPIO, chip=0)
        with pytest.raises(PinsLostError, match="GPIO14: GPIO busy"):
            pins.open([InputPin(14, Pull.UP)], Sink())
        pins.close()

    def test_a_chip_that_is_not_there_is_named(self, lgpio: FakeLgpio) -> None:
        with pytest.raises(PinsLostError, match="/dev/gpiochip7"):
            gpio_pins(GpioBackend.LGPIO, chip=7).open([InputPin(1, Pull.UP)], Sink())

    def test_a_work_directory_that_can_t_be_written_is_named(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("LG_WD", "/proc/none")
        with pytest.raises(BackendUnavailable, match="LG_WD is /proc/none"):
            gpio_pins(GpioBackend.LGPIO)

    def test_without_a_work_directory_one_is_made_and_removed(self, tmp_path: Path) -> None:
        """As a technician starts a tool by hand: what is told is what is really missing."""
        code = (
            "import os, sys; sys.modules['lgpio'] = None\n"
            "from drivers.gpio.lgpio_chip import BackendUnavailable, import_lgpio\n"
            "try: import_lgpio()\n"
            "except BackendUnavailable as error: print(error)\n"
            "print(os.path.isdir(os.environ['LG_WD']))"
        )
        done = run_python(code, cwd=tmp_path, LG_WD="", TMPDIR=str(tmp_path))
        said, made = done.stdout.splitlines()
        assert 'Install the extra "pi"' in said and "LG_WD" not in said
        assert made == "True"
        assert not list(tmp_path.iterdir())

    def test_real_library_leaves_its_fifo_in_the_work_directory_and_us_where_we_were(self, tmp_path: Path) -> None:
        pytest.importorskip("lgpio", reason='lgpio is not installed here (extra "pi")')
        work, here = tmp_path / "work", tmp_path / "here"
        work.mkdir()
        here.mkdir()
        code = "import os; from drivers.gpio.lgpio_chip import import_lgpio; import_lgpio(); print(os.getcwd())"
        done = run_python(code, cwd=here, LG_WD=str(work))
        assert done.stdout.strip() == str(here)
        assert not list(here.iterdir()) and list(work.iterdir())


def run_python(code: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    root = Path(__file__).parents[2]
    return subprocess.run(
        [sys.executable, "-c", code], cwd=cwd, env=os.environ | {"PYTHONPATH": str(root)} | environment,
        capture_output=True, text=True, check=True,
    )  # fmt: skip


@pytest.mark.parametrize(("backend", "package"), [(GpioBackend.LGPIO, "lgpio"), (GpioBackend.RPIGPIO, "rpigpio")])
def test_missing_library_names_the_package_and_nothing_stands_in(
    backend: GpioBackend, package: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")  # what gpiozero itself would fall back to
    monkeypatch.setenv("LG_WD", str(tmp_path))
    for module in ("lgpio", "RPi", "RPi.GPIO"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(BackendUnavailable, match=f"back end {package}.*pip install"):
        gpio_pins(backend)


def test_timestamps_are_known_without_a_library() -> None:
    assert timestamps_of(GpioBackend.RPIGPIO) is Timestamps.NONE
    assert timestamps_of(GpioBackend.LGPIO) is timestamps_of(GpioBackend.SIMULATED) is Timestamps.KERNEL


def test_settings_of_another_back_end_are_refused() -> None:
    with pytest.raises(ValueError, match='"simulated"'):
        gpio_pins(GpioBackend.SIMULATED)
    with pytest.raises(ValueError, match='"lgpio" only'):
        gpio_pins(GpioBackend.SIMULATED, chip=0, socket=Path("x"))


def test_nothing_heavy_is_imported_before_it_is_wanted(tmp_path: Path) -> None:
    code = (
        "import sys, drivers.devices.line_inputs, drivers.devices.pixel_lamps, drivers.devices.pixel_strings, "
        "drivers.gpio.backends; "
        "print([m for m in ('gpiozero', 'lgpio', 'RPi', 'spidev', 'neopixel_spi', 'board') if m in sys.modules])"
    )
    assert run_python(code, tmp_path).stdout.strip() == "[]"


async def until(ask: Callable[[], Awaitable[object]], wanted: object) -> None:
    async with asyncio.timeout(10):
        while await ask() != wanted:
            pass  # each question is a round trip to the chip


class TestSimulated:
    def test_edges_levels_outputs_and_loss(self, tmp_path: Path) -> None:
        async def main() -> None:
            async with simulated_chip(tmp_path, lines=4, pixels=0) as chip:
                pins, sink = gpio_pins(GpioBackend.SIMULATED, socket=chip.socket), Sink()
                outputs = OutputPins(factory_maker(GpioBackend.SIMULATED, socket=chip.socket))
                pins.open([InputPin(1, Pull.UP)], sink)
                assert pins.identity.startswith("sim+")
                await asyncio.to_thread(pins.read_levels)  # claims are in before the edge is made
                at_ns = await chip.control.set(1, False)
                await chip.control.set(2, False)  # not ours
                levels = await asyncio.to_thread(pins.read_levels)
                assert sink.edges == [(1, False, at_ns)] and levels.high == {1: False}
                outputs.open([(3, True)], sink.lost)
                await until(lambda: chip.control.outputs(), {3: True})
                await asyncio.to_thread(outputs.write, 3, False)
                await until(lambda: chip.control.outputs(), {3: False})
                await asyncio.to_thread(outputs.close)
                await until(lambda: chip.control.outputs(), {3: True})
                chip.process.kill()
                await chip.process.wait()
                with pytest.raises(PinsLostError):
                    await asyncio.to_thread(pins.read_levels)
                assert len(sink.reasons) == 1
                await asyncio.to_thread(pins.close)

        asyncio.run(main())

    def test_no_chip_is_said_with_its_path(self, tmp_path: Path) -> None:
        pins = gpio_pins(GpioBackend.SIMULATED, socket=tmp_path / "none")
        with pytest.raises(PinsLostError, match=r"none: .*Is the simulated chip running"):
            pins.open([InputPin(1, Pull.UP)], Sink())

    def test_a_line_that_the_chip_does_not_have_is_named(self, tmp_path: Path) -> None:
        async def main() -> None:
            async with simulated_chip(tmp_path, lines=4, pixels=0) as chip:
                pins = gpio_pins(GpioBackend.SIMULATED, socket=chip.socket)
                with pytest.raises(PinsLostError, match="line 4: the simulated chip has lines 0 to 3"):
                    await asyncio.to_thread(pins.open, [InputPin(4, Pull.UP)], Sink())
                pins.close()

        asyncio.run(main())
