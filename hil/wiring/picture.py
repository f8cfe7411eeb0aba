"""The plan as one SVG page: the header with every used pin, the circuits behind them, ports, buses, terminals.

Rules: of the same plan the same bytes; nothing overlaps however many devices there are: the page grows downwards.
"""

from __future__ import annotations

from collections.abc import Sequence

from hil.wiring import circuits, header
from hil.wiring.cables import Conductor
from hil.wiring.listing import SIMULATED, uses_text
from hil.wiring.plan import LETTERS, Block, Bus, Circuit, Plan, Port, Use
from hil.wiring.sheet import ALARM, FAINT, INK, PAPER, Sheet, fit, wrapped

PAGE, EDGE, GAP = 1180, 24, 16
PITCH = 27
"""Between two pins of the header."""
SHORT = 8
"""Characters of a terminal's name that a narrow box takes."""
USED, POWER, TAKEN = "#d6e6ff", "#e4e4e4", "#fff1c9"


def picture(plan: Plan) -> str:
    """The whole page."""
    sheet = Sheet(PAGE)
    sheet.text(EDGE, 40, f"Wiring of table {plan.table}", 24, bold=True)
    sheet.text(PAGE - EDGE, 40, f"{plan.game}, {plan.profile}", 15, anchor="end")
    if plan.profile == "simulated":
        sheet.text(PAGE - EDGE, 58, SIMULATED, 11, anchor="end", ink=FAINT)
    y = 64.0
    if plan.pins:
        y = _header(sheet, y, plan.pins)
        y = _circuits(sheet, y, plan.pins)
    if plan.ports:
        y = _ports(sheet, y, plan.ports)
    for bus in plan.buses:
        y = _bus(sheet, y, bus)
    if plan.blocks:
        y = _blocks(sheet, y, plan.blocks)
    return sheet.svg(y + EDGE, f"Wiring of table {plan.table}")


def _title(sheet: Sheet, y: float, title: str, what: str = "") -> float:
    sheet.line((EDGE, y), (PAGE - EDGE, y), width=0.8, ink=FAINT)
    sheet.text(EDGE, y + 24, title, 16, bold=True)
    sheet.text(PAGE - EDGE, y + 24, what, 11, anchor="end", ink=FAINT)
    return y + 40


# --- the header -------------------------------------------------------------------------------------------------------


def _header(sheet: Sheet, y: float, pins: dict[int, tuple[Use, ...]]) -> float:
    y = _title(
        sheet, y, "Header of the Raspberry Pi", "in the square: number of the pin; beside it: number of the GPIO"
    )
    middle, square = PAGE / 2, 24
    sheet.text(middle, y + 8, "end with the SD card", 11, anchor="middle", ink=FAINT)
    top = y + 18
    sheet.box(middle - square - 10, top - 6, 2 * square + 20, 20 * PITCH + 9, fill="#f7f7f7", line=1.6, round_=3)
    for pin in header.PINS:
        left = pin % 2 == 1
        at_y = top + (pin - 1) // 2 * PITCH
        at_x = middle - square - 3 if left else middle + 3
        _pin(sheet, at_x, at_y, square, pin, left, pins.get(header.GPIO.get(pin, -1), ()))
    bottom = top + 20 * PITCH
    sheet.text(middle, bottom + 18, "end with the USB sockets", 11, anchor="middle", ink=FAINT)
    off = [(number, uses) for number, uses in pins.items() if number not in header.PIN]
    for n, (number, uses) in enumerate(off):
        told = f"NOT ON THE HEADER: GPIO {number}, {uses_text(uses)}"
        sheet.text(EDGE, bottom + 18 + 15 * n, fit(told, 440, 12), 12, bold=True, ink=ALARM)
    return bottom + 30 + max(0, 15 * (len(off) - 1))


def _pin(sheet: Sheet, x: float, y: float, square: float, pin: int, left: bool, uses: Sequence[Use]) -> None:
    supply = header.SUPPLY.get(pin)
    only_taken = bool(uses) and all(use.circuit is Circuit.TAKEN for use in uses)
    wrong = len(uses) > 1
    fill = POWER if supply else TAKEN if only_taken else USED if uses else PAPER
    sheet.box(x, y, square, square, fill=fill, line=2.4 if uses and not only_taken else 1, ink=ALARM if wrong else INK)
    sheet.text(x + square / 2, y + 17, str(pin), 12, anchor="middle", bold=bool(uses))
    outwards = -1 if left else 1
    anchor = "end" if left else "start"
    near = x + (0 if left else square) + outwards * 12
    base = y + 17
    if supply:
        sheet.text(near, base, supply, 11, anchor=anchor, bold=supply == "GND", ink=INK if supply == "GND" else FAINT)
        return
    gpio = header.GPIO[pin]
    sheet.text(near, base, f"GPIO {gpio}", 12, anchor=anchor, bold=bool(uses), ink=INK if uses else FAINT)
    far = near + outwards * 70
    if not uses:
        what = "HAT EEPROM: leave open" if gpio in header.EEPROM else "free"
        sheet.text(far, base, what, 11, anchor=anchor, ink=FAINT)
        return
    if letter := "" if only_taken else LETTERS[_first(uses)]:
        sheet.line((near + outwards * 58, y + 12), (far - outwards * 2, y + 12))
        sheet.box(far if not left else far - 18, y + 3, 18, 18)
        sheet.text(far + outwards * 9, base, letter, 12, anchor="middle", bold=True)
        far += outwards * 26
    size = 11 if wrong or only_taken else 13
    text = fit(f"{'TWICE: ' if wrong else ''}{uses_text(uses)}", PAGE / 2 - EDGE - 150, size)
    sheet.text(far, base, text, size, anchor=anchor, bold=wrong, ink=ALARM if wrong else INK)


