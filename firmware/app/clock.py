"""The only place where the daemon reads a clock.

Monotonic nanoseconds order everything; wall time is an annotation in the journal, and says whether it can be trusted:
whether the kernel calls its clock synchronized. It does while a time service (timesyncd, chrony, ntpd) keeps the clock;
no longer once the possible error has grown to 16 s (nine hours without a server), nor after it was set by hand. A
battery clock alone does not make it trusted.
"""

from __future__ import annotations

import functools
import logging
import os
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

log = logging.getLogger(__name__)

BOOT_ID_FILE = Path("/proc/sys/kernel/random/boot_id")
EARLIEST_WALL_NS = 1_735_689_600 * 1_000_000_000
"""2025-01-01: a wall clock before this was never set. A Pi without a battery clock starts in the past."""

READINGS = 3
"""A reading is the best of so many: one that was interrupted between the clocks would look like a step."""

_TIME_ERROR = 5  # adjtimex(2): the clock is not synchronized
_TIMEX_BYTES = 256  # struct timex has 208 on a 64-bit machine; its first member, `modes`, is 0 for a mere question


class Reading(NamedTuple):
    """Both clocks at one instant."""

    monotonic_ns: int
    wall_ns: int
    trusted: bool


def monotonic_ns() -> int:
    """CLOCK_MONOTONIC, the clock that the kernel stamps edges with."""
    return time.monotonic_ns()


def reading() -> Reading:
    """Both clocks, as near to the same instant as can be had."""
    best: tuple[int, int, int] | None = None
    for _ in range(READINGS):
        before_ns, wall_ns, after_ns = time.monotonic_ns(), time.time_ns(), time.monotonic_ns()
        if best is None or after_ns - before_ns < best[0]:
            best = after_ns - before_ns, (before_ns + after_ns) // 2, wall_ns
    assert best is not None, "no reading was taken"
    return Reading(best[1], best[2], best[2] >= EARLIEST_WALL_NS and synchronized())


def today() -> str:
    """The day, UTC, as an ISO date; never before 2025: a clock that was never set must not bring lapsed rules back."""
    return datetime.fromtimestamp(max(time.time_ns(), EARLIEST_WALL_NS) // 1_000_000_000, UTC).date().isoformat()


def boot_id() -> str:
    """Raises OSError where the kernel does not tell it."""
    return BOOT_ID_FILE.read_text().strip()


def synchronized() -> bool:
    """Whether the kernel calls its wall clock synchronized. Where it can't be asked: no, and the log says so once."""
    return _ask_kernel() not in (_TIME_ERROR, None)


def _ask_kernel() -> int | None:
    import ctypes

    question = ctypes.create_string_buffer(_TIMEX_BYTES)
    answer: int = _adjtimex()(question)
    if answer >= 0:
        return answer
    _warn(os.strerror(ctypes.get_errno()))
    return None


@functools.cache
def _adjtimex() -> Callable[[object], int]:
    import ctypes

    call: Callable[[object], int] = ctypes.CDLL(None, use_errno=True).adjtimex
    return call


@functools.cache
def _warn(reason: str) -> None:
    log.warning("adjtimex: %s; wall time counts as not trusted. The unit must allow the call", reason)
