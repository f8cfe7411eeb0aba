"""The contract of a `CardReader`, on every reader and every back end."""

from __future__ import annotations

import pytest

from drivers.events import CardDrawn, CardTarget, LinkChanged, LinkState
from drivers.ports import CardReader
from tests.contract.benches import Backend, Events
from tests.contract.readers import READERS, Reader, ReaderEnd, on_reader

pytestmark = [
    pytest.mark.parametrize("backend", list(Backend)),
    pytest.mark.parametrize("reader", list(Reader)),
]


def test_cards_in_order_once_each_with_their_bytes(reader: Reader, backend: Backend) -> None:
    row = READERS[reader]

    async def script(device: CardReader, end: ReaderEnd, events: Events) -> None:
        await end.up(events)
        assert device.link is LinkState.READY
        await end.deal("player", 1, "8S")
        await end.deal("banker", 1, "TH")
        await end.deal("player", 2, "AD")
        first, second, third = [await events.next(CardDrawn) for _ in range(3)]
        assert [card.card for card in (first, second, third)] == ["8S", "TH", "AD"]
        assert {card.device for card in (first, second, third)} == {"shoe"}
        if row.names_hands:
            assert (first.target, first.index) == (CardTarget.PLAYER, 1)
            assert (second.target, second.index) == (CardTarget.BANKER, 1)
            assert (third.target, third.index) == (CardTarget.PLAYER, 2)
        else:
            assert {(card.target, card.index) for card in (first, second, third)} == {(CardTarget.UNASSIGNED, 0)}
        assert row.raw_of_8s.fullmatch(bytes.fromhex(first.raw)), first.raw
        assert first.at_ns <= second.at_ns <= third.at_ns
        assert events.none()

    on_reader(reader, backend, script)


def test_noise_is_counted_and_is_no_card(reader: Reader, backend: Backend) -> None:
    async def script(device: CardReader, end: ReaderEnd, events: Events) -> None:
        await end.up(events)
        quiet = dict(device.counters)
        await end.noise()
        await end.deal("player", 1, "KH")
        assert (await events.next(CardDrawn)).card == "KH"
        assert events.none()
        expected = {"bytes_in", "cards", "telegrams", "events", "lines", "repeats", "bytes_out"}
        counted = {name for name, number in device.counters.items() if number > quiet[name]} - expected
        assert counted, "nobody could tell afterwards that there was noise"

    on_reader(reader, backend, script)


def test_unplugged_and_plugged_in_again(reader: Reader, backend: Backend) -> None:
    async def script(device: CardReader, end: ReaderEnd, events: Events) -> None:
        await end.up(events)
        await end.deal("player", 1, "8S")
        await events.next(CardDrawn)
        await end.unplug()
        down = await events.next(LinkChanged)
        assert not down.up
        assert down.reason
        assert device.link is not LinkState.READY
        await end.plug()
        event = await events.next(LinkChanged)
        if not event.up:  # an attempt fell between
            assert event.state is LinkState.ABSENT
            event = await events.next(LinkChanged)
        assert event.up
        await end.deal("banker", 1, "KH")
        assert (await events.next(CardDrawn)).card == "KH"
        assert events.none()
        assert device.counters["opened"] == 2

    on_reader(reader, backend, script)


def test_identity_says_whether_it_is_simulated(reader: Reader, backend: Backend) -> None:
    async def script(device: CardReader, end: ReaderEnd, events: Events) -> None:
        await end.up(events)
        assert device.identity.startswith("sim+") == (backend is Backend.PROCESS)
        assert " on " in device.identity

    on_reader(reader, backend, script)
