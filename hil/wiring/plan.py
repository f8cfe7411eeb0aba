"""Every wire, port, bus and string of a configuration: what the table and the picture show.

Rules: nothing is judged here, also a configuration that is refused has its plan: that is how a technician sees what
collides. A pin may so have several uses.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from enum import StrEnum

from msgspec import Struct

from firmware.settings import check_bus, check_expanders, check_header, check_outputs, check_wiring
from firmware.settings.devices.bus_lines import ModbusOptions, TglineBoardOptions
from firmware.settings.devices.expanders import ExpanderDevice, LinesMcp23017, LinesShiftRegister
from firmware.settings.devices.lamps import LampsGpioOptions, LampsNeopixelPio, LampsNeopixelPwm, LampsNeopixelSpi
from firmware.settings.devices.lines import LinesLgpio, LinesRpiGpio
from firmware.settings.devices.meters import MeterMax7219, MeterMax7219Options, MeterTglineOptions
from firmware.settings.devices.options import DeviceOptions
from firmware.settings.model import Settings
from firmware.settings.problems import KeyPath, Problem
from hil.wiring import expanders, header
from hil.wiring.cables import Cable, cable_of, on_the_header, speed


class Circuit(StrEnum):
    """What hangs on a line; each has a drawing of its own."""

    SENSOR = "sensor"
    LOCKOUT = "lock-out button"
    BUTTON = "button"
    KEY = "key switch"
    DOOR = "door switch"
    PIXELS = "lamps"
    TAKEN = "taken"
    UART = "serial port of the header"
    LAMP = "plain lamp"
    FIGURES = "figures"
    RETURN = "data out of the last lamp"
    CURRENT = "current of the lamps"
    RELEASE = "release device"
    EXPANDER = "port expander"
    CHAIN = "shift registers"
    OTHER = "line"


LETTERS = dict(zip(Circuit, "ABCDEF-GHIMNOKLJ", strict=True))
"""The letter by which a pin says what is behind it: the same in every table and picture."""


RELEASE_LINES = {
    "line": ("lets the balls go", Circuit.RELEASE),
    "button": ("the patron's button", Circuit.BUTTON),
    "ball": ("sensor of the balls", Circuit.SENSOR),
}
"""Lines of a release device, by option."""


class Use(Struct, frozen=True):
    """What one line of a device is for. `number`: GPIO number, or the device's own; `key`: where the file says so."""

    device: str
    number: int
    signal: str
    circuit: Circuit
    key: str


class Block(Struct, frozen=True):
    """A device with lines of its own, or a string of lamps: what hangs on each. `place`: port and address."""

    device: str
    kind: str
    place: str
    rows: tuple[tuple[str, str], ...]


class Port(Struct, frozen=True):
    """A device on a port of its own."""

    device: str
    kind: str
    url: str
    speed: str
    cable: Cable


class Station(Struct, frozen=True):
    """`address`: empty for one that only listens."""

    device: str
    kind: str
    address: str


class Bus(Struct, frozen=True):
    """Devices that share a port."""

    url: str
    speed: str
    cable: Cable
    stations: tuple[Station, ...]


class Plan(Struct, frozen=True):
    """`pins`: uses of the header by GPIO number, empty where no device is on it."""

    table: str
    game: str
    profile: str
    pins: dict[int, tuple[Use, ...]]
    blocks: tuple[Block, ...]
    ports: tuple[Port, ...]
    buses: tuple[Bus, ...]


def plan_of(settings: Settings) -> Plan:
    """The plan of a configuration whose form is right."""
    pins: dict[int, list[Use]] = {}
    for use in (*_header_uses(settings), *_output_uses(settings), *_taken(settings)):
        pins.setdefault(use.number, []).append(use)
    on_bus = {name for name, device in settings.devices.items() if isinstance(device, check_bus.OnBus)}
    return Plan(
        settings.table.id,
        settings.table.game,
        settings.table.profile.value,
        {gpio: tuple(uses) for gpio, uses in sorted(pins.items())},
        tuple(_blocks(settings)),
        tuple(_ports(settings, on_bus)),
        tuple(_buses(settings)),
    )


# --- lines ------------------------------------------------------------------------------------------------------------


