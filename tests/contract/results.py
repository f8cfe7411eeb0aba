"""Every wheel and every dice reader with its other end, for the contract suites: in memory on virtual time, or a
simulator of its own. One row each: how it is made, what it sends, what noise is on its wire, its simulator."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import monotonic_ns
from typing import Generic, TypeVar

from drivers.codecs import cammegh_ss2 as ss2
from drivers.codecs import craps_keypad, tgline, tgline_dice, tgline_wheel, winline
from drivers.codecs.cammegh_ss2 import Trouble, WheelState
from drivers.codecs.input_records import record
from drivers.codecs.tgline_events import StandBy
from drivers.devices import cammegh_wheel, dice_keypad, winline_wheel
from drivers.devices import tgline_dice as dice_device
from drivers.devices import tgline_wheel as wheel_device
from drivers.events import LinkChanged
from drivers.links.port import Opener, open_serial
from drivers.ports import Device, DiceReader, NowNs, WheelReader
from drivers.result_events import DiceReset, WheelReset
from hil.simclient import AsyncSimClient
from tests.contract.benches import Backend, Events, OtherEnd, ProcessEnd, ScriptedEnd, on_process, running
from tests.scripted_port import ScriptedOpener
from tests.virtual_time import VirtualLoop, run_virtual

LIFE_S = 0.5
SHORT_GAME_MS = 300
"""A simulated reader's games are as short as that."""
KEY_CODES = {face: code for code, face in craps_keypad.NUMBER_BLOCK.items()}

Reader = TypeVar("Reader", bound=Device)
Make = Callable[[str, NowNs, bool, Opener | None], Reader]
Script = Callable[[Reader, "ResultEnd", Events], Awaitable[None]]


@dataclass(frozen=True)
class Row(Generic[Reader]):
    make: Make[Reader]
    says: Callable[[int, str, int], list[bytes]]
    """Number of the telegram, what happened ("17", "4,6"), when: what it sends."""
    op: Callable[[str], tuple[str, dict[str, object]]]
    """The same for the simulator."""
    noise: bytes
    module: str
    options: tuple[str, ...] = ()
    life: Callable[[int], bytes] | None = None
    """What it sends each half second by itself."""
    boots: bool = False
    phases: bool = False


def _status(state: WheelState, number: str) -> bytes:
    return ss2.encode(ss2.Status(state, 8, number, Trouble(0), 158, True))


def _cammegh(url: str, now_ns: NowNs, simulated: bool, opener: Opener | None) -> WheelReader:
    return cammegh_wheel.create(name="wheel", url=url, now_ns=now_ns, simulated=simulated, opener=opener or open_serial)


def _winline(url: str, now_ns: NowNs, simulated: bool, opener: Opener | None) -> WheelReader:
    repeat_ms = SHORT_GAME_MS if simulated else 5000
    opener = opener or open_serial
    return winline_wheel.create(
        name="wheel", url=url, now_ns=now_ns, simulated=simulated, opener=opener, repeat_ms=repeat_ms
    )


def _tgline_wheel(url: str, now_ns: NowNs, simulated: bool, opener: Opener | None) -> WheelReader:
    return wheel_device.create(name="wheel", url=url, now_ns=now_ns, simulated=simulated, opener=opener or open_serial)


def _tgline_dice(url: str, now_ns: NowNs, simulated: bool, opener: Opener | None) -> DiceReader:
    return dice_device.create(name="dice", url=url, now_ns=now_ns, simulated=simulated, opener=opener or open_serial)


def _keypad(url: str, now_ns: NowNs, simulated: bool, opener: Opener | None) -> DiceReader:
    return dice_keypad.create(name="dice", url=url, now_ns=now_ns, simulated=simulated, opener=opener)


def _wheel_line(number: int, message: tgline_wheel.Message) -> bytes:
    return tgline.encode(tgline_wheel.line_of(1, number, message))


def _dice_line(number: int, message: tgline_dice.Message) -> bytes:
    return tgline.encode(tgline_dice.line_of(1, number, message))


def _cammegh_says(number: int, pocket: str, at_ns: int) -> list[bytes]:
    return [
        _status(WheelState.PLACE_BETS, "") * 2,  # two, since the game before has its number standing
        _status(WheelState.NO_MORE_BETS, ""),
        ss2.encode(ss2.Number(pocket)),
        _status(WheelState.WINNING_NUMBER, pocket),
    ]


def _tgline_wheel_says(number: int, pocket: str, at_ns: int) -> list[bytes]:
    quiet = Trouble(0)
    return [
        _wheel_line(number * 4, tgline_wheel.State(WheelState.PLACE_BETS, "", quiet, 158, True)),
        _wheel_line(number * 4 + 1, tgline_wheel.State(WheelState.NO_MORE_BETS, "", quiet, 158, True)),
        _wheel_line(number * 4 + 2, tgline_wheel.Win(pocket)),
    ]


def _keypad_says(number: int, roll: str, at_ns: int) -> list[bytes]:
    out = []
    for offset, face in enumerate(roll.split(",")):
        down_ns = at_ns + offset * 200_000_000
        code = KEY_CODES[int(face)]
        out.append(record(code, True, down_ns) + record(code, False, down_ns + 50_000_000))
    return out


def _play(place_ms: int) -> Callable[[str], tuple[str, dict[str, object]]]:
    return lambda pocket: (
        "play",
        {"pocket": pocket, "place_ms": place_ms, "rim_ms": 10, "run_ms": 10, "show_ms": 10},
    )


