"""Bytes to lines, for every protocol whose packets end with CR or LF. No port, no clock.

Rules:
* Any run of CR and LF is one end; empty lines do not exist.
* Where a protocol has a start byte (`*`, `$`), one in the middle of a line means that bytes were lost: what stood
  before it is handed out as `BROKEN` and a new line begins.
* At most `limit` bytes wait for their end. A longer line is handed out once, as `OVERLONG`, and the rest of it is
  dropped up to the next end or start byte.
* A line's time is the arrival of its first byte.
* `LineDecoder` is the receive side of a protocol whose lines are judged one by one: the protocol adds only the judging.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from enum import StrEnum
from typing import Generic, TypeVar

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


Message = TypeVar("Message")


class Received(Struct, Generic[Message], frozen=True):
    """A line that was understood. `at_ns`: arrival of its first byte; `raw`: its bytes without the end."""

    message: Message
    at_ns: int
    raw: bytes


class Rejected(Struct, frozen=True):
    """A line that was not. `reason`: one of the protocol's, a counter of its decoder; the rest as of `Received`."""

    reason: str
    at_ns: int
    raw: bytes


class LineDecoder(Generic[Message]):
    """`counters`: lines and one entry for each reason."""

    def __init__(
        self, lines: LineSplitter, judge: Callable[[bytes], tuple[Message | None, str]], reasons: Iterable[str]
    ) -> None:
        """`judge`: a whole line's message, or None and the reason. `reasons`: those and both of `Fault`."""
        self._lines = lines
        self._judge = judge
        self.counters: dict[str, int] = {"lines": 0, **dict.fromkeys(map(str, reasons), 0)}

    @property
    def waiting(self) -> int:
        return self._lines.waiting

    def reset(self) -> None:
        """The connection is a new one."""
        self._lines.reset()

    def feed(self, data: bytes, arrived_ns: int = 0) -> list[Received[Message] | Rejected]:
        """Take bytes that arrived at `arrived_ns`; returns what they completed. Never raises."""
        found: list[Received[Message] | Rejected] = []
        for line in self._lines.feed(data, arrived_ns):
            message, reason = self._judge(line.raw) if line.fault is None else (None, line.fault)
            if message is not None:
                self.counters["lines"] += 1
                found.append(Received(message, line.at_ns, line.raw))
            else:
                self.counters[reason] += 1
                found.append(Rejected(reason, line.at_ns, line.raw))
        return found
