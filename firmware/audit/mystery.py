"""The mystery bonus's money: what was asked about, who won, how much, and what belongs to the next amount.

Rules (629b.3(h), 631b.6, readings M1-M9):
* Every contribution of a round that stands is compared with the trigger, in order of acceptance, from what the meter
  held before them; only while the bonus is stopped none is taken and none compared.
* The first that lifts the meter above the revealed trigger wins what the meter holds with it, floored to the cent, and
  never more than the maximum. The fraction and the contributions behind it lie ahead: they are the next amount's.
* Whether the revealed trigger is the one committed to is proved by `tabled journal draws`.
"""

from __future__ import annotations

from collections.abc import Mapping

from firmware.audit.items import Checked, Page
from firmware.audit.ledger import MICRO_OF_A_CENT, Ledger
from firmware.audit.outcomes import MUST_HIT_BY, DueAward
from firmware.audit.snapshot import Snapshot
from firmware.audit.wagers import Place, name
from firmware.core.draw_events import TriggerHit
from firmware.core.effects import TestTrigger
from firmware.core.rules import MysteryRule, TableRules

Step = tuple[Place, int]
"""Whose contribution, and how many micro-dollars."""


class Mystery:
    """What a round's contributions to the bonus come to."""

    def __init__(self) -> None:
        self.stopped = False
        self.unwon: list[Step] = []  # this round's, in order of acceptance
        self._asked: list[Step] = []
        self._compared = 0  # how many of `unwon` have been compared with the trigger

    def go_on(self, opening: Snapshot) -> None:
        """With a round that another file began."""
        bonus = opening.mystery
        if bonus is None:
            return
        self.stopped = bool(bonus.reason)
        self.unwon = [
            ((w.position, w.wager), i.shown_micro)
            for w in opening.wagers
            for i in w.increments
            if i.meter == bonus.meter and not i.won
        ]
        if bonus.round == opening.round:
            self._asked = self.unwon[len(self.unwon) - len(bonus.batch) :]
            self._compared = len(self.unwon) - len(bonus.batch)

    def contributed(self, place: Place, micro: int) -> None:
        self.unwon.append((place, micro))

    def cancelled(self, place: Place) -> None:
        self.unwon = [step for step in self.unwon if step[0] != place]

    def asked(self, page: Page, rules: TableRules, ledger: Ledger, unpaid: bool, effect: TestTrigger) -> None:
        """The question names the contributions that must be compared, from where the meter stood."""
        if not effect.steps:
            return  # only whether the secret can be read
        page.compared(Checked.MYSTERY)
        subject = f"meter {effect.meter}"
        self._asked = self.unwon[-len(effect.steps) :]
        steps = tuple(micro for _, micro in self._asked)
        if steps != effect.steps:
            page.find(subject, "contributions compared with the trigger", steps, effect.steps)
        seed_micro = next(rule.seed_micro for rule in rules.meters if rule.name == effect.meter)
        holds = seed_micro + ledger.ahead_micro if unpaid else ledger.shown_micro
        if holds - sum(steps) != effect.from_micro:
            page.find(subject, "amount before these contributions", holds - sum(steps), effect.from_micro)

    def passed(self) -> None:
        """None of them lifted the meter above the trigger."""
        self._compared = len(self.unwon)

    def hit(self, page: Page, rule: MysteryRule, ledgers: Mapping[str, Ledger], event: TriggerHit) -> list[DueAward]:
        """The award that this hit must be; what it took can't be given back by the meter any more."""
        subject = f"meter {event.meter}"
        value = event.from_micro
        crossing = None
        for index, (_, micro) in enumerate(self._asked):
            value += micro
            if value > event.trigger_micro:
                crossing = index
                break
        if crossing != event.index:
            page.find(subject, "contribution that lifts it above the trigger", crossing, event.index)
        if crossing is None:
            return []
        if value > rule.must_hit_by_micro:
            page.find(subject, "amount won", f"at most {rule.must_hit_by_micro} micro-dollars", value)
        rest = self._asked[crossing + 1 :]
        place, _ = self._asked[crossing]
        ledgers[event.meter].ahead_micro = value % MICRO_OF_A_CENT + sum(micro for _, micro in rest)
        self.unwon = rest
        self._compared = 0
        return [
            DueAward(
                *place, MUST_HIT_BY, event.meter, value // MICRO_OF_A_CENT, rule.paid_by, rule.section, because_of=None
            )
        ]

    def lost(self) -> None:
        """The bonus has stopped: what the round has contributed stays on the meter."""
        self.stopped = True

    def resumed(self) -> None:
        self.stopped = False

    def round_ended(self, page: Page, meter: str) -> None:
        for place, micro in self.unwon[self._compared :]:
            if not self.stopped:
                wanted = f"{micro} micro-dollars compared with the trigger"
                page.find(f"meter {meter}", f"contribution of {name(place)}", wanted, "never")
        self.unwon.clear()
        self._asked = []
        self._compared = 0
