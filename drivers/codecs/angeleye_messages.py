"""What Angel Eye II-EX telegrams say: the messages and their data bytes, bit 7 left out. Framing: `angeleye.py`.

Source: public third-party implementations of the vendor's RS-232C telegrams; the vendor's paper was not seen.
"""

from __future__ import annotations

from enum import IntEnum
from typing import TypeVar, assert_never

from msgspec import Struct

_RANKS = "A23456789TJQK"
_SUITS = {1: "D", 2: "C", 3: "S", 4: "H"}
_SUIT_CODES = {letter: code for code, letter in _SUITS.items()}
_HAND_INDEXES = range(1, 4)
_Kind = TypeVar("_Kind", bound=IntEnum)

DATA_LENGTHS = {"S": 0, "P": 0, "D": 2, "d": 2, "R": 2, "G": 1, "C": 0, "E": 1, "e": 1, "L": 1, "M": 6}
"""Data bytes behind each command letter."""


class Target(IntEnum):
    """Bits 6 to 4 of the target byte."""

    PLAYER = 0
    BANKER = 1
    BURN = 2
    FIRST_CARD = 4
    BURN_COUNT = 5


class OutsideMode(IntEnum):
    """What the shoe was doing when a card left it outside the game."""

    LOCK = 0
    ERROR = 1
    SETTING = 2


class Winner(IntEnum):
    """Bits 6 to 4 of the result byte."""

    PLAYER = 1
    TIE = 2
    BANKER = 4
    FORCED_END = 7


ERROR_TEXTS = {
    1: "can't read the card",
    2: "overdraw",
    3: "button mishandled",
    4: "card moved back at the exit",
    5: "card moved back midway",
    6: "card code error",
    7: "draw time-out",
}


class Started(Struct, frozen=True):
    """`S`: the shoe (re)started communication."""


class StandBy(Struct, frozen=True):
    """`P`: between rounds."""


class CardInGame(Struct, frozen=True):
    """`D`: a card left the shoe. `index` 1..3 for the hands, 0..15 otherwise; `card` None only outside the hands."""

    target: Target
    index: int
    card: str | None


class CardOutsideGame(Struct, frozen=True):
    """`d`: a card left a shoe that was locked, in error or being set up; `card` None where it wasn't read."""

    mode: OutsideMode
    card: str | None


class HeldOver(Struct, frozen=True):
    """`R`: after a cleared overdraw this card belongs to the next game."""

    target: Target
    index: int
    card: str


class Result(Struct, frozen=True):
    """`G`: the shoe's own result."""

    winner: Winner
    player_pair: bool
    banker_pair: bool


class CutCard(Struct, frozen=True):
    """`C`: the cutting card came out."""


class Error(Struct, frozen=True):
    """`E`: code 0..63; `in_error_mode` says that the shoe waits for somebody."""

    code: int
    in_error_mode: bool


class ErrorCleared(Struct, frozen=True):
    """`e`: code 0..127."""

    code: int


class Lock(Struct, frozen=True):
    """`L`: the physical key."""

    locked: bool


class Preset(Struct, frozen=True):
    """`M`: a preset value was changed at the shoe; two and four ASCII characters."""

    address: str
    value: str


Message = (
    Started
    | StandBy
    | CardInGame
    | CardOutsideGame
    | HeldOver
    | Result
    | CutCard
    | Error
    | ErrorCleared
    | Lock
    | Preset
)


class IllegalValueError(Exception):
    """A value that the command doesn't allow."""


def decode_data(command: str, values: bytes) -> Message:
    """Data without bit 7, of the right length for `command`, to a message; `IllegalValueError` where it isn't legal."""
    match command:
        case "S":
            return Started()
        case "P":
            return StandBy()
        case "C":
            return CutCard()
        case "D":
            target, index = _target(values[0])
            card = _card(values[1])
            if card is None and target in (Target.PLAYER, Target.BANKER):
                raise IllegalValueError
            return CardInGame(target, index, card)
        case "R":
            target, index = _target(values[0])
            card = _card(values[1])
            if card is None:
                raise IllegalValueError
            return HeldOver(target, index, card)
        case "d":
            return CardOutsideGame(_member(OutsideMode, values[0]), _card(values[1]))
        case "G":
            if values[0] & 0b1100:
                raise IllegalValueError
            return Result(_member(Winner, values[0] >> 4), bool(values[0] & 1), bool(values[0] & 2))
        case "E":
            return Error(values[0] & 0x3F, bool(values[0] & 0x40))
        case "e":
            return ErrorCleared(values[0])
        case "L":
            if values[0] > 1:
                raise IllegalValueError
            return Lock(bool(values[0]))
        case "M":
            text = values.decode("ascii")
            if not text.isprintable():
                raise IllegalValueError
            return Preset(text[:2], text[2:])
        case _:
            raise AssertionError(f"command {command!r} stands in the table of lengths and isn't decoded")


def encode_data(message: Message) -> tuple[str, bytes]:
    """Command letter and data bytes without bit 7. ValueError for what no byte can hold."""
    match message:
        case Started():
            return "S", b""
        case StandBy():
            return "P", b""
        case CutCard():
            return "C", b""
        case CardInGame(target, index, card):
            return "D", bytes([_target_byte(target, index), _card_byte(card)])
        case HeldOver(target, index, card):
            return "R", bytes([_target_byte(target, index), _card_byte(card)])
        case CardOutsideGame(mode, card):
            return "d", bytes([mode, _card_byte(card)])
        case Result(winner, player_pair, banker_pair):
            return "G", bytes([winner << 4 | banker_pair << 1 | player_pair])
        case Error(code, in_error_mode):
            return "E", bytes([_within(code, 0x3F, "error code") | in_error_mode << 6])
        case ErrorCleared(code):
            return "e", bytes([_within(code, 0x7F, "error code")])
        case Lock(locked):
            return "L", bytes([locked])
        case Preset(address, value):
            if len(address) != 2 or len(value) != 4:
                raise ValueError(f"a preset has 2 and 4 characters, got {address!r} and {value!r}")
            return "M", (address + value).encode("ascii")
        case _:
            assert_never(message)


def _target(value: int) -> tuple[Target, int]:
    target, index = _member(Target, value >> 4), value & 0x0F
    if target in (Target.PLAYER, Target.BANKER) and index not in _HAND_INDEXES:
        raise IllegalValueError
    return target, index


def _target_byte(target: Target, index: int) -> int:
    return target << 4 | _within(index, 0x0F, "index")


def _card(value: int) -> str | None:
    if value == 0:
        return None
    suit, rank = _SUITS.get(value >> 4), value & 0x0F
    if suit is None or not 1 <= rank <= len(_RANKS):
        raise IllegalValueError
    return _RANKS[rank - 1] + suit


def _card_byte(card: str | None) -> int:
    if card is None:
        return 0
    if len(card) != 2 or card[0] not in _RANKS or card[1] not in _SUIT_CODES:
        raise ValueError(f"a card is rank ({_RANKS}) and suit (SHDC), got {card!r}")
    return _SUIT_CODES[card[1]] << 4 | _RANKS.index(card[0]) + 1


def _member(kind: type[_Kind], value: int) -> _Kind:
    try:
        return kind(value)
    except ValueError:
        raise IllegalValueError from None


def _within(value: int, most: int, what: str) -> int:
    if not 0 <= value <= most:
        raise ValueError(f"Angel Eye {what} is 0..{most}, got {value}")
    return value
