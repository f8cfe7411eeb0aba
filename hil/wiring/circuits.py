"""The circuit behind each kind of line, small: from the header's pin to what stands on the table.

Rules: one drawing a kind of line, `CIRCUITS` names them all; each fits `WIDTH` x `HEIGHT` from its upper left corner.
Parts are named with their values, ground and supply with their symbols.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from hil.wiring.plan import LETTERS, Circuit
from hil.wiring.sheet import FAINT, Sheet

WIDTH, HEIGHT = 280, 170
EXPANDER_CHIP = (
    "MCP23017", "GPA0-6, GPB0-6:", "sensors, pulled up", "A2-A0: address", "RESET: 3.3 V", "VDD: 3.3 V, VSS: GND",
    "100 nF at VDD",
)  # fmt: skip
"""What stands in each port expander's box."""
_WIRE = 78
"""Height of the wire below the upper edge."""


def _frame(sheet: Sheet, x: float, y: float, letter: str, title: str, note: str) -> None:
    sheet.box(x, y, WIDTH, HEIGHT, round_=4, ink=FAINT, line=0.8)
    sheet.box(x + 8, y + 8, 20, 20, line=1.4)
    sheet.text(x + 18, y + 23, letter, 14, anchor="middle", bold=True)
    sheet.text(x + 36, y + 23, title, 13, bold=True)
    sheet.text(x + 8, y + HEIGHT - 10, note, 10, ink=FAINT)


def _ground(sheet: Sheet, x: float, y: float) -> None:
    for n, half in enumerate((9, 6, 3)):
        sheet.line((x - half, y + n * 4), (x + half, y + n * 4))


def _resistor(sheet: Sheet, x: float, y: float, value: str) -> None:
    """Centred on a wire."""
    sheet.box(x - 14, y - 5, 28, 10)
    sheet.text(x, y - 9, value, 10, anchor="middle")


def _capacitor(sheet: Sheet, x: float, y: float, value: str) -> None:
    """From a wire down to ground."""
    sheet.dot(x, y)
    sheet.line((x, y), (x, y + 22))
    sheet.line((x - 9, y + 22), (x + 9, y + 22), width=2)
    sheet.line((x - 9, y + 27), (x + 9, y + 27), width=2)
    sheet.line((x, y + 27), (x, y + 42))
    _ground(sheet, x, y + 42)
    sheet.text(x + 12, y + 40, value, 10)


def _pin(sheet: Sheet, x: float, y: float, name: str = "pin") -> None:
    sheet.box(x, y - 8, 34, 16, fill="#eeeeee")
    sheet.text(x + 17, y + 4, name, 10, anchor="middle")


def _input(sheet: Sheet, x: float, y: float) -> float:
    """Pin with its pull-up (in the Pi, in an MCP23017, beside a 74HC165), 100 nF and 1 kOhm; where its wire ends."""
    wire = y + _WIRE
    _pin(sheet, x + 10, wire)
    sheet.line((x + 44, wire), (x + 112, wire))
    sheet.dot(x + 56, wire)
    sheet.line((x + 56, wire), (x + 56, wire - 26), dashed=True)
    sheet.text(x + 50, wire - 30, "pull-up to 3.3 V", 10, ink=FAINT)
    _capacitor(sheet, x + 84, wire, "100 nF")
    _resistor(sheet, x + 126, wire, "1 kOhm")
    sheet.line((x + 140, wire), (x + 176, wire))
    return x + 176


def _contact(sheet: Sheet, x: float, y: float, closed: bool) -> None:
    """A contact from a wire's end down to ground."""
    sheet.dot(x, y)
    sheet.line((x, y), (x, y + 12))
    sheet.dot(x, y + 12)
    sheet.line((x, y + 38), (x + (0 if closed else 14), y + 12 + (0 if closed else 3)), width=2)
    sheet.dot(x, y + 38)
    sheet.line((x, y + 38), (x, y + 50))
    _ground(sheet, x, y + 50)


