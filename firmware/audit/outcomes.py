"""Outcomes: each wager's is worked out again from what was dealt, and what was dealt is held against who saw it.

Rules:
* What was dealt must be what the shoe's reader reported, or what the floorperson entered: a CONFIRM on the menu's line
  that names the card.
* A stage's outcomes are those of `settle` for these cards, these wagers and the meters as the audit has them, in the
  same order; the awards to lock are those of them that need validation, and every envy bonus (X19-X21, X25).
* A wager that stands when its round ends has an outcome.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import Any

from msgspec import Struct

from firmware.audit.items import Checked, Page, When
from firmware.audit.ledger import Ledger
from firmware.audit.snapshot import Snapshot
from firmware.audit.spins import Spins
from firmware.audit.wagers import Place, Standing, name
from firmware.core.baccarat import Hand
from firmware.core.effects import RoundSettled, SettlementShown
from firmware.core.errors import SettlementError
from firmware.core.rounds.settling import table_of
from firmware.core.rules import TableRules
from firmware.core.settlement import settle
from firmware.core.settlement_data import Offer, PaidBy, RoundToSettle, SettledRound, Settlement
from firmware.core.shown import SpunShown
from firmware.core.wagers.games import GAMES
from firmware.core.wagers.wager import PlacedWager, Stage

ENVY_BONUS = "envy_bonus"
"""What stands for the line of an award that is owed for another position's hand."""

MUST_HIT_BY = "must_hit_by"
"""The line of a mystery bonus."""


class DueAward(Struct, frozen=True):
    """An award that must be locked."""

    position: int
    wager: str
    line: str
    meter: str | None
    cents: int
    paid_by: PaidBy
    section: str
    because_of: int | None

    def __str__(self) -> str:
        source = f" from {self.meter}" if self.meter else ""
        why = f" because of position {self.because_of}" if self.because_of is not None else ""
        return (
            f"{name((self.position, self.wager))} {self.line}, {self.cents} cents{source} by {self.paid_by}{why}, "
            f"{self.section}"
        )


