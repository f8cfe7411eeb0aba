"""A section and a picture for every driver: what hangs on it, what the configuration says, what is done wrong most, and
how it is tried.

Rules: every kind that is not simulated has a row in `EXAMPLES` (its part of a configuration) and in `TRY`; what can be
known from the driver's own options, its cable or its circuits is taken from there. A test fails for a kind without one.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec
from msgspec import structs

from firmware.settings import check_bus
from firmware.settings.devices import Device
from firmware.settings.devices.options import DeviceOptions
from firmware.settings.load import decode
from hil.wiring import circuits, header
from hil.wiring.cables import CABLES, Cable, Conductor, cable_of, speed
from hil.wiring.listing import HOW
from hil.wiring.picture import EDGE, bus_drawing, port_box, port_height
from hil.wiring.plan import LETTERS, Bus, Circuit, Port, Station, plan_of
from hil.wiring.sheet import Sheet

PORT_WIDTH, BUS_WIDTH = 600, 720
CONTACTS = (Circuit.BUTTON, Circuit.KEY, Circuit.DOOR)
WIRES_BACK = (Circuit.RETURN, Circuit.CURRENT)
"""Optional: how it is known that lamps live."""
ON_THE_HEADER: Mapping[str, tuple[Circuit, ...]] = {
    "lines.lgpio": (Circuit.SENSOR, Circuit.LOCKOUT, *CONTACTS),
    "lines.rpigpio": CONTACTS,
    "lines.mcp23017": (Circuit.EXPANDER, Circuit.SENSOR),
    "lines.shift_register": (Circuit.CHAIN, Circuit.SENSOR),
    "lamps.neopixel_spi": (Circuit.PIXELS, *WIRES_BACK),
    "lamps.neopixel_pwm": (Circuit.PIXELS, *WIRES_BACK),
    "lamps.neopixel_pio": (Circuit.PIXELS, *WIRES_BACK),
    "lamps.gpio": (Circuit.LAMP,),
    "meter.max7219": (Circuit.FIGURES,),
    "release.gpio": (Circuit.RELEASE, Circuit.BUTTON, Circuit.SENSOR),
    "display.terminal": (),
}
"""What hangs on the header's pins."""

FREE = frozenset({"lines.lgpio", "lines.rpigpio"})
"""Kinds whose lines are wherever the configuration says."""

EXAMPLE = Path(__file__).parents[2] / "config" / "tables" / "minibaccarat-pi.toml"

EXAMPLES: Mapping[str, str] = {
    "lines.lgpio": "[devices.lines]",
    "lines.rpigpio": "[devices.lines]",
    "lines.tgline": '[devices.seats]\nurl = "/dev/tabled/bus"\naddress = 1',
    "lines.modbus": '[devices.seats]\nurl = "/dev/tabled/bus"\nunit = 1',
    "lines.mcp23017": "[devices.seats]\naddresses = [0x20, 0x21]\ninterrupt_gpio = 27",
    "lines.shift_register": "[devices.seats]\nchips = 2\nload_gpio = 4",
    "lamps.neopixel_spi": "[devices.lamps]\npixels = 7",
    "lamps.neopixel_pwm": "[devices.lamps]\npixels = 7\ngpio = 18",
    "lamps.neopixel_pio": "[devices.lamps]\npixels = 7\ngpio = 18",
    "lamps.gpio": "[devices.lamps]\nlines = [4, 7, 8, 9, 10, 11, 27]",
    "shoe.angeleye": '[devices.shoe]\nurl = "/dev/tabled/shoe"',
    "shoe.beetek": '[devices.shoe]\nurl = "/dev/tabled/shoe"',
    "shoe.barcode_serial": '[devices.shoe]\nurl = "/dev/tabled/shoe"\nmap = "letter"',
    "shoe.barcode_hid": '[devices.shoe]\nurl = "/dev/tabled/shoe"\nmap = "letter"',
    "shoe.tgline": '[devices.shoe]\nurl = "/dev/tabled/shoe"\nbaud = 38400',
    "board.alpha": '[devices.board]\nurl = "/dev/tabled/board"',
    "display.serial": '[devices.display]\nurl = "/dev/tabled/display"',
    "display.terminal": "[devices.display]",
    "meter.tgline": '[devices.jackpots]\nurl = "/dev/tabled/bus"\nlevels = { "royal_9.mega" = 1 }',
    "meter.max7219": '[devices.figures]\nmeters = ["royal_9.mega"]',
    "wheel.cammegh": '[devices.wheel]\nurl = "/dev/tabled/wheel"',
    "wheel.winline": '[devices.wheel]\nurl = "/dev/tabled/wheel"',
    "wheel.tgline": '[devices.wheel]\nurl = "/dev/tabled/wheel"\nbaud = 38400',
    "dice.tgline": '[devices.dice]\nurl = "/dev/tabled/dice"\nbaud = 38400',
    "release.gpio": "[devices.release]\nline = 27\nbutton = 4\nball = 7",
    "dice.keypad": '[devices.dice]\nurl = "/dev/tabled/dice"',
}
"""The least that a configuration says; `kind` is added."""

