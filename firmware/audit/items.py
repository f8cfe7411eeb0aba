"""What an audit says of an entry: findings, where the record disagrees with itself, and postings, where money moved.

Rules:
* A finding names what it is about, what was expected and what the journal has; its entry stands beside it (`When`).
* Postings are what accounts are made of. They carry what the journal says happened, also where a finding says that it
  should not have: an account shows what was done, the finding that it was wrong.
* Meters in millionths of a dollar, signed; wagers and awards in cents, never negative.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from firmware.audit.ledger import Amounts
from firmware.core.settlement_data import Result


class When(Struct, frozen=True):
    """Which entry, and when by the wall clock, an annotation; `trusted`: it was known to be set."""

    seq: int
    wall_ns: int
    trusted: bool


class Finding(Struct, frozen=True):
    """A disagreement. `subject` is what it is about: "meter royal_9.mega", "position 3 tie", "award 7", "round 12"."""

    subject: str
    what: str
    expected: str
    found: str


class Cause(StrEnum):
    """Why a meter moved. The text is what reports call it."""

    CONTRIBUTION = "contributions"
    REVERSAL = "reversals"
    AWARD = "awards paid"
    FROM_POOLS = "reseed from its pools"
    FROM_HOUSE = "reseed from the house"
    TRANSFER = "transfers by order"
    CORRECTION = "corrections by order"
    CLEARING = "given up when cleared"
    DIFFERENCE = "differences found"


class MeterOpened(Struct, frozen=True):
    """A meter as the file begins: a new table's seed, put in by the house, or what the file before it left."""

    meter: str
    held: Amounts
    paid_micro: int


class MeterMoved(Struct, frozen=True):
    """One movement of a meter, as signed amounts of each of its accounts, and why."""

    meter: str
    cause: Cause
    moved: Amounts
    reason: str
    wager: str = ""  # of a contribution or a reversal: whose
    position: int = 0


class Wagered(Struct, frozen=True):
    """A wager was accepted: coin-in."""

    position: int
    wager: str
    cents: int


class WagerReturned(Struct, frozen=True):
    """An accepted wager went back: it was cancelled, or its round was void."""

    position: int
    wager: str
    cents: int
    why: str


class PaidOut(Struct, frozen=True):
    """What a wager of a round came to that was not void, posted when the round ends.

    `award_cents` is paid on top of `returned_cents`, the stake handed back. `award`: number of the award that the
    floorperson validated for it, None where the dealer paid it alone. `beside`: an award beside the wager's own outcome
    (an envy bonus), which is posted as well.
    """

    round: int
    position: int
    wager: str
    result: Result
    line: str | None
    stake_cents: int
    award_cents: int
    returned_cents: int
    meter: str | None
    award: int | None
    slip: int | None
    settled: When
    beside: bool = False


class AttendantPaid(Struct, frozen=True):
    """An award that an attendant paid (605a.7(a)(3)); `meter` is None for a fixed amount."""

    award: int
    wager: str
    meter: str | None
    cents: int


class AwardFell(Struct, frozen=True):
    """An award that fell with its round."""

    award: int
    cents: int


class Checked(StrEnum):
    """What was compared with what the audit makes of it; the text is what the report calls it."""

    CONTRIBUTION = "contributions"
    REVERSAL = "reversals"
    SETTLEMENT = "settlements"
    AWARD = "awards"
    SLIP = "slips"
    MYSTERY = "questions about the mystery bonus"
    RESET = "meter resets"
    ORDER = "orders of two persons"
    STATED = "stated meter values"
    SNAPSHOT = "snapshots"
    CARD = "cards dealt"


class Compared(Struct, frozen=True):
    """So many of a kind were compared."""

    what: Checked
    count: int = 1


Posting = MeterOpened | MeterMoved | Wagered | WagerReturned | PaidOut | AttendantPaid | AwardFell
Item = Finding | Compared | Posting


class Page:
    """What an entry comes to, while the audit is at it."""

    __slots__ = ("items", "when")

    def __init__(self, when: When) -> None:
        self.when = when
        self.items: list[Item] = []

    def find(self, subject: str, what: str, expected: object, found: object) -> None:
        self.items.append(Finding(subject, what, str(expected), str(found)))

    def post(self, posting: Posting) -> None:
        self.items.append(posting)

    def compared(self, what: Checked, count: int = 1) -> None:
        self.items.append(Compared(what, count))
