"""From the configuration to devices: one place that says which kind is which back end.

Rules:
* Every kind of `firmware/settings/devices.py` has a row in `build`; mypy refuses a missing one.
* A back end is imported here, when it is chosen, and nowhere else. `BackendUnavailable` names what to install.
* Relative paths and sockets lie under the run directory; URLs stay as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import assert_never

from drivers.line_spec import DecisionWindow, KeySwitchSpec, LineRole, LineSpec
from drivers.ports import CardReader, DealerDisplay, Device, Lamps, LineInputs, ReaderBoard
from firmware.app import clock
from firmware.app.line_names import DOOR, FLOOR_KEY, KEY_LINES, LOCKOUT, RESET_KEY, spot_line
from firmware.app.outputs import LampString
from firmware.settings import devices as kinds
from firmware.settings.model import KeySwitch, Settings

RESET_HOLD_NS = 1_000_000_000
"""The reset key must be held this long: it sets a won meter back (devices note, lock-out and keyed reset)."""


@dataclass(slots=True)
class Devices:
    """Every device of the table, by role."""

    lines: list[LineInputs] = field(default_factory=list)
    lamps: list[LampString] = field(default_factory=list)
    boards: list[ReaderBoard] = field(default_factory=list)
    displays: list[DealerDisplay] = field(default_factory=list)
    readers: list[CardReader] = field(default_factory=list)

    def shown(self) -> tuple[Device, ...]:
        """The devices that people at the table look at."""
        return (*(string.device for string in self.lamps), *self.boards)

    def all(self) -> Iterator[Device]:
        yield from self.lines
        for string in self.lamps:
            yield string.device
        yield from self.boards
        yield from self.displays
        yield from self.readers


def build(settings: Settings, run_dir: Path) -> Devices:
    """Make every configured device. Raises BackendUnavailable, ValueError for options that don't fit together."""
    out = Devices()
    for name, options in settings.devices.items():
        match options:
            case kinds.LinesLgpio() | kinds.LinesRpiGpio() | kinds.LinesSimulated():
                out.lines.append(_lines(name, options, settings, run_dir))
            case kinds.LampsNeopixelSpi() | kinds.LampsNeopixelPwm() | kinds.LampsSimulated():
                out.lamps.append(LampString(_lamps(name, options, run_dir), _pixels(settings)))
            case kinds.ShoeAngelEye() | kinds.ShoeAngelEyeSimulated():
                out.readers.append(_angeleye(name, options, run_dir))
            case kinds.ShoeBeeTek() | kinds.ShoeBeeTekSimulated():
                out.readers.append(_beetek(name, options, run_dir))
            case kinds.ShoeBarcodeSerial() | kinds.ShoeBarcodeSerialSimulated():
                out.readers.append(_barcode_serial(name, options, run_dir))
            case kinds.ShoeBarcodeHid() | kinds.ShoeBarcodeHidSimulated():
                out.readers.append(_barcode_hid(name, options, run_dir))
            case kinds.ShoeTgline() | kinds.ShoeTglineSimulated():
                out.readers.append(_tgline(name, options, run_dir))
            case kinds.BoardAlpha() | kinds.BoardAlphaSimulated():
                out.boards.append(_alpha(name, options, run_dir))
            case kinds.DisplaySerial() | kinds.DisplaySerialSimulated():
                out.displays.append(_char_display(name, options, run_dir))
            case kinds.DisplayTerminal():
                out.displays.append(_terminal_display(name))
            case _:
                assert_never(options)
    return out


def _url(url: str, run_dir: Path) -> str:
    return url if "://" in url else str(run_dir / url)


