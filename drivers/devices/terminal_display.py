"""The dealer's display drawn on the terminal that the daemon runs in: for a bench without a character display.

Rules: a screen is written when it changes, whole, framed, one below the other; nothing is moved or erased, so that the
output can be kept as a record. A terminal that is gone is a failed show.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Mapping, Sequence
from typing import TextIO

from drivers.events import LinkChanged, LinkState, ShowFailed, Shown
from drivers.ports import Emit, NowNs

COLUMNS = 20


def create(*, name: str, now_ns: NowNs, out: TextIO | None = None) -> TerminalDisplay:
    """The display on `out`, standard output where none is given."""
    return TerminalDisplay(name, now_ns, sys.stdout if out is None else out)


class TerminalDisplay:
    """A `DealerDisplay`."""

    def __init__(self, name: str, now_ns: NowNs, out: TextIO) -> None:
        self._name = name
        self._now_ns = now_ns
        self._out = out
        self._emit: Emit | None = None
        self._wanted: tuple[str, ...] = ()
        self._screens = 0
        self._link = LinkState.ABSENT

    @property
    def name(self) -> str:
        return self._name

    @property
    def identity(self) -> str:
        return "sim+display on the terminal"

    @property
    def link(self) -> LinkState:
        return self._link

    @property
    def counters(self) -> Mapping[str, int]:
        return {"screens": self._screens}

    def show(self, lines: Sequence[str]) -> None:
        if tuple(lines) != self._wanted:
            self._wanted = tuple(lines)
            self._write()

    async def run(self, emit: Emit) -> None:
        self._emit = emit
        self._link = LinkState.READY
        emit(LinkChanged(self._name, LinkState.READY, True, "", self._now_ns()))
        self._write()
        try:
            await asyncio.get_running_loop().create_future()
        finally:
            self._emit = None
            self._link = LinkState.ABSENT

    def _write(self) -> None:
        if self._emit is None or not self._wanted:
            return
        frame = "+" + "-" * COLUMNS + "+"
        body = "\n".join(f"|{line[:COLUMNS].ljust(COLUMNS)}|" for line in self._wanted)
        try:
            self._out.write(f"{frame}\n{body}\n{frame}\n")
            self._out.flush()
            self._screens += 1
            self._emit(Shown(self._name, self._now_ns()))
        except (OSError, ValueError) as error:  # ValueError: the stream was closed
            self._emit(ShowFailed(self._name, str(error), self._now_ns()))
