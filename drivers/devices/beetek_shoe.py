"""The USPC Bee-Tek shoe as a `CardReader`: its lines become cards that no hand is named for.

It says neither burned cards nor the cut card nor a result; what is not a card is counted, logged and no event.
"""

from __future__ import annotations

from typing import assert_never

from drivers.codecs import beetek
from drivers.devices.listening_reader import ListeningReader
from drivers.links.port import Opener, PortSettings, open_serial
from drivers.ports import NowNs

NS_PER_MS = 1_000_000


def create(
    *,
    name: str,
    url: str,
    baud: int = 9600,
    repeat_ms: int = 300,
    now_ns: NowNs,
    simulated: bool = False,
    silent_limit_s: float | None = None,
    opener: Opener = open_serial,
) -> BeeTekShoe:
    """The shoe at `url`, 8N1. `repeat_ms`: within this time the same card again is the same card; 0: never."""
    decoder = beetek.Decoder(repeat_ms * NS_PER_MS)
    return BeeTekShoe(name, PortSettings(url, baud), now_ns, simulated, opener, decoder, silent_limit_s)


class BeeTekShoe(ListeningReader):
    """A `CardReader`."""

    def __init__(
        self,
        name: str,
        settings: PortSettings,
        now_ns: NowNs,
        simulated: bool,
        opener: Opener,
        decoder: beetek.Decoder,
        silent_limit_s: float | None,
    ) -> None:
        super().__init__(name, "beetek", settings, now_ns, simulated, opener, decoder, silent_limit_s)
        self._decoder = decoder

    def received(self, data: bytes, arrived_ns: int) -> None:
        for found in self._decoder.feed(data, arrived_ns):
            match found:
                case beetek.Card():
                    self._say_card(found.card, found.at_ns, found.raw)
                case beetek.Rejected():
                    self._rejects.note("no card", found.raw, found.at_ns)
                case _:
                    assert_never(found)
