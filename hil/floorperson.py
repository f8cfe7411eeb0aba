"""The floorperson: opens and closes the table, and decides what only a floorperson may, with the two keys.

Rules: works by the menu on the dealer's display as it is read there: CALL steps, CONFIRM takes the line shown. A
position in doubt is decided by looking at the layout: the chip lies there, or it does not.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from firmware.core.short_names import short_name
from hil.dealer_screen import DealerScreen, Screen, Stuck, Title
from hil.panel import Panel

AWARD_LINES = ("AWARD P", "SLIP ")
"""How lines of the menu begin that an award waits for."""

Pause = Callable[[], Awaitable[None]]
"""How long a person thinks."""


class Floorperson:
    def __init__(self, panel: Panel, screen: DealerScreen, pause: Pause) -> None:
        self._panel = panel
        self._screen = screen
        self._pause = pause

    async def open_table(self) -> None:
        await self.choose("OPEN TABLE")

    async def close_table(self) -> None:
        await self.choose("CLOSE TABLE")

    async def new_shoe(self) -> None:
        await self.choose("NEW SHOE")

    async def cut_card(self) -> None:
        """The dealer holds the cut card up, and the reader has not seen it."""
        await self.choose("CUT CARD CAME")

    async def void_or_resume(self) -> None:
        """Void the stopped round; where an award has been paid already it can only go on."""
        await self.choose("VOID ROUND", "RESUME ROUND")

    async def set_aside(self, card: str) -> None:
        """The card dealt last was exposed: the round goes on without it."""
        await self.choose(f"SET ASIDE {card}")
        await self.choose("RESUME ROUND")

    async def decide_doubts(self) -> None:
        """Confirm every wager in doubt whose chip lies there, cancel the others."""
        await self._turn_key(True)
        while (line := await self._screen.read()).prompt.startswith(("CONFIRM P", "CANCEL P")):
            verb, _, whose = line.prompt.partition(" P")
            await self._pause()
            if (verb == "CONFIRM") == self._lies_there(whose):
                await self._press_confirm(line)
            else:
                await self._press_call(line)
        await self._turn_key(False)

    async def see_to_awards(self) -> None:
        """Validate every award that the dealer has verified, or say of every slip that it is signed and complete."""
        await self._turn_key(True)
        while (line := await self._screen.read()).prompt.startswith(AWARD_LINES):
            await self._pause()
            await self._press_confirm(line)
        await self._turn_key(False)

    async def reset_meters(self) -> None:
        await self._pause()
        await self._panel.hold_reset_key()

    def _lies_there(self, whose: str) -> bool:
        """`whose`: "3 ROYAL 9", a position and the wager's short name."""
        position, _, name = whose.partition(" ")
        return any(spot.position == int(position) and short_name(spot.wager) == name for spot in self._panel.chips)

    async def choose(self, *labels: str) -> None:
        """Turn the key, step to the first of these lines that the menu has, take it, turn the key back."""
        await self._turn_key(True)
        for label in labels:
            if (line := await self._step_to(label)) is not None:
                await self._pause()
                await self._press_confirm(line)
                await self._turn_key(False)
                return
        shown = await self._screen.read()
        raise Stuck(f"the floorperson's menu has no line {' or '.join(labels)}; the display shows: {shown}")

    async def _step_to(self, label: str) -> Screen | None:
        """Once round the menu."""
        first = line = await self._screen.read()
        while line.prompt != label:
            line = await self._press_call(line)
            if line == first:
                return None
        return line

    async def _press_call(self, shown: Screen) -> Screen:
        await self._panel.call()
        return await self._screen.changed_from(shown, "CALL in the menu")

    async def _press_confirm(self, shown: Screen) -> None:
        await self._panel.confirm()
        await self._screen.changed_from(shown, f"CONFIRM on {shown.prompt!r}")

    async def _turn_key(self, turned: bool) -> None:
        await self._panel.turn_floor_key(turned)
        what = "the floorperson's menu" if turned else "the menu to close"
        await self._screen.until(what, lambda screen: screen.is_menu == turned and screen.title != Title.BETTING_CLOSED)
