"""The lamps at the betting spots."""

from __future__ import annotations

from pathlib import Path
from typing import assert_never

from drivers.ports import Lamps
from firmware.app import clock
from firmware.app.line_names import spot_line
from firmware.app.outputs import LampString
from firmware.app.registry.outputs import output_pins
from firmware.settings.devices import lamps as kinds
from firmware.settings.model import Settings


def make(name: str, options: kinds.LampDevice, settings: Settings, run_dir: Path) -> LampString:
    """The string, and which pixel of it stands at which spot."""
    return LampString(_lamps(name, options, run_dir), _pixels(settings))


def _lamps(name: str, options: kinds.LampDevice, run_dir: Path) -> Lamps:
    from drivers.devices.pixel_gpio import GpioPixels
    from drivers.devices.pixel_lamps import PixelLamps, PixelString
    from drivers.devices.pixel_library import Engine, LibraryPixels
    from drivers.devices.pixel_strings import SimulatedSpi, SpidevSpi, SpiPixels

    string: PixelString
    match options:
        case kinds.LampsNeopixelSpi():
            string = SpiPixels(SpidevSpi(options.bus, options.device), options.brightness_percent)
        case kinds.LampsNeopixelPwm():
            string = LibraryPixels(Engine.PWM, options.gpio, options.brightness_percent)
        case kinds.LampsNeopixelPio():
            string = LibraryPixels(Engine.PIO, options.gpio, options.brightness_percent)
        case kinds.LampsGpio() | kinds.LampsGpioSimulated():
            string = GpioPixels(*output_pins(options, run_dir), options.lines, options.active_low)
        case kinds.LampsSimulated():
            string = SpiPixels(SimulatedSpi(run_dir / options.socket), options.brightness_percent)
        case _:
            assert_never(options)
    returns = isinstance(options, kinds.PixelOptions) and bool(options.return_line)
    return PixelLamps(name, options.pixels, string, clock.monotonic_ns, returns)


def _pixels(settings: Settings) -> dict[str, int]:
    return {
        spot_line(position, wager): pixel
        for wager, offer in settings.wagers.items()
        for position, pixel in enumerate(offer.lamps, start=1)
    }
