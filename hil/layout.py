"""Where every spot, lamp and key of a table lies on its simulated devices, from the table's own configuration.

Rules:
* A bench plays a table whose devices are all simulated: one line chip (lines and lamps on one socket), one card reader
  of any kind, one sign, one dealer's display. Anything else is `NotForTheBench`, which names the key.
* Nothing about the table stands here a second time: lines, lamps, looks and timings are the configuration's.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, TypeVar, assert_never

from msgspec import Struct

from firmware.app.registry import codes_of
from firmware.core.rules import ReaderRule
from firmware.settings import devices as kinds
from firmware.settings.check import load_checked
from firmware.settings.model import KeySwitch, Settings
from firmware.settings.rules import to_rules

Kind = TypeVar("Kind", bound=kinds.DeviceOptions)
SOCKET_PATH_LIMIT_BYTES = 107
"""What Linux takes as the path of a local socket."""


SimulatedShoe = (
    kinds.ShoeAngelEyeSimulated
    | kinds.ShoeBeeTekSimulated
    | kinds.ShoeBarcodeSerialSimulated
    | kinds.ShoeBarcodeHidSimulated
    | kinds.ShoeTglineSimulated
)


class NotForTheBench(Exception):
    """The table, or the run directory, can't be played on the bench; the message says why and what to do."""


class Spot(NamedTuple):
    """One wager's place at one position."""

    position: int
    wager: str


class Contacts(Struct, frozen=True):
    """Lines of a change-over key switch."""

    normally_closed: int
    normally_open: int


class Layout(Struct, frozen=True):
    """A table and its simulated devices, by line and pixel number. Paths are absolute."""

    config: Path
    settings: Settings
    run_dir: Path
    chip_socket: Path
    shoe_port: Path
    shoe_module: str
    """The simulator behind `shoe_port`, and its options."""
    shoe_options: tuple[str, ...]
    reader: ReaderRule
    sign_port: Path
    display_port: Path
    line_count: int
    pixel_count: int
    brightness_percent: int
    spots: Mapping[Spot, int]
    lamps: Mapping[Spot, int]
    lockout: int
    confirm: int
    call: int
    clear: int
    floor_key: Contacts
    reset_key: Contacts
    progressive: frozenset[str]
    """Wagers that feed a meter: those whose chips the dealer counts."""

    @property
    def wagers(self) -> tuple[str, ...]:
        """Sensed wagers in the order of the configuration."""
        return tuple(name for name, wager in self.settings.wagers.items() if wager.sensed)

    def control_of(self, port: Path) -> Path:
        """The bench's socket to the simulator behind `port`."""
        return self.run_dir / f"{port.stem}.ctl"


def layout_of(config: Path, run_dir: Path) -> Layout:
    """Read a table's configuration. Raises `ConfigurationError` and `NotForTheBench`."""
    table = load_checked(config, datetime.now(UTC).date().isoformat())
    settings = table.settings
    rules = to_rules(settings, table.catalogue)
    lines_name, lines = _only(settings, "lines", kinds.LinesSimulated)
    _, lamps = _only(settings, "lamps", kinds.LampsSimulated)
    shoe = _shoe(settings)
    shoe_module, shoe_options = simulator_of(shoe)
    _, sign = _only(settings, "board", kinds.BoardAlphaSimulated)
    _, display = _only(settings, "display", kinds.DisplaySerialSimulated)
    if lines.socket != lamps.socket:
        raise NotForTheBench(
            f"{config}: lines are on {lines.socket!r}, lamps on {lamps.socket!r}; the simulated chip has both: give "
            "them one socket"
        )
    run_dir = run_dir.absolute()
    longest = max((str(run_dir / name) for name in (lines.socket, "display.ctl", settings.storage.control)), key=len)
    if len(longest.encode()) > SOCKET_PATH_LIMIT_BYTES:
        raise NotForTheBench(
            f"the socket {longest} has over {SOCKET_PATH_LIMIT_BYTES} bytes in its path, which Linux does not take: "
            "use a run directory with a shorter path"
        )

    def number(line: str) -> int:
        return int(line.removeprefix(f"{lines_name}:"))

    def contacts(switch: KeySwitch) -> Contacts:
        return Contacts(number(switch.normally_closed), number(switch.normally_open))

    keys = settings.keys
    return Layout(
        config=config.absolute(),
        settings=settings,
        run_dir=run_dir,
        chip_socket=run_dir / lines.socket,
        shoe_port=run_dir / shoe.url,
        shoe_module=shoe_module,
        shoe_options=shoe_options,
        reader=shoe.reader,
        sign_port=run_dir / sign.url,
        display_port=run_dir / display.url,
        line_count=lines.line_count,
        pixel_count=lamps.pixels,
        brightness_percent=lamps.brightness_percent,
        spots={
            Spot(position, wager): number(line)
            for wager, offer in settings.wagers.items()
            for position, line in enumerate(offer.spots, start=1)
        },
        lamps={
            Spot(position, wager): pixel
            for wager, offer in settings.wagers.items()
            for position, pixel in enumerate(offer.lamps, start=1)
        },
        lockout=number(keys.lockout),
        confirm=number(keys.confirm),
        call=number(keys.call),
        clear=number(keys.clear),
        floor_key=contacts(keys.floor_key),
        reset_key=contacts(keys.reset_key),
        progressive=frozenset(o.wager for o in rules.offers if o.sensed and o.progressive),
    )


def _shoe(settings: Settings) -> SimulatedShoe:
    for _, options in settings.in_role("shoe"):
        if isinstance(options, SimulatedShoe):
            return options
    return _only(settings, "shoe", kinds.ShoeAngelEyeSimulated)[1]  # which says what is wrong


def simulator_of(shoe: SimulatedShoe) -> tuple[str, tuple[str, ...]]:
    """The module that simulates a card reader, with its options."""
    match shoe:
        case kinds.ShoeAngelEyeSimulated():
            return "hil.sim.shoe", ()
        case kinds.ShoeBeeTekSimulated():
            return "hil.sim.beetek", ()
        case kinds.ShoeBarcodeSerialSimulated():
            return "hil.sim.barcode", ("--codes", json.dumps(dict(codes_of(shoe))))
        case kinds.ShoeBarcodeHidSimulated():
            return "hil.sim.barcode", ("--hid", "--codes", json.dumps(dict(codes_of(shoe))))
        case kinds.ShoeTglineSimulated():
            unassigned = () if shoe.result else ("--unassigned",)
            return "hil.sim.tgline_shoe", ("--address", str(shoe.address), *unassigned)
        case _:
            assert_never(shoe)


def _only(settings: Settings, role: str, kind: type[Kind]) -> tuple[str, Kind]:
    """Name and options of the one device in a role, which must be of the simulated kind."""
    found = settings.in_role(role)
    wanted = kind.__struct_config__.tag
    if len(found) != 1:
        raise NotForTheBench(
            f"table {settings.table.id} has {len(found)} devices in the role {role!r}; the bench has one of kind "
            f"{wanted}"
        )
    name, options = found[0]
    if not isinstance(options, kind):
        raise NotForTheBench(
            f"devices.{name}.kind: got {options.kind}; the bench plays simulated devices only: use {wanted}, or play "
            "config/tables/minibaccarat.toml"
        )
    return name, options
