"""NeoPixels through the neopixel library, on a double of it: the library itself runs on a Pi only. And what SPI asks of
the machine before a string is opened, on a double of spidev and files of a machine."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from drivers.devices.pixel_lamps import PixelsLostError
from drivers.devices.pixel_library import Engine, LibraryPixels
from drivers.devices.pixel_strings import SpidevSpi, frame_bytes
from drivers.ports import BackendUnavailable, Pixel

PI4, PI5 = "Raspberry Pi 4 Model B Rev 1.5\0", "Raspberry Pi 5 Model B Rev 1.0\0"
BENEATH = {engine: engine.value[3] for engine in Engine}


class FakeString:
    def __init__(self, pin: str, size: int, **options: object) -> None:
        self.pin, self.options = pin, options
        self.wire: list[tuple[int, int, int]] = [(0, 0, 0)] * size
        self.shown: list[tuple[int, int, int]] = []
        self.broken = self.ended = False

    def __setitem__(self, at: int, colour: tuple[int, int, int]) -> None:
        self.wire[at] = colour

    def show(self) -> None:
        if self.broken:
            raise RuntimeError("ws2811_render failed with code -13 (GPIO already in use)")
        self.shown = list(self.wire)

    def deinit(self) -> None:
        self.ended = True


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> list[FakeString]:
    """The double in place of `neopixel`, `board` and what lies beneath them; the strings that it made."""
    made: list[FakeString] = []
    neopixel, board = ModuleType("neopixel"), ModuleType("board")

    def make(pin: str, size: int, **options: object) -> FakeString:
        made.append(FakeString(pin, size, **options))
        return made[-1]

    vars(neopixel)["NeoPixel"] = make
    vars(board).update({f"D{n}": f"pin {n}" for n in range(2, 28)})
    for name, module in {"neopixel": neopixel, "board": board}.items():
        monkeypatch.setitem(sys.modules, name, module)
    for name in BENEATH.values():
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    return made


def model_file(folder: Path, model: str) -> Path:
    file = folder / "model"
    file.write_text(model)
    return file


@pytest.mark.parametrize(("engine", "model", "gpio"), [(Engine.PWM, PI4, 18), (Engine.PIO, PI5, 27)])
def test_a_frame_and_its_end(library: list[FakeString], tmp_path: Path, engine: Engine, model: str, gpio: int) -> None:
    pixels = LibraryPixels(engine, gpio, 50, model_file(tmp_path, model))
    assert pixels.identity == f"{engine.name} on GPIO {gpio}, WS2812"
    pixels.open(2)
    pixels.write([Pixel(1, 2, 3), Pixel(4, 5, 6)])
    (string,) = library
    assert string.pin == f"pin {gpio}" and string.shown == [(1, 2, 3), (4, 5, 6)]
    assert string.options == {"pixel_order": "GRB", "auto_write": False, "brightness": 0.5}
    string.broken = True
    with pytest.raises(PixelsLostError, match="already in use"):
        pixels.write([Pixel(0, 0, 0)] * 2)
    pixels.close()
    pixels.close()
    assert string.ended
    with pytest.raises(PixelsLostError, match="not open"):
        pixels.write([Pixel(0, 0, 0)] * 2)


@pytest.mark.parametrize(
    ("engine", "model", "other"),
    [
        (Engine.PWM, PI5, "lamps.neopixel_pio"),
        (Engine.PIO, PI4, "lamps.neopixel_pwm"),
        (Engine.PIO, "Raspberry Pi Compute Module 4 Rev 1.0\0", "lamps.neopixel_pwm"),
        (Engine.PWM, "", "lamps.neopixel_spi"),
    ],
)
def test_the_wrong_board_is_told_the_right_kind(
    library: list[FakeString], tmp_path: Path, engine: Engine, model: str, other: str
) -> None:
    with pytest.raises(BackendUnavailable, match=other):
        LibraryPixels(engine, 18, 50, model_file(tmp_path, model))


def test_a_line_without_hardware_is_refused(library: list[FakeString], tmp_path: Path) -> None:
    with pytest.raises(BackendUnavailable, match="GPIO 5 has no hardware for it; expected one of 10, 12, 18, 21"):
        LibraryPixels(Engine.PWM, 5, 50, model_file(tmp_path, PI4))


@pytest.mark.parametrize(("engine", "model"), [(Engine.PWM, PI4), (Engine.PIO, PI5)])
@pytest.mark.parametrize("missing", ["beneath", "neopixel", "board"])
def test_a_missing_library_names_its_extra(
    library: list[FakeString], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, engine: Engine, model: str, missing: str
) -> None:
    monkeypatch.setitem(sys.modules, BENEATH[engine] if missing == "beneath" else missing, None)
    with pytest.raises(BackendUnavailable, match=f'extra "neopixel-{engine.name.lower()}"'):
        LibraryPixels(engine, 18, 50, model_file(tmp_path, model))


class FakeSpiDev:
    mode: int
    max_speed_hz: int

    def open(self, bus: int, device: int) -> None:
        pass

    def close(self) -> None:
        pass


def machine(folder: Path, model: str, bufsiz: int, config: str) -> Path:
    for name, text in {
        "proc/device-tree/model": model,
        "sys/module/spidev/parameters/bufsiz": f"{bufsiz}\n",
        "boot/firmware/config.txt": config,
    }.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return folder


FIXED = "core_freq=500\ncore_freq_min=500\n"


@pytest.mark.parametrize(
    ("model", "bufsiz", "config", "refused"),
    [
        (PI4, 4096, FIXED, None),
        (PI5, 4096, "", None),
        (PI4, 4096, "dtparam=spi=on\n", "core_freq=500 and core_freq_min=500"),
        (PI5, 1024, "", "spidev.bufsiz=32768"),
    ],
)
def test_spi_that_would_break_a_frame_is_refused_with_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model: str, bufsiz: int, config: str, refused: str | None
) -> None:
    double: Any = ModuleType("spidev")
    double.SpiDev = FakeSpiDev
    monkeypatch.setitem(sys.modules, "spidev", double)
    bus = SpidevSpi(root=machine(tmp_path, model, bufsiz, config))
    if refused is None:
        bus.open(frame_bytes(40))
        return
    with pytest.raises(PixelsLostError, match=refused):
        bus.open(frame_bytes(40))
