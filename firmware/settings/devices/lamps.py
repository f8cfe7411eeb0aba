"""Options of the lamps at the betting spots."""

from __future__ import annotations

from typing import Annotated, ClassVar

from firmware.settings.devices.options import LINE_SOCKET, DeviceOptions
from firmware.settings.fields import path, whole

_PIXELS = whole("Lamps on the string", 1, 256, unit="pixels")
_BRIGHTNESS = whole("Limit of brightness: the supply must carry all lamps at it", 1, 100, unit="percent")


class LampsNeopixelSpi(DeviceOptions, frozen=True, kw_only=True, tag="lamps.neopixel_spi"):
    """NeoPixels on the SPI data line (GPIO 10): no root and no helper process."""

    role: ClassVar[str] = "lamps"
    bus: Annotated[int, whole("SPI bus of /dev/spidevBUS.DEVICE", 0, 6)] = 0
    device: Annotated[int, whole("SPI device of /dev/spidevBUS.DEVICE", 0, 2)] = 0
    pixels: Annotated[int, _PIXELS]
    brightness_percent: Annotated[int, _BRIGHTNESS] = 40


class LampsNeopixelPwm(DeviceOptions, frozen=True, kw_only=True, tag="lamps.neopixel_pwm"):
    """NeoPixels on a PWM line, through the neopixel library. It needs rights that the hardened unit does not give."""

    role: ClassVar[str] = "lamps"
    gpio: Annotated[int, whole("GPIO number of the data line", 2, 27, unit="GPIO number")] = 18
    pixels: Annotated[int, _PIXELS]
    brightness_percent: Annotated[int, _BRIGHTNESS] = 40


class LampsSimulated(DeviceOptions, frozen=True, kw_only=True, tag="lamps.simulated"):
    """NeoPixels over the simulated chip's SPI: the frames that would leave the data line."""

    role: ClassVar[str] = "lamps"
    simulated: ClassVar[bool] = True
    socket: Annotated[str, path(LINE_SOCKET)]
    pixels: Annotated[int, _PIXELS]
    brightness_percent: Annotated[int, _BRIGHTNESS] = 40


LampDevice = LampsNeopixelSpi | LampsNeopixelPwm | LampsSimulated
