"""The cable of every kind of device that has a port: connector, conductors, speed, and what is done wrong most.

Rules: a kind is named without `_simulated`. A conductor is written from our end (the adapter) to the device's end. The
numbers are those of a 9-pin D connector on a USB adapter, which is wired as a PC is: 2 receives, 3 sends, 5 is ground.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct
from msgspec.structs import replace

from firmware.settings.devices.options import DeviceOptions


class Conductor(Struct, frozen=True):
    """`ours`, `theirs`: the ends; `towards`: "<" from the device to us, ">" to it, "" ground, "-" not used."""

    ours: str
    theirs: str
    towards: str


class Cable(Struct, frozen=True):
    """`by`: what stands between Pi and device. `frame`: data bits, parity and stop bits where they are fixed."""

    by: str
    conductors: tuple[Conductor, ...]
    notes: tuple[str, ...] = ()
    frame: str = "8N1"


_HEAR = Conductor("2 RxD", "TxD", "<")
_TELL = Conductor("3 TxD", "RxD", ">")
_GROUND = Conductor("5 GND", "GND", "")
_BOTH = (_HEAR, _TELL, _GROUND)
_SWAP = "Our RxD meets the device's TxD. Nothing is heard: swap 2 and 3 at one end (straight and crossed cable)."
_USB = (Conductor("USB", "USB", "<"),)
_RS485 = (Conductor("A", "A", "<>"), Conductor("B", "B", "<>"), Conductor("common", "common", ""))
_BUS = ("120 Ohm across A and B at both ends of the bus, nowhere else.", "Nobody answers: swap A and B at that device.")
_TGLINE = Cable(
    "RS-485 adapter", _RS485, (*_BUS, "Or by USB: one cable, no A and B, and baud = 115200, as it is when left out.")
)
_TGLINE_USB = Cable(
    "USB", (Conductor("USB", "USB", "<>"),), ("Or by an RS-485 adapter, A with A and B with B: then baud = 38400.",)
)
RS485_BAUD = 38_400
"""The speed of `tgline` on RS-485; on USB it is faster."""

CABLES: Mapping[str, Cable] = {
    "shoe.angeleye": Cable(
        "RS-232 adapter",
        (_HEAR, Conductor("3 TxD", "RxD", "-"), _GROUND),
        ("Receive only. On a straight cable leave pins 8 and 9 open at the shoe.", _SWAP),
    ),
    "shoe.beetek": Cable("RS-232 adapter", _BOTH, ("Three wires.", _SWAP)),
    "shoe.barcode_serial": Cable("USB, or RS-232 adapter", _BOTH, ("Set to end a code with CR, no prefix.", _SWAP)),
    "shoe.barcode_hid": Cable("USB", _USB, ("Keyboard layout US; the event file, not a tty.",), ""),
    "shoe.tgline": _TGLINE,
    "wheel.cammegh": Cable(
        "RS-232 adapter",
        (Conductor("2 RxD", "3 TxD", "<"), Conductor("3 TxD", "2 RxD", ">"), Conductor("5 GND", "5 GND", "")),
        ("Null-modem (2 and 3 crossed) to port 1 of the wheel: port 2 says no number by itself.", _SWAP),
    ),
    "wheel.winline": Cable(
        "RS-232 adapter", (_HEAR, Conductor("3 TxD", "RxD", "-"), _GROUND), ("Receive only.", _SWAP)
    ),
    "wheel.tgline": _TGLINE,
    "dice.tgline": _TGLINE,
    "dice.keypad": Cable("USB", _USB, ("The event file, not a tty.",), ""),
    "board.alpha": Cable("RS-232 adapter", _BOTH, (_SWAP,), ""),
    "display.serial": Cable("USB, or RS-232 adapter", _BOTH, (_SWAP,)),
    "lines.tgline": Cable("RS-485 adapter", _RS485, _BUS),
    "lines.modbus": Cable("RS-485 adapter", _RS485, _BUS, ""),
    "meter.tgline": Cable("RS-485 adapter", _RS485, _BUS),
}
WITHOUT_A_PORT = frozenset(
    {
        "lines.lgpio",
        "lines.rpigpio",
        "lines.mcp23017",
        "lines.shift_register",
        "lines",
        "lamps.neopixel_spi",
        "lamps.neopixel_pwm",
        "lamps.neopixel_pio",
        "lamps.gpio",
        "lamps",
        "meter.max7219",
        "release.gpio",
        "release",
        "display.terminal",
    }
)
"""Kinds on the header, and on nothing at all ("lines" and "lamps": the simulated chip's socket)."""


def cable_of(options: DeviceOptions) -> Cable | None:
    """The cable as this device is configured; None for one without a port."""
    cable = CABLES.get(real_kind(options))
    if cable is _TGLINE and getattr(options, "baud", RS485_BAUD) > RS485_BAUD:
        return _TGLINE_USB
    parity = str(getattr(options, "parity", "none"))
    if cable is not None and not cable.frame and parity != "none":
        note = f"{parity.capitalize()} parity: never on the mini-UART (ttyS0), which has none."
        return replace(cable, notes=(note, *cable.notes))
    return cable


def real_kind(options: DeviceOptions) -> str:
    """The kind, without what says that it is simulated."""
    return options.kind.removesuffix("simulated").rstrip("._")


def on_the_header(cable: Cable) -> Cable:
    """The same cable from the header's own serial port, with a transceiver between."""
    pins = {"2 RxD": "pin 10 RxD", "3 TxD": "pin 8 TxD", "5 GND": "GND"}
    conductors = tuple(Conductor(pins.get(one.ours, one.ours), one.theirs, one.towards) for one in cable.conductors)
    return Cable("transceiver at the header", conductors, cable.notes, cable.frame)


def speed(options: DeviceOptions, cable: Cable) -> str:
    """ "4800 8N1", as the configuration has it; empty where a port has no speed."""
    baud = getattr(options, "baud", None)
    if baud is None:
        return ""
    if cable.frame:
        return f"{baud} {cable.frame}"
    parity = str(getattr(options, "parity", "none"))[:1].upper()
    return f"{baud} {getattr(options, 'data_bits', 8)}{parity}{getattr(options, 'stop_bits', 1)}"
