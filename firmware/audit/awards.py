"""Awards: each is followed from its hit to its end, through the acts in their order.

Rules:
* Locked as the settlement says; verified by the dealer, validated by the floorperson, then paid, each once and in that
  order. What is paid by slip has its slip, issued at validation, numbered without a gap, saying what the award says.
* A meter is reset when all its awards are paid; it pays their sum and nothing else. An award that is not validated
  falls with its round, and only with it. None is left open when the round ends.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from firmware.audit.items import AttendantPaid, AwardFell, Cause, Checked, MeterMoved, Page, PaidOut
from firmware.audit.ledger import MICRO_OF_A_CENT, NOTHING, Amounts, Ledger, Reset
from firmware.audit.outcomes import MUST_HIT_BY, DueAward, Outcomes
from firmware.audit.wagers import Place, Standing, name
from firmware.core.effects import (
    AwardLocked,
    AwardPaid,
    AwardValidated,
    AwardVerified,
    AwardVoided,
    MeterReset,
    SlipIssued,
)
from firmware.core.rules import TableRules
from firmware.core.settlement_data import PaidBy, Result
from firmware.core.state import AwardStatus

_CARD = re.compile(r"\b[A2-9TJQK][SHDC]\b")
_UNDECIDED = (AwardStatus.LOCKED, AwardStatus.VERIFIED)


@dataclass(slots=True)
class OnRecord:
    """An award as the journal has it."""

    id: int
    award: DueAward
    status: AwardStatus = AwardStatus.LOCKED
    slip: int | None = None

    @property
    def done(self) -> bool:
        """Nothing of it is left to do."""
        end = AwardStatus.PAID if self.award.meter is None else AwardStatus.RESET
        return self.status in (end, AwardStatus.VOIDED)


class Awards:
    """The awards of the round under way."""

    def __init__(self, next_award: int = 1, next_slip: int = 1) -> None:
        self.next_award = next_award
        self.next_slip = next_slip
        self.by_id: dict[int, OnRecord] = {}
        self._due: list[DueAward] = []
        self._slips_due: list[OnRecord] = []

    def due(self, awards: Sequence[DueAward]) -> None:
        """These must be locked in this entry."""
        self._due += awards

    def locked(self, page: Page, effect: AwardLocked) -> None:
        page.compared(Checked.AWARD)
        subject = f"award {effect.award}"
        if effect.award != self.next_award:
            page.find(subject, "award's number", self.next_award, effect.award)
        self.next_award = effect.award + 1
        found = DueAward(
            effect.position, effect.wager, effect.line, effect.meter, effect.cents, effect.paid_by, effect.section,
            effect.because_of,
        )  # fmt: skip
        expected = self._due.pop(0) if self._due else None
        if expected != found:
            page.find(subject, "award", "none" if expected is None else expected, found)
        self.by_id[effect.award] = OnRecord(effect.award, found)

    # --- its acts -----------------------------------------------------------------------------------------------------

    def verified(self, page: Page, effect: AwardVerified) -> None:
        award = self._turn(page, effect.award, "verified", AwardStatus.LOCKED)
        if award is not None:
            award.status = AwardStatus.VERIFIED

    def validated(self, page: Page, effect: AwardValidated) -> None:
        award = self._turn(page, effect.award, "validated", AwardStatus.VERIFIED)
        if award is not None:
            award.status = AwardStatus.VALIDATED
            if award.award.paid_by is PaidBy.SLIP:
                self._slips_due.append(award)

    def slip(
        self,
        page: Page,
        rules: TableRules,
        ledgers: Mapping[str, Ledger],
        outcomes: Outcomes,
        round_: int,
        effect: SlipIssued,
    ) -> None:
        """A slip says what the award says, and what the audit has of table and meter."""
        page.compared(Checked.SLIP)
        subject = f"slip {effect.slip}"
        if effect.slip != self.next_slip:
            page.find(subject, "slip's number", self.next_slip, effect.slip)
        self.next_slip = effect.slip + 1
        on_record = next((one for one in self._slips_due if one.id == effect.award), None)
        if on_record is None:
            page.find(
                subject, "slip issued", "an award validated in this entry and paid by slip", f"award {effect.award}"
            )
            return
        self._slips_due.remove(on_record)
        on_record.slip = effect.slip
        award = on_record.award
        stake_cents = next(
            (s.cents for s in rules.spots if (s.position, s.wager) == (award.position, award.wager)), None
        )
        winners = self._on_meter(award.meter) if award.meter is not None and not _alone(rules, award) else [on_record]
        before, after = _slip_meter(rules, ledgers, award, winners, effect)
        expected: dict[str, object] = {
            "table": rules.table_id,
            "round": round_,
            "paytable": next((offer.paytable for offer in rules.offers if offer.wager == award.wager), None),
            "position": award.position,
            "wager": award.wager,
            "line": award.line,
            "section": award.section,
            "cents": award.cents,
            "because_of": award.because_of,
            "meter": award.meter,
            "stake_cents": stake_cents,
            "winners": len(winners),
            "before_micro": before,
            "after_micro": after,
        }
        for what, wanted in expected.items():
            if (found := getattr(effect, what)) != wanted:
                page.find(subject, f"{what} on the slip", wanted, found)
        shown = Counter(_CARD.findall(" ".join(effect.cards)))
        if not _alone(rules, award) and shown != Counter(outcomes.cards):
            dealt = " ".join(outcomes.cards)
            page.find(subject, "cards on the slip", dealt, " ".join(shown.elements()))

    def paid(self, page: Page, effect: AwardPaid) -> None:
        award = self._turn(page, effect.award, "paid", AwardStatus.VALIDATED)
        if award is None:
            return
        found = (effect.paid_by, effect.slip)
        if found != (award.award.paid_by, award.slip):
            wanted = f"by {award.award.paid_by}, slip {award.slip}"
            page.find(f"award {award.id}", "award paid", wanted, f"by {effect.paid_by}, slip {effect.slip}")
        if award.status is not AwardStatus.PAID:
            award.status = AwardStatus.PAID
            page.post(AttendantPaid(award.id, award.award.wager, award.award.meter, award.award.cents))

    def fell(self, page: Page, effect: AwardVoided) -> None:
        award = self._turn(page, effect.award, "voided", *_UNDECIDED)
        if award is not None:
            award.status = AwardStatus.VOIDED
            page.post(AwardFell(award.id, award.award.cents))

    def _turn(self, page: Page, number: int, what: str, *due: AwardStatus) -> OnRecord | None:
        """The award whose turn it is; a finding if it is another's."""
        award = self.by_id.get(number)
        if award is None:
            page.find(f"award {number}", f"award {what}", "an award of this round", "none of this number")
        elif award.status not in due:
            page.find(
                f"award {number}", f"award {what}", f"an award that is {' or '.join(due)}", f"it is {award.status}"
            )
        return award

    # --- the meter's reset --------------------------------------------------------------------------------------------

    def any_on(self, meter: str) -> bool:
        """Whether an award on this meter is open."""
        return bool(self._on_meter(meter))

    def _on_meter(self, meter: str) -> list[OnRecord]:
        over = (AwardStatus.VOIDED, AwardStatus.RESET)
        return [one for one in self.by_id.values() if one.award.meter == meter and one.status not in over]

    def reset(self, page: Page, rules: TableRules, ledgers: Mapping[str, Ledger], effect: MeterReset) -> None:
        """A won meter returns to its reseed."""
        page.compared(Checked.RESET)
        subject = f"meter {effect.meter}"
        ledger = ledgers.get(effect.meter)
        if ledger is None:
            page.find(subject, "reset of a meter that the table does not have", "none", f"{effect.paid_cents} cents")
            return
        winners = self._on_meter(effect.meter)
        if not winners:
            page.find(subject, "reset", "an award on it, paid", "none")
        for one in winners:
            if one.status is not AwardStatus.PAID:
                page.find(subject, "reset", "all its awards paid", f"award {one.id} is {one.status}")
        due = _due_reset(rules, ledger, winners)
        done = Reset(
            effect.paid_cents, effect.from_reserve_micro, effect.from_house_micro, effect.value_micro,
            effect.from_hidden_micro, effect.from_overflow_micro,
        )  # fmt: skip
        for account in Reset.__struct_fields__:
            expected, found = getattr(due, account), getattr(done, account)
            if expected != found:
                what, _, unit = account.rpartition("_")
                unit = {"micro": "micro-dollars"}.get(unit, unit)
                page.find(subject, f"reset: {what.replace('_', ' the ')}", f"{expected} {unit}", f"{found} {unit}")
        ledger.reset(done, len(winners) if winners and _alone(rules, winners[0].award) else 1)
        for one in winners:
            one.status = AwardStatus.RESET
        said = "; ".join(f"award {one.id}: {one.award.line}, position {one.award.position}" for one in winners)
        for cause, moved in (
            (Cause.AWARD, Amounts(-effect.paid_cents * MICRO_OF_A_CENT)),
            (Cause.FROM_POOLS, done.from_pools),
            (Cause.FROM_HOUSE, Amounts(effect.from_house_micro)),
        ):
            if moved != NOTHING:
                reseed = "" if cause is Cause.AWARD else "reseed after "
                page.post(MeterMoved(effect.meter, cause, moved, reseed + (said or "no award")))

    # --- ends ---------------------------------------------------------------------------------------------------------

    def entry_ends(self, page: Page) -> None:
        for due in self._due:
            page.find(name((due.position, due.wager)), "award", due, "no award was locked")
        for one in self._slips_due:
            page.find(f"award {one.id}", "slip issued", "a slip, at validation", "no slip")
        self._due, self._slips_due = [], []

    def voided(self, page: Page, rules: TableRules, round_: int) -> None:
        """A mystery bonus stands (M9)."""
        for one in self.by_id.values():
            if one.status is not AwardStatus.VOIDED and not _alone(rules, one.award):
                page.find(f"award {one.id}", f"round {round_} voided", "the award falls with it", f"it is {one.status}")

    def round_ended(self, page: Page, round_: int, standing: Mapping[Place, Standing], outcomes: Outcomes) -> None:
        """What the wagers came to is posted, and the next round begins without awards."""
        paid = {}
        for one in self.by_id.values():
            if not one.done:
                page.find(f"award {one.id}", f"round {round_} ended", "an award that is done", f"it is {one.status}")
            elif not _beside(one.award) and one.status is not AwardStatus.VOIDED:
                paid[one.award.position, one.award.wager] = one
        for place, wager in standing.items():
            if place not in outcomes.shown:
                page.find(name(place), f"round {round_} ended", "the wager settled or returned", "neither")
                continue
            shown, when = outcomes.shown[place]
            award = paid.get(place)
            page.post(
                PaidOut(
                    round_, *place, shown.result, shown.line, wager.cents, shown.award_cents,
                    shown.stake_returned_cents, shown.meter, award.id if award else None,
                    award.slip if award else None, when,
                )
            )  # fmt: skip
        for one in self.by_id.values():
            if _beside(one.award) and one.done and one.status is not AwardStatus.VOIDED:
                self._post_bonus(page, round_, one, standing)
        self.by_id.clear()

    def _post_bonus(self, page: Page, round_: int, one: OnRecord, standing: Mapping[Place, Standing]) -> None:
        """An award beside its wager's own outcome."""
        award = one.award
        wager = standing.get((award.position, award.wager))
        page.post(
            PaidOut(
                round_, award.position, award.wager, Result.WIN, award.line, wager.cents if wager else 0,
                award.cents, 0, award.meter, one.id, one.slip, page.when, beside=True,
            )
        )  # fmt: skip


