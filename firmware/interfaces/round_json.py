"""A recorded round as JSON, read into the core's `RoundToSettle`, and a settled round written back.

Rules:
* Every key is known or refused (`unknown_field`), at any depth; what a settlement needs and is not there is
  `missing_field`.
* A value of the wrong type has the code of what it stands for: an amount `bad_wager`, a deck count `bad_table`, a hand
  `bad_outcome`, a card `bad_card`. True is no 1, 5.0 no 5 and "5" no 5.
* Here only shapes are judged. Whether the round can have been played is the core's to say.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from firmware.core.cards import Card
from firmware.core.errors import ErrorCode, SettlementError
from firmware.core.money import format_meter, parse_meter
from firmware.core.readings import Readings
from firmware.core.settlement_data import Envy, Offer, PlacedWager, RoundToSettle, SettledRound, Settlement
from firmware.core.wagers.games import GAMES
from firmware.core.wagers.two_hands import TwoHands
from firmware.core.wagers.wager import Combination, Table
from firmware.interfaces.strict_json import Fields, shown
from firmware.settings.paytables import is_date

_POSITION = re.compile(r"[1-9][0-9]{0,5}", re.ASCII)

_REQUIRED = ("id", "game", "table", "offered", "wagers", "outcome")
_OPTIONAL = ("meters", "seeds", "reserves", "date", "readings")


def read_id(fields: Fields) -> str | None:
    """The line's id, None where it can't be read."""
    found = fields.get("id")
    return found if isinstance(found, str) else None


def read_round(fields: Fields) -> RoundToSettle[TwoHands]:
    """The round that a line describes. Raises `SettlementError`."""
    _check_keys(fields, "", _REQUIRED, _OPTIONAL)
    if not isinstance(fields["id"], str):
        raise SettlementError(ErrorCode.BAD_JSON, f"id: got {shown(fields['id'])}, expected a text")
    name = fields["game"]
    if not isinstance(name, str) or name not in GAMES:
        raise SettlementError(ErrorCode.UNKNOWN_GAME, f"game: got {shown(name)}, expected one of {', '.join(GAMES)}")
    game = GAMES[name]
    table_fields = _object(fields["table"], "table", ErrorCode.BAD_TABLE)
    table = _read_table(table_fields)
    wagers = _read_wagers(fields["wagers"])
    needing = [w.wager for w in wagers if w.wager in game.by_name and game.by_name[w.wager][1].needs_combination]
    if needing and "personal_combinations" not in table_fields:
        raise _missing("table.personal_combinations", f"{needing[0]} needs the position's personal combination")
    return RoundToSettle(
        game=game,
        table=table,
        offered=_read_offers(fields["offered"]),
        wagers=wagers,
        dealt=_read_two_hands(fields["outcome"]),
        meters=_read_meters(fields.get("meters", {}), "meters"),
        seeds=_read_meters(fields.get("seeds", {}), "seeds"),
        reserves=_read_meters(fields["reserves"], "reserves") if "reserves" in fields else None,
        readings=_read_readings(fields.get("readings", {})),
        date=_read_date(fields["date"]) if "date" in fields else None,
    )


def write_round(line_id: str | None, settled: SettledRound) -> Fields:
    """The answer to a line that was settled."""
    answer: Fields = {
        "id": line_id,
        "settlements": [_write_settlement(one) for one in settled.settlements],
        "envy": [_write_envy(one) for one in settled.envy],
        "meters_after": _write_meters(settled.meters_after.items()),
    }
    if settled.reserves_after is not None:
        answer["reserves_after"] = _write_meters(settled.reserves_after.items())
    return answer


def write_error(line_id: str | None, error: SettlementError) -> Fields:
    """The answer to a line that can't be settled."""
    return {"id": line_id, "error": {"code": error.code.value, "message": error.message}}


# --- reading ----------------------------------------------------------------------------------------------------------


def _read_table(fields: Fields) -> Table:
    _check_keys(fields, "table.", ("decks",), ("personal_combinations",))
    decks = _integer(fields["decks"], "table.decks", ErrorCode.BAD_TABLE)
    where = "table.personal_combinations"
    given = _object(fields.get("personal_combinations", {}), where, ErrorCode.BAD_TABLE)
    combinations: dict[int, Combination] = {}
    for key, value in given.items():
        if _POSITION.fullmatch(key) is None:
            raise SettlementError(ErrorCode.BAD_TABLE, f"{where}: got the key {shown(key)}, expected a position from 1")
        if not isinstance(value, list) or len(value) != 2:
            raise SettlementError(ErrorCode.BAD_TABLE, f"{where}.{key}: got {shown(value)}, expected two cards")
        combinations[int(key)] = frozenset(_card(text, f"{where}.{key}") for text in value)
    return Table(decks, combinations)


