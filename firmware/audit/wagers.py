"""The wagers of the round under way, and what each of them has put into the meters.

Rules:
* An accepted wager is one of a configured spot, of that spot's value, once a round; where positions are dealt in, at
  one that is.
* It feeds every meter of its wager, once, with exactly its rate's share; nothing else feeds a meter.
* What it has fed goes back when it is cancelled or its round is void, to the micro-dollar and in that entry; nothing
  else takes a contribution back (X22).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from firmware.audit.items import Cause, Checked, MeterMoved, Page, Wagered, WagerReturned
from firmware.audit.ledger import NOTHING, Amounts, Ledger
from firmware.core.effects import (
    Contributed,
    ContributionCharged,
    ContributionReversed,
    WagerAccepted,
    WagerCancelled,
)
from firmware.core.rules import MeterRule, TableRules

Place = tuple[int, str]
"""Position and wager."""


@dataclass(slots=True)
class Standing:
    """An accepted wager."""

    cents: int
    due: dict[str, Amounts] = field(default_factory=dict)  # by meter: not yet contributed
    given: dict[str, Amounts] = field(default_factory=dict)  # by meter: contributed and not taken back
    won: set[str] = field(default_factory=set)  # meters of which a mystery hit has taken it since


class Wagers:
    """The accepted set of one round."""

    def __init__(self) -> None:
        self.standing: dict[Place, Standing] = {}
        self.dealt_in: set[int] = set()  # positions, where hands belong to positions
        self._fresh: list[Place] = []  # accepted in this entry
        self._cancelled: list[tuple[Place, Standing, str]] = []  # in this entry, and why
        self._reversed: list[ContributionReversed | ContributionCharged] = []  # in this entry

    def accepted(
        self,
        page: Page,
        rules: TableRules,
        ledgers: Mapping[str, Ledger],
        effect: WagerAccepted,
        resting: str | None,
    ) -> None:
        """`resting`: the meter that takes nothing now, a mystery bonus that is stopped."""
        place = (effect.position, effect.wager)
        subject = name(place)
        value = next((s.cents for s in rules.spots if (s.position, s.wager) == place), None)
        if value is None:
            page.find(subject, "wager accepted on a spot that is not configured", "no wager", f"{effect.cents} cents")
        elif value != effect.cents:
            page.find(subject, "wager accepted", f"{value} cents, the spot's value", f"{effect.cents} cents")
        if place in self.standing or (not rules.is_own(effect.wager) and effect.position in self.dealt_in):
            page.find(subject, "wager accepted twice in a round", "one wager", "a second one")
        if not rules.is_own(effect.wager):
            self.dealt_in.add(effect.position)
            return
        due = {
            rule.name: ledgers[rule.name].due_share(rule, effect.cents)
            for rule in rules.meters
            if feeds(rule, effect.wager, resting) and rule.name in ledgers
        }
        self.standing[place] = Standing(effect.cents, due)
        self._fresh.append(place)
        page.post(Wagered(effect.position, effect.wager, effect.cents))

    def contributed(self, page: Page, rules: TableRules, ledgers: Mapping[str, Ledger], effect: Contributed) -> None:
        page.compared(Checked.CONTRIBUTION)
        subject = f"meter {effect.meter}"
        found = _share(effect)
        wager = fed_by(rules, effect.meter)
        ledger = ledgers.get(effect.meter)
        if wager is None or ledger is None:
            page.find(subject, "contribution to a meter that the table does not have", "none", found)
            return
        place = (effect.position, wager)
        standing = self.standing.get(place)
        expected = None if standing is None else standing.due.pop(effect.meter, None)
        if standing is None or expected is None:
            why = "has no accepted wager" if standing is None else "has contributed already"
            page.find(subject, f"contribution of {name(place)}, which {why}", NOTHING, found)
        elif expected != found:
            page.find(subject, f"contribution of {name(place)}", expected, found)
        if standing is not None:
            standing.given[effect.meter] = found
        ledger.contribute(found)
        page.post(_moved(effect.meter, Cause.CONTRIBUTION, found, "wager accepted", place))

    def cancelled(self, page: Page, rules: TableRules, effect: WagerCancelled) -> None:
        place = (effect.position, effect.wager)
        if not rules.is_own(effect.wager):
            if effect.position not in self.dealt_in:
                page.find(name(place), "wager cancelled", "an accepted wager", "none stands")
            self.dealt_in.discard(effect.position)
            return
        standing = self.standing.pop(place, None)
        if standing is None:
            page.find(name(place), "wager cancelled", "an accepted wager", "none stands")
            return
        if standing.cents != effect.cents:
            page.find(name(place), "wager cancelled", f"{standing.cents} cents", f"{effect.cents} cents")
        self._cancelled.append((place, standing, f"cancelled: {effect.why}"))
        page.post(WagerReturned(effect.position, effect.wager, effect.cents, effect.why))

    def reversed(self, page: Page, ledgers: Mapping[str, Ledger], effect: ContributionReversed) -> None:
        """Whether it was due is known at the entry's end: a void says so after its reversals."""
        ledger = ledgers.get(effect.meter)
        if ledger is not None:
            ledger.reverse(_share(effect))
        self._reversed.append(effect)

    def charged(self, page: Page, ledgers: Mapping[str, Ledger], effect: ContributionCharged) -> None:
        """The house gives back what the meter can't."""
        ledger = ledgers.get(effect.meter)
        if ledger is not None:
            ledger.charge(effect.micro)
        self._reversed.append(effect)

    def entry_ends(self, page: Page, rules: TableRules, void: str | None) -> None:
        """`void`: which round was voided in this entry and why, None if none was. Finds what is not there."""
        for place in self._fresh:
            standing = self.standing.get(place)
            for meter, share in ({} if standing is None else standing.due).items():
                page.find(f"meter {meter}", f"contribution of {name(place)}", share, "no contribution")
            if standing is not None and rules.dealt_in_by and place[0] not in self.dealt_in:
                page.find(name(place), "wager accepted", f"a {rules.dealt_in_by} wager beside it", "none")
        self._fresh.clear()
        self._reversals(page, rules, void)
        if void is not None:
            for (position, wager), standing in self.standing.items():
                page.post(WagerReturned(position, wager, standing.cents, void))
            self.round_ended()

    def round_ended(self) -> None:
        """The next round begins without wagers."""
        self.standing.clear()
        self.dealt_in.clear()

    def _reversals(self, page: Page, rules: TableRules, void: str | None) -> None:
        if not (self._cancelled or self._reversed or void is not None):
            return
        back = list(self._cancelled)
        if void is not None:
            back += [(place, standing, void) for place, standing in self.standing.items()]
        stands = rules.table_readings().X22 == "refund_only"
        due = {
            (place, meter): (by_house(share) if meter in s.won or stands else share, why)
            for place, s, why in back
            for meter, share in s.given.items()
        }
        for effect in self._reversed:
            page.compared(Checked.REVERSAL)
            place = (effect.position, fed_by(rules, effect.meter) or "?")
            found = by_house(Amounts(effect.micro)) if isinstance(effect, ContributionCharged) else _share(effect)
            expected, why = due.pop((place, effect.meter), (NOTHING, "neither cancelled nor of a void round"))
            if expected != found:
                page.find(f"meter {effect.meter}", f"reversal for {name(place)}, {why}", expected, found)
            if isinstance(found, Amounts):
                page.post(_moved(effect.meter, Cause.REVERSAL, -found, why, place))
        for (place, meter), (share, why) in due.items():
            page.find(f"meter {meter}", f"reversal for {name(place)}, {why}", share, "no reversal")
        self._cancelled.clear()
        self._reversed.clear()


def fed_by(rules: TableRules, meter: str) -> str | None:
    """The wager that feeds a meter."""
    return next((rule.wager for rule in rules.meters if rule.name == meter), None)


def feeds(rule: MeterRule, wager: str, resting: str | None) -> bool:
    return rule.wager == wager and rule.name != resting


def by_house(share: Amounts) -> str:
    """How a reversal reads that the house bears."""
    return f"{share.total_micro} micro-dollars charged to the house"


def name(place: Place) -> str:
    return f"position {place[0]} {place[1]}"


def _share(effect: Contributed | ContributionReversed) -> Amounts:
    return Amounts(effect.shown_micro, effect.reserve_micro, effect.hidden_micro, effect.overflow_micro)


def _moved(meter: str, cause: Cause, share: Amounts, reason: str, place: Place) -> MeterMoved:
    return MeterMoved(meter, cause, share, reason, place[1], place[0])
