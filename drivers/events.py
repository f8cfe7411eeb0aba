"""What devices report: frozen events in one closed union. Nothing here knows a game.

Rules:
* Every event names its device. Times are nanoseconds of CLOCK_MONOTONIC of the machine the daemon runs on.
* A line's time is an interval `not_before_ns <= t <= not_after_ns`; both ends are equal for an edge stamped by the
  kernel (or by a simulated chip), different for a level that was only polled.
* `active` is the logical level: polarity (normally closed, active low) is applied once, in the line device.
* An event reports what the hardware did; whether it matters is decided in the core.
* Wheels and dice have a file of their own, `result_events.py`.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from drivers.release_events import ReleaseEvent
from drivers.result_events import DiceEvent, WheelEvent


class LinkState(StrEnum):
    """States of a link to a device; the table of transitions stands in `drivers/links/states.py`."""

    ABSENT = "absent"
    OPENING = "opening"
    IDENTIFYING = "identifying"
    READY = "ready"
    STALE = "stale"
    BACKOFF = "backoff"


class LineTrouble(StrEnum):
    """Why a line is out of order."""

    CHATTER = "chatter"  # more than 20 changes in 2 s
    STUCK = "stuck"  # active for longer than its limit with no lock-out in between
    WIRING = "wiring"  # a change-over pair whose contacts agree for over 100 ms
    CONTRADICTED = "contradicted"  # a level read twice disagrees with the edges
    REPORTED = "reported"  # the board that carries the line says so itself


class LineState(Struct, frozen=True):
    """One line as a level read found it."""

    line: str
    active: bool


class LinesReady(Struct, frozen=True):
    """The lines have settled after start or reconnection: every level, read at `at_ns`. First levels are no edges."""

    device: str
    at_ns: int
    levels: tuple[LineState, ...]


class LineChanged(Struct, frozen=True):
    """A debounced change. The time is that of the first edge of the run that proved stable."""

    device: str
    line: str
    active: bool
    not_before_ns: int
    not_after_ns: int
    decided_ns: int  # the earliest instant at which this could be known: first edge + the line's stable time


class LineEdge(Struct, frozen=True):
    """The first raw edge to active of a line that acts on the first edge (the lock-out button); not yet debounced."""

    device: str
    line: str
    at_ns: int


class LineGlitch(Struct, frozen=True):
    """What `LineEdge` announced did not stay active for the line's stable time. `at_ns` is the announced edge's."""

    device: str
    line: str
    at_ns: int
    lasted_ns: int


class LineVerdict(Struct, frozen=True):
    """Everything known of one line about the instant of `LinesSettled.at_ns`, one decision window later.

    `active`: the debounced level at that instant (the wager's chip is on its spot). `not_before_ns`, `not_after_ns`:
    when that run began. `straddles`: the interval contains the instant, so the order can't be known. `contradicted`: a
    level read inside the window disagrees with the edges. `left_ns`: first edge of a leave after the instant, or None.
    `latched`: the interval contains the instant, and the board's own snapshot, taken on our command, decides.
    """

    line: str
    active: bool
    not_before_ns: int
    not_after_ns: int
    straddles: bool
    contradicted: bool
    left_ns: int | None
    arrived_after: bool  # a run that became active at or after the instant is on the spot now
    latched: bool = False


class LinesSettled(Struct, frozen=True):
    """Answer to `LineInputs.settle(at_ns)`, one decision window after `at_ns`."""

    device: str
    at_ns: int
    window_ns: int
    verdicts: tuple[LineVerdict, ...]
    worst_lateness_ns: int  # largest (arrival - edge time) seen in the window


class LateLineEdge(Struct, frozen=True):
    """An edge that arrived after the window of a settled instant and whose time lies before that instant."""

    device: str
    line: str
    active: bool
    at_ns: int
    settled_ns: int
    lateness_ns: int


class LineReconciled(Struct, frozen=True):
    """A level read disagreed with the edges (one was lost): the level is taken, with the interval it must lie in."""

    device: str
    line: str
    active: bool
    not_before_ns: int
    not_after_ns: int


class LineTroubled(Struct, frozen=True):
    """A line went out of order; it reports no changes until `LineHealthy`."""

    device: str
    line: str
    trouble: LineTrouble
    at_ns: int


class LineHealthy(Struct, frozen=True):
    """The trouble is over: the level has been quiet; `active` is the level read."""

    device: str
    line: str
    active: bool
    at_ns: int


class CommonModeBurst(Struct, frozen=True):
    """Edges on (nearly) all lines at once that went away again: noise, nothing changed."""

    device: str
    at_ns: int
    lines: int


class KeySwitchTurned(Struct, frozen=True):
    """A change-over key switch, debounced; `turned` False is the rest position."""

    device: str
    key: str
    turned: bool
    at_ns: int


class CardTarget(StrEnum):
    """Where the shoe says that a card goes."""

    PLAYER = "player"
    BANKER = "banker"
    BURN = "burn"
    FIRST_CARD = "first_card"
    BURN_COUNT = "burn_count"
    UNASSIGNED = "unassigned"  # the reader does not say for which hand


class ReaderWinner(StrEnum):
    PLAYER = "player"
    BANKER = "banker"
    TIE = "tie"
    FORCED_END = "forced_end"


class CardDrawn(Struct, frozen=True):
    """A card left the shoe in the game. `card` is rank and suit ("TH"), or None where the face was not read."""

    device: str
    target: CardTarget
    index: int  # from 1 within its target; 0 where the reader does not count
    card: str | None  # always a face where the target is UNASSIGNED
    at_ns: int  # arrival of the telegram's first byte, or the first key of a scan as the kernel stamped it
    raw: str  # the telegram in hex, for the audit


class CardHeldOver(Struct, frozen=True):
    """Retransmission after an overdraw was cleared: the card opens the next round and is not of this one."""

    device: str
    target: CardTarget
    index: int
    card: str
    at_ns: int
    raw: str


class CardOutsideGame(Struct, frozen=True):
    """A card drawn while the shoe was locked, in error or being set up."""

    device: str
    mode: str  # "lock" | "error" | "setting"
    card: str | None
    at_ns: int
    raw: str


class CutCardDrawn(Struct, frozen=True):
    device: str
    at_ns: int


class ReaderStarted(Struct, frozen=True):
    """The reader (re)started communication. With a cut card before it, a new shoe; without, a reconnect."""

    device: str
    at_ns: int


class ReaderStandBy(Struct, frozen=True):
    device: str
    at_ns: int


class ReaderResult(Struct, frozen=True):
    """The reader's own result of the round, for cross-checking with ours."""

    device: str
    winner: ReaderWinner
    player_pair: bool
    banker_pair: bool
    at_ns: int
    raw: str


class ReaderError(Struct, frozen=True):
    device: str
    code: int
    text: str  # "overdraw", ...
    at_ns: int


class ReaderErrorCleared(Struct, frozen=True):
    device: str
    code: int
    at_ns: int


class ReaderLocked(Struct, frozen=True):
    """The shoe's physical lock."""

    device: str
    locked: bool
    at_ns: int


class LinkChanged(Struct, frozen=True):
    """A device became usable or stopped being so. `up` is True only in state READY."""

    device: str
    state: LinkState
    up: bool
    reason: str  # empty on return
    at_ns: int


class ShowFailed(Struct, frozen=True):
    """An output could not be written. The next successful write is announced by `LinkChanged(up=True)`."""

    device: str
    reason: str
    at_ns: int


class Shown(Struct, frozen=True):
    """What `show` was last given has left for the device, whole (a sign or a lamp can't say more than that)."""

    device: str
    at_ns: int


LineEvent = (
    LinesReady
    | LineChanged
    | LineEdge
    | LineGlitch
    | LinesSettled
    | LateLineEdge
    | LineReconciled
    | LineTroubled
    | LineHealthy
    | CommonModeBurst
    | KeySwitchTurned
)
CardEvent = (
    CardDrawn
    | CardHeldOver
    | CardOutsideGame
    | CutCardDrawn
    | ReaderStarted
    | ReaderStandBy
    | ReaderResult
    | ReaderError
    | ReaderErrorCleared
    | ReaderLocked
)
DeviceEvent = LineEvent | CardEvent | WheelEvent | DiceEvent | ReleaseEvent | LinkChanged | Shown | ShowFailed
