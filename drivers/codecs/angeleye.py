"""Angel Eye II-EX card shoe: bytes to telegrams and back. No port, no clock; arrival times enter with the bytes.

A telegram is `ENQ Seq Data ETX BCC BCC`; BCC is the XOR of Seq through ETX as two upper-case hex digits. Values after
the command letter carry bit 7; both forms are read. The shoe sends each telegram up to three times and gets no answer.

Rules:
* A telegram counts only if its BCC is right and everything in it is legal. Anything else is returned as `Rejected`
  with its bytes and is counted; it never becomes a guess.
* After a rejection, whatever its reason, the search goes on one byte behind the rejected ENQ, so that a damaged
  telegram can't swallow the good one that follows. (Two stray ENQs before a good telegram leave the BCC right.)
* A repeat is a telegram with the Seq *and* the bytes of the last accepted one. Seq alone would be one byte shorter, but
  its range isn't published: losing a real card is silent, while one card too many stops the round and is seen.
  `S` takes the place of everything remembered; `reset()` (after a reconnection) forgets it.
* At most `LIMIT` bytes wait for their ETX.

Source: public third-party implementations of the vendor's RS-232C telegrams; the vendor's paper was not seen.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from drivers.codecs.angeleye_messages import (
    DATA_LENGTHS,
    IllegalValueError,
    Message,
    Started,
    decode_data,
    encode_data,
)

ENQ, STX, ETX = 0x05, 0x02, 0x03
LIMIT = 128
"""Bytes that may wait for an ETX, ENQ included."""

_VALUE = 0x80  # bit 7 of everything behind the command letter
_WITHOUT_BIT_7 = bytes(byte & 0x7F for byte in range(256))
_AROUND = 6
"""Bytes of a telegram beside its data: ENQ, Seq, command, ETX, BCC."""

_LENGTHS = {ord(command): count + _AROUND for command, count in DATA_LENGTHS.items()}
_LONGEST_BINARY = 2 + _AROUND  # two values; `M` carries six characters
_BCCS = tuple(b"%02X" % check for check in range(256))


class Rejection(StrEnum):
    """Why bytes were not taken; each is a counter of `Decoder.counters`."""

    CHECKSUM = "checksum"  # no BCC fits
    LENGTH = "length"  # the BCC is right, the number of data bytes is wrong for the command
    COMMAND = "command"  # the BCC is right, the command letter isn't known
    VALUE = "value"  # the BCC is right, a target, index, suit, rank, mode, result or Seq is illegal
    OVERLONG = "overlong"  # more than LIMIT bytes and no ETX


class Telegram(Struct, frozen=True):
    """An accepted telegram. `at_ns`: arrival of its ENQ; `raw`: all its bytes."""

    seq: str
    message: Message
    at_ns: int
    raw: bytes


class Rejected(Struct, frozen=True):
    """Bytes that looked like a telegram and weren't one."""

    reason: Rejection
    at_ns: int
    raw: bytes


def bcc(covered: bytes) -> bytes:
    """Block check of the bytes from Seq through ETX: their XOR as two upper-case hex digits."""
    check = 0
    for byte in covered:
        check ^= byte
    return _BCCS[check]


