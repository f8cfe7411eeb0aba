"""What a `tgline` dice reader says (tag `TGDIC`): verbs and arguments. Lines: `tgline.py`. No port, no clock.

    ROLL,<d1>,<d2>[,<d3>]   UNDO   SHOOTER   ERR,<nn>   BOOT,1,<2|3>   STBY

Rules:
* Of the numbers of ERR these have a meaning: 01 a die can't be read, 02 a die left the table, 03 a die leans.
* BOOT tells how many dice are read. Acknowledgement, repeats and refusals: `tgline_events.py`.
"""

from __future__ import annotations

import re
from typing import assert_never

from msgspec import Struct

from drivers.codecs.tgline import Line, Tag
from drivers.codecs.tgline_events import PROTOCOL, Refusal, StandBy

UNREADABLE, OFF_THE_TABLE, COCKED = 1, 2, 3
DICE = (2, 3)


class Boot(Struct, frozen=True):
    """The reader was reset. `dice`: how many it reads."""

    dice: int


class Roll(Struct, frozen=True):
    faces: tuple[int, ...]  # two or three, 1..6 each


class Undo(Struct, frozen=True):
    """The last roll is taken back."""


class Shooter(Struct, frozen=True):
    """A new shooter."""


class Error(Struct, frozen=True):
    code: int  # 0..99


Message = Boot | StandBy | Roll | Undo | Shooter | Error


def message_of(line: Line) -> Message | Refusal:
    """What a line of a dice reader says. Never raises."""
    match line.verb, line.arguments:
        case "BOOT", (protocol, dice) if protocol == str(PROTOCOL) and dice in map(str, DICE):
            return Boot(int(dice))
        case "STBY", ():
            return StandBy()
        case "ROLL", faces if len(faces) in DICE and all(re.fullmatch("[1-6]", face) for face in faces):
            return Roll(tuple(map(int, faces)))
        case "UNDO", ():
            return Undo()
        case "SHOOTER", ():
            return Shooter()
        case "ERR", (code,) if re.fullmatch("[0-9]{2}", code):
            return Error(int(code))
        case (("BOOT" | "STBY" | "ROLL" | "UNDO" | "SHOOTER" | "ERR"), _):
            return Refusal.ARGUMENT
        case _:
            return Refusal.VERB


def line_of(address: int, seq: int, message: Message) -> Line:
    """The line with which a dice reader says it. ValueError for what has no legal form."""
    verb, arguments = _words(message)
    line = Line(Tag.DICE, address, seq, verb, arguments)
    if message_of(line) != message:
        raise ValueError(f"no legal tgline of a dice reader for {message}")
    return line


def _words(message: Message) -> tuple[str, tuple[str, ...]]:
    match message:
        case Boot(dice=dice):
            return "BOOT", (str(PROTOCOL), str(dice))
        case StandBy():
            return "STBY", ()
        case Roll(faces=faces):
            return "ROLL", tuple(map(str, faces))
        case Undo():
            return "UNDO", ()
        case Shooter():
            return "SHOOTER", ()
        case Error(code=code):
            return "ERR", (f"{code:02}",)
        case _:
            assert_never(message)
