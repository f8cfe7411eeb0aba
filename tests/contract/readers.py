"""Every card reader with its other end, for the contract suite: in memory on virtual time, or a simulator of its own.

One row a reader in `READERS`: how it is made, what it sends for a card, what noise is on its wire, its simulator.
"""

from __future__ import annotations

import asyncio
import itertools
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from time import monotonic_ns

from drivers.codecs import angeleye, beetek, tgline, tgline_shoe
from drivers.codecs import angeleye_messages as m
from drivers.codecs.barcodes import MapName, named_map, typed
from drivers.codecs.tgline_events import StandBy
from drivers.devices import angeleye_shoe, barcode_scanner, beetek_shoe
from drivers.devices import tgline_shoe as tgline_device
from drivers.events import LinkChanged, ReaderStarted
from drivers.links.port import Opener, open_serial
from drivers.ports import CardReader, NowNs
from hil.simclient import AsyncSimClient
from tests.contract.benches import Backend, Events, OtherEnd, ProcessEnd, ScriptedEnd, on_process, running
from tests.scripted_port import ScriptedOpener
from tests.virtual_time import VirtualLoop, run_virtual

CODES = named_map(MapName.LETTER)
CODE_OF = {card: code for code, card in CODES.items()}
STAND_BY_S = 1.0


class Reader(StrEnum):
    ANGELEYE = "angeleye"
    BEETEK = "beetek"
    BARCODE_SERIAL = "barcode_serial"
    BARCODE_HID = "barcode_hid"
    TGLINE = "tgline"


Make = Callable[[str, NowNs, bool, Opener | None], CardReader]


@dataclass(frozen=True)
class Row:
    make: Make
    says: Callable[[int, str, int, str], bytes]
    """Number of the telegram, hand, index, card."""
    raw_of_8s: re.Pattern[bytes]
    """What the event of the Player hand's first card, the 8 of spades, holds as its bytes."""
    noise: bytes
    """Nothing that is a card, and nothing that hides the next one."""
    module: str
    options: tuple[str, ...] = ()
    names_hands: bool = False
    alive: bool = False
    """It sends a sign of life, and BOOT when it starts."""


def _angeleye(url: str, now_ns: NowNs, simulated: bool, opener: Opener | None) -> CardReader:
    return angeleye_shoe.create(name="shoe", url=url, now_ns=now_ns, simulated=simulated, opener=opener or open_serial)


def _beetek(url: str, now_ns: NowNs, simulated: bool, opener: Opener | None) -> CardReader:
    return beetek_shoe.create(name="shoe", url=url, now_ns=now_ns, simulated=simulated, opener=opener or open_serial)


def _barcode_serial(url: str, now_ns: NowNs, simulated: bool, opener: Opener | None) -> CardReader:
    return barcode_scanner.create_serial(
        name="shoe", url=url, codes=CODES, now_ns=now_ns, simulated=simulated, opener=opener or open_serial
    )


def _barcode_hid(url: str, now_ns: NowNs, simulated: bool, opener: Opener | None) -> CardReader:
    return barcode_scanner.create_hid(
        name="shoe", url=url, codes=CODES, now_ns=now_ns, simulated=simulated, opener=opener
    )


def _tgline(url: str, now_ns: NowNs, simulated: bool, opener: Opener | None) -> CardReader:
    return tgline_device.create(name="shoe", url=url, now_ns=now_ns, simulated=simulated, opener=opener or open_serial)


def _angeleye_says(number: int, hand: str, index: int, card: str) -> bytes:
    return angeleye.encode(chr(0x30 + number), m.CardInGame(m.Target[hand.upper()], index, card)) * 3


def _tgline_says(number: int, hand: str, index: int, card: str) -> bytes:
    said = tgline_shoe.CardInGame(tgline_shoe.Target[hand.upper()], index, card)
    return tgline.encode(tgline_shoe.line_of(1, number, said))


