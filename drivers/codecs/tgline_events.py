"""What all `tgline` devices share that tell events: shoe, wheel, dice. Lines: `tgline.py`. No port, no clock.

Rules:
* BOOT,1,<n> comes first after a reset (n: what the device is set to); SEQ may begin anew with it.
* STBY, or a wheel's STATE, comes at least every 5 s and is never acknowledged.
* Each other event is repeated, with its SEQ, `REPEATS_MS` after the time before (the last of them for ever) until it
  is acknowledged. The next event is sent then.
* An intact line that says nothing is answered by NAK: `Refusal.VERB` for an unknown verb, `Refusal.ARGUMENT` for an
  argument that the verb has not. A line with a wrong check is not answered.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from drivers.codecs.tgline import Line

PROTOCOL = 1
REPEATS_MS = (300, 1000, 5000)


class StandBy(Struct, frozen=True):
    """A sign of life; never acknowledged."""


class Refusal(StrEnum):
    """Why an intact line says nothing; the `<why>` of NAK."""

    VERB = "VRB"
    ARGUMENT = "ARG"


def acknowledgement(line: Line) -> Line:
    """The host's answer to an event, and to every repeat of it."""
    return Line(line.tag, line.address, line.seq, "ACK")


def refusal(line: Line, why: Refusal) -> Line:
    """The host's answer to an intact line that says nothing."""
    return Line(line.tag, line.address, line.seq, "NAK", (why.value,))
