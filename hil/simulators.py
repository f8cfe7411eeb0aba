"""Which simulated device stands behind which kind of the configuration: a process each, and how it is called.

Rules: every simulated kind that needs a process has a row in `simulators_of`. Lines and lamps on one socket are one
line chip; what shares a bus is one process. A simulator takes its port, `--control`, and what its kind says; those that
deal or spin take `--seed` too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from msgspec import Struct

from firmware.app.registry.readers import codes_of
from firmware.settings.devices import readers
from firmware.settings.devices.bus_lines import LinesModbusSimulated, LinesTglineSimulated
from firmware.settings.devices.expanders import LinesMcp23017Simulated, LinesShiftRegisterSimulated
from firmware.settings.devices.lamps import LampsGpioSimulated, LampsSimulated
from firmware.settings.devices.lines import LinesSimulated
from firmware.settings.devices.meters import MeterMax7219Simulated, MeterTglineSimulated
from firmware.settings.devices.releases import ReleaseGpioSimulated
from firmware.settings.devices.results import (
    DiceKeypadSimulated,
    DiceTglineSimulated,
    WheelCammeghSimulated,
    WheelTglineSimulated,
    WheelWinlineSimulated,
)
from firmware.settings.devices.screens import BoardAlphaSimulated, DisplaySerialSimulated
from firmware.settings.model import Settings

SimulatedShoe = (
    readers.ShoeAngelEyeSimulated
    | readers.ShoeBeeTekSimulated
    | readers.ShoeBarcodeSerialSimulated
    | readers.ShoeBarcodeHidSimulated
    | readers.ShoeTglineSimulated
)

SimulatedResult = (
    WheelCammeghSimulated | WheelWinlineSimulated | WheelTglineSimulated | DiceTglineSimulated | DiceKeypadSimulated
)


class Simulator(Struct, frozen=True):
    """One process of the bench. `device`: its name in the configuration; `port`: what the daemon opens."""

    device: str
    what: str
    module: str
    port: Path
    options: tuple[str, ...] = ()
    port_option: str = "--port"
    others: tuple[str, ...] = ()
    """Devices on the same bus."""

    @property
    def names(self) -> tuple[str, ...]:
        """Every device of the configuration that it stands for."""
        return (self.device, *self.others)

    @property
    def control(self) -> Path:
        """The bench's socket to it."""
        return self.port.parent / f"{self.port.stem}.ctl"

    @property
    def arguments(self) -> tuple[str, ...]:
        return (self.port_option, str(self.port), "--control", str(self.control), *self.options)


def simulators_of(settings: Settings, run_dir: Path, seed: int) -> Iterator[Simulator]:
    """Every simulator that the table's devices need, line chips first; `seed` makes them repeatable."""
    yield from _chips(settings, run_dir)
    yield from _buses(settings, run_dir)
    for name, options in settings.devices.items():
        if isinstance(options, SimulatedShoe):
            module, own = _shoe(options)
            dealt = ("--decks", str(settings.table.decks), "--seed", str(seed))
            yield Simulator(name, "card reader", module, run_dir / options.url, (*dealt, *own))
        elif isinstance(options, SimulatedResult):
            what, module, own = _result(options, seed)
            yield Simulator(name, what, module, run_dir / options.url, own)
        elif isinstance(options, BoardAlphaSimulated):
            yield Simulator(name, "sign", "hil.sim.sign", run_dir / options.url)
        elif isinstance(options, DisplaySerialSimulated):
            yield Simulator(name, "dealer's display", "hil.sim.display", run_dir / options.url)
        elif isinstance(options, LinesMcp23017Simulated):
            at = ("--chips", ",".join(f"{address:#04x}" for address in options.addresses))
            yield Simulator(name, "port expanders", "hil.sim.mcp23017", run_dir / options.socket, at)
        elif isinstance(options, LinesShiftRegisterSimulated):
            own = ("--chips", str(options.chips))
            yield Simulator(name, "shift registers", "hil.sim.hc165", run_dir / options.socket, own)
        elif isinstance(options, MeterMax7219Simulated):
            chips = ("--chips", str(len(options.meters)))
            yield Simulator(name, "figures", "hil.sim.max7219", run_dir / options.socket, chips)


