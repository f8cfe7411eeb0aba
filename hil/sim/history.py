"""What a simulated display has shown: each change with its time, the newest `LIMIT` of them."""

from __future__ import annotations

from collections import deque

LIMIT = 10_000


class History:
    def __init__(self) -> None:
        self._shown: deque[tuple[int, str]] = deque(maxlen=LIMIT)

    def note(self, at_ns: int, shown: str) -> None:
        """`shown` is on the display at `at_ns`; kept if it is a change."""
        if not self._shown or self._shown[-1][1] != shown:
            self._shown.append((at_ns, shown))

    def since(self, at_ns: int) -> list[dict[str, object]]:
        """The changes at or after `at_ns`, oldest first."""
        return [{"at_ns": at, "screen": shown} for at, shown in self._shown if at >= at_ns]
