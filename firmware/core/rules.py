"""What is fixed while a segment of the journal lasts: the table's rules, as the core needs them.

Built from the configuration (the casino's Rules Submission) by `firmware/settings`, written whole into the journal's
segment header, and rebuilt from there for a replay; so a replay needs no file but the journal.
"""

from __future__ import annotations

from collections.abc import Container

from msgspec import Struct

from firmware.core.chances import Pick
from firmware.core.order_data import Overflow
from firmware.core.paytables import Catalogue
from firmware.core.readings import ALLOWED, Readings, TableReadings
from firmware.core.settlement_data import PaidBy
from firmware.core.stored import Stored

NS_PER_MS = 1_000_000


class SpotRule(Struct, frozen=True):
    """One sensed betting spot: one wager at one position; a chip on it is worth `cents`."""

    position: int  # from 1, numbered from the dealer's left
    wager: str
    cents: int
    device: str = ""  # the line device that senses it; "" in journals from before there could be several


class OfferRule(Struct, frozen=True):
    """One wager that the table offers. Not `sensed`: it is called, its winning line is only shown."""

    wager: str
    paytable: str
    sensed: bool
    progressive: bool
    minimum_cents: int


class MeterRule(Stored, frozen=True):
    """One progressive meter. Rates are parts per million of the wager, amounts millionths of a dollar."""

    name: str  # "royal_9.mega"
    wager: str  # the wager that feeds it
    seed_micro: int  # first value
    increment_ppm: int
    reserve_ppm: int
    reseed_micro: int | None  # value after a win; None: what the reserve holds (X16)
    hidden_ppm: int = 0
    limit_micro: int | None = None  # the most that is shown; None: no limit
    overflow: Overflow = Overflow.RESEED


class MysteryRule(Struct, frozen=True):
    """The must-hit-by bonus. Its seed and rate stand in the `MeterRule` of its meter: the seed is the minimum."""

    meter: str
    wager: str  # the progressive wager that feeds it
    configuration: str  # as the section names it
    section: str
    must_hit_by_micro: int  # the paid meter is never more
    largest_micro: int  # the largest contribution that a single wager can make
    paid_by: PaidBy  # the Rules Submission's choice (631b.6(c)(6), X19)


class Combination(Struct, frozen=True):
    """The King and the nine printed in front of a position (627b.3(e)(5))."""

    position: int
    king: str
    nine: str


class AwardRule(Struct, frozen=True):
    """How this house handles awards (X19, X20). A meter's is always validated and always paid by slip."""

    validated_over_for_one: int = 200  # a progressive line that pays more for 1 waits for the floorperson
    inventory_limit_cents: int | None = None  # a fixed award over it is paid by slip; None: no limit


class ReaderRule(Struct, frozen=True):
    """What the table's card reader says beside the cards; what it does not say, people say by the keys."""

    burns: bool = True  # tells burned cards from dealt ones
    cut_card: bool = True
    result: bool = True  # has a result of its own, for the cross-check
    scans_again: bool = False  # reads a card outside the shoe, which may pass it twice: a scan is no card drawn


class LampRule(Struct, frozen=True):
    """What this house makes of lamps that do not light. That a string is away closes wagering where its device is one
    of `TableRules.devices`."""

    opening_test: bool = False  # at each opening the dealer says whether every lamp is lit
    dark_keeps_closed: bool = True  # a lamp that is not: the table stays closed; else it opens and the fault is noted


class Timing(Struct, frozen=True):
    """What the core knows of time at the lines: the parts of the decision window, in milliseconds."""

    present_ms: int = 60
    lateness_ms: int = 100

    @property
    def window_ns(self) -> int:
        """How long after the press the accepted set is final."""
        return (self.present_ms + self.lateness_ms) * NS_PER_MS


class ReadingRule(Struct, frozen=True):
    """A reading of an unclear rule that the Rules Submission sets otherwise than the default."""

    id: str
    value: str


class TableRules(Struct, frozen=True):
    """Everything that the core may ask about this table."""

    table_id: str
    game: str
    decks: int
    positions: int
    offers: tuple[OfferRule, ...]
    spots: tuple[SpotRule, ...]
    meters: tuple[MeterRule, ...]
    combinations: tuple[Combination, ...]
    readings: tuple[ReadingRule, ...]
    timing: Timing
    rounds_after_cut: int  # rounds dealt after the one in which the cut card came (a house setting, usually 1)
    devices: tuple[str, ...]  # names of the devices without which betting does not open
    line_devices: tuple[str, ...]  # those of them that sense buttons and keys (and spots, where one does both)
    card_readers: tuple[str, ...]  # those of them that read the cards
    catalogue: Catalogue  # the paytables named in `offers`, whole
    awards: AwardRule = AwardRule()
    identity_checked: bool = False  # a manifest is configured: no wagers before what runs is known
    mystery: MysteryRule | None = None
    reader: ReaderRule = ReaderRule()
    declared_suit: str = ""  # the suit that the house declared (633b.17(g)); "" where no wager asks for one
    dealt_in_by: str = ""  # the wager that says which positions are dealt in, "" where hands belong to no position;
    # its chips are sensed for that alone: what it wins is not this table's system's matter
    fresh_deck: bool = False  # every round is dealt from a whole deck: what was seen before counts no more
    lamps: LampRule = LampRule()
    wheel: str = ""  # "single_zero" or "double_zero"; "" where the game has none
    wheels: tuple[str, ...] = ()  # what reads the wheel: each must say the number
    picks: tuple[Pick, ...] = ()  # what the game draws, by the wager's name, with the weights of the Rules Submission
    spot_devices: tuple[str, ...] = ()  # line devices that sense spots and no key: only their own positions need them

    @property
    def has_shoe(self) -> bool:
        """Whether the game is played with cards."""
        return not self.wheel

    def meter_rule(self, name: str) -> MeterRule:
        """The parameters of a meter, which the table must have."""
        return next(rule for rule in self.meters if rule.name == name)

    def is_own(self, wager: str) -> bool:
        """Whether a wager is one that this system settles, unlike that by which positions are dealt in."""
        return wager != self.dealt_in_by

    def sensed_by(self, devices: Container[str]) -> tuple[SpotRule, ...]:
        """The spots that these line devices sense."""
        return tuple(spot for spot in self.spots if spot.device in devices)

    def paytable_meters(self) -> tuple[MeterRule, ...]:
        """The meters that lines of paytables pay, which are all that `settle` knows: a mystery bonus is won by a
        contribution, not by cards."""
        return tuple(meter for meter in self.meters if self.mystery is None or meter.name != self.mystery.meter)

    def chosen_readings(self) -> Readings:
        """Every reading of settlement as this table takes it. Raises SettlementError for one that `check` would have
        refused."""
        return Readings.choose({r.id: r.value for r in self.readings if r.id in ALLOWED})

    def table_readings(self) -> TableReadings:
        """Every reading that only a live table has. Raises as `chosen_readings`."""
        return TableReadings.choose({r.id: r.value for r in self.readings if r.id not in ALLOWED})
