"""Readers that say a card and nothing else: repeats, half scans, noise; and the input device under a typing scanner."""

from __future__ import annotations

import asyncio
import errno
import fcntl
import logging
import os
import re
import struct
from collections.abc import Awaitable, Callable
from pathlib import Path
from time import monotonic_ns

import pytest

from drivers import events
from drivers.codecs.barcodes import MapName, named_map, typed
from drivers.devices import barcode_scanner, beetek_shoe
from drivers.events import CardDrawn, LinkChanged, LinkState
from drivers.links import input_events
from drivers.links.port import PortAbsent, PortError, PortSettings
from drivers.ports import CardReader, NowNs
from hil.sim.fifo_port import FifoPort
from hil.simclient import AsyncSimClient, SimError
from tests.contract.benches import Events, running
from tests.scripted_port import ScriptedOpener
from tests.simulators import simulator
from tests.virtual_time import VirtualLoop, run_virtual

MS = 1_000_000
CODES = named_map(MapName.LETTER)
Make = Callable[[NowNs, ScriptedOpener], CardReader]


def cards_of(make: Make, pieces: list[tuple[float, bytes]]) -> list[str | None]:
    """What a reader tells that sends each piece so many seconds after the last."""
    got: list[events.DeviceEvent] = []

    async def main(loop: VirtualLoop) -> None:
        opener = ScriptedOpener()
        task = asyncio.ensure_future(make(loop.now_ns, opener).run(got.append))
        await asyncio.sleep(0.001)
        for after_s, piece in pieces:
            await asyncio.sleep(after_s)
            opener.ports[-1].send(piece)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

    run_virtual(main)
    return [event.card for event in got if isinstance(event, CardDrawn)]


def beetek(repeat_ms: int) -> Make:
    return lambda now_ns, opener: beetek_shoe.create(
        name="s", url="scripted://port", repeat_ms=repeat_ms, now_ns=now_ns, opener=opener
    )


def serial(repeat_ms: int) -> Make:
    return lambda now_ns, opener: barcode_scanner.create_serial(
        name="s", url="scripted://port", codes=CODES, repeat_ms=repeat_ms, now_ns=now_ns, opener=opener
    )


def test_two_equal_cards_in_a_row_are_two_if_they_are_far_enough_apart() -> None:
    line = b"SA\r\n"
    assert cards_of(beetek(300), [(0, line), (0.25, line), (0.31, line)]) == ["AS", "AS"]
    assert cards_of(beetek(0), [(0, line), (0, line)]) == ["AS", "AS"]
    assert cards_of(serial(1000), [(0, line), (0.9, line), (1.1, line)]) == ["AS", "AS"]
    assert cards_of(beetek(300), [(0, line), (0.1, b"H10\r\n"), (0.1, line)]) == ["AS", "TH", "AS"]


def test_a_line_that_is_cut_is_no_card_and_the_next_is_whole() -> None:
    assert cards_of(beetek(300), [(0, b"S"), (0.5, b"\r\nHK\r\n")]) == ["KH"]
    assert cards_of(serial(1000), [(0, b"H1"), (0.5, b"\rDK\r")]) == ["KD"]


