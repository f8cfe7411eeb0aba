"""A `tgline` shoe: each event once, each answered; repeats, resets, silence, strangers."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping
from pathlib import Path
from time import monotonic_ns

import pytest

from drivers import events
from drivers.codecs import tgline
from drivers.codecs import tgline_shoe as words
from drivers.codecs.tgline_events import StandBy
from drivers.codecs.tgline_shoe import Boot, CardInGame, CutCard, Target
from drivers.devices import tgline_device, tgline_shoe
from drivers.events import CardDrawn, LinkChanged, LinkState, ReaderStandBy, ReaderStarted
from drivers.links.port import PortError
from hil.simclient import AsyncSimClient
from tests.contract.benches import running
from tests.scripted_port import ScriptedOpener, absent
from tests.simulators import simulator
from tests.virtual_time import VirtualLoop, run_virtual

EIGHT, KING = CardInGame(Target.PLAYER, 1, "8S"), CardInGame(Target.BANKER, 1, "KH")


def said(seq: int, message: words.Message, address: int = 1) -> bytes:
    return tgline.encode(words.line_of(address, seq, message))


class Wire:
    """The shoe's end, in memory: what it sends and what it is answered."""

    def __init__(self, opener: ScriptedOpener, got: list[events.DeviceEvent], device: tgline_shoe.TglineShoe) -> None:
        self.opener = opener
        self.got = got
        self.device = device

    async def send(self, *lines: bytes) -> None:
        for line in lines:
            self.opener.ports[-1].send(line)
        await asyncio.sleep(0.001)

    def answers(self) -> list[str]:
        """What this connection was answered, without checks."""
        return [data.decode().split("*")[0] for _, data in self.opener.ports[-1].writes]

    def cards(self) -> list[str | None]:
        return [event.card for event in self.got if isinstance(event, CardDrawn)]

    def kinds(self) -> Iterator[type]:
        return (type(event) for event in self.got)


def on_wire(script: Callable[[Wire], Awaitable[None]]) -> None:
    async def main(loop: VirtualLoop) -> None:
        opener = ScriptedOpener()
        device = tgline_shoe.create(name="s", url="scripted://port", now_ns=loop.now_ns, opener=opener)
        got: list[events.DeviceEvent] = []
        task = asyncio.ensure_future(device.run(got.append))
        await asyncio.sleep(0.001)
        try:
            await script(Wire(opener, got, device))
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    run_virtual(main)


def test_an_event_is_told_once_and_answered_each_time() -> None:
    async def script(wire: Wire) -> None:
        await wire.send(
            said(1, Boot(8)), said(2, EIGHT), said(2, EIGHT), said(3, StandBy()), said(2, EIGHT), said(4, KING)
        )
        assert list(wire.kinds()) == [LinkChanged, ReaderStarted, CardDrawn, ReaderStandBy, CardDrawn]
        assert wire.answers() == [f"$TGSHO,01,{seq:04X},ACK" for seq in (1, 2, 2, 2, 4)], (
            "a sign of life is not answered"
        )
        assert wire.device.counters["repeats"] == 2

    on_wire(script)


def test_events_before_ready_are_told_after_it_and_in_order() -> None:
    async def script(wire: Wire) -> None:
        assert wire.device.link is LinkState.IDENTIFYING
        await wire.send(said(7, EIGHT) + said(8, KING))
        assert list(wire.kinds()) == [LinkChanged, CardDrawn, CardDrawn]

    on_wire(script)


def test_a_repeat_after_a_reconnection_is_the_same_card() -> None:
    """The answer got lost with the connection: the shoe goes on repeating."""

    async def script(wire: Wire) -> None:
        await wire.send(said(2, EIGHT))
        wire.opener.ports[-1].lose(PortError("pulled"))
        await asyncio.sleep(2)
        await wire.send(said(2, EIGHT), said(3, KING))
        assert wire.cards() == ["8S", "KH"]
        assert wire.answers() == ["$TGSHO,01,0002,ACK", "$TGSHO,01,0003,ACK"]

    on_wire(script)


def test_after_boot_the_same_seq_is_another_card() -> None:
    async def script(wire: Wire) -> None:
        await wire.send(said(1, Boot(8)), said(2, EIGHT), said(3, KING))
        await wire.send(said(1, Boot(8)), said(1, Boot(8)), said(2, EIGHT))
        assert wire.cards() == ["8S", "KH", "8S"]
        assert list(wire.kinds()).count(ReaderStarted) == 2, "the second BOOT of the second start is its repeat"

    on_wire(script)


def test_the_same_seq_with_other_bytes_is_another_event() -> None:
    """A reset whose BOOT got lost: one card too many is seen at the table, a lost one is not."""

    async def script(wire: Wire) -> None:
        await wire.send(said(2, EIGHT), said(2, KING))
        assert wire.cards() == ["8S", "KH"]
        assert wire.device.counters["seq_reused"] == 1

    on_wire(script)


def test_the_memory_is_bounded() -> None:
    async def script(wire: Wire) -> None:
        for seq in range(1, 2000):
            await wire.send(said(seq, CutCard()))
        await wire.send(said(1999, CutCard()), said(1999 - tgline_device.REMEMBERED + 1, CutCard()))
        assert wire.device.counters["events"] == 1999
        assert wire.device.counters["repeats"] == 2
        await wire.send(said(1, CutCard()))
        assert wire.device.counters["events"] == 2000, "far back: the number has come round"

    on_wire(script)


