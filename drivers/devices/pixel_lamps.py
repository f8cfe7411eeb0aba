"""The lamps: a string of pixels shown whole, frame by frame. The `Lamps` port over any `PixelString`.

Answers for: pace (frames at least 2 ms apart), repainting (a string that lost its state to static is right again within
a second), the newest frame winning, failures told at once and recovery told once, dark at the end.

Rules:
* Pacing is done on the loop; writing, which blocks for as long as the wire takes, on one worker thread: one writer.
* A frame that could not be written stays wanted: the string is opened again and the newest frame pushed whole.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol, TypeVarTuple

from drivers.events import LinkChanged, LinkState, ShowFailed, Shown
from drivers.ports import Emit, NowNs, Pixel

FRAME_GAP_S = 0.002
REPAINT_S = 0.9
"""At least once a second, with room for a busy machine."""
REOPEN_FIRST_S = 0.1
REOPEN_MOST_S = 2.0

DARK = Pixel(0, 0, 0)

Args = TypeVarTuple("Args")


class PixelsLostError(Exception):
    """The string can't be opened or written. The message says what failed; opening again may help."""


class PixelString(Protocol):
    """A string of pixels behind some bus. All calls block and are made on one thread, one at a time."""

    @property
    def identity(self) -> str: ...

    def open(self, size: int) -> None:
        """Raises `PixelsLostError`."""

    def write(self, frame: Sequence[Pixel]) -> None:
        """Put the frame on the wire. Raises `PixelsLostError`."""

    def close(self) -> None:
        """May be called in any state, also twice."""


class PixelLamps:
    """`drivers.ports.Lamps`."""

    def __init__(self, name: str, size: int, pixels: PixelString, now_ns: NowNs = time.monotonic_ns) -> None:
        if size <= 0:
            raise ValueError(f"{name}: {size} lamps; expected at least one")
        self._name = name
        self._size = size
        self._pixels = pixels
        self._now_ns = now_ns
        self._frame: tuple[Pixel, ...] = (DARK,) * size
        self._newer = asyncio.Event()
        self._link = LinkState.ABSENT
        self._told_up: bool | None = None
        self._worker = ThreadPoolExecutor(1, thread_name_prefix=f"{name}-pixels")
        self._counters = {"frames": 0, "frames_skipped": 0, "repaints": 0, "failures": 0, "opens": 0}

    @property
    def name(self) -> str:
        return self._name

    @property
    def identity(self) -> str:
        return self._pixels.identity

    @property
    def link(self) -> LinkState:
        return self._link

    @property
    def size(self) -> int:
        return self._size

    @property
    def counters(self) -> Mapping[str, int]:
        return dict(self._counters)

    def show(self, frame: Sequence[Pixel]) -> None:
        if len(frame) != self._size:
            raise ValueError(f"{self._name}: a frame of {len(frame)} pixels; expected {self._size}")
        self._counters["frames_skipped"] += self._newer.is_set()
        self._frame = tuple(frame)
        self._newer.set()

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
                except PixelsLostError as error:
                    self._failed(emit, str(error))
                await self._on_worker(self._pixels.close)
                await asyncio.sleep(wait_s)
                wait_s = min(wait_s * 2, REOPEN_MOST_S)
        finally:
            await self._on_worker(self._go_dark)
            self._link = LinkState.ABSENT

    async def _serve(self, emit: Emit) -> None:
        while True:
            if not self._newer.is_set():
                emit(Shown(self._name, self._now_ns()))
            await asyncio.sleep(FRAME_GAP_S)
            try:
                async with asyncio.timeout(REPAINT_S):
                    await self._newer.wait()
            except TimeoutError:
                self._counters["repaints"] += 1
            await self._paint()

    async def _paint(self) -> None:
        self._newer.clear()
        await self._on_worker(self._pixels.write, self._frame)
        self._counters["frames"] += 1

    def _failed(self, emit: Emit, reason: str) -> None:
        """Tell a loss once, however often opening fails after it."""
        self._link = LinkState.BACKOFF
        self._counters["failures"] += 1
        if self._told_up is not False:
            self._told_up = False
            now_ns = self._now_ns()
            emit(ShowFailed(self._name, reason, now_ns))
            emit(LinkChanged(self._name, LinkState.BACKOFF, False, reason, now_ns))

    # -- on the worker thread -----------------------------------------------------------------------------------

    def _open(self) -> None:
        self._pixels.open(self._size)
        self._counters["opens"] += 1

    def _go_dark(self) -> None:
        try:
            self._pixels.write((DARK,) * self._size)
        except PixelsLostError:
            pass  # lost or never opened: nothing of ours is lit that could still be reached
        finally:
            self._pixels.close()

    async def _on_worker(self, call: Callable[[*Args], None], *args: *Args) -> None:
        await asyncio.get_running_loop().run_in_executor(self._worker, call, *args)
