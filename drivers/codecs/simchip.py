"""The wire of the simulated line chip: frames both ways over one local stream socket. Sans-I/O. Version 1.

The chip stands for a GPIO chip and an SPI bus of a Raspberry Pi, so that the daemon's own code runs up to the edge of
the hardware. It stamps edges with its own CLOCK_MONOTONIC, as the kernel does, and takes SPI bytes as they leave MOSI.

A frame is `type u8, length u32, payload`, integers little-endian. Both sides send `Hello` first.

    type  from    payload
    0x01  both    Hello         magic "TLC1"[4] version u8, lines u16, pixels u16 (both 0 from the daemon)
    0x02  daemon  ClaimInputs   n times (line u16, pull u8: 0 floating, 1 up, 2 down); only these send edges
    0x03  daemon  ClaimOutput   line u16, high u8: direction and first level in one request
    0x04  daemon  SetOutput     line u16, high u8
    0x05  daemon  ReadLevels    request u32
    0x06  daemon  SpiWrite      bytes in the order in which they would leave MOSI, most significant bit first
    0x81  chip    Edge          sequence u32, line u16, high u8, at_ns u64
    0x82  chip    Levels        request u32, at_ns u64, lines u16, bitmap (line 0 is bit 0 of byte 0); 1 is high
    0x83  chip    Refused       text: what was wrong with the daemon's last request

Rules:
* `Edge.sequence` counts every edge that the chip made for this daemon, from 1, also those that it was told to drop: a
  hole is a lost edge. Edges may arrive in any order.
* Anything else is `SimChipError`; after it the stream can't be trusted and the link is closed.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from msgspec import Struct

VERSION = 1
MAX_PAYLOAD = 1 << 16
"""Bound of the receive buffer: the longest frame is an SPI write, 24 bytes a pixel."""

_MAGIC = b"TLC1"
_HEAD = struct.Struct("<BI")
_HELLO = struct.Struct("<4sBHH")
_CLAIM = struct.Struct("<HB")
_OUTPUT = struct.Struct("<HB")
_READ = struct.Struct("<I")
_EDGE = struct.Struct("<IHBQ")
_LEVELS = struct.Struct("<IQH")

PULL_FLOATING, PULL_UP, PULL_DOWN = 0, 1, 2


class SimChipError(Exception):
    """Bytes that are no frame of this protocol. The message says what was found and what was expected."""


class Hello(Struct, frozen=True):
    lines: int = 0
    pixels: int = 0
    version: int = VERSION


class ClaimInputs(Struct, frozen=True):
    lines: tuple[tuple[int, int], ...]  # (line, pull)


class ClaimOutput(Struct, frozen=True):
    line: int
    high: bool


class SetOutput(Struct, frozen=True):
    line: int
    high: bool


class ReadLevels(Struct, frozen=True):
    request: int


class SpiWrite(Struct, frozen=True):
    mosi: bytes


class Edge(Struct, frozen=True):
    sequence: int
    line: int
    high: bool
    at_ns: int


class Levels(Struct, frozen=True):
    request: int
    at_ns: int
    high: tuple[bool, ...]


class Refused(Struct, frozen=True):
    text: str


SimChipFrame = (
    Hello | ClaimInputs | ClaimOutput | SetOutput | ReadLevels | SpiWrite | Edge | Levels | Refused
)  # closed: see the table above


def encode(frame: SimChipFrame) -> bytes:
    """The frame's bytes. Raises `SimChipError` for a value that the wire can't carry."""
    try:
        kind, payload = _payload(frame)
    except (struct.error, OverflowError) as error:
        raise SimChipError(f"{frame!r} does not fit the wire: {error}") from error
    if len(payload) > MAX_PAYLOAD:
        raise SimChipError(f"{type(frame).__name__} of {len(payload)} bytes; expected at most {MAX_PAYLOAD}")
    return _HEAD.pack(kind, len(payload)) + payload


def _payload(frame: SimChipFrame) -> tuple[int, bytes]:
    match frame:
        case Hello():
            return 0x01, _HELLO.pack(_MAGIC, frame.version, frame.lines, frame.pixels)
        case ClaimInputs():
            return 0x02, b"".join(_CLAIM.pack(line, pull) for line, pull in frame.lines)
        case ClaimOutput():
            return 0x03, _OUTPUT.pack(frame.line, frame.high)
        case SetOutput():
            return 0x04, _OUTPUT.pack(frame.line, frame.high)
        case ReadLevels():
            return 0x05, _READ.pack(frame.request)
        case SpiWrite():
            return 0x06, frame.mosi
        case Edge():
            return 0x81, _EDGE.pack(frame.sequence, frame.line, frame.high, frame.at_ns)
        case Levels():
            bits = sum(high << n for n, high in enumerate(frame.high))
            bitmap = bits.to_bytes((len(frame.high) + 7) // 8, "little")
            return 0x82, _LEVELS.pack(frame.request, frame.at_ns, len(frame.high)) + bitmap
        case Refused():
            return 0x83, frame.text.encode()


class SimChipDecoder:
    """Turns received bytes into frames, however they were cut."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._greeted = False

    def feed(self, data: bytes) -> list[SimChipFrame]:
        """Frames completed by these bytes. Raises `SimChipError`; the decoder is of no use after that."""
        self._buffer += data
        frames: list[SimChipFrame] = []
        while len(self._buffer) >= _HEAD.size:
            kind, length = _HEAD.unpack_from(self._buffer)
            if kind not in _PARSERS or length > MAX_PAYLOAD:
                raise SimChipError(
                    f"frame type {kind:#04x}, length {length}: expected a type of the table and at most {MAX_PAYLOAD}"
                )
            if len(self._buffer) < _HEAD.size + length:
                break
            payload = bytes(self._buffer[_HEAD.size : _HEAD.size + length])
            del self._buffer[: _HEAD.size + length]
            frames.append(self._parse(kind, payload))
        return frames

    def _parse(self, kind: int, payload: bytes) -> SimChipFrame:
        try:
            frame = _PARSERS[kind](payload)
        except (struct.error, UnicodeDecodeError) as error:
            raise SimChipError(f"frame type {kind:#04x} with {len(payload)} bytes of payload: {error}") from error
        if not self._greeted and not isinstance(frame, Hello):
            raise SimChipError(f"{type(frame).__name__} before Hello; expected Hello first")
        self._greeted = True
        return frame


