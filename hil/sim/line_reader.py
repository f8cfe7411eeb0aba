"""What the simulated readers have in common that say a card by its face alone: Bee-Tek shoes, barcode scanners.

Rule: a person draws or scans two equal cards `same_gap_ms` apart, as real ones do; the driver at the other end takes
them for one if they come sooner. The op `set_gap` (`ms`) changes it, for scripts that want just that.
"""

from __future__ import annotations

import asyncio
import time
from abc import abstractmethod
from collections.abc import Callable, Mapping

from drivers.codecs.angeleye_messages import CardInGame, CardOutsideGame, Message
from hil.sim.card_device import CardDevice
from hil.sim.control import Arguments, Handler, Reply
from hil.sim.shoe_model import ShoeModel

NS_PER_MS = 1_000_000


class LineReader(CardDevice):
    """A device adds `said_of`."""

    def __init__(self, model: ShoeModel, seed: int, send: Callable[[bytes], None], same_gap_ms: int) -> None:
        super().__init__(model, seed, send)
        self._same_gap_ms = same_gap_ms
        self._last: str | None = None
        self._last_ns = 0

    @abstractmethod
    def said_of(self, card: str) -> bytes:
        """What the device sends for a card."""

    def encode(self, message: Message) -> bytes | None:
        """Cards have words, nothing else has; a face that is not seen is not said."""
        if isinstance(message, CardInGame | CardOutsideGame) and message.card is not None:
            return self.said_of(message.card)
        return None

    async def _say(self, messages: list[Message]) -> Reply:
        last = messages[-1]
        if isinstance(last, CardInGame | CardOutsideGame) and last.card is not None:
            if last.card == self._last:
                wait_ns = self._last_ns + self._same_gap_ms * NS_PER_MS - time.monotonic_ns()
                await asyncio.sleep(max(0, wait_ns) / 1e9)
            self._last, self._last_ns = last.card, time.monotonic_ns()
        return await super()._say(messages)

    def handlers(self) -> Mapping[str, Handler]:
        return {**super().handlers(), "set_gap": self._set_gap}

    async def _set_gap(self, arguments: Arguments) -> Reply:
        self._same_gap_ms = arguments.integer("ms", most=10_000)
        arguments.end()
        return {}
