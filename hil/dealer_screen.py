"""The dealer's display as a person reads it: from the simulated display, never from the daemon.

Rules: what it says is in English and in four lines; the first is what the table is doing (`Title`), or "FLOOR n/m"
while the floorperson's menu is open. A wait that takes too long for a table in order is `Stuck`, with what was seen.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from enum import StrEnum

from msgspec import Struct

from hil.simclient import AsyncSimClient

LOOK_EVERY_S = 0.004
PATIENCE_S = 20.0
"""Far beyond all that a table in order takes, also on a loaded machine."""


class Title(StrEnum):
    """First lines that people act on."""

    CLOSED = "TABLE CLOSED"
    LAMP_TEST = "LAMP TEST"
    NO_WAGERS = "NO WAGERS"
    NEW_SHOE = "NEW SHOE NEEDED"
    BETTING = "BETTING OPEN"
    BETTING_CLOSED = "BETTING CLOSED"
    COUNT = "COUNT CHIPS"
    DEAL = "DEAL"
    SPIN = "SPIN"
    CHECK_NUMBER = "CHECK THE NUMBER"
    WAIT = "WAIT"
    AWARD = "AWARD"
    PLAY = "PLAY THE HANDS"
    WAIT_FOR_READER = "WAIT FOR READER"
    PAY = "PAY AND COLLECT"
    STOPPED = "ROUND STOPPED"
    VOID = "ROUND VOID"


class Stuck(Exception):
    """The table did not go on. The message says what was awaited and what the display showed."""


class Screen(Struct, frozen=True):
    """The four lines, without the blanks at their ends."""

    title: str
    prompt: str
    trouble: str
    keys: str

    @property
    def kind(self) -> str:
        """The title, without the amount that stands beside an award's."""
        return Title.AWARD if self.title.startswith(f"{Title.AWARD} ") else self.title

    @property
    def is_menu(self) -> bool:
        return self.title.startswith("FLOOR")

    def __str__(self) -> str:
        return " / ".join((self.title, self.prompt, self.trouble, self.keys))


class DealerScreen:
    """Eyes on the display."""

    def __init__(self, display: AsyncSimClient) -> None:
        self._display = display

    async def read(self) -> Screen:
        lines = (await self._display.call("screen"))["lines"]
        assert isinstance(lines, list) and len(lines) == 4, f"a display of four lines, got {lines!r}"
        return Screen(*(str(line).strip() for line in lines))

    async def until(self, what: str, fits: Callable[[Screen], bool]) -> Screen:
        """Wait until the display fits. Raises `Stuck`."""
        seen = await self.read()
        try:
            async with asyncio.timeout(PATIENCE_S):
                while not fits(seen):
                    await asyncio.sleep(LOOK_EVERY_S)
                    seen = await self.read()
        except TimeoutError:
            raise Stuck(f"waited {PATIENCE_S:.0f} s for {what}; the display shows: {seen}") from None
        return seen

    async def changed_from(self, before: Screen, after: str) -> Screen:
        """Wait until it no longer shows `before`; `after`: what was done."""
        return await self.until(f"the display to change after {after}", lambda screen: screen != before)
