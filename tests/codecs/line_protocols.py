"""What every codec of a line protocol is put through: any split, noise between lines, any bytes, an endless line."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Protocol, TypeVar

from tests.codecs.samples import chunks

Found = TypeVar("Found", covariant=True)


class LineDecoder(Protocol[Found]):
    counters: dict[str, int]

    @property
    def waiting(self) -> int: ...

    def feed(self, data: bytes, arrived_ns: int = 0) -> Sequence[Found]: ...


def whole(decoder: LineDecoder[Found], stream: bytes) -> list[Found]:
    return list(decoder.feed(stream))


def in_pieces(decoder: LineDecoder[Found], stream: bytes, sizes: list[int]) -> list[Found]:
    return [found for piece in chunks(stream, sizes) for found in decoder.feed(piece)]


def byte_by_byte(decoder: LineDecoder[Found], stream: bytes, most_waiting: int) -> list[Found]:
    found: list[Found] = []
    for byte in stream:
        found += decoder.feed(bytes([byte]))
        assert decoder.waiting <= most_waiting
    return found


def noise(seed: int, size: int, likely: bytes) -> bytes:
    """Bytes of which half are those that mean something to the protocol."""
    chance = random.Random(seed)
    return bytes(chance.choice(likely) if chance.random() < 0.5 else chance.randrange(256) for _ in range(size))
