"""A release device on a GPIO line: a solenoid or motor that lets balls go for as long as one pulse lasts.

Answers for: one pulse an order, never longer than its length, never two at once or too soon after one another; at rest
from the first instant to the last.

Rules:
* The pulse is timed on a thread of its own: a loop that stands still makes no pulse longer. What it measured is told; a
  pulse that was longer than `pulse_ms` + `slack_ms` is a failure.
* An order is for now or never. While the link is not READY, while a pulse or its pause lasts, it is refused and nothing
  is kept: balls that go a second late go into the next game.
* The line is claimed at rest in one request with its direction, written at rest each second, and left at rest when the
  device ends, also in the middle of a pulse.
* Against a program that is killed or a machine that stops in the middle of a pulse no program helps: the circuit has a
  one-shot of its own that ends it (see the wiring).
* Button and sensor are inputs of the same device, each optional. A ball counts for an order from its pulse's begin to
  `BALL_WITHIN_MS` after its end.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Mapping

from msgspec import Struct

from drivers.events import DeviceEvent, LineChanged, LineReconciled, LinkChanged, LinkState
from drivers.gpio.gpiozero_pins import OutputPins
from drivers.gpio.pins import PinsLostError
from drivers.line_spec import NS_PER_MS
from drivers.ports import Emit, LineInputs, NowNs
from drivers.release_events import BallLeft, ReleaseAsked, Released, ReleaseFailed, ReleaseRefused
from drivers.worker import Worker, WorkerHungError

BUTTON, BALL = "button", "ball"
"""Names of its input lines."""
PULSE_MOST_MS = 2_000
BALL_WITHIN_MS = 3_000
HOLD_S = 1.0
REOPEN_FIRST_S = 0.1
REOPEN_MOST_S = 2.0
WORKER_LIMIT_S = PULSE_MOST_MS / 1000 + 2.0


class Pulse(Struct, frozen=True):
    """How long a pulse is, how long after one the next may begin, the level that releases, and how much longer than
    asked a pulse may have been."""

    pulse_ms: int
    pause_ms: int
    active_low: bool = False
    slack_ms: int = 50

    def __post_init__(self) -> None:
        if not 1 <= self.pulse_ms <= PULSE_MOST_MS:
            raise ValueError(f"pulse_ms is {self.pulse_ms}; expected 1 to {PULSE_MOST_MS}")
        if self.pause_ms < 0:
            raise ValueError(f"pause_ms is {self.pause_ms}; expected 0 or more")


class GpioRelease:
    """A `ReleaseDevice`."""

    def __init__(
        self,
        name: str,
        identity: str,
        output: tuple[OutputPins, int],
        pulse: Pulse,
        inputs: LineInputs | None = None,
        now_ns: NowNs = time.monotonic_ns,
    ) -> None:
        """`output`: the pins and the number of the line. `inputs`: lines `BUTTON` and `BALL`, or one of them."""
        self._name = name
        self._identity = identity
        self._pins, self._line = output
        self._pulse = pulse
        self._inputs = inputs
        self._now_ns = now_ns
        self._worker = Worker(f"{name}-release", WORKER_LIMIT_S)
        self._end = threading.Event()
        self._link = LinkState.ABSENT
        self._told: str | None = None
        self._emit: Emit | None = None
        self._lost: asyncio.Future[str] | None = None
        self._inputs_up = inputs is None
        self._inputs_reason = ""
        self._ready = False
        self._order: int | None = None
        self._free_ns = 0
        self._last: tuple[int, int] | None = None
        self._pulses: set[asyncio.Task[None]] = set()
        self._counters = {"pulses": 0, "refused": 0, "failed": 0, "balls": 0, "balls_without_order": 0, "opens": 0}

    @property
    def name(self) -> str:
        return self._name

    @property
    def identity(self) -> str:
        return self._identity

    @property
    def link(self) -> LinkState:
        return self._link

    @property
    def counters(self) -> Mapping[str, int]:
        return {**self._counters, "hangs": self._worker.hangs}

    def release(self, order: int) -> None:
        now_ns = self._now_ns()
        why = ""
        if self._link is not LinkState.READY:
            why = f"the device is {self._link}"
        elif self._order is not None:
            why = f"the pulse of order {self._order} is not over"
        elif now_ns < self._free_ns:
            why = f"the pause of {self._pulse.pause_ms} ms after the last pulse is not over"
        if why:
            self._counters["refused"] += 1
            self._tell(ReleaseRefused(self._name, order, why, now_ns))
            return
        self._order = order
        self._last = (order, now_ns)
        task = asyncio.get_running_loop().create_task(self._give(order), name=f"{self._name} pulse")
        self._pulses.add(task)
        task.add_done_callback(self._pulses.discard)

    async def run(self, emit: Emit) -> None:
        self._emit, self._told = emit, None
        self._end.clear()
        wait_s = REOPEN_FIRST_S
        inputs = self._inputs
        reading = None if inputs is None else asyncio.create_task(inputs.run(self._heard), name=f"{self._name} inputs")
        try:
            while True:
                serving = asyncio.ensure_future(self._serve())
                waited = {serving} if reading is None else {serving, reading}
                try:
                    await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
                    if reading is not None and reading.done():
                        reading.result()  # it ends by a fault of the program only
                    reason, wait_s = await serving, REOPEN_FIRST_S
                except (PinsLostError, WorkerHungError) as error:
                    reason = str(error)
                finally:
                    serving.cancel()
                    self._ready = False
                self._show(reason)
                await self._close()
                await asyncio.sleep(wait_s)
                wait_s = min(wait_s * 2, REOPEN_MOST_S)
        finally:
            self._end.set()
            if reading is not None:
                reading.cancel()
                await asyncio.gather(reading, return_exceptions=True)
            await self._close()
            self._worker.end()
            self._link, self._emit, self._ready = LinkState.ABSENT, None, False

    async def _serve(self) -> str:
        """Until the line is lost; why."""
        loop = asyncio.get_running_loop()
        lost: asyncio.Future[str] = loop.create_future()
        self._lost = lost

        def told(reason: str) -> None:
            """On the chip's own thread."""
            with contextlib.suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(_settle, lost, reason)

        self._link = LinkState.OPENING
        await self._worker.call(self._pins.open, [(self._line, self._rest)], told)
        self._counters["opens"] += 1
        self._ready = True
        self._show("")
        while True:
            done, _ = await asyncio.wait({lost}, timeout=HOLD_S)
            if done:
                return lost.result()
            if self._order is None:
                await self._worker.call(self._pins.write, self._line, self._rest)

    async def _give(self, order: int) -> None:
        try:
            began_ns, ended_ns = await self._worker.call(self._pulse_now)
        except (PinsLostError, WorkerHungError) as error:
            self._failed(order, str(error))
            if self._lost is not None:
                _settle(self._lost, str(error))
            return
        finally:
            self._order = None
        self._last = (order, ended_ns)
        self._free_ns = ended_ns + self._pulse.pause_ms * NS_PER_MS
        took_ms = (ended_ns - began_ns) / NS_PER_MS
        if took_ms > self._pulse.pulse_ms + self._pulse.slack_ms:
            self._failed(order, f"the pulse took {took_ms:.0f} ms instead of {self._pulse.pulse_ms}")
            return
        self._counters["pulses"] += 1
        self._tell(Released(self._name, order, began_ns, ended_ns))

    def _pulse_now(self) -> tuple[int, int]:
        """On the worker's thread. Raises `PinsLostError`."""
        began_ns = self._now_ns()
        try:
            self._pins.write(self._line, not self._rest)
            self._end.wait(self._pulse.pulse_ms / 1000)
        finally:
            self._pins.write(self._line, self._rest)
        return began_ns, self._now_ns()

    def _failed(self, order: int, reason: str) -> None:
        self._counters["failed"] += 1
        self._tell(ReleaseFailed(self._name, order, reason, self._now_ns()))

    @property
    def _rest(self) -> bool:
        return self._pulse.active_low

    async def _close(self) -> None:
        with contextlib.suppress(PinsLostError, WorkerHungError):
            await self._worker.call(self._pins.close)

    # --- inputs and link --------------------------------------------------------------------------------------------

    def _heard(self, event: DeviceEvent) -> None:
        match event:
            case LinkChanged():
                self._inputs_up, self._inputs_reason = event.up, event.reason
                self._show("")
            case LineChanged(line=line, active=True) | LineReconciled(line=line, active=True):
                if line == BUTTON:
                    self._tell(ReleaseAsked(self._name, event.not_before_ns))
                elif line == BALL:
                    self._ball(event.not_before_ns)
            case _:
                pass

    def _ball(self, at_ns: int) -> None:
        order = self._order
        if order is None and self._last is not None and at_ns - self._last[1] <= BALL_WITHIN_MS * NS_PER_MS:
            order = self._last[0]
        self._counters["balls" if order is not None else "balls_without_order"] += 1
        self._tell(BallLeft(self._name, order, at_ns))

    def _show(self, reason: str) -> None:
        """The link as it stands; told when it is another one. `reason`: why the line is lost, if it is."""
        reason = reason or ("" if self._inputs_up else self._inputs_reason)
        up = self._ready and self._inputs_up
        self._link = LinkState.READY if up else LinkState.BACKOFF if reason else LinkState.OPENING
        told = "" if up else reason
        if (up or reason) and told != self._told:
            self._told = told
            self._tell(LinkChanged(self._name, self._link, up, told, self._now_ns()))

    def _tell(self, event: DeviceEvent) -> None:
        if self._emit is not None:
            self._emit(event)


def _settle(lost: asyncio.Future[str], reason: str) -> None:
    if not lost.done():
        lost.set_result(reason)
