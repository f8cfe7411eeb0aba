"""The outcome of a Craps round: `rolls`, two dice each, from the come-out roll after the wagers were placed."""

from __future__ import annotations

from firmware.core.errors import ErrorCode
from firmware.core.wagers.rolled import Roll, Rolled
from firmware.interfaces.fields import check_keys, take_integer, take_list, wrong
from firmware.interfaces.strict_json import Fields

_BAD = ErrorCode.BAD_OUTCOME


def read_rolled(outcome: Fields) -> Rolled:
    """Raises `SettlementError`: `unknown_field`, `missing_field`, `bad_outcome`."""
    check_keys(outcome, "outcome.", ("rolls",), ())
    rolls = take_list(outcome["rolls"], "outcome.rolls", "a list of rolls", _BAD)
    return Rolled(tuple(_roll(roll, f"outcome.rolls[{index}]") for index, roll in enumerate(rolls)))


def _roll(value: object, where: str) -> Roll:
    dice = take_list(value, where, "two dice", _BAD)
    if len(dice) != 2:
        raise wrong(value, where, "two dice", _BAD)
    return take_integer(dice[0], f"{where}[0]", _BAD), take_integer(dice[1], f"{where}[1]", _BAD)
