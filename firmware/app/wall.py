"""Wall time as an annotation: what the journal's entries say, and when it has stepped.

Rules:
* A step is seen by comparing the two clocks on every tick, never by comparing two wall times. The kernel slews both
  alike, so what is left between them is a step (or a leap second, or a sleep of the whole machine).
* Up to `SLEW_PPM` of the time that went by may be taken up in silence; what moved more and adds up to `STEP_NS` is a
  step, so that many small ones are not missed.
* Entries follow a step only from its own event on: between two such events wall time is monotonic time plus what the
  kernel slewed, and no duration in a report is wrong by a step.
"""

from __future__ import annotations

from collections.abc import Callable

from firmware.app.clock import Reading
from firmware.core.machine_events import WallClockStepped, WallTrustChanged

STEP_NS = 100_000_000
SLEW_PPM = 500
"""The most by which the kernel slews a clock."""


class WallClock:
    """The wall clock of one start."""

    def __init__(self, read: Callable[[], Reading]) -> None:
        self._read = read
        self.started = read()
        """The clocks as this start found them."""
        self._in_force_ns = self._seen_ns = _offset_ns(self.started)
        self._last = self.started

    def at(self, monotonic_ns: int) -> int:
        """Wall time of an instant, as entries are marked with it: nanoseconds since 1970, UTC."""
        return monotonic_ns + self._in_force_ns

    def found(self, event: WallClockStepped) -> None:
        """Its event has come through the queue: from here on entries follow it. Twice is as once."""
        self._in_force_ns = event.wall_ns - event.at_ns

    def look(self) -> WallClockStepped | WallTrustChanged | None:
        """What there is to say of the wall clock since the last look."""
        now, before = self._read(), self._last
        self._last = now
        moved_ns = _offset_ns(now) - self._seen_ns
        slewed_ns = _within_slew(moved_ns, now.monotonic_ns - before.monotonic_ns)
        if abs(moved_ns - slewed_ns) >= STEP_NS:
            self._seen_ns += moved_ns
            return WallClockStepped(moved_ns, now.wall_ns, now.trusted, now.monotonic_ns)
        self._seen_ns += slewed_ns
        self._in_force_ns += slewed_ns
        return WallTrustChanged(now.wall_ns, now.trusted, now.monotonic_ns) if now.trusted != before.trusted else None


def stepped_while_away(now: Reading, last: Reading, same_boot: bool) -> WallClockStepped | None:
    """What the clock did between the journal's last entry and this start. In another boot only that it went back can be
    known, and that it went back at least behind that entry."""
    if same_boot:
        moved_ns = _offset_ns(now) - _offset_ns(last)
        moved_ns -= _within_slew(moved_ns, now.monotonic_ns - last.monotonic_ns)
        by_ns = moved_ns if abs(moved_ns) >= STEP_NS else 0
    else:
        by_ns = min(0, now.wall_ns - last.wall_ns)
    return WallClockStepped(by_ns, now.wall_ns, now.trusted, now.monotonic_ns) if by_ns else None


def _offset_ns(reading: Reading) -> int:
    return reading.wall_ns - reading.monotonic_ns


def _within_slew(moved_ns: int, elapsed_ns: int) -> int:
    """As much of a movement as a slewed clock may have made in this time."""
    most_ns = max(0, elapsed_ns) * SLEW_PPM // 1_000_000
    return max(-most_ns, min(most_ns, moved_ns))
