"""A recorded round as JSON, read into the core's `RoundToSettle`, and a settled round written back.

Rules:
* What a value of each kind must be stands in `fields.py`; what a game's outcome holds in its `outcome_GAME.py`.
* A table states what its game needs and takes, no more: the keys come from the `Game`.
* Here only shapes are judged. Whether the round can have been played is the core's to say.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, TypeVar

import msgspec

from firmware.core.cards import Suit
from firmware.core.errors import ErrorCode, SettlementError
from firmware.core.money import format_meter, parse_meter
from firmware.core.readings import Readings
from firmware.core.roulette_wheel import Pocket, Wheel
from firmware.core.settlement_data import (
    Envy,
    InterimAward,
    Offer,
    Payment,
    Result,
    RoundToSettle,
    SettledRound,
    Source,
)
from firmware.core.wagers.wager import Combination, Game, PlacedWager, Table, TableKey
from firmware.interfaces.fields import (
    check_keys,
    missing,
    take_by_position,
    take_cards,
    take_integer,
    take_list,
    take_object,
    take_pocket,
    take_text,
    wrong,
)
from firmware.interfaces.outcomes import READERS
from firmware.interfaces.strict_json import Fields, shown
from firmware.settings.paytables import is_date

_REQUIRED = ("id", "game", "table", "offered", "wagers", "outcome")
_OPTIONAL = ("meters", "seeds", "reserves", "date", "readings")

_PLAIN_WAGERS = tuple[PlacedWager, ...]


def read_id(fields: Fields) -> str | None:
    """The line's id, None where it can't be read."""
    found = fields.get("id")
    return found if isinstance(found, str) else None


def read_round(fields: Fields) -> RoundToSettle[Any]:
    """The round that a line describes; its game and what was dealt are of one type. Raises `SettlementError`."""
    check_keys(fields, "", _REQUIRED, _OPTIONAL)
    take_text(fields["id"], "id", "a text", ErrorCode.BAD_JSON)
    name = fields["game"]
    if not isinstance(name, str) or name not in READERS:
        raise wrong(name, "game", f"one of {', '.join(READERS)}", ErrorCode.UNKNOWN_GAME)
    reader = READERS[name]
    offered = _read_offers(fields["offered"], reader.game)
    table_fields = take_object(fields["table"], "table", ErrorCode.BAD_TABLE)
    table = _read_table(table_fields, reader.game)
    wagers = _read_wagers(fields["wagers"], reader.game)
    _check_combinations_stated(table_fields, wagers, reader.game)
    return RoundToSettle(
        game=reader.game,
        table=table,
        offered=offered,
        wagers=wagers,
        dealt=reader.read(take_object(fields["outcome"], "outcome", ErrorCode.BAD_OUTCOME)),
        meters=_read_meters(fields.get("meters", {}), "meters"),
        seeds=_read_meters(fields.get("seeds", {}), "seeds"),
        reserves=_read_meters(fields["reserves"], "reserves") if "reserves" in fields else None,
        readings=_read_readings(fields.get("readings", {})),
        date=_read_date(fields["date"]) if "date" in fields else None,
    )


def write_round(line_id: str | None, settled: SettledRound) -> bytes:
    """The answer to a line that was settled. What is the same at many positions is encoded once."""
    tails: dict[int, str] = {}
    written = []
    for position, payment, number in settled.settlements:
        tail = tails.get(id(payment))  # `settled` keeps the payment, so its id stays its own
        if tail is None:
            tail = tails[id(payment)] = _write_payment(payment)
        if number is None:
            written.append(f'{{"position":{position},{tail}')
        else:
            written.append(f'{{"position":{position},"number":{json.dumps(number.value)},{tail}')
    answer: Fields = {
        "id": line_id,
        "settlements": msgspec.Raw(f"[{','.join(written)}]".encode()),
        "envy": [_write_envy(one) for one in settled.envy],
        "meters_after": _write_meters(settled.meters_after.items()),
    }
    if settled.reserves_after is not None:
        answer["reserves_after"] = _write_meters(settled.reserves_after.items())
    return msgspec.json.encode(answer)


def write_error(line_id: str | None, error: SettlementError) -> bytes:
    """The answer to a line that can't be settled."""
    return msgspec.json.encode({"id": line_id, "error": {"code": error.code.value, "message": error.message}})


