"""Whether a round can be settled at all: the table, the offers, the wagers, what was dealt and the meters.

Rules:
* Everything is checked before anything is paid, and also where the wager would have lost: a round is settled whole or
  not.
* What depends on a game (layout, cards) is the game's own check; this file knows paytables, stakes and meters.
"""

from __future__ import annotations

from firmware.core.errors import ErrorCode, SettlementError
from firmware.core.money import MAX_CENTS, format_cents, format_meter
from firmware.core.paytables import Catalogue, Paytable
from firmware.core.settlement_data import Offer, PlacedWager, RoundToSettle
from firmware.core.wagers.wager import Dealt, Stage

MAX_POSITION = 999_999
"""No layout comes near it; a greater number is a fault of whoever wrote the line."""


def check_round(round_: RoundToSettle[Dealt], catalogue: Catalogue, stage: Stage) -> dict[str, Paytable]:
    """The paytable of every offered wager, once the round was found good for settling up to `stage`.

    Raises `SettlementError`: `bad_table`, `unknown_wager`, `unknown_paytable`, `not_offered`, `bad_wager`,
    `missing_meter`, and whatever the game's own check refuses.
    """
    if round_.table.decks < 1:
        raise SettlementError(ErrorCode.BAD_TABLE, f"table.decks: got {round_.table.decks}, expected 1 or more")
    paytables = {name: _check_offer(name, offer, round_, catalogue) for name, offer in round_.offered.items()}
    _check_wagers(round_, paytables, catalogue)
    round_.game.check(round_.table, round_.dealt, stage)
    _check_meters(round_, paytables, catalogue)
    return paytables


def _check_offer(name: str, offer: Offer, round_: RoundToSettle[Dealt], catalogue: Catalogue) -> Paytable:
    paytable = catalogue.paytable(round_.game.name, name, offer.paytable, round_.date)
    if round_.table.decks < paytable.least_decks:
        raise SettlementError(
            ErrorCode.BAD_TABLE,
            f"offered.{name}: {paytable.section} needs {paytable.least_decks} decks or more, the table has "
            f"{round_.table.decks}",
        )
    if offer.denomination_cents is not None:
        _check_cents(offer.denomination_cents, f"offered.{name}.denomination_cents", ErrorCode.BAD_TABLE)
        if paytable.denomination_cents not in (None, offer.denomination_cents):
            raise SettlementError(
                ErrorCode.BAD_TABLE,
                f"offered.{name}.denomination_cents: got {offer.denomination_cents}, but paytable {paytable.name!r} of "
                f"{paytable.section} is for {paytable.denomination_cents}; leave the key out",
            )
    for seed in paytable.seeds:
        given = round_.seeds.get(seed.meter, seed.least_micro)
        if given < seed.least_micro:
            raise SettlementError(
                ErrorCode.BAD_TABLE,
                f"seeds.{seed.meter}: got {format_meter(given)}, but {seed.section} asks for at least "
                f"{format_meter(seed.least_micro)}",
            )
    return paytable


def _check_wagers(round_: RoundToSettle[Dealt], paytables: dict[str, Paytable], catalogue: Catalogue) -> None:
    seen: set[tuple[int, str]] = set()
    for placed in round_.wagers:
        where = f"wagers: {placed.wager} at position {placed.position}"
        paytable = paytables.get(placed.wager)
        if paytable is None:
            catalogue.text(round_.game.name, placed.wager)  # a wager that does not exist is told as that
            raise SettlementError(
                ErrorCode.NOT_OFFERED, f"{where}: the table offers {', '.join(paytables) or 'no wager'}; see `offered`"
            )
        if not 1 <= placed.position <= MAX_POSITION:
            raise SettlementError(ErrorCode.BAD_WAGER, f"{where}: positions are numbered from 1")
        if (placed.position, placed.wager) in seen:
            raise SettlementError(ErrorCode.BAD_WAGER, f"{where}: placed twice; a position takes one wager of a kind")
        seen.add((placed.position, placed.wager))
        _check_stake(placed, paytable, where)
        _, wager = round_.game.by_name[placed.wager]
        if wager.needs_combination and placed.position not in round_.table.personal_combinations:
            raise SettlementError(
                ErrorCode.BAD_TABLE,
                f"{where}: the position has no personal combination; add it to table.personal_combinations",
            )


def _check_stake(placed: PlacedWager, paytable: Paytable, where: str) -> None:
    _check_cents(placed.cents, f"{where}: cents", ErrorCode.BAD_WAGER)
    if paytable.denomination_cents is not None and paytable.denomination_cents != placed.cents:
        raise SettlementError(
            ErrorCode.BAD_WAGER,
            f"{where}: got {placed.cents} cents, but paytable {paytable.name!r} of {paytable.section} takes "
            f"{format_cents(paytable.denomination_cents)} ({paytable.denomination_cents} cents) only",
        )


def _check_cents(cents: int, where: str, code: ErrorCode) -> None:
    if not 1 <= cents <= MAX_CENTS:
        raise SettlementError(code, f"{where}: got {cents}, expected a whole number from 1 to {MAX_CENTS}")


def _check_meters(round_: RoundToSettle[Dealt], paytables: dict[str, Paytable], catalogue: Catalogue) -> None:
    for name in {placed.wager: None for placed in round_.wagers}:
        for meter in paytables[name].meters:
            if meter not in round_.meters:
                raise SettlementError(
                    ErrorCode.MISSING_METER,
                    f"meters: {name} can win {meter}, which is not given; add its amount at lock-out",
                )
    known = catalogue.meters(round_.game.name)
    for where, amounts in (("meters", round_.meters), ("seeds", round_.seeds), ("reserves", round_.reserves or {})):
        for meter in amounts:
            if meter not in known:
                raise SettlementError(
                    ErrorCode.UNKNOWN_FIELD,
                    f"{where}: {round_.game.name} has no meter {meter!r:.60}; it has {', '.join(sorted(known))}",
                )
