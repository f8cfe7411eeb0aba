"""Alpha sign protocol (Adaptive, BetaBrite): commands to packets. The sign's own side: `alpha_sign.py`.

A packet is `NUL x5  SOH type address STX command [ETX checksum] EOT`; the checksum is the 16-bit sum of STX through ETX
as four upper-case hex digits.

Rules:
* Text that reaches a packet has gone through `displayable`: a sign shows ASCII 20..7E, and a control character inside
  a text would be a command.
* A text that doesn't fit its file is refused here (`AlphaError`): the sign itself would empty the file.
* Releasing the priority file is the bare `A0` without ETX and checksum: anything more blanks the sign.

Source: Adaptive document 9708-8061F; the behaviour of full files and of the release as measured by others on a
BetaBrite Classic.
"""

from __future__ import annotations

from enum import Enum
from typing import assert_never

from msgspec import Struct

from drivers.codecs.plain_text import displayable

NUL, SOH, STX, ETX, EOT, ESC = 0x00, 0x01, 0x02, 0x03, 0x04, 0x1B
CALL_STRING, COLOUR = 0x10, 0x1C
SYNC_NULS = 5
PRIORITY_LABEL = "0"
PRIORITY_LIMIT = 125
STRING_LIMIT = 125
FILE_LABELS = "".join(chr(code) for code in range(0x21, 0x7F) if chr(code) not in "0?")
"""Labels of TEXT and STRING files; `0` is the priority file, `?` never names a string."""


class AlphaError(ValueError):
    """A command that the sign couldn't carry out. Says what, how much was given and how much is allowed."""


class Position(Enum):
    """Where on the sign; one-line signs want it all the same."""

    MIDDLE = b" "
    TOP = b'"'
    BOTTOM = b"&"
    FILL = b"0"


class Mode(Enum):
    ROTATE = b"a"
    HOLD = b"b"
    FLASH = b"c"


class Colour(Enum):
    RED = b"1"
    GREEN = b"2"
    AMBER = b"3"
    YELLOW = b"8"
    AUTO = b"C"


class StringCall(Struct, frozen=True):
    """The place in a TEXT where the content of a STRING file appears."""

    label: str


TextPart = str | Colour | StringCall


class WriteText(Struct, frozen=True):
    """Write a TEXT file, or the priority file (label `0`, at most 125 bytes), which then takes the whole sign."""

    label: str
    parts: tuple[TextPart, ...]
    mode: Mode = Mode.HOLD
    position: Position = Position.MIDDLE


class ReleasePriority(Struct, frozen=True):
    """Give the sign back to its normal files."""


class WriteString(Struct, frozen=True):
    """Write a STRING file, at most 125 bytes: changes in place, without blanking the sign."""

    label: str
    text: str


class TextFile(Struct, frozen=True):
    """An entry of the memory configuration: `size` bytes of text, shown always or (`FF00`) by its times."""

    label: str
    size: int
    locked: bool = False
    schedule: str = "FFFF"


class StringFile(Struct, frozen=True):
    """An entry of the memory configuration: a string of at most `size` bytes."""

    label: str
    size: int


class ConfigureMemory(Struct, frozen=True):
    """Erases every file of the sign and allots these."""

    files: tuple[TextFile | StringFile, ...]


class SetTime(Struct, frozen=True):
    """Set the sign's clock, 24 hours."""

    hour: int
    minute: int


class RunSequence(Struct, frozen=True):
    """Show these TEXT files, in this order, without regard to their times."""

    labels: str


Command = WriteText | ReleasePriority | WriteString | ConfigureMemory | SetTime | RunSequence


def checksum(covered: bytes) -> bytes:
    """Of the bytes STX through ETX."""
    return b"%04X" % (sum(covered) & 0xFFFF)


def encode(command: Command, *, with_checksum: bool = True, sign_type: str = "Z", address: str = "00") -> bytes:
    """One packet with one command. `AlphaError` for content that the sign couldn't hold."""
    if len(sign_type) != 1 or len(address) != 2 or not (sign_type + address).isascii():
        raise AlphaError(f"a sign's type is one character and its address two, got {sign_type!r} and {address!r}")
    body = bytes([STX]) + _body(command)
    if with_checksum and not isinstance(command, ReleasePriority):
        body += bytes([ETX])
        body += checksum(body)
    return bytes([NUL] * SYNC_NULS + [SOH]) + (sign_type + address).encode("ascii") + body + bytes([EOT])


def text_size(parts: tuple[TextPart, ...]) -> int:
    """Bytes that these parts take in their file."""
    return len(_content(parts))


def _body(command: Command) -> bytes:
    match command:
        case WriteText(label=label, parts=parts, mode=mode, position=position):
            content = _content(parts)
            if label == PRIORITY_LABEL:
                if not content:
                    raise AlphaError("an empty priority text blanks the sign; use ReleasePriority")
                if len(content) > PRIORITY_LIMIT:
                    raise AlphaError(f"the priority file holds {PRIORITY_LIMIT} bytes, got {len(content)}")
            else:
                _check_label(label)
            return b"A" + label.encode("ascii") + bytes([ESC]) + position.value + mode.value + content
        case ReleasePriority():
            return b"A" + PRIORITY_LABEL.encode("ascii")
        case WriteString(label=label, text=text):
            _check_label(label)
            content = displayable(text).encode("ascii")
            if len(content) > STRING_LIMIT:
                raise AlphaError(f"a string file holds {STRING_LIMIT} bytes, got {len(content)}")
            return b"G" + label.encode("ascii") + content
        case ConfigureMemory(files=files):
            return b"E$" + b"".join(_entry(file) for file in files)
        case SetTime(hour=hour, minute=minute):
            if not (0 <= hour <= 23 and 0 <= minute <= 59):
                raise AlphaError(f"the sign's time is 00:00..23:59, got {hour}:{minute}")
            return b"E " + b"%02d%02d" % (hour, minute)
        case RunSequence(labels=labels):
            for label in labels:
                _check_label(label)
            return b"E.TU" + labels.encode("ascii")
        case _:
            assert_never(command)


def _content(parts: tuple[TextPart, ...]) -> bytes:
    content = bytearray()
    for part in parts:
        match part:
            case str():
                content += displayable(part).encode("ascii")
            case Colour():
                content += bytes([COLOUR]) + part.value
            case StringCall(label=label):
                _check_label(label)
                content += bytes([CALL_STRING]) + label.encode("ascii")
            case _:
                assert_never(part)
    return bytes(content)


def _entry(file: TextFile | StringFile) -> bytes:
    _check_label(file.label)
    match file:
        case TextFile(label=label, size=size, locked=locked, schedule=schedule):
            if not 1 <= size <= 0xFFFF:
                raise AlphaError(f"text file {label}: size is 1..65535 bytes, got {size}")
            if len(schedule) != 4 or any(char not in "0123456789ABCDEF" for char in schedule):
                raise AlphaError(f"text file {label}: a schedule is four upper-case hex digits, got {schedule!r}")
            return b"%cA%c%04X" % (label.encode(), b"L" if locked else b"U", size) + schedule.encode("ascii")
        case StringFile(label=label, size=size):
            if not 1 <= size <= STRING_LIMIT:
                raise AlphaError(f"string file {label}: size is 1..{STRING_LIMIT} bytes, got {size}")
            return b"%cBL%04X0000" % (label.encode(), size)  # strings: always locked, never on a schedule
        case _:
            assert_never(file)


def _check_label(label: str) -> None:
    if len(label) != 1 or label not in FILE_LABELS:
        raise AlphaError(f"a file label is one character of 21..7E but '0' and '?', got {label!r}")
