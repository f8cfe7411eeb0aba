"""Orders of two persons: that what they alone may do was ordered, as it was done, in the same entry.

Rules:
* A correction has an order before it in its entry: taken, by two different persons, with a reason, both keys turned by
  what the entries say of them; for that meter and account, from the value that the audit has to the one that was set.
* What was ordered and refused has done nothing.
"""

from __future__ import annotations

from collections.abc import Mapping

from firmware.audit.items import Cause, Checked, MeterMoved, Page
from firmware.audit.ledger import Amounts, Ledger
from firmware.core.effects import MeterCorrected, OrderRefused, OrderTaken
from firmware.core.events import Event, FloorKeyTurned, InputsReady, OrderGiven, ResetKeyTurned, Started
from firmware.core.order_data import AcceptDifference, Account, Approval, ClearJournal, CorrectMeter


class Orders:
    """The two keys, and the order of the entry that is read."""

    def __init__(self) -> None:
        self._floor_turned = False
        self._reset_turned = False
        self._given: OrderGiven | None = None
        self._done = False  # something that only an order may do
        self._answered = False

    def evidence(self, page: Page, event: Event) -> None:
        """An entry begins."""
        self._given = None
        self._done = self._answered = False
        match event:
            case Started():
                self._floor_turned = self._reset_turned = False
            case InputsReady():
                self._floor_turned, self._reset_turned = event.floor_key_turned, event.reset_key_turned
            case FloorKeyTurned():
                self._floor_turned = event.turned
            case ResetKeyTurned():
                self._reset_turned = event.turned
            case OrderGiven():
                self._given = event
            case _:
                pass

    def refused(self, page: Page, effect: OrderRefused) -> None:
        """For whatever reason, as long as nothing was done."""
        self._answered = True
        if self._done:
            page.find(f"order {effect.order}", "order refused", "nothing done", "it was carried out")

    def taken(self, page: Page, effect: OrderTaken) -> None:
        """It must have been one that may be taken."""
        page.compared(Checked.ORDER)
        self._answered = True
        if self._given is None:
            page.find(f"order {effect.order}", "order taken", "an order that was given", "none in this entry")
            return
        approval = self._given.approval
        if not two_persons(approval):
            page.find(f"order {effect.order}", "order taken", "two different persons and a reason", said(approval))
        if not (self._floor_turned and self._reset_turned):
            page.find(f"order {effect.order}", "order taken", "both keys turned", "a key was not turned")
        if not self._done and not isinstance(self._given.order, ClearJournal):  # done outside the table, or not at all
            page.find(
                f"order {effect.order}", "order taken", "what was ordered is done in the entry", "nothing was done"
            )

    def entry_ends(self, page: Page) -> None:
        """What was ordered has an answer, and what only an order may do has its order."""
        if (self._given is not None or self._done) and not self._answered:
            page.find("order", "order given or carried out", "taken or refused in its entry", "neither")

    def differences_accepted(self, page: Page) -> None:
        """The table may run what its manifest does not name."""
        self._done = True
        if self._given is None or not isinstance(self._given.order, AcceptDifference):
            page.find("differences accepted", "by an order", "an order to accept them in this entry", "none")

    def corrected(self, page: Page, ledgers: Mapping[str, Ledger], effect: MeterCorrected) -> None:
        """A meter's account was set."""
        subject = f"meter {effect.meter}"
        self._done = True
        found = f"{effect.account} from {effect.was_micro} to {effect.becomes_micro} micro-dollars"
        ledger = ledgers.get(effect.meter)
        if ledger is None:
            page.find(subject, "correction of a meter that the table does not have", "none", found)
            return
        order = None if self._given is None else self._given.order
        ordered = CorrectMeter(effect.meter, effect.account, effect.was_micro, effect.becomes_micro)
        if order != ordered:
            page.find(subject, "correction", "no order in this entry" if order is None else order, found)
        holds = ledger.held.reserve_micro if effect.account is Account.RESERVE else ledger.held.shown_micro
        if holds != effect.was_micro:
            page.find(
                subject,
                f"correction of {effect.account}",
                f"it holds {holds} micro-dollars",
                f"it held {effect.was_micro}",
            )
        up = effect.becomes_micro - effect.was_micro
        moved = Amounts(reserve_micro=up) if effect.account is Account.RESERVE else Amounts(up)
        ledger.correct(moved)
        reason = "no order" if self._given is None else said(self._given.approval)
        page.post(MeterMoved(effect.meter, Cause.CORRECTION, moved, f"order: {reason}"))


def said(approval: Approval) -> str:
    return f"{approval.reason} ({approval.first}, {approval.second})"


def two_persons(approval: Approval) -> bool:
    first, second = (" ".join(name.split()).casefold() for name in (approval.first, approval.second))
    return bool(first and second and approval.reason.strip()) and first != second