def _first(uses: Sequence[Use]) -> Circuit:
    """The circuit of the first use that is more than taken."""
    return next(use.circuit for use in uses if use.circuit is not Circuit.TAKEN)


def _circuits(sheet: Sheet, y: float, pins: dict[int, tuple[Use, ...]]) -> float:
    y = _title(
        sheet, y, "Behind the pins", "grounds of all contacts and sensors on any pin GND; 3.3 V at the pins, never more"
    )
    used = {use.circuit for uses in pins.values() for use in uses}
    shown = [circuit for circuit in circuits.CIRCUITS if circuit in used]
    across = 4
    step = (PAGE - 2 * EDGE - across * circuits.WIDTH) / (across - 1)
    for n, circuit in enumerate(shown):
        x = EDGE + n % across * (circuits.WIDTH + step)
        circuits.draw(sheet, x, y + n // across * (circuits.HEIGHT + GAP), circuit)
    return y + -(-len(shown) // across) * (circuits.HEIGHT + GAP) + 4


# --- ports and buses --------------------------------------------------------------------------------------------------


def _ports(sheet: Sheet, y: float, ports: Sequence[Port]) -> float:
    y = _title(sheet, y, "Cables", "numbers are those of the adapter's 9-pin plug; the arrow shows where the bytes go")
    width = (PAGE - 2 * EDGE - GAP) / 2
    for n in range(0, len(ports), 2):
        pair = ports[n : n + 2]
        height = max(port_height(port, width) for port in pair)
        for column, port in enumerate(pair):
            twice = sum(other.url == port.url for other in ports) > 1
            port_box(sheet, EDGE + column * (width + GAP), y, width, height, port, twice)
        y += height + GAP
    return y + 4


def port_height(port: Port, width: float) -> float:
    """How high `port_box` is at a width."""
    notes = sum(len(wrapped(note, width - 24, 10)) for note in port.cable.notes)
    return 74 + 22 * len(port.cable.conductors) + 14 * notes + 12


def port_box(sheet: Sheet, x: float, y: float, width: float, height: float, port: Port, twice: bool) -> None:
    """A device's cable. `twice`: another device names the same port."""
    sheet.box(x, y, width, height, round_=4, ink=FAINT, line=0.8)
    sheet.text(x + 12, y + 20, fit(f"{port.device}: {port.kind}", width - 130, 13), 13, bold=True)
    sheet.text(x + width - 12, y + 20, port.speed, 12, anchor="end", bold=True)
    told = fit(f"{'TWICE: ' if twice else ''}{port.url}, {port.cable.by}", width - 24, 11)
    sheet.text(x + 12, y + 37, told, 11, bold=twice, ink=ALARM if twice else INK)
    rows = 22 * len(port.cable.conductors)
    top = y + 48
    sheet.box(x + 12, top, 150, rows + 8, fill="#f7f7f7")
    sheet.text(x + 20, top + 15, "Pi", 11, bold=True)
    sheet.box(x + width - 142, top, 130, rows + 8, fill="#f7f7f7")
    sheet.text(x + width - 20, top + 15, fit(port.device, 72, 11), 11, anchor="end", bold=True)
    for n, conductor in enumerate(port.cable.conductors):
        at = top + 15 + 22 * n
        sheet.text(x + 156, at + 4, conductor.ours, 10, anchor="end")
        sheet.text(x + width - 136, at + 4, conductor.theirs, 10)
        _conductor(sheet, x + 162, x + width - 142, at, conductor)
    at = top + rows + 26
    for note in port.cable.notes:
        for line in wrapped(note, width - 24, 10):
            sheet.text(x + 12, at, line, 10)
            at += 14


def _conductor(sheet: Sheet, left: float, right: float, y: float, conductor: Conductor) -> None:
    if conductor.towards == "-":
        sheet.line((left, y), (left + 26, y), dashed=True)
        sheet.line((right - 26, y), (right, y), dashed=True)
        sheet.text((left + right) / 2, y + 4, "not used", 10, anchor="middle", ink=FAINT)
        return
    sheet.line((left, y), (right, y), width=1.6)
    if "<" in conductor.towards:
        sheet.arrow(left + 2, y, left=True)
    if ">" in conductor.towards:
        sheet.arrow(right - 2, y, left=False)


def _bus(sheet: Sheet, y: float, bus: Bus) -> float:
    y = _title(sheet, y, f"RS-485 bus {bus.url}", f"{bus.speed}; conductors A, B and a common ground to every device")
    return bus_drawing(sheet, y, bus)


def bus_drawing(sheet: Sheet, y: float, bus: Bus) -> float:
    """Adapter, conductors, terminators and devices; where it ends."""
    width, across = 190, 4
    for begin in range(0, len(bus.stations), across):
        part = bus.stations[begin : begin + across]
        first, last = begin == 0, begin + across >= len(bus.stations)
        left, right = EDGE + 120, EDGE + 190 + len(part) * (width + 6)
        if first:
            sheet.box(EDGE, y + 4, 104, 56, fill="#f7f7f7")
            for n, line in enumerate(("Pi,", "RS-485", "adapter")):
                sheet.text(EDGE + 52, y + 20 + 15 * n, line, 11, anchor="middle")
            _terminator(sheet, EDGE + 140, y)
        for n, name in enumerate(("A", "B", "common")):
            at = y + 14 + 18 * n
            sheet.line((left - 16, at), (right, at), width=2, dashed=n == 2)
            sheet.text(right + 6, at + 4, name, 11)
        for n, station in enumerate(part):
            x = EDGE + 150 + n * (width + 6)
            for conductor in range(3):
                at_x = x + 110 + conductor * 26
                sheet.dot(at_x, y + 14 + 18 * conductor)
                sheet.line((at_x, y + 14 + 18 * conductor), (at_x, y + 72))
            sheet.box(x, y + 72, width - 8, 64, round_=4)
            for conductor, name in enumerate(("A", "B", "com")):
                sheet.text(x + 110 + conductor * 26, y + 84, name, 10, anchor="middle")
            sheet.text(x + 8, y + 90, fit(station.device, 96, 13), 13, bold=True)
            twice = station.address and sum(other.address == station.address for other in bus.stations) > 1
            told = f"{'TWICE: ' if twice else ''}{station.address or 'listens only'}"
            sheet.text(x + 8, y + 107, told, 11, bold=bool(station.address), ink=ALARM if twice else INK)
            sheet.text(x + 8, y + 124, fit(station.kind, width - 20, 9), 9, ink=FAINT)
        if last:
            _terminator(sheet, right - 12, y)
        y += 150
    for note in bus.cable.notes:
        sheet.text(EDGE, y + 6, note, 11)
        y += 16
    return y + 8


def _terminator(sheet: Sheet, x: float, y: float) -> None:
    """120 Ohm across A and B."""
    sheet.line((x, y + 14), (x, y + 32))
    sheet.box(x - 5, y + 17, 10, 12)
    sheet.text(x, y + 8, "120 Ohm", 10, anchor="middle")


# --- terminals --------------------------------------------------------------------------------------------------------


def _blocks(sheet: Sheet, y: float, blocks: Sequence[Block]) -> float:
    y = _title(sheet, y, "Terminals and lamps", "numbered as the device numbers them")
    wide = any(len(terminal) > SHORT for block in blocks for terminal, _ in block.rows)
    across, row_height, most = 3 if wide else 4, 18, 24
    width = (PAGE - 2 * EDGE - (across - 1) * GAP) / across
    column, tallest = 0, 0.0
    for block in blocks:
        each = -(-len(block.rows) // max(1, -(-len(block.rows) // most)))  # one height, no rest
        parts = [block.rows[n : n + each] for n in range(0, len(block.rows), each or 1)] or [()]
        for n, rows in enumerate(parts):
            if column == across:
                y, column, tallest = y + tallest + GAP, 0, 0.0
            x = EDGE + column * (width + GAP)
            _block(sheet, x, y, width, row_height, block, rows, n > 0)
            tallest = max(tallest, 48.0 + row_height * len(rows))
            column += 1
    return y + tallest + 4


def _block(
    sheet: Sheet, x: float, y: float, width: float, row_height: int, block: Block, rows: Sequence[tuple[str, str]],
    goes_on: bool,
) -> None:  # fmt: skip
    sheet.box(x, y, width, 44.0 + row_height * len(rows), round_=4, ink=FAINT, line=0.8)
    more = ", continued" if goes_on else ""
    sheet.text(x + 8, y + 17, fit(f"{block.device}{more}", width - 16, 13), 13, bold=True)
    sheet.text(x + 8, y + 32, fit(f"{block.kind}, {block.place}", width - 16, 9), 9, ink=FAINT)
    wide = 90 if any(len(terminal) > SHORT for terminal, _ in block.rows) else 46
    for n, (terminal, signal) in enumerate(rows):
        at = y + 40 + row_height * n
        sheet.box(x + 8, at, wide, row_height - 3, fill=USED)
        sheet.text(x + 8 + wide / 2, at + 12, terminal, 10, anchor="middle", bold=True)
        sheet.text(x + 16 + wide, at + 12, fit(signal, width - wide - 24, 10), 10)
