"""Options of every kind of device that a table can name, as one union told apart by `kind`.

Rules: an option is what a technician may have to change, nothing else; its name is the back end's keyword argument.
A kind that ends in `simulated` speaks to a simulated device and is refused by the production profile. There is no
"auto": the kind that is named is the kind that is used.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, ClassVar

import msgspec

from firmware.core.rules import ReaderRule
from firmware.settings.fields import CARD_EXPECTED, CARD_PATTERN, doc, path, whole, written


class Parity(StrEnum):
    """Parity of a serial port; the mini-UART of a Pi has none, the PL011 and USB adapters do."""

    NONE = "none"
    EVEN = "even"
    ODD = "odd"


class SignMemory(StrEnum):
    """When a sign's memory is configured."""

    AT_CONNECTION = "at_connection"
    COMMISSIONED = "commissioned"


class CardCodes(StrEnum):
    """What stands on the cards that a barcode scanner reads."""

    LETTER = "letter"
    SRR0 = "srr0"
    OWN = "own"


class DeviceOptions(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, tag_field="kind"):
    """Base of all device options: which role it plays and whether it is real."""

    role: ClassVar[str]
    simulated: ClassVar[bool] = False

    @property
    def kind(self) -> str:
        """The kind as it stands in the configuration ("shoe.angeleye")."""
        return str(self.__struct_config__.tag)


_SERIAL_PORT = "Serial port: a device file (its stable udev name), or socket://HOST:PORT for a terminal server"
_SIMULATED_PORT = "The pseudo-terminal that the simulated device offers"
_LINE_SOCKET = "Socket of the simulated line chip"
_SPEED = whole("Speed", 1200, 115200, unit="baud")
_DATA_BITS = whole("Data bits; 7 as the protocol's document says, 8 on some signs", 7, 8)
_PARITY = doc("Parity; even as the protocol's document says", source="Alpha 9708-8061F")
_SIGN_MEMORY = doc("at_connection: the daemon lays out the sign's memory; commissioned: it was done by hand")
_SILENT_LIMIT = whole(
    "A shoe that says nothing for so long is a fault; left out, it may be silent for ever", 1, 86400, unit="s"
)
_SHOE_SPEED = whole("Speed; 9600 as delivered", 1200, 115200, unit="baud")
_TGLINE_SPEED = whole("Speed; 115200 on USB, 38400 on RS-485", 1200, 115200, unit="baud")
_ADDRESS = whole("Address of the shoe, 1 to 254; lines of another are not answered", 1, 254, source="tgline 1")
_RESULT = doc("Whether the shoe sends RESULT; if not, the round is settled without waiting for it", source="tgline 1")
_INPUT_FILE = "Event file of the scanner: /dev/input/by-id/...-event-kbd, or its stable udev name"
_INPUT_FIFO = "The FIFO that the simulated scanner writes to"
_CARD_CODES = doc(
    "letter: suit and rank, H10 or SA; srr0: four digits, suit 1 to 4 (S H C D), rank 01 to 13, 0; own: as `codes` says"
)
_CODES = doc("With map = own: the card behind each code; every card of the deck at least once")
_SAME_CARD = whole(
    "The same card again within this time is the same card; 0: every line counts. Eight decks can deal two equal cards",
    0,
    5000,
    unit="ms",
)
_SAME_CODE = whole("The same code again within this time is the same scan; 0: every scan counts", 0, 5000, unit="ms")
_PIXELS = whole("Lamps on the string", 1, 256, unit="pixels")
_BRIGHTNESS = whole("Limit of brightness: the supply must carry all lamps at it", 1, 100, unit="percent")
_SETTLE = whole("Nothing counts for this long after the lines are opened: pulls take hold late", 0, 5000, unit="ms")


class LinesLgpio(DeviceOptions, frozen=True, kw_only=True, tag="lines.lgpio"):
    """The header's GPIO lines through lgpio: edges stamped by the kernel. Lines are GPIO numbers, 2 to 27."""

    role: ClassVar[str] = "lines"
    chip: Annotated[int, whole("Number of the gpiochip; left out, the one with the header is found", 0, 15)] | None = (
        None
    )
    settle_ms: Annotated[int, _SETTLE] = 1000


class LinesRpiGpio(DeviceOptions, frozen=True, kw_only=True, tag="lines.rpigpio"):
    """The header's GPIO lines through RPi.GPIO: polled levels, no edge times. For keys and doors, never for spots."""

    role: ClassVar[str] = "lines"
    settle_ms: Annotated[int, _SETTLE] = 1000