READERS: dict[Reader, Row] = {
    Reader.ANGELEYE: Row(
        _angeleye,
        _angeleye_says,
        re.compile(rb"\x05.D\x81\xb8\x03..", re.DOTALL),
        bytes.fromhex("ff003203053244"),
        "hil.sim.shoe",
        names_hands=True,
    ),
    Reader.BEETEK: Row(
        _beetek,
        lambda number, hand, index, card: beetek.encode(card),
        re.compile(rb"S8"),
        b"\xff\x00X1\r\nS14\r\n",
        "hil.sim.beetek",
    ),
    Reader.BARCODE_SERIAL: Row(
        _barcode_serial,
        lambda number, hand, index, card: CODE_OF[card].encode() + b"\r",
        re.compile(rb"S8"),
        b"\xff\x00X9\r\n",
        "hil.sim.barcode",
    ),
    Reader.BARCODE_HID: Row(
        _barcode_hid,
        lambda number, hand, index, card: typed(CODE_OF[card], number * 10**9),
        re.compile(rb"S8"),
        typed("X9", 10**8),
        "hil.sim.barcode",
        ("--hid",),
    ),
    Reader.TGLINE: Row(
        _tgline,
        _tgline_says,
        re.compile(rb"\$TGSHO,01,....,CARD,P,1,8S\*.."),
        b"\xff\x00$TGSHO,01,00\r\n$TGSHO,01",
        "hil.sim.tgline_shoe",
        names_hands=True,
        alive=True,
    ),
}


class ReaderEnd(OtherEnd):
    """The reader's hardware."""

    async def up(self, events: Events) -> None:
        """Wait until the device is ready, and has heard that the reader started where that says so."""
        raise NotImplementedError

    async def deal(self, hand: str, index: int, card: str) -> None:
        raise NotImplementedError

    async def noise(self) -> None:
        raise NotImplementedError


class ScriptedReader(ScriptedEnd, ReaderEnd):
    def __init__(self, opener: ScriptedOpener, row: Row) -> None:
        super().__init__(opener)
        self._row = row
        self._numbers = itertools.count(1)

    async def up(self, events: Events) -> None:
        assert (await events.next(LinkChanged)).up

    async def deal(self, hand: str, index: int, card: str) -> None:
        self.port.send(self._row.says(next(self._numbers), hand, index, card))

    async def noise(self) -> None:
        self.port.send(self._row.noise)

    async def live(self) -> None:
        """The sign of life, as long as it is plugged in."""
        while True:
            await asyncio.sleep(STAND_BY_S)
            if self._opener.ports and self._opener.error is None and not self.port.closed:
                line = tgline_shoe.line_of(1, 0xFFFF, StandBy())
                self.port.send(tgline.encode(line))


class ProcessReader(ProcessEnd, ReaderEnd):
    def __init__(self, client: AsyncSimClient, row: Row) -> None:
        super().__init__(client)
        self._row = row
        self._started = not row.alive

    async def up(self, events: Events) -> None:
        assert (await events.next(LinkChanged)).up
        if not self._started:
            await events.next(ReaderStarted)
            self._started = True

    async def deal(self, hand: str, index: int, card: str) -> None:
        await self.client.call("deal", target=hand, index=index, card=card)

    async def noise(self) -> None:
        await self.client.call("garbage", hex=self._row.noise.hex())


Script = Callable[[CardReader, ReaderEnd, Events], Awaitable[None]]


def on_reader(reader: Reader, backend: Backend, script: Script) -> None:
    row = READERS[reader]
    if backend is Backend.SCRIPTED:

        async def scripted(loop: VirtualLoop) -> None:
            opener = ScriptedOpener()
            end = ScriptedReader(opener, row)
            device = row.make("scripted://port", loop.now_ns, False, opener)
            life = asyncio.ensure_future(end.live()) if row.alive else None
            async with running(device) as events:
                await script(device, end, events)
            if life is not None:
                life.cancel()
                with suppress(asyncio.CancelledError):
                    await life

        run_virtual(scripted)
        return

    async def process(port: Path, client: AsyncSimClient) -> None:
        await client.call("set", spacing_ms=1)
        device = row.make(str(port), monotonic_ns, True, None)
        async with running(device) as events:
            await script(device, ProcessReader(client, row), events)

    on_process(row.module, process, *row.options)
