"""What two persons may order: one class an order, and who stands for it.

Rules:
* An order is a `Message` in the union `Order` and a row in `ORDERS` (its name on the command line); what it does stands
  in `orders.py`. The class's docstring is the command's help; a field ending in `_micro` or `_ppm` is written there in
  dollars or percent.
* Limits stand at the fields, and whatever reads an order from outside enforces them before the core sees it, so that
  every order can be journalled.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from msgspec import Meta

from firmware.core.stored import Message, Stored

LONGEST_NAME = 60
LONGEST_REASON = 200

Micro = Annotated[int, Meta(ge=0, le=10**15)]
"""Millionths of a dollar, up to a billion dollars."""

Ppm = Annotated[int, Meta(ge=0, lt=10**6)]
"""Parts per million of a wager."""

Name = Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME)]


class Approval(Stored, frozen=True):
    """The two persons who stand for an order, by name as the casino knows them, and why it is given."""

    first: Name
    second: Name
    reason: Annotated[str, Meta(min_length=1, max_length=LONGEST_REASON)]


class Account(StrEnum):
    """Where a meter's money lies."""

    SHOWN = "shown"
    RESERVE = "reserve"
    HIDDEN = "hidden"
    OVERFLOW = "overflow"


class Overflow(StrEnum):
    """What becomes of money above a meter's limit when the meter is won."""

    RESEED = "reseed"  # it pays the reseed before the house does
    KEEP = "keep"  # it stays, until two persons transfer it


class CorrectMeter(Message, frozen=True):
    """Set one account of a meter right. What it holds now is stated, so that an order given twice is refused the
    second time."""

    meter: Name
    account: Account
    was_micro: Micro
    becomes_micro: Micro


class Transfer(Message, frozen=True):
    """Move money from one account of a meter to another, or to another meter of this table. What the first holds now
    is stated."""

    meter: Name
    account: Account
    was_micro: Micro
    amount_micro: Micro
    to_meter: Name
    to_account: Account


class TransferOut(Message, frozen=True):
    """Move money from a meter of this table to one elsewhere: name table and meter. What the account holds now is
    stated."""

    meter: Name
    account: Account
    was_micro: Micro
    amount_micro: Micro
    destination: Name


class TransferIn(Message, frozen=True):
    """Take in money from a meter elsewhere: name table and meter. What the account holds now is stated."""

    meter: Name
    account: Account
    was_micro: Micro
    amount_micro: Micro
    origin: Name


class ChangeParameters(Message, frozen=True):
    """Allow the next start to open a live meter under these parameters, all of them, as the changed configuration has
    them. Left out: no hidden rate, no limit; without a reseed the meter returns to what its reserve holds. Ordering
    the parameters in force withdraws the change."""

    meter: Name
    seed_micro: Micro
    increment_ppm: Ppm
    reserve_ppm: Ppm = 0
    reseed_micro: Micro | None = None
    hidden_ppm: Ppm = 0
    limit_micro: Micro | None = None
    overflow: Overflow = Overflow.RESEED


class Clearing(StrEnum):
    """What is to become of the journal's clearing."""

    BEGIN = "begin"
    WITHDRAW = "withdraw"


class ClearJournal(Message, frozen=True):
    """Have the journal cleared: the table stays closed until `tabled clear` has exported everything and begun a new
    journal, with every meter at its seed, or until the order is withdrawn."""

    step: Clearing


class AcceptDifference(Message, frozen=True):
    """Let the table play on software or a configuration that differs from the signed manifest. `mark` is that of the
    differences, as the display and `hil status` show it, so that nothing is accepted which came later."""

    mark: Annotated[str, Meta(pattern=r"\A[0-9A-Fa-f]{8}\Z")]


Order = CorrectMeter | Transfer | TransferOut | TransferIn | ChangeParameters | AcceptDifference | ClearJournal

ORDERS: dict[str, type[Order]] = {
    "correct-meter": CorrectMeter,
    "transfer": Transfer,
    "transfer-out": TransferOut,
    "transfer-in": TransferIn,
    "change-parameters": ChangeParameters,
    "accept-difference": AcceptDifference,
    "clear-journal": ClearJournal,
}
"""Every order by its name for people."""


def name_of(order: Order) -> str:
    """The order's name for people: "correct-meter"."""
    return next(name for name, kind in ORDERS.items() if type(order) is kind)
