"""Serial buses: devices of one `url` share one bus, opened once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from firmware.app import clock
from firmware.app.registry.addresses import url_of
from firmware.settings.devices.bus_lines import ModbusOptions, TglineBoardOptions
from firmware.settings.devices.meters import MeterTglineOptions

if TYPE_CHECKING:
    from drivers.devices.tgline_board import TglineBus
    from drivers.links.bus import Bus


class Buses:
    """The buses that one set of devices needs."""

    def __init__(self, run_dir: Path) -> None:
        self._run_dir = run_dir
        self._tgline: dict[str, TglineBus] = {}
        self._modbus: dict[str, Bus] = {}

    def tgline(self, url: str, options: TglineBoardOptions | MeterTglineOptions) -> TglineBus:
        """A bus of boards is made by its first board or its first meter; `check` has seen to it that they agree."""
        from drivers.devices.tgline_board import TglineBus
        from drivers.links.bus import BusTiming
        from drivers.links.port import PortSettings

        place = url_of(url, self._run_dir)
        bus = self._tgline.get(place)
        if bus is None:
            bus = self._tgline[place] = TglineBus(PortSettings(place, options.baud), clock.monotonic_ns)
        if isinstance(options, TglineBoardOptions):
            bus.timing = BusTiming(answer_s=options.answer_ms / 1000, cycle_s=options.poll_ms / 1000)
        return bus

    def modbus(self, url: str, options: ModbusOptions) -> Bus:
        from drivers.links.bus import Bus, BusTiming
        from drivers.links.port import Parity, PortSettings

        place = url_of(url, self._run_dir)
        if place not in self._modbus:
            parity = Parity.NONE if options.simulated else Parity[options.parity.name]  # a pty has none
            settings = PortSettings(place, options.baud, parity=parity, stop_bits=options.stop_bits)
            silence_s = max(0.00175, 3.5 * 11 / options.baud)  # between frames, Modbus over serial line 1.02, 2.5.1.1
            timing = BusTiming(options.answer_ms / 1000, silence_s, options.poll_ms / 1000, longest_bytes=64)
            self._modbus[place] = Bus(settings, clock.monotonic_ns, timing)
        return self._modbus[place]
