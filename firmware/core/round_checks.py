"""Whether a round can be settled at all: the table, the offers, the wagers, what was dealt and the meters.

Rules:
* Everything is checked before anything is paid, and also where the wager would have lost: a round is settled whole or
  not.
* What depends on a game (layout, cards, wheels) is the game's own check; this file knows paytables, stakes and meters.
* A printed seed that is a least amount may be raised, never lowered. A seed that is printed as the amount may be filed
  otherwise here: `settle` then takes what the round says was filed.
"""

from __future__ import annotations

from firmware.core.errors import ErrorCode, SettlementError
from firmware.core.money import MAX_CENTS, cents_to_micro, format_cents, format_meter
from firmware.core.pays import Dollars, FromReserve
from firmware.core.paytables import Catalogue, Paytable
from firmware.core.roulette_wheel import Pocket
from firmware.core.settlement_data import Offer, RoundToSettle
from firmware.core.wagers.wager import Dealt, PlacedWager, Play, Stage, TableKey, Wager

MAX_POSITION = 999_999
"""No layout comes near it; a greater number is a fault of whoever wrote the line."""


def check_round(
    round_: RoundToSettle[Dealt], catalogue: Catalogue, stage: Stage
) -> tuple[dict[str, Paytable], list[PlacedWager]]:
    """The paytable of every offered wager, and the wagers from the highest numbered position, at one position in the
    game's order, once the round was found good for settling up to `stage`.

    Raises `SettlementError`: `bad_table`, `unknown_wager`, `unknown_paytable`, `not_offered`, `bad_wager`,
    `missing_field`, `missing_meter`, and whatever the game's own check refuses.
    """
    placed_names = tuple(dict.fromkeys([placed.wager for placed in round_.wagers]))
    _check_table(round_, placed_names)
    paytables = {name: _check_offer(name, offer, round_, catalogue) for name, offer in round_.offered.items()}
    in_order = _check_wagers(round_, paytables, catalogue)
    round_.game.check(Play(round_.table, round_.dealt, stage, round_.wagers, paytables, round_.readings))
    _check_meters(round_, placed_names, paytables, catalogue)
    return paytables, in_order


def _check_table(round_: RoundToSettle[Dealt], placed_names: tuple[str, ...]) -> None:
    game, table = round_.game, round_.table
    if table.decks is not None and table.decks < 1:
        raise SettlementError(ErrorCode.BAD_TABLE, f"table.decks: got {table.decks}, expected 1 or more")
    stated = {
        TableKey.DECKS: table.decks is not None,
        TableKey.PERSONAL_COMBINATIONS: True,  # told for each position, in `_check_wagers`
        TableKey.DECLARED_SUIT: table.declared_suit is not None,
        TableKey.WHEEL: table.wheel is not None,
    }
    placed = [game.by_name[name][1] for name in placed_names if name in game.by_name]
    for who, needs in ((game.name, game.needs), *((wager.name, wager.needs) for wager in placed)):
        for key in sorted(needs):
            if not stated[key]:
                raise SettlementError(ErrorCode.MISSING_FIELD, f"table.{key}: not given; {who} needs it")


