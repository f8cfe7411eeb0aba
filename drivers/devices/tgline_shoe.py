"""A `tgline` shoe as a `CardReader`: every event is taken once and acknowledged each time it comes.

Rules:
* The link is READY once a line of this shoe was heard (it sends a sign of life each 5 s), and STALE after `SILENT_S`
  without any byte. Events that came before READY are told after it.
* A repeat has the SEQ *and* the bytes of an event among the last `REMEMBERED`; it is acknowledged and not told again.
  That memory outlives a reconnection, since the shoe repeats until it is acknowledged; BOOT empties it, since SEQ may
  begin anew. The same SEQ with other bytes is another event: a card too many is seen, a lost one is not.
* An acknowledgement says that the event was taken into the daemon, not that it is durable yet.
* A line with a wrong check is not answered: the shoe repeats it. An intact line that says nothing legal is answered
  with NAK; lines of other devices or addresses are not answered. All three are counted and logged.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import assert_never

from drivers import events
from drivers.codecs import tgline, tgline_shoe
from drivers.codecs.angeleye_messages import ERROR_TEXTS
from drivers.codecs.text_lines import Received, Rejected
from drivers.devices.reject_log import RejectLog
from drivers.devices.serial_device import SerialDevice
from drivers.links.port import Opener, PortError, PortSettings, open_serial
from drivers.ports import NowNs

SILENT_S = 6.0
"""The shoe's 5 s, and one for its clock and a busy wire."""

REMEMBERED = 64

_TARGETS = {
    tgline_shoe.Target.PLAYER: events.CardTarget.PLAYER,
    tgline_shoe.Target.BANKER: events.CardTarget.BANKER,
    tgline_shoe.Target.UNASSIGNED: events.CardTarget.UNASSIGNED,
}
_WINNERS = {
    tgline_shoe.Winner.PLAYER: events.ReaderWinner.PLAYER,
    tgline_shoe.Winner.BANKER: events.ReaderWinner.BANKER,
    tgline_shoe.Winner.TIE: events.ReaderWinner.TIE,
    tgline_shoe.Winner.FORCED_END: events.ReaderWinner.FORCED_END,
}


def create(
    *,
    name: str,
    url: str,
    baud: int = 115200,
    address: int = 1,
    now_ns: NowNs,
    simulated: bool = False,
    opener: Opener = open_serial,
) -> TglineShoe:
    """The shoe with `address` (1..254) at `url`, 8N1."""
    return TglineShoe(name, PortSettings(url, baud), now_ns, simulated, address, opener)


