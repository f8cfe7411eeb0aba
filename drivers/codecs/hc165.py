"""A chain of 74HC165 shift registers: which byte is which chip, and how a broken chain is known. Sans-I/O.

Source: Nexperia 74HC165 (SH/LD low loads, QH shows input H before the first clock). Byte 0 is the chip nearest the
Pi; bit 7 is its input H, bit 0 its input A. Line n is bit n % 8 of chip n // 8.

Integrity (ours), since the bytes carry no check of their own:
* input H of the nearest chip is tied to 3V3, input A of the farthest to GND, and SER of the farthest to 3V3;
* one byte more than the chain has is clocked: it is what came in at that SER, all ones.
A chain that is unplugged or shorted reads all ones or all zeros and fails one of the first two; one that is cut
between two chips reads a constant from there on, which fails the second (ones) or the third (zeros); one that shifted
once too often or too seldom fails one of them, unless its neighbours happen to lie so.
"""

from __future__ import annotations


class ChainError(Exception):
    """What the chain gave is no reading of it."""


def reserved(chips: int) -> tuple[int, int]:
    """The lines that no sensor may use: tied high, tied low."""
    return 7, 8 * (chips - 1)


def clocked(chips: int) -> int:
    """Bytes to be clocked for one reading."""
    return chips + 1


def levels(read: bytes, chips: int) -> tuple[bool, ...]:
    """Electrical levels by line, the tied ones among them. Raises `ChainError`."""
    if len(read) != clocked(chips):
        raise ChainError(f"{len(read)} bytes; expected {clocked(chips)}")
    if len(set(read)) == 1 and read[0] in (0x00, 0xFF):
        raise ChainError("all zeros: the line is shorted, or the chain has no power" if not read[0] else
                         "all ones: no answer from the chain; is it plugged in?")  # fmt: skip
    high, low = reserved(chips)
    found = tuple(bool(byte >> bit & 1) for byte in read[:chips] for bit in range(8))
    if not found[high]:
        raise ChainError("input H of the nearest chip is low, though tied high: clock or load are disturbed")
    if found[low]:
        raise ChainError("input A of the farthest chip is high, though tied low: the chain is cut, or longer")
    if read[chips] != 0xFF:
        raise ChainError(f"after the last chip came {read[chips]:#04x}; expected 0xff from its SER: the chain is cut")
    return found
