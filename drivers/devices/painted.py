"""An output that is painted whole, again and again, over some bus: what lamps and meter displays have in common.

Answers for: pace (paintings at least 2 ms apart), repainting (what lost its state to static or a glitch of the
supply is right again within a second), the newest content winning, loss and recovery told once each, a dark end.

Rules:
* Pacing is done on the loop; writing, which blocks for as long as the wire takes, on one worker thread: one writer.
* What could not be written stays wanted: the canvas is opened again and the newest content pushed whole.
"""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Generic, Protocol, TypeVar, TypeVarTuple

from drivers.events import LinkChanged, LinkState, ShowFailed, Shown
from drivers.ports import Emit, NowNs

GAP_S = 0.002
REPAINT_S = 0.9
"""At least once a second, with room for a busy machine."""
REOPEN_FIRST_S = 0.1
REOPEN_MOST_S = 2.0

Args = TypeVarTuple("Args")
Content = TypeVar("Content")
Written = TypeVar("Written", contravariant=True)


class CanvasLostError(Exception):
    """It can't be opened or written. The message says what failed; opening again may help."""


class Canvas(Protocol[Written]):
    """All calls block and are made on one thread, one at a time."""

    @property
    def identity(self) -> str: ...

    def open(self) -> None:
        """Raises `CanvasLostError`."""

    def write(self, content: Written, /) -> None:
        """Put all of it on the wire. Raises `CanvasLostError`."""

    def close(self) -> None:
        """Release the bus. May be called in any state, also twice."""


class Painted(ABC, Generic[Content]):
    """Base of an output's device. `painting` says what is to be seen now; `newest` says that it has changed."""

    ANSWERS_LOSS = True
    """Whether a loss is a failed show as well: what was wanted is not seen."""

    def __init__(self, name: str, canvas: Canvas[Content], dark: Content, now_ns: NowNs = time.monotonic_ns) -> None:
        self._name = name
        self._canvas = canvas
        self._dark = dark
        self._now_ns = now_ns
        self._newer = asyncio.Event()
        self._link = LinkState.ABSENT
        self._told_up: bool | None = None
        self._worker = ThreadPoolExecutor(1, thread_name_prefix=f"{name}-canvas")
        self._counters = {"frames": 0, "frames_skipped": 0, "repaints": 0, "failures": 0, "opens": 0}

    @property
    def name(self) -> str:
        return self._name

    @property
    def identity(self) -> str:
        return self._canvas.identity

    @property
    def link(self) -> LinkState:
        return self._link

    @property
    def counters(self) -> Mapping[str, int]:
        return dict(self._counters)

    @abstractmethod
    def painting(self) -> Content:
        """What is to be seen; asked for at each painting."""

    def newest(self) -> None:
        """`painting` has something new."""
        self._counters["frames_skipped"] += self._newer.is_set()
        self._newer.set()

    def holds_newest(self) -> bool:
        """Whether what was painted is what was asked for."""
        return True

    async def run(self, emit: Emit) -> None:
        wait_s = REOPEN_FIRST_S
        try:
            while True:
                try:
                    self._link = LinkState.OPENING
                    await self._on_worker(self._open)
                    await self._paint()
                    self._link = LinkState.READY
                    self._told_up = True
                    emit(LinkChanged(self._name, LinkState.READY, True, "", self._now_ns()))
                    wait_s = REOPEN_FIRST_S
                    await self._serve(emit)
                except CanvasLostError as error:
                    self._failed(emit, str(error))
                await self._on_worker(self._canvas.close)
                await asyncio.sleep(wait_s)
                wait_s = min(wait_s * 2, REOPEN_MOST_S)
        finally:
            await self._on_worker(self._go_dark)
            self._link = LinkState.ABSENT

    async def _serve(self, emit: Emit) -> None:
        while True:
            if not self._newer.is_set() and self.holds_newest():
                emit(Shown(self._name, self._now_ns()))
            await asyncio.sleep(GAP_S)
            try:
                async with asyncio.timeout(REPAINT_S):
                    await self._newer.wait()
            except TimeoutError:
                self._counters["repaints"] += 1
            await self._paint()

    async def _paint(self) -> None:
        self._newer.clear()
        await self._on_worker(self._canvas.write, self.painting())
        self._counters["frames"] += 1

    def _failed(self, emit: Emit, reason: str) -> None:
        """Tell a loss once, however often opening fails after it."""
        self._link = LinkState.BACKOFF
        self._counters["failures"] += 1
        if self._told_up is not False:
            self._told_up = False
            now_ns = self._now_ns()
            if self.ANSWERS_LOSS:
                emit(ShowFailed(self._name, reason, now_ns))
            emit(LinkChanged(self._name, LinkState.BACKOFF, False, reason, now_ns))

    # -- on the worker thread -----------------------------------------------------------------------------------

    def _open(self) -> None:
        self._canvas.open()
        self._counters["opens"] += 1

    def _go_dark(self) -> None:
        try:
            self._canvas.write(self._dark)
        except CanvasLostError:
            pass  # lost or never opened: nothing of ours is lit that could still be reached
        finally:
            self._canvas.close()

    async def _on_worker(self, call: Callable[[*Args], None], *args: *Args) -> None:
        await asyncio.get_running_loop().run_in_executor(self._worker, call, *args)
