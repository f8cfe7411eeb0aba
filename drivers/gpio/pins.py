"""What the line devices ask of a set of GPIO pins, whatever is behind it.

Answers for: the seam between `drivers.devices` and the back ends in this package. Levels here are electrical (`high`);
polarity is applied in the line device.

Rules:
* A back end is made from its settings at start and raises `BackendUnavailable` there if its library is missing; whether
  the chip is there is found by `open`, which raises `PinsLostError` and may be tried again.
* `open`, `read_levels`, `close` and the output calls may block (an ioctl, a round trip): they are called on a worker
  thread, one at a time.
* The sink is called on whatever thread the back end has. It only queues.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from drivers.ports import Timestamps


class PinsLostError(Exception):
    """The chip can't be opened or went away. The message says what failed; opening again may help."""


class Pull(StrEnum):
    """The pin's own resistor. The values are gpiozero's words."""

    UP = "up"
    DOWN = "down"
    FLOATING = "floating"


class InputPin(Struct, frozen=True):
    number: int
    pull: Pull


class PinLevels(Struct, frozen=True):
    """Electrical levels by pin number, read between two instants (CLOCK_MONOTONIC, ns)."""

    started_ns: int
    ended_ns: int
    high: Mapping[int, bool]


class PinSink(Protocol):
    def edge(self, number: int, high: bool, at_ns: int) -> None:
        """A raw edge. Only back ends whose `timestamps` is KERNEL call this."""

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
        """The level of every pin that was opened. Raises `PinsLostError`."""

    def close(self) -> None:
        """Release everything. May be called in any state, also twice."""
