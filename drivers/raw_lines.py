"""What a line device saw before anything was debounced: for whoever measures sensors. The table uses none of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

from drivers.line_spec import LineTiming


class RawLines(Protocol):
    """Logical levels (polarity applied), on the loop's thread, as they arrive. Times are CLOCK_MONOTONIC, ns."""

    def edge(self, line: str, active: bool, at_ns: int) -> None:
        """An edge with its own time. May arrive out of order."""

    def level(self, line: str, active: bool, started_ns: int, ended_ns: int) -> None:
        """A level, read between the two instants."""


@runtime_checkable
class Tapped(Protocol):
    """A line device that tells what it sees while `raw` is set."""

    raw: RawLines | None

    @property
    def timings(self) -> Mapping[str, LineTiming]:
        """How each of its lines is debounced."""
