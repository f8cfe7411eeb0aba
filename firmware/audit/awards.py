"""Settlements and awards: each wager's outcome is worked out again from what was dealt, each award followed to its end.

Rules:
* What was dealt must be what the shoe's reader reported, or what the floorperson entered: a CONFIRM on the menu's line
  that names the card.
* A stage's outcomes are those of `settle` for these cards, these wagers and the meters as the audit has them, in the
  same order; the awards to validate are those among them.
* An award is validated once, while it is locked; a meter's awards are paid together by the reset of that meter, which
  pays their sum and nothing else; an award falls only with its round; none is left open when the round ends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from firmware.audit.items import AwardFell, AwardPaid, Cause, Checked, MeterMoved, Page, PaidOut, When
from firmware.audit.ledger import Ledger, Reset
from firmware.audit.wagers import Place, Standing, name
from firmware.core.baccarat import Hand
from firmware.core.cards import Card
from firmware.core.effects import (
    AwardLocked,
    AwardValidated,
    AwardVoided,
    MeterReset,
    RoundSettled,
    SettlementShown,
)
from firmware.core.errors import SettlementError
from firmware.core.rules import MeterRule, TableRules
from firmware.core.settlement import settle
from firmware.core.settlement_data import Offer, RoundToSettle, Settlement
from firmware.core.state import AwardStatus
from firmware.core.wagers.games import GAMES
from firmware.core.wagers.two_hands import TwoHands
from firmware.core.wagers.wager import PlacedWager, Stage, Table


@dataclass(slots=True)
class OnRecord:
    """An award as the journal has it."""

    id: int
    position: int
    wager: str
    line: str
    meter: str | None
    cents: int
    status: AwardStatus


class Settlements:
    """What the round under way was settled to, and its awards."""

    def __init__(self, next_award: int) -> None:
        self.next_award = next_award
        self.awards: dict[int, OnRecord] = {}
        self.shown: list[tuple[SettlementShown, When]] = []
        self.stages: list[Stage] = []
        self._held_over: list[str] = []  # each opens the Player hand of this round or the next
        self._held_over_new: list[str] = []  # those that came in this round
        self._read: dict[Hand, Counter[str]] = {hand: Counter() for hand in Hand}
        self._entered: Counter[str] = Counter()  # by the floorperson, in this round
        self._outcomes_due: list[SettlementShown] = []
        self._awards_due: list[Settlement] = []

    # --- evidence -----------------------------------------------------------------------------------------------------

    def card_read(self, hand: Hand, card: str | None) -> None:
        if card is not None:
            self._read[hand][card] += 1

    def card_held_over(self, card: str) -> None:
        self._held_over.append(card)
        self._held_over_new.append(card)

    def card_entered(self, card: str) -> None:
        self._entered[card] += 1

    def _check_cards(self, page: Page, effect: RoundSettled) -> None:
        read = {hand: Counter(cards) for hand, cards in self._read.items()}
        read[Hand.PLAYER].update(self._held_over)
        entered = Counter(self._entered)
        for hand, cards in ((Hand.PLAYER, effect.player), (Hand.BANKER, effect.banker)):
            page.compared(Checked.CARD, len(cards))
            unread = Counter(cards) - read[hand]
            unknown = unread - entered
            entered -= unread
            if unknown:
                page.find(
                    f"round {effect.round}",
                    f"{hand} hand settled",
                    "cards that were read or entered",
                    f"{' '.join(unknown.elements())}, which nobody read or entered",
                )

    # --- settlement ---------------------------------------------------------------------------------------------------

    def settled(
        self,
        page: Page,
        rules: TableRules,
        ledgers: Mapping[str, Ledger],
        standing: Mapping[Place, Standing],
        effect: RoundSettled,
    ) -> None:
        """Work the stage out anew; the outcomes that follow in the entry are compared with it."""
        self._check_cards(page, effect)
        if effect.stage in self.stages:
            page.find(f"round {effect.round}", f"stage {effect.stage} settled", "once", "again")
        self.stages.append(effect.stage)
        try:
            done = settle(_round(rules, ledgers, standing, effect), rules.catalogue, effect.stage)
        except (SettlementError, ValueError) as error:
            page.find(f"round {effect.round}", f"stage {effect.stage} settled", "cards that settle", error)
            return
        self._outcomes_due = [_as_shown(one) for one in done.settlements]
        self._awards_due = [one for one in done.settlements if one.validation and one.line is not None]

    def outcome(self, page: Page, effect: SettlementShown) -> None:
        page.compared(Checked.SETTLEMENT)
        expected = self._outcomes_due.pop(0) if self._outcomes_due else None
        if expected != effect:
            subject = name((effect.position, effect.wager))
            page.find(subject, "settled", "no outcome" if expected is None else _say(expected), _say(effect))
        self.shown.append((effect, page.when))

    def locked(self, page: Page, effect: AwardLocked) -> None:
        page.compared(Checked.AWARD)
        subject = f"award {effect.award}"
        if effect.award != self.next_award:
            page.find(subject, "award's number", self.next_award, effect.award)
        self.next_award = effect.award + 1
        found = (effect.position, effect.wager, effect.line, effect.meter, effect.cents)
        due = self._awards_due.pop(0) if self._awards_due else None
        expected = None if due is None else (due.position, due.wager, due.line, due.meter, due.award_cents)
        if expected != found:
            page.find(subject, "award", "none" if expected is None else _say_award(*expected), _say_award(*found))
        self.awards[effect.award] = OnRecord(effect.award, *found, AwardStatus.LOCKED)

    # --- what becomes of an award -------------------------------------------------------------------------------------

    def validated(self, page: Page, effect: AwardValidated) -> None:
        award = self._in_status(page, effect.award, "validated")
        if award is not None:
            award.status = AwardStatus.VALIDATED if award.meter is not None else AwardStatus.PAID
            if award.meter is None:
                page.post(AwardPaid(award.id, None, award.cents))

    def fell(self, page: Page, effect: AwardVoided) -> None:
        award = self._in_status(page, effect.award, "voided")
        if award is not None:
            award.status = AwardStatus.VOIDED
            page.post(AwardFell(award.id, award.cents))

    def _in_status(self, page: Page, number: int, what: str) -> OnRecord | None:
        award = self.awards.get(number)
        if award is None:
            page.find(f"award {number}", f"award {what}", "an award of this round", "none of this number")
        elif award.status is not AwardStatus.LOCKED:
            page.find(f"award {number}", f"award {what}", "a locked award", f"it is {award.status}")
        return award

    def reset(self, page: Page, rules: TableRules, ledgers: Mapping[str, Ledger], effect: MeterReset) -> None:
        """A won meter returns to its seed, and its awards are paid with that."""
        page.compared(Checked.RESET)
        subject = f"meter {effect.meter}"
        rule = next((rule for rule in rules.meters if rule.name == effect.meter), None)
        ledger = ledgers.get(effect.meter)
        if rule is None or ledger is None:
            page.find(subject, "reset of a meter that the table does not have", "none", f"{effect.paid_cents} cents")
            return
        mine = [award for award in self.awards.values() if award.meter == effect.meter]
        if any(award.status is AwardStatus.LOCKED for award in mine):
            page.find(subject, "reset", "all its awards validated", "an award is not validated")
        paid = [award for award in mine if award.status is AwardStatus.VALIDATED]
        if not paid:
            page.find(subject, "reset", "a validated award", "none")
        done = Reset(effect.paid_cents, effect.from_reserve_micro, effect.from_house_micro, effect.value_micro)
        due = _due_reset(rules, rule, ledger, sum(award.cents for award in paid))
        for what, unit in (
            ("paid", "cents"),
            ("from_reserve", "micro"),
            ("from_house", "micro"),
            ("value", "micro"),
        ):
            expected, found = getattr(due, f"{what}_{unit}"), getattr(done, f"{what}_{unit}")
            if expected != found:
                unit_name = "cents" if unit == "cents" else "micro-dollars"
                page.find(
                    subject, f"reset: {what.replace('_', ' the ')}", f"{expected} {unit_name}", f"{found} {unit_name}"
                )
        ledger.reset(done)
        self._post_reset(page, effect, paid)

    def _post_reset(self, page: Page, effect: MeterReset, paid: Sequence[OnRecord]) -> None:
        meter = effect.meter
        for award in paid:
            award.status = AwardStatus.PAID
            page.post(AwardPaid(award.id, meter, award.cents))
        said = "; ".join(f"award {a.id}: {name((a.position, a.wager))}, {a.line}" for a in paid) or "no award"
        page.post(MeterMoved(meter, Cause.AWARD, -effect.paid_cents * 10_000, 0, said))
        if effect.from_reserve_micro:
            moved = effect.from_reserve_micro
            page.post(MeterMoved(meter, Cause.FROM_RESERVE, moved, -moved, f"reseed after {said}"))
        if effect.from_house_micro:
            page.post(MeterMoved(meter, Cause.FROM_HOUSE, effect.from_house_micro, 0, f"reseed after {said}"))

    # --- ends ---------------------------------------------------------------------------------------------------------

    def entry_ends(self, page: Page) -> None:
        for missing in self._outcomes_due:
            page.find(name((missing.position, missing.wager)), "settled", _say(missing), "no outcome")
        for due in self._awards_due:
            wanted = _say_award(due.position, due.wager, due.line, due.meter, due.award_cents)
            page.find(name((due.position, due.wager)), "award", wanted, "no award was locked")
        self._outcomes_due, self._awards_due = [], []

    def voided(self, page: Page, round_: int) -> None:
        """The round is void: what it was settled to is nothing."""
        for award in self.awards.values():
            if award.status is not AwardStatus.VOIDED:
                page.find(
                    f"award {award.id}", f"round {round_} voided", "the award falls with it", f"it is {award.status}"
                )
        self.shown.clear()

    def round_ended(self, page: Page, round_: int, standing: Mapping[Place, Standing]) -> None:
        """What the wagers came to is posted, and the next round begins with nothing."""
        for award in self.awards.values():
            if award.status in (AwardStatus.LOCKED, AwardStatus.VALIDATED):
                page.find(
                    f"award {award.id}", f"round {round_} ended", "an award paid or void", f"it is {award.status}"
                )
        outcomes = {(one.position, one.wager): (one, when) for one, when in self.shown}
        numbers = {(a.position, a.wager): a.id for a in self.awards.values() if a.status is AwardStatus.PAID}
        for place, wager in standing.items():
            if place not in outcomes:
                page.find(name(place), f"round {round_} ended", "the wager settled or returned", "neither")
                continue
            one, when = outcomes[place]
            page.post(
                PaidOut(
                    round_, one.position, one.wager, one.result, one.line, wager.cents, one.award_cents,
                    one.stake_returned_cents, one.meter, numbers.get(place), when,
                )
            )  # fmt: skip
        self.awards.clear()
        self.shown.clear()
        self.stages.clear()
        self._read = {hand: Counter() for hand in Hand}
        self._held_over, self._held_over_new = self._held_over_new, []
        self._entered.clear()


def _due_reset(rules: TableRules, rule: MeterRule, ledger: Ledger, paid_cents: int) -> Reset:
    return ledger.due_reset(rule.seed_micro, paid_cents, reseeds_with_reserve=rules.chosen_readings().X17 == "max")


def _round(
    rules: TableRules,
    ledgers: Mapping[str, Ledger],
    standing: Mapping[Place, Standing],
    effect: RoundSettled,
) -> RoundToSettle[TwoHands]:
    return RoundToSettle(
        game=GAMES[rules.game],
        table=Table(
            rules.decks,
            {c.position: frozenset({Card.parse(c.king), Card.parse(c.nine)}) for c in rules.combinations},
        ),
        offered={offer.wager: Offer(offer.paytable) for offer in rules.offers},
        wagers=tuple(PlacedWager(position, wager, s.cents) for (position, wager), s in standing.items()),
        dealt=TwoHands(_cards(effect.player), _cards(effect.banker)),
        meters={meter: ledger.shown_micro for meter, ledger in ledgers.items()},
        seeds={rule.name: rule.seed_micro for rule in rules.meters},
        reserves={meter: ledger.reserve_micro for meter, ledger in ledgers.items()},
        readings=rules.chosen_readings(),
    )


def _cards(texts: Iterable[str]) -> tuple[Card, ...]:
    return tuple(Card.parse(text) for text in texts)


def _as_shown(one: Settlement) -> SettlementShown:
    return SettlementShown(
        one.position, one.wager, one.result, one.line, one.award_cents, one.stake_returned_cents, one.meter
    )


def _say(one: SettlementShown) -> str:
    source = f" from {one.meter}" if one.meter else ""
    return (
        f"{name((one.position, one.wager))}: {one.result} {one.line or '-'}, {one.award_cents} cents{source}, "
        f"{one.stake_returned_cents} cents of stake back"
    )


def _say_award(position: int, wager: str, line: str | None, meter: str | None, cents: int) -> str:
    return f"{name((position, wager))} {line}, {cents} cents{f' from {meter}' if meter else ''}"
