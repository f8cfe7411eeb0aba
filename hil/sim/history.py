"""What a simulated display has shown: each change with its time, the newest `LIMIT` of them."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque

LIMIT = 10_000


class History:
    def __init__(self) -> None:
        self._shown: deque[tuple[int, str]] = deque(maxlen=LIMIT)
        self._changed = asyncio.Event()

    def note(self, at_ns: int, shown: str) -> None:
        """`shown` is on the display at `at_ns`; kept if it is a change."""
        if not self._shown or self._shown[-1][1] != shown:
            self._shown.append((at_ns, shown))
            self._changed.set()

    def since(self, at_ns: int) -> list[dict[str, object]]:
        """The changes at or after `at_ns`, oldest first."""
        return [{"at_ns": at, "screen": shown} for at, shown in self._shown if at >= at_ns]

    async def until(self, text: str, timeout_s: float) -> int | None:
        """Wait until the display shows `text` somewhere; since when it does, or None when the time is over."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(timeout_s):
                while not self._shown or text not in self._shown[-1][1]:
                    self._changed.clear()
                    await self._changed.wait()
                return self._shown[-1][0]
        return None
