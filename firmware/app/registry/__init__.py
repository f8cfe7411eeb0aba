"""From the configuration to devices: which kind is which back end. A file a role; here, all of them together.

Rules:
* Every kind of `firmware/settings/devices` is made by the file of its role; mypy refuses a missing one.
* A back end is imported where it is chosen, and nowhere else. `BackendUnavailable` names what to install.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import assert_never

from drivers.ports import (
    CardReader,
    DealerDisplay,
    Device,
    DiceReader,
    LineInputs,
    MeterDisplay,
    ReaderBoard,
    ReleaseDevice,
    WheelReader,
)
from firmware.app.outputs import LampString
from firmware.app.registry import lamps, lines, meters, readers, releases, results, screens
from firmware.app.registry.buses import Buses
from firmware.settings.devices.lamps import LampDevice
from firmware.settings.devices.lines import LineDevice
from firmware.settings.devices.meters import MeterDevice
from firmware.settings.devices.readers import CardReaderDevice
from firmware.settings.devices.releases import ReleaseKind
from firmware.settings.devices.results import DiceDevice, WheelDevice
from firmware.settings.devices.screens import BoardDevice, DisplayDevice
from firmware.settings.model import Settings


@dataclass(slots=True)
class Devices:
    """Every device of the table, by role."""

    lines: list[LineInputs] = field(default_factory=list)
    lamps: list[LampString] = field(default_factory=list)
    boards: list[ReaderBoard] = field(default_factory=list)
    displays: list[DealerDisplay] = field(default_factory=list)
    meters: list[MeterDisplay] = field(default_factory=list)
    readers: list[CardReader] = field(default_factory=list)
    wheels: list[WheelReader] = field(default_factory=list)
    dice: list[DiceReader] = field(default_factory=list)
    releases: list[ReleaseDevice] = field(default_factory=list)

    def shown(self) -> tuple[Device, ...]:
        """The devices that people at the table look at."""
        return (*(string.device for string in self.lamps), *self.boards, *self.meters)

    def all(self) -> Iterator[Device]:
        yield from self.lines
        for string in self.lamps:
            yield string.device
        yield from self.boards
        yield from self.meters
        yield from self.displays
        yield from self.readers
        yield from self.wheels
        yield from self.dice
        yield from self.releases


def build(settings: Settings, run_dir: Path, only: Collection[str] | None = None) -> Devices:
    """Make every configured device, or `only` those of these names. Raises BackendUnavailable, ValueError for options
    that don't fit together."""
    out, buses = Devices(), Buses(run_dir)
    for name, options in settings.devices.items():
        if only is not None and name not in only:
            continue
        if isinstance(options, LineDevice):
            out.lines.append(lines.make(name, options, settings, run_dir, buses))
        elif isinstance(options, LampDevice):
            out.lamps.append(lamps.make(name, options, settings, run_dir))
        elif isinstance(options, CardReaderDevice):
            out.readers.append(readers.make(name, options, run_dir))
        elif isinstance(options, BoardDevice):
            out.boards.append(screens.make_board(name, options, run_dir))
        elif isinstance(options, DisplayDevice):
            out.displays.append(screens.make_display(name, options, run_dir))
        elif isinstance(options, MeterDevice):
            out.meters.append(meters.make(name, options, run_dir, buses))
        elif isinstance(options, WheelDevice):
            out.wheels.append(results.make_wheel(name, options, run_dir))
        elif isinstance(options, DiceDevice):
            out.dice.append(results.make_dice(name, options, run_dir))
        elif isinstance(options, ReleaseKind):
            out.releases.append(releases.make(name, options, run_dir))
        else:
            assert_never(options)
    return out