def _read_offers(value: object) -> dict[str, Offer]:
    offers: dict[str, Offer] = {}
    for name, item in _object(value, "offered", ErrorCode.BAD_TABLE).items():
        where = f"offered.{name}"
        fields = _object(item, where, ErrorCode.BAD_TABLE)
        _check_keys(fields, f"{where}.", ("paytable",), ("denomination_cents",))
        paytable = fields["paytable"]
        if not isinstance(paytable, str):
            raise SettlementError(
                ErrorCode.UNKNOWN_PAYTABLE, f"{where}.paytable: got {shown(paytable)}, expected its name as a text"
            )
        denomination = None
        if "denomination_cents" in fields:
            denomination = _integer(fields["denomination_cents"], f"{where}.denomination_cents", ErrorCode.BAD_TABLE)
        offers[name] = Offer(paytable, denomination)
    return offers


def _read_wagers(value: object) -> tuple[PlacedWager, ...]:
    if not isinstance(value, list):
        raise SettlementError(ErrorCode.BAD_WAGER, f"wagers: got {shown(value)}, expected a list")
    return tuple(_read_wager(item, f"wagers[{index}]") for index, item in enumerate(value))


def _read_wager(value: object, where: str) -> PlacedWager:
    fields = _object(value, where, ErrorCode.BAD_WAGER)
    _check_keys(fields, f"{where}.", ("position", "wager", "cents"), ())
    wager = fields["wager"]
    if not isinstance(wager, str):
        raise SettlementError(
            ErrorCode.UNKNOWN_WAGER, f"{where}.wager: got {shown(wager)}, expected its name as a text"
        )
    return PlacedWager(
        position=_integer(fields["position"], f"{where}.position", ErrorCode.BAD_WAGER),
        wager=wager,
        cents=_integer(fields["cents"], f"{where}.cents", ErrorCode.BAD_WAGER),
    )


def _read_two_hands(value: object) -> TwoHands:
    fields = _object(value, "outcome", ErrorCode.BAD_OUTCOME)
    _check_keys(fields, "outcome.", ("player", "banker"), ())
    return TwoHands(player=_hand(fields["player"], "outcome.player"), banker=_hand(fields["banker"], "outcome.banker"))


def _hand(value: object, where: str) -> tuple[Card, ...]:
    if not isinstance(value, list):
        raise SettlementError(ErrorCode.BAD_OUTCOME, f"{where}: got {shown(value)}, expected a list of cards")
    return tuple(_card(text, where) for text in value)


def _card(value: object, where: str) -> Card:
    if not isinstance(value, str):
        raise SettlementError(ErrorCode.BAD_CARD, f'{where}: got {shown(value)}, expected a card such as "TH"')
    try:
        return Card.parse(value)
    except SettlementError as error:
        raise SettlementError(error.code, f"{where}: {error.message}") from None


def _read_meters(value: object, where: str) -> dict[str, int]:
    meters: dict[str, int] = {}
    for name, amount in _object(value, where, ErrorCode.BAD_TABLE).items():
        if not isinstance(amount, str):
            raise SettlementError(
                ErrorCode.BAD_TABLE, f'{where}.{name}: got {shown(amount)}, expected a text such as "50000.000000"'
            )
        try:
            meters[name] = parse_meter(amount)
        except ValueError as error:
            raise SettlementError(ErrorCode.BAD_TABLE, f"{where}.{name}: {error}") from None
    return meters


def _read_readings(value: object) -> Readings:
    return Readings.choose(_object(value, "readings", ErrorCode.UNKNOWN_READING))


def _read_date(value: object) -> str:
    if not isinstance(value, str) or not is_date(value):
        raise SettlementError(ErrorCode.BAD_TABLE, f'date: got {shown(value)}, expected a day such as "2021-09-04"')
    return value


def _check_keys(fields: Fields, prefix: str, required: tuple[str, ...], optional: tuple[str, ...]) -> None:
    for name in fields:
        if name not in required and name not in optional:
            raise SettlementError(
                ErrorCode.UNKNOWN_FIELD,
                f"{prefix}{name:.60}: no such key; known are {', '.join((*required, *optional))}",
            )
    for name in required:
        if name not in fields:
            raise _missing(f"{prefix}{name}", "the key is required")


def _missing(where: str, why: str) -> SettlementError:
    return SettlementError(ErrorCode.MISSING_FIELD, f"{where}: not given; {why}")


def _object(value: object, where: str, code: ErrorCode) -> Fields:
    if not isinstance(value, dict):
        raise SettlementError(code, f"{where}: got {shown(value)}, expected an object")
    return value


def _integer(value: object, where: str, code: ErrorCode) -> int:
    if type(value) is not int:  # not isinstance: True is an int to Python
        raise SettlementError(code, f"{where}: got {shown(value)}, expected a whole number")
    return value


# --- writing ----------------------------------------------------------------------------------------------------------


def _write_settlement(one: Settlement) -> Fields:
    return {
        "position": one.position,
        "wager": one.wager,
        "result": one.result.value,
        "line": one.line,
        "award_cents": one.award_cents,
        "stake_returned_cents": one.stake_returned_cents,
        "from": None if one.source is None else one.source.value,
        "meter": one.meter,
        "validation": one.validation,
        "section": one.section,
    }


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