def _sensor(sheet: Sheet, x: float, y: float) -> None:
    end, wire = _input(sheet, x, y), y + _WIRE
    sheet.line((end + 44, wire - 26), (end + 44, wire - 36))
    sheet.text(end + 44, wire - 39, "its own supply", 10, anchor="middle", ink=FAINT)
    sheet.box(end, wire - 26, 88, 62)
    for n, line in enumerate(("sensor,", "open collector", "(NPN)")):
        sheet.text(end + 44, wire - 10 + 15 * n, line, 10, anchor="middle")
    sheet.line((end + 44, wire + 36), (end + 44, wire + 48))
    _ground(sheet, end + 44, wire + 48)


def _closed(sheet: Sheet, x: float, y: float) -> None:
    end, wire = _input(sheet, x, y), y + _WIRE
    _contact(sheet, end, wire, closed=True)
    for n, line in enumerate(("CLOSED", "at rest, opens", "when pressed")):
        sheet.text(end + 14, wire + 16 + 13 * n, line, 10, bold=n == 0)


def _open(sheet: Sheet, x: float, y: float) -> None:
    end, wire = _input(sheet, x, y), y + _WIRE
    _contact(sheet, end, wire, closed=False)
    for n, line in enumerate(("OPEN", "at rest")):
        sheet.text(end + 22, wire + 22 + 13 * n, line, 10, bold=n == 0)


def _door(sheet: Sheet, x: float, y: float) -> None:
    end, wire = _input(sheet, x, y), y + _WIRE
    _contact(sheet, end, wire, closed=True)
    for n, line in enumerate(("CLOSED while", "the door is shut")):
        sheet.text(end + 14, wire + 22 + 13 * n, line, 10, bold=n == 0)


def _key(sheet: Sheet, x: float, y: float) -> None:
    upper, lower, pole = y + 56, y + 104, x + 206
    for at, name in ((upper, "rest"), (lower, "turned")):
        _pin(sheet, x + 10, at)
        sheet.line((x + 44, at), (x + 112, at))
        _resistor(sheet, x + 126, at, "1 kOhm")
        sheet.line((x + 140, at), (pole - 26, at))
        sheet.dot(pole - 26, at)
        sheet.text(x + 186, at - 8 if at == upper else at + 16, name, 10, anchor="end", bold=True)
    sheet.text(x + 10, lower + 28, "each wire: pull-up in the Pi, 100 nF", 10, ink=FAINT)
    sheet.line((pole, (upper + lower) / 2), (pole - 25, upper + 2), width=2)
    sheet.dot(pole, (upper + lower) / 2)
    sheet.line((pole, (upper + lower) / 2), (pole + 26, (upper + lower) / 2), (pole + 26, lower + 10))
    _ground(sheet, pole + 26, lower + 10)


def _pixels(sheet: Sheet, x: float, y: float) -> None:
    """The capacitor stands over the data wire, between the string's own two supply rails: no wire goes through it."""
    wire, plus, minus, at = y + 126, y + 50, y + 88, x + 128
    _pin(sheet, x + 8, wire)
    sheet.line((x + 42, wire), (x + 56, wire))
    sheet.line((x + 56, wire - 14), (x + 56, wire + 14), (x + 84, wire), (x + 56, wire - 14))
    sheet.text(x + 48, wire - 32, "74AHCT125", 10, anchor="middle")
    sheet.text(x + 48, wire - 19, "at 5 V", 10, anchor="middle")
    sheet.line((x + 84, wire), (x + 114, wire))
    _resistor(sheet, x + 128, wire, "330 Ohm")
    sheet.line((x + 142, wire), (x + 196, wire))
    sheet.box(x + 196, plus - 12, 76, wire - plus + 28)
    sheet.text(x + 202, plus + 4, "5 V", 10)
    sheet.text(x + 202, minus + 4, "GND", 10)
    sheet.text(x + 202, wire + 4, "DIN", 10, bold=True)
    sheet.text(x + 230, wire + 4, "lamp 0", 10)
    sheet.line((x + 90, plus), (x + 196, plus))
    sheet.text(x + 86, plus - 2, "5 V supply", 10, anchor="end")
    sheet.text(x + 86, plus + 11, "of its own", 10, anchor="end")
    sheet.dot(at, plus)
    sheet.line((at, plus), (at, plus + 16))
    sheet.line((at - 9, plus + 16), (at + 9, plus + 16), width=2)
    sheet.line((at - 9, plus + 22), (at + 9, plus + 22), width=2)
    sheet.line((at, plus + 22), (at, minus))
    sheet.text(at - 13, plus + 16, "+", 12, anchor="end", bold=True)
    sheet.text(at + 14, plus + 23, "1000 uF", 10)
    sheet.dot(at, minus)
    sheet.line((at - 24, minus), (x + 196, minus))
    _ground(sheet, at - 24, minus)


