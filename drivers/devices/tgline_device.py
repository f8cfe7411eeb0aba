"""A `tgline` device that tells events: each is taken once and acknowledged each time it comes. Shoe, wheel, dice.

Rules:
* The link is READY once a line of this device was heard (it sends a sign of life each 5 s), and STALE after `SILENT_S`
  without any byte. Events that came before READY are told after it.
* A repeat has the SEQ *and* the bytes of an event among the last `REMEMBERED`; it is acknowledged and not told again.
  That memory outlives a reconnection, since the device repeats until it is acknowledged; BOOT empties it, since SEQ may
  begin anew. The same SEQ with other bytes is another event: one too many is seen, a lost one is not.
* An acknowledgement says that the event was taken into the daemon, not that it is durable yet.
* A line with a wrong check is not answered: the device repeats it. An intact line that says nothing legal is answered
  with NAK; lines of other devices or addresses are not answered. All three are counted and logged.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Generic, TypeVar, assert_never

from drivers.codecs import tgline, tgline_events
from drivers.codecs.text_lines import Received, Rejected
from drivers.codecs.tgline_events import Refusal
from drivers.devices.reject_log import RejectLog
from drivers.devices.serial_device import SerialDevice
from drivers.events import DeviceEvent
from drivers.links.port import Opener, PortError, PortSettings
from drivers.ports import NowNs

SILENT_S = 6.0
"""The device's 5 s, and one for its clock and a busy wire."""

REMEMBERED = 64

Message = TypeVar("Message")


class TglineDevice(SerialDevice, ABC, Generic[Message]):
    """Base of these devices; one adds `message_of`, `is_event`, `is_boot` and `tell`."""

    def __init__(
        self,
        name: str,
        tag: tgline.Tag,
        what: str,
        settings: PortSettings,
        now_ns: NowNs,
        simulated: bool,
        address: int,
        opener: Opener,
    ) -> None:
        super().__init__(name, f"tgline {what} {address:02X}", settings, now_ns, simulated)
        self._tag = tag
        self._what = what
        self._url = settings.url
        self._address = address
        self._decoder = tgline.Decoder()
        self._rejects = RejectLog(name, f"a line of this {what}")
        self._taken: dict[int, bytes] = {}  # by SEQ, the oldest first
        self._newest: bytes | None = None
        self._early: list[Received[tgline.Line]] | None = []  # None: READY, told as they come
        self._heard = asyncio.Event()
        self._answers: asyncio.Queue[tgline.Line] = asyncio.Queue()
        self._counters = {"events": 0, "repeats": 0, "seq_reused": 0, "refused": 0, "foreign": 0}
        self._connect(self, opener, SILENT_S)

    # What a device adds.

    @abstractmethod
    def message_of(self, line: tgline.Line) -> Message | Refusal:
        """What a line of it says."""

    @abstractmethod
    def is_event(self, message: Message) -> bool:
        """Whether it is repeated until it is acknowledged; else it is told each time it comes."""

    @abstractmethod
    def is_boot(self, message: Message) -> bool:
        """Whether it says that SEQ may begin anew."""

    @abstractmethod
    def tell(self, message: Message, at_ns: int, raw: bytes) -> None:
        """Emit what it means."""

    def emit(self, event: DeviceEvent) -> None:
        if self._emit is not None:
            self._emit(event)

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
                    if line.tag is not self._tag or line.address != self._address:
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
                f"no tgline {self._what} with address {self._address:02X} was heard on {self._url} for {SILENT_S:g} s; "
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
        message = self.message_of(line)
        if isinstance(message, Refusal):
            self._counters["refused"] += 1
            self._rejects.note(f"refused ({message})", received.raw, received.at_ns)
            self._answers.put_nowait(tgline_events.refusal(line, message))
            return
        if not self.is_event(message):
            self.tell(message, received.at_ns, received.raw)
            return
        if self._is_new(message, received):
            self._counters["events"] += 1
            self.tell(message, received.at_ns, received.raw)
        else:
            self._counters["repeats"] += 1
        self._answers.put_nowait(tgline_events.acknowledgement(line))

    def _is_new(self, message: Message, received: Received[tgline.Line]) -> bool:
        seq, raw = received.message.seq, received.raw
        if self.is_boot(message):
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
