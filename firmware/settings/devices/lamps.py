"""Options of the lamps at the betting spots."""

from __future__ import annotations

from typing import Annotated, ClassVar

from firmware.settings.devices.options import (
    GPIOCHIP,
    LINE_SOCKET,
    OUTPUT_LIBRARY,
    DeviceOptions,
    OutputLibrary,
)
from firmware.settings.fields import doc, entries, line, path, whole

_PIXELS = whole("Lamps on the string", 1, 256, unit="pixels")
_LINE = whole("One lamp's line; a lamp's number in [wagers] is its place here, from 0", 0, 255)
_LINES = entries("GPIO number of each lamp's line, the first lamp first", 1)
_ACTIVE_LOW = doc("true: a lamp is lit while its line is low")
_BRIGHTNESS = whole("Limit of brightness: the supply must carry all lamps at it", 1, 100, unit="percent")


_RETURN = line("Low while frames come out behind the last lamp: its DOUT through a retriggerable one-shot of 3 s")
_CURRENT = line("Low while the lamps' supply delivers current: a comparator below what dark lamps take")


class PixelOptions(DeviceOptions, frozen=True, kw_only=True):
    """Base of the NeoPixels. How it is known that they live: by two wires, each optional, or by people alone. A cut
    wire reads as dead."""

    role: ClassVar[str] = "lamps"
    pixels: Annotated[int, _PIXELS]
    brightness_percent: Annotated[int, _BRIGHTNESS] = 40
    return_line: Annotated[str, _RETURN] = ""
    current_line: Annotated[str, _CURRENT] = ""


class LampsNeopixelSpi(PixelOptions, frozen=True, kw_only=True, tag="lamps.neopixel_spi"):
    """NeoPixels on the SPI data line (GPIO 10): no root and no helper process."""

    bus: Annotated[int, whole("SPI bus of /dev/spidevBUS.DEVICE", 0, 6)] = 0
    device: Annotated[int, whole("SPI device of /dev/spidevBUS.DEVICE", 0, 2)] = 0


class LampsNeopixelPwm(PixelOptions, frozen=True, kw_only=True, tag="lamps.neopixel_pwm"):
    """NeoPixels on a PWM line of a Pi 4 or older, through the neopixel library (extra neopixel-pwm). It needs root,
    which the hardened unit does not give."""

    gpio: Annotated[int, whole("GPIO number of the data line: 10, 12, 18 or 21", 2, 27, unit="GPIO number")] = 18


class LampsNeopixelPio(PixelOptions, frozen=True, kw_only=True, tag="lamps.neopixel_pio"):
    """NeoPixels on any line of a Pi 5, timed by its PIO, through the neopixel library (extra neopixel-pio). The unit
    must be given /dev/pio0."""

    gpio: Annotated[int, whole("GPIO number of the data line", 2, 27, unit="GPIO number")] = 18


class LampsGpioOptions(DeviceOptions, frozen=True, kw_only=True):
    """Base of the plain lamps: a line each, switched by a transistor or relay. No colour: patterns tell the states."""

    role: ClassVar[str] = "lamps"
    lines: Annotated[list[Annotated[int, _LINE]], _LINES]
    active_low: Annotated[bool, _ACTIVE_LOW] = False

    @property
    def pixels(self) -> int:
        return len(self.lines)


class LampsGpio(LampsGpioOptions, frozen=True, kw_only=True, tag="lamps.gpio"):
    """Plain lamps on the header's GPIO lines, one line a lamp."""

    chip: Annotated[int, GPIOCHIP] | None = None
    library: Annotated[OutputLibrary, OUTPUT_LIBRARY] = OutputLibrary.LGPIO


class LampsGpioSimulated(LampsGpioOptions, frozen=True, kw_only=True, tag="lamps.gpio_simulated"):
    """The same code on lines of the simulated chip."""

    simulated: ClassVar[bool] = True
    socket: Annotated[str, path(LINE_SOCKET)]


class LampsSimulated(PixelOptions, frozen=True, kw_only=True, tag="lamps.simulated"):
    """NeoPixels over the simulated chip's SPI: the frames that would leave the data line."""

    simulated: ClassVar[bool] = True
    socket: Annotated[str, path(LINE_SOCKET)]


LampDevice = LampsNeopixelSpi | LampsNeopixelPwm | LampsNeopixelPio | LampsGpio | LampsGpioSimulated | LampsSimulated