def _check_offer(name: str, offer: Offer, round_: RoundToSettle[Dealt], catalogue: Catalogue) -> Paytable:
    paytable = catalogue.paytable(round_.game.name, name, offer.paytable, round_.date)
    why = unsuited(paytable, round_.table.decks)
    if why is None and round_.table.wheel is not None and paytable.wheels and round_.table.wheel not in paytable.wheels:
        why = f"is for a {' or '.join(paytable.wheels)} wheel, the table has {round_.table.wheel}"
    if why is not None:
        raise SettlementError(
            ErrorCode.BAD_TABLE, f"offered.{name}: paytable {paytable.name!r} of {paytable.section} {why}"
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
        if not seed.at_least or not isinstance(seed.amount, Dollars):
            continue
        least = cents_to_micro(seed.amount.cents)
        given = round_.seeds.get(seed.meter, least)
        if given < least:
            raise SettlementError(
                ErrorCode.BAD_TABLE,
                f"seeds.{seed.meter}: got {format_meter(given)}, but {seed.section} asks for at least "
                f"{format_meter(least)}",
            )
    return paytable


def unsuited(paytable: Paytable, decks: int | None) -> str | None:
    """Why a table with so many decks can't offer the paytable, None where it can or has no cards."""
    if decks is not None and decks < paytable.least_decks:
        return f"needs {paytable.least_decks} decks or more, the table has {decks}"
    if decks is not None and paytable.most_decks is not None and decks > paytable.most_decks:
        return f"allows {paytable.most_decks} decks at most, the table has {decks}"
    return None


def _check_wagers(
    round_: RoundToSettle[Dealt], paytables: dict[str, Paytable], catalogue: Catalogue
) -> list[PlacedWager]:
    """The wagers, each good in itself and placed once, in their order."""
    found: dict[tuple[int, int, Pocket | None], PlacedWager] = {}
    good: dict[tuple[str, int], tuple[int, Wager[Dealt]]] = {}
    for placed in round_.wagers:
        kind = (placed.wager, placed.cents)  # most positions place the same few stakes
        known = good.get(kind)
        if known is None:
            _check_kind(placed, round_, paytables, catalogue)
            known = good[kind] = round_.game.by_name[placed.wager]
        number, wager = known
        position = placed.position
        if not 1 <= position <= MAX_POSITION:
            raise SettlementError(ErrorCode.BAD_WAGER, f"{_where(placed)}: positions are numbered from 1")
        if wager.on_number and placed.number is None:
            raise SettlementError(
                ErrorCode.MISSING_FIELD, f"{_where(placed)}: number: not given; the wager is on a number"
            )
        place = (-position, number, placed.number)
        if place in found:
            twice = "one wager on a number" if wager.on_number else "one wager of a kind"
            raise SettlementError(ErrorCode.BAD_WAGER, f"{_where(placed)}: placed twice; a position takes {twice}")
        found[place] = placed
        if wager.needs and position not in round_.table.personal_combinations:
            _check_combination(placed, wager)
    return [found[place] for place in sorted(found)]


def _check_kind(
    placed: PlacedWager, round_: RoundToSettle[Dealt], paytables: dict[str, Paytable], catalogue: Catalogue
) -> None:
    """What is the same for every wager of one kind and stake: whether it is offered, and the amount."""
    paytable = paytables.get(placed.wager)
    if paytable is None:
        catalogue.text(round_.game.name, placed.wager)  # a wager that does not exist is told as that
        raise SettlementError(
            ErrorCode.NOT_OFFERED,
            f"{_where(placed)}: the table offers {', '.join(paytables) or 'no wager'}; see `offered`",
        )
    _check_stake(placed, paytable, _where(placed))


def _check_combination(placed: PlacedWager, wager: Wager[Dealt]) -> None:
    if TableKey.PERSONAL_COMBINATIONS in wager.needs:
        raise SettlementError(
            ErrorCode.BAD_TABLE,
            f"{_where(placed)}: the position has no personal combination; add it to table.personal_combinations",
        )


def _where(placed: PlacedWager) -> str:
    return f"wagers: {placed.wager:.60} at position {placed.position}"


def _check_stake(placed: PlacedWager, paytable: Paytable, where: str) -> None:
    _check_cents(placed.cents, f"{where}: cents", ErrorCode.BAD_WAGER)
    if paytable.denomination_cents is not None and paytable.denomination_cents != placed.cents:
        raise SettlementError(
            ErrorCode.BAD_WAGER,
            f"{where}: got {placed.cents} cents, but paytable {paytable.name!r} of {paytable.section} takes "
            f"{format_cents(paytable.denomination_cents)} ({paytable.denomination_cents} cents) only",
        )
    if placed.cents < paytable.least_cents:
        raise SettlementError(
            ErrorCode.BAD_WAGER,
            f"{where}: got {placed.cents} cents, but {paytable.section} takes {format_cents(paytable.least_cents)} "
            f"({paytable.least_cents} cents) or more",
        )


def _check_cents(cents: int, where: str, code: ErrorCode) -> None:
    if not 1 <= cents <= MAX_CENTS:
        raise SettlementError(code, f"{where}: got {cents}, expected a whole number from 1 to {MAX_CENTS}")


def _check_meters(
    round_: RoundToSettle[Dealt], placed_names: tuple[str, ...], paytables: dict[str, Paytable], catalogue: Catalogue
) -> None:
    for name in placed_names:
        for meter in paytables[name].meters:
            if meter not in round_.meters:
                raise SettlementError(
                    ErrorCode.MISSING_METER,
                    f"meters: {name} can win {meter}, which is not given; add its amount at lock-out",
                )
            _check_reserve(name, meter, paytables[name], round_)
    known = catalogue.meters(round_.game.name)
    for where, amounts in (("meters", round_.meters), ("seeds", round_.seeds), ("reserves", round_.reserves or {})):
        for meter in amounts:
            if meter not in known:
                raise SettlementError(
                    ErrorCode.UNKNOWN_FIELD,
                    f"{where}: {round_.game.name} has no meter {meter!r:.60}; it has {', '.join(sorted(known))}",
                )


def _check_reserve(wager: str, meter: str, paytable: Paytable, round_: RoundToSettle[Dealt]) -> None:
    """A meter whose printed seed is N/A returns to its reserve: a round that states reserves must state that one
    (decision 0080: one that states none has empty ones)."""
    seed = paytable.seed(meter, round_.table.decks)
    if (
        seed.amount is FromReserve.BALANCE
        and meter not in round_.seeds
        and round_.reserves is not None
        and meter not in round_.reserves
    ):
        raise SettlementError(
            ErrorCode.MISSING_FIELD,
            f"reserves.{meter}: not given; {seed.section} prints no seed for {wager} {paytable.name!r}, so the meter "
            "returns to its reserve",
        )
