"""The contract of a `CardReader`, on every back end."""

from __future__ import annotations

import pytest

from drivers.codecs.angeleye_messages import Target
from drivers.devices.angeleye_shoe import AngelEyeShoe
from drivers.events import (
    CardDrawn,
    CardTarget,
    CutCardDrawn,
    LinkChanged,
    LinkState,
    ReaderStarted,
)
from tests.contract.benches import Backend, Events, ShoeEnd, on_shoe

pytestmark = pytest.mark.parametrize("backend", list(Backend))


def test_cards_in_order_once_each_with_their_bytes(backend: Backend) -> None:
    async def script(shoe: AngelEyeShoe, end: ShoeEnd, events: Events) -> None:
        assert (await events.next(LinkChanged)).up
        assert shoe.link is LinkState.READY
        await end.start()
        started = await events.next(ReaderStarted)
        await end.deal(Target.PLAYER, 1, "8S")
        await end.deal(Target.BANKER, 1, "KH")
        await end.cut()
        first, second = await events.next(CardDrawn), await events.next(CardDrawn)
        cut = await events.next(CutCardDrawn)
        assert (first.device, first.target, first.index, first.card) == ("shoe", CardTarget.PLAYER, 1, "8S")
        assert (second.target, second.index, second.card) == (CardTarget.BANKER, 1, "KH")
        assert first.raw.startswith("05")
        assert first.raw[4:10] == "4481b8"
        assert started.at_ns <= first.at_ns <= second.at_ns <= cut.at_ns
        assert events.none()

    on_shoe(backend, script)


def test_a_wrong_bcc_in_two_of_three_copies_still_gives_one_card(backend: Backend) -> None:
    async def script(shoe: AngelEyeShoe, end: ShoeEnd, events: Events) -> None:
        await events.next(LinkChanged)
        await end.spoil([1, 3])
        await end.deal(Target.PLAYER, 1, "8S")
        await end.spoil([1, 2, 3])
        await end.deal(Target.PLAYER, 2, "9S")
        await end.deal(Target.BANKER, 1, "KH")
        assert (await events.next(CardDrawn)).card == "8S"
        assert (await events.next(CardDrawn)).card == "KH", "a card with no good copy is lost, not guessed"
        assert shoe.counters["checksum"] == 5

    on_shoe(backend, script)


def test_unplugged_and_plugged_in_again(backend: Backend) -> None:
    async def script(shoe: AngelEyeShoe, end: ShoeEnd, events: Events) -> None:
        assert (await events.next(LinkChanged)).up
        await end.deal(Target.PLAYER, 1, "8S")
        await events.next(CardDrawn)
        await end.unplug()
        down = await events.next(LinkChanged)
        assert not down.up
        assert down.reason
        await end.plug()
        event = await events.next(LinkChanged)
        if not event.up:  # an attempt fell between
            assert event.state is LinkState.ABSENT
            event = await events.next(LinkChanged)
        assert event.up
        await end.garbage(bytes.fromhex("ff003203053244"))
        await end.deal(Target.BANKER, 1, "KH")
        assert (await events.next(CardDrawn)).card == "KH"
        assert shoe.counters["opened"] == 2

    on_shoe(backend, script)


def test_identity_says_whether_it_is_simulated(backend: Backend) -> None:
    async def script(shoe: AngelEyeShoe, end: ShoeEnd, events: Events) -> None:
        await events.next(LinkChanged)
        assert shoe.identity.startswith("sim+angeleye2ex on ") == (backend is Backend.PROCESS)
        assert "angeleye2ex on " in shoe.identity

    on_shoe(backend, script)
