"""The contract of a `WheelReader`, on every wheel and every back end."""

from __future__ import annotations

from itertools import pairwise

import pytest

from drivers.events import LinkChanged, LinkState
from drivers.ports import WheelReader
from drivers.result_events import (
    NumberSource,
    WheelCommand,
    WheelObeyed,
    WheelPhase,
    WheelPhaseChanged,
    WheelRefused,
    WinningNumber,
)
from tests.contract.benches import Backend, Events
from tests.contract.results import WHEELS, ResultEnd, on_result

pytestmark = [
    pytest.mark.parametrize("backend", list(Backend)),
    pytest.mark.parametrize("wheel", list(WHEELS)),
]


def test_numbers_once_each_with_their_bytes_and_sources(wheel: str, backend: Backend) -> None:
    async def script(device: WheelReader, end: ResultEnd, events: Events) -> None:
        await end.up(events)
        assert device.link is LinkState.READY
        await end.happens("17")
        first = await events.first(WinningNumber)
        await end.happens("00")
        second = await events.first(WinningNumber)
        assert [number.pocket for number in (first, second)] == ["17", "00"]
        assert {number.device for number in (first, second)} == {"wheel"}
        assert first.at_ns < second.at_ns
        assert NumberSource.LINE in first.sources
        assert b"17" in bytes.fromhex(first.raw.replace(" ", ""))

    on_result(WHEELS[wheel], backend, script)


def test_phases_come_before_the_number_where_the_wheel_tells_them(wheel: str, backend: Backend) -> None:
    row = WHEELS[wheel]

    async def script(device: WheelReader, end: ResultEnd, events: Events) -> None:
        await end.up(events)
        assert device.abilities.phases is row.phases
        await end.happens("17")
        phases: list[WheelPhaseChanged] = []
        while not isinstance(event := await events.any(), WinningNumber):
            if isinstance(event, WheelPhaseChanged):
                phases.append(event)
        assert (WheelPhase.NO_MORE_BETS in [each.phase for each in phases]) is row.phases
        for earlier, later in pairwise(phases):
            assert later.not_before_ns is not None
            assert earlier.not_after_ns <= later.not_before_ns <= later.not_after_ns

    on_result(row, backend, script)


def test_noise_is_counted_and_is_no_number(wheel: str, backend: Backend) -> None:
    async def script(device: WheelReader, end: ResultEnd, events: Events) -> None:
        await end.up(events)
        quiet = dict(device.counters)
        await end.noise()
        await end.happens("36")
        assert (await events.first(WinningNumber)).pocket == "36"
        rejected = ("form", "broken", "overlong", "checksum", "rejected")
        assert any(device.counters.get(name, 0) > quiet.get(name, 0) for name in rejected)

    on_result(WHEELS[wheel], backend, script)


def test_unplugged_and_plugged_in_again(wheel: str, backend: Backend) -> None:
    async def script(device: WheelReader, end: ResultEnd, events: Events) -> None:
        await end.up(events)
        await end.happens("17")
        await events.first(WinningNumber)
        await end.unplug()
        down = await events.first(LinkChanged)
        assert not down.up
        assert down.reason
        assert device.link is not LinkState.READY
        await end.plug()
        while not (await events.first(LinkChanged)).up:
            pass
        await end.happens("3")
        assert (await events.first(WinningNumber)).pocket == "3"

    on_result(WHEELS[wheel], backend, script)


def test_a_command_is_answered_whatever_the_link(wheel: str, backend: Backend) -> None:
    async def script(device: WheelReader, end: ResultEnd, events: Events) -> None:
        await end.up(events)
        if WheelCommand.VOID_SPIN not in device.abilities.commands:
            device.void_spin()
            refused = await events.first(WheelRefused)
            assert refused.command is WheelCommand.VOID_SPIN
            assert refused.reason
        elif backend is Backend.PROCESS:
            device.void_spin()
            assert (await events.first(WheelObeyed)).command is WheelCommand.VOID_SPIN
        await end.unplug()
        assert not (await events.first(LinkChanged)).up
        device.start_spin()
        assert (await events.first(WheelRefused)).command is WheelCommand.START_SPIN

    on_result(WHEELS[wheel], backend, script)


def test_identity_says_whether_it_is_simulated(wheel: str, backend: Backend) -> None:
    async def script(device: WheelReader, end: ResultEnd, events: Events) -> None:
        await end.up(events)
        assert device.identity.startswith("sim+") == (backend is Backend.PROCESS)
        assert " on " in device.identity

    on_result(WHEELS[wheel], backend, script)
