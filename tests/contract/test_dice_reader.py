"""The contract of a `DiceReader`, on every reader and every back end."""

from __future__ import annotations

import pytest

from drivers.events import LinkChanged, LinkState
from drivers.ports import DiceReader
from drivers.result_events import DiceRolled
from tests.contract.benches import Backend, Events
from tests.contract.results import DICE, ResultEnd, on_result

pytestmark = [
    pytest.mark.parametrize("backend", list(Backend)),
    pytest.mark.parametrize("reader", list(DICE)),
]


def test_rolls_once_each_in_order(reader: str, backend: Backend) -> None:
    async def script(device: DiceReader, end: ResultEnd, events: Events) -> None:
        await end.up(events)
        assert device.link is LinkState.READY
        rolls = []
        for roll in ("4,6", "4,6", "1,1"):
            await end.happens(roll)
            rolls.append(await events.first(DiceRolled))
        assert [roll.faces for roll in rolls] == [(4, 6), (4, 6), (1, 1)]
        assert {roll.device for roll in rolls} == {"dice"}
        assert rolls[0].at_ns < rolls[1].at_ns < rolls[2].at_ns
        assert b"46" in bytes.fromhex(rolls[0].raw).replace(b",", b"")

    on_result(DICE[reader], backend, script)


def test_noise_is_counted_and_is_no_roll(reader: str, backend: Backend) -> None:
    async def script(device: DiceReader, end: ResultEnd, events: Events) -> None:
        await end.up(events)
        quiet = dict(device.counters)
        await end.noise()
        await end.happens("2,5")
        assert (await events.first(DiceRolled)).faces == (2, 5)
        rejected = ("form", "broken", "overlong", "checksum", "other_keys")
        assert any(device.counters.get(name, 0) > quiet.get(name, 0) for name in rejected)

    on_result(DICE[reader], backend, script)


def test_unplugged_and_plugged_in_again(reader: str, backend: Backend) -> None:
    async def script(device: DiceReader, end: ResultEnd, events: Events) -> None:
        await end.up(events)
        await end.happens("4,6")
        await events.first(DiceRolled)
        await end.unplug()
        down = await events.first(LinkChanged)
        assert not down.up
        assert down.reason
        await end.plug()
        while not (await events.first(LinkChanged)).up:
            pass
        await end.happens("3,3")
        assert (await events.first(DiceRolled)).faces == (3, 3)

    on_result(DICE[reader], backend, script)


def test_identity_says_whether_it_is_simulated(reader: str, backend: Backend) -> None:
    async def script(device: DiceReader, end: ResultEnd, events: Events) -> None:
        await end.up(events)
        assert device.identity.startswith("sim+") == (backend is Backend.PROCESS)
        assert " on " in device.identity

    on_result(DICE[reader], backend, script)