def _hello(payload: bytes) -> Hello:
    magic, version, lines, pixels = _HELLO.unpack(payload)
    if magic != _MAGIC or version != VERSION:
        raise SimChipError(
            f"Hello {magic!r} version {version}: expected {_MAGIC!r} version {VERSION}. Is it a line chip?"
        )
    return Hello(lines, pixels, version)


def _claim_inputs(payload: bytes) -> ClaimInputs:
    claims = tuple(_CLAIM.iter_unpack(payload))
    for line, pull in claims:
        if pull not in (PULL_FLOATING, PULL_UP, PULL_DOWN):
            raise SimChipError(f"ClaimInputs: pull {pull} on line {line}; expected 0, 1 or 2")
    return ClaimInputs(claims)


def _edge(payload: bytes) -> Edge:
    sequence, line, high, at_ns = _EDGE.unpack(payload)
    return Edge(sequence, line, _flag(high), at_ns)


def _levels(payload: bytes) -> Levels:
    request, at_ns, count = _LEVELS.unpack_from(payload)
    bitmap = payload[_LEVELS.size :]
    if len(bitmap) != (count + 7) // 8:
        raise SimChipError(f"Levels: {len(bitmap)} bytes of bitmap for {count} lines")
    return Levels(request, at_ns, tuple(bool(bitmap[n // 8] >> n % 8 & 1) for n in range(count)))


def _line_and_level(payload: bytes) -> tuple[int, bool]:
    line, high = _OUTPUT.unpack(payload)
    return line, _flag(high)


def _flag(value: int) -> bool:
    if value > 1:
        raise SimChipError(f"level {value}; expected 0 or 1")
    return bool(value)


_PARSERS: dict[int, Callable[[bytes], SimChipFrame]] = {
    0x01: _hello,
    0x02: _claim_inputs,
    0x03: lambda payload: ClaimOutput(*_line_and_level(payload)),
    0x04: lambda payload: SetOutput(*_line_and_level(payload)),
    0x05: lambda payload: ReadLevels(*_READ.unpack(payload)),
    0x06: SpiWrite,
    0x81: _edge,
    0x82: _levels,
    0x83: lambda payload: Refused(payload.decode()),
}
