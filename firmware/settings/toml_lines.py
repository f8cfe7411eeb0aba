"""Where a key stands in a TOML text, since the standard parser does not tell.

Rules: it is asked only about text that `tomllib` has accepted, so it need not judge syntax; it follows headers, keys,
inline tables and arrays with one scanner that knows strings and comments. An answer is the line of the longest part of
the path that it finds, so that a key that is missing is reported at its table.
"""

from __future__ import annotations

import re

Path = tuple[str, ...]

_TOKEN = re.compile(
    r'(?P<multi>"""(?:[^\\]|\\.)*?"{3,5}|\'\'\'.*?\'{3,5})'
    r'|(?P<string>"(?:[^"\\\n]|\\.)*"|\'[^\'\n]*\')'
    r"|(?P<comment>#[^\n]*)"
    r"|(?P<newline>\n)"
    r"|(?P<space>[ \t\r]+)"
    r"|(?P<bare>[A-Za-z0-9_+:-]+)"
    r"|(?P<mark>.)",
    re.DOTALL,
)


def line_of(text: str, path: Path) -> int:
    """Line, from 1, of the key or array entry `path` (entries are decimal numbers from 0), or of its nearest parent."""
    places = locate(text)
    for length in range(len(path), 0, -1):
        line = places.get(path[:length])
        if line is not None:
            return line
    return 0


def locate(text: str) -> dict[Path, int]:
    """Line of every key, table header and array entry of a valid TOML text."""
    return _Scanner(text).scan()


class _Scanner:
    def __init__(self, text: str) -> None:
        self._tokens: list[tuple[str, str, int]] = []
        line = 1
        for match in _TOKEN.finditer(text):
            kind = match.lastgroup or "mark"
            if kind not in ("space", "comment"):
                self._tokens.append((kind, match.group(), line))
            line += match.group().count("\n")
        self._at = 0
        self._places: dict[Path, int] = {}
        self._arrays: dict[Path, int] = {}

    def scan(self) -> dict[Path, int]:
        table: Path = ()
        while self._at < len(self._tokens):
            kind, mark, line = self._tokens[self._at]
            if kind == "newline":
                self._at += 1
            elif mark == "[":
                table = self._header(line)
            else:
                self._pair(table)
        return self._places

    def _peek(self) -> tuple[str, str, int]:
        return self._tokens[self._at] if self._at < len(self._tokens) else ("end", "", 0)

    def _skip_newlines(self) -> None:
        while self._peek()[0] == "newline":
            self._at += 1

    def _note(self, path: Path, line: int) -> None:
        for length in range(1, len(path) + 1):
            self._places.setdefault(path[:length], line)

    def _key(self) -> Path:
        """A key, dotted or not, up to but without `=` or `]`."""
        parts: list[str] = []
        while True:
            kind, mark, _ = self._peek()
            if kind == "string":
                parts.append(mark[1:-1])
            elif kind == "bare":
                parts.append(mark)
            elif mark != ".":
                return tuple(parts)
            self._at += 1

    def _header(self, line: int) -> Path:
        self._at += 1
        of_array = self._peek()[1] == "["
        self._at += of_array
        path = self._key()
        self._at += 2 if of_array else 1
        if of_array:
            index = self._arrays.get(path, 0)
            self._arrays[path] = index + 1
            path = (*path, str(index))
        self._note(path, line)
        return path

    def _pair(self, table: Path) -> None:
        line = self._peek()[2]
        path = (*table, *self._key())
        self._note(path, line)
        self._at += 1  # the equals sign
        self._value(path)

    def _value(self, path: Path) -> None:
        _, mark, _ = self._peek()
        if mark == "[":
            self._sequence(path)
        elif mark == "{":
            self._inline_table(path)
        else:
            while self._peek()[0] != "newline" and self._peek()[1] not in (",", "]", "}", ""):
                self._at += 1

    def _sequence(self, path: Path) -> None:
        self._at += 1
        index = 0
        while True:
            self._skip_newlines()
            _, mark, line = self._peek()
            if mark in ("]", ""):
                self._at += 1
                return
            if mark == ",":
                self._at += 1
                continue
            self._note((*path, str(index)), line)
            self._value((*path, str(index)))
            index += 1

    def _inline_table(self, path: Path) -> None:
        self._at += 1
        while True:
            self._skip_newlines()
            _, mark, _ = self._peek()
            if mark in ("}", ""):
                self._at += 1
                return
            if mark == ",":
                self._at += 1
                continue
            self._pair(path)
