"""What the dealer does at a wheel: the ball comes to rest, or what is out of the ordinary happens; numbers are checked.

Rules: the number under the ball is the one that the wheel's hand put it in, whatever any display says.
"""

from __future__ import annotations

import asyncio
import random

from msgspec.structs import replace

from hil.dealer_screen import DealerScreen, Screen
from hil.floorperson import Floorperson
from hil.panel import Panel
from hil.script import Happening, RoundPlan
from hil.wheel_hand import POCKETS, WheelHand

WHEEL_SPEAKS_S = 0.7
"""In this time the wheel has said once more that it is open: the chips lie there for sure."""


class Croupier:
    def __init__(
        self, panel: Panel, screen: DealerScreen, floor: Floorperson, wheel: WheelHand, chance: random.Random
    ) -> None:
        self._panel = panel
        self._screen = screen
        self._floor = floor
        self._wheel = wheel
        self._chance = chance

    async def leave_it_to_the_wheel(self, screen: Screen) -> None:
        """The button is forgotten."""
        await asyncio.sleep(WHEEL_SPEAKS_S)
        await self._wheel.no_more_bets()
        await self._screen.changed_from(screen, "the wheel's no more bets")

    async def spin(self, screen: Screen, plan: RoundPlan) -> RoundPlan:
        """The ball runs already. What is left of the plan afterwards: a mishap comes once."""
        wheel, left = self._wheel, plan
        if plan.happening in (Happening.MISDEAL, Happening.NO_SPIN):
            left = replace(plan, happening=Happening.NOTHING)
        same = plan.happening is Happening.SAME_NUMBER and wheel.last
        pocket = wheel.last if same else self._chance.choice(POCKETS)
        match plan.happening:
            case Happening.MISDEAL:
                await self._panel.call()
            case Happening.NO_SPIN:
                await wheel.no_spin()
                await self._screen.changed_from(screen, "no spin")
                await wheel.spin()
                return left
            case Happening.NUMBERS_DIFFER:
                await wheel.rest(pocket, next(other for other in POCKETS if other != pocket))
            case _:
                await wheel.rest(pocket)
        await self._screen.changed_from(screen, "the ball")
        return left

    async def check_number(self, screen: Screen) -> None:
        """The number shown is where the ball rests; else the floorperson has the other."""
        if screen.prompt.split(" ")[1].rstrip("?") == self._wheel.last:
            await self._panel.confirm()
        else:
            await self._panel.call()
            await self._screen.changed_from(screen, "CALL")
            await self._floor.choose(f"NUMBER {self._wheel.last}?")
        await self._screen.changed_from(screen, "the number was checked")

    async def let_it_rest(self) -> None:
        """The round is void; a ball that runs comes to rest all the same."""
        await self._wheel.rest_if_it_runs(self._chance.choice(POCKETS))