TRY: Mapping[str, str] = {
    "lines": "`hil panel`, view 4: put a chip on each spot, press and turn each key; the line named must say ACTIVE",
    "lamps": "`hil lamp walk`: each lamp by itself in the order of the string, then the colours on all",
    "shoe": "`hil shoe trace`: draw a card, slowly; every byte is shown, and what the driver makes of it",
    "wheel": "`hil wheel trace`: turn the wheel; every byte is shown, and what the driver makes of it",
    "dice": "`hil dice trace`: throw or enter a roll; every byte is shown, and what the driver makes of it",
    "release": "nothing but its game lets a ball go, so a round of it is the trial",
    "board": "`hil board pattern {name}`: test patterns on the sign",
    "display": "`hil board pattern {name}`: test patterns on the display",
    "meter": "`hil board pattern {name}`: test patterns on the meters' display",
}
"""By role: the first thing to do once it is wired; `{name}` is the device's."""

NAMED: Mapping[str, str] = {
    "lines.lgpio": "[wagers.royal_9_progressive]\n"
    'spots = ["lines:5", "lines:6", "lines:12", "lines:13", "lines:16", "lines:17", "lines:18"]  # GPIO, not pin',
    "lines.rpigpio": '[keys]\nconfirm = "lines:20"  # GPIO 20, which is pin 38; no spots and no lock-out button',
    "lines.tgline": '[wagers.royal_9_progressive]\nspots = ["seats:0", "seats:1"]  # inputs 0 and 1 of the board',
    "lines.modbus": '[wagers.royal_9_progressive]\nspots = ["seats:0", "seats:1"]  # its first two discrete inputs',
    "lines.mcp23017": "[wagers.royal_9_progressive]\n"
    'spots = ["seats:0", "seats:8", "seats:16"]  # GPA0 and GPB0 of the first chip, GPA0 of the second; not 7 and 15',
    "lines.shift_register": "[wagers.royal_9_progressive]\n"
    'spots = ["seats:0", "seats:1", "seats:9"]  # A and B of chip 0, B of chip 1; not the tied ones',
    "lamps.neopixel_spi": "[wagers.royal_9_progressive]\nlamps = [0, 1, 2, 3, 4, 5, 6]  # position 1 first",
    "lamps.gpio": "[wagers.royal_9_progressive]\nlamps = [0, 1, 2, 3, 4, 5, 6]  # position 1 first",
}
"""How a line or lamp of the kind becomes a spot, a key or a spot's lamp."""
NAMED_LIKE = {"lamps.neopixel_pwm": "lamps.neopixel_spi", "lamps.neopixel_pio": "lamps.neopixel_spi"}


def real_kinds() -> tuple[str, ...]:
    """Every kind that stands for hardware, in the order of roles."""
    return tuple(EXAMPLES)


def example(kind: str) -> str:
    """Its part of a configuration, as TOML."""
    head, _, rest = EXAMPLES[kind].partition("\n")
    return "\n".join(part for part in (head, f'kind = "{kind}"', rest) if part)


def device(kind: str) -> tuple[str, DeviceOptions]:
    """Name and options of the example. Raises msgspec.ValidationError for one that the configuration would refuse."""
    ((name, options),) = tomllib.loads(example(kind))["devices"].items()
    made: DeviceOptions = msgspec.convert(options, Device)
    return name, made


def anchor(kind: str) -> str:
    """Of its heading, as browsers of Markdown make them."""
    return kind.replace(".", "")


