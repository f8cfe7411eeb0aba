"""What the core asks of the world or puts on record. Durable before it is carried out.

Two kinds: commands (`Command` below), which the app carries out after the commit, and records, which only the journal
holds. Lamps, board and display are levels: `step` compares what the old and the new state show and emits what differs;
an entry says what a person saw, and a restart repaints all of it.
"""

from __future__ import annotations

from enum import StrEnum

from firmware.core.chances import Pick
from firmware.core.faults import Irregularity
from firmware.core.identity import Difference
from firmware.core.order_effects import OrderRecord
from firmware.core.service_data import ServiceRecord
from firmware.core.settlement_data import PaidBy, Result
from firmware.core.shown import Shown
from firmware.core.stored import Message
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
    TEST = "test"  # lit whatever the spot


class SettleInputs(Message, frozen=True):
    """Ask the input devices what lay on every spot at `at_ns`; `InputsSettled` answers one window later."""

    at_ns: int


class UnsettleInputs(Message, frozen=True):
    """The lock-out at `at_ns` was a glitch."""

    at_ns: int


class LampChanged(Message, frozen=True):
    position: int
    wager: str
    show: LampShow


class BoardShown(Message, frozen=True):
    """The reader board's whole content: a title, fields that change in place, a message that takes the board."""

    title: str
    fields: tuple[tuple[str, str], ...]
    message: str


class DisplayShown(Message, frozen=True):
    """The dealer display's four lines of 20 characters."""

    lines: tuple[str, str, str, str]


class RoundOpened(Message, frozen=True):
    round: int


class BettingClosed(Message, frozen=True):
    """Betting closed at `at_ns` by the button, by the first card or number ("card"), or by the wheel."""

    at_ns: int
    by: str


class WagerAccepted(Message, frozen=True):
    position: int
    wager: str
    cents: int
    at_ns: int


class WagerRefused(Message, frozen=True):
    """A chip on a spot that is no wager, and why."""

    position: int
    wager: str
    why: str


class WagerCancelled(Message, frozen=True):
    position: int
    wager: str
    cents: int
    why: str


class Contributed(Message, frozen=True):
    """A wager's share of one meter (negative entries do not exist: see `ContributionReversed`)."""

    position: int
    meter: str
    shown_micro: int
    reserve_micro: int
    hidden_micro: int = 0
    overflow_micro: int = 0


class ContributionReversed(Message, frozen=True):
    position: int
    meter: str
    shown_micro: int
    reserve_micro: int
    hidden_micro: int = 0
    overflow_micro: int = 0


class AwardLocked(Message, frozen=True):
    """An award that a floorperson must validate. `meter` is None for a fixed amount, `because_of` for all but an envy
    bonus: there it is the position whose hand the bonus is owed for."""

    award: int
    position: int
    wager: str
    line: str
    meter: str | None
    cents: int
    paid_by: PaidBy
    section: str
    because_of: int | None


class AwardVerified(Message, frozen=True):
    """The dealer has verified that the hand wins and that its lamp is lit (633b.17(f)(1), (2))."""

    award: int


class AwardValidated(Message, frozen=True):
    award: int


class SlipIssued(Message, frozen=True):
    """A slip got its number, at validation. All that stands on it stands here, so that it can be made from this one
    entry at any later time. The meter's amounts are None for an award of a fixed amount."""

    slip: int
    award: int
    table: str
    round: int
    position: int
    wager: str
    paytable: str
    line: str
    printed: str  # what the regulation calls the line; empty for an envy bonus
    section: str
    stake_cents: int
    cents: int
    cards: tuple[str, ...]  # each hand as the board shows it
    because_of: int | None
    meter: str | None
    winners: int  # awards that share the meter, this one included; 1 for a fixed amount
    before_micro: int | None  # the meter at lock-out, this round's contributions included
    after_micro: int | None  # what the reset key will return it to


class AwardPaid(Message, frozen=True):
    """From the table inventory, as the dealer confirmed; or by the slip whose documentation is complete, as the
    floorperson confirmed."""

    award: int
    paid_by: PaidBy
    slip: int | None


