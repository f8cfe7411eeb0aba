"""NeoPixels on an SPI data line, the default, and the SPI buses below them.

Answers for: the libraries and the wire. `neopixel_spi` does the encoding; here it gets an SPI bus that is real
(`spidev`) or simulated, in the shape it expects (`try_lock`, `unlock`, `configure`, `write`, `frequency`), so that no
board detection is ever run.

Rules:
* Libraries are imported when a string is made from its settings; a missing one is `BackendUnavailable`.
* Reset time 300 us before and after: newer pixels latch after 280 us, and the data line may rest high.
* A frame must leave in one transfer: a gap may latch early. What is too long for the driver is refused at opening, and
  so is an SPI clock that changes with the load: bit times would change with it.
* Brightness is capped here, once, as a share of full: 60 mA a pixel at full white.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from drivers.codecs.simchip import SpiWrite
from drivers.devices.pixel_lamps import PixelsLostError
from drivers.facts.clocks import core_clock, model_number, spi_buffer
from drivers.facts.fact import Verdict
from drivers.facts.files import text_of
from drivers.gpio.chip_socket import ChipSocket
from drivers.gpio.pins import PinsLostError
from drivers.ports import BackendUnavailable, Pixel

SPI_HZ = 6_400_000
RESET_S = 300e-6


def frame_bytes(size: int) -> int:
    """Bytes on the SPI wire for `size` pixels: one for each bit, and the low time on both sides."""
    return 2 * round(SPI_HZ * RESET_S / 8) + 24 * size


class SpiBus(Protocol):
    """The part of an SPI bus that neopixel_spi uses, and opening. `open`, `write`: `PixelsLostError`."""

    identity: str
    frequency: int

    def open(self, frame_bytes: int) -> None: ...

    def close(self) -> None: ...

    def try_lock(self) -> bool: ...

    def unlock(self) -> None: ...

    def configure(self, baudrate: int = 0, polarity: int = 0, phase: int = 0, bits: int = 8) -> None: ...

    def write(self, buf: bytes) -> None: ...


class _OneUserBus:
    """The locking half of the shape: the bus is ours alone, so a lock is always had."""

    frequency = SPI_HZ

    def try_lock(self) -> bool:
        return True

    def unlock(self) -> None:
        pass

    def configure(self, baudrate: int = 0, polarity: int = 0, phase: int = 0, bits: int = 8) -> None:
        if (polarity, phase, bits) != (0, 0, 8):
            raise ValueError(f"SPI polarity {polarity} phase {phase} bits {bits}; this bus is mode 0 with 8 bits")
        self.frequency = baudrate or SPI_HZ


class SimulatedSpi(_OneUserBus):
    """The simulated chip's SPI bus: MOSI bytes over its socket."""

    def __init__(self, socket: Path) -> None:
        self.identity = f"sim+SPI of the line chip on {socket}"
        self._path = socket
        self._chip: ChipSocket | None = None

    def open(self, frame_bytes: int) -> None:
        try:
            self._chip = ChipSocket(self._path)
        except PinsLostError as error:
            raise PixelsLostError(str(error)) from error

    def close(self) -> None:
        chip, self._chip = self._chip, None
        if chip is not None:
            chip.close()

    def write(self, buf: bytes) -> None:
        if self._chip is None:
            raise PixelsLostError(f"{self.identity} is not open")
        try:
            self._chip.send(SpiWrite(bytes(buf)))
        except PinsLostError as error:
            raise PixelsLostError(str(error)) from error


class SpidevSpi(_OneUserBus):
    """A Pi's SPI bus through spidev: /dev/spidev<bus>.<device>."""

    def __init__(self, bus: int = 0, device: int = 0, root: Path = Path("/")) -> None:
        try:
            import spidev
        except ImportError as error:
            raise BackendUnavailable(
                f"SPI lamps: {error}. Install the extra \"pi\" (pip install 'tabled[pi]'); it needs a compiler once"
            ) from error
        self._make: Any = spidev.SpiDev
        self.identity = f"/dev/spidev{bus}.{device}"
        self._bus = bus
        self._device = device
        self._root = root
        self._spi: Any = None

    def open(self, frame_bytes: int) -> None:
        self._refuse_bad_timing(frame_bytes)
        try:
            spi = self._make()
            spi.open(self._bus, self._device)
            spi.mode = 0
            spi.max_speed_hz = self.frequency
        except OSError as error:
            raise PixelsLostError(
                f"{self.identity}: {error}. Is dtparam=spi=on in /boot/firmware/config.txt, and the user in group spi?"
            ) from error
        self._spi = spi

    def _refuse_bad_timing(self, frame_bytes: int) -> None:
        model = text_of(self._root / "proc/device-tree/model").rstrip("\0")
        facts = [spi_buffer(self._root, frame_bytes)]
        if model_number(model):
            facts.append(core_clock(self._root, model_number(model)))
        for fact in facts:
            if fact.verdict in (Verdict.WARN, Verdict.BAD):
                raise PixelsLostError(
                    f"{self.identity}: {fact.name}: {fact.value}; wanted: {fact.limits}. {fact.remedy}"
                )

    def close(self) -> None:
        spi, self._spi = self._spi, None
        if spi is not None:
            spi.close()

    def configure(self, baudrate: int = 0, polarity: int = 0, phase: int = 0, bits: int = 8) -> None:
        super().configure(baudrate, polarity, phase, bits)
        if self._spi is not None:
            self._spi.max_speed_hz = self.frequency

    def write(self, buf: bytes) -> None:
        if self._spi is None:
            raise PixelsLostError(f"{self.identity} is not open")
        try:
            self._spi.writebytes2(buf)
        except OSError as error:
            raise PixelsLostError(f"{self.identity}: {error}") from error


class SpiPixels:
    """NeoPixels on an SPI data line, encoded by neopixel_spi. `brightness` in percent, 1 to 100."""

    def __init__(self, bus: SpiBus, brightness: int = 30) -> None:
        check_brightness(brightness)
        try:
            import neopixel_spi
        except ImportError as error:
            raise BackendUnavailable(
                f"SPI lamps: {error}. Install adafruit-circuitpython-neopixel-spi (a dependency of this package)"
            ) from error
        self._make: Any = neopixel_spi.NeoPixel_SPI
        self._bus = bus
        self._brightness = brightness / 100
        self._string: Any = None

    @property
    def identity(self) -> str:
        return f"{self._bus.identity}, WS2812"

    def open(self, size: int) -> None:
        self._bus.open(frame_bytes(size))
        self._string = self._make(
            self._bus, size, pixel_order="GRB", auto_write=False, frequency=SPI_HZ, reset_time=RESET_S,
            brightness=self._brightness,
        )  # fmt: skip

    def write(self, frame: Sequence[Pixel]) -> None:
        if self._string is None:
            raise PixelsLostError(f"{self.identity} is not open")
        paint(self._string, frame)

    def close(self) -> None:
        self._string = None
        self._bus.close()


def paint(string: Any, frame: Sequence[Pixel]) -> None:
    for n, pixel in enumerate(frame):
        string[n] = (pixel.red, pixel.green, pixel.blue)
    string.show()


def check_brightness(brightness: int) -> None:
    if not 1 <= brightness <= 100:
        raise ValueError(f"lamp brightness is {brightness}; expected 1 to 100 percent of full current")
