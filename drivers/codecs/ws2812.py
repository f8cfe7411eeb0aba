"""WS2812 pixels as seen on an SPI data line: from MOSI bytes back to colours. Sans-I/O.

The sending side is the neopixel_spi library; this is the other end, for the simulated chip and for tests.

Rules (one SPI byte a pixel bit, at 6.4 MHz, so that a byte lasts 1.25 us):
* 0xC0 is a 0 (312 ns high), 0xF0 a 1 (625 ns high); bits go most significant first, colours green, red, blue.
* Low for the reset time before and after: 300 us, since newer parts latch only after 280 us, and since MOSI may rest
  high, which would turn the first pixel green.
* A frame that breaks a rule is `Ws2812Error`: real pixels would show something else or nothing.
"""

from __future__ import annotations

BIT_HZ = 6_400_000
RESET_NS = 280_000
RESET_BYTES = RESET_NS * BIT_HZ // 8 // 1_000_000_000
BITS_PER_PIXEL = 24

_BITS = {0xC0: 0, 0xF0: 1}


class Ws2812Error(Exception):
    """MOSI bytes that no pixel would understand."""


def decode(mosi: bytes) -> tuple[tuple[int, int, int], ...]:
    """The colours (red, green, blue; 0..255 each) of one frame, first pixel first."""
    start = len(mosi) - len(mosi.lstrip(b"\0"))
    payload = mosi.strip(b"\0")
    end = len(mosi) - start - len(payload)
    if start < RESET_BYTES or (payload and end < RESET_BYTES):
        raise Ws2812Error(
            f"{start} low bytes before and {end} after the pixels; expected {RESET_BYTES} or more (280 us)"
        )
    if len(payload) % BITS_PER_PIXEL:
        raise Ws2812Error(f"{len(payload)} pixel bits; expected a multiple of {BITS_PER_PIXEL}")
    wrong = next((n for n, byte in enumerate(payload) if byte not in _BITS), None)
    if wrong is not None:
        raise Ws2812Error(f"byte {payload[wrong]:#04x} at bit {wrong}; expected 0xc0 or 0xf0")
    pixels = []
    for at in range(0, len(payload), BITS_PER_PIXEL):
        value = 0
        for byte in payload[at : at + BITS_PER_PIXEL]:
            value = value << 1 | _BITS[byte]
        green, red, blue = value.to_bytes(3, "big")
        pixels.append((red, green, blue))
    return tuple(pixels)
