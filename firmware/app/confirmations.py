"""Puts on record that what matters was not only decided but shown: the close of betting, awards, resets, voids.

Rules:
* An entry is confirmed once every output that was up when it was carried out has reported its newest content as shown.
* Only the newest of a kind is waited for: what was replaced before it could be shown is never claimed to have been.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from drivers.events import LinkState, Shown
from drivers.ports import Device
from firmware.core.effects import AwardLocked, BettingClosed, Effect, MeterReset, RoundVoided
from firmware.core.events import EffectDone, Event
from firmware.journal.records import Entry

CONFIRMED = (BettingClosed, AwardLocked, MeterReset, RoundVoided)


@dataclass(slots=True)
class _Expected:
    seq: int
    missing: set[str]


class Confirmations:
    """Waits for `Shown` of every output."""

    def __init__(self, outputs: Sequence[Device], post: Callable[[Event], None]) -> None:
        self._outputs = outputs
        self._post = post
        self._expected: dict[str, _Expected] = {}

    def expect(self, entry: Entry[Event, Effect]) -> None:
        """The effects of this entry have just been handed to the outputs."""
        for effect in entry.effects:
            if isinstance(effect, CONFIRMED):
                up = {device.name for device in self._outputs if device.link is LinkState.READY}
                if up:
                    self._expected[type(effect).__name__] = _Expected(entry.seq, up)

    def shown(self, event: Shown) -> None:
        for kind, expected in list(self._expected.items()):
            expected.missing.discard(event.device)
            if not expected.missing:
                del self._expected[kind]
                self._post(EffectDone(kind, expected.seq, event.at_ns))
