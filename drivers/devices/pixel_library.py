"""NeoPixels on a data line of their own through the neopixel library: PWM up to the Pi 4, PIO on a Pi 5.

Answers for: the right library on the right board. The library finds the board by itself and drives what it finds; which
of the two is meant is said in the configuration, and the other board is refused before the library is touched.

Rules:
* The board is read from the device tree. Another one is `BackendUnavailable` and names the kind for it.
* Libraries are imported when a string is made; a missing one is `BackendUnavailable` and names its extra.
"""

from __future__ import annotations

import contextlib
import importlib
from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import Any

from drivers.devices.pixel_lamps import PixelsLostError
from drivers.devices.pixel_strings import check_brightness, paint
from drivers.facts.clocks import model_number
from drivers.facts.files import text_of
from drivers.ports import BackendUnavailable, Pixel

MODEL = Path("/proc/device-tree/model")
PWM_PINS = (10, 12, 18, 21)
"""GPIO numbers on which the library finds SPI, PWM or PCM up to the Pi 4."""


class Engine(Enum):
    """What makes the bit times. The value: kind, what it needs, its extra and the module beneath the library."""

    PWM = ("lamps.neopixel_pwm", "a Raspberry Pi 4 or older and root", "neopixel-pwm", "_rpi_ws281x")
    PIO = ("lamps.neopixel_pio", "a Raspberry Pi 5", "neopixel-pio", "adafruit_raspberry_pi5_neopixel_write")


class LibraryPixels:
    """NeoPixels on a GPIO. `brightness` in percent, 1 to 100."""

    def __init__(self, engine: Engine, gpio: int, brightness: int = 30, model_file: Path = MODEL) -> None:
        check_brightness(brightness)
        self._kind, _, extra, beneath = engine.value
        self._check_board(engine, text_of(model_file).rstrip("\0"))
        if engine is Engine.PWM and gpio not in PWM_PINS:
            raise BackendUnavailable(
                f"{self._kind}: GPIO {gpio} has no hardware for it; expected one of {', '.join(map(str, PWM_PINS))}"
            )
        try:
            importlib.import_module(beneath)
            board = importlib.import_module("board")
            neopixel = importlib.import_module("neopixel")
        except (ImportError, NotImplementedError, RuntimeError) as error:  # the last two: "Board not supported"
            raise BackendUnavailable(
                f"{self._kind}: {error}. Install the extra \"{extra}\" (pip install 'tabled[{extra}]'); lamps on SPI "
                "(lamps.neopixel_spi) need none of it"
            ) from error
        if not hasattr(board, f"D{gpio}"):
            raise BackendUnavailable(f"{self._kind}: this board has no GPIO {gpio}")
        self._pin: Any = getattr(board, f"D{gpio}")
        self._make: Any = neopixel.NeoPixel
        self._brightness = brightness / 100
        self._string: Any = None
        self.identity = f"{engine.name} on GPIO {gpio}, WS2812"

    def _check_board(self, engine: Engine, model: str) -> None:
        number = model_number(model)
        here = None if not number else Engine.PIO if number >= 5 else Engine.PWM
        if here is engine:
            return
        kind, needs, _, _ = engine.value
        other = f'kind = "{here.value[0]}" is for this board, or ' if here is not None else ""
        raise BackendUnavailable(
            f"{kind} needs {needs}; this is {model or 'no Raspberry Pi'}. {other}"
            'kind = "lamps.neopixel_spi" is for every Pi and needs no root'
        )

    def open(self, size: int) -> None:
        try:
            self._string = self._make(self._pin, size, pixel_order="GRB", auto_write=False, brightness=self._brightness)
        except (RuntimeError, OSError) as error:
            raise PixelsLostError(f"{self.identity}: {error}") from error

    def write(self, frame: Sequence[Pixel]) -> None:
        if self._string is None:
            raise PixelsLostError(f"{self.identity} is not open")
        try:
            paint(self._string, frame)
        except (RuntimeError, OSError) as error:
            raise PixelsLostError(f"{self.identity}: {error}. {self._hint()}") from error

    def close(self) -> None:
        string, self._string = self._string, None
        if string is not None:
            with contextlib.suppress(RuntimeError, OSError):
                string.deinit()

    def _hint(self) -> str:
        if self._kind == Engine.PIO.value[0]:
            return "May the user open /dev/pio0 (group gpio by udev), and is the firmware up to date?"
        return "It needs root, and analogue audio off (dtparam=audio=off)"
