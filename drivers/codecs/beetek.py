"""USPC Bee-Tek card shoe: lines to cards. No port, no clock.

9600 8N1, one line a card, ended by CR LF: a letter for the suit, then the rank ("H10", "sA", "DT"). What else the shoe
says is not public, and it does not say for which hand a card is.

Rules:
* In its game mode the shoe may repeat the characters within a line ("SASA"): a line counts if it is one card once or
  several times. A damaged line is tried again two characters further on, until one card alone fits the whole rest; a
  line of two cards is none, since one of them would be lost unsaid.
* The same card again within `repeat_ns` is the same card drawn (the default is short: eight decks can deal two equal
  cards in a row).
* Any other line is `Rejected` with its bytes.

Source: two public third-party programs; the vendor's paper was not seen.
"""

from __future__ import annotations

import re

from msgspec import Struct

from drivers.codecs.text_lines import LineSplitter

LIMIT = 32
REPEAT_NS = 300_000_000
_CARD = re.compile(rb"(?:([CDHS])(A|[2-9]|10|T|J|Q|K))(?:\1\2)*")


class Card(Struct, frozen=True):
    """A card came out of the shoe: rank and suit ("TH")."""

    card: str
    at_ns: int
    raw: bytes


class Rejected(Struct, frozen=True):
    at_ns: int
    raw: bytes


class Decoder:
    """The receive side of one shoe. `counters`: cards, repeats, resynchronised, rejected."""

    def __init__(self, repeat_ns: int = REPEAT_NS) -> None:
        """`repeat_ns`: within this time the same card is the same event; 0 takes every line."""
        if repeat_ns < 0:
            raise ValueError(f"repeat_ns is a time, got {repeat_ns}")
        self._repeat_ns = repeat_ns
        self._lines = LineSplitter(LIMIT)
        self._last: Card | None = None
        self.counters: dict[str, int] = {"cards": 0, "repeats": 0, "resynchronised": 0, "rejected": 0}

    @property
    def waiting(self) -> int:
        return self._lines.waiting

    def reset(self) -> None:
        """The connection is a new one."""
        self._lines.reset()
        self._last = None

    def feed(self, data: bytes, arrived_ns: int = 0) -> list[Card | Rejected]:
        """Take bytes that arrived at `arrived_ns`; returns what they completed. Never raises."""
        found: list[Card | Rejected] = []
        for line in self._lines.feed(data, arrived_ns):
            text = None if line.fault else self._card(line.raw.upper())
            if text is None:
                self.counters["rejected"] += 1
                found.append(Rejected(line.at_ns, line.raw))
                continue
            card = Card(text, line.at_ns, line.raw)
            last, self._last = self._last, card
            if last is not None and last.card == text and card.at_ns - last.at_ns < self._repeat_ns:
                self.counters["repeats"] += 1
                continue
            self.counters["cards"] += 1
            found.append(card)
        return found

    def _card(self, line: bytes) -> str | None:
        for start in range(0, len(line), 2):
            if start and _CARD.fullmatch(line, start - 2, start):
                return None  # a whole card before another: the end between two lines was lost
            if match := _CARD.fullmatch(line, start):
                self.counters["resynchronised"] += bool(start)
                rank = match[2].decode()
                return ("T" if rank == "10" else rank) + match[1].decode()
        return None


def encode(card: str) -> bytes:
    """The line for a card ("TH"), CR LF included. ValueError for what is no card."""
    if not re.fullmatch("[A2-9TJQK][SHDC]", card):
        raise ValueError(f"no card: {card!r}; expected rank and suit, for example 'TH'")
    return f"{card[1]}{'10' if card[0] == 'T' else card[0]}\r\n".encode("ascii")
