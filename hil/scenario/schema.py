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
* Every key is used or refused, with its place. A step waits for nothing but what it says; `see` waits until the table
  shows what it names, so no scenario depends on how fast a machine is.
* What is not said holds all the same at every scenario's end: the daemon ends in order, the journal verifies, replays
  to the same hashes and is settled as `tabled settle` does, and no meter is out of balance.
"""

from __future__ import annotations

import tomllib
from enum import StrEnum
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct


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
    """A button: confirm, call or clear."""

    key: str


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
    """A request to the simulator behind a device: unplug, plug, stall, garbage, fault, error, ..."""

    device: str
    op: str
    options: dict[str, Any] = {}


class Race(Step, frozen=True, tag="race"):
    """A chip and the press so many microseconds apart, by the chip's own clock; negative: the press comes first."""

    spot: str
    chip_before_press_us: int


class Daemon(Step, frozen=True, tag="daemon"):
    """`act`: kill (-9), stop (SIGSTOP), go on, end (in order), start; `status`: what it must end with by itself."""

    act: str
    status: int | None = None
    file_limit_kib: int | None = None  # with start: no file may become larger
    extra: tuple[str, ...] = ()  # with start: more arguments


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
    | Second
    | See
    | Hold
)


class Entry(Struct, frozen=True, forbid_unknown_fields=True):
    """An event or an effect that the journal must hold, after the one before it. `where`: fields with their values."""

    type: str
    where: dict[str, str | int | bool] = {}
    count: int | None = None  # exactly so many in the whole journal, wherever they stand


class Scenario(Struct, frozen=True, forbid_unknown_fields=True):
    about: str
    kind: Kind = msgspec.field(name="class")
    step: tuple[AnyStep, ...]
    table: str = "minibaccarat"
    changes: dict[str, Any] = {}
    journal: tuple[Entry, ...] = ()
    never: tuple[str, ...] = ()  # types that the journal must not hold
    refused: int | None = None  # the daemon must refuse to start with this status; no step is done
    says: str = ""  # part of what it says then


def read(path: Path) -> Scenario:
    """Raises ScenarioError."""
    try:
        return msgspec.convert(tomllib.loads(path.read_text("utf-8")), Scenario)
    except OSError as error:
        raise ScenarioError(f"{path}: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise ScenarioError(f"{path}: {error}; the format stands in hil/scenario/schema.py") from error