def _chips(settings: Settings, run_dir: Path) -> Iterator[Simulator]:
    lines = {o.socket: (name, o) for name, o in settings.devices.items() if isinstance(o, LinesSimulated)}
    lamps = {o.socket: (name, o) for name, o in settings.devices.items() if isinstance(o, LampsSimulated)}
    outputs: dict[str, tuple[str, int]] = {}
    for name, o in settings.devices.items():
        if isinstance(o, LampsGpioSimulated | ReleaseGpioSimulated):
            most = max(o.lines) if isinstance(o, LampsGpioSimulated) else max(o.line, o.button or 0, o.ball or 0)
            first, count = outputs.get(o.socket, (name, 0))
            outputs[o.socket] = first, max(count, most + 1)
    for socket in dict.fromkeys([*lines, *lamps, *outputs]):
        name = (lines.get(socket) or lamps.get(socket) or outputs[socket])[0]
        count = lines[socket][1].line_count if socket in lines else outputs[socket][1] if socket in outputs else 0
        options = (
            *(("--lines", str(count)) if count else ()),
            *(_pixels(lamps[socket][1]) if socket in lamps else ()),
        )
        yield Simulator(name, "line chip", "hil.sim.chip", run_dir / socket, options, "--socket")


def _pixels(lamps: LampsSimulated) -> Iterator[str]:
    """The string, and the lines of its chip that it is wired back to."""
    yield from ("--pixels", str(lamps.pixels))
    for option, line in (("--returns", lamps.return_line), ("--current", lamps.current_line)):
        if line:
            yield from (option, line.partition(":")[2])


def _buses(settings: Settings, run_dir: Path) -> Iterator[Simulator]:
    """One process a bus: boards and meters of one, or Modbus units."""
    boards: dict[str, list[tuple[str, LinesTglineSimulated | MeterTglineSimulated]]] = {}
    units: dict[str, list[tuple[str, LinesModbusSimulated]]] = {}
    for name, options in settings.devices.items():
        if isinstance(options, LinesTglineSimulated | MeterTglineSimulated):
            boards.setdefault(options.url, []).append((name, options))
        elif isinstance(options, LinesModbusSimulated):
            units.setdefault(options.url, []).append((name, options))
    for url, members in boards.items():
        addresses = [str(options.address) for _, options in members if isinstance(options, LinesTglineSimulated)]
        own = ("--boards", ",".join(addresses))
        first, *others = (name for name, _ in members)
        yield Simulator(
            first, "bus of boards and meters", "hil.sim.tgline_bus", run_dir / url, own, others=tuple(others)
        )
    for url, on_bus in units.items():
        named = ",".join(f"{options.unit}:{options.first}:{options.line_count}" for _, options in on_bus)
        own = ("--units", named)
        first, *others = (name for name, _ in on_bus)
        yield Simulator(first, "Modbus units", "hil.sim.modbus_units", run_dir / url, own, others=tuple(others))


def _shoe(shoe: SimulatedShoe) -> tuple[str, tuple[str, ...]]:
    match shoe:
        case readers.ShoeAngelEyeSimulated():
            return "hil.sim.shoe", ()
        case readers.ShoeBeeTekSimulated():
            return "hil.sim.beetek", ()
        case readers.ShoeBarcodeSerialSimulated():
            return "hil.sim.barcode", ("--codes", json.dumps(dict(codes_of(shoe))))
        case readers.ShoeBarcodeHidSimulated():
            return "hil.sim.barcode", ("--hid", "--codes", json.dumps(dict(codes_of(shoe))))
        case readers.ShoeTglineSimulated():
            unassigned = () if shoe.result else ("--unassigned",)
            return "hil.sim.tgline_shoe", ("--address", str(shoe.address), *unassigned)


def _result(options: SimulatedResult, seed: int) -> tuple[str, str, tuple[str, ...]]:
    seeded = ("--seed", str(seed))
    match options:
        case WheelCammeghSimulated():
            return "wheel", "hil.sim.cammegh", seeded
        case WheelWinlineSimulated():
            return "number line", "hil.sim.winline", seeded
        case WheelTglineSimulated():
            return "wheel", "hil.sim.tgline_wheel", ("--address", str(options.address), *seeded)
        case DiceTglineSimulated():
            return "dice reader", "hil.sim.tgline_dice", ("--address", str(options.address), *seeded)
        case DiceKeypadSimulated():
            return "dice keypad", "hil.sim.dice_keypad", ()
