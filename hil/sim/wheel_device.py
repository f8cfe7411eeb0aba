"""What the simulated wheels have in common: a wheel that can be put into any state, or plays a game by itself.

Ops of all of them, beside those of `outbox.py`; a wheel tells what was changed at once:
* `be`: any of `state` 1..6, `spin`, `number` ("" for none), `warnings` 0..15, `rpm10`, `clockwise`
* `number` (`pocket`): the winning number by itself
* `play` (`pocket`; `place_ms`, `rim_ms`, `run_ms`, `show_ms`): a whole game, 2, 3, 4, number, 5 and what follows
* `mismatch` (`pocket`): the next game's phase 5 says this instead; `no_number`: its number line is not sent
* `load` (`pockets`): what the next games give that the wheel starts by itself or on command
* `silent` (`silent`, default true): nothing is said by itself; `mute` of `tgline_repeats.py` is the same there
"""

from __future__ import annotations

import asyncio
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping

from msgspec import Struct

from drivers.codecs.cammegh_ss2 import SPINS, Trouble, WheelState
from hil.sim.control import Arguments, ControlError, Handler, Reply
from hil.sim.outbox import Outbox

POCKETS = ("00", *map(str, range(37)))


class Times(Struct, frozen=True):
    """How long each phase of a game lasts, milliseconds; a real wheel takes 7,000, 4,000, 26,000 and 5,000."""

    place_ms: int = 700
    rim_ms: int = 400
    run_ms: int = 1000
    show_ms: int = 700


class WheelDevice(Outbox, ABC):
    """A device adds `say_state` and `say_number`."""

    def __init__(self, seed: int, send: Callable[[bytes], None]) -> None:
        super().__init__(seed, send)
        self._chance = random.Random(seed)
        self.state = WheelState.CLOSED
        self.spin = 0
        self.number = ""
        self.warnings = Trouble(0)
        self.rpm10 = 0
        self.clockwise = True
        self.silent = False
        self.after_number = WheelState.PLACE_BETS
        self._mismatch: str | None = None
        self._number_line = True
        self._loaded: list[str] = []
        self._game: asyncio.Task[None] | None = None

    # What a device adds.

    @abstractmethod
    async def say_state(self) -> dict[str, object]:
        """Tell the state as it is."""

    @abstractmethod
    async def say_number(self, pocket: str) -> dict[str, object]:
        """Tell the winning number by itself."""

    # A game.

    @property
    def playing(self) -> bool:
        return self._game is not None and not self._game.done()

    def next_pocket(self) -> str:
        return self._loaded.pop(0) if self._loaded else self._chance.choice(POCKETS)

    def begin(self, pocket: str, times: Times) -> None:
        """Start a game; one that runs is broken off."""
        self.break_off()
        self._game = asyncio.ensure_future(self._run_game(pocket, times))

    def break_off(self) -> None:
        if self._game is not None:
            self._game.cancel()
            self._game = None

    async def _run_game(self, pocket: str, times: Times) -> None:
        self.rpm10 = 158
        await self._enter(WheelState.PLACE_BETS, times.place_ms)
        await self._enter(WheelState.BALL_IN_RIM, times.rim_ms)
        await self._enter(WheelState.NO_MORE_BETS, times.run_ms)
        if self._number_line:
            await self.say_number(pocket)
            await asyncio.sleep(0.079)
        self.number = pocket if self._mismatch is None else self._mismatch
        self._mismatch, self._number_line = None, True
        await self._enter(WheelState.WINNING_NUMBER, times.show_ms)
        self.number = pocket
        self.spin = self.spin % SPINS + 1
        await self._enter(self.after_number, 0)

    async def _enter(self, state: WheelState, lasts_ms: int) -> None:
        self.state = state
        await self.say_state()
        await asyncio.sleep(lasts_ms / 1000)

    # Ops.

    def status(self) -> Reply:
        return {
            "state": self.state.value,
            "spin": self.spin,
            "number": self.number,
            "warnings": self.warnings.value,
            "playing": self.playing,
            **super().status(),
        }

    def handlers(self) -> Mapping[str, Handler]:
        return {
            **super().handlers(),
            "be": self._be,
            "number": self._number,
            "play": self._play,
            "mismatch": self._set_mismatch,
            "no_number": self._set_no_number,
            "load": self._load,
            "silent": self._set_silent,
        }

    async def _be(self, arguments: Arguments) -> Reply:
        state = arguments.integer("state", self.state.value, least=1, most=6)
        spin = arguments.integer("spin", self.spin, most=SPINS)
        number = arguments.text("number", self.number)
        warnings = arguments.integer("warnings", self.warnings.value, most=15)
        rpm10 = arguments.integer("rpm10", self.rpm10, most=999)
        clockwise = arguments.flag("clockwise", self.clockwise)
        arguments.end()
        if number and number not in POCKETS:
            raise ControlError(f"number is one of 0..36 and 00, or empty, got {number!r}")
        if not number and state == WheelState.WINNING_NUMBER:
            raise ControlError("state 5 has a number")
        self.break_off()
        self.state, self.spin, self.number = WheelState(state), spin, number
        self.warnings, self.rpm10, self.clockwise = Trouble(warnings), rpm10, clockwise
        return await self.say_state()

    async def _number(self, arguments: Arguments) -> Reply:
        pocket = _pocket(arguments)
        arguments.end()
        return await self.say_number(pocket)

    async def _play(self, arguments: Arguments) -> Reply:
        pocket = _pocket(arguments)
        usual = Times()
        names = Times.__struct_fields__
        times = Times(*(arguments.integer(name, getattr(usual, name), most=600_000) for name in names))
        arguments.end()
        self.begin(pocket, times)
        return {}

    async def _set_mismatch(self, arguments: Arguments) -> Reply:
        pocket = _pocket(arguments)
        arguments.end()
        self._mismatch = pocket
        return {}

    async def _set_no_number(self, arguments: Arguments) -> Reply:
        arguments.end()
        self._number_line = False
        return {}

    async def _load(self, arguments: Arguments) -> Reply:
        pockets = arguments.texts("pockets")
        arguments.end()
        if not set(pockets) <= set(POCKETS):
            raise ControlError(f"pockets are 0..36 and 00, got {pockets}")
        self._loaded = pockets
        return {}

    async def _set_silent(self, arguments: Arguments) -> Reply:
        self.silent = arguments.flag("silent", True)
        arguments.end()
        return {}


def _pocket(arguments: Arguments) -> str:
    pocket = arguments.text("pocket")
    if pocket not in POCKETS:
        raise ControlError(f"pocket is one of 0..36 and 00, got {pocket!r}")
    return pocket
