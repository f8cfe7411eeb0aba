"""The audit of one journal, entry by entry: which record is the concern of which account, and what is compared.

Rules:
* Only records are read: what the core decided (`effects`) and what the hardware reported (`events`). `step` is never
  called; replaying it is another proof (`tabled journal replay`), and the two fail differently.
* After every entry each meter balances and nothing is negative; every value that the journal states (a meter on
  record, a reset, a snapshot of the state) is what the accounts give.
* Memory holds the meters and the round under way, however long the journal is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import asdict, astuple, replace

from firmware.audit.awards import Awards, OnRecord
from firmware.audit.items import Cause, Checked, Item, MeterMoved, MeterOpened, Page, When
from firmware.audit.ledger import NOTHING, Amounts, Ledger
from firmware.audit.mystery import Mystery
from firmware.audit.orders import Orders, said, two_persons
from firmware.audit.outcomes import DueAward, Outcomes
from firmware.audit.snapshot import Snapshot
from firmware.audit.tallies import Tallies
from firmware.audit.wagers import Wagers
from firmware.core.cards import Rank, Suit
from firmware.core.draw_events import Drawn, TriggerHit, TriggerTested
from firmware.core.effects import (
    AwardLocked,
    AwardPaid,
    AwardValidated,
    AwardVerified,
    AwardVoided,
    BoardShown,
    Contributed,
    ContributionCharged,
    ContributionReversed,
    DifferencesAccepted,
    DisplayShown,
    Draw,
    Effect,
    LampChanged,
    MeterRecorded,
    MeterReset,
    MysteryResumed,
    MysteryStopped,
    RoundEnded,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    SettlementShown,
    SlipIssued,
    TestTrigger,
    WagerAccepted,
    WagerCancelled,
)
from firmware.core.events import CardHeldOver, CardRead, CardScanned, Event, Key, KeyPressed
from firmware.core.machine_events import JournalBegun, Succession, number_after
from firmware.core.order_effects import (
    ClearingOrdered,
    MeterCorrected,
    OrderRefused,
    OrderTaken,
    ParametersOrdered,
    TransferredIn,
    TransferredOut,
)
from firmware.core.rules import TableRules
from firmware.core.wheel_events import NumberInDoubt, NumberRead

_SUITS = {suit.name: suit.value for suit in Suit}
_ENTRY_LINE = re.compile(rf"CARD ([{''.join(Rank)}]) ({'|'.join(_SUITS)})\?")
"""The menu's line that CONFIRM turns into a card of the hand that is due."""


_NUMBER_LINE = re.compile(r"NUMBER (\d{1,2})\?")
"""The same for the number of a spin."""


class Beginning(Struct, frozen=True):
    """How a segment begins. `known`: the auditor has read what is before it. `new_table`: nothing is. `begun`: what the
    file says of the one whose place it took."""

    known: bool
    new_table: bool
    begun: JournalBegun | None


