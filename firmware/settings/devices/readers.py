"""Options of the card shoes and card readers."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, ClassVar

import msgspec

from firmware.core.rules import ReaderRule
from firmware.settings.devices.options import SERIAL_PORT, SIMULATED_PORT, SPEED, DeviceOptions
from firmware.settings.fields import CARD_EXPECTED, CARD_PATTERN, doc, path, whole, written

_SILENT_LIMIT = whole(
    "A shoe that says nothing for so long is a fault; left out, it may be silent for ever", 1, 86400, unit="s"
)
_SHOE_SPEED = whole("Speed; 9600 as delivered", 1200, 115200, unit="baud")
_TGLINE_SPEED = whole("Speed; 115200 on USB, 38400 on RS-485", 1200, 115200, unit="baud")
_ADDRESS = whole("Address of the shoe, 1 to 254; lines of another are not answered", 1, 254, source="tgline 1")
_RESULT = doc("Whether the shoe sends RESULT; if not, the round is settled without waiting for it", source="tgline 1")
_INPUT_FILE = "Event file of the scanner: its name in 80-tabled.rules, or /dev/input/by-id/...-event-kbd"
_INPUT_FIFO = "The FIFO that the simulated scanner writes to"
_CARD_CODES = doc(
    "letter: suit and rank, H10 or SA; srr0: four digits, suit 1 to 4 (S H C D), rank 01 to 13, 0; own: as `codes` says"
)
_CODES = doc("With map = own: the card behind each code; every card of the deck at least once")
Card = Annotated[str, written("A card", CARD_PATTERN, CARD_EXPECTED)]
_SAME_CARD = whole(
    "The same card again within this time is the same card; 0: every line counts. Eight decks can deal two equal cards",
    0,
    5000,
    unit="ms",
)
_SAME_CODE = whole("The same code again within this time is the same scan; 0: every scan counts", 0, 5000, unit="ms")


class CardCodes(StrEnum):
    """What stands on the cards that a barcode scanner reads."""

    LETTER = "letter"
    SRR0 = "srr0"
    OWN = "own"


class ShoeAngelEye(DeviceOptions, frozen=True, kw_only=True, tag="shoe.angeleye"):
    """Angel Eye II-EX card shoe, receive only."""

    role: ClassVar[str] = "shoe"
    reader: ClassVar[ReaderRule] = ReaderRule()
    url: Annotated[str, path(SERIAL_PORT)]
    baud: Annotated[int, whole("Speed; 4800 as delivered", 1200, 115200, unit="baud")] = 4800
    silent_limit_s: Annotated[int, _SILENT_LIMIT] | None = None


class ShoeAngelEyeSimulated(DeviceOptions, frozen=True, kw_only=True, tag="shoe.angeleye_simulated"):
    """The same code on a simulated shoe."""

    role: ClassVar[str] = "shoe"
    simulated: ClassVar[bool] = True
    reader: ClassVar[ReaderRule] = ReaderRule()
    url: Annotated[str, path(SIMULATED_PORT)]
    baud: Annotated[int, SPEED] = 4800
    silent_limit_s: Annotated[int, _SILENT_LIMIT] | None = None


class ReaderOptions(DeviceOptions, frozen=True, kw_only=True):
    """Base of the readers that say a card and nothing else: burned cards, cut card and result are for people."""

    role: ClassVar[str] = "shoe"
    reader: ClassVar[ReaderRule] = ReaderRule(burns=False, cut_card=False, result=False)


class ShoeBeeTek(ReaderOptions, frozen=True, kw_only=True, tag="shoe.beetek"):
    """USPC Bee-Tek card shoe, receive only."""

    url: Annotated[str, path(SERIAL_PORT)]
    baud: Annotated[int, _SHOE_SPEED] = 9600
    repeat_ms: Annotated[int, _SAME_CARD] = 300
    silent_limit_s: Annotated[int, _SILENT_LIMIT] | None = None


class ShoeBeeTekSimulated(ReaderOptions, frozen=True, kw_only=True, tag="shoe.beetek_simulated"):
    """The same code on a simulated shoe."""

    simulated: ClassVar[bool] = True
    url: Annotated[str, path(SIMULATED_PORT)]
    baud: Annotated[int, _SHOE_SPEED] = 9600
    repeat_ms: Annotated[int, _SAME_CARD] = 300
    silent_limit_s: Annotated[int, _SILENT_LIMIT] | None = None


class ScannerOptions(ReaderOptions, frozen=True, kw_only=True):
    """Base of the barcode scanners: the dealer passes each card over the window as it is dealt."""

    reader: ClassVar[ReaderRule] = ReaderRule(burns=False, cut_card=False, result=False, scans_again=True)
    map: Annotated[CardCodes, _CARD_CODES]
    codes: Annotated[dict[str, Card], _CODES] = msgspec.field(default_factory=dict)
    repeat_ms: Annotated[int, _SAME_CODE] = 1000


class ShoeBarcodeSerial(ScannerOptions, frozen=True, kw_only=True, tag="shoe.barcode_serial"):
    """Barcode scanner on a serial port (or USB that shows itself as one), 8N1; each code ended by CR, LF or both."""

    url: Annotated[str, path(SERIAL_PORT)]
    baud: Annotated[int, _SHOE_SPEED] = 9600


class ShoeBarcodeSerialSimulated(ScannerOptions, frozen=True, kw_only=True, tag="shoe.barcode_serial_simulated"):
    """The same code on a simulated scanner."""

    simulated: ClassVar[bool] = True
    url: Annotated[str, path(SIMULATED_PORT)]
    baud: Annotated[int, _SHOE_SPEED] = 9600


class ShoeBarcodeHid(ScannerOptions, frozen=True, kw_only=True, tag="shoe.barcode_hid"):
    """Barcode scanner that types like a keyboard, taken exclusively: what it types reaches nobody else."""

    url: Annotated[str, path(_INPUT_FILE)]


class ShoeBarcodeHidSimulated(ScannerOptions, frozen=True, kw_only=True, tag="shoe.barcode_hid_simulated"):
    """The same code on a FIFO, which can't be taken exclusively."""

    simulated: ClassVar[bool] = True
    url: Annotated[str, path(_INPUT_FIFO)]


