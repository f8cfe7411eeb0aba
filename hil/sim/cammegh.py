"""A simulated Cammegh Slingshot 2: `python -m hil.sim.cammegh --port LINK --control SOCKET [--mode N] [--seed N]`.

It says its status each half second by itself (mode bit 128) and when asked, and answers the commands of the guide that
concern a host: *X *R *P *o *u *K *S *V *F *q. With mode bit 2 a game waits for *u 1, else it
plays what was loaded, game after game.

Ops: those of `wheel_device.py`; `busy` (`times`): *o is answered BUSY so often; `deaf` (`deaf`, default true): commands
are not heard; `self_test` (`code`): what *F finds, and is said at once; `bonus` (`index`, `value`: 999 is expired).
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Callable, Mapping

from drivers.codecs import cammegh_ss2 as ss2
from drivers.codecs.cammegh_ss2 import WheelState
from drivers.codecs.text_lines import LineSplitter
from hil.sim import process
from hil.sim.control import Arguments, Handler, Reply
from hil.sim.wheel_device import Times, WheelDevice

WAITS_FOR_START, NO_NUMBER_LINE, AUTOMATIC_STATUS, BEFORE_GAME_NEXT = 2, 16, 128, 1024
RUN_DOWN_S = 4.0
VERSION, MODEL = "V1.22", "SIMULATED SS2"


class SimulatedCammegh(WheelDevice):
    def __init__(self, mode: int, seed: int, send: Callable[[bytes], None]) -> None:
        super().__init__(seed, send)
        self._commands = LineSplitter(ss2.LIMIT, start=b"*")
        self._powered = True
        self._deaf = False
        self._busy = 0
        self._asked_status = True  # *q 1
        self._self_test_code = 0
        self._running_down_until_s = 0.0
        self._heard: list[str] = []
        self._set_mode(mode)
        self.state, self.spin, self.rpm10 = WheelState.BEFORE_GAME, 1, 158

    def _set_mode(self, mode: int) -> None:
        self._mode = mode
        self.after_number = WheelState.BEFORE_GAME if mode & BEFORE_GAME_NEXT else WheelState.PLACE_BETS

    # What it says.

    def _status_line(self) -> bytes:
        return ss2.encode(ss2.Status(self.state, self.spin, self.number, self.warnings, self.rpm10, self.clockwise))

    async def say_state(self) -> dict[str, object]:
        if self.silent:
            return {"sent": []}
        return await self.send_all([self._status_line()])

    async def say_number(self, pocket: str) -> dict[str, object]:
        if self.silent or self._mode & NO_NUMBER_LINE:
            return {"sent": []}
        return await self.send_all([ss2.encode(ss2.Number(pocket))])

    def _reply(self, letter: str, text: str) -> None:
        self.post(ss2.encode(ss2.Reply(letter, text)))

    async def run(self) -> None:
        await asyncio.gather(super().run(), self._live())

    async def _live(self) -> None:
        while True:
            if self._mode & AUTOMATIC_STATUS and not self.silent:
                self.post(self._status_line())
            idle = self.state in (WheelState.BEFORE_GAME, WheelState.PLACE_BETS) and not self.playing
            if self._powered and idle and not self._mode & WAITS_FOR_START and self._loaded:
                self.begin(self.next_pocket(), Times())
            await asyncio.sleep(ss2.STATUS_PERIOD_S)

    # What it is told.

    def received(self, data: bytes) -> None:
        super().received(data)
        for line in self._commands.feed(data):
            if line.fault is None and not self._deaf:
                self._obey(line.raw.decode("ascii", "replace"))

    def _obey(self, command: str) -> None:
        self._heard.append(command)
        letter, _, argument = command[1:].partition(" ")
        match letter, argument:
            case "X", "":
                if self._asked_status and not self.silent:
                    self.post(self._status_line())
            case "R", "":
                self.break_off()
                self.state = WheelState.BEFORE_GAME
                self._reply("R", "OK")
            case "P", ("0" | "1") as on:
                self._power(on == "1")
            case "o", mode if mode.isdecimal() and int(mode) <= 0xFFFF:
                self._operate(int(mode))
            case "u", "1":
                self._start("u")
            case "K", "":
                if self._idle:
                    self._reply("K", "CAM")
                else:
                    self._start("K")
            case "S", "":
                self._reply("S", VERSION)
            case "V", "":
                self._reply("V", MODEL)
            case "F", "":
                self._reply("F", str(self._self_test_code) if self._idle else "BUSY")
            case "q", ("0" | "1") as on:
                self._asked_status = on == "1"
                self._reply("q", "OK")
            case _:
                pass  # a real one says nothing to what it does not know

    @property
    def _idle(self) -> bool:
        return self.state is WheelState.CLOSED

    def _start(self, letter: str) -> None:
        if self.state in (WheelState.BEFORE_GAME, WheelState.PLACE_BETS) and not self.playing:
            self.begin(self.next_pocket(), Times())
        self._reply(letter, "OK")

    def _power(self, on: bool) -> None:
        if on == self._powered:
            self._reply("P", "NO")
            return
        self._powered = on
        self.break_off()
        self.state, self.rpm10 = (WheelState.BEFORE_GAME, 158) if on else (WheelState.CLOSED, 0)
        if not on:
            self._running_down_until_s = asyncio.get_running_loop().time() + RUN_DOWN_S
        self._reply("P", "OK")

    def _operate(self, mode: int) -> None:
        if self._busy or asyncio.get_running_loop().time() < self._running_down_until_s:
            self._busy = max(0, self._busy - 1)
            self._reply("o", "BUSY")
            return
        self._set_mode(mode)
        self._reply("o", str(mode))

    # Its own ops.

    def status(self) -> Reply:
        return {**super().status(), "mode": self._mode, "powered": self._powered, "heard": self._heard[-100:]}

    def handlers(self) -> Mapping[str, Handler]:
        return {
            **super().handlers(),
            "busy": self._set_busy,
            "deaf": self._set_deaf,
            "self_test": self._self_test,
            "bonus": self._bonus,
        }

    async def _set_busy(self, arguments: Arguments) -> Reply:
        self._busy = arguments.integer("times", most=100)
        arguments.end()
        return {}

    async def _set_deaf(self, arguments: Arguments) -> Reply:
        self._deaf = arguments.flag("deaf", True)
        arguments.end()
        return {}

    async def _self_test(self, arguments: Arguments) -> Reply:
        self._self_test_code = arguments.integer("code", most=100)
        arguments.end()
        return await self.send_all([ss2.encode(ss2.Reply("F", str(self._self_test_code)))])

    async def _bonus(self, arguments: Arguments) -> Reply:
        index, value = arguments.integer("index", least=1, most=6), arguments.integer("value", most=999)
        arguments.end()
        bonus = ss2.Bonus(index, None if value == ss2.LICENCE_EXPIRED else value)
        return await self.send_all([ss2.encode(bonus)])


def main(argv: list[str] | None = None) -> int:
    options = process.parser("simulated Cammegh Slingshot 2 wheel")
    options.add_argument("--mode", type=int, default=ss2.INTEGRATION_MODE)
    options.add_argument("--seed", type=int, default=0)

    def make(parsed: argparse.Namespace, send: Callable[[bytes], None]) -> SimulatedCammegh:
        return SimulatedCammegh(parsed.mode, parsed.seed, send)

    return process.main(options, make, argv)


if __name__ == "__main__":
    sys.exit(main())