class TglineShoe(SerialDevice):
    """A `CardReader`."""

    def __init__(
        self, name: str, settings: PortSettings, now_ns: NowNs, simulated: bool, address: int, opener: Opener
    ) -> None:
        super().__init__(name, f"tgline shoe {address:02X}", settings, now_ns, simulated)
        self._url = settings.url
        self._address = address
        self._decoder = tgline.Decoder()
        self._rejects = RejectLog(name, "a line of this shoe")
        self._taken: dict[int, bytes] = {}  # by SEQ, the oldest first
        self._newest: bytes | None = None
        self._early: list[Received[tgline.Line]] | None = []  # None: READY, told as they come
        self._heard = asyncio.Event()
        self._answers: asyncio.Queue[tgline.Line] = asyncio.Queue()
        self._counters = {"events": 0, "repeats": 0, "seq_reused": 0, "refused": 0, "foreign": 0}
        self._connect(self, opener, SILENT_S)

    @property
    def counters(self) -> Mapping[str, int]:
        return self._link.counters | self._decoder.counters | self._counters

    # What the link asks of its client.

    def connected(self) -> None:
        self._decoder.reset()
        self._early, self._heard, self._answers = [], asyncio.Event(), asyncio.Queue()

    def received(self, data: bytes, arrived_ns: int) -> None:
        for found in self._decoder.feed(data, arrived_ns):
            match found:
                case Received(message=line):
                    if line.tag is not tgline.Tag.SHOE or line.address != self._address:
                        self._counters["foreign"] += 1
                        self._rejects.note("of another device", found.raw, found.at_ns)
                        continue
                    self._heard.set()
                    if self._early is None:
                        self._take(found)
                    else:
                        self._early.append(found)
                case Rejected():
                    self._rejects.note(found.reason, found.raw, found.at_ns)
                case _:
                    assert_never(found)

    async def identify(self) -> None:
        try:
            async with asyncio.timeout(SILENT_S):
                await self._heard.wait()
        except TimeoutError:
            raise PortError(
                f"no tgline shoe with address {self._address:02X} was heard on {self._url} for {SILENT_S:g} s; "
                "check address, speed and wiring"
            ) from None

    async def serve(self) -> None:
        early, self._early = self._early, None
        for each in early or ():
            self._take(each)
        while True:
            await self._link.write(tgline.encode(await self._answers.get()))

    # Lines.

    def _take(self, received: Received[tgline.Line]) -> None:
        line = received.message
        message = tgline_shoe.message_of(line)
        if isinstance(message, tgline_shoe.Refusal):
            self._counters["refused"] += 1
            self._rejects.note(f"refused ({message})", received.raw, received.at_ns)
            self._answers.put_nowait(tgline_shoe.refusal(line, message))
            return
        if isinstance(message, tgline_shoe.StandBy):
            self._say(events.ReaderStandBy(self._name, received.at_ns))
            return
        if self._is_new(message, received):
            self._counters["events"] += 1
            self._say(self._event(message, received))
        else:
            self._counters["repeats"] += 1
        self._answers.put_nowait(tgline_shoe.acknowledgement(line))

    def _is_new(self, message: tgline_shoe.Message, received: Received[tgline.Line]) -> bool:
        seq, raw = received.message.seq, received.raw
        if isinstance(message, tgline_shoe.Boot):
            if raw == self._newest:
                return False
            self._taken.clear()
        elif self._taken.get(seq) == raw:
            return False
        elif seq in self._taken:
            self._counters["seq_reused"] += 1
        self._taken.pop(seq, None)  # so that it stands as the newest
        self._taken[seq] = self._newest = raw
        if len(self._taken) > REMEMBERED:
            del self._taken[next(iter(self._taken))]
        return True

    def _event(self, message: tgline_shoe.Message, received: Received[tgline.Line]) -> events.CardEvent:
        name, at_ns, raw = self._name, received.at_ns, received.raw.hex()
        match message:
            case tgline_shoe.Boot():
                return events.ReaderStarted(name, at_ns)
            case tgline_shoe.StandBy():
                return events.ReaderStandBy(name, at_ns)
            case tgline_shoe.CardInGame(target=target, index=index, card=card):
                return events.CardDrawn(name, _TARGETS[target], index, card, at_ns, raw)
            case tgline_shoe.Burned(index=index, card=card):
                return events.CardDrawn(name, events.CardTarget.BURN, index, card, at_ns, raw)
            case tgline_shoe.CutCard():
                return events.CutCardDrawn(name, at_ns)
            case tgline_shoe.Result(winner=winner, pairs=pairs):
                both = pairs is tgline_shoe.Pairs.BOTH
                player, banker = both or pairs is tgline_shoe.Pairs.PLAYER, both or pairs is tgline_shoe.Pairs.BANKER
                return events.ReaderResult(name, _WINNERS[winner], player, banker, at_ns, raw)
            case tgline_shoe.Error(code=code):
                return events.ReaderError(name, code, ERROR_TEXTS.get(code, "not in the list"), at_ns)
            case tgline_shoe.ErrorCleared(code=code):
                return events.ReaderErrorCleared(name, code, at_ns)
            case tgline_shoe.Lock(locked=locked):
                return events.ReaderLocked(name, locked, at_ns)
            case _:
                assert_never(message)

    def _say(self, event: events.CardEvent) -> None:
        if self._emit is not None:
            self._emit(event)
