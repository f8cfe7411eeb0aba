"""The winning-number line of in-rim readers and passive displays: lines to pockets. No port, no clock.

9600 8N1; a line holds nothing but the number, with or without a leading space: "0" to "36" or "00". The reader tells no
state of the wheel, so "no more bets" comes from the dealer's button.

Rules:
* A line that is no pocket is `Rejected` with its bytes; "07" and "37" are none.
* The same number within `REPEAT_NS`, or the decoder's `repeat_ns`, of the last line that said it is the same game's (a
  display's repetition), and each repetition starts the time anew. A shorter game is not played on a wheel.

Source: the compatibility line described in the SS2 Series Developers Information V2.07.
"""

from __future__ import annotations

import re

from msgspec import Struct

from drivers.codecs.text_lines import LineSplitter

LIMIT = 8
REPEAT_NS = 5_000_000_000
_LINE = re.compile(rb" ?(00|0|[1-9]|[12]\d|3[0-6])")


class Number(Struct, frozen=True):
    """A winning number: "0" to "36" or "00"."""

    pocket: str
    at_ns: int
    raw: bytes


class Rejected(Struct, frozen=True):
    at_ns: int
    raw: bytes


class Decoder:
    """The receive side of one reader. `counters`: numbers, repeats, rejected."""

    def __init__(self, repeat_ns: int = REPEAT_NS) -> None:
        self._lines = LineSplitter(LIMIT)
        self._repeat_ns = repeat_ns
        self._last: Number | None = None
        self.counters: dict[str, int] = {"numbers": 0, "repeats": 0, "rejected": 0}

    @property
    def waiting(self) -> int:
        return self._lines.waiting

    def reset(self) -> None:
        """The connection is a new one. The last number stays known: a repetition after it is still one."""
        self._lines.reset()

    def feed(self, data: bytes, arrived_ns: int = 0) -> list[Number | Rejected]:
        """Take bytes that arrived at `arrived_ns`; returns what they completed. Never raises."""
        found: list[Number | Rejected] = []
        for line in self._lines.feed(data, arrived_ns):
            match = None if line.fault else _LINE.fullmatch(line.raw)
            if match is None:
                self.counters["rejected"] += 1
                found.append(Rejected(line.at_ns, line.raw))
                continue
            number = Number(match[1].decode(), line.at_ns, line.raw)
            last, self._last = self._last, number
            if last is not None and last.pocket == number.pocket and number.at_ns - last.at_ns <= self._repeat_ns:
                self.counters["repeats"] += 1
                continue
            self.counters["numbers"] += 1
            found.append(number)
        return found


def encode(pocket: str) -> bytes:
    """The line for a pocket, CR LF included. ValueError for what no wheel has."""
    raw = f"{pocket:>2}".encode("ascii")
    match = _LINE.fullmatch(raw)
    if match is None or match[1].decode() != pocket:
        raise ValueError(f"no pocket of a wheel: {pocket!r}; expected '0' to '36' or '00'")
    return raw + b"\r\n"