class Outcomes:
    """What the round under way was settled to."""

    def __init__(self) -> None:
        self.shown: dict[Place, tuple[SettlementShown, When]] = {}
        self.cards: tuple[str, ...] = ()  # that lay open when a stage was settled last
        self._stages: list[Stage] = []
        self._due: list[SettlementShown] = []
        self._read: defaultdict[str, Counter[str]] = defaultdict(Counter)  # by hand, where the reader names it
        self._scanned: Counter[str] = Counter()  # by a reader that names no hand
        self._entered: Counter[str] = Counter()  # by the floorperson
        self.spins = Spins()
        self._held_over: list[str] = []  # each opens this round or the next
        self._held_over_new: list[str] = []  # those that came in this round

    def go_on(self, page: Page, opening: Snapshot) -> None:
        """With a round that another file began: what it says was dealt and settled is taken from there."""
        rows = () if opening.game is None else opening.game.rows()
        for hand, cards in rows:
            self._read[hand].update(cards)
        if opening.held_over is not None:
            self.card_held_over(opening.held_over)
        if opening.wheel is not None:
            game = opening.game
            drawn = (None, None) if game is None else (game.draw, game.drawn_odds)
            self.spins.go_on(opening.before(), *drawn)
        self.cards = () if opening.game is None else opening.game.lying_open()
        self._stages = list(opening.settled)
        self.shown = {(one.position, one.wager): (one.shown(), page.when) for one in opening.outcomes}

    # --- evidence -----------------------------------------------------------------------------------------------------

    def card_read(self, hand: Hand, card: str | None) -> None:
        if card is not None:
            self._read[hand.title()][card] += 1

    def number_told(self, pockets: Iterable[str]) -> None:
        """By a reader of the wheel, in doubt or not."""
        told = tuple(pocket for pocket in pockets if pocket)
        self._read["Number"].update(told)
        self.spins.told(told)

    def card_scanned(self, card: str) -> None:
        self._scanned[card] += 1

    def card_held_over(self, card: str) -> None:
        self._held_over.append(card)
        self._held_over_new.append(card)

    def card_entered(self, card: str) -> None:
        self._entered[card] += 1

    def _check_cards(self, page: Page, effect: RoundSettled) -> None:
        read = {hand: Counter(cards) for hand, cards in self._read.items()}
        read.setdefault(effect.shown.opened_by(), Counter()).update(self._held_over)
        without_hand = self._scanned + self._entered
        for hand, cards in effect.shown.rows():
            page.compared(Checked.CARD, len(cards))
            unread = Counter(cards) - read.get(hand, Counter())
            unknown = unread - without_hand
            without_hand -= unread
            if unknown:
                said = f"{' '.join(unknown.elements())}, which nobody read or entered"
                page.find(f"round {effect.round}", f"{hand} hand settled", "cards that were read or entered", said)

    # --- settlement ---------------------------------------------------------------------------------------------------

    def settled(
        self,
        page: Page,
        rules: TableRules,
        ledgers: Mapping[str, Ledger],
        standing: Mapping[Place, Standing],
        effect: RoundSettled,
    ) -> tuple[DueAward, ...]:
        """Work a stage out anew; the outcomes that follow in the entry are compared with it. Returns its awards."""
        self._check_cards(page, effect)
        self.cards = tuple(card for _, cards in effect.shown.rows() for card in cards)
        if isinstance(effect.shown, SpunShown):
            self.spins.settled(page, f"round {effect.round}", effect.shown)
        if effect.stage in self._stages:
            page.find(f"round {effect.round}", f"stage {effect.stage} settled", "once", "again")
        self._stages.append(effect.stage)
        try:
            done = settle(_round(rules, ledgers, standing, effect), rules.catalogue, effect.stage)
        except (SettlementError, ValueError) as error:
            page.find(f"round {effect.round}", f"stage {effect.stage} settled", "cards that settle", error)
            return ()
        self._due = [_as_shown(one) for one in done.settlements]
        return tuple(_awards(rules, done))

    def outcome(self, page: Page, effect: SettlementShown) -> None:
        page.compared(Checked.SETTLEMENT)
        expected = self._due.pop(0) if self._due else None
        if expected != effect:
            subject = name((effect.position, effect.wager))
            page.find(subject, "settled", "no outcome" if expected is None else _say(expected), _say(effect))
        self.shown[effect.position, effect.wager] = (effect, page.when)

    def entry_ends(self, page: Page) -> None:
        for missing in self._due:
            page.find(name((missing.position, missing.wager)), "settled", _say(missing), "no outcome")
        self._due = []

    def voided(self) -> None:
        """The round is void: what it was settled to is nothing."""
        self.shown.clear()

    def round_ended(self) -> None:
        """The next round begins with nothing but a card that was held over."""
        self.shown.clear()
        self.cards = ()
        self._stages.clear()
        self.spins.round_ended()
        self._read.clear()
        self._scanned.clear()
        self._entered.clear()
        self._held_over, self._held_over_new = self._held_over_new, []


def _awards(rules: TableRules, done: SettledRound) -> Iterable[DueAward]:
    for one in done.settlements:
        if one.validation and one.line is not None:
            by = _paid_by(rules, one.meter, one.award_cents)
            yield DueAward(
                one.position, one.wager, one.line, one.meter, one.award_cents, by, one.section, because_of=None
            )
    for envy in done.envy:
        by = _paid_by(rules, None, envy.award_cents)
        yield DueAward(envy.position, envy.wager, ENVY_BONUS, None, envy.award_cents, by, envy.section, envy.because_of)


def _paid_by(rules: TableRules, meter: str | None, cents: int) -> PaidBy:
    """A meter's award is never paid from the table inventory (X19)."""
    if meter is not None:
        return PaidBy.SLIP
    limit = rules.awards.inventory_limit_cents
    return PaidBy.TABLE_INVENTORY if limit is None or cents <= limit else PaidBy.SLIP


def _round(
    rules: TableRules, ledgers: Mapping[str, Ledger], standing: Mapping[Place, Standing], effect: RoundSettled
) -> RoundToSettle[Any]:
    mystery = None if rules.mystery is None else rules.mystery.meter
    paid = [rule for rule in rules.meters if rule.name != mystery]
    return RoundToSettle(
        game=GAMES[rules.game],
        table=table_of(rules),
        offered={offer.wager: Offer(offer.paytable) for offer in rules.offers},
        wagers=tuple(PlacedWager(position, wager, s.cents) for (position, wager), s in standing.items()),
        dealt=effect.shown.world(),
        meters={rule.name: ledgers[rule.name].shown_micro for rule in paid},
        seeds={rule.name: rule.reseed_micro for rule in paid if rule.reseed_micro is not None},
        reserves={rule.name: ledgers[rule.name].reserve_micro for rule in paid},
        readings=rules.chosen_readings(),
        validated_over_for_one=rules.awards.validated_over_for_one,
    )


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
