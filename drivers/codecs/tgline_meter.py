"""What the host tells `tgline` jackpot meters (tag `TGJPM`). Lines and checks: `tgline.py`. No port, no clock.

    VAL,<level>,<12 digits cents>   HIT,<level>,<12 digits cents>,<seat>   CLR,<level>

Rules:
* All of it goes to everyone (FF) and nothing is answered: a meter can't say that it is there.
* VAL is told at least once and at most five times a second. A meter that heard none for `STALE_MS` shows dashes.
* HIT is told every second until CLR. `level` is one digit, `seat` two, from 01.
"""

from __future__ import annotations

import re

from msgspec import Struct

from drivers.codecs.tgline import BROADCAST, Line, Tag

STALE_MS = 5000
LEVELS = range(1, 10)
CENTS_MOST = 999_999_999_999

_LEVEL = re.compile("[1-9]")
_CENTS = re.compile("[0-9]{12}")
_SEAT = re.compile("0[1-9]|[1-9][0-9]")


class Value(Struct, frozen=True):
    level: int
    cents: int


class Hit(Struct, frozen=True):
    level: int
    cents: int
    seat: int


class Clear(Struct, frozen=True):
    level: int


Message = Value | Hit | Clear


def message_of(line: Line) -> Message | None:
    """What a line says to meters, or None. Never raises."""
    if line.tag is not Tag.METER:
        return None
    match line.verb, line.arguments:
        case "VAL", (level, cents) if _LEVEL.fullmatch(level) and _CENTS.fullmatch(cents):
            return Value(int(level), int(cents))
        case "HIT", (level, cents, seat) if (
            _LEVEL.fullmatch(level) and _CENTS.fullmatch(cents) and _SEAT.fullmatch(seat)
        ):
            return Hit(int(level), int(cents), int(seat))
        case "CLR", (level,) if _LEVEL.fullmatch(level):
            return Clear(int(level))
        case _:
            return None


def line_of(seq: int, message: Message) -> Line:
    """The line with which the host says it. ValueError for what has no legal form."""
    match message:
        case Value(level=level, cents=cents):
            line = Line(Tag.METER, BROADCAST, seq, "VAL", (str(level), f"{cents:012d}"))
        case Hit(level=level, cents=cents, seat=seat):
            line = Line(Tag.METER, BROADCAST, seq, "HIT", (str(level), f"{cents:012d}", f"{seat:02d}"))
        case Clear(level=level):
            line = Line(Tag.METER, BROADCAST, seq, "CLR", (str(level),))
    if message_of(line) != message:
        raise ValueError(f"no legal tgline of a meter for {message}")
    return line