def _uart(sheet: Sheet, x: float, y: float) -> None:
    for at, name, theirs in ((y + 62, "8", "RxD"), (y + 96, "10", "TxD")):
        _pin(sheet, x + 10, at, name)
        sheet.line((x + 44, at), (x + 84, at))
        sheet.line((x + 172, at), (x + 222, at))
        sheet.text(x + 226, at + 4, theirs, 10)
        sheet.arrow((x + 220) if name == "8" else (x + 46), at, left=name == "10")
    sheet.box(x + 84, y + 48, 88, 62)
    for n, line in enumerate(("transceiver", "for 3.3 V", "(MAX3232)")):
        sheet.text(x + 128, y + 67 + 15 * n, line, 10, anchor="middle")


def _expander(sheet: Sheet, x: float, y: float) -> None:
    rail = y + 42
    sheet.line((x + 56, rail), (x + 112, rail), dashed=True)
    sheet.text(x + 116, rail + 4, "3.3 V, 4.7 kOhm each", 10)
    for n, name in enumerate(("SDA", "SCL", "INT")):
        at, pull = y + 66 + 28 * n, x + 62 + 22 * n
        _pin(sheet, x + 10, at, name)
        sheet.line((x + 44, at), (x + 150, at))
        sheet.dot(pull, at)
        sheet.line((pull, rail), (pull, rail + 4))
        sheet.box(pull - 4, rail + 4, 8, 14)
        sheet.line((pull, rail + 18), (pull, at))
    sheet.box(x + 150, y + 52, 122, 91)
    for n, line in enumerate(EXPANDER_CHIP):
        sheet.text(x + 211, y + 64 + 12.5 * n, line, 10, anchor="middle", bold=n == 0)


def _chain(sheet: Sheet, x: float, y: float) -> None:
    for n, name in enumerate(("SH/LD", "CLK", "QH")):
        at = y + 58 + 26 * n
        _pin(sheet, x + 8, at, name)
        sheet.line((x + 42, at), (x + 84, at))
    near, far = x + 84, x + 196
    for left, name in ((near, "chip 0"), (far, "last chip")):
        sheet.box(left, y + 44, 64, 80)
        sheet.text(left + 32, y + 72, name, 10, anchor="middle", bold=True)
        sheet.text(left + 32, y + 86, "74HC165", 10, anchor="middle")
        sheet.text(left + 60, y + 114, "SER", 10, anchor="end")
    for n in range(2):
        sheet.line((near + 64, y + 58 + 26 * n), (far, y + 58 + 26 * n))
    sheet.text(far + 4, y + 114, "QH", 10)
    sheet.line((near + 64, y + 110), (far, y + 110))
    sheet.text((near + 64 + far) / 2, y + 104, "...", 10, anchor="middle")
    sheet.line((far + 64, y + 110), (far + 72, y + 110), (far + 72, y + 136))
    sheet.text(far + 72, y + 148, "3.3 V", 10, anchor="end")
    sheet.text(near + 4, y + 100, "H: 3.3 V", 9)
    sheet.text(far + 4, y + 100, "A: GND", 9)
    sheet.text(near, y + 136, "each: CLK INH GND,", 10)
    sheet.text(near, y + 148, "100 nF at 3.3 V", 10)
    sheet.text(near, y + 38, "other inputs: 10 kOhm to 3.3 V", 10)


