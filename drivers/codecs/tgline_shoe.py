"""What a `tgline` shoe says (tag `TGSHO`): verbs and arguments. Lines and checks: `tgline.py`. No port, no clock.

    BOOT,1,<decks>   STBY   CARD,<P|B|X>,<index>,<card>   BURN,<index>,<card|-->   CUT
    RESULT,<P|B|T|F>,<N|P|B|2>   ERR,<nn>   CLR,<nn>   LOCK,<0|1>

Rules:
* `X`: the shoe does not know for which hand; such a card has a face. Elsewhere `--` is a face that was not read.
* Acknowledgement, repeats and refusals: `tgline_events.py`.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import assert_never

from msgspec import Struct

from drivers.codecs.tgline import Line, Tag
from drivers.codecs.tgline_events import PROTOCOL, Refusal, StandBy

_CARD = re.compile("[A23456789TJQK][SHDC]")
_UNREAD = "--"


class Target(StrEnum):
    PLAYER = "P"
    BANKER = "B"
    UNASSIGNED = "X"


class Winner(StrEnum):
    PLAYER = "P"
    BANKER = "B"
    TIE = "T"
    FORCED_END = "F"


class Pairs(StrEnum):
    NONE = "N"
    PLAYER = "P"
    BANKER = "B"
    BOTH = "2"


class Boot(Struct, frozen=True):
    """The shoe was reset: what it knew is lost. `decks`: how many it is set to."""

    decks: int


class CardInGame(Struct, frozen=True):
    """A card for a hand. `card` None: not read."""

    target: Target
    index: int
    card: str | None


class Burned(Struct, frozen=True):
    index: int
    card: str | None


class CutCard(Struct, frozen=True):
    pass


class Result(Struct, frozen=True):
    winner: Winner
    pairs: Pairs


class Error(Struct, frozen=True):
    """Numbers as the Angel Eye's."""

    code: int


class ErrorCleared(Struct, frozen=True):
    code: int


class Lock(Struct, frozen=True):
    locked: bool


Message = Boot | StandBy | CardInGame | Burned | CutCard | Result | Error | ErrorCleared | Lock


def message_of(line: Line) -> Message | Refusal:
    """What a line of a shoe says. Never raises."""
    match line.verb, line.arguments:
        case "BOOT", (protocol, decks) if protocol == str(PROTOCOL) and re.fullmatch("[1-9][0-9]?", decks):
            return Boot(int(decks))
        case "STBY", ():
            return StandBy()
        case "CARD", (target, index, card) if target in list(Target) and re.fullmatch("[1-9]", index):
            face = _face(card)
            if isinstance(face, Refusal) or (face is None and target == Target.UNASSIGNED):
                return Refusal.ARGUMENT
            return CardInGame(Target(target), int(index), face)
        case "BURN", (index, card) if re.fullmatch("[1-9][0-9]?", index):
            face = _face(card)
            return face if isinstance(face, Refusal) else Burned(int(index), face)
        case "CUT", ():
            return CutCard()
        case "RESULT", (winner, pairs) if winner in list(Winner) and pairs in list(Pairs):
            return Result(Winner(winner), Pairs(pairs))
        case "ERR", (code,) if re.fullmatch("[0-9]{2}", code):
            return Error(int(code))
        case "CLR", (code,) if re.fullmatch("[0-9]{2}", code):
            return ErrorCleared(int(code))
        case "LOCK", ("0" | "1" as locked,):
            return Lock(locked == "1")
        case (("BOOT" | "STBY" | "CARD" | "BURN" | "CUT" | "RESULT" | "ERR" | "CLR" | "LOCK"), _):
            return Refusal.ARGUMENT
        case _:
            return Refusal.VERB


def _face(card: str) -> str | Refusal | None:
    if card == _UNREAD:
        return None
    return card if _CARD.fullmatch(card) else Refusal.ARGUMENT


def line_of(address: int, seq: int, message: Message) -> Line:
    """The line with which a shoe says it. ValueError for what has no legal form."""
    verb, arguments = _words(message)
    line = Line(Tag.SHOE, address, seq, verb, arguments)
    if message_of(line) != message:
        raise ValueError(f"no legal tgline of a shoe for {message}")
    return line


def _words(message: Message) -> tuple[str, tuple[str, ...]]:
    match message:
        case Boot(decks=decks):
            return "BOOT", (str(PROTOCOL), str(decks))
        case StandBy():
            return "STBY", ()
        case CardInGame(target=target, index=index, card=card):
            return "CARD", (target.value, str(index), card or _UNREAD)
        case Burned(index=index, card=card):
            return "BURN", (str(index), card or _UNREAD)
        case CutCard():
            return "CUT", ()
        case Result(winner=winner, pairs=pairs):
            return "RESULT", (winner.value, pairs.value)
        case Error(code=code):
            return "ERR", (f"{code:02}",)
        case ErrorCleared(code=code):
            return "CLR", (f"{code:02}",)
        case Lock(locked=locked):
            return "LOCK", (str(int(locked)),)
        case _:
            assert_never(message)
