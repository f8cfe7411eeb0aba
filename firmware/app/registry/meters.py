"""Displays of meters' amounts."""

from __future__ import annotations

from pathlib import Path
from typing import assert_never

from drivers.ports import MeterDisplay
from firmware.app import clock
from firmware.app.registry.buses import Buses
from firmware.settings.devices import meters as kinds


def make(name: str, options: kinds.MeterDevice, run_dir: Path, buses: Buses) -> MeterDisplay:
    match options:
        case kinds.MeterTgline() | kinds.MeterTglineSimulated():
            from drivers.devices.tgline_meter import TglineMeter

            bus = buses.tgline(options.url, options)
            return TglineMeter(name, bus, options.levels, clock.monotonic_ns, options.simulated)
        case kinds.MeterMax7219() | kinds.MeterMax7219Simulated():
            from drivers.devices.max7219_meter import Max7219Meter
            from drivers.devices.spi_latches import SimulatedLatches, SpidevLatches

            latches = (
                SimulatedLatches(run_dir / options.socket)
                if isinstance(options, kinds.MeterMax7219Simulated)
                else SpidevLatches(options.bus, options.device)
            )
            return Max7219Meter(name, latches, options.meters, options.intensity, clock.monotonic_ns)
        case _:
            assert_never(options)
