"""What the readers of cards, numbers and dice have in common that are only listened to: nothing is sent to them.

Rules:
* Such a reader can't be asked who it is: the link is READY when the port is open. Its silence is legal between rounds
  and for as long as nobody deals, so it has no liveness limit unless the table's owner sets one that suits the house;
  whether a card is overdue is for the core to say. An adapter that is pulled out is seen at once, a cable pulled
  between reader and adapter is not.
* Bytes that the codec rejects are counted by reason and logged; no event comes of them.
"""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from typing import Protocol

from drivers import events
from drivers.devices.reject_log import RejectLog
from drivers.devices.serial_device import SerialDevice
from drivers.links.port import Opener, PortSettings
from drivers.ports import NowNs


class ReceiveSide(Protocol):
    """What every codec's decoder has."""

    @property
    def counters(self) -> dict[str, int]: ...

    def reset(self) -> None: ...


class ListeningReader(SerialDevice, ABC):
    """Base of these readers; a device adds `received`."""

    def __init__(
        self,
        name: str,
        what: str,
        settings: PortSettings,
        now_ns: NowNs,
        simulated: bool,
        opener: Opener,
        receiving: ReceiveSide,
        silent_limit_s: float | None = None,
    ) -> None:
        super().__init__(name, what, settings, now_ns, simulated)
        self._receiving = receiving
        self._rejects = RejectLog(name, "a telegram")
        self._connect(self, opener, silent_limit_s)

    @property
    def counters(self) -> dict[str, int]:
        return self._link.counters | self._receiving.counters

    # What the link asks of its client.

    def connected(self) -> None:
        self._receiving.reset()

    @abstractmethod
    def received(self, data: bytes, arrived_ns: int) -> None: ...

    async def identify(self) -> None:
        """Nothing: who only sends can't be asked who it is."""

    async def serve(self) -> None:
        await asyncio.get_running_loop().create_future()  # until the link cancels it

    def _say(self, event: events.DeviceEvent) -> None:
        if self._emit is not None:
            self._emit(event)

    def _say_card(self, card: str, at_ns: int, raw: bytes) -> None:
        """A card of which nothing else is known."""
        self._say(events.CardDrawn(self._name, events.CardTarget.UNASSIGNED, 0, card, at_ns, raw.hex()))
