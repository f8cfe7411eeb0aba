"""A six-key dice keypad, a numeric keypad in the dealer's hand: keys to rolls. No port, no clock.

Keys 1 to 6 of the upper row or of the number block; every other key is counted and means nothing.

Rules:
* Two presses within `window_ns` of each other make a roll, the same key twice a pair; a press alone is forgotten then.
* A key that is held for `hold_ns` is a function and no face: 1 undoes the last roll, 2 is a new shooter, 3 clears what
  was begun, 4 says that a die left the table, 6 that one leans; 5 is told as it is, for a menu.
* A press is judged when the key comes up; its time is that at which it went down. Keys may overlap.
* What is begun when records were dropped, or the connection is a new one, is forgotten: half a roll is none.

Source: the behaviour of the IDX CTD711 keypad as its maker describes it (two presses, holds of 1, 2, 3 and 5). Its wire
is not public; 4 and 6 are ours.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from drivers.codecs.input_records import Dropped, Key, RecordReader

WINDOW_NS = 2_000_000_000
HOLD_NS = 2_000_000_000
UPPER_ROW = {code: face for face, code in enumerate(range(2, 8), start=1)}
NUMBER_BLOCK = {79: 1, 80: 2, 81: 3, 75: 4, 76: 5, 77: 6}
FACES = UPPER_ROW | NUMBER_BLOCK


class Function(StrEnum):
    UNDO = "undo"
    SHOOTER = "shooter"
    CLEAR = "clear"
    OFF_THE_TABLE = "off_the_table"
    MENU = "menu"
    COCKED = "cocked"


HELD = dict(zip(range(1, 7), Function, strict=True))


class Pressed(Struct, frozen=True):
    """A key came up again. `function`: it was held for that; None: a face."""

    key: int
    at_ns: int
    function: Function | None


class Roll(Struct, frozen=True):
    """Two presses in their order. `at_ns`: the first one's."""

    faces: tuple[int, int]
    at_ns: int


class Decoder:
    """The receive side of one keypad. `counters`: presses, rolls, forgotten, other_keys, dropped."""

    def __init__(self, window_ns: int = WINDOW_NS, hold_ns: int = HOLD_NS) -> None:
        self._records = RecordReader()
        self._window_ns = window_ns
        self._hold_ns = hold_ns
        self._down: dict[int, int] = {}  # since when, by code
        self._first: Pressed | None = None
        self.counters: dict[str, int] = dict.fromkeys(("presses", "rolls", "forgotten", "other_keys", "dropped"), 0)

    @property
    def waiting(self) -> int:
        return self._records.waiting

    def reset(self) -> None:
        """The connection is a new one."""
        self._records.reset()
        self._forget()

    def feed(self, data: bytes, arrived_ns: int = 0) -> list[Pressed | Roll]:
        """Take records in any pieces; their own times count. Never raises."""
        found: list[Pressed | Roll] = []
        for each in self._records.feed(data):
            if isinstance(each, Dropped):
                self.counters["dropped"] += 1
                self._forget()
            elif each.code not in FACES:
                self.counters["other_keys"] += each.down
            elif each.down:
                self._down[each.code] = each.at_ns
            elif (down_ns := self._down.pop(each.code, None)) is not None:
                self._press(each, down_ns, found)
        return found

    def _press(self, up: Key, down_ns: int, found: list[Pressed | Roll]) -> None:
        key = FACES[up.code]
        self.counters["presses"] += 1
        if up.at_ns - down_ns >= self._hold_ns:
            pressed = Pressed(key, down_ns, HELD[key])
            found.append(pressed)
            self._drop_first()
            return
        pressed = Pressed(key, down_ns, None)
        found.append(pressed)
        first = self._first
        if first is not None and abs(down_ns - first.at_ns) <= self._window_ns:
            self._first = None
            self.counters["rolls"] += 1
            early, late = sorted((first, pressed), key=lambda press: press.at_ns)
            found.append(Roll((early.key, late.key), early.at_ns))
        else:
            self._drop_first()
            self._first = pressed

    def _drop_first(self) -> None:
        if self._first is not None:
            self.counters["forgotten"] += 1
            self._first = None

    def _forget(self) -> None:
        self._down.clear()
        self._drop_first()