def test_what_says_nothing_is_refused_and_what_is_damaged_is_not_answered() -> None:
    async def script(wire: Wire) -> None:
        await wire.send(said(1, StandBy()))
        odd = tgline.encode(tgline.Line(tgline.Tag.SHOE, 1, 9, "SHUFFLE"))
        wrong = tgline.encode(tgline.Line(tgline.Tag.SHOE, 1, 10, "CARD", ("P", "1", "ZZ")))
        damaged = said(11, EIGHT).replace(b"8S", b"9S")
        await wire.send(odd, wrong, damaged, damaged[:9])
        assert wire.answers() == ["$TGSHO,01,0009,NAK,VRB", "$TGSHO,01,000A,NAK,ARG"]
        assert wire.cards() == []
        assert (wire.device.counters["refused"], wire.device.counters["checksum"]) == (2, 1)
        await wire.send(said(11, EIGHT))
        assert wire.cards() == ["8S"]

    on_wire(script)


def test_lines_of_others_are_neither_taken_nor_answered() -> None:
    async def script(wire: Wire) -> None:
        await wire.send(
            said(1, EIGHT, address=2), tgline.encode(tgline.Line(tgline.Tag.DICE, 1, 2, "ROLL", ("4", "6")))
        )
        assert wire.got == [], "nor do they make it ready"
        await wire.send(said(1, StandBy()))
        assert wire.cards() == []
        assert wire.answers() == []
        assert wire.device.counters["foreign"] == 2

    on_wire(script)


def test_silence_is_stale_and_a_sign_of_life_mends_it() -> None:
    async def script(wire: Wire) -> None:
        await wire.send(said(1, StandBy()))
        await asyncio.sleep(5.5)
        assert wire.device.link is LinkState.READY
        await asyncio.sleep(2)
        assert wire.device.link is LinkState.STALE
        down = wire.got[-1]
        assert isinstance(down, LinkChanged) and not down.up and "nothing heard" in down.reason
        await wire.send(said(2, EIGHT))
        await asyncio.sleep(1)
        assert wire.device.link is LinkState.READY
        assert wire.cards() == ["8S"]
        await asyncio.sleep(30)
        assert wire.device.counters["opened"] > 1, "silent for a second limit it is opened anew"

    on_wire(script)


def test_a_port_on_which_no_shoe_speaks_is_refused_with_what_to_look_at() -> None:
    async def script(wire: Wire) -> None:
        await wire.send(b"H10\r\nSA\r\n")
        await asyncio.sleep(7)
        down = wire.got[-1]
        assert isinstance(down, LinkChanged) and not down.up
        assert "address 01" in down.reason and "check address, speed and wiring" in down.reason

    on_wire(script)


def test_an_answer_that_can_t_be_written_loses_the_link_and_the_card_counts_once() -> None:
    async def script(wire: Wire) -> None:
        await wire.send(said(1, StandBy()))
        wire.opener.ports[-1].write_error = PortError("the adapter takes nothing")
        await wire.send(said(2, EIGHT))
        assert not any(event.up for event in wire.got[-1:] if isinstance(event, LinkChanged))
        await asyncio.sleep(2)
        await wire.send(said(2, EIGHT))
        assert wire.cards() == ["8S"]
        assert wire.answers() == ["$TGSHO,01,0002,ACK"]

    on_wire(script)


def test_a_day_of_a_shoe_that_is_away_keeps_nothing() -> None:
    async def script(wire: Wire) -> None:
        await wire.send(said(1, StandBy()))
        wire.opener.error = absent()
        wire.opener.ports[-1].lose(PortError("pulled"))
        await asyncio.sleep(24 * 3600)
        assert len(wire.got) <= 4, wire.got

    on_wire(script)


def test_the_simulated_shoe_repeats_until_it_is_heard() -> None:
    async def main(port: Path, control: Path) -> None:
        device = tgline_shoe.create(name="shoe", url=str(port), now_ns=monotonic_ns)
        async with await AsyncSimClient.connect(control) as client, running(device) as got:
            assert (await got.next(LinkChanged)).up
            await got.next(ReaderStarted)
            booted = await until(client, lambda status: status["acknowledged"] == 1)
            damaged_and_one_more = int(str(booted["repeated"])) + 2
            await client.call("deaf")
            await client.call("fault", kind="bad_check")
            await client.call("deal", target="player", index=1, card="8S")
            assert (await got.next(CardDrawn)).card == "8S", "by the repeat: the first copy was damaged"
            await until(client, lambda status: int(str(status["repeated"])) >= damaged_and_one_more)
            await client.call("deaf", deaf=False)
            await client.call("deal", target="banker", index=1, card="KH")
            assert (await got.next(CardDrawn)).card == "KH"
            status = await until(client, lambda status: status["acknowledged"] == 3)
            assert device.counters["repeats"] >= 1
            assert device.counters["checksum"] + device.counters["form"] == 1, "a changed digit may be none any more"
            assert status["refused"] == 0

    async def until(client: AsyncSimClient, fits: Callable[[Mapping[str, object]], bool]) -> Mapping[str, object]:
        async with asyncio.timeout(20):
            while not fits(status := await client.call("status")):
                await asyncio.sleep(0.01)
            return status

    with simulator("hil.sim.tgline_shoe") as started:
        asyncio.run(main(started.port, started.control))


@pytest.mark.parametrize("pieces", [1, 3, 7, 1000])
def test_any_split_of_the_stream(pieces: int) -> None:
    async def script(wire: Wire) -> None:
        stream = b"".join([said(1, Boot(8)), said(2, EIGHT), said(3, StandBy()), said(4, KING), said(4, KING)])
        await wire.send(*(stream[at : at + pieces] for at in range(0, len(stream), pieces)))
        assert wire.cards() == ["8S", "KH"]

    on_wire(script)
