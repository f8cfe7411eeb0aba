"""What a release device reports: frozen events, part of the one union in `drivers/events.py`. They know no game.

Rules:
* Every event names its device. Times are nanoseconds of CLOCK_MONOTONIC.
* An order is answered once: `Released`, `ReleaseRefused` or `ReleaseFailed`.
* What was released is only known where a sensor sees the balls; `Released` says that the pulse was given.
"""

from __future__ import annotations

from msgspec import Struct


class ReleaseAsked(Struct, frozen=True):
    """The patron's button was pressed. It releases nothing by itself."""

    device: str
    at_ns: int


class Released(Struct, frozen=True):
    """The pulse of this order was given, whole."""

    device: str
    order: int
    began_ns: int
    ended_ns: int


class ReleaseRefused(Struct, frozen=True):
    """Nothing was released, nor will be for this order."""

    device: str
    order: int
    reason: str
    at_ns: int


class ReleaseFailed(Struct, frozen=True):
    """The pulse of this order began, and whether it ended as it should is not known: somebody must look."""

    device: str
    order: int
    reason: str
    at_ns: int


class BallLeft(Struct, frozen=True):
    """The sensor saw a ball leave. `order`: whose pulse it followed; None: it left without one."""

    device: str
    order: int | None
    at_ns: int


ReleaseEvent = ReleaseAsked | Released | ReleaseRefused | ReleaseFailed | BallLeft