class TglineOptions(DeviceOptions, frozen=True, kw_only=True):
    """Base of the shoes that speak `tgline`, which has words for everything."""

    role: ClassVar[str] = "shoe"
    address: Annotated[int, _ADDRESS] = 1
    result: Annotated[bool, _RESULT] = True

    @property
    def reader(self) -> ReaderRule:
        """What the shoe says beside the cards."""
        return ReaderRule(result=self.result)


class ShoeTgline(TglineOptions, frozen=True, kw_only=True, tag="shoe.tgline"):
    """Card shoe, or a bridge to one, that speaks `tgline` version 1: acknowledged events, a sign of life each 5 s."""

    url: Annotated[str, path(SERIAL_PORT)]
    baud: Annotated[int, _TGLINE_SPEED] = 115200


class ShoeTglineSimulated(TglineOptions, frozen=True, kw_only=True, tag="shoe.tgline_simulated"):
    """The same code on a simulated shoe."""

    simulated: ClassVar[bool] = True
    url: Annotated[str, path(SIMULATED_PORT)]
    baud: Annotated[int, _TGLINE_SPEED] = 115200


CardReaderDevice = (
    ShoeAngelEye
    | ShoeAngelEyeSimulated
    | ShoeBeeTek
    | ShoeBeeTekSimulated
    | ShoeBarcodeSerial
    | ShoeBarcodeSerialSimulated
    | ShoeBarcodeHid
    | ShoeBarcodeHidSimulated
    | ShoeTgline
    | ShoeTglineSimulated
)
