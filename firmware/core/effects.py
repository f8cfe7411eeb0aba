"""What the core asks of the world or puts on record. Durable before it is carried out.

Two kinds: commands (`Command` below), which the app carries out after the commit, and records, which only the journal
holds. Lamps, board and display are levels: `step` compares what the old and the new state show and emits what differs;
an entry says what a person saw, and a restart repaints all of it.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from firmware.core.chances import Pick
from firmware.core.faults import Irregularity
from firmware.core.order_data import Account
from firmware.core.settlement_data import Result
from firmware.core.wagers.wager import Stage


class LampShow(StrEnum):
    """What a spot's lamp says; colour and pattern of each stand in the configuration."""

    OFF = "off"
    SENSED = "sensed"
    ACCEPTED = "accepted"
    NOT_ACCEPTED = "not_accepted"
    WON = "won"
    HELD = "held"
    OUT_OF_SERVICE = "out_of_service"


class SettleInputs(Struct, frozen=True):
    """Ask the input devices what lay on every spot at `at_ns`; `InputsSettled` answers one window later."""

    at_ns: int


class UnsettleInputs(Struct, frozen=True):
    """The lock-out at `at_ns` was a glitch."""

    at_ns: int


class LampChanged(Struct, frozen=True):
    position: int
    wager: str
    show: LampShow


class BoardShown(Struct, frozen=True):
    """The reader board's whole content: a title, fields that change in place, a message that takes the board."""

    title: str
    fields: tuple[tuple[str, str], ...]
    message: str


class DisplayShown(Struct, frozen=True):
    """The dealer display's four lines of 20 characters."""

    lines: tuple[str, str, str, str]


class RoundOpened(Struct, frozen=True):
    round: int


class BettingClosed(Struct, frozen=True):
    """Betting closed at `at_ns` by the button or by the first card."""

    at_ns: int
    by: str


class WagerAccepted(Struct, frozen=True):
    position: int
    wager: str
    cents: int
    at_ns: int


class WagerRefused(Struct, frozen=True):
    """A chip on a spot that is no wager, and why."""

    position: int
    wager: str
    why: str


class WagerCancelled(Struct, frozen=True):
    position: int
    wager: str
    cents: int
    why: str


class Contributed(Struct, frozen=True):
    """A wager's share of one meter (negative entries do not exist: see `ContributionReversed`)."""

    position: int
    meter: str
    shown_micro: int
    reserve_micro: int


class ContributionReversed(Struct, frozen=True):
    position: int
    meter: str
    shown_micro: int
    reserve_micro: int


class AwardLocked(Struct, frozen=True):
    """An award that a floorperson must validate. `meter` is None for a fixed amount."""

    award: int
    position: int
    wager: str
    line: str
    meter: str | None
    cents: int


class AwardValidated(Struct, frozen=True):
    award: int


class AwardVoided(Struct, frozen=True):
    award: int


class MeterReset(Struct, frozen=True):
    """A won meter returned to its reseed by the reset key."""

    meter: str
    paid_cents: int
    from_reserve_micro: int
    from_house_micro: int
    value_micro: int


class MeterRecorded(Struct, frozen=True):
    """A meter's value at opening or closing."""

    meter: str
    shown_micro: int
    reserve_micro: int


class IrregularityNoted(Struct, frozen=True):
    kind: Irregularity
    position: int | None
    detail: str


class RoundSettled(Struct, frozen=True):
    """The wagers of a stage are settled; the `SettlementShown` of that stage follow."""

    round: int
    stage: Stage
    player: tuple[str, ...]
    banker: tuple[str, ...]


class SettlementShown(Struct, frozen=True):
    """One wager's outcome, in the order in which the dealer pays."""

    position: int
    wager: str
    result: Result
    line: str | None
    award_cents: int
    stake_returned_cents: int
    meter: str | None


class LineCalled(Struct, frozen=True):
    """A called (not sensed) wager's winning line, for the dealer to pay by hand."""

    wager: str
    line: str


class RoundVoided(Struct, frozen=True):
    round: int
    why: str


class RoundEnded(Struct, frozen=True):
    round: int


class ShoeOpened(Struct, frozen=True):
    shoe: int
    by: str


class TableOpened(Struct, frozen=True):
    at_ns: int


class TableClosed(Struct, frozen=True):
    at_ns: int


class Confirmed(Struct, frozen=True):
    """The effect of entry `seq` was not only asked for: it has been shown."""

    effect: str
    seq: int


class KeyRefused(Struct, frozen=True):
    """A key that has no effect now, and why."""

    key: str
    why: str


class OrderTaken(Struct, frozen=True):
    """The order of this entry is carried out; `order` is its name (`order_data.ORDERS`)."""

    order: str


class OrderRefused(Struct, frozen=True):
    """The order of this entry has changed nothing, and why."""

    order: str
    why: str


class MeterCorrected(Struct, frozen=True):
    """An account of a meter was set by order."""

    meter: str
    account: Account
    was_micro: int
    becomes_micro: int


class Draw(Struct, frozen=True):
    """Ask the generator for one value of each pick; `Drawn` answers with the same number. `purpose` is for people."""

    draw: int
    purpose: str
    picks: tuple[Pick, ...]


class DrawTrigger(Struct, frozen=True):
    """Ask for a secret trigger, uniform over the micro-dollars from `least_micro` up to, not including, `below_micro`
    (M3); `TriggerDrawn` answers."""

    meter: str
    draw: int
    least_micro: int
    below_micro: int


class TestTrigger(Struct, frozen=True):
    """Ask whether contributions, added one by one to a meter that stood at `from_micro`, lift it above the trigger;
    `TriggerTested` or `TriggerHit` answers for all of them at once. No steps: whether the secret can be read."""

    meter: str
    draw: int
    from_micro: int
    steps: tuple[int, ...]


class ContributionCharged(Struct, frozen=True):
    """A contribution of a void wager that had been won before: the house gives it back, the meter stays (X22)."""

    position: int
    meter: str
    micro: int


class MysteryStopped(Struct, frozen=True):
    """The bonus takes no contributions and can't be won, since its trigger can't be read (M13)."""

    meter: str
    draw: int
    reason: str


class MysteryResumed(Struct, frozen=True):
    """The very same trigger can be read again."""

    meter: str
    draw: int


Question = Draw | DrawTrigger | TestTrigger
"""What the generator answers."""

Command = SettleInputs | UnsettleInputs | LampChanged | BoardShown | DisplayShown | Question
Record = (
    RoundOpened
    | BettingClosed
    | WagerAccepted
    | WagerRefused
    | WagerCancelled
    | Contributed
    | ContributionReversed
    | AwardLocked
    | AwardValidated
    | AwardVoided
    | MeterReset
    | MeterRecorded
    | IrregularityNoted
    | RoundSettled
    | SettlementShown
    | LineCalled
    | RoundVoided
    | RoundEnded
    | ShoeOpened
    | TableOpened
    | TableClosed
    | KeyRefused
    | Confirmed
    | OrderTaken
    | OrderRefused
    | MeterCorrected
    | ContributionCharged
    | MysteryStopped
    | MysteryResumed
)
Effect = Command | Record