def _lamp(sheet: Sheet, x: float, y: float) -> None:
    wire, switch = y + 104, x + 176
    _pin(sheet, x + 10, wire)
    sheet.line((x + 44, wire), (x + 92, wire))
    sheet.dot(x + 62, wire)
    sheet.line((x + 62, wire), (x + 62, wire + 8))
    sheet.box(x + 57, wire + 8, 10, 22)
    sheet.text(x + 52, wire + 23, "10 kOhm", 10, anchor="end")
    sheet.line((x + 62, wire + 30), (x + 62, wire + 34))
    _ground(sheet, x + 62, wire + 34)
    _resistor(sheet, x + 106, wire, "150 Ohm")
    sheet.line((x + 120, wire), (switch - 34, wire))
    sheet.box(switch - 34, wire - 16, 68, 32)
    sheet.text(switch, wire - 2, "N-MOSFET,", 10, anchor="middle")
    sheet.text(switch, wire + 11, "logic level", 10, anchor="middle")
    sheet.line((switch, wire + 16), (switch, wire + 34))
    _ground(sheet, switch, wire + 34)
    sheet.line((switch, wire - 16), (switch, wire - 48), (switch + 32, wire - 48))
    sheet.box(switch + 32, wire - 60, 62, 24, round_=12)
    sheet.text(switch + 63, wire - 44, "lamp", 11, anchor="middle")
    sheet.text(switch + 63, wire - 64, "its own supply", 10, anchor="middle", ink=FAINT)


def _figures(sheet: Sheet, x: float, y: float) -> None:
    sheet.box(x + 54, y + 48, 50, 76)
    for n, line in enumerate(("74AHCT", "125", "at 5 V")):
        sheet.text(x + 79, y + 76 + 14 * n, line, 10, anchor="middle")
    for left, number in ((120, "chip 1"), (210, "chip 2")):
        sheet.box(x + left, y + 48, 66, 76)
        sheet.text(x + left + 33, y + 44, number, 10, anchor="middle", bold=True)
    for at, name in ((y + 62, "DIN"), (y + 86, "CLK"), (y + 110, "LOAD")):
        _pin(sheet, x + 8, at, name)
        sheet.line((x + 42, at), (x + 54, at))
        sheet.line((x + 104, at), (x + 120, at))
        sheet.text(x + 123, at + 4, name, 10)
    sheet.text(x + 184, y + 66, "DOUT", 10, anchor="end")
    sheet.line((x + 186, y + 62), (x + 210, y + 62))
    sheet.text(x + 213, y + 66, "DIN", 10)
    sheet.text(x + 198, y + 140, "each: 5 V, 10 uF, 100 nF", 10, anchor="middle", ink=FAINT)


def _release(sheet: Sheet, x: float, y: float) -> None:
    wire = y + 92
    _pin(sheet, x + 8, wire)
    sheet.line((x + 42, wire), (x + 60, wire))
    sheet.dot(x + 51, wire)
    sheet.line((x + 51, wire), (x + 51, wire + 12))
    sheet.box(x + 46, wire + 12, 10, 20)
    sheet.text(x + 62, wire + 42, "10 kOhm", 10)
    sheet.line((x + 51, wire + 32), (x + 51, wire + 36))
    _ground(sheet, x + 51, wire + 36)
    sheet.box(x + 60, wire - 24, 62, 48)
    for n, line in enumerate(("one-shot", "74HC123", "2.5 s")):
        sheet.text(x + 91, wire - 9 + 14 * n, line, 10, anchor="middle")
    sheet.line((x + 122, wire), (x + 140, wire))
    sheet.box(x + 140, wire - 24, 58, 48)
    for n, line in enumerate(("N-MOSFET,", "fuse,", "diode")):
        sheet.text(x + 169, wire - 9 + 14 * n, line, 10, anchor="middle")
    sheet.line((x + 198, wire), (x + 214, wire))
    sheet.box(x + 214, wire - 18, 56, 36, round_=6)
    sheet.text(x + 242, wire - 2, "coil of the", 9, anchor="middle")
    sheet.text(x + 242, wire + 10, "release", 9, anchor="middle")


