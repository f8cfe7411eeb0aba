"""Reading discrete inputs over Modbus RTU: the request, and the answer that belongs to it. No port, no clock.

Rules:
* Frames, checks and messages are pymodbus's. A frame is taken apart once: its `handleFrame` would do so again, and make
  text of it for a log.
* Which answer is taken: that of the unit that was asked, to the function that was asked, with as many bytes as were
  asked for. Everything else is counted by its reason.
* An exception of the unit is an answer: the unit is there and refuses.
* RTU has no start byte. An exchange begins with an empty buffer, and what is not an answer at its end is dropped.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct
from pymodbus.framer import FramerRTU
from pymodbus.pdu import DecodePDU
from pymodbus.pdu.bit_message import ReadDiscreteInputsRequest, ReadDiscreteInputsResponse

UNITS = range(1, 248)
INPUTS_MOST = 256
"""What one unit of ours is asked for; the protocol allows 2000."""

FUNCTION, FAILED = ReadDiscreteInputsRequest.function_code, 0x80
LIMIT = 256
"""Longest frame, bytes."""

EXCEPTIONS = {
    1: "illegal function",
    2: "illegal data address",
    3: "illegal data value",
    4: "device failure",
    5: "acknowledge",
    6: "device busy",
    8: "memory parity error",
    10: "gateway path unavailable",
    11: "gateway target failed to respond",
}


class Inputs(Struct, frozen=True):
    """The unit's answer: each input, in order."""

    on: tuple[bool, ...]


class Refused(Struct, frozen=True):
    """The unit's exception."""

    code: int

    @property
    def text(self) -> str:
        return EXCEPTIONS.get(self.code, f"exception {self.code}")


class Rejection(StrEnum):
    """Why bytes were not taken; each is a counter of `Exchange.counters`."""

    CHECKSUM = "checksum"
    FOREIGN = "foreign"  # another unit's, or an answer to something else
    OVERLONG = "overlong"


class Exchange:
    """Requests for one unit's inputs, and the answers to them."""

    def __init__(self, unit: int, first: int, count: int) -> None:
        """`unit` 1..247, `first` the address of the first input, `count` 1..`INPUTS_MOST`. ValueError else."""
        if unit not in UNITS or not 1 <= count <= INPUTS_MOST or not 0 <= first <= 0xFFFF - count:
            raise ValueError(f"no such inputs: unit {unit}, {count} from address {first}")
        self._unit, self._count = unit, count
        self._framer = FramerRTU(DecodePDU(False))
        self._request = self._framer.buildFrame(ReadDiscreteInputsRequest(address=first, count=count, dev_id=unit))
        self._buffer = b""
        self.counters = {"frames": 0, **dict.fromkeys(map(str, Rejection), 0)}

    def request(self) -> bytes:
        """The request's bytes; a new exchange begins."""
        self._buffer = b""
        return self._request

    @property
    def waiting(self) -> int:
        """Bytes that wait for their frame's end; never above `LIMIT`."""
        return len(self._buffer)

    def feed(self, data: bytes) -> Inputs | Refused | None:
        """Take bytes; the answer once it is whole. Never raises."""
        self._buffer += data
        used, unit, _, body = self._framer.decode(self._buffer) if len(self._buffer) >= 2 else (0, 0, 0, b"")
        if used:
            self._buffer = b""
            return self._answer(unit, body)
        if len(self._buffer) > LIMIT:
            self.counters[Rejection.OVERLONG] += 1
            self._buffer = b""
        return None

    def _answer(self, unit: int, body: bytes) -> Inputs | Refused | None:
        """What a frame says; `body`: function code and data, empty where the check is wrong."""
        if not body:
            self.counters[Rejection.CHECKSUM] += 1
            return None
        self.counters["frames"] += 1
        if unit == self._unit:
            if body[0] == FUNCTION and len(body) == 2 + (self._count + 7) // 8:
                response = ReadDiscreteInputsResponse()
                response.decode(body[1:])
                return Inputs(tuple(response.bits[: self._count]))
            if body[0] == FUNCTION | FAILED and len(body) == 2:
                return Refused(body[1])
        self.counters[Rejection.FOREIGN] += 1
        return None
