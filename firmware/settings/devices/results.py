"""Options of what tells a result that is no card: wheels and their readers, dice readers, dice keypads."""

from __future__ import annotations

from typing import Annotated, ClassVar

from firmware.settings.devices.options import SERIAL_PORT, SIMULATED_PORT, DeviceOptions
from firmware.settings.fields import path, whole

_INPUT_FILE = "Event file of the keypad: its name in 80-tabled.rules, or /dev/input/by-id/...-event-kbd"
_INPUT_FIFO = "The FIFO that the simulated keypad types into"
_WHEEL_SPEED = whole("Speed; 9600 as delivered", 1200, 115200, unit="baud")
_TGLINE_SPEED = whole("Speed; 115200 on USB, 38400 on RS-485", 1200, 115200, unit="baud")
_ADDRESS = whole("Address of the device, 1 to 254; lines of another are not answered", 1, 254, source="tgline 1")
_MODE = whole(
    "Operating mode, set at each connection into memory that the wheel keeps; 1159 waits for the table's start. Left "
    "out, the wheel's own stays. The number line (not 16) is wanted: it is held against the status",
    0,
    65535,
    source="SS2 guide, *o",
)
_SILENT_LIMIT = whole(
    "A reader that says nothing for so long is a fault; left out, it may be silent for ever", 1, 86400, unit="s"
)
_REPEAT = whole(
    "What a reader says within this time of its last line is of the same game: the same number is its repetition, "
    "another one puts it in doubt",
    100,
    20000,
    unit="ms",
)
_ROLL = whole("Two keys within this time are a roll; a key alone is forgotten then", 300, 10000, unit="ms")
_HOLD = whole("A key held for so long is a function, no face", 300, 10000, unit="ms")


class CammeghOptions(DeviceOptions, frozen=True, kw_only=True):
    """Base of the Slingshot 2 wheels."""

    role: ClassVar[str] = "wheel"
    baud: Annotated[int, _WHEEL_SPEED] = 9600
    mode: Annotated[int, _MODE] | None = None


class WheelCammegh(CammeghOptions, frozen=True, kw_only=True, tag="wheel.cammegh"):
    """Cammegh Slingshot 2 on its port 1, by a null-modem cable: phases, number by line and status, warnings."""

    url: Annotated[str, path(SERIAL_PORT)]


class WheelCammeghSimulated(CammeghOptions, frozen=True, kw_only=True, tag="wheel.cammegh_simulated"):
    """The same code on a simulated wheel."""

    simulated: ClassVar[bool] = True
    url: Annotated[str, path(SIMULATED_PORT)]


class WinlineOptions(DeviceOptions, frozen=True, kw_only=True):
    """Base of the readers of a number alone."""

    role: ClassVar[str] = "wheel"
    baud: Annotated[int, _WHEEL_SPEED] = 9600
    silent_limit_s: Annotated[int, _SILENT_LIMIT] | None = None
    repeat_ms: Annotated[int, _REPEAT] = 5000


class WheelWinline(WinlineOptions, frozen=True, kw_only=True, tag="wheel.winline"):
    """In-rim reader, or a display's line, that says the winning number and nothing else; receive only."""

    url: Annotated[str, path(SERIAL_PORT)]


class WheelWinlineSimulated(WinlineOptions, frozen=True, kw_only=True, tag="wheel.winline_simulated"):
    """The same code on a simulated reader."""

    simulated: ClassVar[bool] = True
    url: Annotated[str, path(SIMULATED_PORT)]


class TglineResultOptions(DeviceOptions, frozen=True, kw_only=True):
    """Base of the wheels and dice readers that speak `tgline`."""

    address: Annotated[int, _ADDRESS] = 1
    baud: Annotated[int, _TGLINE_SPEED] = 115200


class WheelTgline(TglineResultOptions, frozen=True, kw_only=True, tag="wheel.tgline"):
    """Wheel, or a bridge to one, that speaks `tgline` version 1: acknowledged numbers, its state each 5 s."""

    role: ClassVar[str] = "wheel"
    url: Annotated[str, path(SERIAL_PORT)]


class WheelTglineSimulated(TglineResultOptions, frozen=True, kw_only=True, tag="wheel.tgline_simulated"):
    """The same code on a simulated wheel."""

    role: ClassVar[str] = "wheel"
    simulated: ClassVar[bool] = True
    url: Annotated[str, path(SIMULATED_PORT)]


class DiceTgline(TglineResultOptions, frozen=True, kw_only=True, tag="dice.tgline"):
    """Dice reader that speaks `tgline` version 1: acknowledged rolls, a sign of life each 5 s."""

    role: ClassVar[str] = "dice"
    url: Annotated[str, path(SERIAL_PORT)]


class DiceTglineSimulated(TglineResultOptions, frozen=True, kw_only=True, tag="dice.tgline_simulated"):
    """The same code on a simulated reader."""

    role: ClassVar[str] = "dice"
    simulated: ClassVar[bool] = True
    url: Annotated[str, path(SIMULATED_PORT)]


class KeypadOptions(DeviceOptions, frozen=True, kw_only=True):
    """Base of the dice keypads: two keys are a roll; held, 1 undoes, 2 is a new shooter, 4 a die off the table, 6 a
    leaning one."""

    role: ClassVar[str] = "dice"
    roll_ms: Annotated[int, _ROLL] = 2000
    hold_ms: Annotated[int, _HOLD] = 2000


class DiceKeypad(KeypadOptions, frozen=True, kw_only=True, tag="dice.keypad"):
    """USB keypad on which the dealer enters the dice, taken exclusively."""

    url: Annotated[str, path(_INPUT_FILE)]


class DiceKeypadSimulated(KeypadOptions, frozen=True, kw_only=True, tag="dice.keypad_simulated"):
    """The same code on a FIFO, which can't be taken exclusively."""

    simulated: ClassVar[bool] = True
    url: Annotated[str, path(_INPUT_FIFO)]


WheelDevice = (
    WheelCammegh | WheelCammeghSimulated | WheelWinline | WheelWinlineSimulated | WheelTgline | WheelTglineSimulated
)
DiceDevice = DiceTgline | DiceTglineSimulated | DiceKeypad | DiceKeypadSimulated
