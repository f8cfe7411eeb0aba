"""The outcome of a Crazy Time round: `segment`, `top_slot` and, where the segment is a bonus game's, `bonus`."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import TypeVar

from firmware.core.errors import ErrorCode
from firmware.core.wagers.cash_hunt import CashHunt
from firmware.core.wagers.coin_flip import CoinFlip, Side
from firmware.core.wagers.crazy_time import Bonus, WheelSpin
from firmware.core.wagers.crazy_time_wheel import Segment, TopSlot
from firmware.core.wagers.crazy_time_world import Clapper, CrazyTimeWorld
from firmware.core.wagers.multiplier_board import DOUBLE, Shown
from firmware.core.wagers.pachinko import Pachinko
from firmware.interfaces.fields import (
    check_keys,
    missing,
    take_boolean,
    take_by_position,
    take_integer,
    take_list,
    take_object,
    wrong,
)
from firmware.interfaces.strict_json import Fields

_BAD = ErrorCode.BAD_OUTCOME

_Name = TypeVar("_Name", bound=StrEnum)


def read_wheel_spin(outcome: Fields) -> WheelSpin:
    """Raises `SettlementError`: `unknown_field`, `missing_field`, `bad_outcome`."""
    check_keys(outcome, "outcome.", ("segment", "top_slot"), ("bonus",))
    segment = _take_name(outcome["segment"], "outcome.segment", Segment)
    return WheelSpin(segment, _read_top_slot(outcome["top_slot"]), _read_bonus(outcome.get("bonus"), segment))


def _read_top_slot(value: object) -> TopSlot:
    where = "outcome.top_slot"
    fields = take_object(value, where, _BAD)
    check_keys(fields, f"{where}.", ("option", "multiplier", "aligned"), ())
    return TopSlot(
        option=_take_name(fields["option"], f"{where}.option", Segment),
        multiplier=take_integer(fields["multiplier"], f"{where}.multiplier", _BAD),
        aligned=take_boolean(fields["aligned"], f"{where}.aligned", _BAD),
    )


def _read_bonus(value: object, segment: Segment) -> Bonus | None:
    """A number has no bonus game: absent or null. A bonus game's segment must have it."""
    read = _BONUS.get(segment)
    if read is None:
        if value is not None:
            raise wrong(value, "outcome.bonus", f"null or nothing: {segment} has no bonus game", _BAD)
        return None
    if value is None:
        raise missing("outcome.bonus", f"the wheel came to rest on {segment}, whose bonus game is played (690.2(f))")
    return read(take_object(value, "outcome.bonus", _BAD))


def _read_coin_flip(fields: Fields) -> CoinFlip:
    check_keys(fields, "outcome.bonus.", ("red", "blue", "landed", "rescue"), ())
    rescue = fields["rescue"]
    return CoinFlip(
        red=take_integer(fields["red"], "outcome.bonus.red", _BAD),
        blue=take_integer(fields["blue"], "outcome.bonus.blue", _BAD),
        landed=_take_name(fields["landed"], "outcome.bonus.landed", Side),
        rescue=None if rescue is None else _take_name(rescue, "outcome.bonus.rescue", Side),
    )


def _read_cash_hunt(fields: Fields) -> CashHunt:
    check_keys(fields, "outcome.bonus.", ("board", "picks"), ())
    return CashHunt(
        board=_take_integers(fields["board"], "outcome.bonus.board"),
        picks=take_by_position(fields["picks"], "outcome.bonus.picks", _BAD, _take_index),
    )


def _read_pachinko(fields: Fields) -> Pachinko:
    check_keys(fields, "outcome.bonus.", ("slots", "drops", "rescue_after"), ())
    after = fields["rescue_after"]
    return Pachinko(
        slots=_take_multipliers(fields["slots"], "outcome.bonus.slots"),
        drops=_take_integers(fields["drops"], "outcome.bonus.drops"),
        rescue_after=None if after is None else take_integer(after, "outcome.bonus.rescue_after", _BAD),
    )


def _read_crazy_time_world(fields: Fields) -> CrazyTimeWorld:
    check_keys(fields, "outcome.bonus.", ("wheel", "picks", "spins"), ())
    spins = take_list(fields["spins"], "outcome.bonus.spins", "a list of spins", _BAD)
    return CrazyTimeWorld(
        wheel=_take_multipliers(fields["wheel"], "outcome.bonus.wheel"),
        picks=take_by_position(fields["picks"], "outcome.bonus.picks", _BAD, _take_clapper),
        spins=tuple(_read_spin(spin, f"outcome.bonus.spins[{index}]") for index, spin in enumerate(spins)),
    )


def _read_spin(value: object, where: str) -> dict[Clapper, int]:
    fields = take_object(value, where, _BAD)
    check_keys(fields, f"{where}.", tuple(Clapper), ())
    return {clapper: take_integer(fields[clapper], f"{where}.{clapper}", _BAD) for clapper in Clapper}


_BONUS: dict[Segment, Callable[[Fields], Bonus]] = {
    Segment.COIN_FLIP: _read_coin_flip,
    Segment.CASH_HUNT: _read_cash_hunt,
    Segment.PACHINKO: _read_pachinko,
    Segment.CRAZY_TIME_WORLD: _read_crazy_time_world,
}


# --- values -----------------------------------------------------------------------------------------------------------


def _take_name(value: object, where: str, names: type[_Name]) -> _Name:
    for name in names:
        if name.value == value:
            return name
    raise wrong(value, where, f"one of {', '.join(names)}", _BAD)


def _take_clapper(value: object, where: str) -> Clapper:
    return _take_name(value, where, Clapper)


def _take_index(value: object, where: str) -> int:
    return take_integer(value, where, _BAD)


def _take_integers(value: object, where: str) -> tuple[int, ...]:
    items = take_list(value, where, "a list of whole numbers", _BAD)
    return tuple(take_integer(item, f"{where}[{index}]", _BAD) for index, item in enumerate(items))


def _take_multipliers(value: object, where: str) -> tuple[Shown, ...]:
    items = take_list(value, where, f'a list of multipliers and "{DOUBLE}"', _BAD)
    return tuple(
        DOUBLE if item == DOUBLE else take_integer(item, f"{where}[{index}]", _BAD) for index, item in enumerate(items)
    )
