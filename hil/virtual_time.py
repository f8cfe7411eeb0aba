"""An event loop on virtual time: when nothing is left to do now, the clock jumps to the next timer.

Rules: only for code without threads and sockets of its own (the loop would not wait for them); who waits for something
that can never come gets a `DeadEndError` instead of hanging.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

_Result = TypeVar("_Result")


class DeadEndError(Exception):
    """Everything waits and no timer is set."""


class _JumpingSelector(selectors.SelectSelector):
    def __init__(self, jump: Callable[[float], None]) -> None:
        super().__init__()
        self._jump = jump

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if not ready and timeout is None:
            raise DeadEndError("everything waits and no timer is set")
        if not ready and timeout is not None and timeout > 0:
            self._jump(timeout)
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._virtual_s = 1000.0
        super().__init__(_JumpingSelector(self._jump))

    def _jump(self, seconds: float) -> None:
        # One clock tick more, since a sum of floats may stop just short of the timer.
        self._virtual_s += seconds + 1e-9

    def time(self) -> float:
        return self._virtual_s

    def now_ns(self) -> int:
        return round(self._virtual_s * 1e9)


def run_virtual(main: Callable[[VirtualLoop], Coroutine[Any, Any, _Result]]) -> _Result:
    """Run `main(loop)` on a loop of its own."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        loop = runner.get_loop()
        assert isinstance(loop, VirtualLoop)
        return runner.run(main(loop))
