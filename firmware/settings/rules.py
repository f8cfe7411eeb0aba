"""Turns a checked configuration into what the core knows of the table: `TableRules`, in exact integers.

It asks no more than the core does; `check` has said before that the figures are allowed.
"""

from __future__ import annotations

from firmware.core.pays import FromReserve
from firmware.core.paytables import Catalogue, Seed
from firmware.core.readings import ALLOWED, TableReadings
from firmware.core.rules import (
    AwardRule,
    Combination,
    MeterRule,
    OfferRule,
    ReadingRule,
    SpotRule,
    TableRules,
    Timing,
)
from firmware.settings.model import Meter, Settings

INDISPENSABLE = ("lines", "shoe", "lamps", "board")
"""Roles without which wagering is not open: nothing is sensed, nothing is dealt, no acceptance is acknowledged
(627b.3(a)(1)), no meter is seen (605a.7(a)(1)). A dark dealer display is a fault, but the panel and the lamps still
work. A round in play goes on whatever fails."""


def to_rules(settings: Settings, catalogue: Catalogue) -> TableRules:
    """The table's rules. Raises SettlementError for a wager or paytable that `check` would have refused."""
    table = settings.table
    paytables = {
        wager: catalogue.paytable(table.game, wager, offer.paytable) for wager, offer in settings.wagers.items()
    }
    offers = tuple(
        OfferRule(
            wager=wager,
            paytable=offer.paytable,
            sensed=offer.sensed,
            progressive=paytables[wager].progressive,
            minimum_cents=offer.minimum_cents,
        )
        for wager, offer in settings.wagers.items()
    )
    spots = tuple(
        SpotRule(position=position, wager=wager, cents=offer.chip_cents)
        for wager, offer in settings.wagers.items()
        for position, _ in enumerate(offer.spots, start=1)
    )
    readings = tuple(ReadingRule(id, value) for id, value in settings.rules_submission.readings.items())
    from_reserve = TableReadings.choose({r.id: r.value for r in readings if r.id not in ALLOWED}).X16 == "pool"
    meters = tuple(
        _meter(name, wager, settings.meters[name], paytable.seed(name, table.decks), from_reserve)
        for wager, paytable in paytables.items()
        for name in paytable.meters
    )
    return TableRules(
        table_id=table.id,
        game=table.game,
        decks=table.decks,
        positions=table.positions,
        offers=offers,
        spots=spots,
        meters=meters,
        combinations=tuple(_combination(int(position), cards) for position, cards in settings.combinations.items()),
        readings=readings,
        timing=Timing(present_ms=settings.timing.present_ms, lateness_ms=settings.timing.lateness_ms),
        rounds_after_cut=table.rounds_after_cut,
        devices=tuple(name for name, device in settings.devices.items() if device.role in INDISPENSABLE),
        line_devices=tuple(name for name, _ in settings.in_role("lines")),
        card_readers=tuple(name for name, _ in settings.in_role("shoe")),
        catalogue=Catalogue(
            text for text in catalogue.texts if text.game == table.game and text.wager in settings.wagers
        ),
        awards=AwardRule(
            validated_over_for_one=settings.awards.validated_over,
            inventory_limit_cents=settings.awards.inventory_limit_cents,
        ),
    )


def _meter(name: str, wager: str, meter: Meter, printed: Seed, from_reserve: bool) -> MeterRule:
    """`from_reserve`: where the seed is printed N/A, a won meter returns to its reserve (X16)."""
    return MeterRule(
        name=name,
        wager=wager,
        seed_micro=meter.seed_micro,
        increment_ppm=meter.increment_ppm,
        reserve_ppm=meter.reserve_ppm,
        reseed_micro=None if from_reserve and printed.amount is FromReserve.BALANCE else meter.reseed_micro,
        hidden_ppm=meter.hidden_ppm,
        limit_micro=meter.limit_micro,
        overflow=meter.overflow,
    )


def _combination(position: int, cards: list[str]) -> Combination:
    """King first, however the file has them."""
    king, nine = sorted(cards, key=lambda card: card[0] != "K")
    return Combination(position=position, king=king, nine=nine)
