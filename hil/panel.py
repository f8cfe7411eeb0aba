"""Hands on the table's simulated lines: chips on spots, the dealer's buttons, the two key switches.

Rules:
* Levels are electrical, as the configuration's reference says: a contact closes to ground and pulls its line low, the
  lock-out button opens at a press, a key switch moves both contacts, the one that opens first.
* A button is held, and let go, for longer than its debounce time: what hands do slower than that the daemon must see.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping

from hil.chip_control import ChipControl
from hil.layout import Contacts, Layout, Spot
from hil.sensors import CLOSED, OPEN, ChipSensors, Sensors

HAND_MARGIN_MS = 15
"""How much longer than its debounce time a contact is held."""
RESET_HOLD_S = 1.1
"""The reset key counts when held for one second."""

BREAK_US = 2_000
"""Between the opening of one contact of a key and the closing of the other."""


class Panel:
    """What hands do. The chips that lie on the layout are kept here, since people see them."""

    def __init__(self, chip: ChipControl, layout: Layout, sensors: Mapping[str, Sensors] | None = None) -> None:
        """`sensors`: of the devices that have spots and are not the line chip, by name."""
        self._chip = chip
        self._sensors = {layout.lines_device: ChipSensors(chip), **(sensors or {})}
        self._layout = layout
        self._hold_s = (layout.settings.timing.stable_ms + HAND_MARGIN_MS) / 1000
        self._turns = {
            line: asyncio.Lock() for line in (layout.lockout, layout.confirm, layout.call, layout.clear, *layout.folds)
        }
        self._letting_go: asyncio.Task[None] | None = None
        self.chips: dict[Spot, int] = {}
        """Chips that lie on spots, with the time of their edge (monotonic ns)."""

    async def rest(self) -> None:
        """Everything as it is while nobody touches the table."""
        layout = self._layout
        await self._chip.set(layout.lockout, CLOSED)
        for key in (layout.floor_key, layout.reset_key):
            await self._chip.set(key.normally_closed, CLOSED)
            await self._chip.set(key.normally_open, OPEN)

    # --- chips ------------------------------------------------------------------------------------------------------

    async def place(self, spot: Spot) -> None:
        self.chips[spot] = await self._sensor(spot).cover(self._layout.spots[spot], True)

    async def take(self, spot: Spot) -> None:
        await self._sensor(spot).cover(self._layout.spots[spot], False)
        del self.chips[spot]

    async def look(self) -> None:
        """Which chips lie there, whoever has placed them."""
        covered = {device: await sensors.covered() for device, sensors in self._sensors.items()}
        for spot, line in self._layout.spots.items():
            if line in covered[self._device(spot)]:
                self.chips.setdefault(spot, 0)
            else:
                self.chips.pop(spot, None)

    def _device(self, spot: Spot) -> str:
        return self._layout.elsewhere.get(spot, self._layout.lines_device)

    def _sensor(self, spot: Spot) -> Sensors:
        return self._sensors[self._device(spot)]

    async def let_it_be_sensed(self, spot: Spot) -> None:
        """Leave a chip for as long as it takes to count as one."""
        since_ms = (time.monotonic_ns() - self.chips[spot]) / 1e6
        wait_ms = self._layout.settings.timing.present_ms + HAND_MARGIN_MS + self._layout.polled_within_ms(spot)
        await asyncio.sleep(max(0.0, wait_ms - since_ms) / 1000)

    async def sweep(self) -> None:
        """Take every chip, and wait until sensors can know it."""
        for spot in tuple(self.chips):
            await self.take(spot)
        await asyncio.sleep((self._layout.settings.timing.absent_ms + HAND_MARGIN_MS) / 1000)

    async def stick(self, spot: Spot) -> None:
        """The sensor says "chip" although there is none."""
        await self._sensor(spot).stick(self._layout.spots[spot], True)

    async def unstick(self, spot: Spot) -> None:
        await self._sensor(spot).stick(self._layout.spots[spot], False)

    # --- buttons and keys -------------------------------------------------------------------------------------------

    async def lock_out(self) -> int:
        """Press "no more bets"; returns at once with the time of the press, the button is let go in a while."""
        turn = self._turns[self._layout.lockout]
        await turn.acquire()
        try:
            at_ns = await self._chip.set(self._layout.lockout, OPEN)
        except BaseException:
            turn.release()
            raise
        self._letting_go = asyncio.create_task(self._let_go(turn))
        return at_ns

    async def _let_go(self, turn: asyncio.Lock) -> None:
        try:
            await asyncio.sleep(self._hold_s)
            await self._chip.set(self._layout.lockout, CLOSED)
            await asyncio.sleep(self._hold_s)
        finally:
            turn.release()

    async def confirm(self) -> None:
        await self._press(self._layout.confirm)

    async def call(self) -> None:
        await self._press(self._layout.call)

    async def clear(self) -> None:
        await self._press(self._layout.clear)

    async def fold(self, position: int) -> None:
        await self._press(self._layout.folds[position - 1])

    async def _press(self, line: int) -> None:
        async with self._turns[line]:
            await self._chip.set(line, CLOSED)
            await asyncio.sleep(self._hold_s)
            await self._chip.set(line, OPEN)
            await asyncio.sleep(self._hold_s)

    async def turn_floor_key(self, turned: bool) -> None:
        await self._turn(self._layout.floor_key, turned)

    async def hold_reset_key(self) -> None:
        """Turn the reset key, hold it for as long as it takes, and turn it back."""
        await self.turn_reset_key(True)
        await asyncio.sleep(RESET_HOLD_S)
        await self.turn_reset_key(False)

    async def turn_reset_key(self, turned: bool) -> None:
        await self._turn(self._layout.reset_key, turned)

    async def _turn(self, key: Contacts, turned: bool) -> None:
        opens, closes = (key.normally_closed, key.normally_open) if turned else (key.normally_open, key.normally_closed)
        # One movement: two commands could be further apart, under load, than a whole key's contacts may be.
        await self._chip.script([(0, opens, OPEN), (BREAK_US, closes, CLOSED)])
        await asyncio.sleep(self._hold_s)
