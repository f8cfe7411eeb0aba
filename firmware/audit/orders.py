"""Orders of two persons: what they alone may do was ordered, and done as it was ordered, in the same entry.

Rules:
* An order is taken only from two different persons with a reason, both keys turned by what the entries say of them.
* What it does stands in its entry, exactly and completely; what only an order may do stands nowhere else. An order that
  was refused has done nothing.
* An account is corrected or transferred from what the audit has on it. Parameters of a meter that lives change at a
  start, to those that were ordered.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from firmware.audit.items import Cause, Checked, MeterMoved, Page
from firmware.audit.ledger import Amounts, Ledger
from firmware.core.effects import DifferencesAccepted
from firmware.core.events import (
    DeviceDown,
    Event,
    FloorKeyTurned,
    InputsReady,
    KeyWiringFailed,
    OrderGiven,
    ResetKeyTurned,
    Started,
)
from firmware.core.order_data import (
    AcceptDifference,
    Account,
    Approval,
    ChangeParameters,
    Clearing,
    ClearJournal,
    CorrectMeter,
    Order,
    Transfer,
    TransferIn,
    TransferOut,
)
from firmware.core.order_effects import (
    ClearingOrdered,
    MeterCorrected,
    OrderRefused,
    OrderTaken,
    ParametersOrdered,
    TransferredIn,
    TransferredOut,
)
from firmware.core.orders import reasons_against_persons
from firmware.core.rules import MeterRule, TableRules

Done = MeterCorrected | TransferredOut | TransferredIn | ParametersOrdered | ClearingOrdered | DifferencesAccepted
"""What only an order may do."""


class Orders:
    """The two keys, the order of the entry that is read, and the parameters that were ordered."""

    def __init__(self) -> None:
        self.parameters: dict[str, MeterRule] = {}  # ordered, by meter, and not yet those of the configuration
        self._floor_turned = False
        self._reset_turned = False
        self._faulty: set[str] = set()  # lines of keys whose wiring is
        self._given: OrderGiven | None = None
        self._due: list[Done] = []
        self._done = 0
        self._answered = False

    def evidence(self, rules: TableRules, event: Event) -> None:
        """An entry begins."""
        self._given, self._due, self._done, self._answered = None, [], 0, False
        match event:
            case Started():
                self._floor_turned = self._reset_turned = False
                self._faulty.clear()
            case DeviceDown() if event.device in rules.line_devices:
                self._floor_turned = self._reset_turned = False
            case KeyWiringFailed() if event.restored:
                self._faulty.discard(event.key)
            case KeyWiringFailed():
                self._faulty.add(event.key)
                self._floor_turned &= event.key.split(".")[0] != "floor_key"
                self._reset_turned &= event.key.split(".")[0] != "reset_key"
            case InputsReady():
                self._floor_turned, self._reset_turned = event.floor_key_turned, event.reset_key_turned
            case FloorKeyTurned():
                self._floor_turned = event.turned
            case ResetKeyTurned():
                self._reset_turned = event.turned
            case OrderGiven():
                self._given = event
                self._due = list(_due(rules, event.order))
            case _:
                pass

    def taken(self, page: Page, effect: OrderTaken) -> None:
        """It must have been one that may be taken."""
        page.compared(Checked.ORDER)
        self._answered = True
        subject = f"order {effect.order}"
        if self._given is None:
            page.find(subject, "order taken", "an order that was given", "none in this entry")
            return
        approval = self._given.approval
        if not two_persons(approval):
            page.find(subject, "order taken", "two different persons and a reason", said(approval))
        if not (self._floor_turned and self._reset_turned):
            page.find(subject, "order taken", "both keys turned", "a key was not turned")
        if any(line.split(".")[0] in ("floor_key", "reset_key") for line in self._faulty):
            page.find(subject, "order taken", "keys with sound wiring", ", ".join(sorted(self._faulty)))
        for missing in self._due:
            page.find(subject, "order taken", missing, "nothing was done")

    def refused(self, page: Page, effect: OrderRefused) -> None:
        """For whatever reason, as long as nothing was done."""
        self._answered = True
        if self._done:
            page.find(f"order {effect.order}", "order refused", "nothing done", "it was carried out")

    def entry_ends(self, page: Page) -> None:
        """What was ordered has an answer, and what only an order may do has its order."""
        if (self._given is not None or self._done) and not self._answered:
            page.find("order", "order given or carried out", "taken or refused in its entry", "neither")

    def done(self, page: Page, rules: TableRules, ledgers: Mapping[str, Ledger], effect: Done) -> None:
        """Something that only an order may do: it must be what was ordered, and next."""
        self._done += 1
        due = self._due.pop(0) if self._due else None
        if isinstance(effect, DifferencesAccepted):
            if not isinstance(due, DifferencesAccepted):
                page.find("differences accepted", "by an order", "an order to accept them in this entry", "none")
            return  # which ones, the start says and the order's mark stands for
        if due != effect:
            subject = "clearing" if isinstance(effect, ClearingOrdered) else f"meter {_meter(effect)}"
            page.find(subject, _what(effect), "no such order in this entry" if due is None else due, effect)
        match effect:
            case MeterCorrected():
                up = effect.becomes_micro - effect.was_micro
                self._move(page, ledgers, effect.meter, effect.account, up, Cause.CORRECTION, effect.was_micro)
            case TransferredOut():
                was = self._was(effect.meter, effect.account)
                self._move(
                    page, ledgers, effect.meter, effect.account, -effect.micro, Cause.TRANSFER, was, effect.other
                )
            case TransferredIn():
                was = self._was(effect.meter, effect.account)
                self._move(page, ledgers, effect.meter, effect.account, effect.micro, Cause.TRANSFER, was, effect.other)
            case ParametersOrdered():
                self.parameters[effect.meter.name] = effect.meter
                if effect.meter in rules.meters:
                    del self.parameters[effect.meter.name]  # those in force: a change is withdrawn
            case ClearingOrdered():
                pass
            case _:
                assert_never(effect)

    def _was(self, meter: str, account: Account) -> int | None:
        """What the order says that the account held; None where it speaks of another."""
        order = None if self._given is None else self._given.order
        if isinstance(order, Transfer | TransferOut | TransferIn) and (order.meter, order.account) == (meter, account):
            return order.was_micro
        return None

    def _move(
        self,
        page: Page,
        ledgers: Mapping[str, Ledger],
        meter: str,
        account: Account,
        micro: int,
        cause: Cause,
        was_micro: int | None,
        other: str = "",
    ) -> None:
        ledger = ledgers.get(meter)
        if ledger is None:
            page.find(f"meter {meter}", f"{cause.value} of a meter that the table does not have", "none", f"{micro}")
            return
        holds = ledger.held.on(account)
        if was_micro is not None and holds != was_micro:
            page.find(f"meter {meter}", f"{account} before {cause.value}", f"{holds} micro-dollars", was_micro)
        moved = Amounts.only(account, micro)
        if cause is Cause.CORRECTION:
            ledger.correct(moved)
        else:
            ledger.transfer(moved)
        way = f"{'to' if micro < 0 else 'from'} {other}: " if other else ""
        reason = "no order" if self._given is None else said(self._given.approval)
        page.post(MeterMoved(meter, cause, moved, f"order: {way}{reason}"))


def _due(rules: TableRules, order: Order) -> tuple[Done, ...]:
    """What an order does, as records."""
    match order:
        case CorrectMeter():
            return (MeterCorrected(order.meter, order.account, order.was_micro, order.becomes_micro),)
        case Transfer():
            here, there = f"{order.meter} {order.account}", f"{order.to_meter} {order.to_account}"
            return (
                TransferredOut(order.meter, order.account, order.amount_micro, there),
                TransferredIn(order.to_meter, order.to_account, order.amount_micro, here),
            )
        case TransferOut():
            return (TransferredOut(order.meter, order.account, order.amount_micro, order.destination),)
        case TransferIn():
            return (TransferredIn(order.meter, order.account, order.amount_micro, order.origin),)
        case ChangeParameters():
            wager = next((rule.wager for rule in rules.meters if rule.name == order.meter), "")
            return (
                ParametersOrdered(
                    MeterRule(
                        order.meter, wager, order.seed_micro, order.increment_ppm, order.reserve_ppm,
                        order.reseed_micro, order.hidden_ppm, order.limit_micro, order.overflow,
                    )
                ),
            )  # fmt: skip
        case ClearJournal():
            return (ClearingOrdered(order.step is Clearing.WITHDRAW),)
        case AcceptDifference():
            return (DifferencesAccepted(()),)
        case _:
            assert_never(order)


def _meter(effect: MeterCorrected | TransferredOut | TransferredIn | ParametersOrdered) -> str:
    return effect.meter.name if isinstance(effect, ParametersOrdered) else effect.meter


def _what(effect: Done) -> str:
    names = {MeterCorrected: "correction", ParametersOrdered: "parameters ordered", ClearingOrdered: "by an order"}
    return names.get(type(effect), "transfer")


def said(approval: Approval) -> str:
    return f"{approval.reason} ({approval.first}, {approval.second})"


def two_persons(approval: Approval) -> bool:
    """Whether it names two, and a reason; that a name written otherwise is no second person is one rule for all."""
    return not any(reasons_against_persons(approval))
