"""Displays of meters' amounts."""

from __future__ import annotations

from typing import assert_never

from drivers.ports import MeterDisplay
from firmware.app import clock
from firmware.app.registry.buses import Buses
from firmware.settings.devices import meters as kinds


def make(name: str, options: kinds.MeterDevice, buses: Buses) -> MeterDisplay:
    match options:
        case kinds.MeterTgline() | kinds.MeterTglineSimulated():
            from drivers.devices.tgline_meter import TglineMeter

            bus = buses.tgline(options.url, options)
            return TglineMeter(name, bus, options.levels, clock.monotonic_ns, options.simulated)
        case _:
            assert_never(options)
