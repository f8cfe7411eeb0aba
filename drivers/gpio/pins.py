"""What the line devices ask of a set of GPIO pins, whatever is behind it.

Answers for: the seam between `drivers.devices` and the back ends in this package. Levels here are electrical (`high`);
polarity is applied in the line device.

Rules:
* A back end is made from its settings at start and raises `BackendUnavailable` there if its library is missing; whether
  the chip is there is found by `open`, which raises `PinsLostError` and may be tried again.
* `open`, `read_levels`, `close` and the output calls may block (an ioctl, a round trip): they are called on a worker
  thread, one at a time. One that hangs is given up, and the next call, on another thread, is `close` or `open`.
* The sink is called on whatever thread the back end has. It only queues.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Protocol, runtime_checkable

from msgspec import Struct

from drivers.ports import Timestamps


class PinsLostError(Exception):
    """The chip can't be opened or went away. The message says what failed; opening again may help."""


class PinsMissedError(Exception):
    """This one read failed; the next may succeed. What is not read is not known, so intervals grow."""


class Pull(StrEnum):
    """The pin's own resistor. The values are gpiozero's words."""

    UP = "up"
    DOWN = "down"
    FLOATING = "floating"


class InputPin(Struct, frozen=True):
    number: int
    pull: Pull


class Captured(Struct, frozen=True):
    """Levels that the chip itself kept at the first change since the read before, and the kernel's time of it."""

    at_ns: int
    high: Mapping[int, bool]


class PinLevels(Struct, frozen=True):
    """Electrical levels by pin number, read between two instants (CLOCK_MONOTONIC, ns)."""

    started_ns: int
    ended_ns: int
    high: Mapping[int, bool]
    captured: Captured | None = None


class PinSink(Protocol):
    def edge(self, number: int, high: bool, at_ns: int) -> None:
        """A raw edge. Only back ends whose `timestamps` is KERNEL call this."""

    def attention(self) -> None:
        """Something changed: read the levels now. Only back ends that are polled call this."""

    def lost(self, reason: str) -> None:
        """The chip went away. Nothing follows until the next `open`."""


class InputPins(Protocol):
    """A set of input pins of one chip."""

    @property
    def identity(self) -> str: ...

    @property
    def timestamps(self) -> Timestamps: ...

    def open(self, pins: Sequence[InputPin], sink: PinSink) -> None:
        """Claim the pins and send their edges to the sink. Raises `PinsLostError`."""

    def read_levels(self) -> PinLevels:
        """The level of every pin that was opened. Raises `PinsLostError`, `PinsMissedError`."""

    def close(self) -> None:
        """Release everything. May be called in any state, also twice."""


@runtime_checkable
class PolledPins(InputPins, Protocol):
    """Pins without edges that are read often enough for a spot, and whose every level is proved by what is read."""

    @property
    def poll_ns(self) -> int:
        """How often levels are to be read."""

    @property
    def counters(self) -> Mapping[str, int]: ...
