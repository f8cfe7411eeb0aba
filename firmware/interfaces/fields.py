"""Taking values out of a JSON object: every key known, every value of the kind that it must be, or a public error.

Rules:
* A key that does not exist is `unknown_field`, one that is needed and absent `missing_field`, at any depth.
* A value of the wrong type has the code of what it stands for, which the caller gives. True is no 1, 5.0 no 5 and "5"
  no 5.
* `where` is the path of a value as a person would write it ("outcome.player").
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from firmware.core.cards import CARDS, Card
from firmware.core.errors import ErrorCode, SettlementError
from firmware.core.roulette_wheel import Pocket
from firmware.interfaces.strict_json import Fields, shown

_POSITION = re.compile(r"[1-9][0-9]{0,5}", re.ASCII)

Value = TypeVar("Value")


def check_keys(fields: Fields, prefix: str, required: tuple[str, ...], optional: tuple[str, ...]) -> None:
    """Refuse keys other than these; `prefix` is the path before a key, with its dot."""
    for name in fields:
        if name not in required and name not in optional:
            raise SettlementError(
                ErrorCode.UNKNOWN_FIELD,
                f"{prefix}{name:.60}: no such key; known are {', '.join((*required, *optional)) or 'none'}",
            )
    for name in required:
        if name not in fields:
            raise missing(f"{prefix}{name}", "the key is required")


def missing(where: str, why: str) -> SettlementError:
    return SettlementError(ErrorCode.MISSING_FIELD, f"{where}: not given; {why}")


def wrong(value: object, where: str, expected: str, code: ErrorCode) -> SettlementError:
    """The error for a value that is not what it must be."""
    return SettlementError(code, f"{where}: got {shown(value)}, expected {expected}")


def take_object(value: object, where: str, code: ErrorCode) -> Fields:
    if not isinstance(value, dict):
        raise wrong(value, where, "an object", code)
    return value


def take_list(value: object, where: str, expected: str, code: ErrorCode) -> list[object]:
    """`expected` says what the list is of: "a list of cards"."""
    if not isinstance(value, list):
        raise wrong(value, where, expected, code)
    return value


def take_integer(value: object, where: str, code: ErrorCode) -> int:
    if type(value) is not int:  # not isinstance: True is an int to Python
        raise wrong(value, where, "a whole number", code)
    return value


def take_text(value: object, where: str, expected: str, code: ErrorCode) -> str:
    if not isinstance(value, str):
        raise wrong(value, where, expected, code)
    return value


def take_boolean(value: object, where: str, code: ErrorCode) -> bool:
    if not isinstance(value, bool):
        raise wrong(value, where, "true or false", code)
    return value


def take_card(value: object, where: str) -> Card:
    """A card ("TH"). Raises `SettlementError` (`bad_card`)."""
    text = take_text(value, where, 'a card such as "TH"', ErrorCode.BAD_CARD)
    try:
        return Card.parse(text)
    except SettlementError as error:
        raise SettlementError(error.code, f"{where}: {error.message}") from None


def take_cards(value: object, where: str, code: ErrorCode = ErrorCode.BAD_OUTCOME) -> tuple[Card, ...]:
    """A list of cards, of any length."""
    texts = take_list(value, where, "a list of cards", code)
    try:
        return tuple([CARDS[text] for text in texts])  # type: ignore[index]  # what is no text is no key
    except (KeyError, TypeError):
        return tuple(take_card(text, where) for text in texts)  # says which it is, and what is wrong with it


def take_pocket(value: object, where: str, code: ErrorCode) -> Pocket:
    """A compartment of the roulette wheel: 0 to 36, or "00"."""
    pocket = Pocket.parse(value)
    if pocket is None:
        raise wrong(value, where, 'a whole number from 0 to 36, or "00"', code)
    return pocket


def take_by_position(
    value: object, where: str, code: ErrorCode, take: Callable[[object, str], Value]
) -> dict[int, Value]:
    """An object whose keys are positions ("1"); `take` reads each value from its path."""
    found: dict[int, Value] = {}
    for key, item in take_object(value, where, code).items():
        if _POSITION.fullmatch(key) is None:
            raise SettlementError(code, f"{where}: got the key {shown(key)}, expected a position from 1")
        found[int(key)] = take(item, f"{where}.{key}")
    return found