class LinesSimulated(DeviceOptions, frozen=True, kw_only=True, tag="lines.simulated"):
    """The simulated line chip: as many lines as asked for, edges stamped by the chip's own clock."""

    role: ClassVar[str] = "lines"
    simulated: ClassVar[bool] = True
    socket: Annotated[str, path(_LINE_SOCKET)]
    line_count: Annotated[int, whole("Lines of the chip, numbered from 0", 1, 256, unit="lines")] = 128
    settle_ms: Annotated[int, _SETTLE] = 0


class LampsNeopixelSpi(DeviceOptions, frozen=True, kw_only=True, tag="lamps.neopixel_spi"):
    """NeoPixels on the SPI data line (GPIO 10): no root and no helper process."""

    role: ClassVar[str] = "lamps"
    bus: Annotated[int, whole("SPI bus of /dev/spidevBUS.DEVICE", 0, 6)] = 0
    device: Annotated[int, whole("SPI device of /dev/spidevBUS.DEVICE", 0, 2)] = 0
    pixels: Annotated[int, _PIXELS]
    brightness_percent: Annotated[int, _BRIGHTNESS] = 40


class LampsNeopixelPwm(DeviceOptions, frozen=True, kw_only=True, tag="lamps.neopixel_pwm"):
    """NeoPixels on a PWM line, through the neopixel library. It needs rights that the hardened unit does not give."""

    role: ClassVar[str] = "lamps"
    gpio: Annotated[int, whole("GPIO number of the data line", 2, 27, unit="GPIO number")] = 18
    pixels: Annotated[int, _PIXELS]
    brightness_percent: Annotated[int, _BRIGHTNESS] = 40


class LampsSimulated(DeviceOptions, frozen=True, kw_only=True, tag="lamps.simulated"):
    """NeoPixels over the simulated chip's SPI: the frames that would leave the data line."""

    role: ClassVar[str] = "lamps"
    simulated: ClassVar[bool] = True
    socket: Annotated[str, path(_LINE_SOCKET)]
    pixels: Annotated[int, _PIXELS]
    brightness_percent: Annotated[int, _BRIGHTNESS] = 40


class ShoeAngelEye(DeviceOptions, frozen=True, kw_only=True, tag="shoe.angeleye"):
    """Angel Eye II-EX card shoe, receive only."""

    role: ClassVar[str] = "shoe"
    reader: ClassVar[ReaderRule] = ReaderRule()
    url: Annotated[str, path(_SERIAL_PORT)]
    baud: Annotated[int, whole("Speed; 4800 as delivered", 1200, 115200, unit="baud")] = 4800
    silent_limit_s: Annotated[int, _SILENT_LIMIT] | None = None


class ShoeAngelEyeSimulated(DeviceOptions, frozen=True, kw_only=True, tag="shoe.angeleye_simulated"):
    """The same code on a simulated shoe."""

    role: ClassVar[str] = "shoe"
    simulated: ClassVar[bool] = True
    reader: ClassVar[ReaderRule] = ReaderRule()
    url: Annotated[str, path(_SIMULATED_PORT)]
    baud: Annotated[int, _SPEED] = 4800
    silent_limit_s: Annotated[int, _SILENT_LIMIT] | None = None


class ReaderOptions(DeviceOptions, frozen=True, kw_only=True):
    """Base of the readers that say a card and nothing else: burned cards, cut card and result are for people."""

    role: ClassVar[str] = "shoe"
    reader: ClassVar[ReaderRule] = ReaderRule(burns=False, cut_card=False, result=False)


class ShoeBeeTek(ReaderOptions, frozen=True, kw_only=True, tag="shoe.beetek"):
    """USPC Bee-Tek card shoe, receive only."""

    url: Annotated[str, path(_SERIAL_PORT)]
    baud: Annotated[int, _SHOE_SPEED] = 9600
    repeat_ms: Annotated[int, _SAME_CARD] = 300
    silent_limit_s: Annotated[int, _SILENT_LIMIT] | None = None


class ShoeBeeTekSimulated(ReaderOptions, frozen=True, kw_only=True, tag="shoe.beetek_simulated"):
    """The same code on a simulated shoe."""

    simulated: ClassVar[bool] = True
    url: Annotated[str, path(_SIMULATED_PORT)]
    baud: Annotated[int, _SHOE_SPEED] = 9600
    repeat_ms: Annotated[int, _SAME_CARD] = 300
    silent_limit_s: Annotated[int, _SILENT_LIMIT] | None = None


