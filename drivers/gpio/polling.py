"""What expanders have in common: who they are, failed reads in a row, and how evenly they are polled.

Rules: one read that fails is missed; `MISSES` in a row, and the device is lost.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping

from drivers.gpio.pins import PinsLostError, PinsMissedError
from drivers.ports import Timestamps

MISSES = 3
SAMPLES = 512


def majority(words: tuple[int, int, int]) -> int:
    """Bit by bit what two of three say."""
    one, two, three = words
    return (one & two) | (one & three) | (two & three)


class Polling:
    """The book of one device's reads."""

    def __init__(self, identity: str) -> None:
        self._identity = identity
        self._in_a_row = 0
        self._missed = 0
        self._polls = 0
        self._last_ns: int | None = None
        self._gaps_ns: deque[int] = deque(maxlen=SAMPLES)
        self._worst_ns = 0

    def begin(self) -> None:
        """The device was opened anew."""
        self._in_a_row = 0
        self._last_ns = None

    def read(self, started_ns: int) -> None:
        """A read succeeded."""
        self._in_a_row = 0
        self._polls += 1
        if self._last_ns is not None:
            gap_ns = started_ns - self._last_ns
            self._gaps_ns.append(gap_ns)
            self._worst_ns = max(self._worst_ns, gap_ns)
        self._last_ns = started_ns

    def missed(self, why: str) -> Exception:
        """A read failed: what is to be raised."""
        self._missed += 1
        self._in_a_row += 1
        if self._in_a_row < MISSES:
            return PinsMissedError(f"{self._identity}: {why}")
        return PinsLostError(f"{self._identity}: {why} ({MISSES} times in a row)")

    @property
    def counters(self) -> Mapping[str, int]:
        """Times in microseconds: mean and worst of the last 512 gaps between reads, and the worst ever."""
        gaps = self._gaps_ns
        return {
            "polls": self._polls,
            "missed_reads": self._missed,
            "poll_mean_us": sum(gaps) // len(gaps) // 1000 if gaps else 0,
            "poll_worst_us": max(gaps, default=0) // 1000,
            "poll_worst_ever_us": self._worst_ns // 1000,
        }


class PolledChips:
    """Base of the chips on a bus that are `drivers.gpio.pins.PolledPins`."""

    def __init__(self, bus_identity: str, chips: str, poll_ns: int) -> None:
        """`chips`: which, for people. What the bus says before its last "+" (a simulated one) stays in front."""
        prefix, plus, bus = bus_identity.rpartition("+")
        self._identity = f"{prefix}{plus}{chips} on {bus}"
        self._poll_ns = poll_ns
        self._polling = Polling(self._identity)

    @property
    def identity(self) -> str:
        return self._identity

    @property
    def timestamps(self) -> Timestamps:
        return Timestamps.NONE

    @property
    def poll_ns(self) -> int:
        return self._poll_ns