def section(kind: str) -> Iterator[str]:
    """Its lines of the page."""
    name, options = device(kind)
    yield f"### {kind}"
    yield ""
    if drawing(kind) is not None:
        yield f"![{kind}](wiring/pictures/{kind}.svg)"
        yield ""
    named = NAMED.get(NAMED_LIKE.get(kind, kind))
    yield from ("```toml", example(kind), *(("", named) if named else ()), "```", "")
    if kind.startswith("lines."):
        yield f'* A spot or a key names its line: `"{name}:NUMBER"`. `spots`: one for each position, 1 first.'
    cable = cable_of(options)
    if cable is not None:
        at = speed(options, cable)
        yield f"* By {cable.by}{f', {at}' if at else ''}: {_conductors(cable)}."
        yield from (f"* {note}" for note in cable.notes)
    for circuit in ON_THE_HEADER.get(kind, ()):
        yield f"* {LETTERS[circuit]}, {circuit}: {HOW[circuit]}."
    yield from (f"* {pin}" for pin in _pins(name, options))
    if kind in FREE:
        yield "* On any GPIO that nothing else has; `hil wiring` shows this table's."
    if kind == "display.terminal":
        yield "* Nothing is wired: it is the terminal that the daemon was started in."
    role = kind.partition(".")[0]
    yield f"* Try it: `hil list`, `hil check {name}`; then {TRY[role].format(name=name)}."
    yield f"* How it behaves: [drivers/QUALITY.md](../drivers/QUALITY.md#{anchor(kind)})."
    yield ""


def _pins(name: str, options: DeviceOptions) -> Iterator[str]:
    """Pins of the header that this kind has of itself, as its example is configured."""
    if options.kind in FREE or options.kind in CABLES:
        return
    table = decode(EXAMPLE.read_text("utf-8"), EXAMPLE.name)
    plan = plan_of(structs.replace(table, devices={name: options}))
    for gpio, uses in plan.pins.items():
        for use in uses:
            if use.device == name:
                yield f"Pin {header.PIN[gpio]}, GPIO {gpio}: {use.signal.removeprefix(f'{name}: ')}."


def _conductors(cable: Cable) -> str:
    return ", ".join(_conductor(one) for one in cable.conductors)


def _conductor(one: Conductor) -> str:
    how = {"<": "from", ">": "to", "<>": "with", "": "with", "-": "not to"}[one.towards]
    return f"{one.ours} {how} {one.theirs}"


def drawing(kind: str) -> str | None:
    """Its picture as SVG; None where nothing is wired."""
    name, options = device(kind)
    cable = cable_of(options)
    if cable is None:
        return _circuits(kind, ON_THE_HEADER[kind]) if ON_THE_HEADER[kind] else None
    url = str(getattr(options, "url", ""))
    if isinstance(options, check_bus.OnBus):
        sheet = Sheet(BUS_WIDTH)
        stations = (Station(name, kind, _address(options)), Station("another", kind, "another address"))
        end = bus_drawing(sheet, 16, Bus(url, speed(options, cable), cable, stations))
        return sheet.svg(end + 12, f"Wiring of {kind}")
    sheet = Sheet(PORT_WIDTH)
    port = Port(name, kind, url, speed(options, cable), cable)
    width = PORT_WIDTH - 2 * EDGE
    height = port_height(port, width)
    port_box(sheet, EDGE, 12, width, height, port, False)
    return sheet.svg(height + 24, f"Wiring of {kind}")


def _address(options: DeviceOptions) -> str:
    if hasattr(options, "unit"):
        return f"unit {options.unit}"
    return f"address {options.address}" if hasattr(options, "address") else ""


def _circuits(kind: str, shown: tuple[Circuit, ...]) -> str:
    """Side by side, three in a row."""
    across = min(3, len(shown))
    sheet = Sheet(2 * EDGE + across * (circuits.WIDTH + 12) - 12)
    for n, circuit in enumerate(shown):
        x, y = EDGE + n % across * (circuits.WIDTH + 12), 12 + n // across * (circuits.HEIGHT + 12)
        circuits.draw(sheet, x, y, circuit)
    return sheet.svg(12 + -(-len(shown) // across) * (circuits.HEIGHT + 12), f"Wiring of {kind}")
