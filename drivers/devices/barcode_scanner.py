"""A barcode scanner as a `CardReader`, serial or typing like a keyboard: its codes become cards, by one map.

Rules:
* A card has no hand, and a scan is not a card drawn: the same card may be scanned again. What a scan means where no
  hand is due a card is for the core to say.
* A serial scan's time is the arrival of its first byte; a typed one's is the kernel's stamp of its first key.
* A code that the map has not is counted, logged and no event.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import assert_never

from drivers.codecs import barcodes
from drivers.devices.listening_reader import ListeningReader
from drivers.links.input_events import open_event_fifo, open_event_file
from drivers.links.port import Opener, PortSettings, open_serial
from drivers.ports import NowNs

NS_PER_MS = 1_000_000

_Feed = Callable[[bytes, int], list[barcodes.Card | barcodes.Rejected]]


def create_serial(
    *,
    name: str,
    url: str,
    baud: int = 9600,
    codes: barcodes.CardMap,
    repeat_ms: int = 1000,
    now_ns: NowNs,
    simulated: bool = False,
    opener: Opener = open_serial,
) -> BarcodeScanner:
    """The scanner at `url`, 8N1. `repeat_ms`: within this time the same code again is the same scan; 0: never."""
    decoder = barcodes.SerialDecoder(barcodes.CodeReader(codes, repeat_ms * NS_PER_MS))
    settings = PortSettings(url, baud)
    return BarcodeScanner(name, "barcode scanner", settings, now_ns, simulated, opener, decoder, decoder.feed)


def create_hid(
    *,
    name: str,
    url: str,
    codes: barcodes.CardMap,
    repeat_ms: int = 1000,
    now_ns: NowNs,
    simulated: bool = False,
    opener: Opener | None = None,
) -> BarcodeScanner:
    """The scanner whose event file is `url`, taken exclusively; `simulated`: `url` is a FIFO of the same records."""
    decoder = barcodes.HidDecoder(barcodes.CodeReader(codes, repeat_ms * NS_PER_MS))
    settings = PortSettings(url, baud=0)  # keys have no speed
    opener = opener or (open_event_fifo if simulated else open_event_file)

    def feed(data: bytes, arrived_ns: int) -> list[barcodes.Card | barcodes.Rejected]:
        return decoder.feed(data)  # the records carry their own times

    return BarcodeScanner(name, "hid barcode scanner", settings, now_ns, simulated, opener, decoder, feed)


class BarcodeScanner(ListeningReader):
    """A `CardReader`."""

    def __init__(
        self,
        name: str,
        what: str,
        settings: PortSettings,
        now_ns: NowNs,
        simulated: bool,
        opener: Opener,
        decoder: barcodes.SerialDecoder | barcodes.HidDecoder,
        feed: _Feed,
    ) -> None:
        super().__init__(name, what, settings, now_ns, simulated, opener, decoder)
        self._feed = feed

    def received(self, data: bytes, arrived_ns: int) -> None:
        for found in self._feed(data, arrived_ns):
            match found:
                case barcodes.Card():
                    self._say_card(found.card, found.at_ns, found.code.encode())
                case barcodes.Rejected():
                    self._rejects.note(found.reason, found.code.encode(), found.at_ns)
                case _:
                    assert_never(found)