def uses_of(settings: Settings) -> Iterator[Use]:
    """Every line in use, on whatever device."""
    for path, device, number, _ in check_wiring.line_claims(settings):
        yield Use(device, number, *_signal(path), Problem(path, "", "", "").key)


def _signal(path: KeyPath) -> tuple[str, Circuit]:
    match path:
        case ("wagers", wager, "spots", index):
            return f"spot {int(index) + 1}, {wager.replace('_', ' ')}", Circuit.SENSOR
        case ("keys", "lockout"):
            return "lock-out button", Circuit.LOCKOUT
        case ("keys", "door"):
            return "door", Circuit.DOOR
        case ("keys", name, ("normally_closed" | "normally_open") as contact):
            whose = {"floor_key": "floorperson's key", "reset_key": "reset key"}.get(name, name.replace("_", " "))
            return f"{whose}: {'rest' if contact == 'normally_closed' else 'turned'}", Circuit.KEY
        case ("devices", name, "return_line"):
            return f"{name}: DOUT of the last lamp", Circuit.RETURN
        case ("devices", name, "current_line"):
            return f"{name}: their supply's current", Circuit.CURRENT
        case ("keys", "folds", index):
            return f"FOLD {int(index) + 1}", Circuit.BUTTON
        case ("keys", name):
            return name.upper(), Circuit.BUTTON
        case _:
            return " ".join(path).replace("_", " "), Circuit.OTHER


def _header_uses(settings: Settings) -> Iterator[Use]:
    for use in uses_of(settings):
        if isinstance(settings.devices.get(use.device), LinesLgpio | LinesRpiGpio):
            yield use


def _output_uses(settings: Settings) -> Iterator[Use]:
    """Lines of the header that a device drives."""
    lamps = _lamps(settings)
    for path, (place, number) in check_outputs.claims(settings):
        match path:
            case ("devices", name, "lines", index) if place == check_outputs.HEADER:
                signal = f"lamp {index}: {lamps.get(int(index), 'at no spot')}"
                yield Use(name, number, signal, Circuit.LAMP, Problem(path, "", "", "").key)
            case ("devices", name, ("line" | "button" | "ball") as key) if place == check_outputs.HEADER:
                what, circuit = RELEASE_LINES[key]
                yield Use(name, number, f"{name}: {what}", circuit, Problem(path, "", "", "").key)
            case _:
                pass


def _lamps(settings: Settings) -> dict[int, str]:
    """Where each lamp stands, by its number."""
    return {
        lamp: f"spot {index + 1}, {wager.replace('_', ' ')}"
        for wager, offer in settings.wagers.items()
        for index, lamp in enumerate(offer.lamps)
    }


def _taken(settings: Settings) -> Iterator[Use]:
    """Pins of devices that have no lines: lamps, and serial ports of the header."""
    for name, device in settings.devices.items():
        key = f"devices.{name}"
        match device:
            case LampsNeopixelSpi():
                for gpio, line in header.SPI_NAMES.get(device.bus, {}).items():
                    if line == "MOSI":
                        yield Use(name, gpio, f"{name}: data to the first lamp", Circuit.PIXELS, key)
                    else:
                        yield Use(name, gpio, f"SPI {device.bus} {line}: leave open", Circuit.TAKEN, key)
            case MeterMax7219():
                wires = {"MOSI": "DIN", "SCLK": "CLK", f"CE{device.device}": "LOAD"}
                for gpio, line in header.SPI_NAMES.get(device.bus, {}).items():
                    if line in wires:
                        signal = f"{name}: {wires[line]} of the first chip"
                        yield Use(name, gpio, signal, Circuit.FIGURES, key)
                    else:
                        yield Use(name, gpio, f"SPI {device.bus} {line}: leave open", Circuit.TAKEN, key)
            case LampsNeopixelPwm() | LampsNeopixelPio():
                yield Use(name, device.gpio, f"{name}: data to the first lamp", Circuit.PIXELS, f"{key}.gpio")
            case LinesMcp23017():
                for gpio, line in zip(check_expanders.I2C_LINES.get(device.bus, ()), ("SDA", "SCL"), strict=False):
                    yield Use(name, gpio, f"{name}: {line}", Circuit.EXPANDER, key)
                if device.interrupt_gpio is not None:
                    yield Use(name, device.interrupt_gpio, f"{name}: INT", Circuit.EXPANDER, f"{key}.interrupt_gpio")
            case LinesShiftRegister():
                for gpio, line in header.SPI_NAMES.get(device.bus, {}).items():
                    to = {"MISO": "QH of chip 0", "SCLK": "CLK"}.get(line)
                    signal = f"{name}: {to}" if to else f"SPI {device.bus} {line}: leave open"
                    yield Use(name, gpio, signal, Circuit.CHAIN if to else Circuit.TAKEN, key)
                yield Use(name, device.load_gpio, f"{name}: SH/LD", Circuit.CHAIN, f"{key}.load_gpio")
            case _ if check_header.on_header_uart(device):
                yield Use(name, header.UART_TX, f"{name}: TxD, to its RxD", Circuit.UART, f"{key}.url")
                yield Use(name, header.UART_RX, f"{name}: RxD, from its TxD", Circuit.UART, f"{key}.url")


