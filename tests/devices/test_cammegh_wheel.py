"""A Slingshot 2: asked where it is silent, commanded, busy, deaf, and what its lines come to."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest

from drivers import events
from drivers.devices import cammegh_wheel
from drivers.devices.cammegh_orders import ANSWER_S, BUSY_S, BUSY_TRIES
from drivers.events import LinkChanged, LinkState
from drivers.links.port import PortError
from drivers.result_events import (
    NoSpin,
    NoSpinReason,
    WheelCommand,
    WheelFaulted,
    WheelObeyed,
    WheelPhase,
    WheelPhaseChanged,
    WheelRefused,
    WinningNumber,
)
from tests.scripted_port import ScriptedOpener, ScriptedPort
from tests.virtual_time import VirtualLoop, run_virtual

Kind = TypeVar("Kind")
BEFORE = b"*X;1;008;15;0;158;1\r\n"


class Bench:
    """The wheel's end in memory. It answers what `answers` has and, while `alive`, each `*X` with `status`."""

    def __init__(self, opener: ScriptedOpener, device: cammegh_wheel.CammeghWheel) -> None:
        self.device = device
        self.got: list[events.DeviceEvent] = []
        self.answers: dict[bytes, bytes] = {}
        self.status = BEFORE
        self.alive = True
        self.opener = opener
        opener.prepare = self._prepare

    def _prepare(self, port: ScriptedPort) -> None:
        port.on_write = lambda data: self._hear(port, data)

    def _hear(self, port: ScriptedPort, data: bytes) -> None:
        answer = self.answers.get(data.strip(), b"")
        if data.strip() == b"*X" and self.alive:
            answer = self.status
        if answer:
            asyncio.get_running_loop().call_soon(port.send, answer)

    async def say(self, *lines: bytes) -> None:
        for line in lines:
            self.opener.ports[-1].send(line + b"\r\n")
        await asyncio.sleep(0.001)

    def written(self) -> list[bytes]:
        return [data.strip() for _, data in self.opener.ports[-1].writes]

    def of(self, kind: type[Kind]) -> list[Kind]:
        return [event for event in self.got if isinstance(event, kind)]

    def command(self) -> WheelObeyed | WheelRefused:
        """The one answer to the one command."""
        (answer,) = [event for event in self.got if isinstance(event, WheelObeyed | WheelRefused)]
        return answer


def on_wheel(
    script: Callable[[Bench], Awaitable[None]], *, mode: int | None = None, alive: bool = True, status: bytes = BEFORE
) -> None:
    async def main(loop: VirtualLoop) -> None:
        opener = ScriptedOpener()
        device = cammegh_wheel.create(name="w", url="scripted://port", mode=mode, now_ns=loop.now_ns, opener=opener)
        bench = Bench(opener, device)
        bench.alive, bench.status = alive, status
        task = asyncio.ensure_future(device.run(bench.got.append))
        await asyncio.sleep(0.01)
        try:
            await script(bench)
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    run_virtual(main)


def test_it_is_asked_until_it_says_its_status_and_whenever_it_does_not() -> None:
    async def script(bench: Bench) -> None:
        assert bench.device.link is LinkState.READY, "asked at once"
        assert bench.written() == [b"*X"]
        for _ in range(10):  # a wheel with automatic status is not asked
            await bench.say(b"*X;2;008;15;0;158;1")
            await asyncio.sleep(0.5)
        assert bench.written() == [b"*X"]
        await asyncio.sleep(10)
        assert len(bench.written()) in (13, 14, 15), "each 0.75 s"
        assert bench.device.link is LinkState.READY

    on_wheel(script)


def test_a_wheel_that_says_nothing_is_away_with_what_to_look_at(caplog: pytest.LogCaptureFixture) -> None:
    async def script(bench: Bench) -> None:
        bench.alive = False
        await asyncio.sleep(2.5)
        assert bench.device.link is LinkState.STALE
        await asyncio.sleep(30)
        assert "null-modem" in bench.of(LinkChanged)[-1].reason
        bench.alive = True
        await asyncio.sleep(60)
        assert bench.device.link is LinkState.READY

    on_wheel(script)
    assert sum("trying again for ever" in record.message for record in caplog.records) == 1


def test_a_wrong_speed_is_told_from_a_dead_wheel() -> None:
    async def script(bench: Bench) -> None:
        await bench.say(b"\x9c\xf3\x00\x81")
        await asyncio.sleep(11)
        assert "bytes that are none: check speed and cable" in bench.of(LinkChanged)[-1].reason

    on_wheel(script, alive=False)


def test_a_game_by_its_lines() -> None:
    async def script(bench: Bench) -> None:
        for line in (b"*X;2;008;15;0;158;1", b"*X;3;008;15;0;158;1", b"*X;4;008;15;0;158;1", b"24"):
            await bench.say(line)
            await asyncio.sleep(0.1)
        await bench.say(b"*X;5;008;24;0;158;1")
        (number,) = bench.of(WinningNumber)
        assert (number.pocket, number.spin, len(number.sources)) == ("24", 8, 2)
        told = b"".join(map(bytes.fromhex, number.raw.split()))
        assert b"24" in told and b"*X;5;008;24" in told
        assert [each.phase for each in bench.of(WheelPhaseChanged)][-1] is WheelPhase.WINNING_NUMBER

    on_wheel(script)


def test_what_came_before_it_was_ready_is_told_after_it() -> None:
    async def script(bench: Bench) -> None:
        assert isinstance(bench.got[0], LinkChanged) and isinstance(bench.got[1], WheelPhaseChanged)

    on_wheel(script, status=BEFORE * 2)


