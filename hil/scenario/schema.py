"""The format of a scenario file: what is done to a table on the bench, and what must come of it.

    about = "a chip 1 ms before the press counts"       one sentence
    class = "inputs"                                     one of `Kind`
    table = "minibaccarat"                               config/tables/NAME.toml, or a path beside the file
    [changes]                                            keys of the configuration with another value
    "timing.lateness_ms" = 20
    [[step]]                                             in order; each begins when the one before it is done
    do = "place"
    spots = ["1/player"]

Rules:
* Every key is used or refused, with its line, as in a table's configuration. A step waits for nothing but what it says;
  `see` waits until the table shows what it names, so no scenario depends on how fast a machine is.
* What is not said holds all the same at every scenario's end: the daemon ends in order, the journal verifies, replays
  to the same hashes and is settled as `tabled settle` does, and no meter is out of balance. Only a scenario that
  damages the journal says what the proof must find instead (`verify`).
"""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from firmware.settings import load
from firmware.settings.problems import ConfigurationError

GUIDE = "hil/scenario/schema.py"


class ScenarioError(Exception):
    """The file can't be played; the message says where and what was expected."""


class Kind(StrEnum):
    """Which class of failure a scenario stands for."""

    PINS = "pins"  # pin libraries, chip numbering, ownership
    INPUTS = "inputs"  # lost edges, bounce, stuck and chattering inputs
    NOISE = "noise"  # noise, brown-outs, expanders
    SHOWS = "shows"  # lamps and signs that glitch, lag or vanish
    SERIAL = "serial"  # ports that vanish, swap, garble, stall or are opened twice
    DISKS = "disks"  # disks that tear, fill or go read-only
    CLOCKS = "clocks"  # clocks that jump
    WATCHDOG = "watchdog"  # a watchdog fed by the wrong thing
    DISPUTES = "disputes"  # what only the journal can settle
    MONEY = "money"  # what is paid, by whom, once


class Step(Struct, frozen=True, forbid_unknown_fields=True, tag_field="do", omit_defaults=True):
    """Base of the steps."""


class Open(Step, frozen=True, tag="open"):
    """The floorperson opens the table, the dealer puts in a shoe and burns: betting is open."""


class Place(Step, frozen=True, tag="place"):
    """Chips on spots, "POSITION/WAGER". `let_be_sensed`: leave each until it counts."""

    spots: tuple[str, ...]
    let_be_sensed: bool = True


class Take(Step, frozen=True, tag="take"):
    spots: tuple[str, ...]


class Lock(Step, frozen=True, tag="lock"):
    """The dealer presses "no more bets"; the button is let go in a while."""


class Press(Step, frozen=True, tag="press"):
    """A button of the dealer's."""

    key: Literal["confirm", "call", "clear"]


class Choose(Step, frozen=True, tag="choose"):
    """The floorperson turns the key, steps to this line of the menu, takes it, and turns the key back."""

    line: str


class Play(Step, frozen=True, tag="play"):
    """The dealer plays a round from where the table stands to its end; `cards` are put on top of the shoe."""

    spots: tuple[str, ...] = ()
    cards: tuple[str, ...] = ()


class Finish(Step, frozen=True, tag="finish"):
    """The dealer and the floorperson do what the display says until the table is cleared."""


class Deal(Step, frozen=True, tag="deal"):
    """Cards as the display asks for them: so many, or while there are any to deal."""

    cards: int = 6


class Chip(Step, frozen=True, tag="chip"):
    """A request to the simulated line chip (`hil/sim/chip.py`); `line` may name a spot or a key, `high` or `closed`."""

    op: str
    line: str | None = None
    closed: bool | None = None
    options: dict[str, Any] = {}


class Device(Step, frozen=True, tag="device"):
    """A request to the simulator behind a device: unplug, plug (`link`: under this name, in the run directory), stall,
    garbage, fault, error, ..."""

    device: str
    op: str
    options: dict[str, Any] = {}


class Race(Step, frozen=True, tag="race"):
    """A chip and the press so many microseconds apart, by the chip's own clock; negative: the press comes first."""

    spot: str
    chip_before_press_us: int


class Daemon(Step, frozen=True, tag="daemon"):
    """`act`: kill (-9), stop (SIGSTOP), go on, end (in order), start; ended: it ends by itself. `status`: its exit
    status; with start: it must refuse to start with this one, and say `says`."""

    act: Literal["kill", "stop", "go on", "end", "ended", "start"]
    status: int | None = None
    says: str = ""


class Disk(Step, frozen=True, tag="disk"):
    """What the daemon's disk does from now on. `refused`: the kernel takes no write of its to any file; the others
    strike the journal alone. `torn`: at the next write half of it gets to the disk, then the power is gone."""

    fault: Literal["none", "refused", "full", "read only", "write error", "sync error", "torn"] = "none"
    sync_takes_ms: int = 0


