"""SPI buses on which a chip acts when its chip select rises: real, through spidev, and simulated.

Rules: blocking; every failure is `CanvasLostError` and says what to do. One transfer is one rise of the chip select.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from drivers.codecs.simchip import SpiWrite
from drivers.devices.painted import CanvasLostError
from drivers.gpio.chip_socket import ChipSocket
from drivers.gpio.pins import PinsLostError
from drivers.ports import BackendUnavailable

SPI_HZ = 1_000_000
"""Slow enough for a metre of ribbon cable; a chain of eight is written in 2 ms."""


class SpidevLatches:
    """/dev/spidev<bus>.<device>, mode 0."""

    def __init__(self, bus: int, device: int) -> None:
        try:
            import spidev
        except ImportError as error:
            raise BackendUnavailable(
                f"SPI figures: {error}. Install the extra \"pi\" (pip install 'tabled[pi]'); it needs a compiler once"
            ) from error
        self._make: Any = spidev.SpiDev
        self._at = (bus, device)
        self._spi: Any = None
        self.identity = f"/dev/spidev{bus}.{device}"

    def open(self) -> None:
        bus, device = self._at
        try:
            spi = self._make()
            spi.open(bus, device)
            spi.mode = 0
            spi.max_speed_hz = SPI_HZ
        except OSError as error:
            overlay = "dtparam=spi=on" if bus == 0 else f"dtoverlay=spi{bus}-{device + 1}cs"
            raise CanvasLostError(
                f"{self.identity}: {error}. Is {overlay} in /boot/firmware/config.txt, and the user in group spi?"
            ) from error
        self._spi = spi

    def write(self, latches: Sequence[bytes]) -> None:
        if self._spi is None:
            raise CanvasLostError(f"{self.identity} is not open")
        try:
            for latch in latches:
                self._spi.writebytes2(latch)
        except OSError as error:
            raise CanvasLostError(f"{self.identity}: {error}") from error

    def close(self) -> None:
        spi, self._spi = self._spi, None
        if spi is not None:
            spi.close()


class SimulatedLatches:
    """The bus of a simulated chain: MOSI bytes over its socket, a frame a latch."""

    def __init__(self, socket: Path) -> None:
        self.identity = f"sim+SPI of the chain on {socket}"
        self._path = socket
        self._chip: ChipSocket | None = None

    def open(self) -> None:
        try:
            self._chip = ChipSocket(self._path)
        except PinsLostError as error:
            raise CanvasLostError(str(error)) from error

    def write(self, latches: Sequence[bytes]) -> None:
        if self._chip is None:
            raise CanvasLostError(f"{self.identity} is not open")
        try:
            for latch in latches:
                self._chip.send(SpiWrite(latch))
        except PinsLostError as error:
            raise CanvasLostError(str(error)) from error

    def close(self) -> None:
        chip, self._chip = self._chip, None
        if chip is not None:
            chip.close()
