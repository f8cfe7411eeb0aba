"""What the options of every kind of device share.

Rules: an option is what a technician may have to change, nothing else; its name is the back end's keyword argument.
A kind that ends in `simulated` speaks to a simulated device and is refused by the production profile. There is no
"auto": the kind that is named is the kind that is used.
"""

from __future__ import annotations

from enum import StrEnum
from typing import ClassVar

import msgspec

from firmware.settings.fields import doc, whole

SERIAL_PORT = "Serial port: a device file (its stable udev name), or socket://HOST:PORT for a terminal server"
SIMULATED_PORT = "The pseudo-terminal that the simulated device offers"
LINE_SOCKET = "Socket of the simulated line chip"
GPIOCHIP = whole("Number of the gpiochip; left out, the one with the header is found", 0, 15)
OUTPUT_LIBRARY = doc("What drives the header's lines; rpigpio: Pi 4 and older, with the extra rpigpio")
SPEED = whole("Speed", 1200, 115200, unit="baud")


class OutputLibrary(StrEnum):
    """A library for outputs on the header."""

    LGPIO = "lgpio"
    RPIGPIO = "rpigpio"


class DeviceOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """Base of all device options: which role it plays and whether it is real."""

    role: ClassVar[str]
    simulated: ClassVar[bool] = False

    @property
    def kind(self) -> str:
        """The kind as it stands in the configuration ("shoe.angeleye")."""
        return str(self.__struct_config__.tag)
