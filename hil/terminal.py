"""The terminal while a live picture is on it: taken at the start, given back whatever happens.

Rules:
* The alternate screen, so that what was there comes back; no cursor, no echo of keys; Ctrl-C stays a signal, Ctrl-Z is
  off (it would leave the picture on the shell's screen).
* A terminal that is too small, or not one for this, is refused with the reason (`NotATerminal`): plain lines then.
"""

from __future__ import annotations

import os
import sys
import termios
from types import TracebackType
from typing import Self

from hil.canvas import Canvas
from hil.picture import COLUMNS, ROWS


class NotATerminal(Exception):
    """Why there is no live picture."""


class Terminal:
    """A context manager around the live picture."""

    def __init__(self) -> None:
        """Raises `NotATerminal`."""
        if not sys.stdout.isatty():
            raise NotATerminal("standard output is no terminal")
        if os.environ.get("TERM", "dumb") == "dumb":
            raise NotATerminal("TERM says that the terminal can only print lines")
        if "utf" not in (sys.stdout.encoding or "").lower():
            raise NotATerminal(f"the terminal's encoding is {sys.stdout.encoding}, the picture needs UTF-8")
        size = os.get_terminal_size(sys.stdout.fileno())
        if size.columns < COLUMNS or size.lines < ROWS:
            raise NotATerminal(
                f"the terminal has {size.columns}x{size.lines} characters, the picture needs {COLUMNS}x{ROWS}"
            )
        self._size = size
        self._shown: Canvas | None = None
        self._before: list[int | list[bytes | int]] | None = None

    def __enter__(self) -> Self:
        if sys.stdin is not None and sys.stdin.isatty():
            descriptor = sys.stdin.fileno()
            self._before = termios.tcgetattr(descriptor)
            quiet = termios.tcgetattr(descriptor)
            quiet[3] &= ~(termios.ECHO | termios.ICANON)
            quiet[6][termios.VSUSP] = os.fpathconf(descriptor, "PC_VDISABLE").to_bytes(1, "little")
            termios.tcsetattr(descriptor, termios.TCSADRAIN, quiet)
        self._write("\x1b[?1049h\x1b[?25l")
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._write("\x1b[0m\x1b[?25h\x1b[?1049l")
        if self._before is not None:
            # What was typed meanwhile was for nobody.
            termios.tcsetattr(sys.stdin.fileno(), termios.TCSAFLUSH, self._before)

    def show(self, canvas: Canvas) -> None:
        """Draw what has changed; everything anew after a change of size, in which a small terminal shows a part."""
        size = os.get_terminal_size(sys.stdout.fileno())
        if size != self._size:
            self._size, self._shown = size, None
        part = canvas if size.columns >= COLUMNS and size.lines >= ROWS else canvas.part(size.columns, size.lines)
        self._write(part.to_terminal(self._shown))
        self._shown = part

    @staticmethod
    def _write(text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()
