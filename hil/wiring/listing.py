"""The plan for a terminal: pins in the order of the header, then terminals, ports and buses."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from hil.wiring import header
from hil.wiring.plan import LETTERS, Bus, Circuit, Plan, Port, Use

SIMULATED = "SIMULATED: the cables are those that real devices of these kinds would have"
HOW = {
    Circuit.SENSOR: "open collector, active low; 1 kOhm in series, 100 nF to ground",
    Circuit.LOCKOUT: "CLOSED to ground at rest, a cut wire is a press; 1 kOhm, 100 nF",
    Circuit.BUTTON: "open at rest, closes to ground; 1 kOhm, 100 nF",
    Circuit.KEY: "change-over to ground, rest is closed until it is turned; 1 kOhm, 100 nF each",
    Circuit.DOOR: "closed to ground while the door is shut; 1 kOhm, 100 nF",
    Circuit.PIXELS: "3.3 V to 5 V level shifter, 330 Ohm, 1000 uF across the string's 5 V and GND, + to 5 V",
    Circuit.TAKEN: "driven by the SPI bus: leave open",
    Circuit.UART: "3.3 V: RS-232 or RS-485 transceiver between",
    Circuit.RELEASE: "one-shot that ends a pulse by itself, driver for the coil, diode across it; dark at rest",
    Circuit.EXPANDER: "I2C, short; SDA, SCL and INT each 4.7 kOhm to 3.3 V; RESET and VDD to 3.3 V; "
    "100 nF at each chip; pulls its inputs up itself",
    Circuit.CHAIN: "at 3.3 V: SH/LD, CLK, QH; CLK INH to ground, QH of a chip to SER of the one before; "
    "H of chip 0 and SER of the last to 3.3 V, A of the last to GND, which prove that the chain is whole; 100 nF each; "
    "10 kOhm from each other input to 3.3 V, for it pulls none up",
    Circuit.LAMP: "transistor or relay each, a resistor to its dark level; never a lamp at the pin itself",
    Circuit.FIGURES: "3.3 V to 5 V level shifter, 10 uF and 100 nF at each chip; DOUT of one to DIN of the next",
    Circuit.RETURN: "DOUT of the last lamp into a retriggerable one-shot of 3 s, low while it runs; 1 kOhm, 100 nF",
    Circuit.CURRENT: "comparator on a shunt in the lamps' supply, low while current flows; 1 kOhm, 100 nF",
    Circuit.OTHER: "see the device's own section in drivers/QUALITY.md",
}
"""How each kind of line is wired."""


def lines(plan: Plan) -> Iterator[str]:
    """The whole plan."""
    yield f"table {plan.table}, {plan.game}, {plan.profile}"
    if plan.profile == "simulated":
        yield SIMULATED
    if plan.pins:
        yield ""
        yield "header of the Pi (pin 1 is the corner by the SD card; GPIO numbers are not pin numbers)"
        rows = list(_pins(plan))
        yield from _columns(("pin", "GPIO", "", "signal", "key"), rows)
        used = {use.circuit for uses in plan.pins.values() for use in uses}
        yield from (f"  {LETTERS[circuit]}  {circuit}: {HOW[circuit]}" for circuit in HOW if circuit in used)
    for block in plan.blocks:
        yield ""
        yield f"{block.device}: {block.kind}, {block.place}"
        word = "lamp" if block.kind.startswith("lamps.") else "line" if block.kind.startswith("lines.") else "shows"
        yield from _columns((word, "signal"), block.rows)
    if plan.ports:
        yield ""
        yield "serial ports and other cables"
        for port in plan.ports:
            yield from _port(port)
    for bus in plan.buses:
        yield from _bus(bus)


def _pins(plan: Plan) -> Iterator[tuple[str, ...]]:
    for pin in header.PINS:
        gpio = header.GPIO.get(pin)
        for use in plan.pins.get(gpio, ()) if gpio is not None else ():
            twice = "!! " if len(plan.pins[use.number]) > 1 else ""
            yield str(pin), str(gpio), LETTERS[use.circuit], f"{twice}{use.signal}", use.key
    for number, uses in plan.pins.items():
        if number not in header.PIN:
            yield from (("none", str(number), LETTERS[use.circuit], f"!! {use.signal}", use.key) for use in uses)


def _port(port: Port) -> Iterator[str]:
    yield f"  {port.device}: {port.kind}, {port.url}{f', {port.speed}' if port.speed else ''}; {port.cable.by}"
    for conductor in port.cable.conductors:
        arrow = {"<": "<--", ">": "-->", "": "---", "-": "   ", "<>": "<->"}[conductor.towards]
        told = "not connected, or not used" if conductor.towards == "-" else ""
        yield f"      {conductor.ours:>8} {arrow} {conductor.theirs}  {told}".rstrip()
    yield from (f"      {note}" for note in port.cable.notes)


def _bus(bus: Bus) -> Iterator[str]:
    yield ""
    yield f"bus {bus.url}, {bus.speed}; {bus.cable.by}; {', '.join(c.ours for c in bus.cable.conductors)}"
    yield from _columns(
        ("device", "kind", "address"), [(s.device, s.kind, s.address or "listens only") for s in bus.stations]
    )
    yield from (f"  {note}" for note in bus.cable.notes)


def _columns(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(len(row[n]) for row in (head, *rows)) for n in range(len(head))]
    for row in (head, *rows):
        yield "  " + "  ".join(f"{cell:<{width}}" for cell, width in zip(row, widths, strict=True)).rstrip()


def uses_text(uses: Sequence[Use]) -> str:
    """A pin's uses in one line; several are a collision."""
    return " AND ".join(use.signal for use in uses)
