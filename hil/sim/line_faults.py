"""What can go wrong between a simulated sender and the host: copies of one telegram to timed pieces of bytes. Pure.

A fault is ordered once and strikes the next telegram. `copies` of a fault: which of the copies it strikes (from 1);
none named: all.
"""

from __future__ import annotations

import random
from enum import StrEnum

from msgspec import Struct

from hil.sim.control import ControlError


class FaultKind(StrEnum):
    NOISE_BEFORE = "noise_before"  # random bytes before the copy
    NOISE_INSIDE = "noise_inside"  # one random byte in its middle
    BAD_CHECK = "bad_check"  # its last byte changed, or the last one of its line
    TRUNCATED = "truncated"  # its last three bytes missing
    MISSING = "missing"  # the copy isn't sent
    BYTE_BY_BYTE = "byte_by_byte"  # each byte by itself, `SLOW_MS` apart
    STALLED = "stalled"  # `STALL_MS` pass in its middle


SLOW_MS = 5
STALL_MS = 1500


class Fault(Struct, frozen=True):
    kind: FaultKind
    copies: frozenset[int] = frozenset()

    def strikes(self, copy: int) -> bool:
        return not self.copies or copy in self.copies


class Piece(Struct, frozen=True):
    """Bytes, and how long after the piece before them they go out."""

    after_ms: int
    data: bytes


def fault(kind: str, copies: list[int]) -> Fault:
    """`ControlError` for an unknown kind or a copy below 1."""
    if kind not in list(FaultKind):
        raise ControlError(f"unknown fault {kind!r}; known: {', '.join(FaultKind)}")
    if any(copy < 1 for copy in copies):
        raise ControlError(f"copies are numbered from 1, got {copies}")
    return Fault(FaultKind(kind), frozenset(copies))


def pieces(telegram: bytes, copies: int, spacing_ms: int, faults: list[Fault], noise: random.Random) -> list[Piece]:
    """`copies` copies of `telegram`, `spacing_ms` apart, with these faults. At least one piece."""
    out: list[Piece] = []
    for copy in range(1, copies + 1):
        gap_ms = 0 if copy == 1 else spacing_ms
        out += _damaged(telegram, gap_ms, [each.kind for each in faults if each.strikes(copy)], noise)
    return out or [Piece(0, b"")]


def _damaged(data: bytes, gap_ms: int, kinds: list[FaultKind], noise: random.Random) -> list[Piece]:
    if FaultKind.MISSING in kinds:
        return []
    if FaultKind.BAD_CHECK in kinds:
        line = data.rstrip(b"\r\n")
        data = line[:-1] + bytes([line[-1] ^ 0x01]) + data[len(line) :]
    if FaultKind.TRUNCATED in kinds:
        data = data[:-3]
    middle = len(data) // 2
    if FaultKind.NOISE_INSIDE in kinds:
        data = data[:middle] + bytes([noise.randrange(256)]) + data[middle:]
    if FaultKind.NOISE_BEFORE in kinds:
        data = noise.randbytes(noise.randint(1, 12)) + data
    if FaultKind.BYTE_BY_BYTE in kinds:
        return [Piece(gap_ms if at == 0 else SLOW_MS, bytes([byte])) for at, byte in enumerate(data)]
    if FaultKind.STALLED in kinds:
        return [Piece(gap_ms, data[:middle]), Piece(STALL_MS, data[middle:])]
    return [Piece(gap_ms, data)]
