"""A kernel input device's records: bytes to keys that go down and up, and back. No port, no clock.

A record is `struct input_event` of a 64-bit kernel, 24 bytes: seconds, microseconds, type, code, value. Only keys
(type 1) are handed on, with the kernel's own time; a repeat (value 2) is none. `Dropped` says that the kernel had to
leave records out: keys may have come up unseen.
"""

from __future__ import annotations

import struct

from msgspec import Struct

EVENT = struct.Struct("llHHi")
EV_SYN, EV_KEY = 0, 1
SYN_DROPPED = 3
UP, DOWN = 0, 1


class Key(Struct, frozen=True):
    code: int
    down: bool
    at_ns: int


class Dropped(Struct, frozen=True):
    at_ns: int


class RecordReader:
    """The receive side of one input device."""

    def __init__(self) -> None:
        self._bytes = bytearray()

    @property
    def waiting(self) -> int:
        """Bytes of an unfinished record."""
        return len(self._bytes)

    def reset(self) -> None:
        """The connection is a new one."""
        self._bytes.clear()

    def feed(self, data: bytes) -> list[Key | Dropped]:
        """Take records in any pieces. Never raises."""
        found: list[Key | Dropped] = []
        self._bytes += data
        whole = len(self._bytes) // EVENT.size * EVENT.size
        for seconds, micros, kind, code, value in EVENT.iter_unpack(bytes(self._bytes[:whole])):
            at_ns = seconds * 1_000_000_000 + micros * 1000
            if kind == EV_KEY and value in (UP, DOWN):
                found.append(Key(code, value == DOWN, at_ns))
            elif kind == EV_SYN and code == SYN_DROPPED:
                found.append(Dropped(at_ns))
        del self._bytes[:whole]
        return found


def record(code: int, down: bool, at_ns: int) -> bytes:
    """A key's record and the end of its report, as the kernel hands them out."""
    seconds, micros = at_ns // 1_000_000_000, at_ns % 1_000_000_000 // 1000
    return EVENT.pack(seconds, micros, EV_KEY, code, DOWN if down else UP) + EVENT.pack(seconds, micros, EV_SYN, 0, 0)
