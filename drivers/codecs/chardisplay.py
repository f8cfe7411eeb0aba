"""Serial character display of 4 lines of 20, in the command set of the Matrix Orbital LK204-25.

Everything is text at the cursor but what follows the prefix FE:
`FE 58` clear, `FE 48` cursor home, `FE 47 column row` cursor (from 1), `FE 44` no line wrap, `FE 52` no scrolling,
`FE 4B` / `FE 54` underline / block cursor off. The display sends nothing.

Rules:
* Text is ASCII 20..7E (`plain_text`); the other codes are custom or national characters.
* A screen is four strings of exactly 20 characters (`screen`); `difference` writes only what changed.
* The decoder takes any bytes: unknown commands are counted and passed over, and it keeps at most a prefix and its
  arguments.

Source: Matrix Orbital LK204-25 user manual, command summary (factory setting of the line: 19200 8N1).
"""

from __future__ import annotations

from collections.abc import Sequence

from drivers.codecs.plain_text import displayable

COLUMNS, ROWS = 20, 4
PREFIX = 0xFE
CLEAR, HOME, GOTO = 0x58, 0x48, 0x47
WRAP_OFF, SCROLL_OFF, UNDERLINE_OFF, BLOCK_OFF = 0x44, 0x52, 0x4B, 0x54
_PLAIN = (WRAP_OFF, SCROLL_OFF, UNDERLINE_OFF, BLOCK_OFF)
_ARGUMENTS = {CLEAR: 0, HOME: 0, GOTO: 2} | dict.fromkeys(_PLAIN, 0)
_GOTO_COST = 4  # bytes of a cursor command: shorter gaps between changes are written over

Screen = tuple[str, str, str, str]
_BLANK_LINE = " " * COLUMNS
BLANK: Screen = (_BLANK_LINE, _BLANK_LINE, _BLANK_LINE, _BLANK_LINE)


def screen(lines: Sequence[str]) -> tuple[Screen, str]:
    """The whole screen for these lines, and what had to be cut off to make it ("" if nothing)."""
    shown = [displayable(line).rstrip() for line in lines]
    cut = [f"line {row} has {len(line)} characters" for row, line in enumerate(shown, 1) if len(line) > COLUMNS]
    if len(shown) > ROWS:
        cut.append(f"{len(shown)} lines")
    shown = [*shown, "", "", "", ""][:ROWS]
    first, second, third, fourth = (line[:COLUMNS].ljust(COLUMNS) for line in shown)
    return (first, second, third, fourth), ", ".join(cut)


def initialise() -> bytes:
    """Settings that the rest relies on, and a cleared screen."""
    return b"".join(bytes([PREFIX, command]) for command in (*_PLAIN, CLEAR))


def paint(shown: Screen) -> bytes:
    """The whole screen, without clearing (which would flicker)."""
    return b"".join(_at(0, row) + line.encode("ascii") for row, line in enumerate(shown))


def difference(old: Screen, new: Screen) -> bytes:
    """Only what differs: for each run of changed characters a cursor command and the characters."""
    out = bytearray()
    for row, (before, after) in enumerate(zip(old, new, strict=True)):
        changed = [column for column in range(COLUMNS) if before[column] != after[column]]
        while changed:
            start = end = changed.pop(0)
            while changed and changed[0] - end <= _GOTO_COST:
                end = changed.pop(0)
            out += _at(start, row) + after[start : end + 1].encode("ascii")
    return bytes(out)


def _at(column: int, row: int) -> bytes:
    return bytes([PREFIX, GOTO, column + 1, row + 1])


class Decoder:
    """What one display shows after the bytes fed to it."""

    def __init__(self) -> None:
        self._cells = [bytearray(line.encode("ascii")) for line in BLANK]
        self._column = self._row = 0
        self._command = bytearray()
        self.counters: dict[str, int] = {"characters": 0, "commands": 0, "unknown_commands": 0, "off_screen": 0}

    @property
    def lines(self) -> Screen:
        """The four lines as a person sees them."""
        first, second, third, fourth = (cells.decode("ascii") for cells in self._cells)
        return first, second, third, fourth

    @property
    def waiting(self) -> int:
        """Bytes of an unfinished command; at most 3."""
        return len(self._command)

    def feed(self, data: bytes) -> None:
        """Take bytes. Never raises."""
        for byte in data:
            if self._command or byte == PREFIX:
                self._command.append(byte)
                self._obey()
            else:
                self._put(byte)

    def _obey(self) -> None:
        if len(self._command) < 2:
            return
        code, arguments = self._command[1], self._command[2:]
        needed = _ARGUMENTS.get(code)
        if needed is None:
            self.counters["unknown_commands"] += 1
            self._command.clear()
            return
        if len(arguments) < needed:
            return
        self.counters["commands"] += 1
        if code == CLEAR:
            self._cells = [bytearray(line.encode("ascii")) for line in BLANK]
        if code in (CLEAR, HOME):
            self._column = self._row = 0
        elif code == GOTO:
            self._column, self._row = arguments[0] - 1, arguments[1] - 1
        self._command.clear()

    def _put(self, byte: int) -> None:
        if not (0 <= self._row < ROWS and 0 <= self._column < COLUMNS):
            self.counters["off_screen"] += 1
            return
        self._cells[self._row][self._column] = byte if 0x20 <= byte <= 0x7E else ord("?")
        self._column += 1
        self.counters["characters"] += 1
