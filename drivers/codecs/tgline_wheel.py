"""What a `tgline` wheel says (tag `TGWHL`): verbs and arguments. Lines and checks: `tgline.py`. No port, no clock.

    STATE,<1..6>,<previous number|-->,<warnings hex>,<rpm10>,<0|1>   WIN,<0..36|00>   WARN,<hex>
    BOOT,1,<37|38>   STBY

Rules:
* State, warnings and direction mean what they mean on a Slingshot 2; in state 5 the number is this spin's.
* STATE comes at each change and at least every 5 s, and is never acknowledged; WIN, WARN and BOOT are.
* BOOT tells how many pockets the wheel has. Acknowledgement, repeats and refusals: `tgline_events.py`.
"""

from __future__ import annotations

import re
from typing import assert_never

from msgspec import Struct

from drivers.codecs.cammegh_ss2 import Trouble, WheelState
from drivers.codecs.tgline import Line, Tag
from drivers.codecs.tgline_events import PROTOCOL, Refusal, StandBy

POCKETS = (37, 38)
_POCKET = re.compile("00|0|[1-9]|[12][0-9]|3[0-6]")
_NONE = "--"


class Boot(Struct, frozen=True):
    """The reader was reset. `pockets`: 37, or 38 with the 00."""

    pockets: int


class State(Struct, frozen=True):
    """`number`: the last one, "" before the first; this spin's in state 5."""

    state: WheelState
    number: str
    warnings: Trouble
    rotor_rpm10: int
    clockwise: bool


class Win(Struct, frozen=True):
    pocket: str


class Warn(Struct, frozen=True):
    """The warnings that stand now; none: they are over."""

    warnings: Trouble


Message = Boot | StandBy | State | Win | Warn


def message_of(line: Line) -> Message | Refusal:
    """What a line of a wheel says. Never raises."""
    match line.verb, line.arguments:
        case "BOOT", (protocol, pockets) if protocol == str(PROTOCOL) and pockets in map(str, POCKETS):
            return Boot(int(pockets))
        case "STBY", ():
            return StandBy()
        case "STATE", (state, number, warnings, rpm10, "0" | "1" as direction) if (
            re.fullmatch("[1-6]", state) and re.fullmatch("[0-9A-F]", warnings) and re.fullmatch("[0-9]{1,3}", rpm10)
        ):
            if number == _NONE:
                number = ""
            elif not _POCKET.fullmatch(number):
                return Refusal.ARGUMENT
            if str(int(rpm10)) != rpm10 or (not number and state == "5"):
                return Refusal.ARGUMENT
            return State(WheelState(int(state)), number, Trouble(int(warnings, 16)), int(rpm10), direction == "0")
        case "WIN", (pocket,) if _POCKET.fullmatch(pocket):
            return Win(pocket)
        case "WARN", (warnings,) if re.fullmatch("[0-9A-F]", warnings):
            return Warn(Trouble(int(warnings, 16)))
        case (("BOOT" | "STBY" | "STATE" | "WIN" | "WARN"), _):
            return Refusal.ARGUMENT
        case _:
            return Refusal.VERB


def line_of(address: int, seq: int, message: Message) -> Line:
    """The line with which a wheel says it. ValueError for what has no legal form."""
    verb, arguments = _words(message)
    line = Line(Tag.WHEEL, address, seq, verb, arguments)
    if message_of(line) != message:
        raise ValueError(f"no legal tgline of a wheel for {message}")
    return line


def _words(message: Message) -> tuple[str, tuple[str, ...]]:
    match message:
        case Boot(pockets=pockets):
            return "BOOT", (str(PROTOCOL), str(pockets))
        case StandBy():
            return "STBY", ()
        case State(state=state, number=number, warnings=warnings, rotor_rpm10=rpm10, clockwise=clockwise):
            direction = "0" if clockwise else "1"
            return "STATE", (str(state.value), number or _NONE, f"{warnings.value:X}", str(rpm10), direction)
        case Win(pocket=pocket):
            return "WIN", (pocket,)
        case Warn(warnings=warnings):
            return "WARN", (f"{warnings.value:X}",)
        case _:
            assert_never(message)
