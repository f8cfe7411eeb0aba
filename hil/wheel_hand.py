"""The croupier's hand at the simulated wheel: a whole game in as many status lines as a wheel needs to be believed.

Rules: the wheel is at rest, its number standing, until it is spun; it closes betting only in `no_more_bets`. A phase
that is not sure by one line is said twice.
"""

from __future__ import annotations

from drivers.codecs.cammegh_ss2 import SPINS
from hil.simclient import AsyncSimClient

PLACE_BETS, BALL_IN_RIM, NO_MORE_BETS, WINNING_NUMBER = 2, 3, 4, 5
WRONG_WAY = 2
POCKETS = ("0", "00", *map(str, range(1, 37)))


class WheelHand:
    def __init__(self, wheel: AsyncSimClient) -> None:
        self._wheel = wheel
        self.last = ""

    async def spin(self) -> None:
        """The ball is launched: the next game."""
        status = await self._wheel.call("status")
        spin = int(str(status["spin"]))
        if status["state"] == WINNING_NUMBER:
            spin = spin % SPINS + 1
        for state in (PLACE_BETS, PLACE_BETS, BALL_IN_RIM, BALL_IN_RIM):
            await self._wheel.call("be", state=state, spin=spin, warnings=0)

    async def no_more_bets(self) -> None:
        await self._wheel.call("be", state=NO_MORE_BETS)

    async def rest(self, pocket: str, status_says: str | None = None) -> None:
        """The ball rests. `status_says`: another number than the line."""
        await self.no_more_bets()
        await self._wheel.call("number", pocket=pocket)
        await self._wheel.call("be", state=WINNING_NUMBER, number=status_says or pocket)
        self.last = pocket

    async def rest_if_it_runs(self, pocket: str) -> None:
        """The round is void; the ball comes to rest all the same."""
        if (await self._wheel.call("status"))["state"] in (BALL_IN_RIM, NO_MORE_BETS):
            await self.rest(pocket)

    async def no_spin(self) -> None:
        """The ball runs with the rotor; the wheel goes back."""
        for _ in range(2):
            await self._wheel.call("be", state=BALL_IN_RIM, warnings=WRONG_WAY)
        for _ in range(2):
            await self._wheel.call("be", state=PLACE_BETS, warnings=0)
