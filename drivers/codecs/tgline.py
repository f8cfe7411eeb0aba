"""`tgline` version 1: our own line protocol for devices with no public one. No port, no clock.

    $TAG,ADDR,SEQ,VERB[,ARG]...*CHECK CR LF

Rules:
* Printable ASCII without `$ * ,` inside fields; at most 96 bytes from `$` to LF.
* CHECK covers the bytes between `$` and `*`: two upper-case hex digits are their XOR, four their CRC-16/KERMIT. Bet
  boards and meters (`TGBET`, `TGJPM`) sit on a bus and must use four.
* A line whose check is wrong is dropped whole; `$` inside a line begins a new one.
* What a verb's arguments mean stands with the device that speaks it; here a line is only a line.
* Repeats are the device's affair: an event is sent until its SEQ is acknowledged, and counts once per (TAG, ADDR, SEQ).
"""

from __future__ import annotations

import re
from enum import StrEnum

from msgspec import Struct

from drivers.codecs.text_lines import LineDecoder, LineSplitter

LIMIT = 96
"""Longest line, `$` and CR LF included."""
BROADCAST = 0xFF
_LINE = re.compile(rb"\$([A-Z]{5}),([0-9A-F]{2}),([0-9A-F]{4}),([A-Z]{2,8})((?:,[^$*,]*)*)\*([0-9A-F]{4}|[0-9A-F]{2})")
_PRINTABLE = re.compile(rb"[ -~]*")


class Tag(StrEnum):
    """Which kind of device speaks, and whether it sits on a bus."""

    SHOE = "TGSHO"
    WHEEL = "TGWHL"
    DICE = "TGDIC"
    BET_BOARD = "TGBET"
    METER = "TGJPM"

    @property
    def on_bus(self) -> bool:
        """Its lines carry the four-digit check."""
        return self in (Tag.BET_BOARD, Tag.METER)


class Line(Struct, frozen=True):
    """One line's content."""

    tag: Tag
    address: int  # 0x01..0xFE, 0xFF for everyone
    seq: int  # 1..0xFFFF
    verb: str
    arguments: tuple[str, ...] = ()


class Rejection(StrEnum):
    """Why bytes were not taken; each is a counter of `Decoder.counters`."""

    CHECKSUM = "checksum"
    SHORT_CHECK = "short_check"  # two digits where the bus needs four
    FORM = "form"
    BROKEN = "broken"
    OVERLONG = "overlong"


class Decoder(LineDecoder[Line]):
    """One port's receive side."""

    def __init__(self) -> None:
        super().__init__(LineSplitter(LIMIT - 2, start=b"$"), _judge, Rejection)


def _judge(raw: bytes) -> tuple[Line | None, str]:
    match = _LINE.fullmatch(raw)
    if match is None or not _PRINTABLE.fullmatch(raw) or match[1].decode() not in list(Tag):
        return None, Rejection.FORM
    tag, check = Tag(match[1].decode()), match[6]
    if tag.on_bus and len(check) == 2:
        return None, Rejection.SHORT_CHECK
    if check != (_xor if len(check) == 2 else _kermit)(raw[1 : -len(check) - 1]):
        return None, Rejection.CHECKSUM
    address, seq = int(match[2], 16), int(match[3], 16)
    if not address or not seq:
        return None, Rejection.FORM
    return Line(tag, address, seq, match[4].decode(), tuple(match[5].decode().split(",")[1:])), ""


def encode(line: Line) -> bytes:
    """The line with its check, CR LF included. ValueError for what has no legal form."""
    fields = (line.tag.value, f"{line.address:02X}", f"{line.seq:04X}", line.verb, *line.arguments)
    covered = ",".join(fields).encode("ascii")
    raw = b"$" + covered + b"*" + (_kermit if line.tag.on_bus else _xor)(covered)
    if len(raw) + 2 > LIMIT or _judge(raw)[0] != line:
        raise ValueError(f"no legal tgline of at most {LIMIT} bytes for {line}")
    return raw + b"\r\n"


def next_seq(seq: int) -> int:
    """The SEQ after this one; 0xFFFF is followed by 1."""
    return seq % 0xFFFF + 1


def _xor(covered: bytes) -> bytes:
    check = 0
    for byte in covered:
        check ^= byte
    return b"%02X" % check


def _kermit_table() -> tuple[int, ...]:
    table = []
    for value in range(256):
        for _ in range(8):
            value = value >> 1 ^ (0x8408 if value & 1 else 0)
        table.append(value)
    return tuple(table)


_KERMIT = _kermit_table()


def _kermit(covered: bytes) -> bytes:
    """CRC-16/KERMIT: polynomial 8408 reflected, begins with 0."""
    crc = 0
    for byte in covered:
        crc = crc >> 8 ^ _KERMIT[(crc ^ byte) & 0xFF]
    return b"%04X" % crc
