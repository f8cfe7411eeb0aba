"""Everything that can happen to a table, as frozen structs in one closed union.

Times (`..._ns`) are nanoseconds of the machine's monotonic clock; wall time is an annotation. Cards are text ("TH").
Which of these reach the journal is decided by `step`: an event that changes no state and has no effect leaves no entry.
"""

from __future__ import annotations

from enum import StrEnum

from firmware.core.baccarat import Hand
from firmware.core.draw_events import Drawn, TriggerEvent
from firmware.core.machine_events import MachineEvent
from firmware.core.order_data import Approval, Order
from firmware.core.service_data import ServiceEvent
from firmware.core.stored import Message, Stored
from firmware.core.wheel_events import WheelEvent


class Key(StrEnum):
    """The dealer's momentary keys, apart from the lock-out button, which has events of its own."""

    CONFIRM = "confirm"
    CALL = "call"
    CLEAR = "clear"


LOCKOUT = "lockout"
"""The lock-out button's name in `KeyWiringFailed`."""


class SpotTrouble(StrEnum):
    """Why a spot's line is out of order (as its driver says)."""

    CHATTER = "chatter"
    STUCK = "stuck"
    WIRING = "wiring"
    CONTRADICTED = "contradicted"
    REPORTED = "reported"


class Started(Message, frozen=True):
    """The daemon started and has recovered this state. A new `boot_id` starts the monotonic clock anew."""

    at_ns: int
    wall_ns: int
    wall_trusted: bool
    boot_id: str


class JournalResumed(Message, frozen=True):
    """Writing works again after a failure; `seq` is the last entry found in the verified file."""

    at_ns: int
    seq: int
    reason: str


class CoveredSpot(Stored, frozen=True):
    position: int
    wager: str


class InputsReady(Message, frozen=True):
    """Every input's level once the lines have settled, at start or after the line device came back: of all line
    devices but those that have `SpotsReady`."""

    at_ns: int
    covered: tuple[CoveredSpot, ...]  # all others are empty
    lockout_down: bool
    floor_key_turned: bool
    reset_key_turned: bool


class SpotsReady(Message, frozen=True):
    """Every level of a line device that senses spots and no key, once its lines have settled."""

    device: str
    at_ns: int
    covered: tuple[CoveredSpot, ...]  # all others of this device are empty


class ChipPlaced(Message, frozen=True):
    """A chip proved stable on a spot. Its time lies in the interval (both ends equal for a stamped edge)."""

    position: int
    wager: str
    not_before_ns: int
    not_after_ns: int
    reconciled: bool = False  # found by a level read, since the edge was lost


class ChipLifted(Message, frozen=True):
    """A chip proved gone from a spot."""

    position: int
    wager: str
    not_before_ns: int
    not_after_ns: int
    reconciled: bool = False


class SpotFailed(Message, frozen=True):
    """The spot's input is out of order."""

    position: int
    wager: str
    trouble: SpotTrouble
    at_ns: int


class SpotRecovered(Message, frozen=True):
    """The spot's input is in order again; `covered` is its level."""

    position: int
    wager: str
    covered: bool
    at_ns: int


class LockEdge(Message, frozen=True):
    """The lock-out button's first edge. Betting closes at once."""

    at_ns: int


class LockProved(Message, frozen=True):
    """The button stayed down for `stable_ms`; `at_ns` is the first edge's time."""

    at_ns: int


class LockGlitch(Message, frozen=True):
    """The button did not stay down: the close of that edge is taken back."""

    at_ns: int
    lasted_ns: int


class LockReleased(Message, frozen=True):
    at_ns: int


class SpotVerdict(Stored, frozen=True):
    """What is known of one spot about the instant of lock-out, one decision window later."""

    position: int
    wager: str
    present: bool
    not_before_ns: int
    not_after_ns: int
    straddles: bool  # the interval contains the instant: the order can't be known
    contradicted: bool  # a level read disagrees with the edges
    left_ns: int | None  # the chip left after the instant
    arrived_after: bool  # a chip that came at or after the instant lies there now
    latched: bool = (
        False  # its board had it in the snapshot that the lock-out made it take: its interval does not count
    )


class InputsSettled(Message, frozen=True):
    """The decision window of the lock-out at `at_ns` is over: the evidence for the accepted set."""

    at_ns: int
    window_ns: int
    worst_lateness_ns: int
    spots: tuple[SpotVerdict, ...]


class LateEdge(Message, frozen=True):
    """An edge arrived after the window although it happened before the lock-out. It changes nothing."""

    position: int
    wager: str
    placed: bool
    at_ns: int
    lateness_ns: int


class NoiseBurst(Message, frozen=True):
    """Edges on (nearly) all lines at once that went away again."""

    at_ns: int
    lines: int


