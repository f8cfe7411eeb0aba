"""What a `tgline` bet board and its host say (tag `TGBET`): verbs and arguments. Lines and checks: `tgline.py`.

    host    POLL   ARM   LATCH
    board   STAT,<live>,<fault>,<flags>   SNAP,<token>,<latched>,<fault>

Rules:
* Boards share a bus: they speak only when polled, with the SEQ of the poll. What goes to everyone (FF) is not answered.
* `live`, `latched` and `fault` are four hex digits; bit i is the board's input i, betting position i + 1. `flags` is
  two: bit 0 reset key turned, bit 1 cover open (tamper), bit 2 the board was reset since the last poll.
* LATCH makes every board keep what it has at that instant; its SEQ is the token. A poll is then answered with SNAP,
  until ARM clears the latch.
* A board answers within 2 to 20 ms.
"""

from __future__ import annotations

import re

from msgspec import Struct

from drivers.codecs.tgline import BROADCAST, Line, Tag

INPUTS = 16

_WORD = re.compile("[0-9A-F]{4}")
_BYTE = re.compile("[0-9A-F]{2}")


class Flags(Struct, frozen=True):
    reset_key: bool = False
    tamper: bool = False
    rebooted: bool = False


class Status(Struct, frozen=True):
    """What the board has now. Bit i: input i."""

    live: int
    fault: int
    flags: Flags = Flags()


class Snapshot(Struct, frozen=True):
    """What the board had when LATCH `token` came."""

    token: int
    latched: int
    fault: int


def answer_of(line: Line) -> Status | Snapshot | None:
    """What a board's line says, or None. Never raises."""
    if line.tag is not Tag.BET_BOARD:
        return None
    match line.verb, line.arguments:
        case "STAT", (live, fault, flags) if (
            _WORD.fullmatch(live) and _WORD.fullmatch(fault) and _BYTE.fullmatch(flags)
        ):
            bits = int(flags, 16)
            return Status(int(live, 16), int(fault, 16), Flags(bool(bits & 1), bool(bits & 2), bool(bits & 4)))
        case "SNAP", (token, latched, fault) if all(map(_WORD.fullmatch, (token, latched, fault))) and int(token, 16):
            return Snapshot(int(token, 16), int(latched, 16), int(fault, 16))
        case _:
            return None


def line_of(address: int, seq: int, said: Status | Snapshot) -> Line:
    """The line with which a board says it."""
    match said:
        case Status(live=live, fault=fault, flags=flags):
            bits = flags.reset_key | flags.tamper << 1 | flags.rebooted << 2
            return Line(Tag.BET_BOARD, address, seq, "STAT", (f"{live:04X}", f"{fault:04X}", f"{bits:02X}"))
        case Snapshot(token=token, latched=latched, fault=fault):
            return Line(Tag.BET_BOARD, address, seq, "SNAP", (f"{token:04X}", f"{latched:04X}", f"{fault:04X}"))


def poll(address: int, seq: int) -> Line:
    return Line(Tag.BET_BOARD, address, seq, "POLL")


def latch(token: int) -> Line:
    """Every board keeps what it has now."""
    return Line(Tag.BET_BOARD, BROADCAST, token, "LATCH")


def arm(seq: int) -> Line:
    """Every board forgets its snapshot."""
    return Line(Tag.BET_BOARD, BROADCAST, seq, "ARM")
