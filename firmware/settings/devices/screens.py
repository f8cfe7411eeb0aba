"""Options of the reader board and the dealer's display."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, ClassVar

from firmware.settings.devices.options import SERIAL_PORT, SIMULATED_PORT, SPEED, DeviceOptions
from firmware.settings.fields import doc, path, whole

_DATA_BITS = whole("Data bits; 7 as the protocol's document says, 8 on some signs", 7, 8)
_PARITY = doc("Parity; even as the protocol's document says", source="Alpha 9708-8061F")
_SIGN_MEMORY = doc("at_connection: the daemon lays out the sign's memory; commissioned: it was done by hand")


class Parity(StrEnum):
    """Parity of a serial port; the mini-UART of a Pi has none, the PL011 and USB adapters do."""

    NONE = "none"
    EVEN = "even"
    ODD = "odd"


class SignMemory(StrEnum):
    """When a sign's memory is configured."""

    AT_CONNECTION = "at_connection"
    COMMISSIONED = "commissioned"


class BoardAlpha(DeviceOptions, frozen=True, kw_only=True, tag="board.alpha"):
    """Reader board that speaks the Alpha protocol."""

    role: ClassVar[str] = "board"
    url: Annotated[str, path(SERIAL_PORT)]
    baud: Annotated[int, SPEED] = 9600
    data_bits: Annotated[int, _DATA_BITS] = 7
    parity: Annotated[Parity, _PARITY] = Parity.EVEN
    memory: Annotated[SignMemory, _SIGN_MEMORY] = SignMemory.AT_CONNECTION


class BoardAlphaSimulated(DeviceOptions, frozen=True, kw_only=True, tag="board.alpha_simulated"):
    """The same code on a simulated sign. Its port is a pty, which has no parity and always eight bits: no keys here."""

    role: ClassVar[str] = "board"
    simulated: ClassVar[bool] = True
    url: Annotated[str, path(SIMULATED_PORT)]
    baud: Annotated[int, SPEED] = 9600
    memory: Annotated[SignMemory, _SIGN_MEMORY] = SignMemory.AT_CONNECTION


class DisplaySerial(DeviceOptions, frozen=True, kw_only=True, tag="display.serial"):
    """The dealer's serial character display, 4 lines of 20."""

    role: ClassVar[str] = "display"
    url: Annotated[str, path(SERIAL_PORT)]
    baud: Annotated[int, SPEED] = 19200


class DisplaySerialSimulated(DeviceOptions, frozen=True, kw_only=True, tag="display.serial_simulated"):
    """The same code on a simulated display."""

    role: ClassVar[str] = "display"
    simulated: ClassVar[bool] = True
    url: Annotated[str, path(SIMULATED_PORT)]
    baud: Annotated[int, SPEED] = 19200


class DisplayTerminal(DeviceOptions, frozen=True, kw_only=True, tag="display.terminal"):
    """The dealer's display drawn on the terminal that the daemon runs in; for the bench."""

    role: ClassVar[str] = "display"
    simulated: ClassVar[bool] = True


BoardDevice = BoardAlpha | BoardAlphaSimulated
DisplayDevice = DisplaySerial | DisplaySerialSimulated | DisplayTerminal