def _lines(name: str, options: kinds.LineDevice, settings: Settings, run_dir: Path) -> LineInputs:
    from drivers.devices.line_inputs import GpioLineInputs, LineInputsSettings
    from drivers.gpio.backends import GpioBackend, gpio_pins

    specs: list[LineSpec] = []
    for wager, offer in settings.wagers.items():
        for position, line in enumerate(offer.spots, start=1):
            if (number := _number(line, name)) is not None:
                specs.append(LineSpec(spot_line(position, wager), number, LineRole.SPOT))
    if (number := _number(settings.keys.lockout, name)) is not None:
        specs.append(LineSpec(LOCKOUT, number, LineRole.LOCK_OUT, normally_closed=True))
    if settings.keys.door and (number := _number(settings.keys.door, name)) is not None:
        specs.append(LineSpec(DOOR, number, LineRole.KEY, normally_closed=True))
    for key in KEY_LINES:
        if (number := _number(getattr(settings.keys, key), name)) is not None:
            specs.append(LineSpec(key, number, LineRole.BUTTON))
    switches = []
    for key, switch, hold_ns in (
        (FLOOR_KEY, settings.keys.floor_key, 0),
        (RESET_KEY, settings.keys.reset_key, RESET_HOLD_NS),
    ):
        contacts = _contacts(key, switch, name)
        if contacts is not None:
            rest, turned = contacts
            specs += [rest, turned]
            switches.append(KeySwitchSpec(key, rest.name, turned.name, hold_ns))
    ns_per_ms = 1_000_000
    timing = settings.timing
    window = DecisionWindow(
        present_ns=timing.present_ms * ns_per_ms,
        absent_ns=timing.absent_ms * ns_per_ms,
        lateness_ns=timing.lateness_ms * ns_per_ms,
        stable_ns=timing.stable_ms * ns_per_ms,
    )
    match options:
        case kinds.LinesLgpio():
            pins = gpio_pins(GpioBackend.LGPIO, chip=options.chip)
        case kinds.LinesRpiGpio():
            pins = gpio_pins(GpioBackend.RPIGPIO)
        case kinds.LinesSimulated():
            pins = gpio_pins(GpioBackend.SIMULATED, socket=run_dir / options.socket)
        case _:
            assert_never(options)
    line_settings = LineInputsSettings(name, specs, switches, window, options.settle_ms * ns_per_ms)
    return GpioLineInputs(line_settings, pins, clock.monotonic_ns)


def _number(line: str, device: str) -> int | None:
    """The line's number if it is one of this device ("lines:12"), else None."""
    owner, _, number = line.partition(":")
    return int(number) if owner == device else None


def _contacts(key: str, switch: KeySwitch, device: str) -> tuple[LineSpec, LineSpec] | None:
    rest, turned = _number(switch.normally_closed, device), _number(switch.normally_open, device)
    if rest is None or turned is None:
        return None
    return LineSpec(f"{key}.rest", rest, LineRole.KEY), LineSpec(f"{key}.turned", turned, LineRole.KEY)


def _lamps(name: str, options: kinds.LampDevice, run_dir: Path) -> Lamps:
    from drivers.devices.pixel_lamps import PixelLamps, PixelString
    from drivers.devices.pixel_strings import PwmPixels, SimulatedSpi, SpidevSpi, SpiPixels

    string: PixelString
    match options:
        case kinds.LampsNeopixelSpi():
            string = SpiPixels(SpidevSpi(options.bus, options.device), options.brightness_percent)
        case kinds.LampsNeopixelPwm():
            string = PwmPixels(f"D{options.gpio}", options.brightness_percent)
        case kinds.LampsSimulated():
            string = SpiPixels(SimulatedSpi(run_dir / options.socket), options.brightness_percent)
        case _:
            assert_never(options)
    return PixelLamps(name, options.pixels, string, clock.monotonic_ns)


def _pixels(settings: Settings) -> dict[str, int]:
    return {
        spot_line(position, wager): pixel
        for wager, offer in settings.wagers.items()
        for position, pixel in enumerate(offer.lamps, start=1)
    }


