"""A chain of simulated MAX7219 chips: what each holds in its registers, and what a person reads.

Rules:
* A latch that is no whole number of words leaves a chip with half a word: it is refused and counted, as nothing real
  sends it. Words beyond the chain run out of its far end.
* At power on every register is 0: dark, whatever its figures.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

from drivers.codecs import max7219

REGISTERS = (*max7219.DIGITS, max7219.DECODE, max7219.INTENSITY, max7219.SCAN_LIMIT, max7219.ON, max7219.TEST)


class Max7219Chain:
    """`chips` of them, the nearest first."""

    def __init__(self, chips: int) -> None:
        self.chips: list[dict[int, int]] = [{} for _ in range(chips)]
        self.latches = 0
        self.rejected = 0
        self._held = [bytes(2)] * chips
        self.power_on()

    def power_on(self) -> None:
        self.chips = [dict.fromkeys(REGISTERS, 0) for _ in self.chips]

    def scramble(self, seed: int) -> None:
        """A glitch of the supply: any register may hold anything."""
        chance = random.Random(seed)
        for chip in self.chips:
            chip.update({register: chance.randrange(256) for register in REGISTERS})

    def latch(self, mosi: bytes) -> None:
        """What was shifted in between two rises of the chip select."""
        if not mosi or len(mosi) % 2:
            self.rejected += 1
            return
        self.latches += 1
        words = [mosi[at : at + 2] for at in range(0, len(mosi), 2)]
        self._held = [*reversed(words), *self._held][: len(self.chips)]
        for chip, (address, data) in zip(self.chips, self._held, strict=True):
            if (register := address & 0x0F) in chip:
                chip[register] = data

    def shown(self) -> list[str]:
        """What is lit on each chip: "   12.50"; "(dark)", "(test)"."""
        return [_shown(chip) for chip in self.chips]


def _shown(chip: Mapping[int, int]) -> str:
    if chip[max7219.TEST] & 1:
        return "(test)"
    if not chip[max7219.ON] & 1:
        return "(dark)"
    if chip[max7219.DECODE]:
        return "(decoded)"
    last = chip[max7219.SCAN_LIMIT] & 7
    lit = [chip[digit] if digit - 1 <= last else 0 for digit in reversed(max7219.DIGITS)]
    return max7219.text_of(bytes(lit))
