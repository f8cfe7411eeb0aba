"""The shoe's telegrams as card events, and what it logs."""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path
from time import monotonic_ns

import pytest

from drivers import events
from drivers.codecs import angeleye
from drivers.codecs import angeleye_messages as m
from drivers.devices import angeleye_shoe
from drivers.events import CardDrawn, LinkChanged
from drivers.links.port import PortError
from hil.simclient import AsyncSimClient
from tests.codecs.samples import ANGELEYE
from tests.contract.benches import Events, running
from tests.scripted_port import ScriptedOpener
from tests.simulators import simulator
from tests.virtual_time import VirtualLoop, run_virtual

PLAYER, BANKER = events.CardTarget.PLAYER, events.CardTarget.BANKER


def on_shoe(data: list[bytes]) -> list[events.DeviceEvent]:
    """The events of a shoe that sends these pieces, a millisecond apart."""
    got: list[events.DeviceEvent] = []

    async def main(loop: VirtualLoop) -> None:
        opener = ScriptedOpener()
        shoe = angeleye_shoe.create(name="s", url="scripted://port", now_ns=lambda: 7, opener=opener)
        task = asyncio.ensure_future(shoe.run(got.append))
        await asyncio.sleep(0.001)
        for piece in data:
            opener.ports[-1].send(piece)
            await asyncio.sleep(0.001)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    run_virtual(main)
    return got[1:]  # without the link's own


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        (m.Started(), events.ReaderStarted("s", 7)),
        (m.StandBy(), events.ReaderStandBy("s", 7)),
        (m.CutCard(), events.CutCardDrawn("s", 7)),
        (m.Lock(True), events.ReaderLocked("s", True, 7)),
        (m.Error(2, True), events.ReaderError("s", 2, "overdraw", 7)),
        (m.Error(33, False), events.ReaderError("s", 33, "not in the published list", 7)),
        (m.ErrorCleared(2), events.ReaderErrorCleared("s", 2, 7)),
        (m.CardInGame(m.Target.PLAYER, 3, "TH"), events.CardDrawn("s", PLAYER, 3, "TH", 7, "RAW")),
        (m.CardInGame(m.Target.BURN, 1, None), events.CardDrawn("s", events.CardTarget.BURN, 1, None, 7, "RAW")),
        (
            m.CardInGame(m.Target.FIRST_CARD, 1, "2C"),
            events.CardDrawn("s", events.CardTarget.FIRST_CARD, 1, "2C", 7, "RAW"),
        ),
        (
            m.CardInGame(m.Target.BURN_COUNT, 9, None),
            events.CardDrawn("s", events.CardTarget.BURN_COUNT, 9, None, 7, "RAW"),
        ),
        (m.HeldOver(m.Target.BANKER, 1, "AD"), events.CardHeldOver("s", BANKER, 1, "AD", 7, "RAW")),
        (m.CardOutsideGame(m.OutsideMode.LOCK, "AD"), events.CardOutsideGame("s", "lock", "AD", 7, "RAW")),
        (m.CardOutsideGame(m.OutsideMode.ERROR, None), events.CardOutsideGame("s", "error", None, 7, "RAW")),
        (m.CardOutsideGame(m.OutsideMode.SETTING, None), events.CardOutsideGame("s", "setting", None, 7, "RAW")),
        (
            m.Result(m.Winner.TIE, True, False),
            events.ReaderResult("s", events.ReaderWinner.TIE, True, False, 7, "RAW"),
        ),
        (
            m.Result(m.Winner.FORCED_END, False, True),
            events.ReaderResult("s", events.ReaderWinner.FORCED_END, False, True, 7, "RAW"),
        ),
    ],
)
def test_each_message_is_one_event(message: m.Message, expected: events.CardEvent) -> None:
    raw = angeleye.encode("5", message)
    [event] = on_shoe([raw * 3])
    assert repr(event).replace(raw.hex(), "RAW") == repr(expected)


