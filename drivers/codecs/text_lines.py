"""Bytes to lines, for every protocol whose packets end with CR or LF. No port, no clock.

Rules:
* Any run of CR and LF is one end; empty lines do not exist.
* Where a protocol has a start byte (`*`, `$`), one in the middle of a line means that bytes were lost: what stood
  before it is handed out as `BROKEN` and a new line begins.
* At most `limit` bytes wait for their end. A longer line is handed out once, as `OVERLONG`, and the rest of it is
  dropped up to the next end or start byte.
* A line's time is the arrival of its first byte.
"""

from __future__ import annotations

import re
from enum import StrEnum

from msgspec import Struct


class Fault(StrEnum):
    BROKEN = "broken"  # a new packet began before this one ended
    OVERLONG = "overlong"


class Line(Struct, frozen=True):
    """A line without its end, or what is left of one. `at_ns`: arrival of its first byte."""

    raw: bytes
    at_ns: int
    fault: Fault | None = None


class LineSplitter:
    """The receive side of one port."""

    def __init__(self, limit: int, start: bytes = b"") -> None:
        """`limit`: longest line, bytes without its end. `start`: the byte with which a packet begins, if it has one."""
        self._limit = limit
        self._start = start
        self._mark = re.compile(b"[\r\n" + re.escape(start) + b"]")
        self._buffer = bytearray()
        self._at_ns = 0
        self._skipping = False

    @property
    def waiting(self) -> int:
        """Bytes of the unfinished line; never above the limit."""
        return len(self._buffer)

    def reset(self) -> None:
        """The connection is a new one: forget the unfinished line."""
        self._buffer.clear()
        self._skipping = False

    def feed(self, data: bytes, arrived_ns: int = 0) -> list[Line]:
        """Take bytes that arrived at `arrived_ns`; returns the lines that they ended. Never raises."""
        found: list[Line] = []
        at = 0
        for mark in self._mark.finditer(data):
            self._take(data[at : mark.start()], arrived_ns, found)
            at = mark.end()
            byte = mark[0]
            self._end(found, Fault.BROKEN if byte == self._start else None)
            self._skipping = False
            if byte == self._start:
                self._take(byte, arrived_ns, found)
        self._take(data[at:], arrived_ns, found)
        return found

    def _take(self, part: bytes, arrived_ns: int, found: list[Line]) -> None:
        if not part or self._skipping:
            return
        if not self._buffer:
            self._at_ns = arrived_ns
        room = self._limit - len(self._buffer)
        self._buffer += part[:room]
        if len(part) > room:
            self._end(found, Fault.OVERLONG)
            self._skipping = True

    def _end(self, found: list[Line], fault: Fault | None) -> None:
        if self._buffer:
            found.append(Line(bytes(self._buffer), self._at_ns, fault))
            self._buffer.clear()