def test_a_mis_spin_is_void_and_the_wheel_is_told_so() -> None:
    async def script(bench: Bench) -> None:
        bench.answers[b"*R"] = b"*R OK\r\n"
        await bench.say(b"*X;2;008;15;0;158;1", *[b"*X;3;008;15;2;158;1"] * 2)
        (void,) = bench.of(NoSpin)
        assert void.reason is NoSpinReason.WRONG_WAY
        bench.device.void_spin()
        await asyncio.sleep(0.1)
        assert bench.written().count(b"*R") == 1
        assert bench.command() == WheelObeyed("w", WheelCommand.VOID_SPIN, bench.command().at_ns)

    on_wheel(script)


def test_the_phase_it_leads_to_is_an_answer_too() -> None:
    async def script(bench: Bench) -> None:
        bench.device.start_spin()
        await asyncio.sleep(0.1)
        assert bench.written()[-1] == b"*u 1"
        await bench.say(*[b"*X;2;008;15;0;158;1"] * 2)
        assert isinstance(bench.command(), WheelObeyed)

    on_wheel(script)


def test_a_phase_in_which_it_was_already_is_no_answer() -> None:
    async def script(bench: Bench) -> None:
        await bench.say(*[b"*X;2;008;15;0;158;1"] * 2)
        bench.device.start_spin()
        await asyncio.sleep(0.1)
        await bench.say(b"*X;2;008;15;0;158;1")
        await asyncio.sleep(ANSWER_S)
        assert "no answer" in refusal(bench)

    on_wheel(script)


def test_another_answer_is_a_refusal_in_the_wheel_s_words() -> None:
    async def script(bench: Bench) -> None:
        bench.answers[b"*R"] = b"*R NO\r\n"
        bench.device.void_spin()
        await asyncio.sleep(BUSY_S * 2)
        assert "'NO'" in refusal(bench)
        assert bench.written().count(b"*R") == 1

    on_wheel(script)


def test_a_spin_that_ended_while_the_plug_was_out_was_not_seen() -> None:
    async def script(bench: Bench) -> None:
        await bench.say(*[b"*X;4;008;15;0;158;1"] * 2)
        bench.status = b"*X;2;008;15;0;158;1\r\n"
        bench.opener.ports[-1].lose(PortError("away"))
        await asyncio.sleep(1.5)
        assert bench.device.link is LinkState.READY
        await bench.say(b"*X;2;008;15;0;158;1")
        (void,) = bench.of(NoSpin)
        assert void.reason is NoSpinReason.UNSEEN

    on_wheel(script)


def test_no_answer_is_a_refusal_and_nothing_that_moves_the_wheel_is_sent_twice() -> None:
    async def script(bench: Bench) -> None:
        bench.device.start_spin()
        await asyncio.sleep(ANSWER_S + 0.1)
        assert "no answer" in refusal(bench)
        await asyncio.sleep(30)
        assert bench.written().count(b"*u 1") == 1

    on_wheel(script)


def test_a_busy_wheel_is_asked_again_and_not_for_ever() -> None:
    async def script(bench: Bench) -> None:
        bench.answers[b"*u 1"] = b"*u BUSY\r\n"
        bench.device.start_spin()
        await asyncio.sleep(BUSY_S * 3)
        bench.answers[b"*u 1"] = b"*u OK\r\n"
        await asyncio.sleep(BUSY_S * 2)
        assert isinstance(bench.command(), WheelObeyed)
        bench.got.clear()
        bench.answers[b"*u 1"] = b"*u BUSY\r\n"
        bench.device.start_spin()
        await asyncio.sleep(BUSY_S * (BUSY_TRIES + 2))
        assert f"busy {BUSY_TRIES} times" in refusal(bench)

    on_wheel(script)


def test_commands_are_for_now_or_never() -> None:
    async def script(bench: Bench) -> None:
        bench.device.void_spin()  # waits for its answer
        bench.device.start_spin()  # waits behind it
        await asyncio.sleep(0.1)
        bench.opener.error = PortError("away")
        bench.opener.ports[-1].lose(PortError("away"))
        await asyncio.sleep(0.1)
        assert [each.command for each in bench.of(WheelRefused)] == [WheelCommand.VOID_SPIN, WheelCommand.START_SPIN]
        bench.device.start_spin()
        assert "link is" in bench.of(WheelRefused)[-1].reason
        bench.opener.error = None
        await asyncio.sleep(30)
        assert bench.device.link is LinkState.READY
        assert not {b"*u 1", b"*R"} & set(bench.written()), "nothing is made up for"

    on_wheel(script)


def test_a_mode_is_set_at_each_connection_where_one_is_configured() -> None:
    async def script(bench: Bench) -> None:
        await asyncio.sleep(0.1)
        assert bench.written().count(b"*o 1159") == 1
        await bench.say(b"*o 1159")
        assert isinstance(bench.command(), WheelObeyed)
        bench.opener.ports[-1].lose(PortError("away"))
        await asyncio.sleep(5)
        assert bench.written().count(b"*o 1159") == 1, "on the new connection"
        assert isinstance(bench.got[-1], WheelRefused), "and this one was not answered"

    on_wheel(script, mode=1159)


def test_a_failed_self_test_is_a_fault_and_a_good_one_is_none() -> None:
    async def script(bench: Bench) -> None:
        await bench.say(b"*F 0", b"*F BUSY", b"*F 22")
        (fault,) = bench.of(WheelFaulted)
        assert (fault.code, fault.text) == (22, "sensor 2 blind")

    on_wheel(script)


def refusal(bench: Bench) -> str:
    answer = bench.command()
    assert isinstance(answer, WheelRefused), answer
    return answer.reason
