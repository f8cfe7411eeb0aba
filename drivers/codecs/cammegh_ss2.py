"""Cammegh Slingshot 2 roulette wheel: lines to meanings and commands to bytes. No port, no clock.

9600 8N1. A packet begins with `*` and ends with CR and LF in any order; only the winning-number line has no `*`. There
is no checksum, so a line counts only if all of it has its one legal form; anything else is `Rejected` with its bytes.

Rules:
* The number in a status line is the last game's: it is this game's result only in state 5 (`Status.result`).
* A winning-number line is two characters, padded with a space: lines are never stripped.
* What follows from a status (no more bets, void, a mismatch of the two numbers) is decided elsewhere.

Source: SS2 Series Developers Information V2.07 (firmware 1.20 to 1.22), and public captures of a V2.50 wheel.
"""

from __future__ import annotations

import re
from enum import IntEnum, IntFlag, StrEnum

from msgspec import Struct

from drivers.codecs.text_lines import LineDecoder, LineSplitter

LIMIT = 64
"""Longest line, bytes."""
STATUS_PERIOD_S = 0.5
SILENT_LIMIT_S = 2.0
"""A wheel with automatic status that is silent for longer is lost (status every 0.48 to 0.51 s as measured)."""
LICENCE_EXPIRED = 999
SPINS = 256
"""The spin counter runs from 1 to this and begins anew."""

_STATUS = re.compile(rb"\*X;([1-6]);(\d{3});( \d|\d\d|  );([0-9A-F]);(\d{3});([01])")
_NUMBER = re.compile(rb" \d|\d\d")
_BONUS = re.compile(rb"\*Y;([1-6]);(\d{3})(?:;(\d{1,3}))?")
_REPLY = re.compile(rb"\*([A-Za-z])(?: ([ -~]*))?")
_MOST_POCKET = 36


class WheelState(IntEnum):
    BEFORE_GAME = 1
    PLACE_BETS = 2
    BALL_IN_RIM = 3
    NO_MORE_BETS = 4
    WINNING_NUMBER = 5
    CLOSED = 6


class Trouble(IntFlag):
    BALL_REMOVED = 1  # or not seen
    BALL_DIRECTION = 2  # the ball runs with the rotor; in state 3 a mis-spin
    FAULT = 4  # sensor, motor or encoder
    LAUNCH_FAILED = 8  # the wheel tries again


class Status(Struct, frozen=True):
    """A status line. `number` is the last winning number, "" before the first; see `result`."""

    state: WheelState
    spin: int  # 1..256, or 0 before the first
    number: str
    warnings: Trouble
    rotor_rpm10: int  # tenths of a revolution a minute
    clockwise: bool

    @property
    def result(self) -> str | None:
        """This game's winning number: only in state 5."""
        return self.number if self.state is WheelState.WINNING_NUMBER else None


class Number(Struct, frozen=True):
    """The winning-number line, sent once a game: "0" to "36" or "00"."""

    pocket: str


class Bonus(Struct, frozen=True):
    """A number of the bonus generator (firmware 1.22 and later); `value` None: its licence has expired."""

    index: int  # 1..6
    value: int | None  # 0..255
    days_left: int | None = None  # of the licence, where the wheel says it


class Reply(Struct, frozen=True):
    """The answer to a command: `*P OK`, `*o BUSY`, `*F 22`."""

    letter: str
    text: str


Message = Status | Number | Bonus | Reply


class Rejection(StrEnum):
    """Why a line was not taken; each is a counter of `Decoder.counters`."""

    FORM = "form"  # no legal line, a number above 36, a spin above 256
    BROKEN = "broken"
    OVERLONG = "overlong"


class Decoder(LineDecoder[Message]):
    """The receive side of one wheel."""

    def __init__(self) -> None:
        super().__init__(LineSplitter(LIMIT, start=b"*"), lambda line: (decode(line), Rejection.FORM), Rejection)


def decode(line: bytes) -> Message | None:
    """What a line without its end says; None if it has no legal form."""
    if match := _STATUS.fullmatch(line):
        state, spin, number, warnings, rpm10, direction = (part.decode() for part in match.groups())
        pocket = "" if number == "  " else _pocket(number)
        if pocket is None or int(spin) > SPINS or (not pocket and state == "5"):
            return None
        flags = Trouble(int(warnings, 16))
        return Status(WheelState(int(state)), int(spin), pocket, flags, int(rpm10), direction == "0")
    if _NUMBER.fullmatch(line):
        pocket = _pocket(line.decode())
        return None if pocket is None else Number(pocket)
    if match := _BONUS.fullmatch(line):
        index, value, days = (None if part is None else int(part) for part in match.groups())
        assert index is not None and value is not None, "both groups always match"
        if value > 255 and value != LICENCE_EXPIRED:
            return None
        return Bonus(index, None if value == LICENCE_EXPIRED else value, days)
    if (match := _REPLY.fullmatch(line)) and not line.startswith((b"*X;", b"*Y;")):
        return Reply(match[1].decode(), (match[2] or b"").decode())
    return None


def _pocket(number: str) -> str | None:
    """ "17", " 9", " 0" and "00" to the pocket's name; None for what no wheel has ("07", "37")."""
    text = number.lstrip(" ")
    if text == "00":
        return text
    return text if str(int(text)) == text and int(text) <= _MOST_POCKET else None


def encode(message: Message) -> bytes:
    """A message as the wheel sends it, CR LF included. ValueError for what it can't send."""
    match message:
        case Status(state, spin, number, warnings, rpm10, clockwise):
            line = f"*X;{state.value};{spin:03};{number:>2};{warnings.value:X};{rpm10:03};{0 if clockwise else 1}"
        case Number(pocket):
            line = f"{pocket:>2}"
        case Bonus(index, value, days_left):
            line = f"*Y;{index};{LICENCE_EXPIRED if value is None else value:03}"
            line += "" if days_left is None else f";{days_left:02}"
        case Reply(letter, text):
            line = f"*{letter}{' ' + text if text else ''}"
    raw = line.encode("ascii")
    if len(raw) > LIMIT or decode(raw) != message:
        raise ValueError(f"no legal line of a Slingshot 2 for {message}")
    return raw + b"\r\n"


class Command(StrEnum):
    """What the daemon may send; each is answered by a `Reply` (POLL by a `Status`)."""

    POLL = "*X"
    VOID = "*R"  # back to state 1: the required answer to a void game
    VERSION = "*S"
    MODEL = "*V"
    START_GAME = "*u 1"
    POWER_ON = "*P 1"
    POWER_OFF = "*P 0"
    SELF_TEST = "*F"


def encode_command(command: Command) -> bytes:
    return command.value.encode("ascii") + b"\r\n"


INTEGRATION_MODE = 1159
"""Operating mode for a host (guide, `*o`): reverse each game, wait for the user's start, vary the speed after no more
bets, automatic status, delay 5 to 1; with the single winning-number line."""


def encode_mode(mode: int) -> bytes:
    """`*o <mode>`: non-volatile operating mode, 0..65535."""
    if not 0 <= mode <= 0xFFFF:
        raise ValueError(f"a Slingshot 2 mode is 0 to 65535, got {mode}")
    return b"*o %d\r\n" % mode
