"""Blocking calls of one device, one at a time, on a thread that the loop never waits for longer than a limit.

Rules:
* A call that takes longer than the limit is given up: `WorkerHungError`. Its thread can't be stopped; it is left to
  return when it can, and what it returns is dropped.
* While one thread hangs no other is started: `WorkerHungError` at once. So a bus that hangs for a day costs one thread.
* The threads are daemons: one that hangs does not keep the program from ending.
"""

from __future__ import annotations

import asyncio
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar, TypeVarTuple

Args = TypeVarTuple("Args")
Result = TypeVar("Result")

LIMIT_S = 2.0
"""Longer than the kernel's own limits for one I2C or SPI transfer (1 s)."""


class WorkerHungError(Exception):
    """A call did not return within its limit, or an earlier one still has not."""


class Worker:
    """`call` from the loop's thread."""

    def __init__(self, name: str, limit_s: float = LIMIT_S) -> None:
        self._name = name
        self._limit_s = limit_s
        self._jobs: queue.SimpleQueue[Callable[[], None] | None] | None = None
        self._hung: threading.Thread | None = None
        self._thread: threading.Thread | None = None
        self.hangs = 0

    async def call(self, function: Callable[[*Args], Result], *args: *Args) -> Result:
        """The function's result or exception."""
        if self._hung is not None and self._hung.is_alive():
            raise WorkerHungError("an earlier call still hangs")
        future: Future[Result] = Future()

        def job() -> None:
            if not future.set_running_or_notify_cancel():
                return
            try:
                result = function(*args)
            except BaseException as error:  # noqa: BLE001 - handed on to the caller
                future.set_exception(error)
            else:
                future.set_result(result)

        self._started().put(job)
        outcome = asyncio.wrap_future(future)
        outcome.add_done_callback(_seen)  # also when nobody waits any more
        done, _ = await asyncio.wait([outcome], timeout=self._limit_s)
        if not done:
            self.hangs += 1
            self.end()
            self._hung, self._thread = self._thread, None
            raise WorkerHungError(f"no answer within {self._limit_s:g} s")
        return outcome.result()

    def end(self) -> None:
        """Let the thread end once it has done what it has."""
        jobs, self._jobs = self._jobs, None
        if jobs is not None:
            jobs.put(None)

    def _started(self) -> queue.SimpleQueue[Callable[[], None] | None]:
        if self._jobs is None:
            self._jobs = queue.SimpleQueue()
            self._thread = threading.Thread(target=_work, args=(self._jobs,), name=self._name, daemon=True)
            self._thread.start()
        return self._jobs


def _seen(outcome: asyncio.Future[Any]) -> None:
    if not outcome.cancelled():
        outcome.exception()


def _work(jobs: queue.SimpleQueue[Callable[[], None] | None]) -> None:
    while (job := jobs.get()) is not None:
        job()