def _angeleye(name: str, options: kinds.ShoeAngelEye | kinds.ShoeAngelEyeSimulated, run_dir: Path) -> CardReader:
    from drivers.devices import angeleye_shoe

    return angeleye_shoe.create(
        name=name,
        url=_url(options.url, run_dir),
        baud=options.baud,
        now_ns=clock.monotonic_ns,
        simulated=options.simulated,
        silent_limit_s=options.silent_limit_s,
    )


def _beetek(name: str, options: kinds.ShoeBeeTek | kinds.ShoeBeeTekSimulated, run_dir: Path) -> CardReader:
    from drivers.devices import beetek_shoe

    return beetek_shoe.create(
        name=name,
        url=_url(options.url, run_dir),
        baud=options.baud,
        repeat_ms=options.repeat_ms,
        now_ns=clock.monotonic_ns,
        simulated=options.simulated,
        silent_limit_s=options.silent_limit_s,
    )


def _barcode_serial(
    name: str, options: kinds.ShoeBarcodeSerial | kinds.ShoeBarcodeSerialSimulated, run_dir: Path
) -> CardReader:
    from drivers.devices import barcode_scanner

    return barcode_scanner.create_serial(
        name=name,
        url=_url(options.url, run_dir),
        baud=options.baud,
        codes=codes_of(options),
        repeat_ms=options.repeat_ms,
        now_ns=clock.monotonic_ns,
        simulated=options.simulated,
    )


def _barcode_hid(name: str, options: kinds.ShoeBarcodeHid | kinds.ShoeBarcodeHidSimulated, run_dir: Path) -> CardReader:
    from drivers.devices import barcode_scanner

    return barcode_scanner.create_hid(
        name=name,
        url=_url(options.url, run_dir),
        codes=codes_of(options),
        repeat_ms=options.repeat_ms,
        now_ns=clock.monotonic_ns,
        simulated=options.simulated,
    )


def codes_of(options: kinds.ScannerOptions) -> Mapping[str, str]:
    """The card behind each code of a scanner."""
    from drivers.codecs.barcodes import MapName, named_map

    match options.map:
        case kinds.CardCodes.OWN:
            return options.codes
        case named:
            return named_map(MapName(named.value))


def _tgline(name: str, options: kinds.ShoeTgline | kinds.ShoeTglineSimulated, run_dir: Path) -> CardReader:
    from drivers.devices import tgline_shoe

    return tgline_shoe.create(
        name=name,
        url=_url(options.url, run_dir),
        baud=options.baud,
        address=options.address,
        now_ns=clock.monotonic_ns,
        simulated=options.simulated,
    )


def _char_display(
    name: str, options: kinds.DisplaySerial | kinds.DisplaySerialSimulated, run_dir: Path
) -> DealerDisplay:
    from drivers.devices import char_display

    return char_display.create(
        name=name,
        url=_url(options.url, run_dir),
        baud=options.baud,
        now_ns=clock.monotonic_ns,
        simulated=options.simulated,
    )


def _terminal_display(name: str) -> DealerDisplay:
    from drivers.devices import terminal_display

    return terminal_display.create(name=name, now_ns=clock.monotonic_ns)


def _alpha(name: str, options: kinds.BoardAlpha | kinds.BoardAlphaSimulated, run_dir: Path) -> ReaderBoard:
    from drivers.devices import alpha_board
    from drivers.links.port import Parity

    match options:
        case kinds.BoardAlpha():
            data_bits, parity = options.data_bits, Parity[options.parity.name]
        case kinds.BoardAlphaSimulated():  # Linux refuses 7E on a pty, but only when it is opened a second time
            data_bits, parity = 8, Parity.NONE
        case _:
            assert_never(options)
    return alpha_board.create(
        name=name,
        url=_url(options.url, run_dir),
        baud=options.baud,
        data_bits=data_bits,
        parity=parity,
        now_ns=clock.monotonic_ns,
        simulated=options.simulated,
        memory=alpha_board.MemorySetup[options.memory.name],
    )