def _roll_op(roll: str) -> tuple[str, dict[str, object]]:
    return "roll", {"faces": [int(face) for face in roll.split(",")]}


WHEELS: dict[str, Row[WheelReader]] = {
    "cammegh": Row(
        _cammegh,
        _cammegh_says,
        _play(1100),  # two statuses by themselves
        b"\xff\x00*X;4;14*X;\r\n37\r\n",
        "hil.sim.cammegh",
        life=lambda at_ns: ss2.encode(ss2.Bonus(1, 1)),  # no status: those come with each game
        phases=True,
    ),
    "winline": Row(
        _winline,
        lambda number, pocket, at_ns: [winline.encode(pocket)],
        lambda pocket: ("number", {"pocket": pocket}),
        b"\xff\x00\r\n37\r\n",
        "hil.sim.winline",
    ),
    "tgline": Row(
        _tgline_wheel,
        _tgline_wheel_says,
        _play(10),
        b"\xff\x00$TGWHL,01,00\r\n$TGWHL,01",
        "hil.sim.tgline_wheel",
        life=lambda at_ns: _wheel_line(0xFFFF, StandBy()),
        boots=True,
        phases=True,
    ),
}
DICE: dict[str, Row[DiceReader]] = {
    "tgline": Row(
        _tgline_dice,
        lambda number, roll, at_ns: [_dice_line(number, tgline_dice.Roll(tuple(map(int, roll.split(",")))))],
        _roll_op,
        b"\xff\x00$TGDIC,01,00\r\n$TGDIC,01",
        "hil.sim.tgline_dice",
        life=lambda at_ns: _dice_line(0xFFFF, StandBy()),
        boots=True,
    ),
    "keypad": Row(
        _keypad,
        _keypad_says,
        _roll_op,
        record(28, True, 5) + record(28, False, 6),  # a key that is no face
        "hil.sim.dice_keypad",
    ),
}


class ResultEnd(OtherEnd):
    """The reader's hardware."""

    async def up(self, events: Events) -> None:
        """Wait until the device is ready, and has heard that the reader started where that says so."""
        raise NotImplementedError

    async def happens(self, what: str) -> None:
        """A number falls, dice are rolled."""
        raise NotImplementedError

    async def noise(self) -> None:
        raise NotImplementedError


class ScriptedResult(ScriptedEnd, ResultEnd, Generic[Reader]):
    def __init__(self, opener: ScriptedOpener, row: Row[Reader], loop: VirtualLoop) -> None:
        super().__init__(opener)
        self._row = row
        self._loop = loop
        self._numbers = itertools.count(1)

    async def up(self, events: Events) -> None:
        assert (await events.next(LinkChanged)).up

    async def happens(self, what: str) -> None:
        await asyncio.sleep(10)  # since the last one
        for piece in self._row.says(next(self._numbers), what, self._loop.now_ns()):
            self.port.send(piece)
            await asyncio.sleep(0.1)

    async def noise(self) -> None:
        self.port.send(self._row.noise)

    async def live(self) -> None:
        """The sign of life, as long as it is plugged in; a status where that is what makes it ready."""
        assert self._row.life is not None
        asked = 0
        while True:
            await asyncio.sleep(LIFE_S)
            if not self._opener.ports or self._opener.error is not None or self.port.closed:
                continue
            polls = sum(data.startswith(b"*X") for _, data in self.port.writes)
            if polls > asked and self._row.module == "hil.sim.cammegh" and polls == 1:
                self.port.send(_status(WheelState.BEFORE_GAME, ""))
            self.port.send(self._row.life(self._loop.now_ns()))


class ProcessResult(ProcessEnd, ResultEnd, Generic[Reader]):
    def __init__(self, client: AsyncSimClient, row: Row[Reader]) -> None:
        super().__init__(client)
        self._row = row
        self._started = not row.boots
        self._before: str | None = None

    async def up(self, events: Events) -> None:
        assert (await events.next(LinkChanged)).up
        while not self._started:
            if isinstance(await events.any(), WheelReset | DiceReset):
                self._started = True

    async def happens(self, what: str) -> None:
        if self._row.module == "hil.sim.winline" and self._before is not None:
            await asyncio.sleep(2 * SHORT_GAME_MS / 1000)
        self._before = what
        op, arguments = self._row.op(what)
        while (await self.client.call("status")).get("playing"):
            await asyncio.sleep(0.05)
        await self.client.call(op, **arguments)

    async def noise(self) -> None:
        await self.client.call("garbage", hex=self._row.noise.hex())


def on_result(row: Row[Reader], backend: Backend, script: Script[Reader]) -> None:
    if backend is Backend.SCRIPTED:

        async def scripted(loop: VirtualLoop) -> None:
            opener = ScriptedOpener()
            end = ScriptedResult(opener, row, loop)
            device = row.make("scripted://port", loop.now_ns, False, opener)
            life = asyncio.ensure_future(end.live()) if row.life is not None else None
            async with running(device) as events:
                await script(device, end, events)
            if life is not None:
                life.cancel()
                with suppress(asyncio.CancelledError):
                    await life

        run_virtual(scripted)
        return

    async def process(port: Path, client: AsyncSimClient) -> None:
        device = row.make(str(port), monotonic_ns, True, None)
        async with running(device) as events:
            await script(device, ProcessResult(client, row), events)

    on_process(row.module, process, *row.options)
