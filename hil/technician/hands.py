"""Hands on a simulated bench for the panel: chips, buttons, keys, and the dealer's next step.

Rules:
* Only a simulated table has them. Everywhere else the panel only shows, and `NoHands` says why.
* At a bench that another process runs the chips are whoever's: what lies on the layout is read from the simulated chip
  before one is placed or taken. Its people go on doing what they do.
"""

from __future__ import annotations

import contextlib
from pathlib import Path

from firmware.app.status import TableStatus
from firmware.settings.problems import ConfigurationError
from hil.bench import Bench
from hil.chip_control import ChipControl, ChipControlError
from hil.dealer import Dealer
from hil.dealer_screen import DealerScreen
from hil.layout import NotForTheBench, Spot, layout_of
from hil.panel import Panel
from hil.sensors import connected
from hil.simclient import SimError
from hil.simulators import simulators_of

DEALER_SEED = 1
DEALER_THINK_MS = 150
"""The dealer's pauses: short, since a person has pressed a key for each step."""


class NoHands(Exception):
    """Why nothing can be placed at this table."""


class Hands:
    """What the panel's keys do. `dealer`: only at a bench of the panel's own."""

    def __init__(self, panel: Panel, ours: contextlib.AsyncExitStack, dealer: Dealer | None = None) -> None:
        """`ours`: connections that are closed with it."""
        self._panel = panel
        self._ours = ours
        self._dealer = dealer
        self._floor_key = False

    @classmethod
    async def attached(cls, status: TableStatus) -> Hands:
        """At the bench of a running daemon. Raises `NoHands`."""
        if status.profile != "simulated":
            raise NoHands("a real table: the panel only shows")
        try:
            layout = layout_of(Path(status.config), Path(status.run_dir))
        except (NotForTheBench, ConfigurationError) as error:
            raise NoHands(f"no chips can be placed here: {error}") from error
        simulators = simulators_of(layout.settings, layout.run_dir, DEALER_SEED)
        control = next(one.control for one in simulators if one.device == layout.lines_device)
        try:
            chip = await ChipControl.connect(control)
        except ChipControlError as error:
            raise NoHands(f"no chips can be placed here: {error}") from error
        ours = contextlib.AsyncExitStack()
        ours.push_async_callback(chip.close)
        try:
            sensors = await ours.enter_async_context(connected(layout))
        except SimError as error:
            await ours.aclose()
            raise NoHands(f"no chips can be placed here: {error}") from error
        return cls(Panel(chip, layout, sensors), ours)

    @classmethod
    def of(cls, bench: Bench, think_ms: int = DEALER_THINK_MS) -> Hands:
        """At a bench of one's own, which has no people: the dealer does a step when asked to."""
        dealer = Dealer(bench.layout, bench.panel, DealerScreen(bench.display), bench.shoe, DEALER_SEED, think_ms)
        return cls(bench.panel, contextlib.AsyncExitStack(), dealer)

    @property
    def has_dealer(self) -> bool:
        return self._dealer is not None

    async def close(self) -> None:
        """Only of `attached`: a bench closes its own connection."""
        await self._ours.aclose()

    async def chip(self, spot: Spot) -> str:
        """Place a chip, or take the one that lies there; what was done."""
        await self._look()
        if spot in self._panel.chips:
            await self._panel.take(spot)
            return f"chip taken from {spot.position}/{spot.wager}"
        await self._panel.place(spot)
        return f"chip placed on {spot.position}/{spot.wager}"

    async def _look(self) -> None:
        """Which chips lie there, whoever has placed them."""
        await self._panel.look()

    async def lock_out(self) -> str:
        await self._panel.lock_out()
        return "lock-out pressed"

    async def confirm(self) -> str:
        await self._panel.confirm()
        return "CONFIRM pressed"

    async def call(self) -> str:
        await self._panel.call()
        return "CALL pressed"

    async def clear(self) -> str:
        await self._panel.clear()
        return "CLEAR pressed"

    async def floor_key(self) -> str:
        """Turn the floorperson's key, or turn it back."""
        self._floor_key = not self._floor_key
        await self._panel.turn_floor_key(self._floor_key)
        return f"floorperson's key {'turned' if self._floor_key else 'at rest'}"

    async def reset_key(self) -> str:
        await self._panel.hold_reset_key()
        return "reset key held and let go"

    async def deal(self) -> str:
        """One step of what the dealer's display asks for. Raises `Stuck`."""
        assert self._dealer is not None, "only where `has_dealer`: at a bench with people they deal"
        return await self._dealer.step()
