"""Turns a checked configuration into what the core knows of the table: `TableRules`, in exact integers.

It asks no more than the core does; `check` has said before that the figures are allowed.
"""

from __future__ import annotations

from firmware.core.chances import pick_of
from firmware.core.meters import shares
from firmware.core.money import cents_to_micro
from firmware.core.mystery import METER
from firmware.core.pays import FromReserve
from firmware.core.paytables import Catalogue, MysteryRow, MysteryText, Seed
from firmware.core.readings import ALLOWED, TableReadings
from firmware.core.rules import (
    AwardRule,
    Combination,
    LampRule,
    MeterRule,
    MysteryRule,
    OfferRule,
    ReaderRule,
    ReadingRule,
    SpotRule,
    TableRules,
    Timing,
)
from firmware.core.wagers.games import DEALT_IN_BY, FRESH_DECK
from firmware.settings.amounts import fractions
from firmware.settings.devices.readers import CardReaderDevice
from firmware.settings.looks import LampFault
from firmware.settings.model import Meter, Mystery, Settings

INDISPENSABLE = ("lines", "shoe", "wheel", "lamps", "board")
"""Roles without which wagering is not open: nothing is sensed (a line device that senses spots and no button is missed
by its own positions alone), nothing is dealt or spun, no acceptance is acknowledged (627b.3(a)(1); `lamps.fault` says
whether that closes), no meter is seen (605a.7(a)(1)). A dark dealer display is a fault, but panel and lamps still work.
A round in play goes on whatever fails."""


def to_rules(settings: Settings, catalogue: Catalogue) -> TableRules:
    """The table's rules. Raises SettlementError for a wager or paytable that `check` would have refused."""
    table = settings.table
    seat = DEALT_IN_BY.get(table.game, "")
    own = {wager: offer for wager, offer in settings.wagers.items() if wager != seat}
    paytables = {wager: catalogue.paytable(table.game, wager, offer.paytable) for wager, offer in own.items()}
    offers = tuple(
        OfferRule(
            wager=wager,
            paytable=offer.paytable,
            sensed=offer.sensed,
            progressive=paytables[wager].progressive,
            minimum_cents=offer.minimum_cents,
        )
        for wager, offer in own.items()
    )
    spots = tuple(
        SpotRule(position=position, wager=wager, cents=offer.chip_cents, device=line.partition(":")[0])
        for wager, offer in settings.wagers.items()
        for position, line in enumerate(offer.spots, start=1)
    )
    panel = settings.keys.devices()
    line_devices = tuple(name for name, _ in settings.in_role("lines") if name in panel)
    spot_devices = tuple(name for name, _ in settings.in_role("lines") if name not in panel)
    readings = tuple(ReadingRule(id, value) for id, value in settings.rules_submission.readings.items())
    from_reserve = TableReadings.choose({r.id: r.value for r in readings if r.id not in ALLOWED}).X16 == "pool"
    meters = tuple(
        _meter(name, wager, settings.meters[name], paytable.seed(name, table.decks), from_reserve)
        for wager, paytable in paytables.items()
        for name in paytable.meters
    )
    closes = settings.lamps.fault is LampFault.CLOSES
    indispensable = [role for role in INDISPENSABLE if role != "lamps" or closes]
    bonus = None if settings.mystery is None else _mystery(settings.mystery, table.game, catalogue)
    return TableRules(
        table_id=table.id,
        game=table.game,
        decks=table.decks,
        positions=table.positions,
        offers=offers,
        spots=spots,
        meters=meters if bonus is None else (*meters, bonus[0]),
        combinations=tuple(_combination(int(position), cards) for position, cards in settings.combinations.items()),
        readings=readings,
        timing=Timing(present_ms=settings.timing.present_ms, lateness_ms=settings.timing.lateness_ms),
        rounds_after_cut=table.rounds_after_cut,
        devices=tuple(
            name
            for name, device in settings.devices.items()
            if device.role in indispensable and name not in spot_devices
        ),
        lamps=LampRule(opening_test=settings.lamps.opening_test, dark_keeps_closed=closes),
        line_devices=line_devices,
        spot_devices=spot_devices,
        card_readers=tuple(name for name, _ in settings.in_role("shoe")),
        catalogue=Catalogue(
            text for text in catalogue.texts if text.game == table.game and text.wager in settings.wagers
        ),
        awards=AwardRule(
            validated_over_for_one=settings.awards.validated_over,
            inventory_limit_cents=settings.awards.inventory_limit_cents,
        ),
        identity_checked=bool(settings.identity.manifest),
        mystery=None if bonus is None else bonus[1],
        reader=_reader(settings),
        declared_suit=table.declared_suit,
        dealt_in_by=seat,
        wheel=table.wheel,
        wheels=tuple(name for name, _ in settings.in_role("wheel")),
        picks=tuple(pick_of(wager, fractions(weights)) for wager, weights in settings.weights.items()),
        fresh_deck=table.game in FRESH_DECK,
    )


def _reader(settings: Settings) -> ReaderRule:
    """What the table's shoe says beside the cards. `check` has refused a table with several."""
    said = [device.reader for device in settings.devices.values() if isinstance(device, CardReaderDevice)]
    return said[0] if said else ReaderRule()


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


def mystery_row(options: Mystery, game: str, catalogue: Catalogue) -> tuple[MysteryText, MysteryRow] | None:
    """The configuration that a table chose, with its latest text in hand; None where there is none of that name."""
    texts = [text for text in catalogue.mysteries if (text.game, text.wager) == (game, options.wager)]
    for text in sorted(texts, key=lambda text: text.effective, reverse=True):
        for row in text.rows:
            if row.name == options.configuration:
                return text, row
    return None


def _mystery(options: Mystery, game: str, catalogue: Catalogue) -> tuple[MeterRule, MysteryRule]:
    """The meter of the bonus, and its rule. Raises LookupError for a configuration that `check` would have refused."""
    found = mystery_row(options, game, catalogue)
    if found is None:
        raise LookupError(f"{game}: {options.wager} has no mystery bonus {options.configuration!r}")
    text, row = found
    least_micro = cents_to_micro(row.minimum_cents)
    meter = MeterRule(METER, options.wager, least_micro, row.increment_ppm, reserve_ppm=0, reseed_micro=least_micro)
    rule = MysteryRule(
        meter=METER,
        wager=options.wager,
        configuration=row.name,
        section=text.section,
        must_hit_by_micro=cents_to_micro(options.must_hit_by_cents(row)),
        largest_micro=shares(meter, options.largest_wager_cents)[0],
        paid_by=options.paid_by,
    )
    return meter, rule


def _combination(position: int, cards: list[str]) -> Combination:
    """King first, however the file has them."""
    king, nine = sorted(cards, key=lambda card: card[0] != "K")
    return Combination(position=position, king=king, nine=nine)
