"""The people of `hil play` at a virtual Pi: the same dealer and floorperson, with their hands on the guest's lines."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import cast

from firmware.settings.check import load_checked
from firmware.settings.rules import to_rules
from hil.chip_control import ChipControl
from hil.dealer import Dealer
from hil.dealer_screen import DealerScreen
from hil.layout import Contacts, Layout, Spot
from hil.panel import Panel
from hil.script import Happening, RoundPlan
from hil.simclient import AsyncSimClient
from tests.virtual_pi.machine import VirtualPi

WAGER = "royal_9_progressive"


class GuestLines:
    """Stands where `Panel` expects the control of a simulated chip: sets lines of the guest's."""

    def __init__(self, pi: VirtualPi) -> None:
        self._pi = pi
        self._one_at_a_time = asyncio.Lock()

    async def set(self, line: int, level: bool) -> int:
        async with self._one_at_a_time:
            (at_ns,) = await asyncio.to_thread(self._pi.train, [(line, int(level), 0)])
        return at_ns

    async def script(self, steps: Sequence[tuple[float, int, bool]]) -> list[int]:
        until_us = [at_us for at_us, _, _ in steps[1:]] + [steps[-1][0]]
        train = [
            (line, int(level), round((next_us - at_us) * 1_000))
            for (at_us, line, level), next_us in zip(steps, until_us, strict=True)
        ]
        async with self._one_at_a_time:
            return await asyncio.to_thread(self._pi.train, train)


def layout_of(config: Path, run_dir: Path) -> Layout:
    """Of the guest's own configuration."""
    table = load_checked(config, datetime.now(UTC).date().isoformat())
    settings = table.settings
    rules = to_rules(settings, table.catalogue)

    def number(line: str) -> int:
        return int(line.removeprefix("lines:"))

    keys = settings.keys
    return Layout(
        config=config,
        settings=settings,
        run_dir=run_dir,
        lines_device="lines",
        reader=rules.reader,
        line_count=28,
        pixel_count=7,
        brightness_percent=40,
        spots={
            Spot(position, wager): number(line)
            for wager, offer in settings.wagers.items()
            for position, line in enumerate(offer.spots, start=1)
        },
        lamps={},
        lockout=number(keys.lockout),
        confirm=number(keys.confirm),
        call=number(keys.call),
        clear=number(keys.clear),
        floor_key=Contacts(number(keys.floor_key.normally_closed), number(keys.floor_key.normally_open)),
        reset_key=Contacts(number(keys.reset_key.normally_closed), number(keys.reset_key.normally_open)),
        progressive=frozenset({WAGER}),
        dealt_in_by="",
        fresh_deck=False,
        folds=(),
    )


async def dealer_at(pi: VirtualPi, layout: Layout, folder: Path, seed: int) -> Dealer:
    """A dealer who reads the simulated display and deals from the simulated shoe behind the guest's adapters."""
    panel = Panel(cast(ChipControl, GuestLines(pi)), layout)
    screen = DealerScreen(await AsyncSimClient.connect(folder / "display.ctl"))
    shoe = await AsyncSimClient.connect(folder / "shoe.ctl")
    return Dealer(layout, panel, screen, shoe, seed, 0)


def plain_round(*positions: int) -> RoundPlan:
    """A round with chips of the progressive at these positions."""
    return RoundPlan(Happening.NOTHING, tuple(Spot(position, WAGER) for position in positions))
