"""What every simulated screen lets a bench ask: what is on it, what was, and to be told when something is.

Ops: `screen`; `history` (`since_ns`, default 0: every change with its CLOCK_MONOTONIC time); `wait` (`text`,
`timeout_ms`: replies when it is on the screen); `power_cycle`. What `screen` answers and what is lost with the power is
the device's.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping

from hil.sim.control import Arguments, ControlError, Handler, Reply
from hil.sim.history import History
from hil.sim.process import forever


class SimulatedScreen(ABC):
    """Base of the simulated sign and the simulated display."""

    def __init__(self) -> None:
        self._history = History()

    def handlers(self) -> Mapping[str, Handler]:
        return {"screen": self._screen, "history": self._past, "wait": self._wait, "power_cycle": self._power_cycle}

    async def run(self) -> None:
        await forever()

    @abstractmethod
    def _shown(self) -> str:
        """What a person sees now."""

    @abstractmethod
    async def _screen(self, arguments: Arguments) -> Reply: ...

    @abstractmethod
    async def _power_cycle(self, arguments: Arguments) -> Reply: ...

    async def _past(self, arguments: Arguments) -> Reply:
        since_ns = arguments.integer("since_ns", 0, most=1 << 63)
        arguments.end()
        return {"history": self._history.since(since_ns)}

    async def _wait(self, arguments: Arguments) -> Reply:
        text, timeout_ms = arguments.text("text"), arguments.integer("timeout_ms", 5000, most=600_000)
        arguments.end()
        at_ns = await self._history.until(text, timeout_ms / 1000)
        if at_ns is None:
            raise ControlError(f"not shown within {timeout_ms} ms: {text!r}; shown: {self._shown()!r}")
        return {"at_ns": at_ns}