# --- reading ----------------------------------------------------------------------------------------------------------


def _read_table(fields: Fields, game: Game[Any]) -> Table:
    check_keys(fields, "table.", (), _TABLE_KEYS[game.name])  # what is needed and not stated, the core says
    bad = ErrorCode.BAD_TABLE
    decks = take_integer(fields["decks"], "table.decks", bad) if "decks" in fields else game.usual_decks
    return Table(
        decks=decks,
        personal_combinations=take_by_position(
            fields.get("personal_combinations", {}), "table.personal_combinations", bad, _combination
        ),
        declared_suit=_declared_suit(fields["declared_suit"]) if "declared_suit" in fields else None,
        wheel=_wheel(fields["wheel"]) if "wheel" in fields else None,
    )


def _combination(value: object, where: str) -> Combination:
    if not isinstance(value, list) or len(value) != 2:
        raise wrong(value, where, "two cards", ErrorCode.BAD_TABLE)
    return frozenset(take_cards(value, where))


_TABLE_KEYS = {
    name: tuple(key.value for key in TableKey if key in reader.game.needs | reader.game.takes)
    for name, reader in READERS.items()
}
_SUITS = {suit.value: suit for suit in Suit}
_WHEELS = {wheel.value: wheel for wheel in Wheel}

_Choice = TypeVar("_Choice", Suit, Wheel)


def _declared_suit(value: object) -> Suit:
    return _choice(value, "table.declared_suit", _SUITS)


def _wheel(value: object) -> Wheel:
    return _choice(value, "table.wheel", _WHEELS)


def _choice(value: object, where: str, choices: dict[str, _Choice]) -> _Choice:
    if not isinstance(value, str) or value not in choices:
        raise wrong(value, where, f"one of {', '.join(choices)}", ErrorCode.BAD_TABLE)
    return choices[value]


def _check_combinations_stated(table: Fields, wagers: tuple[PlacedWager, ...], game: Game[Any]) -> None:
    """Tells a table that states no combinations at all from one that states none for a position (`bad_table`)."""
    key = TableKey.PERSONAL_COMBINATIONS
    if key.value in table or key.value not in _TABLE_KEYS[game.name]:
        return
    for placed in wagers:
        found = game.by_name.get(placed.wager)
        if found is not None and key in found[1].needs:
            raise missing(f"table.{key}", f"{placed.wager} needs the position's personal combination")


def _read_offers(value: object, game: Game[Any]) -> dict[str, Offer]:
    """Read before the table: a wager of another game is told as that, not by what it would have the table state."""
    offers: dict[str, Offer] = {}
    for name, item in take_object(value, "offered", ErrorCode.BAD_TABLE).items():
        if name not in game.by_name:
            raise SettlementError(
                ErrorCode.UNKNOWN_WAGER,
                f"offered.{name:.60}: {game.name} has no such wager; it has {', '.join(game.by_name)}",
            )
        offers[name] = _read_offer(item, f"offered.{name}")
    return offers


def _read_offer(value: object, where: str) -> Offer:
    fields = take_object(value, where, ErrorCode.BAD_TABLE)
    check_keys(fields, f"{where}.", ("paytable",), ("denomination_cents",))
    paytable = take_text(fields["paytable"], f"{where}.paytable", "its name as a text", ErrorCode.UNKNOWN_PAYTABLE)
    denomination = None
    if "denomination_cents" in fields:
        denomination = take_integer(fields["denomination_cents"], f"{where}.denomination_cents", ErrorCode.BAD_TABLE)
    return Offer(paytable, denomination)