class Clock(Step, frozen=True, tag="clock"):
    """The daemon's wall clock differs by so much from the true one from now on, as if it had been set; `trusted`:
    whether the kernel calls it synchronized."""

    off_by_s: float = 0.0
    trusted: bool = True


class Busy(Step, frozen=True, tag="busy"):
    """The daemon's loop is held up for so long, once; its other threads, and whatever feeds from them, live on."""

    ms: int


class File(Step, frozen=True, tag="file"):
    """Something done to files of the run directory. `keep` copies a file aside and `put back` brings that copy again;
    `cut` takes `bytes` off its end; `sql` is a statement of somebody with a database shell."""

    act: Literal["keep", "put back", "cut", "remove", "sql"]
    name: str
    bytes: int = 0
    text: str = ""  # with sql


class Port(Step, frozen=True, tag="port"):
    """`hold`: another program has the device's port open, until `let go`; `refused`: it does not get it. `swap`: the
    plugs of two devices are exchanged. `fill`: the adapter's buffer to a device that is stalled is full."""

    act: Literal["hold", "let go", "refused", "swap", "fill"]
    device: str
    other: str = ""


class Second(Step, frozen=True, tag="second"):
    """Another daemon on the same configuration; must refuse with this status and these words."""

    status: int
    says: str


class See(Step, frozen=True, tag="see"):
    """Wait until all of this holds at once. Texts of `display`, `board`, `against` and `trouble` are parts of what is
    shown; amounts are as `hil status` prints them."""

    phase: str | None = None
    round: int | None = None
    display: tuple[str, ...] = ()
    board: str | None = None
    lamps: dict[str, str] = {}  # spot to what its lamp shows
    against: str | None = None  # a reason against wagering
    irregularity: tuple[str, ...] = ()  # noted in the journal, at any time
    no_irregularity: bool = False  # none is open
    link: dict[str, str] = {}  # device to its link's state
    trouble: dict[str, str] = {}  # device to part of its trouble; "": it has none
    counter: dict[str, int] = {}  # "device.name" to its least value
    meter: dict[str, str] = {}  # meter to what it shows
    pixels: dict[str, str] = {}  # spot to the state whose colour its lamp has on the string
    screen: dict[str, str] = {}  # device to part of what its simulator shows
    journal_fault: str | None = None  # part of why the journal can't be written; "": it can
    wall_trusted: bool | None = None
    fed: bool | None = None  # the watchdog: within its time, or not for longer than that
    service: dict[str, str] = {}  # spot to whether it takes wagers
    status_text: str | None = None  # part of what the daemon tells systemd
    limit_s: float = 15.0


class Hold(Step, frozen=True, tag="hold"):
    """For so long nothing of this may come to be: the same keys as `see`, in `never`."""

    never: See
    ms: int


AnyStep = (
    Open
    | Place
    | Take
    | Lock
    | Press
    | Choose
    | Play
    | Finish
    | Deal
    | Chip
    | Device
    | Race
    | Daemon
    | Disk
    | Clock
    | Busy
    | File
    | Port
    | Second
    | See
    | Hold
)


class Entry(Struct, frozen=True, forbid_unknown_fields=True):
    """An event or an effect that the journal must hold, after the one before it."""

    type: str
    where: dict[str, str | int | bool] = {}  # fields with their values
    part: dict[str, str] = {}  # fields with a part of their text
    least: dict[str, int] = {}  # fields with their least value
    count: int | None = None  # exactly so many in the whole journal, wherever they stand


class Scenario(Struct, frozen=True, forbid_unknown_fields=True):
    about: str
    kind: Kind = msgspec.field(name="class")
    step: tuple[AnyStep, ...]
    table: str = "minibaccarat"
    reader: str = ""  # another card reader than the table's, by the name that `hil play --reader` takes
    changes: dict[str, Any] = {}
    add: str = ""  # sections that the table's file does not have
    watchdog_ms: int = 0  # after how long without a sign of life systemd would end the daemon; 0: it does not look
    journal: tuple[Entry, ...] = ()
    never: tuple[str, ...] = ()  # types that the journal must not hold
    refused: int | None = None  # the daemon must refuse to start with this status; no step is done
    says: str = ""  # part of what it says then
    verify: str | None = None  # the journal's proof must fail at the end, with these words


def read(path: Path) -> Scenario:
    """Raises ScenarioError with everything that is wrong with the file's form."""
    try:
        return load.decode_as(Scenario, load.read(path), str(path), GUIDE)
    except ConfigurationError as error:
        raise ScenarioError(str(error)) from None
