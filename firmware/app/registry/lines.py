"""Line devices: the lines of the configuration become specs of one device each."""

from __future__ import annotations

from pathlib import Path
from typing import assert_never

from drivers.line_spec import NS_PER_MS, DecisionWindow, KeySwitchSpec, LineRole, LineSpec
from drivers.ports import LineInputs
from firmware.app import clock
from firmware.app.lamp_life import CURRENT, RETURN, life_line
from firmware.app.line_names import DOOR, FLOOR_KEY, KEY_LINES, LOCKOUT, RESET_KEY, fold_line, spot_line
from firmware.app.registry.buses import Buses
from firmware.settings.devices import lines as kinds
from firmware.settings.devices.bus_lines import ModbusOptions, TglineBoardOptions
from firmware.settings.devices.expanders import Mcp23017Options, ShiftRegisterOptions
from firmware.settings.model import KeySwitch, Settings

RESET_HOLD_NS = 1_000_000_000
"""The reset key must be held this long: it sets a won meter back (devices note, lock-out and keyed reset)."""


def make(name: str, options: kinds.LineDevice, settings: Settings, run_dir: Path, buses: Buses) -> LineInputs:
    specs, switches, window = _lines_of(name, settings)
    match options:
        case kinds.LinesLgpio() | kinds.LinesRpiGpio() | kinds.LinesSimulated():
            return _on_gpio(name, options, run_dir, specs, switches, window)
        case Mcp23017Options() | ShiftRegisterOptions():
            from drivers.devices.line_inputs import GpioLineInputs, LineInputsSettings
            from firmware.app.registry.expanders import pins_of

            expanded = LineInputsSettings(name, specs, switches, window, options.settle_ms * NS_PER_MS)
            return GpioLineInputs(expanded, pins_of(options, run_dir), clock.monotonic_ns)
        case TglineBoardOptions():
            from drivers.devices.bus_lines import BusLinesSettings
            from drivers.devices.tgline_board import TglineBoard

            board = BusLinesSettings(name, specs, options.line_count, switches, window)
            bus = buses.tgline(options.url, options)
            return TglineBoard(board, bus, options.address, clock.monotonic_ns, options.simulated)
        case ModbusOptions():
            from drivers.devices.bus_lines import BusLinesSettings
            from drivers.devices.modbus_inputs import ModbusInputs

            unit = BusLinesSettings(name, specs, options.line_count, switches, window)
            return ModbusInputs(
                unit, buses.modbus(options.url, options), options.unit, options.first, clock.monotonic_ns,
                options.simulated,
            )  # fmt: skip
        case _:
            assert_never(options)


def lamp_lines(settings: Settings) -> dict[str, str]:
    """Inputs that tell whether lamps live, by name, and whose device they are of."""
    return {
        life_line(device, tells): device
        for device, options in settings.in_role("lamps")
        for tells in (RETURN, CURRENT)
        if getattr(options, f"{tells}_line", "")
    }


def _lines_of(name: str, settings: Settings) -> tuple[list[LineSpec], list[KeySwitchSpec], DecisionWindow]:
    """What this device's lines are, wherever the configuration names them."""
    specs: list[LineSpec] = []
    for wager, offer in settings.wagers.items():
        for position, line in enumerate(offer.spots, start=1):
            if (number := _number(line, name)) is not None:
                specs.append(LineSpec(spot_line(position, wager), number, LineRole.SPOT))
    if (number := _number(settings.keys.lockout, name)) is not None:
        specs.append(LineSpec(LOCKOUT, number, LineRole.LOCK_OUT, normally_closed=True))
    if settings.keys.door and (number := _number(settings.keys.door, name)) is not None:
        specs.append(LineSpec(DOOR, number, LineRole.KEY, normally_closed=True))
    for device, options in settings.in_role("lamps"):
        for tells in (RETURN, CURRENT):  # low while they live, so that a cut wire is a fault
            if (number := _number(getattr(options, f"{tells}_line", ""), name)) is not None:
                specs.append(LineSpec(life_line(device, tells), number, LineRole.KEY, normally_closed=True))
    for key in KEY_LINES:
        if (number := _number(getattr(settings.keys, key), name)) is not None:
            specs.append(LineSpec(key, number, LineRole.BUTTON))
    for position, line in enumerate(settings.keys.folds, start=1):
        if (number := _number(line, name)) is not None:
            specs.append(LineSpec(fold_line(position), number, LineRole.BUTTON))
    switches: list[KeySwitchSpec] = []
    for key, switch, hold_ns in (
        (FLOOR_KEY, settings.keys.floor_key, 0),
        (RESET_KEY, settings.keys.reset_key, RESET_HOLD_NS),
    ):
        contacts = _contacts(key, switch, name)
        if contacts is not None:
            rest, turned = contacts
            specs += [rest, turned]
            switches.append(KeySwitchSpec(key, rest.name, turned.name, hold_ns))
    timing = settings.timing
    window = DecisionWindow(
        present_ns=timing.present_ms * NS_PER_MS,
        absent_ns=timing.absent_ms * NS_PER_MS,
        lateness_ns=timing.lateness_ms * NS_PER_MS,
        stable_ns=timing.stable_ms * NS_PER_MS,
    )
    return specs, switches, window


def _on_gpio(
    name: str,
    options: kinds.LinesLgpio | kinds.LinesRpiGpio | kinds.LinesSimulated,
    run_dir: Path,
    specs: list[LineSpec],
    switches: list[KeySwitchSpec],
    window: DecisionWindow,
) -> LineInputs:
    from drivers.devices.line_inputs import GpioLineInputs, LineInputsSettings
    from drivers.gpio.backends import GpioBackend, gpio_pins

    match options:
        case kinds.LinesLgpio():
            pins = gpio_pins(GpioBackend.LGPIO, chip=options.chip)
        case kinds.LinesRpiGpio():
            pins = gpio_pins(GpioBackend.RPIGPIO)
        case kinds.LinesSimulated():
            pins = gpio_pins(GpioBackend.SIMULATED, socket=run_dir / options.socket)
        case _:
            assert_never(options)
    line_settings = LineInputsSettings(name, specs, switches, window, options.settle_ms * NS_PER_MS)
    return GpioLineInputs(line_settings, pins, clock.monotonic_ns)


def _number(line: str, device: str) -> int | None:
    """The line's number if it is one of this device ("lines:12"), else None."""
    owner, _, number = line.partition(":")
    return int(number) if owner == device else None


def _contacts(key: str, switch: KeySwitch, device: str) -> tuple[LineSpec, LineSpec] | None:
    rest, turned = _number(switch.normally_closed, device), _number(switch.normally_open, device)
    if rest is None or turned is None:
        return None
    return LineSpec(f"{key}.rest", rest, LineRole.KEY), LineSpec(f"{key}.turned", turned, LineRole.KEY)