class ScannerOptions(ReaderOptions, frozen=True, kw_only=True):
    """Base of the barcode scanners: the dealer passes each card over the window as it is dealt."""

    reader: ClassVar[ReaderRule] = ReaderRule(burns=False, cut_card=False, result=False, scans_again=True)
    map: Annotated[CardCodes, _CARD_CODES]
    codes: Annotated[dict[str, Annotated[str, written("A card", CARD_PATTERN, CARD_EXPECTED)]], _CODES] = {}
    repeat_ms: Annotated[int, _SAME_CODE] = 1000


class ShoeBarcodeSerial(ScannerOptions, frozen=True, kw_only=True, tag="shoe.barcode_serial"):
    """Barcode scanner on a serial port (or USB that shows itself as one), 8N1; each code ended by CR, LF or both."""

    url: Annotated[str, path(_SERIAL_PORT)]
    baud: Annotated[int, _SHOE_SPEED] = 9600


class ShoeBarcodeSerialSimulated(ScannerOptions, frozen=True, kw_only=True, tag="shoe.barcode_serial_simulated"):
    """The same code on a simulated scanner."""

    simulated: ClassVar[bool] = True
    url: Annotated[str, path(_SIMULATED_PORT)]
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

    url: Annotated[str, path(_SERIAL_PORT)]
    baud: Annotated[int, _TGLINE_SPEED] = 115200


class ShoeTglineSimulated(TglineOptions, frozen=True, kw_only=True, tag="shoe.tgline_simulated"):
    """The same code on a simulated shoe."""

    simulated: ClassVar[bool] = True
    url: Annotated[str, path(_SIMULATED_PORT)]
    baud: Annotated[int, _TGLINE_SPEED] = 115200


class BoardAlpha(DeviceOptions, frozen=True, kw_only=True, tag="board.alpha"):
    """Reader board that speaks the Alpha protocol."""

    role: ClassVar[str] = "board"
    url: Annotated[str, path(_SERIAL_PORT)]
    baud: Annotated[int, _SPEED] = 9600
    data_bits: Annotated[int, _DATA_BITS] = 7
    parity: Annotated[Parity, _PARITY] = Parity.EVEN
    memory: Annotated[SignMemory, _SIGN_MEMORY] = SignMemory.AT_CONNECTION


class BoardAlphaSimulated(DeviceOptions, frozen=True, kw_only=True, tag="board.alpha_simulated"):
    """The same code on a simulated sign. Its port is a pty, which has no parity and always eight bits: no keys here."""

    role: ClassVar[str] = "board"
    simulated: ClassVar[bool] = True
    url: Annotated[str, path(_SIMULATED_PORT)]
    baud: Annotated[int, _SPEED] = 9600
    memory: Annotated[SignMemory, _SIGN_MEMORY] = SignMemory.AT_CONNECTION


class DisplaySerial(DeviceOptions, frozen=True, kw_only=True, tag="display.serial"):
    """The dealer's serial character display, 4 lines of 20."""

    role: ClassVar[str] = "display"
    url: Annotated[str, path(_SERIAL_PORT)]
    baud: Annotated[int, _SPEED] = 19200


class DisplaySerialSimulated(DeviceOptions, frozen=True, kw_only=True, tag="display.serial_simulated"):
    """The same code on a simulated display."""

    role: ClassVar[str] = "display"
    simulated: ClassVar[bool] = True
    url: Annotated[str, path(_SIMULATED_PORT)]
    baud: Annotated[int, _SPEED] = 19200


class DisplayTerminal(DeviceOptions, frozen=True, kw_only=True, tag="display.terminal"):
    """The dealer's display drawn on the terminal that the daemon runs in; for the bench."""

    role: ClassVar[str] = "display"
    simulated: ClassVar[bool] = True


ShoeDevice = (
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
LineDevice = LinesLgpio | LinesRpiGpio | LinesSimulated
LampDevice = LampsNeopixelSpi | LampsNeopixelPwm | LampsSimulated
Device = (
    LinesLgpio
    | LinesRpiGpio
    | LinesSimulated
    | LampsNeopixelSpi
    | LampsNeopixelPwm
    | LampsSimulated
    | ShoeDevice
    | BoardAlpha
    | BoardAlphaSimulated
    | DisplaySerial
    | DisplaySerialSimulated
    | DisplayTerminal
)