def test_a_noisy_line_logs_one_line_a_second(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert cards_of(beetek(300), [(0.01, b"X1\r\n")] * 200) == []
    assert 2 <= len(caplog.records) <= 3
    assert "5831" in caplog.text


# --- the shoe's and the scanner's simulators --------------------------------------------------------------------------


def on_simulator(
    module: str,
    make: Callable[[str], CardReader],
    script: Callable[[AsyncSimClient, Events, CardReader], Awaitable[None]],
    *options: str,
) -> None:
    async def main(port: Path, control: Path) -> None:
        device = make(str(port))
        async with await AsyncSimClient.connect(control) as client, running(device) as got:
            assert (await got.next(LinkChanged)).up
            await script(client, got, device)

    with simulator(module, *options) as started:
        asyncio.run(main(started.port, started.control))


def test_a_simulated_bee_tek_says_cards_and_nothing_else() -> None:
    async def script(client: AsyncSimClient, got: Events, device: CardReader) -> None:
        for op in ("start", "cut", "stand_by"):
            assert (await client.call(op))["sent"] == []
        assert (await client.call("result", winner="tie"))["sent"] == []
        await client.call("stutter")
        assert (await client.call("deal", target="player", index=1, card="AS"))["sent"] == [b"SASA\r\n".hex()]
        await client.call("burn", index=1, read=False, card="TH")
        await client.call("fault", kind="truncated")
        await client.call("deal", target="player", index=2, card="KD")
        await client.call("garbage", hex=b"\r\n".hex())
        await client.call("fault", kind="byte_by_byte")
        await client.call("deal", target="banker", index=2, card="QC")
        assert [(await got.next(CardDrawn)).card for _ in range(3)] == ["AS", "TH", "QC"], "one passed unread"
        assert device.counters["rejected"] == 1

    on_simulator(
        "hil.sim.beetek", lambda url: beetek_shoe.create(name="s", url=url, now_ns=monotonic_ns, simulated=True), script
    )


def test_a_simulated_typing_scanner() -> None:
    async def script(client: AsyncSimClient, got: Events, device: CardReader) -> None:
        before_ns = monotonic_ns()
        await client.call("deal", target="player", index=1, card="AS")
        card = await got.next(CardDrawn)
        assert before_ns - 1000 <= card.at_ns <= monotonic_ns(), "stamped by the same clock as everything else"
        await client.call("burn", index=1, read=False)  # face down: nobody scans it
        await client.call("half")
        await client.call("scan", card="KD")
        with pytest.raises(SimError, match="whole records"):
            await client.call("fault", kind="bad_check")
        await client.call("garbage", hex=typed("H10", monotonic_ns() + 10**9, 0).hex())  # a second later
        assert (await got.next(CardDrawn)).card == "TH"
        assert device.counters["half_scan"] == 1

    on_simulator(
        "hil.sim.barcode",
        lambda url: barcode_scanner.create_hid(name="s", url=url, codes=CODES, now_ns=monotonic_ns, simulated=True),
        script,
        "--hid",
    )


def test_a_killed_typing_scanner_is_an_unplugged_one() -> None:
    async def main(port: Path, kill: Callable[[], None]) -> None:
        device = barcode_scanner.create_hid(name="s", url=str(port), codes=CODES, now_ns=monotonic_ns, simulated=True)
        async with running(device) as got:
            assert (await got.next(LinkChanged)).up
            kill()
            down = await got.next(LinkChanged)
            assert not down.up
            assert "lost" in down.reason

    with simulator("hil.sim.barcode", "--hid") as started:
        asyncio.run(main(started.port, started.process.kill))


# --- input devices ----------------------------------------------------------------------------------------------------


def opening(url: Path, *, fifo: bool = False) -> str:
    """Why it can't be opened."""

    async def main() -> str:
        opener = input_events.open_event_fifo if fifo else input_events.open_event_file
        with pytest.raises(PortError) as caught:
            await opener(PortSettings(str(url), 0), monotonic_ns)
        return f"{type(caught.value).__name__}: {caught.value}"

    return asyncio.run(main())


def test_what_is_no_input_device_is_never_read_as_one(tmp_path: Path) -> None:
    text = tmp_path / "text"
    text.write_text("H10\n")
    assert opening(tmp_path / "none").startswith(PortAbsent.__name__)
    assert "no input device" in opening(Path("/dev/null"))
    assert "no input device" in opening(text)
    assert "no FIFO" in opening(text, fifo=True)
    assert "no FIFO" in opening(Path("/dev/null"), fifo=True)
    fifo = FifoPort(tmp_path / "fifo")
    fifo.plug()
    assert "no input device" in opening(tmp_path / "fifo"), "a bench's FIFO is no scanner to a real table"
    fifo.unplug()


def test_no_descriptor_is_left_behind(tmp_path: Path) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(20):
        opening(Path("/dev/null"))
    assert len(list(Path("/proc/self/fd").iterdir())) <= before + 1


@pytest.mark.parametrize(
    ("refused", "expected"),
    [
        (None, ""),
        (errno.EBUSY, "PortError: .* is taken by another program"),
        (errno.ENODEV, "PortAbsent: .* is not there"),
        (errno.ENOTTY, "PortError: .* is no input device"),
    ],
)
def test_the_device_is_stamped_and_taken_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refused: int | None, expected: str
) -> None:
    """The kernel's side of the two requests, as uapi/linux/input.h numbers them, on a FIFO in place of a device."""
    asked: list[tuple[int, object]] = []

    def ioctl(descriptor: int, request: int, argument: int | bytes) -> int:
        asked.append((request, argument))
        if refused is not None and request == 0x40044590:
            raise OSError(refused, os.strerror(refused))
        return 0

    monkeypatch.setattr(fcntl, "ioctl", ioctl)
    scanner = FifoPort(tmp_path / "event0")
    scanner.plug()
    got: list[bytes] = []

    async def main() -> None:
        port = await input_events.open_event_file(PortSettings(str(tmp_path / "event0"), 0), monotonic_ns)
        arrived = asyncio.Event()

        def on_bytes(data: bytes, at_ns: int) -> None:
            got.append(data)
            arrived.set()

        port.start(on_bytes, lambda error: None)
        scanner.write(typed("H10"))
        async with asyncio.timeout(10):
            await arrived.wait()
        with pytest.raises(PortError, match="only read"):
            await port.write(b"x")
        assert await port.close()

    if refused is None:
        asyncio.run(main())
        assert b"".join(got) == typed("H10")
    else:
        with pytest.raises(PortError) as caught:
            asyncio.run(main())
        assert re.match(expected, f"{type(caught.value).__name__}: {caught.value}"), str(caught.value)
    assert asked == [(0x400445A0, struct.pack("i", 1)), (0x40044590, 1)]
    scanner.unplug()


def test_a_scanner_pulled_out_and_put_back_is_ready_again(tmp_path: Path) -> None:
    async def main() -> None:
        scanner = FifoPort(tmp_path / "event0")
        device = barcode_scanner.create_hid(
            name="s", url=str(tmp_path / "event0"), codes=CODES, now_ns=monotonic_ns, simulated=True
        )
        async with running(device) as got:
            assert (await got.next(LinkChanged)).state is LinkState.ABSENT
            scanner.plug()
            assert (await got.next(LinkChanged)).up
            records = typed("SA", monotonic_ns(), 0)
            scanner.write(records[:40])
            scanner.unplug()
            assert not (await got.next(LinkChanged)).up
            scanner.plug()
            change = await got.next(LinkChanged)
            if not change.up:  # an attempt fell between
                change = await got.next(LinkChanged)
            assert change.up
            scanner.write(typed("HK", monotonic_ns(), 0))
            assert (await got.next(CardDrawn)).card == "KH", "the half of a scan went with its connection"
        scanner.unplug()

    asyncio.run(main())