class KeyPressed(Message, frozen=True):
    key: Key
    at_ns: int


class FoldPressed(Message, frozen=True):
    """The fold button of a position, which the dealer presses."""

    position: int
    at_ns: int


class FloorKeyTurned(Message, frozen=True):
    """The floorperson's key switch."""

    turned: bool
    at_ns: int


class ResetKeyTurned(Message, frozen=True):
    """The jackpot reset key switch, a different key (605a.7(a)(5), (6))."""

    turned: bool
    at_ns: int


class KeyWiringFailed(Message, frozen=True):
    """A line of a button, key or door is out of order (chatter, contacts that contradict each other), or `restored`."""

    key: str
    restored: bool
    at_ns: int


class DoorMoved(Message, frozen=True):
    """The door of the meters' compartment (605a.7(a)(6))."""

    open: bool
    at_ns: int


class CardRead(Message, frozen=True):
    """A card came out of the shoe for a hand. `card` is None where the face was not read."""

    hand: Hand
    index: int  # from 1 within its hand, as the reader counts
    card: str | None
    at_ns: int  # arrival of the telegram's first byte
    raw: str  # the telegram in hex


class CardScanned(Message, frozen=True):
    """A card was read by a reader that does not say for which hand: the round machine gives it to the one that is
    due."""

    card: str
    at_ns: int  # arrival of the first byte, or the key's time
    raw: str  # what the reader sent, in hex


class CardBurned(Message, frozen=True):
    """A card that no hand gets: burned, first card of a shoe, or drawn outside the game."""

    card: str | None
    why: str
    at_ns: int
    raw: str


class CardHeldOver(Message, frozen=True):
    """After an overdraw: this card opens the next round."""

    card: str
    at_ns: int
    raw: str


class CutCardDrawn(Message, frozen=True):
    at_ns: int


class ReaderStarted(Message, frozen=True):
    """The card reader started to communicate."""

    at_ns: int


class ReaderResult(Message, frozen=True):
    """The reader's own result; `winner` is "player", "banker", "tie" or "forced_end"."""

    winner: str
    player_pair: bool
    banker_pair: bool
    at_ns: int
    raw: str


class ReaderError(Message, frozen=True):
    code: int
    text: str
    at_ns: int


class ReaderErrorCleared(Message, frozen=True):
    code: int
    at_ns: int


class ReaderLocked(Message, frozen=True):
    locked: bool
    at_ns: int


class DeviceUp(Message, frozen=True):
    device: str
    at_ns: int


class DeviceDown(Message, frozen=True):
    device: str
    reason: str
    at_ns: int


class EffectFailed(Message, frozen=True):
    """An output that must be seen could not be shown."""

    device: str
    reason: str
    at_ns: int


class EffectDone(Message, frozen=True):
    """What entry `seq` of the journal asked to show (`effect`) has left for every output that is up."""

    effect: str
    seq: int
    at_ns: int


class TimerKind(StrEnum):
    INPUTS_OVERDUE = "inputs_overdue"
    CARD_OVERDUE = "card_overdue"
    RESULT_OVERDUE = "result_overdue"
    NUMBER_OVERDUE = "number_overdue"


class TimerFired(Message, frozen=True):
    kind: TimerKind
    due_ns: int
    at_ns: int


class Tick(Message, frozen=True):
    """Proof of life: goes through queue and core and changes nothing."""

    at_ns: int


class OrderGiven(Message, frozen=True):
    """Two persons order what no key can do (`orders.py`)."""

    order: Order
    approval: Approval
    at_ns: int


RoundEvent = CardRead | CardScanned | CardHeldOver | ReaderResult | FoldPressed | Drawn | WheelEvent
"""What only the game's round machine understands."""

ReaderEvent = CardBurned | CutCardDrawn | ReaderStarted | ReaderError | ReaderErrorCleared | ReaderLocked
SpotEvent = SpotsReady | ChipPlaced | ChipLifted | SpotFailed | SpotRecovered | LateEdge | NoiseBurst
LockEvent = LockEdge | LockProved | LockGlitch | LockReleased | InputsSettled
PanelEvent = KeyPressed | FloorKeyTurned | ResetKeyTurned | KeyWiringFailed | DoorMoved
DeviceStateEvent = DeviceUp | DeviceDown | EffectFailed | EffectDone
Event = (
    Started
    | JournalResumed
    | InputsReady
    | SpotEvent
    | LockEvent
    | PanelEvent
    | RoundEvent
    | ReaderEvent
    | DeviceStateEvent
    | TimerFired
    | Tick
    | MachineEvent
    | ServiceEvent
    | OrderGiven
    | TriggerEvent
)
