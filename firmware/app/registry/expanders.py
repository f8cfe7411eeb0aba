"""Line expanders: the pins of a chip or chain on its bus, real or simulated."""

from __future__ import annotations

from pathlib import Path
from typing import assert_never

from drivers.gpio.pins import PolledPins
from drivers.line_spec import NS_PER_MS
from firmware.settings.devices import expanders as kinds


def pins_of(options: kinds.ExpanderDevice, run_dir: Path) -> PolledPins:
    """Raises `BackendUnavailable` where the bus's library is missing."""
    from drivers.gpio.hc165_pins import Hc165Pins
    from drivers.gpio.mcp23017_pins import Mcp23017Pins
    from drivers.gpio.simulated_bus import SimulatedBus

    poll_ns = options.poll_ms * NS_PER_MS
    match options:
        case kinds.LinesMcp23017():
            from drivers.gpio.buses import GpioInterrupt, Smbus2Bus

            line = None if options.interrupt_gpio is None else GpioInterrupt(options.interrupt_gpio, options.gpiochip)
            return Mcp23017Pins(Smbus2Bus(options.bus), options.addresses, poll_ns, line)
        case kinds.LinesMcp23017Simulated():
            bus = SimulatedBus(run_dir / options.socket)
            return Mcp23017Pins(bus, options.addresses, poll_ns, bus.interrupt if options.interrupt else None)
        case kinds.LinesShiftRegister():
            from drivers.gpio.buses import SpidevChain

            chain = SpidevChain(options.bus, options.device, options.load_gpio, options.speed_hz, options.gpiochip)
            return Hc165Pins(chain, options.chips, poll_ns)
        case kinds.LinesShiftRegisterSimulated():
            return Hc165Pins(SimulatedBus(run_dir / options.socket), options.chips, poll_ns)
        case _:
            assert_never(options)
