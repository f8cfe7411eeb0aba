"""What can go wrong with a station's answer on a simulated bus. Pure; a fault strikes the station's next answers."""

from __future__ import annotations

import random
from collections.abc import Mapping
from enum import StrEnum

from msgspec import Struct

from hil.sim.control import Arguments, ControlError


class BusFault(StrEnum):
    SILENT = "silent"  # no answer
    NOISE_INSIDE = "noise_inside"  # one byte changed
    NOISE_BEFORE = "noise_before"  # random bytes before it
    TRUNCATED = "truncated"  # its end is missing
    COLLISION = "collision"  # another station answers in the same instant: both are mixed
    LATE = "late"  # it comes `LATE_MS` later, amid the next exchange
    TWICE = "twice"


LATE_MS = 60


class Answer(Struct, frozen=True):
    """Bytes, and after how long they go out."""

    after_ms: int
    data: bytes


class Faults:
    """The faults that wait, by station."""

    def __init__(self, seed: int = 1) -> None:
        self._random = random.Random(seed)
        self._waiting: dict[int, list[BusFault]] = {}

    def order(self, station: int, arguments: Arguments) -> None:
        """Op `fault`: `kind`, `times` (default 1; strikes that many answers)."""
        kind, times = arguments.text("kind"), arguments.integer("times", 1, least=1, most=1_000_000)
        arguments.end()
        if kind not in list(BusFault):
            raise ControlError(f"kind must be one of {', '.join(BusFault)}, got {kind!r}")
        self._waiting.setdefault(station, []).extend([BusFault(kind)] * times)

    def clear(self) -> None:
        self._waiting.clear()

    def answers(self, station: int, whole: bytes, after_ms: int) -> list[Answer]:
        """What goes out instead of `whole`."""
        waiting = self._waiting.get(station)
        fault = waiting.pop(0) if waiting else None
        middle = len(whole) // 2
        match fault:
            case None:
                return [Answer(after_ms, whole)]
            case BusFault.SILENT:
                return []
            case BusFault.NOISE_INSIDE:
                return [Answer(after_ms, whole[:middle] + bytes([whole[middle] ^ 0x15]) + whole[middle + 1 :])]
            case BusFault.NOISE_BEFORE:
                return [Answer(after_ms, self._random.randbytes(5) + whole)]
            case BusFault.TRUNCATED:
                return [Answer(after_ms, whole[:-3])]
            case BusFault.COLLISION:
                return [Answer(after_ms, bytes(a & b for a, b in zip(whole, whole[3:] + whole[:3], strict=True)))]
            case BusFault.LATE:
                return [Answer(after_ms + LATE_MS, whole)]
            case BusFault.TWICE:
                return [Answer(after_ms, whole + whole)]


def bits_of(inputs: Mapping[int, bool]) -> int:
    return sum(1 << number for number, on in inputs.items() if on)