class AwardVoided(Message, frozen=True):
    award: int


class MeterReset(Message, frozen=True):
    """A won meter returned to its reseed by the reset key."""

    meter: str
    paid_cents: int
    from_reserve_micro: int
    from_house_micro: int
    value_micro: int
    from_hidden_micro: int = 0
    from_overflow_micro: int = 0


class MeterRecorded(Message, frozen=True):
    """What lies on a meter's accounts: at opening, at closing, and where a journal's file took another's place."""

    meter: str
    shown_micro: int
    reserve_micro: int
    hidden_micro: int = 0
    overflow_micro: int = 0


class IrregularityNoted(Message, frozen=True):
    kind: Irregularity
    position: int | None
    detail: str


class RoundSettled(Message, frozen=True):
    """The wagers of a stage are settled; the `SettlementShown` of that stage follow."""

    round: int
    stage: Stage
    shown: Shown


class SettlementShown(Message, frozen=True):
    """One wager's outcome, in the order in which the dealer pays."""

    position: int
    wager: str
    result: Result
    line: str | None
    award_cents: int
    stake_returned_cents: int
    meter: str | None


class LineCalled(Message, frozen=True):
    """A called (not sensed) wager's winning line, for the dealer to pay by hand."""

    wager: str
    line: str


class RoundVoided(Message, frozen=True):
    round: int
    why: str


class RoundEnded(Message, frozen=True):
    round: int


class ShoeOpened(Message, frozen=True):
    shoe: int
    by: str


class TableOpened(Message, frozen=True):
    at_ns: int


class TableClosed(Message, frozen=True):
    at_ns: int


class LampsTested(Message, frozen=True):
    """At the opening every lamp was lit; whether the dealer has `seen` all of them."""

    seen: bool
    at_ns: int


class Confirmed(Message, frozen=True):
    """The effect of entry `seq` was not only asked for: it has been shown."""

    effect: str
    seq: int


class KeyRefused(Message, frozen=True):
    """A key that has no effect now, and why."""

    key: str
    why: str


class IdentityJudged(Message, frozen=True):
    """What differs from the manifest: still open, and accepted before. Both empty: all is as approved."""

    open: tuple[Difference, ...]
    accepted: tuple[Difference, ...]


class DifferencesAccepted(Message, frozen=True):
    """Two persons accepted these by order; the order's entry names them."""

    differences: tuple[Difference, ...]


class Draw(Message, frozen=True):
    """Ask the generator for one value of each pick; `Drawn` answers with the same number. `purpose` is for people."""

    draw: int
    purpose: str
    picks: tuple[Pick, ...]


class DrawTrigger(Message, frozen=True):
    """Ask for a secret trigger, uniform over the micro-dollars from `least_micro` up to, not including, `below_micro`
    (M3); `TriggerDrawn` answers."""

    meter: str
    draw: int
    least_micro: int
    below_micro: int


class TestTrigger(Message, frozen=True):
    """Ask whether contributions, added one by one to a meter that stood at `from_micro`, lift it above the trigger;
    `TriggerTested` or `TriggerHit` answers for all of them at once. No steps: whether the secret can be read."""

    meter: str
    draw: int
    from_micro: int
    steps: tuple[int, ...]


class ContributionCharged(Message, frozen=True):
    """A contribution of a void wager that had been won before: the house gives it back, the meter stays (X22)."""

    position: int
    meter: str
    micro: int


class MysteryStopped(Message, frozen=True):
    """The bonus takes no contributions and can't be won, since its trigger can't be read (M13)."""

    meter: str
    draw: int
    reason: str


class MysteryResumed(Message, frozen=True):
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
    | LampsTested
    | KeyRefused
    | Confirmed
    | IdentityJudged
    | DifferencesAccepted
    | AwardVerified
    | SlipIssued
    | AwardPaid
    | ContributionCharged
    | MysteryStopped
    | MysteryResumed
    | OrderRecord
    | ServiceRecord
)
Effect = Command | Record
