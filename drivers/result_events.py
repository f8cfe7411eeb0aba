"""What wheels and dice report: frozen events, part of the one union in `drivers/events.py`. Nothing here knows a game.

Rules:
* Every event names its device. Times are nanoseconds of CLOCK_MONOTONIC; `at_ns` is the arrival of the first byte (a
  typed key: the kernel's stamp) of the line that told it, `raw` that line's bytes in hex, for the audit.
* A wheel's state is only heard from time to time: the change lies after `not_before_ns` and not after `not_after_ns`.
* A spin that is over by `NoSpin` or `NumberDoubted` has no number: none is told of it afterwards.
* A number may be told again after the driver has started anew; `spin` says of which spin it is, where the wheel counts.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class WheelPhase(StrEnum):
    """What the wheel says of itself."""

    BEFORE_GAME = "before_game"
    PLACE_BETS = "place_bets"
    BALL_IN_RIM = "ball_in_rim"  # the ball runs, the wheel still calls it open
    NO_MORE_BETS = "no_more_bets"
    WINNING_NUMBER = "winning_number"
    CLOSED = "closed"

    @property
    def allows_bets(self) -> bool:
        """Whether the wheel has nothing against a wager; the dealer's button may have closed betting before."""
        return self in (WheelPhase.BEFORE_GAME, WheelPhase.PLACE_BETS, WheelPhase.BALL_IN_RIM)

    @property
    def ball_runs(self) -> bool:
        return self in (WheelPhase.BALL_IN_RIM, WheelPhase.NO_MORE_BETS)


class Rotor(Struct, frozen=True):
    """How the wheel turns."""

    rpm10: int  # tenths of a revolution a minute
    clockwise: bool


class WheelPhaseChanged(Struct, frozen=True):
    """The wheel is in another phase, or in the first one that was heard of it.

    `not_before_ns`: when the phase before was last heard; None: nothing was heard before. `spin`: the wheel's own
    count, 1..256 and again from 1; None where it has none. `rotor`: as it turned then.
    """

    device: str
    phase: WheelPhase
    not_before_ns: int | None
    not_after_ns: int
    spin: int | None
    rotor: Rotor | None
    raw: str


class NumberSource(StrEnum):
    """Where the wheel said the number."""

    LINE = "line"  # by itself, once
    STATUS = "status"  # in its status, again and again while it stands


class WinningNumber(Struct, frozen=True):
    """The number of the spin, once a spin. `pocket`: "0" to "36" or "00". `at_ns`: of the first line that said it.

    `sources`: who said so by then. A wheel that says it in two ways is told when both have, or, where one is missing,
    when the other has been said often enough; with one source a person may be asked.
    """

    device: str
    pocket: str
    sources: tuple[NumberSource, ...]
    spin: int | None
    at_ns: int
    raw: str  # every line that it rests on, one after the other


class Doubt(StrEnum):
    """Why a number can't be relied on."""

    SOURCES_DIFFER = "sources_differ"  # the number line and the status
    CHANGED = "changed"  # another number for the same spin
    UNCONFIRMED = "unconfirmed"  # a number line, but the wheel did not come to its winning number


class NumberDoubted(Struct, frozen=True):
    """The spin's number is in doubt: not to be settled by; where it was told already, it is in doubt from now on."""

    device: str
    doubt: Doubt
    pockets: tuple[str, ...]  # what was said, in order
    spin: int | None
    at_ns: int
    raw: str


class NoSpinReason(StrEnum):
    WRONG_WAY = "wrong_way"  # the ball runs with the rotor
    BALL_LOST = "ball_lost"  # removed, or not seen for too long
    LAUNCH_FAILED = "launch_failed"  # and the wheel did not mend it in its time
    FAULT = "fault"
    BROKEN_OFF = "broken_off"  # the ball ran, and the wheel went back without a number
    UNSEEN = "unseen"  # the ball ran, and the wheel went on while it was not heard


class NoSpin(Struct, frozen=True):
    """The spin is void by the wheel's own rules; it has no number."""

    device: str
    reason: NoSpinReason
    spin: int | None
    at_ns: int
    raw: str


class WheelWarning(StrEnum):
    BALL_REMOVED = "ball_removed"  # or not seen
    WRONG_WAY = "wrong_way"
    FAULT = "fault"  # sensor, motor or encoder
    LAUNCH_FAILED = "launch_failed"  # the wheel tries again


class WheelWarned(Struct, frozen=True):
    """The wheel's warnings are others than before; none: all is well again. What voids a spin is told by `NoSpin`."""

    device: str
    warnings: tuple[WheelWarning, ...]
    at_ns: int
    raw: str


class WheelFaulted(Struct, frozen=True):
    """The wheel's self-test failed; it stays closed until somebody has seen to it."""

    device: str
    code: int
    text: str
    at_ns: int
    raw: str


class WheelCommand(StrEnum):
    START_SPIN = "start_spin"
    VOID_SPIN = "void_spin"
    SET_MODE = "set_mode"  # the driver's own, at each connection, where a mode is configured


class WheelObeyed(Struct, frozen=True):
    """The wheel has said that it does it."""

    device: str
    command: WheelCommand
    at_ns: int


class WheelRefused(Struct, frozen=True):
    """It does not, or has not answered in time, or has no such command; nothing of it is sent later."""

    device: str
    command: WheelCommand
    reason: str
    at_ns: int


class DiceRolled(Struct, frozen=True):
    """A roll was read or entered: two or three faces, 1..6, in the order in which they came."""

    device: str
    faces: tuple[int, ...]
    at_ns: int
    raw: str


class RollUndone(Struct, frozen=True):
    """Whoever enters the rolls takes the last one back."""

    device: str
    at_ns: int
    raw: str


class NewShooter(Struct, frozen=True):
    device: str
    at_ns: int
    raw: str


class DiceTrouble(StrEnum):
    UNREADABLE = "unreadable"
    OFF_THE_TABLE = "off_the_table"  # a die left the table: no roll
    COCKED = "cocked"  # a die leans: no roll until it was called
    OTHER = "other"  # a number of the device's own


class DiceTroubled(Struct, frozen=True):
    """There is no roll, and why. `code`: the device's own number of it; 0 where it has none."""

    device: str
    trouble: DiceTrouble
    code: int
    at_ns: int
    raw: str


class KeypadPressed(Struct, frozen=True):
    """A key of a dice keypad, 1..6, for whoever shows what is being entered; a roll is told by itself."""

    device: str
    key: int
    held: bool  # for as long as a function needs
    at_ns: int


class DiceReset(Struct, frozen=True):
    """The reader was reset: a roll that it had not told is lost. `dice`: how many it reads."""

    device: str
    dice: int
    at_ns: int


class WheelReset(Struct, frozen=True):
    """The wheel's reader was reset: what it knew of the spin is lost. `pockets`: how many it reads."""

    device: str
    pockets: int
    at_ns: int


WheelEvent = (
    WheelPhaseChanged
    | WinningNumber
    | NumberDoubted
    | NoSpin
    | WheelWarned
    | WheelFaulted
    | WheelObeyed
    | WheelRefused
    | WheelReset
)
DiceEvent = DiceRolled | RollUndone | NewShooter | DiceTroubled | KeypadPressed | DiceReset
