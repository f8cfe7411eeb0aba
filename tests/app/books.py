"""A second account of every meter: from the table's file and from what happened, in a bookkeeper's words.

Rules: nothing of the firmware's reckoning is used, neither its rates nor its meters. What is taken from the records is
only what people at the table saw too: which wagers stood, what was won, what was corrected. Amounts are millionths of
a dollar; rates and seeds come from the configuration's text.
"""

from __future__ import annotations

import copy
import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal

from firmware.core import effects as fx
from firmware.core import order_effects as ofx
from firmware.core.effects import Effect
from firmware.core.state import State

MICRO = 1_000_000
MICRO_PER_CENT = 10_000


class BooksDiffer(AssertionError):
    """The table's meters are not what the bookkeeper has."""


@dataclass
class Page:
    """One meter."""

    seed: int
    increment: Decimal  # per cent of a wager
    reserve_rate: Decimal
    shown: int
    reserve: int = 0
    house: int = 0  # put in by the house: seeds
    contributed: int = 0
    reversed: int = 0
    paid: int = 0
    corrected: int = 0  # by orders, up less down
    wagers: int = 0
    hits: int = 0
    won_cents: list[int] = field(default_factory=list)  # of this round, not yet reset

    def share(self, cents: int) -> tuple[int, int]:
        micro = cents * MICRO_PER_CENT
        shown, reserve = (int(micro * rate / 100) for rate in (self.increment, self.reserve_rate))
        return shown, reserve


@dataclass
class Bets:
    """All bets on one wager since the books began; none of it ever falls."""

    wagers: int = 0
    cents: int = 0
    voided_wagers: int = 0
    voided_cents: int = 0
    attendant_cents: int = 0  # awards paid, each validated by a floorperson


class Books:
    """What was bet on every wager, and the meters of one, which each belong to the whole table."""

    def __init__(self, table_text: str, wager: str) -> None:
        table = tomllib.loads(table_text)
        self.wager = wager
        self.cents = int(Decimal(table["wagers"][wager]["chip"]) * 100)
        self.pages: dict[str, Page] = {}
        for name, values in table["meters"].items():
            seed = int(Decimal(values["seed"]) * MICRO)
            page = Page(seed, Decimal(values["increment"]), Decimal(values["reserve"]), shown=seed, house=seed)
            self.pages[name] = page
        self.bets = {name: Bets() for name in table["wagers"]}
        self.standing: dict[tuple[int, str], int] = {}  # this round's wagers, in cents
        self.awards: dict[int, fx.AwardLocked] = {}  # locked, not yet paid
        self.accepted = 0  # wagers of every kind
        self.voids = 0

    def copy(self) -> Books:
        return copy.deepcopy(self)

    def note(self, effects: Iterable[Effect]) -> None:
        for effect in effects:
            match effect:
                case fx.WagerAccepted():
                    self.accepted += 1
                    self.standing[effect.position, effect.wager] = effect.cents
                    bets = self.bets[effect.wager]
                    bets.wagers += 1
                    bets.cents += effect.cents
                    if effect.wager == self.wager:
                        self._stake(1)
                case fx.WagerCancelled():
                    self._give_back(effect.position, effect.wager)
                case fx.RoundVoided():
                    self.voids += 1
                    for position, wager in tuple(self.standing):
                        self._give_back(position, wager)
                    for page in self.pages.values():
                        page.won_cents.clear()
                    self.awards.clear()
                case fx.AwardLocked():
                    self.awards[effect.award] = effect
                    if effect.meter is not None:
                        self._won(effect.meter, effect.cents)
                case fx.AwardPaid():
                    award = self.awards.pop(effect.award)
                    self.bets[award.wager].attendant_cents += award.cents
                case fx.MeterReset():
                    self._reset(effect.meter)
                case ofx.MeterCorrected():
                    page = self.pages[effect.meter]
                    setattr(page, effect.account, effect.becomes_micro)
                    page.corrected += effect.becomes_micro - effect.was_micro
                case fx.RoundEnded():
                    self.standing.clear()

    def _give_back(self, position: int, wager: str) -> None:
        cents = self.standing.pop((position, wager))
        self.bets[wager].voided_wagers += 1
        self.bets[wager].voided_cents += cents
        if wager == self.wager:
            self._stake(-1)

    def _stake(self, times: int) -> None:
        for page in self.pages.values():
            shown, reserve = page.share(self.cents)
            page.shown += times * shown
            page.reserve += times * reserve
            if times > 0:
                page.contributed += shown + reserve
                page.wagers += 1
            else:
                page.reversed += shown + reserve

    def _won(self, meter: str, cents: int) -> None:
        """A Royal 9 meter has one winner: all of it, to the cent below."""
        page = self.pages[meter]
        page.won_cents.append(cents)
        if page.won_cents != [page.shown // MICRO_PER_CENT]:
            raise BooksDiffer(f"{meter} holds {page.shown}, won were {page.won_cents} cents")

    def _reset(self, meter: str) -> None:
        page = self.pages[meter]
        (cents,) = page.won_cents
        page.won_cents.clear()
        page.paid += cents * MICRO_PER_CENT
        fraction = page.shown - cents * MICRO_PER_CENT
        from_reserve = min(page.reserve, page.seed)
        page.reserve -= from_reserve
        page.house += page.seed - from_reserve
        page.shown = page.seed + fraction
        page.hits += 1

    def compare(self, state: State) -> None:
        """Raises BooksDiffer at the first account that is not the same, or does not add up here."""
        for tally in state.tallies:
            said = Bets(
                tally.wagers, tally.coin_in_cents, tally.voided_wagers, tally.voided_cents, tally.attendant_paid_cents
            )
            if said != self.bets[tally.wager]:
                raise BooksDiffer(f"{tally.wager}: the table has {tally}, the books have {self.bets[tally.wager]}")
        for meter in state.meters:
            page = self.pages[meter.name]
            theirs = (
                meter.shown_micro, meter.reserve_micro, meter.seeded_micro, meter.contributed_micro,
                meter.reversed_micro, meter.paid_micro, meter.corrected_up_micro - meter.corrected_down_micro,
                meter.wagers, meter.hits,
            )  # fmt: skip
            ours = (
                page.shown, page.reserve, page.house, page.contributed, page.reversed, page.paid, page.corrected,
                page.wagers, page.hits,
            )  # fmt: skip
            if theirs != ours:
                raise BooksDiffer(f"{meter.name}: the table has {meter}, the books have {page}")
            came, went = page.house + page.contributed + page.corrected, page.paid + page.reversed
            if came != page.shown + page.reserve + went:
                raise BooksDiffer(f"{meter.name}: came in {came}, held and went out: {page}")
