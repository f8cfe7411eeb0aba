"""Every kind of device that a table can name, as one union told apart by `kind`; the options stand in a file a role."""

from __future__ import annotations

from firmware.settings.devices.lamps import LampDevice
from firmware.settings.devices.lines import LineDevice
from firmware.settings.devices.meters import MeterDevice
from firmware.settings.devices.readers import CardReaderDevice
from firmware.settings.devices.releases import ReleaseKind
from firmware.settings.devices.results import DiceDevice, WheelDevice
from firmware.settings.devices.screens import BoardDevice, DisplayDevice

Device = (
    LineDevice
    | LampDevice
    | CardReaderDevice
    | BoardDevice
    | DisplayDevice
    | MeterDevice
    | WheelDevice
    | DiceDevice
    | ReleaseKind
)
