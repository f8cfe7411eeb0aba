"""A technician's lease of devices, and what the machine under the table says of itself: events and records.

A lease takes devices out of the daemon's hands while wagering is closed, so that a test tool can open them. What is
told of the hardware is judged where it is read; here it is put on record.
"""

from __future__ import annotations

from enum import StrEnum

from firmware.core.stored import Message, Stored


class LeaseAsked(Message, frozen=True):
    """Somebody wants these devices (names of the configuration) for themselves: who, and why."""

    devices: tuple[str, ...]
    who: str
    why: str
    at_ns: int


class Lease(Stored, frozen=True):
    """Devices that the daemon has let go of, so that a technician's tool can open them."""

    number: int
    devices: tuple[str, ...]
    who: str
    why: str


class LeaseEnd(StrEnum):
    """How a lease ends."""

    GIVEN_BACK = "given_back"
    LOST = "lost"  # the connection over which it was held is gone: the tool crashed or was killed
    TIMED_OUT = "timed_out"
    RESTARTED = "restarted"  # the daemon started anew, and opens its devices as ever


class LeaseEnded(Message, frozen=True):
    """The daemon takes the devices of a lease back."""

    lease: int
    how: LeaseEnd
    at_ns: int


class LeaseGiven(Message, frozen=True):
    """Record: the lease of this entry is given under this number, and the daemon lets go of its devices."""

    lease: int


class LeaseRefused(Message, frozen=True):
    """Record: the lease of this entry is not given, and why."""

    why: str


class LeaseOver(Message, frozen=True):
    """Record: a lease has ended; the daemon opens its devices again."""

    lease: int
    how: LeaseEnd


class Verdict(StrEnum):
    """How a fact of the hardware stands to its limits."""

    GOOD = "good"
    WARN = "warn"  # it works, and will not for ever
    BAD = "bad"
    NOT_KNOWN = "not_known"  # it can't be read here: never taken for good


class HardwareFact(Stored, frozen=True):
    """One fact as it was last told, in words for people."""

    fact: str
    value: str
    verdict: Verdict


class HardwareFound(Message, frozen=True):
    """A fact of the hardware has another verdict than before."""

    fact: str
    value: str
    verdict: Verdict
    at_ns: int


ServiceEvent = LeaseAsked | LeaseEnded | HardwareFound
ServiceRecord = LeaseGiven | LeaseRefused | LeaseOver