class Decoder:
    """The receive side of one shoe. `counters`: telegrams, repeats, noise bytes and one entry per `Rejection`."""

    def __init__(self) -> None:
        self._buffer = b""  # of an unfinished telegram, between two calls of `feed`
        self._arrivals: list[int] = []  # of each byte in it
        self._last: bytes | None = None  # Seq and data of the last accepted telegram
        self.counters: dict[str, int] = {"telegrams": 0, "repeats": 0, "seq_reused": 0, "noise_bytes": 0}
        self.counters.update({reason.value: 0 for reason in Rejection})

    @property
    def waiting(self) -> int:
        """Bytes held for an unfinished telegram; never above `LIMIT` and the two of a BCC."""
        return len(self._buffer)

    def reset(self) -> None:
        """Forget the unfinished telegram and the last Seq: the connection is a new one. Counters go on."""
        self._buffer, self._arrivals = b"", []
        self._last = None

    def feed(self, data: bytes, arrived_ns: int = 0) -> list[Telegram | Rejected]:
        """Take bytes that arrived at `arrived_ns`; returns what they completed, repeats left out. Never raises."""
        found: list[Telegram | Rejected] = []
        kept = self._arrivals
        buffer = self._buffer + data
        at = 0
        while True:
            start = buffer.find(ENQ, at)
            if start < 0:
                start = len(buffer)
            self.counters["noise_bytes"] += start - at
            at = start
            verdict = _judge(buffer, at)
            if verdict is None:
                break
            reason, length = verdict
            at_ns, raw = kept[at] if at < len(kept) else arrived_ns, buffer[at : at + length]
            if reason is None:
                reason = self._accept(raw, at_ns, found)
            if reason is not None:
                self.counters[reason] += 1
                found.append(Rejected(reason, at_ns, raw))
            at += length if reason is None else 1
        self._buffer = buffer[at:]
        self._arrivals = kept[at:]
        self._arrivals += [arrived_ns] * (len(self._buffer) - len(self._arrivals))
        return found

    def _accept(self, raw: bytes, at_ns: int, found: list[Telegram | Rejected]) -> Rejection | None:
        """Add the telegram to `found` unless it is a repeat; the reason if what it says isn't legal."""
        seq, content = raw[1], raw[1:-3]
        if content == self._last:
            self.counters["repeats"] += 1
            return None
        try:
            if not 0x20 <= seq <= 0x7E:
                raise IllegalValueError
            message = decode_data(chr(raw[2]), raw[3:-3].translate(_WITHOUT_BIT_7))
        except IllegalValueError:
            return Rejection.VALUE
        if self._last is not None and seq == self._last[0] and not isinstance(message, Started):
            self.counters["seq_reused"] += 1
        self._last = content
        self.counters["telegrams"] += 1
        found.append(Telegram(chr(seq), message, at_ns, raw))
        return None


def _judge(buffer: bytes, at: int) -> tuple[Rejection | None, int] | None:
    """The ENQ at `at`: (None, length) for a telegram with right BCC and length, (reason, length) for a bad one, None to
    wait. Whatever stands behind the length changes nothing, so that any split of a stream gives the same answer."""
    there = len(buffer) - at
    if there < 3:
        return None
    fixed = _LENGTHS.get(buffer[at + 2])
    if fixed is not None and fixed <= _LONGEST_BINARY:
        # The fixed length is tried first: a value sent without bit 7 may look like an ETX. (Text never does.)
        if there < fixed:
            return None
        if _fits(buffer, at, fixed):
            return None, fixed
    end = buffer.find(ETX, at + 2, at + LIMIT)
    if end < 0:
        return (Rejection.OVERLONG, LIMIT) if there >= LIMIT else None
    length = end - at + 3
    if there < length:
        return None
    if not _fits(buffer, at, length):
        return Rejection.CHECKSUM, length
    if fixed is None:
        return Rejection.COMMAND, length
    return (None if length == fixed else Rejection.LENGTH), length


def _fits(buffer: bytes, at: int, length: int) -> bool:
    end = at + length
    return buffer[end - 3] == ETX and buffer[end - 2 : end] == bcc(buffer[at + 1 : end - 2])


def encode(seq: str, message: Message) -> bytes:
    """One copy of a telegram as the shoe sends it. ValueError for a Seq or content that has no legal form."""
    if len(seq) != 1 or not " " <= seq <= "~":
        raise ValueError(f"Angel Eye Seq is one printable ASCII character, got {seq!r}")
    command, values = encode_data(message)
    try:
        decode_data(command, values)
    except IllegalValueError:
        raise ValueError(f"no legal Angel Eye telegram for {message}") from None
    covered = seq.encode("ascii") + command.encode("ascii") + bytes(value | _VALUE for value in values) + bytes([ETX])
    return bytes([ENQ]) + covered + bcc(covered)


def encode_host_command(operation: str, argument: str, *, bcc_covers_stx: bool = True) -> bytes:
    """`STX O P T1 T2 D1 D2 ETX BCC`, for engineering tools only; the daemon never sends to a shoe.

    The vendor's text and the vendor's example disagree on whether the BCC covers STX; the example does.
    """
    for what, text in (("operation", operation), ("argument", argument)):
        if len(text) != 2 or not text.isascii() or not text.isalnum():
            raise ValueError(f"Angel Eye {what} is two ASCII letters or digits, got {text!r}")
    body = b"OP" + operation.encode("ascii") + argument.encode("ascii") + bytes([ETX])
    framed = bytes([STX]) + body
    return framed + bcc(framed if bcc_covers_stx else body)
