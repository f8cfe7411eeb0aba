"""The sign's side of the Alpha protocol: packets back to the commands of `alpha.py`. The daemon doesn't need it;
simulated signs and the tests of the encoder do.

Rules:
* A packet is taken whole or returned as `RejectedPacket`, with its bytes; any bytes give one or the other or are noise.
* More than a second between two bytes ends a packet (the times come in with the bytes); so does a length of `LIMIT`.
* Packets for other sign types or addresses are passed over and counted.

Source: as `alpha.py`.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from drivers.codecs.alpha import (
    CALL_STRING,
    COLOUR,
    EOT,
    ESC,
    ETX,
    FILE_LABELS,
    PRIORITY_LABEL,
    SOH,
    STX,
    Colour,
    Command,
    ConfigureMemory,
    Mode,
    Position,
    ReleasePriority,
    RunSequence,
    SetTime,
    StringCall,
    StringFile,
    TextFile,
    TextPart,
    WriteString,
    WriteText,
    checksum,
)

LIMIT = 8192
"""Bytes of one packet, SOH included, that may wait for an EOT."""

GAP_LIMIT_NS = 1_000_000_000
_ENTRY_LENGTH = 11


class PacketFault(StrEnum):
    """Why a packet was not taken; each is a counter of `Decoder.counters`."""

    CHECKSUM = "checksum"
    FORMAT = "format"  # not the form of a packet or of its command
    COMMAND = "command"  # a command that this decoder doesn't know
    TIMEOUT = "timeout"  # more than a second between two bytes
    OVERLONG = "overlong"


class RejectedPacket(Struct, frozen=True):
    """A packet that the sign ignores; `detail` says what was wrong."""

    fault: PacketFault
    detail: str
    raw: bytes


class _BadPacketError(Exception):
    def __init__(self, fault: PacketFault, detail: str) -> None:
        super().__init__(detail)
        self.fault = fault


class Decoder:
    """What one sign hears. `sign_type` and `address` are its own; `Z`, `00` and `?` reach every sign."""

    def __init__(self, *, sign_type: str = "^", address: str = "01") -> None:
        self._type = sign_type
        self._address = address
        self._buffer = bytearray()
        self._last_ns = 0
        self.counters: dict[str, int] = {"packets": 0, "passed_over": 0, "noise_bytes": 0}
        self.counters.update({fault.value: 0 for fault in PacketFault})

    @property
    def waiting(self) -> int:
        """Bytes held for an unfinished packet; never above `LIMIT`."""
        return len(self._buffer)

    def feed(self, data: bytes, arrived_ns: int = 0) -> list[Command | RejectedPacket]:
        """Take bytes that arrived at `arrived_ns`; returns the packets that they completed. Never raises."""
        found: list[Command | RejectedPacket] = []
        if self._buffer and arrived_ns - self._last_ns > GAP_LIMIT_NS:
            gap_ms = (arrived_ns - self._last_ns) // 1_000_000
            self._reject(found, PacketFault.TIMEOUT, f"{gap_ms} ms between two bytes")
        self._last_ns = arrived_ns
        for byte in data:
            if byte == SOH and self._buffer:
                self._reject(found, PacketFault.FORMAT, "a new packet began before EOT")
            if byte != SOH and not self._buffer:
                self.counters["noise_bytes"] += byte != 0  # NULs are how a packet begins
                continue
            self._buffer.append(byte)
            if byte == EOT:
                self._finish(found)
            elif len(self._buffer) >= LIMIT:
                self._reject(found, PacketFault.OVERLONG, f"no EOT in {LIMIT} bytes")
        return found

    def _finish(self, found: list[Command | RejectedPacket]) -> None:
        try:
            body = self._unwrap(bytes(self._buffer))
            command = None if body is None else _parse(body)
        except _BadPacketError as bad:
            self._reject(found, bad.fault, str(bad))
            return
        self._buffer.clear()
        if command is None:
            self.counters["passed_over"] += 1
        else:
            self.counters["packets"] += 1
            found.append(command)

    def _unwrap(self, packet: bytes) -> bytes | None:
        """The command of a packet from SOH to EOT, or None when it is meant for another sign."""
        if len(packet) < 7 or packet[4] != STX:
            raise _BadPacketError(PacketFault.FORMAT, "no STX behind type and address")
        body, mark, check = packet[5:-1].partition(bytes([ETX]))
        if mark and check != checksum(packet[4:-1].partition(bytes([ETX]))[0] + mark):
            raise _BadPacketError(PacketFault.CHECKSUM, f"the checksum reads {check!r}")
        if packet[1] not in (ord("Z"), ord(self._type)):
            return None
        for got, own in zip(packet[2:4], self._address.encode("ascii"), strict=True):
            if packet[2:4] != b"00" and got not in (own, ord("?")):
                return None
        return body

    def _reject(self, found: list[Command | RejectedPacket], fault: PacketFault, detail: str) -> None:
        self.counters[fault] += 1
        found.append(RejectedPacket(fault, detail, bytes(self._buffer)))
        self._buffer.clear()


def _parse(body: bytes) -> Command:
    if any(byte >= 0x80 for byte in body):
        raise _BadPacketError(PacketFault.FORMAT, "a byte above 7F")
    match body[:1], body[1:2]:
        case b"A", label if label:
            return _parse_text(label.decode("ascii"), body[2:])
        case b"G", label if label:
            return WriteString(_label(label), _plain(body[2:]))
        case b"E", b"$":
            return ConfigureMemory(tuple(_parse_entry(entry) for entry in _entries(body[2:])))
        case b"E", b" ":
            digits = body[2:]
            if len(digits) != 4 or not digits.isdigit() or int(digits[:2]) > 23 or int(digits[2:]) > 59:
                raise _BadPacketError(PacketFault.FORMAT, f"a time is HHMM, got {digits!r}")
            return SetTime(int(digits[:2]), int(digits[2:]))
        case b"E", b".":
            if body[2:4] != b"TU":
                raise _BadPacketError(PacketFault.COMMAND, f"run sequence of kind {body[2:4]!r}")
            return RunSequence("".join(_label(bytes([label])) for label in body[4:]))
        case _:
            raise _BadPacketError(PacketFault.COMMAND, f"command {body[:2]!r}")


def _parse_text(label: str, rest: bytes) -> Command:
    if label == PRIORITY_LABEL:
        if not rest:
            return ReleasePriority()
    else:
        _label(label.encode("ascii"))
    if len(rest) < 3 or rest[0] != ESC:
        raise _BadPacketError(PacketFault.FORMAT, f"text file {label}: no ESC, position and mode")
    try:
        position, mode = Position(rest[1:2]), Mode(rest[2:3])
    except ValueError:
        raise _BadPacketError(PacketFault.FORMAT, f"text file {label}: position and mode {rest[1:3]!r}") from None
    return WriteText(label, _parse_parts(rest[3:]), mode, position)


def _parse_parts(content: bytes) -> tuple[TextPart, ...]:
    parts: list[TextPart] = []
    text = bytearray()
    codes = iter(content)
    for code in codes:
        if code not in (COLOUR, CALL_STRING):
            text.append(code)
            continue
        if text:
            parts.append(_plain(bytes(text)))
            text.clear()
        argument = bytes([next(codes, 0)])
        if code == CALL_STRING:
            parts.append(StringCall(_label(argument)))
        else:
            try:
                parts.append(Colour(argument))
            except ValueError:
                raise _BadPacketError(PacketFault.FORMAT, f"colour {argument!r}") from None
    if text:
        parts.append(_plain(bytes(text)))
    return tuple(parts)


def _plain(text: bytes) -> str:
    if any(not 0x20 <= byte <= 0x7E for byte in text):
        raise _BadPacketError(PacketFault.FORMAT, f"a control character in {text!r}")
    return text.decode("ascii")


def _entries(table: bytes) -> list[bytes]:
    if len(table) % _ENTRY_LENGTH:
        raise _BadPacketError(PacketFault.FORMAT, f"memory entries have {_ENTRY_LENGTH} bytes, got {len(table)} in all")
    return [table[at : at + _ENTRY_LENGTH] for at in range(0, len(table), _ENTRY_LENGTH)]


def _parse_entry(entry: bytes) -> TextFile | StringFile:
    label, kind, lock, schedule = _label(entry[:1]), entry[1:2], entry[2:3], entry[7:]
    try:
        size = int(entry[3:7], 16)
    except ValueError:
        raise _BadPacketError(PacketFault.FORMAT, f"file {label}: size {entry[3:7]!r}") from None
    if kind == b"A" and lock in (b"U", b"L"):
        return TextFile(label, size, locked=lock == b"L", schedule=schedule.decode("ascii"))
    if kind == b"B" and lock == b"L" and schedule == b"0000":
        return StringFile(label, size)
    raise _BadPacketError(PacketFault.FORMAT, f"memory entry {entry!r}")


def _label(label: bytes) -> str:
    text = label.decode("ascii")
    if text not in FILE_LABELS or not text:
        raise _BadPacketError(PacketFault.FORMAT, f"file label {label!r}")
    return text
