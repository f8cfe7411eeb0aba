"""Barcode scanners on cards: key events or serial bytes to codes, codes to cards. No port, no clock.

A HID scanner types like a keyboard (`input_records.py`). A serial one sends text lines.

Rules:
* HID: a key counts when it goes down. ENTER ends a code, shift is followed. A code
  whose keys pause for over `IDLE_NS` is half a scan: it is rejected, and so is one with a key that no code has, and one
  of which the kernel says that it dropped records (SYN_DROPPED).
* Serial: a run of CR and LF ends a code; blanks around it and an AIM prefix ("]C0") are dropped; at most 64 characters.
* A code becomes a card by one map, chosen in the configuration; a code that it has not is `Rejected`, never guessed.
* The same code as the one before it, within `repeat_ns`, is the same scan.

Source: Linux input events (uapi/linux/input.h, 64-bit machines); card codes as read from two public programs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from drivers.codecs.input_records import Dropped, Key, RecordReader, record
from drivers.codecs.text_lines import LineSplitter

LIMIT = 64
IDLE_NS = 100_000_000
REPEAT_NS = 1_000_000_000

_ENTER = 28
_SHIFTS = frozenset({42, 54})
_ROWS = ((2, "1234567890-"), (16, "qwertyuiop"), (30, "asdfghjkl"), (44, "zxcvbnm"))
_KEYS = {first + offset: character for first, row in _ROWS for offset, character in enumerate(row)}
_AIM = re.compile(r"\][A-Za-z][0-9A-Za-z]")
_RANKS, _SUITS = "A23456789TJQK", "SHCD"

CardMap = Mapping[str, str]
"""Code -> card ("TH")."""


class MapName(StrEnum):
    """The maps that are public."""

    LETTER = "letter"  # suit letter, then rank: "H10", "SA"
    SRR0 = "srr0"  # suit 1 to 4 (S H C D), rank 01 to 13, 0: "1010" is the ace of spades


def named_map(name: MapName) -> CardMap:
    """The 52 codes of a map."""
    match name:
        case MapName.LETTER:
            codes = {suit + rank: rank + suit for suit in _SUITS for rank in _RANKS}
            return codes | {f"{suit}10": "T" + suit for suit in _SUITS}
        case MapName.SRR0:
            return {
                f"{number}{place:02}0": rank + suit
                for number, suit in enumerate(_SUITS, 1)
                for place, rank in enumerate(_RANKS, 1)
            }


class Card(Struct, frozen=True):
    """A card was scanned. `code`: what the scanner said."""

    card: str
    at_ns: int
    code: str


class Rejection(StrEnum):
    """Why a scan was not taken; each is a counter of the decoders."""

    UNKNOWN_CODE = "unknown_code"  # not in the map
    HALF_SCAN = "half_scan"  # a pause within a code, a key that no code has, a code that is too long


class Rejected(Struct, frozen=True):
    reason: Rejection
    at_ns: int
    code: str


class CodeReader:
    """Codes to cards, the same for both kinds of scanner. `counters`: cards, repeats and one entry per `Rejection`."""

    def __init__(self, codes: CardMap, repeat_ns: int = REPEAT_NS) -> None:
        """`repeat_ns`: within this time the same code is the same scan; 0 takes every one."""
        self._codes = codes
        self._repeat_ns = repeat_ns
        self._last: tuple[str, int] | None = None
        self.counters: dict[str, int] = {"cards": 0, "repeats": 0, **{reason.value: 0 for reason in Rejection}}

    def reset(self) -> None:
        self._last = None

    def take(self, code: str, at_ns: int) -> Card | Rejected | None:
        """A whole code; None for a repeat."""
        card = self._codes.get(code)
        if card is None:
            return self.reject(Rejection.UNKNOWN_CODE, code, at_ns)
        last, self._last = self._last, (code, at_ns)
        if last is not None and last[0] == code and at_ns - last[1] < self._repeat_ns:
            self.counters["repeats"] += 1
            return None
        self.counters["cards"] += 1
        return Card(card, at_ns, code)

    def reject(self, reason: Rejection, code: str, at_ns: int) -> Rejected:
        self.counters[reason] += 1
        return Rejected(reason, at_ns, code)


class SerialDecoder:
    """The receive side of a serial scanner (9600 8N1 from the factory)."""

    def __init__(self, reader: CodeReader) -> None:
        self._reader = reader
        self._lines = LineSplitter(LIMIT)

    @property
    def counters(self) -> dict[str, int]:
        return self._reader.counters

    @property
    def waiting(self) -> int:
        return self._lines.waiting

    def reset(self) -> None:
        """The connection is a new one."""
        self._lines.reset()
        self._reader.reset()

    def feed(self, data: bytes, arrived_ns: int = 0) -> list[Card | Rejected]:
        """Take bytes that arrived at `arrived_ns`; returns the scans that they completed. Never raises."""
        found: list[Card | Rejected] = []
        for line in self._lines.feed(data, arrived_ns):
            text = line.raw.decode("ascii", "backslashreplace").strip()
            if not text:
                continue
            if line.fault is not None:
                found.append(self._reader.reject(Rejection.HALF_SCAN, text, line.at_ns))
                continue
            scan = self._reader.take(_AIM.sub("", text, count=1) if _AIM.match(text) else text, line.at_ns)
            if scan is not None:
                found.append(scan)
        return found


class HidDecoder:
    """The receive side of a HID scanner: records of 24 bytes, stamped by the kernel (`at_ns` is the first key's)."""

    def __init__(self, reader: CodeReader) -> None:
        self._reader = reader
        self._records = RecordReader()
        self._keys: list[str] = []
        self._first_ns = self._last_ns = 0
        self._shifts: set[int] = set()
        self._spoiled = False

    @property
    def counters(self) -> dict[str, int]:
        return self._reader.counters

    @property
    def waiting(self) -> int:
        """Bytes of an unfinished record."""
        return self._records.waiting

    def reset(self) -> None:
        """The connection is a new one."""
        self._records.reset()
        self._shifts.clear()
        self._forget()
        self._reader.reset()

    def feed(self, data: bytes) -> list[Card | Rejected]:
        """Take records in any pieces; returns the scans that they completed. Never raises."""
        found: list[Card | Rejected] = []
        for each in self._records.feed(data):
            match each:
                case Key(code=code, down=down, at_ns=at_ns):
                    self._key(code, down, at_ns, found)
                case Dropped(at_ns=at_ns):
                    self._dropped(at_ns)
        return found

    def _key(self, code: int, down: bool, at_ns: int, found: list[Card | Rejected]) -> None:
        if code in _SHIFTS:
            (self._shifts.add if down else self._shifts.discard)(code)
            return
        if not down:
            return
        if (self._keys or self._spoiled) and at_ns - self._last_ns > IDLE_NS:
            found.append(self._reader.reject(Rejection.HALF_SCAN, "".join(self._keys), self._first_ns))
            self._forget()
        if code == _ENTER:
            self._enter(at_ns, found)
            return
        if not self._keys and not self._spoiled:
            self._first_ns = at_ns
        self._last_ns = at_ns
        character = _KEYS.get(code)
        if character is None or len(self._keys) >= LIMIT:
            self._spoiled = True
        else:
            self._keys.append(character.upper() if self._shifts else character)

    def _dropped(self, at_ns: int) -> None:
        """Records are missing, perhaps an ENTER or the end of a shift: what is being typed can't be trusted."""
        if not self._keys and not self._spoiled:
            self._first_ns = at_ns
        self._last_ns = at_ns
        self._spoiled = True
        self._shifts.clear()

    def _enter(self, at_ns: int, found: list[Card | Rejected]) -> None:
        text = "".join(self._keys)
        if self._spoiled:
            found.append(self._reader.reject(Rejection.HALF_SCAN, text, self._first_ns))
        elif text:
            scan = self._reader.take(text, self._first_ns)
            if scan is not None:
                found.append(scan)
        self._forget()

    def _forget(self) -> None:
        self._keys.clear()
        self._spoiled = False


def typed(code: str, at_ns: int = 0, between_ns: int = 5_000_000) -> bytes:
    """The records with which a scanner types `code` and ENTER. ValueError for a character that it has no key for."""
    codes = {character: key for key, character in _KEYS.items()}
    records = []

    def moved(key: int, down: bool) -> None:
        nonlocal at_ns
        records.append(record(key, down, at_ns))
        at_ns += between_ns

    for character in code:
        key = codes.get(character.lower())
        if key is None:
            raise ValueError(f"a scanner has no key for {character!r} of {code!r}")
        if character.isupper():
            moved(42, True)
        moved(key, True)
        moved(key, False)
        if character.isupper():
            moved(42, False)
    moved(_ENTER, True)
    moved(_ENTER, False)
    return b"".join(records)