def _beside(award: DueAward) -> bool:
    """Not its wager's own outcome: an envy bonus, a mystery bonus."""
    return award.because_of is not None or award.line == MUST_HIT_BY


def _alone(rules: TableRules, award: DueAward) -> bool:
    """A mystery bonus: each award is a hit of its own, not a share of one."""
    return rules.mystery is not None and award.meter == rules.mystery.meter


def _due_reset(rules: TableRules, ledger: Ledger, winners: Sequence[OnRecord]) -> Reset:
    rule = next(rule for rule in rules.meters if rule.name == ledger.name)
    paid_cents = sum(one.award.cents for one in winners)
    return ledger.due_reset(rules, rule, paid_cents)


def _slip_meter(
    rules: TableRules,
    ledgers: Mapping[str, Ledger],
    award: DueAward,
    winners: Sequence[OnRecord],
    effect: SlipIssued,
) -> tuple[int | None, int | None]:
    """What a slip says of its meter: before, and after the reset.

    A mystery bonus holds a fraction of a cent beside what it pays, which only its own record knows.
    """
    if award.meter is None or award.meter not in ledgers:
        return None, None
    ledger = ledgers[award.meter]
    if _alone(rules, award):
        seed_micro = next(rule.seed_micro for rule in rules.meters if rule.name == award.meter)
        fraction = (effect.before_micro or 0) % MICRO_OF_A_CENT
        return award.cents * MICRO_OF_A_CENT + fraction, seed_micro + fraction
    return ledger.shown_micro, _due_reset(rules, ledger, winners).value_micro
