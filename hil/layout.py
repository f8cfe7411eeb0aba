"""Where every spot, lamp and key of a table lies on its simulated devices, from the table's own configuration.

Rules:
* A bench plays a table whose devices are all simulated: one line chip (keys and lamps on one socket), one card reader
  of any kind, one sign, one dealer's display. Anything else is `NotForTheBench`, which names the key.
* Spots may be on the line chip, on simulated expanders, and on stations of simulated buses.
* Nothing about the table stands here a second time: lines, lamps, looks and timings are the configuration's.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple, TypeVar

from msgspec import Struct, field

from firmware.core.rules import ReaderRule
from firmware.settings.check import load_checked
from firmware.settings.devices import readers
from firmware.settings.devices.lamps import LampsSimulated
from firmware.settings.devices.lines import LinesSimulated
from firmware.settings.devices.options import DeviceOptions
from firmware.settings.devices.results import WheelCammeghSimulated
from firmware.settings.devices.screens import BoardAlphaSimulated, DisplaySerialSimulated
from firmware.settings.model import KeySwitch, Settings
from firmware.settings.rules import to_rules
from hil.simulators import SimulatedShoe

Kind = TypeVar("Kind", bound=DeviceOptions)
SOCKET_PATH_LIMIT_BYTES = 107
"""What Linux takes as the path of a local socket."""


STATION_MS = 40
"""What a station of a bus costs of each cycle, at most, when the machine is busy."""


class NotForTheBench(Exception):
    """The table, or the run directory, can't be played on the bench; the message says why and what to do."""


class Spot(NamedTuple):
    """One wager's place at one position."""

    position: int
    wager: str


def spot_of(text: str) -> Spot:
    """Of "POSITION/WAGER"."""
    position, _, wager = text.partition("/")
    return Spot(int(position), wager)


class Contacts(Struct, frozen=True):
    """Lines of a change-over key switch."""

    normally_closed: int
    normally_open: int


class Layout(Struct, frozen=True):
    """A table and its simulated devices, by line and pixel number. Paths are absolute."""

    config: Path
    settings: Settings
    run_dir: Path
    lines_device: str
    """Name of the line chip that has the spots, the keys and the lamps."""
    reader: ReaderRule
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
    dealt_in_by: str
    """The wager that says which positions are dealt in; empty where hands belong to no position."""
    fresh_deck: bool
    """Whether every round is dealt from a whole deck."""
    folds: tuple[int, ...]
    """Fold buttons of position 1, 2, ..., where patrons may fold."""
    wheel: str = ""
    """Name of the wheel; empty where the game has cards."""
    elsewhere: Mapping[Spot, str] = field(default_factory=dict)
    """Device of the spots that are not on the line chip; their numbers in `spots` are its lines."""

    @property
    def wagers(self) -> tuple[str, ...]:
        """Sensed wagers in the order of the configuration."""
        return tuple(name for name, wager in self.settings.wagers.items() if wager.sensed)

    def polled_within_ms(self, spot: Spot) -> int:
        """How long a chip may lie there before it is seen: 0 where edges come by themselves."""
        if spot not in self.elsewhere:
            return 0
        options = self.settings.devices[self.elsewhere[spot]]
        url = getattr(options, "url", None)
        on_bus = [name for name, other in self.settings.devices.items() if url and getattr(other, "url", "") == url]
        return max(3 * int(getattr(options, "poll_ms", 0)), len(on_bus) * STATION_MS)


def layout_of(config: Path, run_dir: Path) -> Layout:
    """Read a table's configuration. Raises `ConfigurationError` and `NotForTheBench`."""
    table = load_checked(config, datetime.now(UTC).date().isoformat())
    settings = table.settings
    rules = to_rules(settings, table.catalogue)
    lines_name, lines = _chip(settings)
    _, lamps = _only(settings, "lamps", LampsSimulated)
    wheel = _wheel(settings) if rules.wheel else ""
    reader = ReaderRule() if wheel else _shoe(settings).reader
    _only(settings, "board", BoardAlphaSimulated)
    _only(settings, "display", DisplaySerialSimulated)
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
        device, _, own = line.partition(":")
        if device != lines_name:
            raise NotForTheBench(
                f"{config}: {line} is a key's; the bench has keys on {lines_name!r} only: move it there"
            )
        return int(own)

    def contacts(switch: KeySwitch) -> Contacts:
        return Contacts(number(switch.normally_closed), number(switch.normally_open))

    keys = settings.keys
    return Layout(
        config=config.absolute(),
        settings=settings,
        run_dir=run_dir,
        lines_device=lines_name,
        reader=reader,
        wheel=wheel,
        line_count=lines.line_count,
        pixel_count=lamps.pixels,
        brightness_percent=lamps.brightness_percent,
        spots={
            Spot(position, wager): int(line.partition(":")[2])
            for wager, offer in settings.wagers.items()
            for position, line in enumerate(offer.spots, start=1)
        },
        elsewhere={
            Spot(position, wager): line.partition(":")[0]
            for wager, offer in settings.wagers.items()
            for position, line in enumerate(offer.spots, start=1)
            if line.partition(":")[0] != lines_name
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
        dealt_in_by=rules.dealt_in_by,
        fresh_deck=rules.fresh_deck,
        folds=tuple(number(line) for line in keys.folds),
    )


def _chip(settings: Settings) -> tuple[str, LinesSimulated]:
    """The line chip among the devices with lines, all of which must be simulated."""
    found = settings.in_role("lines")
    real = [(name, options) for name, options in found if not options.simulated]
    if real:
        name, options = real[0]
        raise NotForTheBench(
            f"devices.{name}.kind: got {options.kind}; the bench plays simulated devices only: use its simulated kind, "
            "or play config/tables/minibaccarat.toml"
        )
    chips = [(name, options) for name, options in found if isinstance(options, LinesSimulated)]
    if len(chips) != 1:
        raise NotForTheBench(
            f"table {settings.table.id} has {len(chips)} devices of kind lines.simulated; the bench has keys and lamps "
            "on one"
        )
    return chips[0]


def _shoe(settings: Settings) -> SimulatedShoe:
    for _, options in settings.in_role("shoe"):
        if isinstance(options, SimulatedShoe):
            return options
    return _only(settings, "shoe", readers.ShoeAngelEyeSimulated)[1]  # which says what is wrong


def _wheel(settings: Settings) -> str:
    name, _ = _only(settings, "wheel", WheelCammeghSimulated)
    return name


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
