"""Pixels on an SPI line: the published vector, then the neopixel_spi library against our decoder."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.codecs.ws2812 import Ws2812Error, decode
from drivers.devices.pixel_strings import SPI_HZ, SpiPixels, frame_bytes
from drivers.ports import Pixel

# (red, green, blue) = (FF, 01, A5), order GRB, as published for neopixel_spi.
VECTOR = bytes.fromhex("C0C0C0C0C0C0C0F0 F0F0F0F0F0F0F0F0 F0C0F0C0C0F0C0F0")
LOW = bytes(240)


class WireTap:
    """An SPI bus that keeps what leaves MOSI."""

    identity = "sim+tap"
    frequency = SPI_HZ

    def __init__(self) -> None:
        self.mosi: list[bytes] = []

    def open(self, frame_bytes: int) -> None: ...

    def close(self) -> None: ...

    def try_lock(self) -> bool:
        return True

    def unlock(self) -> None: ...

    def configure(self, baudrate: int = 0, polarity: int = 0, phase: int = 0, bits: int = 8) -> None:
        assert (baudrate, polarity, phase) == (SPI_HZ, 0, 0)

    def write(self, buf: bytes) -> None:
        self.mosi.append(bytes(buf))


def test_published_vector() -> None:
    assert decode(LOW + VECTOR + LOW) == ((0xFF, 0x01, 0xA5),)


def test_library_sends_the_published_vector() -> None:
    tap = WireTap()
    string = SpiPixels(tap, brightness=100)
    string.open(1)
    string.write([Pixel(0xFF, 0x01, 0xA5)])
    assert tap.mosi == [LOW + VECTOR + LOW]
    assert len(tap.mosi[0]) == frame_bytes(1)


colour = st.builds(Pixel, st.integers(0, 255), st.integers(0, 255), st.integers(0, 255))


@given(st.lists(colour, min_size=1, max_size=12))
def test_library_and_decoder_agree(frame: list[Pixel]) -> None:
    tap = WireTap()
    string = SpiPixels(tap, brightness=100)
    string.open(len(frame))
    string.write(frame)
    assert decode(tap.mosi[0]) == tuple((pixel.red, pixel.green, pixel.blue) for pixel in frame)


@given(st.integers(1, 100))
def test_brightness_caps_the_current(percent: int) -> None:
    tap = WireTap()
    string = SpiPixels(tap, brightness=percent)
    string.open(1)
    string.write([Pixel(255, 255, 255)])
    assert max(decode(tap.mosi[0])[0]) <= 255 * percent / 100


@pytest.mark.parametrize("percent", [0, 101, -5])
def test_brightness_outside_its_range_is_refused(percent: int) -> None:
    with pytest.raises(ValueError, match="1 to 100"):
        SpiPixels(WireTap(), brightness=percent)


@pytest.mark.parametrize(
    ("mosi", "says"),
    [
        (VECTOR + LOW, "0 low bytes before"),
        (LOW + VECTOR + bytes(64), "64 after"),
        (LOW + VECTOR[:-1] + LOW, "23 pixel bits"),
        (LOW + VECTOR[:5] + b"\xf8" + VECTOR[6:] + LOW, "0xf8 at bit 5"),
    ],
)
def test_frames_that_pixels_would_not_understand(mosi: bytes, says: str) -> None:
    with pytest.raises(Ws2812Error, match=says):
        decode(mosi)


@given(st.binary(max_size=600))
def test_noise_is_colours_or_an_error(noise: bytes) -> None:
    try:
        decode(noise)
    except Ws2812Error as error:
        assert str(error)
