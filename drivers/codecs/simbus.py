"""The wire of a simulated I2C or SPI bus: transactions, not bits, over one local stream socket. Sans-I/O. Version 1.

A simulator behind it plays the chips on the bus. The daemon's own device code runs up to the transaction, as it would
hand it to the kernel; and it hears the chips' open-drain interrupt line, stamped as the kernel would.

A frame is `type u8, length u16, payload`, integers little-endian. Both sides send `Hello` first; the simulator then
tells how the interrupt line stands.

    type  from    payload
    0x01  both    Hello      magic "TSB1"[4], version u8
    0x02  daemon  Transfer   request u32, address u8, read u8, bytes to write: write, repeated start, read
    0x03  daemon  Exchange   request u32, bytes for MOSI: as many come back
    0x04  daemon  LoadLine   high u8: the GPIO line that loads shift registers
    0x81  sim     Done       request u32, bytes read
    0x82  sim     Failed     request u32, errno u8: what the kernel would say
    0x83  sim     Interrupt  high u8, at_ns u64 (CLOCK_MONOTONIC)

Anything else is `SimBusError`; after it the stream can't be trusted and the connection is closed.
"""

from __future__ import annotations

import struct
from collections.abc import Callable

from msgspec import Struct

VERSION = 1
MAX_PAYLOAD = 4096

_MAGIC = b"TSB1"
_HEAD = struct.Struct("<BH")
_HELLO = struct.Struct("<4sB")
_TRANSFER = struct.Struct("<IBB")
_REQUEST = struct.Struct("<I")
_FAILED = struct.Struct("<IB")
_INTERRUPT = struct.Struct("<BQ")


class SimBusError(Exception):
    """Bytes that are no frame of this protocol."""


class Hello(Struct, frozen=True):
    version: int = VERSION


class Transfer(Struct, frozen=True):
    request: int
    address: int
    read: int
    write: bytes


class Exchange(Struct, frozen=True):
    request: int
    mosi: bytes


class LoadLine(Struct, frozen=True):
    high: bool


class Done(Struct, frozen=True):
    request: int
    data: bytes


class Failed(Struct, frozen=True):
    request: int
    errno: int


class Interrupt(Struct, frozen=True):
    high: bool
    at_ns: int


SimBusFrame = Hello | Transfer | Exchange | LoadLine | Done | Failed | Interrupt


def encode(frame: SimBusFrame) -> bytes:
    """The frame's bytes. Raises `SimBusError` for a value that the wire can't carry."""
    try:
        kind, payload = _payload(frame)
    except struct.error as error:
        raise SimBusError(f"{frame!r} does not fit the wire: {error}") from error
    if len(payload) > MAX_PAYLOAD:
        raise SimBusError(f"{type(frame).__name__} of {len(payload)} bytes; expected at most {MAX_PAYLOAD}")
    return _HEAD.pack(kind, len(payload)) + payload


def _payload(frame: SimBusFrame) -> tuple[int, bytes]:
    match frame:
        case Hello():
            return 0x01, _HELLO.pack(_MAGIC, frame.version)
        case Transfer():
            return 0x02, _TRANSFER.pack(frame.request, frame.address, frame.read) + frame.write
        case Exchange():
            return 0x03, _REQUEST.pack(frame.request) + frame.mosi
        case LoadLine():
            return 0x04, bytes([frame.high])
        case Done():
            return 0x81, _REQUEST.pack(frame.request) + frame.data
        case Failed():
            return 0x82, _FAILED.pack(frame.request, frame.errno)
        case Interrupt():
            return 0x83, _INTERRUPT.pack(frame.high, frame.at_ns)


class SimBusDecoder:
    """Turns received bytes into frames, however they were cut."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._greeted = False

    def feed(self, data: bytes) -> list[SimBusFrame]:
        """Frames completed by these bytes. Raises `SimBusError`; the decoder is of no use after that."""
        self._buffer += data
        frames: list[SimBusFrame] = []
        while len(self._buffer) >= _HEAD.size:
            kind, length = _HEAD.unpack_from(self._buffer)
            if kind not in _PARSERS or length > MAX_PAYLOAD:
                raise SimBusError(
                    f"frame type {kind:#04x}, length {length}: expected a type of the table and at most {MAX_PAYLOAD}"
                )
            if len(self._buffer) < _HEAD.size + length:
                break
            payload = bytes(self._buffer[_HEAD.size : _HEAD.size + length])
            del self._buffer[: _HEAD.size + length]
            try:
                frame = _PARSERS[kind](payload)
            except struct.error as error:
                raise SimBusError(f"frame type {kind:#04x} with {length} bytes: {error}") from error
            if not self._greeted and not isinstance(frame, Hello):
                raise SimBusError(f"the first frame is {type(frame).__name__}; expected Hello")
            self._greeted = True
            frames.append(frame)
        return frames


def _hello(payload: bytes) -> Hello:
    magic, version = _HELLO.unpack(payload)
    if (magic, version) != (_MAGIC, VERSION):
        raise SimBusError(f"magic {magic!r}, version {version}; expected {_MAGIC!r}, {VERSION}")
    return Hello(version)


def _transfer(payload: bytes) -> Transfer:
    request, address, read = _TRANSFER.unpack_from(payload)
    return Transfer(request, address, read, payload[_TRANSFER.size :])


def _exchange(payload: bytes) -> Exchange:
    return Exchange(_REQUEST.unpack_from(payload)[0], payload[_REQUEST.size :])


def _load_line(payload: bytes) -> LoadLine:
    return LoadLine(_flag(struct.unpack("<B", payload)[0]))


def _done(payload: bytes) -> Done:
    return Done(_REQUEST.unpack_from(payload)[0], payload[_REQUEST.size :])


def _failed(payload: bytes) -> Failed:
    return Failed(*_FAILED.unpack(payload))


def _interrupt(payload: bytes) -> Interrupt:
    high, at_ns = _INTERRUPT.unpack(payload)
    return Interrupt(_flag(high), at_ns)


def _flag(value: int) -> bool:
    if value not in (0, 1):
        raise SimBusError(f"a level is {value}; expected 0 or 1")
    return bool(value)


_PARSERS: dict[int, Callable[[bytes], SimBusFrame]] = {
    0x01: _hello,
    0x02: _transfer,
    0x03: _exchange,
    0x04: _load_line,
    0x81: _done,
    0x82: _failed,
    0x83: _interrupt,
}
