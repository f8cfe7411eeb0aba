"""`tgline` wheels and dice, the number line, the keypad: what each line or key comes to, on virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from drivers.codecs import tgline, tgline_dice, tgline_wheel, winline
from drivers.codecs.cammegh_ss2 import Trouble, WheelState
from drivers.codecs.craps_keypad import NUMBER_BLOCK
from drivers.codecs.input_records import record
from drivers.devices import dice_keypad, winline_wheel
from drivers.devices import tgline_dice as dice_device
from drivers.devices import tgline_wheel as wheel_device
from drivers.events import DeviceEvent, LinkChanged, LinkState
from drivers.links.port import PortError
from drivers.ports import Device
from drivers.result_events import (
    DiceReset,
    DiceRolled,
    DiceTrouble,
    DiceTroubled,
    Doubt,
    KeypadPressed,
    NewShooter,
    NoSpin,
    NoSpinReason,
    NumberDoubted,
    RollUndone,
    WheelReset,
    WheelWarned,
    WinningNumber,
)
from tests.scripted_port import ScriptedOpener
from tests.virtual_time import VirtualLoop, run_virtual

CODES = {face: code for code, face in NUMBER_BLOCK.items()}


class Bench:
    def __init__(self, opener: ScriptedOpener, loop: VirtualLoop, device: Device) -> None:
        self.opener = opener
        self.loop = loop
        self.device = device
        self.got: list[DeviceEvent] = []

    async def send(self, *pieces: bytes, apart_s: float = 0.001) -> None:
        for piece in pieces:
            self.opener.ports[-1].send(piece)
            await asyncio.sleep(apart_s)

    async def key(self, face: int, held_s: float = 0.05) -> None:
        await self.send(record(CODES[face], True, self.loop.now_ns()), apart_s=held_s)
        await self.send(record(CODES[face], False, self.loop.now_ns()))

    def told(self) -> list[DeviceEvent]:
        """But for the link."""
        return [event for event in self.got if not isinstance(event, LinkChanged)]

    def kinds(self) -> list[type]:
        return [type(event) for event in self.told()]

    def answers(self) -> list[str]:
        return [data.decode().split("*")[0].partition(",01,")[2] for _, data in self.opener.ports[-1].writes]


def on_wire(create: Callable[..., Device], script: Callable[[Bench], Awaitable[None]], **options: Any) -> None:
    async def main(loop: VirtualLoop) -> None:
        opener = ScriptedOpener()
        bench = Bench(opener, loop, create(name="d", url="scripted", now_ns=loop.now_ns, opener=opener, **options))
        task = asyncio.ensure_future(bench.device.run(bench.got.append))
        await asyncio.sleep(0.01)
        try:
            await script(bench)
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    run_virtual(main)


def wheel(seq: int, message: tgline_wheel.Message) -> bytes:
    return tgline.encode(tgline_wheel.line_of(1, seq, message))


def dice(seq: int, message: tgline_dice.Message) -> bytes:
    return tgline.encode(tgline_dice.line_of(1, seq, message))


def state(phase: WheelState, number: str = "17") -> tgline_wheel.State:
    return tgline_wheel.State(phase, number, Trouble(0), 158, True)


def test_a_tgline_wheel_is_answered_for_its_events_and_not_for_its_state() -> None:
    async def script(bench: Bench) -> None:
        await bench.send(
            wheel(1, tgline_wheel.Boot(38)),
            wheel(2, state(WheelState.BALL_IN_RIM)),
            wheel(3, state(WheelState.NO_MORE_BETS)),
            wheel(4, tgline_wheel.Win("00")),
            wheel(4, tgline_wheel.Win("00")),
            wheel(5, tgline_wheel.Warn(Trouble.FAULT)),
            wheel(6, state(WheelState.WINNING_NUMBER, "00")),
        )
        assert bench.answers() == ["0001,ACK", "0004,ACK", "0004,ACK", "0005,ACK"]
        numbers = [event for event in bench.got if isinstance(event, WinningNumber)]
        assert [number.pocket for number in numbers] == ["00"], "once"
        assert bench.kinds()[0] is WheelReset
        assert NoSpin not in bench.kinds(), "its fault came after the number"

    on_wire(wheel_device.create, script)


def test_a_number_that_was_repeated_while_the_link_was_away_is_told_once() -> None:
    async def script(bench: Bench) -> None:
        await bench.send(wheel(1, state(WheelState.NO_MORE_BETS)), wheel(2, tgline_wheel.Win("7")))
        bench.opener.ports[-1].lose(PortError("gone"))
        await asyncio.sleep(2.5)
        assert bench.device.link is not LinkState.READY, "it was not heard yet"
        await bench.send(wheel(2, tgline_wheel.Win("7")))
        assert bench.kinds().count(WinningNumber) == 1
        assert bench.answers()[-1] == "0002,ACK"

    on_wire(wheel_device.create, script)


def test_a_wheel_that_was_reset_within_a_spin_has_no_number_for_it_from_before() -> None:
    async def script(bench: Bench) -> None:
        await bench.send(
            wheel(1, state(WheelState.NO_MORE_BETS)),
            wheel(1, tgline_wheel.Boot(37)),
            wheel(2, state(WheelState.PLACE_BETS)),
        )
        assert WinningNumber not in bench.kinds()
        assert bench.kinds().count(WheelReset) == 1
        assert NoSpin not in bench.kinds(), "what it knew of the spin is lost, which the reset says"

    on_wire(wheel_device.create, script)


def test_a_fault_while_the_ball_runs_voids() -> None:
    async def script(bench: Bench) -> None:
        await bench.send(wheel(1, state(WheelState.NO_MORE_BETS)), wheel(2, tgline_wheel.Warn(Trouble.FAULT)))
        assert bench.kinds()[-2:] == [WheelWarned, NoSpin]
        void = bench.told()[-1]
        assert isinstance(void, NoSpin) and void.reason is NoSpinReason.FAULT

    on_wire(wheel_device.create, script)


def test_what_is_no_verb_or_no_argument_of_a_wheel_is_refused_by_name() -> None:
    async def script(bench: Bench) -> None:
        await bench.send(
            tgline.encode(tgline.Line(tgline.Tag.WHEEL, 1, 7, "WIN", ("37",))),
            tgline.encode(tgline.Line(tgline.Tag.WHEEL, 1, 8, "CARD", ("P", "1", "8S"))),
            tgline.encode(tgline.Line(tgline.Tag.WHEEL, 2, 9, "WIN", ("7",))),
        )
        assert bench.answers() == ["0007,NAK,ARG", "0008,NAK,VRB"], "another address is not answered"
        assert bench.told() == []

    on_wire(wheel_device.create, script)


def test_dice_by_their_reader() -> None:
    async def script(bench: Bench) -> None:
        await bench.send(
            dice(1, tgline_dice.Boot(2)),
            dice(2, tgline_dice.Roll((4, 6))),
            dice(2, tgline_dice.Roll((4, 6))),
            dice(3, tgline_dice.Undo()),
            dice(4, tgline_dice.Error(tgline_dice.OFF_THE_TABLE)),
            dice(5, tgline_dice.Error(77)),
            dice(6, tgline_dice.Shooter()),
        )
        assert bench.kinds() == [DiceReset, DiceRolled, RollUndone, DiceTroubled, DiceTroubled, NewShooter]
        off, other = (event for event in bench.told() if isinstance(event, DiceTroubled))
        assert (off.trouble, other.trouble, other.code) == (DiceTrouble.OFF_THE_TABLE, DiceTrouble.OTHER, 77)

    on_wire(dice_device.create, script)


def test_a_number_line_repeated_is_one_game_and_another_number_in_it_is_in_doubt() -> None:
    async def script(bench: Bench) -> None:
        seventeen, nine = winline.encode("17"), winline.encode("9")
        await bench.send(seventeen, seventeen, seventeen, apart_s=2)
        await asyncio.sleep(5)
        await bench.send(seventeen, apart_s=1)
        await bench.send(nine)
        first, second, doubted = bench.told()
        assert isinstance(first, WinningNumber) and isinstance(second, WinningNumber)
        assert isinstance(doubted, NumberDoubted)
        assert (first.pocket, second.pocket, doubted.doubt, doubted.pockets) == ("17", "17", Doubt.CHANGED, ("17", "9"))

    on_wire(winline_wheel.create, script)


def test_a_keypad_s_rolls_and_held_keys() -> None:
    async def script(bench: Bench) -> None:
        await bench.key(4)
        await bench.key(6)
        await bench.key(3)
        await asyncio.sleep(3)
        await bench.key(5)
        await bench.key(5)
        for face in range(1, 7):
            await bench.key(face, held_s=2.2)
        rolls = [event.faces for event in bench.told() if isinstance(event, DiceRolled)]
        assert rolls == [(4, 6), (5, 5)], "the 3 alone was forgotten"
        held = [event for event in bench.told() if isinstance(event, KeypadPressed) and event.held]
        assert [event.key for event in held] == [1, 2, 3, 4, 5, 6]
        rest = [event for event in bench.told() if not isinstance(event, KeypadPressed | DiceRolled)]
        assert [type(event) for event in rest] == [RollUndone, NewShooter, DiceTroubled, DiceTroubled]
        troubles = [event.trouble for event in rest if isinstance(event, DiceTroubled)]
        assert troubles == [DiceTrouble.OFF_THE_TABLE, DiceTrouble.COCKED]

    on_wire(dice_keypad.create, script)


def test_half_a_roll_does_not_outlive_the_plug() -> None:
    async def script(bench: Bench) -> None:
        await bench.key(4)
        bench.opener.ports[-1].lose(PortError("gone"))
        await asyncio.sleep(2.5)
        assert len(bench.opener.ports) == 2
        await bench.key(6)
        assert DiceRolled not in bench.kinds()

    on_wire(dice_keypad.create, script)