def _return(sheet: Sheet, x: float, y: float) -> None:
    end, wire = _input(sheet, x, y), y + _WIRE
    sheet.box(end, wire - 26, 54, 62)
    for n, line in enumerate(("one-shot", "3 s", "74HC123,", "3.3 V")):
        sheet.text(end + 27, wire - 12 + 14 * n, line, 10, anchor="middle", bold=n == 1)
    sheet.text(end + 3, wire - 30, "/Q", 10)
    sheet.line((end + 54, wire), (end + 66, wire))
    for n, line in enumerate(("DOUT", "of the", "last")):
        sheet.text(end + 69, wire + 4 + 13 * n, line, 10, bold=n == 0)


def _current(sheet: Sheet, x: float, y: float) -> None:
    end, wire = _input(sheet, x, y), y + _WIRE
    sheet.box(end, wire - 26, 88, 62)
    for n, line in enumerate(("comparator,", "open collector,", "on a shunt in", "the lamps' 5 V")):
        sheet.text(end + 44, wire - 12 + 14 * n, line, 10, anchor="middle")
    sheet.line((end + 44, wire + 36), (end + 44, wire + 48))
    _ground(sheet, end + 44, wire + 48)


def _other(sheet: Sheet, x: float, y: float) -> None:
    _pin(sheet, x + 10, y + _WIRE)
    sheet.line((x + 44, y + _WIRE), (x + 120, y + _WIRE))
    sheet.text(x + 126, y + _WIRE + 4, "see drivers/QUALITY.md", 10)


class _Drawn:
    """Title and note of a circuit, and who draws it."""

    def __init__(self, title: str, note: str, draw: Callable[[Sheet, float, float], None]) -> None:
        self.title, self.note, self.draw = title, note, draw


CIRCUITS: Mapping[Circuit, _Drawn] = {
    Circuit.SENSOR: _Drawn("betting spot", "Over 3 m: 12 to 24 V loop and opto-coupler.", _sensor),
    Circuit.LOCKOUT: _Drawn("lock-out button", "A cut wire is a press, and closes betting.", _closed),
    Circuit.BUTTON: _Drawn("dealer's button", "Closes to ground when pressed.", _open),
    Circuit.KEY: _Drawn("key switch, change-over", "Both contacts equal is a wiring fault.", _key),
    Circuit.DOOR: _Drawn("door switch", "A cut wire is an open door.", _door),
    Circuit.PIXELS: _Drawn("lamps (WS2812)", "One ground with the Pi. Into DIN, never DOUT.", _pixels),
    Circuit.UART: _Drawn("serial port of the header", "Never RS-232 levels at the pins.", _uart),
    Circuit.EXPANDER: _Drawn("port expanders on I2C", "Over 30 cm: 100 kHz, ground beside each wire.", _expander),
    Circuit.CHAIN: _Drawn("shift registers on SPI", "The tied inputs prove that the chain is whole.", _chain),
    Circuit.LAMP: _Drawn("plain lamp", "Lit while low: resistor to 3.3 V instead.", _lamp),
    Circuit.FIGURES: _Drawn("figures (MAX7219)", "CLK and LOAD go to every chip. One ground.", _figures),
    Circuit.RELEASE: _Drawn("release device", "The one-shot ends what a dead program left on.", _release),
    Circuit.RETURN: _Drawn("data out of the last lamp", "DOUT is 5 V: divider 10 to 20 kOhm before it.", _return),
    Circuit.CURRENT: _Drawn("current of the lamps", "Below half of what the dark string takes.", _current),
    Circuit.OTHER: _Drawn("line", "", _other),
}
"""Every circuit but of pins that are only taken."""


def draw(sheet: Sheet, x: float, y: float, circuit: Circuit) -> None:
    """One circuit in its frame."""
    drawn = CIRCUITS[circuit]
    _frame(sheet, x, y, LETTERS[circuit], drawn.title, drawn.note)
    drawn.draw(sheet, x, y)