def _read_wagers(value: object, game: Game[Any]) -> tuple[PlacedWager, ...]:
    items = take_list(value, "wagers", "a list", ErrorCode.BAD_WAGER)
    plain = _plain_wagers(items)
    if plain is not None:
        return plain
    on_number = {wager.name for wager in game.wagers if wager.on_number}
    return tuple(_read_wager(item, f"wagers[{index}]", on_number) for index, item in enumerate(items))


def _plain_wagers(items: list[object]) -> tuple[PlacedWager, ...] | None:
    """The usual wagers, all at once; None where one has to be looked at key by key.

    msgspec checks types as strictly as `take_integer` and passes over keys that it does not know: but a wager that it
    takes has the three required ones, so three keys a wager are no others.
    """
    try:
        wagers = msgspec.convert(items, _PLAIN_WAGERS)
    except msgspec.ValidationError:
        return None
    return wagers if sum(map(len, items)) == 3 * len(items) else None  # type: ignore[arg-type]  # all are objects


def _read_wager(value: object, where: str, on_number: set[str]) -> PlacedWager:
    fields = take_object(value, where, ErrorCode.BAD_WAGER)
    name = fields.get("wager")
    with_number = isinstance(name, str) and name in on_number  # without one, the core says what is missing
    check_keys(fields, f"{where}.", ("position", "wager", "cents"), ("number",) if with_number else ())
    number: Pocket | None = None
    if "number" in fields:
        number = take_pocket(fields["number"], f"{where}.number", ErrorCode.BAD_WAGER)
    return PlacedWager(
        position=take_integer(fields["position"], f"{where}.position", ErrorCode.BAD_WAGER),
        wager=take_text(fields["wager"], f"{where}.wager", "its name as a text", ErrorCode.UNKNOWN_WAGER),
        cents=take_integer(fields["cents"], f"{where}.cents", ErrorCode.BAD_WAGER),
        number=number,
    )


def _read_meters(value: object, where: str) -> dict[str, int]:
    meters: dict[str, int] = {}
    for name, item in take_object(value, where, ErrorCode.BAD_TABLE).items():
        amount = take_text(item, f"{where}.{name}", 'a text such as "50000.000000"', ErrorCode.BAD_TABLE)
        try:
            meters[name] = parse_meter(amount)
        except ValueError as error:
            raise SettlementError(ErrorCode.BAD_TABLE, f"{where}.{name}: {error}") from None
    return meters


def _read_readings(value: object) -> Readings:
    return Readings.choose(take_object(value, "readings", ErrorCode.UNKNOWN_READING))


def _read_date(value: object) -> str:
    if not isinstance(value, str) or not is_date(value):
        raise SettlementError(ErrorCode.BAD_TABLE, f'date: got {shown(value)}, expected a day such as "2021-09-04"')
    return value


# --- writing ----------------------------------------------------------------------------------------------------------


class _WrittenPayment(msgspec.Struct, rename={"source": "from"}, omit_defaults=True):
    """`Payment` as it is written, field for field; what is null is written, but for `interim`."""

    wager: str
    result: Result
    line: str | None
    award_cents: int
    stake_returned_cents: int
    source: Source | None
    meter: str | None
    validation: bool
    section: str
    interim: tuple[InterimAward, ...] | None = None


def _write_payment(one: Payment) -> str:
    """The rest of an object that has been begun: without its opening brace."""
    return msgspec.json.encode(_WrittenPayment(*one))[1:].decode()


def _write_envy(one: Envy) -> Fields:
    return {
        "position": one.position,
        "wager": one.wager,
        "award_cents": one.award_cents,
        "because_of": one.because_of,
        "section": one.section,
    }


def _write_meters(meters: Iterable[tuple[str, int]]) -> dict[str, str]:
    return {name: format_meter(micro) for name, micro in meters}
