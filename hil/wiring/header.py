"""The Raspberry Pi's 40-pin header: what stands at each pin, the same on every model with 40 pins."""

from __future__ import annotations

from collections.abc import Mapping

_GROUND, _3V3, _5V = "GND", "3.3 V", "5 V"

SUPPLY: Mapping[int, str] = {
    1: _3V3, 2: _5V, 4: _5V, 6: _GROUND, 9: _GROUND, 14: _GROUND, 17: _3V3, 20: _GROUND, 25: _GROUND, 30: _GROUND,
    34: _GROUND, 39: _GROUND,
}  # fmt: skip
"""Supply and ground, by physical pin."""

GPIO: Mapping[int, int] = {
    3: 2, 5: 3, 7: 4, 8: 14, 10: 15, 11: 17, 12: 18, 13: 27, 15: 22, 16: 23, 18: 24, 19: 10, 21: 9, 22: 25, 23: 11,
    24: 8, 26: 7, 27: 0, 28: 1, 29: 5, 31: 6, 32: 12, 33: 13, 35: 19, 36: 16, 37: 26, 38: 20, 40: 21,
}  # fmt: skip
"""GPIO number by physical pin."""

PIN: Mapping[int, int] = {gpio: pin for pin, gpio in GPIO.items()}
"""Physical pin by GPIO number."""

PINS = range(1, 41)

SPI_NAMES: Mapping[int, Mapping[int, str]] = {
    0: {7: "CE1", 8: "CE0", 9: "MISO", 10: "MOSI", 11: "SCLK"},
    1: {16: "CE2", 17: "CE1", 18: "CE0", 19: "MISO", 20: "MOSI", 21: "SCLK"},
}
"""Lines of the two SPI buses, by GPIO number."""

UART_TX, UART_RX = 14, 15
EEPROM = (0, 1)