class Auditor:
    """Follows a journal from its first entry. Feed it segments, entries and snapshots in their order."""

    def __init__(self) -> None:
        self.ledgers: dict[str, Ledger] = {}
        self.round = 0
        self._rules: TableRules | None = None
        self._wagers = Wagers()
        self._outcomes = Outcomes()
        self._awards = Awards()
        self._orders = Orders()
        self._mystery = Mystery()
        self._tallies = Tallies()
        self._menu_line = ""  # of the dealer display, as it was last shown

    # --- segments and snapshots ---------------------------------------------------------------------------------------

    def segment(self, when: When, rules: TableRules, opening: Snapshot, beginning: Beginning) -> list[Item]:
        """A start of the daemon."""
        page = Page(when)
        begun = beginning.begun
        cleared = begun is not None and begun.how is Succession.CLEARED
        if begun is not None:
            self._check_begun(page, begun, self.ledgers if beginning.known else _by_name(opening), cleared)
        if not beginning.known:
            self._open(page, rules, opening, from_seeds=beginning.new_table or cleared)
        elif cleared:
            before = self.ledgers
            self._open(page, rules, opening, from_seeds=True)
            page.items = [item for item in page.items if not isinstance(item, MeterOpened)]
            self._give_up(page, before, begun)
        else:
            self._compare(page, opening, "at the segment's start")
            self._check_parameters(page, rules)
        if begun is not None:
            self._awards.next_award = number_after(begun, self._awards.next_award)
            self._awards.next_slip = number_after(begun, self._awards.next_slip)
        self._rules = rules
        return page.items

    def snapshot(self, when: When, snapshot: Snapshot) -> list[Item]:
        """The state stored after the entry that was fed last."""
        page = Page(when)
        self._compare(page, snapshot, "in the snapshot")
        return page.items

    def _check_begun(self, page: Page, begun: JournalBegun, before: Mapping[str, Ledger], cleared: bool) -> None:
        """Two persons gave up or brought back; and the meters are those that were left."""
        if begun.how is not Succession.ROTATED and (begun.approval is None or not two_persons(begun.approval)):
            page.find("journal", f"journal {begun.how}", "two different persons and a reason", begun.approval)
        if cleared and before is not self.ledgers:
            return  # what was left stood in a file that was not read
        for left in begun.meters:
            found = Amounts(left.shown_micro, left.reserve_micro, left.hidden_micro, left.overflow_micro)
            ledger = before.get(left.meter)
            expected = "no such meter" if ledger is None else ledger.held
            if expected != found:
                page.find(f"meter {left.meter}", "left by the file before", expected, found)

    def _give_up(self, page: Page, before: Mapping[str, Ledger], begun: JournalBegun | None) -> None:
        """What the cleared meters held is given up; the house seeds them anew."""
        approval = None if begun is None else begun.approval
        reason = "journal cleared: " + (said(approval) if approval else "by nobody")
        for ledger in self.ledgers.values():
            old = before.get(ledger.name)
            page.post(MeterMoved(ledger.name, Cause.CLEARING, ledger.held + -(old.held if old else NOTHING), reason))

    def _open(self, page: Page, rules: TableRules, opening: Snapshot, from_seeds: bool) -> None:
        self.ledgers = _by_name(opening)
        if from_seeds:
            expected = {m.name: Ledger(m.name, m.seed_micro, seeded_micro=m.seed_micro) for m in rules.meters}
            for meter, ledger in expected.items():
                if self.ledgers.get(meter) != ledger:
                    page.find(f"meter {meter}", "first value", ledger, self.ledgers.get(meter, "no such meter"))
            self.ledgers = expected
        self.round = opening.round
        self._awards = Awards(opening.next_award, opening.next_slip)
        for w in opening.wagers:
            if rules.is_own(w.wager):
                self._wagers.standing[w.position, w.wager] = w.standing()
            else:
                self._wagers.dealt_in.add(w.position)
        for a in opening.awards:
            award = DueAward(a.position, a.wager, a.line, a.meter, a.cents, a.paid_by, a.section, a.because_of)
            self._awards.by_id[a.id] = OnRecord(a.id, award, a.status, a.slip)
        self._outcomes.go_on(page, opening)
        self._mystery.go_on(opening)
        self._tallies = Tallies(opening.tallies)
        self._orders.parameters = {rule.name: rule for rule in opening.parameters}
        for ledger in self.ledgers.values():
            page.post(MeterOpened(ledger.name, ledger.held, ledger.paid_micro))

    def _check_parameters(self, page: Page, rules: TableRules) -> None:
        """No parameter of a live progressive changes by a start with another file."""
        before = {rule.name: rule for rule in self._rules.meters} if self._rules else {}
        ordered = self._orders.parameters
        for rule in rules.meters:
            if ordered.get(rule.name) == rule:
                del ordered[rule.name]
            elif rule.name in before and before[rule.name] != rule:
                page.find(f"meter {rule.name}", "parameters changed without an order", before[rule.name], rule)

    def _compare(self, page: Page, snapshot: Snapshot, where: str) -> None:
        """Every account of every meter, with what the state held; the accounts go on with that."""
        page.compared(Checked.SNAPSHOT)
        stated = _by_name(snapshot)
        if list(stated) != list(self.ledgers):
            page.find("meters", f"names {where}", ", ".join(self.ledgers), ", ".join(stated))
        for meter, found in stated.items():
            ours = self.ledgers.get(meter, found)
            if found.missing_micro:
                page.find(
                    f"meter {meter}", f"accounts {where}", "a balance", f"{found.missing_micro} micro-dollars lack"
                )
            if ours == found:
                continue
            for account in found.__struct_fields__:
                expected, value = getattr(ours, account), getattr(found, account)
                if expected != value:
                    what = account.removesuffix("_micro")
                    page.find(f"meter {meter}", f"{what} {where}", expected, value)
            self._go_on_with(page, ours, found, where)
        self._tallies.compare(page, snapshot.tallies, where)

    def _go_on_with(self, page: Page, ours: Ledger, found: Ledger, where: str) -> None:
        self.ledgers[found.name] = found
        moved = found.held + -ours.held
        if moved != NOTHING:
            page.post(MeterMoved(found.name, Cause.DIFFERENCE, moved, f"no reason on record; found {where}"))

    # --- entries ------------------------------------------------------------------------------------------------------

    def entry(self, when: When, event: Event, effects: Sequence[Effect]) -> list[Item]:
        """One entry."""
        rules = self._rules
        assert rules is not None, "an entry before any segment"
        page = Page(when)
        self._orders.evidence(rules, event)
        self._evidence(event)
        standing = self._wagers.standing
        bonus = None if rules.mystery is None else rules.mystery.meter
        self._answers(page, rules, event, effects)
        void: str | None = None
        touched = False
        for effect in effects:
            match effect:
                case LampChanged() | BoardShown():
                    continue  # the most of all effects; they move no money
                case DisplayShown():
                    self._menu_line = effect.lines[1].strip()
                    continue
                case WagerAccepted():
                    resting = bonus if self._mystery.stopped else None
                    self._wagers.accepted(page, rules, self.ledgers, effect, resting)
                case WagerCancelled():
                    self._wagers.cancelled(page, rules, effect)
                    self._mystery.cancelled((effect.position, effect.wager))
                case Contributed():
                    self._wagers.contributed(page, rules, self.ledgers, effect)
                    if effect.meter == bonus and rules.mystery is not None:
                        self._mystery.contributed((effect.position, rules.mystery.wager), effect.shown_micro)
                case ContributionReversed():
                    self._wagers.reversed(page, self.ledgers, effect)
                case ContributionCharged():
                    self._wagers.charged(page, self.ledgers, effect)
                case TestTrigger() if effect.meter in self.ledgers:
                    unpaid = self._awards.any_on(effect.meter)
                    self._mystery.asked(page, rules, self.ledgers[effect.meter], unpaid, effect)
                case MysteryStopped():
                    self._mystery.lost()
                case MysteryResumed():
                    self._mystery.resumed()
                case RoundSettled():
                    self._awards.due(self._outcomes.settled(page, rules, self.ledgers, standing, effect))
                case SettlementShown():
                    self._outcomes.outcome(page, effect)
                case AwardLocked():
                    self._awards.locked(page, effect)
                case AwardVerified():
                    self._awards.verified(page, effect)
                case AwardValidated():
                    self._awards.validated(page, effect)
                case SlipIssued():
                    self._awards.slip(page, rules, self.ledgers, self._outcomes, self.round, effect)
                case AwardPaid():
                    self._awards.paid(page, effect)
                case AwardVoided():
                    self._awards.fell(page, effect)
                case MeterReset():
                    self._awards.reset(page, rules, self.ledgers, effect)
                case MeterRecorded():
                    self._recorded(page, effect)
                case (
                    MeterCorrected()
                    | TransferredOut()
                    | TransferredIn()
                    | ParametersOrdered()
                    | ClearingOrdered()
                    | DifferencesAccepted()
                ):
                    self._orders.done(page, rules, self.ledgers, effect)
                case OrderTaken():
                    self._orders.taken(page, effect)
                case OrderRefused():
                    self._orders.refused(page, effect)
                case Draw():
                    self._outcomes.spins.asked(page, effect.draw)
                case RoundOpened():
                    self._outcomes.spins.round_opened()
                    self._round_opened(page, effect)
                case RoundVoided():
                    void = f"round {effect.round} void: {effect.why}"
                    self._awards.voided(page, rules, effect.round)
                    self._mystery.unwon.clear()
                    self._outcomes.voided()
                case RoundEnded():
                    self._awards.round_ended(page, effect.round, standing, self._outcomes)
                    self._outcomes.round_ended()
                    self._mystery.round_ended(page, bonus or "")
                    self._wagers.round_ended()
                case _:
                    continue  # what people were shown, and the shoe's and the table's own records
            touched = True
        self._orders.entry_ends(page)
        if touched:
            self._wagers.entry_ends(page, rules, void)
            self._outcomes.entry_ends(page)
            self._awards.entry_ends(page)
            self._balance(page)
            self._tallies.count(page.items)
        return page.items

    def _evidence(self, event: Event) -> None:
        match event:
            case CardRead():
                self._outcomes.card_read(event.hand, event.card)
            case CardScanned():
                self._outcomes.card_scanned(event.card)
            case CardHeldOver():
                self._outcomes.card_held_over(event.card)
            case NumberRead():
                self._outcomes.number_told((event.pocket,))
            case NumberInDoubt():
                self._outcomes.number_told(event.pockets)
            case Drawn() if event.values:
                self._outcomes.spins.answered(event.draw, event.values[0])
            case KeyPressed(key=Key.CONFIRM) if number := _NUMBER_LINE.fullmatch(self._menu_line):
                self._outcomes.card_entered(number[1])
            case KeyPressed(key=Key.CONFIRM) if entry := _ENTRY_LINE.fullmatch(self._menu_line):
                self._outcomes.card_entered(entry[1] + _SUITS[entry[2]])
            case _:
                pass

    def _answers(self, page: Page, rules: TableRules, event: Event, effects: Sequence[Effect]) -> None:
        """What the generator answered, where the core took it."""
        match event:
            case TriggerTested():
                self._mystery.passed()
            case TriggerHit() if rules.mystery is not None and any(
                isinstance(e, AwardLocked) and e.meter == event.meter for e in effects
            ):
                self._awards.due(self._mystery.hit(page, rules.mystery, self.ledgers, event))
                ahead = {place for place, _ in self._mystery.unwon}
                for place, standing in self._wagers.standing.items():
                    if event.meter in standing.given and place not in ahead:
                        standing.won.add(event.meter)
            case _:
                pass

    def _recorded(self, page: Page, effect: MeterRecorded) -> None:
        page.compared(Checked.STATED)
        ledger = self.ledgers.get(effect.meter)
        if ledger is None:
            page.find(f"meter {effect.meter}", "value recorded", "a meter of this table", "no such meter")
            return
        found = Amounts(effect.shown_micro, effect.reserve_micro, effect.hidden_micro, effect.overflow_micro)
        if ledger.held != found:
            page.find(f"meter {effect.meter}", "value recorded", ledger.held, found)
            stated = replace(ledger, **asdict(found))
            self._go_on_with(page, ledger, stated, "where the value was recorded")

    def _round_opened(self, page: Page, effect: RoundOpened) -> None:
        if effect.round != self.round + 1:
            page.find(f"round {effect.round}", "round opened", f"round {self.round + 1}", f"round {effect.round}")
        self.round = effect.round

    def _balance(self, page: Page) -> None:
        """The invariant, and that nothing is below zero."""
        for ledger in self.ledgers.values():
            if ledger.missing_micro:
                page.find(f"meter {ledger.name}", "accounts", "a balance", f"{ledger.missing_micro} micro-dollars lack")
            if min(astuple(ledger.held)) < 0:
                page.find(f"meter {ledger.name}", "accounts", "nothing below zero", ledger.held)


def _by_name(snapshot: Snapshot) -> dict[str, Ledger]:
    return {ledger.name: ledger for ledger in snapshot.meters}
