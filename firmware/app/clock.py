"""The only place where the daemon reads a clock.

Monotonic nanoseconds order everything; wall time is an annotation in the journal, and says whether it can be trusted.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path

from msgspec import Struct

BOOT_ID_FILE = Path("/proc/sys/kernel/random/boot_id")
SYNCHRONIZED_FILE = Path("/run/systemd/timesync/synchronized")
EARLIEST_WALL_NS = 1_735_689_600 * 1_000_000_000
"""2025-01-01: a wall clock before this was never set. A Pi without a battery clock starts in the past."""


def monotonic_ns() -> int:
    """CLOCK_MONOTONIC, the clock that the kernel stamps edges with."""
    return time.monotonic_ns()


def wall_ns() -> int:
    """Nanoseconds since 1970, UTC; may jump."""
    return time.time_ns()


def today() -> str:
    """The day, UTC, as an ISO date; never before 2025: a clock that was never set must not bring lapsed rules back."""
    return datetime.fromtimestamp(max(wall_ns(), EARLIEST_WALL_NS) // 1_000_000_000, UTC).date().isoformat()


class Boot(Struct, frozen=True):
    """This boot of the machine, and whether its wall clock has been set."""

    id: str
    wall_trusted: bool


def this_boot() -> Boot:
    """Raises OSError where the kernel does not tell its boot id."""
    trusted = wall_ns() >= EARLIEST_WALL_NS and SYNCHRONIZED_FILE.exists()
    return Boot(BOOT_ID_FILE.read_text().strip(), trusted)