def test_a_reconnection_forgets_the_half_telegram_and_the_last_seq() -> None:
    eight = bytes.fromhex(ANGELEYE[2][1])
    got: list[events.DeviceEvent] = []

    async def main(loop: VirtualLoop) -> None:
        opener = ScriptedOpener()
        shoe = angeleye_shoe.create(name="s", url="scripted://port", now_ns=loop.now_ns, opener=opener)
        task = asyncio.ensure_future(shoe.run(got.append))
        await asyncio.sleep(0.001)
        opener.ports[-1].send(eight + eight[:4])
        opener.ports[-1].lose(PortError("pulled"))
        await asyncio.sleep(2)
        opener.ports[-1].send(eight[4:] + eight)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    run_virtual(main)
    assert [type(event) for event in got] == [LinkChanged, CardDrawn, LinkChanged, LinkChanged, CardDrawn]


def test_a_preset_is_logged_and_counted_and_no_event(caplog: pytest.LogCaptureFixture) -> None:
    assert on_shoe([angeleye.encode("1", m.Preset("01", "0008"))]) == []
    assert "preset 01 was set to 0008" in caplog.text


def test_a_noisy_line_logs_one_line_a_second(caplog: pytest.LogCaptureFixture) -> None:
    raw = bytes.fromhex(ANGELEYE[2][1])
    with caplog.at_level(logging.WARNING):
        assert on_shoe([raw[:-1] + b"0"] * 50) == []
    assert [record.getMessage() for record in caplog.records] == [f"s: not a telegram, checksum: {raw[:-1].hex()}30"]


def test_a_wrong_bcc_in_two_of_three_copies_still_gives_one_card() -> None:
    eight, nine = angeleye.encode("5", m.CardInGame(m.Target.PLAYER, 1, "8S")), angeleye.encode("6", m.CutCard())
    [event] = on_shoe([eight[:-1] + b"?" + eight + eight[:-1] + b"?", (nine[:-1] + b"?") * 3])
    assert isinstance(event, CardDrawn), "and what has no good copy is lost, not guessed"
    assert event.card == "8S"


def test_plugged_in_under_another_kernel_name_behind_its_own_name(tmp_path: Path) -> None:
    """As a USB adapter: /dev/serial/by-id/... stays, the ttyUSB behind it is another, and it begins with garbage."""

    async def main(port: Path, control: Path) -> None:
        by_id = tmp_path / "by-id"
        by_id.symlink_to(port)
        shoe = angeleye_shoe.create(name="shoe", url=str(by_id), now_ns=monotonic_ns)
        async with await AsyncSimClient.connect(control) as client, running(shoe) as got:
            assert (await got.next(LinkChanged)).up
            await client.call("unplug")
            by_id.unlink()
            assert not (await got.next(LinkChanged)).up
            other = port.with_name("other")
            await client.call("plug", link=str(other))
            by_id.symlink_to(other)
            assert (await _up(got)).up
            await client.call("garbage", hex="ff053244")
            await client.call("deal", target="player", index=1, card="8S")
            assert (await got.next(CardDrawn)).card == "8S"
            assert not port.is_symlink()

    async def _up(got: Events) -> LinkChanged:
        while not (event := await got.next(LinkChanged)).up:
            pass
        return event

    with simulator("hil.sim.shoe") as started:
        asyncio.run(main(started.port, started.control))


def test_a_killed_simulator_is_an_unplugged_shoe() -> None:
    async def main(port: Path, kill: object) -> None:
        shoe = angeleye_shoe.create(name="shoe", url=str(port), now_ns=monotonic_ns)
        async with running(shoe) as got:
            assert (await got.next(LinkChanged)).up
            assert callable(kill)
            kill()
            down = await got.next(LinkChanged)
            assert not down.up
            assert "lost" in down.reason

    with simulator("hil.sim.shoe") as started:
        asyncio.run(main(started.port, started.process.kill))
