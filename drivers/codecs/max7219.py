"""MAX7219 (and MAX7221) chips that drive 7-segment figures: the words of their serial input. Sans-I/O.

A chip takes 16-bit words, address and data, most significant bit first, SPI mode 0 up to 10 MHz, and acts on the word
that it holds when LOAD (chip select) rises. Chips of a chain pass on what is shifted through them: for n chips n words
are sent in one go, and the one sent last stays in the chip nearest to the sender.

Rules:
* Here chips are numbered as they stand in the chain, the nearest first; a `latch` is what is sent between two rises.
* Digits are not decoded by the chip: a bit is a segment, 7 the point, 6 to 0 the segments A to G. Digit 1 is the
  rightmost figure of the usual modules.
* Nothing is answered, so nothing can be read back: whoever wants to be sure writes every register again.

Source: data sheet 19-4452 rev. 4, tables 1 to 10.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

NO_OP, DECODE, INTENSITY, SCAN_LIMIT, ON, TEST = 0x00, 0x09, 0x0A, 0x0B, 0x0C, 0x0F
DIGITS = range(1, 9)
"""Registers of the figures, the rightmost first."""
WIDTH = len(DIGITS)
POINT = 0x80
BRIGHTEST = 15

GLYPHS: Mapping[str, int] = {
    "0": 0x7E, "1": 0x30, "2": 0x6D, "3": 0x79, "4": 0x33, "5": 0x5B, "6": 0x5F, "7": 0x70, "8": 0x7F, "9": 0x7B,
    "-": 0x01, " ": 0x00, "P": 0x67, "H": 0x37, "I": 0x06, "T": 0x0F,
}  # fmt: skip
"""Segments of what can be told; T is a small t."""
_READ = {segments: glyph for glyph, segments in GLYPHS.items()}


def segments(text: str, figures: int = WIDTH) -> bytes:
    """`text` at the right end of `figures` places, leftmost first; a point stands in the place of the figure before it.
    ValueError for what is too long or has no form."""
    places: list[int] = []
    for character in text:
        if character == "." and places and not places[-1] & POINT:
            places[-1] |= POINT
        elif character in GLYPHS:
            places.append(GLYPHS[character])
        else:
            raise ValueError(f"{text!r}: {character!r} can't be shown; expected some of {''.join(GLYPHS)!r} and points")
    if len(places) > figures:
        raise ValueError(f"{text!r} takes {len(places)} places; the display has {figures}")
    return bytes(figures - len(places)) + bytes(places)


def text_of(places: bytes) -> str:
    """What a person reads, leftmost first; "?" for segments that are no character."""
    return "".join(_READ.get(place & ~POINT, "?") + ("." if place & POINT else "") for place in places)


def latch(address: int, data: Sequence[int]) -> bytes:
    """One word for each chip; `data` is the nearest chip's first."""
    return b"".join(bytes((address, value)) for value in reversed(data))


def setting(chips: int, intensity: int) -> tuple[bytes, ...]:
    """Latches that make every chip show its figures: all eight, plain segments, no test, `intensity` 0..15, on."""
    if not 0 <= intensity <= BRIGHTEST:
        raise ValueError(f"intensity is {intensity}; expected 0 to {BRIGHTEST}")
    registers = ((SCAN_LIMIT, WIDTH - 1), (DECODE, 0), (TEST, 0), (INTENSITY, intensity), (ON, 1))
    return tuple(latch(address, (value,) * chips) for address, value in registers)


def figures(places: Sequence[bytes]) -> tuple[bytes, ...]:
    """Latches for all figures; `places`: eight of each chip, leftmost first, the nearest chip first."""
    return tuple(latch(digit, [chip[WIDTH - digit] for chip in places]) for digit in DIGITS)


def off(chips: int) -> tuple[bytes, ...]:
    """The latch that makes every chip dark."""
    return (latch(ON, (0,) * chips),)