def _blocks(settings: Settings) -> Iterator[Block]:
    rows: dict[str, list[tuple[str, str]]] = {}
    for use in uses_of(settings):
        rows.setdefault(use.device, []).append((str(use.number), use.signal))
    for name, device in settings.in_role("lines"):
        if not isinstance(device, LinesLgpio | LinesRpiGpio):
            own = sorted(rows.get(name, []), key=lambda row: int(row[0]))
            if isinstance(device, ExpanderDevice):
                own = list(expanders.rows(device, {int(number): signal for number, signal in own}))
            yield Block(name, device.kind, _place(device), tuple(own))
    lamps = tuple((str(n), what) for n, what in sorted(_lamps(settings).items()))
    for name, device in settings.in_role("lamps"):
        yield Block(name, device.kind, _place(device), lamps)
    for name, device in settings.devices.items():
        if isinstance(device, MeterTglineOptions):
            levels = sorted((level, meter) for meter, level in device.levels.items())
            yield Block(name, device.kind, _place(device), tuple((f"level {n}", meter) for n, meter in levels))
        elif isinstance(device, MeterMax7219Options):
            chips = enumerate(device.meters, start=1)
            yield Block(name, device.kind, _place(device), tuple((f"chip {n}", meter) for n, meter in chips))


def _place(device: DeviceOptions) -> str:
    """Where a device is, in one line."""
    match device:
        case TglineBoardOptions() | ModbusOptions():
            word = "unit" if isinstance(device, ModbusOptions) else "address"
            return f"{getattr(device, 'url', '')}, {word} {device.station}"
        case _ if isinstance(device, ExpanderDevice):
            return expanders.place(device)
        case LampsNeopixelSpi() | MeterMax7219():
            return f"/dev/spidev{device.bus}.{device.device}"
        case LampsNeopixelPwm() | LampsNeopixelPio():
            return f"GPIO {device.gpio}"
        case LampsGpioOptions():
            return f"GPIO {', '.join(map(str, device.lines))}"
        case _:
            return str(getattr(device, "url", "") or getattr(device, "socket", ""))


# --- ports ------------------------------------------------------------------------------------------------------------


def _ports(settings: Settings, on_bus: set[str]) -> Iterator[Port]:
    for name, device in settings.devices.items():
        url = getattr(device, "url", "")
        cable = cable_of(device)
        if url and cable is not None and name not in on_bus:
            at = on_the_header(cable) if check_header.on_header_uart(device) else cable
            yield Port(name, device.kind, url, speed(device, cable), at)


def _buses(settings: Settings) -> Iterator[Bus]:
    stations: dict[str, list[Station]] = {}
    first: dict[str, DeviceOptions] = {}
    for name, device in settings.devices.items():
        if isinstance(device, check_bus.OnBus):
            url = str(getattr(device, "url", ""))
            place = url if "://" in url else posixpath.normpath(url)
            first.setdefault(place, device)
            address = _place(device).rpartition(", ")[2] if hasattr(device, "station") else ""
            stations.setdefault(place, []).append(Station(name, device.kind, address))
    for place, on_it in stations.items():
        cable = cable_of(first[place])
        if cable is not None:
            yield Bus(place, speed(first[place], cable), cable, tuple(on_it))
