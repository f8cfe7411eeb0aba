"""The end of a command that goes on until a person has seen enough: Ctrl-C, SIGTERM, or a time.

Rule: what was seen until then is told as if the time were up; nothing is lost by ending early.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import AsyncIterator


@contextlib.asynccontextmanager
async def ending_after(seconds: float | None) -> AsyncIterator[asyncio.Event]:
    """Set on Ctrl-C, on SIGTERM, and after `seconds`; None: not by itself."""
    ending, loop = asyncio.Event(), asyncio.get_running_loop()
    timer = None if seconds is None else loop.call_later(seconds, ending.set)
    numbers = (signal.SIGINT, signal.SIGTERM)
    for number in numbers:
        loop.add_signal_handler(number, ending.set)
    try:
        yield ending
    finally:
        for number in numbers:
            loop.remove_signal_handler(number)
        if timer is not None:
            timer.cancel()
