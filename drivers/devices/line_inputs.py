"""Line inputs on a set of GPIO pins: the `LineInputs` port over a back end of `drivers.gpio`.

Answers for: opening and re-opening the pins, the settle phase after that, polarity, carrying edges from the back end's
thread to the loop, the timers that `LineBank` asks for, and level reads on a period and after every press.

Rules:
* The back end's thread only appends a record and wakes the loop. Everything else happens on the loop's thread.
* First the pins are opened, then nothing counts for the settle time (pulls take hold late after a boot), then one level
  read is the truth to start from: `LinesReady`. Edges before that read are no edges.
* Blocking calls of the back end run on one worker thread of the device's own. One that hangs is a lost device.
* A lock-out line on a back end without kernel timestamps is refused: betting closes at its edge. A spot is refused too,
  unless the back end is made for it (`PolledPins`): then its time is the interval between two reads.
* A read that failed and may succeed next (`PinsMissedError`) is counted, and intervals grow. The back end says when it
  has failed too often.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar, TypeVarTuple

from msgspec import Struct, field

from drivers.debounce import LevelRead
from drivers.events import LineEvent, LinkChanged, LinkState
from drivers.gpio.pins import InputPin, InputPins, PinLevels, PinsLostError, PinsMissedError, PolledPins, Pull
from drivers.line_bank import LineBank
from drivers.line_spec import NS_PER_MS, STUCK_SPOT_NS, DecisionWindow, KeySwitchSpec, LineRole, LineSpec, LineTiming
from drivers.ports import BackendUnavailable, Emit, NowNs, Timestamps
from drivers.raw_lines import RawLines
from drivers.worker import Worker, WorkerHungError

READ_PERIOD_NS = 1_000 * NS_PER_MS
POLL_PERIOD_NS = 10 * NS_PER_MS
"""How often levels are read where no edges come at all."""
REOPEN_FIRST_S = 0.1
REOPEN_MOST_S = 2.0

Args = TypeVarTuple("Args")
Result = TypeVar("Result")


class LineInputsSettings(Struct, frozen=True):
    """What the lines of one device are. `settle_ns`: 1 s on real GPIO; a simulated chip needs none."""

    name: str
    lines: Sequence[LineSpec]
    keys: Sequence[KeySwitchSpec] = ()
    window: DecisionWindow = field(default_factory=DecisionWindow)
    settle_ns: int = 1_000 * NS_PER_MS
    stuck_ns: int | None = STUCK_SPOT_NS
    pull: Pull = Pull.UP


class GpioLineInputs:
    """`drivers.ports.LineInputs` on GPIO pins."""

    def __init__(self, settings: LineInputsSettings, pins: InputPins, now_ns: NowNs = time.monotonic_ns) -> None:
        _refuse_untimed(settings, pins)
        self._settings = settings
        self._pins = pins
        self._now_ns = now_ns
        self._bank = LineBank(settings.name, settings.lines, settings.keys, settings.window, settings.stuck_ns)
        self._by_number = {spec.number: spec for spec in settings.lines}
        self.raw: RawLines | None = None
        self._link = LinkState.ABSENT
        self._told_up: bool | None = None
        self._emit: Emit | None = None
        self._worker = Worker(f"{settings.name}-pins")
        self._timer: asyncio.TimerHandle | None = None
        self._polled = pins.timestamps is Timestamps.NONE
        self._expander = pins if isinstance(pins, PolledPins) else None
        self._period_ns = READ_PERIOD_NS
        if self._polled:
            self._period_ns = POLL_PERIOD_NS if self._expander is None else self._expander.poll_ns
        self._next_read_ns = 0
        self._reads: set[asyncio.Task[None]] = set()
        self._serving: _Opening | None = None
        self._opens = 0
        self._edges = 0
        self._lost_reads = 0

    @property
    def name(self) -> str:
        return self._settings.name

    @property
    def identity(self) -> str:
        return self._pins.identity

    @property
    def link(self) -> LinkState:
        return self._link

    @property
    def timestamps(self) -> Timestamps:
        return self._pins.timestamps

    @property
    def counters(self) -> Mapping[str, int]:
        own = {"opens": self._opens, "edges": self._edges, "failed_level_reads": self._lost_reads}
        expander = {} if self._expander is None else dict(self._expander.counters)
        return own | {"hangs": self._worker.hangs} | expander | dict(self._bank.counters)

    @property
    def timings(self) -> Mapping[str, LineTiming]:
        return self._bank.timings

    def settle(self, at_ns: int) -> None:
        self._bank.settle(at_ns)
        if self._serving is None:
            self._bank.lost()
        self._set_timer(self._now_ns())  # not at once: the caller may stand inside `emit`, amid events of one instant

    def unsettle(self) -> None:
        self._bank.unsettle()

    async def run(self, emit: Emit) -> None:
        self._emit = emit
        wait_s = REOPEN_FIRST_S
        try:
            while True:
                opening = _Opening(asyncio.get_running_loop(), self._step)
                try:
                    self._set_link(LinkState.OPENING)
                    await self._open(opening)
                    wait_s = REOPEN_FIRST_S
                    reason = await opening.lost_reason
                except PinsLostError as error:
                    reason = str(error)
                except PinsMissedError as error:  # at the opening itself there is nothing to go on with
                    reason = str(error)
                self._serving = None
                self._set_link(LinkState.BACKOFF, reason)  # before what is proved no more: whoever waits knows why
                self._stop_serving()
                await self._close()
                await asyncio.sleep(wait_s)
                wait_s = min(wait_s * 2, REOPEN_MOST_S)
        finally:
            self._stop_serving()
            self._set_timer(None)
            self._emit = None
            await self._close()
            self._worker.end()
            self._link = LinkState.ABSENT
            self._told_up = None  # run again it is news that the lines are there

    async def _close(self) -> None:
        with contextlib.suppress(PinsLostError):  # it hangs; opening it again begins with a close
            await self._on_worker(self._pins.close)

    async def _open(self, opening: _Opening) -> None:
        pins = [InputPin(spec.number, self._settings.pull) for spec in self._settings.lines]
        await self._on_worker(self._pins.open, pins, opening)
        await asyncio.sleep(self._settings.settle_ns / 1e9)
        levels = await self._on_worker(self._pins.read_levels)
        ready = self._bank.start(self._logical(levels))
        self._opens += 1
        self._serving = opening
        self._next_read_ns = self._now_ns() + self._period_ns
        self._send(ready)
        self._set_link(LinkState.READY)
        self._step()

    def _stop_serving(self) -> None:
        self._serving = None
        self._bank.lost()
        self._step()

    # -- on the loop's thread -----------------------------------------------------------------------------------

    def _step(self) -> None:
        """Take the edges that are queued, report what is decided, start a level read if due, set the next timer."""
        now_ns = self._now_ns()
        self._take_edges(now_ns)
        for event in self._bank.advance(now_ns):
            self._send(event)
        if self._serving is not None:
            due_ns = self._bank.read_due_ns
            if due_ns is not None and due_ns <= now_ns:
                self._bank.read_asked()
                self._start_read(self._serving)
            elif self._next_read_ns <= now_ns or self._serving.wants_attention:
                if self._reads:
                    self._next_read_ns = now_ns + self._period_ns  # one under way is slow; that is enough
                else:
                    self._start_read(self._serving)
        deadlines = [self._bank.next_deadline_ns, self._next_read_ns if self._serving is not None else None]
        self._set_timer(min((d for d in deadlines if d is not None), default=None))

    def _take_edges(self, now_ns: int) -> None:
        queued = self._serving.edges if self._serving is not None else None
        while queued:
            number, high, at_ns = queued.popleft()
            self._edges += 1
            spec = self._by_number[number]
            if self.raw is not None:
                self.raw.edge(spec.name, spec.is_active(high), at_ns)
            for event in self._bank.edge(spec.name, at_ns, spec.is_active(high), now_ns):
                self._send(event)

    def _start_read(self, opening: _Opening) -> None:
        self._next_read_ns = self._now_ns() + self._period_ns
        opening.wants_attention = False
        task = opening.loop.create_task(self._read(opening))
        self._reads.add(task)
        task.add_done_callback(self._reads.discard)

    async def _read(self, opening: _Opening) -> None:
        try:
            levels = await self._on_worker(self._pins.read_levels)
        except PinsMissedError:
            self._lost_reads += 1
        except PinsLostError as error:
            self._lost_reads += 1
            opening.lost(str(error))
        else:
            if self._serving is not opening:
                return
            if levels.captured is not None:
                kept = [(self._by_number[number], high) for number, high in levels.captured.high.items()]
                if self.raw is not None:
                    for spec, high in kept:
                        self.raw.edge(spec.name, spec.is_active(high), levels.captured.at_ns)
                self._bank.captured(levels.captured.at_ns, {spec.name: spec.is_active(high) for spec, high in kept})
            take = self._bank.polled if self._polled else self._bank.levels
            take(self._logical(levels))
        if self._serving is opening:
            self._step()

    def _logical(self, levels: PinLevels) -> dict[str, LevelRead]:
        reads = {
            spec.name: LevelRead(levels.started_ns, levels.ended_ns, spec.is_active(levels.high[spec.number]))
            for spec in self._settings.lines
        }
        if self.raw is not None:
            for name, read in reads.items():
                self.raw.level(name, read.active, read.started_ns, read.ended_ns)
        return reads

    def _set_timer(self, deadline_ns: int | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if deadline_ns is not None and self._emit is not None:
            wait_s = max(0, deadline_ns - self._now_ns()) / 1e9
            self._timer = asyncio.get_running_loop().call_later(wait_s, self._step)

    def _set_link(self, state: LinkState, reason: str = "") -> None:
        """Change the link's state; up and down are told once each, however often opening fails in between."""
        self._link = state
        up = state is LinkState.READY
        if up is not self._told_up and state in (LinkState.READY, LinkState.BACKOFF):
            self._told_up = up
            self._send(LinkChanged(self.name, state, up, reason, self._now_ns()))

    def _send(self, event: LineEvent | LinkChanged) -> None:
        if self._emit is not None:
            self._emit(event)

    async def _on_worker(self, call: Callable[[*Args], Result], *args: *Args) -> Result:
        try:
            return await self._worker.call(call, *args)
        except WorkerHungError as error:
            raise PinsLostError(f"{self._pins.identity}: {error}; its bus or driver hangs") from error


