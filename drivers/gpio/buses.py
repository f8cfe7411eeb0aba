"""What expanders ask of the machine: I2C transactions, SPI exchanges, a load line, an interrupt line; real ones.

Rules:
* All calls may block and are made on the device's worker thread. What the kernel refuses is an `OSError`.
* Libraries are imported when their bus is made; opening finds the hardware.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from drivers.gpio.backends import GpioBackend, factory_maker, gpio_pins
from drivers.gpio.gpiozero_pins import OutputPins
from drivers.gpio.pins import InputPin, Pull
from drivers.ports import BackendUnavailable


class I2cBus(Protocol):
    @property
    def identity(self) -> str: ...

    def open(self, lost: Callable[[str], None]) -> None:
        """`lost` may be called on any thread if the bus itself goes away. Raises `OSError` or `PinsLostError`."""

    def transfer(self, address: int, write: bytes, read: int) -> bytes:
        """Write, then read by a repeated start, in one transaction. `OSError` (121 EREMOTEIO: nobody acknowledged)."""

    def close(self) -> None: ...


class SpiBus(Protocol):
    @property
    def identity(self) -> str: ...

    def open(self, lost: Callable[[str], None]) -> None: ...

    def load(self, high: bool) -> None:
        """Drive the line that loads the registers."""

    def exchange(self, mosi: bytes) -> bytes: ...

    def close(self) -> None: ...


class InterruptLine(Protocol):
    """An open-drain line that chips pull low."""

    @property
    def identity(self) -> str: ...

    def open(self, fell: Callable[[int], None], lost: Callable[[str], None]) -> None:
        """`fell`: called on any thread with the time of each falling edge (CLOCK_MONOTONIC, ns)."""

    def is_low(self) -> bool: ...

    def close(self) -> None: ...


class Smbus2Bus:
    """A Linux I2C bus through smbus2: /dev/i2c-<bus>."""

    def __init__(self, bus: int) -> None:
        try:
            import smbus2
        except ImportError as error:
            raise BackendUnavailable(
                f"I2C expanders: {error}. Install the extra \"pi\" (pip install 'tabled[pi]', smbus2)"
            ) from error
        self._smbus2: Any = smbus2
        self._bus = bus
        self._open: Any = None
        self.identity = f"/dev/i2c-{bus}"

    def open(self, lost: Callable[[str], None]) -> None:
        try:
            self._open = self._smbus2.SMBus(self._bus)
        except OSError as error:
            raise OSError(
                f"{error}. Is dtparam=i2c_arm=on in /boot/firmware/config.txt, and the user in group i2c?"
            ) from error

    def transfer(self, address: int, write: bytes, read: int) -> bytes:
        message = self._smbus2.i2c_msg
        answer = message.read(address, read)
        self._open.i2c_rdwr(message.write(address, list(write)), *([answer] if read else []))
        return bytes(list(answer)) if read else b""

    def close(self) -> None:
        bus, self._open = self._open, None
        if bus is not None:
            bus.close()


class SpidevChain:
    """An SPI bus through spidev, with a GPIO line for SH/LD: the chip select has the wrong polarity for it."""

    def __init__(self, bus: int, device: int, load_gpio: int, speed_hz: int, chip: int | None = None) -> None:
        try:
            import spidev
        except ImportError as error:
            raise BackendUnavailable(
                f"shift registers: {error}. Install the extra \"pi\" (pip install 'tabled[pi]'; a compiler once)"
            ) from error
        self._make: Any = spidev.SpiDev
        self._where = (bus, device)
        self._load_gpio = load_gpio
        self._speed_hz = speed_hz
        self._spi: Any = None
        self._pins = OutputPins(factory_maker(GpioBackend.LGPIO, chip))
        self.identity = f"/dev/spidev{bus}.{device}, load on GPIO {load_gpio}"

    def open(self, lost: Callable[[str], None]) -> None:
        spi = self._make()
        try:
            spi.open(*self._where)
            spi.mode = 0
            spi.max_speed_hz = self._speed_hz
        except OSError as error:
            spi.close()
            raise OSError(
                f"{error}. Is dtparam=spi=on in /boot/firmware/config.txt, and the user in group spi?"
            ) from error
        self._spi = spi
        self._pins.open([(self._load_gpio, True)], lost)

    def load(self, high: bool) -> None:
        self._pins.write(self._load_gpio, high)

    def exchange(self, mosi: bytes) -> bytes:
        return bytes(self._spi.xfer2(list(mosi)))

    def close(self) -> None:
        spi, self._spi = self._spi, None
        if spi is not None:
            spi.close()
        self._pins.close()


class GpioInterrupt:
    """A GPIO line of the header, with its pull-up, stamped by the kernel."""

    def __init__(self, gpio: int, chip: int | None = None) -> None:
        self._gpio = gpio
        self._pins = gpio_pins(GpioBackend.LGPIO, chip=chip)
        self.identity = f"GPIO {gpio}"

    def open(self, fell: Callable[[int], None], lost: Callable[[str], None]) -> None:
        self._pins.open([InputPin(self._gpio, Pull.UP)], _Falls(fell, lost))

    def is_low(self) -> bool:
        return not self._pins.read_levels().high[self._gpio]

    def close(self) -> None:
        self._pins.close()


class _Falls:
    """A `PinSink` that hands on falling edges."""

    def __init__(self, fell: Callable[[int], None], lost: Callable[[str], None]) -> None:
        self._fell = fell
        self._lost = lost

    def edge(self, number: int, high: bool, at_ns: int) -> None:
        if not high:
            self._fell(at_ns)

    def attention(self) -> None:
        raise NotImplementedError("a pin with edges asks for no read")

    def lost(self, reason: str) -> None:
        self._lost(reason)