class _Opening:
    """One opening of the pins: the back end's sink. `edge` and `lost` run on any thread and only queue."""

    def __init__(self, loop: asyncio.AbstractEventLoop, step: Callable[[], None]) -> None:
        self.loop = loop
        self.edges: deque[tuple[int, bool, int]] = deque()
        self.lost_reason: asyncio.Future[str] = loop.create_future()
        self._step = step
        self.wants_attention = False

    def attention(self) -> None:
        self.wants_attention = True
        self._wake(self._step)

    def edge(self, number: int, high: bool, at_ns: int) -> None:
        self.edges.append((number, high, at_ns))
        self._wake(self._step)

    def lost(self, reason: str) -> None:
        self._wake(self._set_lost, reason)

    def _set_lost(self, reason: str) -> None:
        if not self.lost_reason.done():
            self.lost_reason.set_result(reason)

    def _wake(self, call: Callable[[*Args], None], *args: *Args) -> None:
        # The loop may be closing while the back end's thread still runs; then nobody is left to tell.
        with contextlib.suppress(RuntimeError):
            self.loop.call_soon_threadsafe(call, *args)


def _refuse_untimed(settings: LineInputsSettings, pins: InputPins) -> None:
    if pins.timestamps is Timestamps.KERNEL:
        return
    by_interval = isinstance(pins, PolledPins)
    roles = (LineRole.LOCK_OUT,) if by_interval else (LineRole.SPOT, LineRole.LOCK_OUT)
    timed = [spec.name for spec in settings.lines if spec.role in roles]
    if timed:
        serves = "spots, keys and doors" if by_interval else "outputs and polled levels (keys, doors)"
        raise BackendUnavailable(
            f"{settings.name}: {pins.identity} has no kernel timestamps, so the order of edges on {', '.join(timed)} "
            'can\'t be known. Use the back end "lgpio" for spots and the lock-out button; '
            f"this one serves {serves} only"
        )
