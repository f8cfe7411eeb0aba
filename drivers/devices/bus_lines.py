"""Lines of a station on a bus, as the table's `LineInputs`: polled levels through the `LineBank`. A protocol adds how
it is asked and heard (`tgline_board.py`, `modbus_inputs.py`).

Rules:
* A level is read between the request and the first byte of its answer: that is the interval in which a change lies.
* The device is READY once its first answer came, and tells every level then. `MISSES` misses in a row, or the port
  lost, and it is down: nothing is told until it answers again, and every level is told anew. Nothing else on the bus is
  down with it.
* Buttons, keys and doors may be here; a lock-out button may not, since betting closes at its edge.
"""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping, Sequence

from msgspec import Struct, field

from drivers.debounce import LevelRead
from drivers.events import DeviceEvent, LinkChanged, LinkState
from drivers.line_bank import LineBank
from drivers.line_spec import STUCK_SPOT_NS, DecisionWindow, KeySwitchSpec, LineRole, LineSpec, LineTiming
from drivers.links.bus import Bus
from drivers.ports import BackendUnavailable, Emit, NowNs, Timestamps
from drivers.raw_lines import RawLines

MISSES = 3

_log = logging.getLogger(__name__)


class BusLinesSettings(Struct, frozen=True):
    """What the lines of one station are. `size`: how many inputs it has, numbered from 0."""

    name: str
    lines: Sequence[LineSpec]
    size: int
    keys: Sequence[KeySwitchSpec] = ()
    window: DecisionWindow = field(default_factory=DecisionWindow)
    stuck_ns: int | None = STUCK_SPOT_NS


class BusLines(ABC):
    """`drivers.ports.LineInputs`, and the bus's `Station`; a protocol adds `ask` and `hear`."""

    def __init__(self, settings: BusLinesSettings, bus: Bus, what: str, now_ns: NowNs, simulated: bool) -> None:
        _refuse(settings, what)
        self._settings = settings
        self._bus = bus
        self._what = what
        self._identity = f"{'sim+' if simulated else ''}{what} on {bus.url}"
        self._now_ns = now_ns
        self._bank = LineBank(settings.name, settings.lines, settings.keys, settings.window, settings.stuck_ns)
        self.raw: RawLines | None = None
        self._link = LinkState.ABSENT
        self._told: str | None = None  # the reason last told; "" for up
        self._misses = 0
        self._emit: Emit | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._asked_ns = 0
        self._own: dict[str, int] = {"answers": 0, "missed": 0, "lost": 0}

    # The port.

    @property
    def name(self) -> str:
        return self._settings.name

    @property
    def identity(self) -> str:
        return self._identity

    @property
    def link(self) -> LinkState:
        return self._link

    @property
    def timestamps(self) -> Timestamps:
        return Timestamps.NONE

    @property
    def counters(self) -> Mapping[str, int]:
        port = {f"bus_{name}": value for name, value in self._bus.counters.items()}
        return {**port, **self._own, **self._bank.counters}

    @property
    def timings(self) -> Mapping[str, LineTiming]:
        return self._bank.timings

    def settle(self, at_ns: int) -> None:
        self._bank.settle(at_ns)
        if not self.answers:
            self._bank.lost()
        self._set_timer(self._now_ns())  # not at once: the caller may stand inside `emit`

    def unsettle(self) -> None:
        self._bank.unsettle()

    async def run(self, emit: Emit) -> None:
        self._emit, self._told, self._misses = emit, None, 0
        try:
            await self._bus.run(self, self)
        finally:
            self._bank.lost()
            self._link = LinkState.ABSENT
            self._emit = None
            self._set_timer(None)

    # What the bus asks of a station.

    def port_changed(self, event: LinkChanged | None) -> None:
        if event is None or event.up:
            if not self.answers:
                self._link = LinkState.IDENTIFYING
        else:
            self._down(event.state, event.reason)

    @property
    def answers(self) -> bool:
        return self._link is LinkState.READY

    @abstractmethod
    def ask(self) -> bytes: ...

    @abstractmethod
    def hear(self, data: bytes, arrived_ns: int) -> bool: ...

    def missed(self) -> None:
        self._own["missed"] += 1
        self._misses += 1
        if self._misses == MISSES:
            self._down(LinkState.STALE, f"no answer from {self._what}, asked {MISSES} times")

    # What a protocol has to say.

    def _heard(
        self,
        high: Mapping[int, bool],
        first_ns: int,
        last_ns: int,
        faulty: Collection[int] = (),
        latched: bool = False,
        anew: str = "",
    ) -> None:
        """Electrical levels by input, read between the two instants. `anew`: why what was known before is void."""
        self._misses = 0
        self._own["answers"] += 1
        reads = {s.name: LevelRead(first_ns, last_ns, s.is_active(high[s.number])) for s in self._settings.lines}
        if self.raw is not None:
            for name, read in reads.items():
                self.raw.level(name, read.active, read.started_ns, read.ended_ns)
        ill = {spec.name for spec in self._settings.lines if spec.number in faulty}
        if anew and self.answers:
            self._down(LinkState.IDENTIFYING, anew)
        if not self.answers:
            self._send(self._bank.start(reads))
            self._link, self._told = LinkState.READY, ""
            _log.info("%s: %s answers", self.name, self._identity)
            self._send(LinkChanged(self.name, LinkState.READY, True, "", self._now_ns()))
        (self._bank.latched if latched else self._bank.polled)(reads, ill)
        self._step()

    def _down(self, state: LinkState, reason: str) -> None:
        self._own["lost"] += self.answers
        self._link = state
        if reason and reason != self._told:
            if not self._told:  # the first report, or it was up until now
                _log.warning("%s: %s; asked on for ever", self.name, reason)
            self._told = reason
            self._send(LinkChanged(self.name, state, False, reason, self._now_ns()))
        self._bank.lost()  # after that: whoever waits for the answer to a settle knows why it proves nothing
        self._step()

    def _step(self) -> None:
        for event in self._bank.advance(self._now_ns()):
            self._send(event)
        self._set_timer(self._bank.next_deadline_ns)

    def _set_timer(self, deadline_ns: int | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if deadline_ns is not None and self._emit is not None:
            wait_s = max(0, deadline_ns - self._now_ns()) / 1e9
            self._timer = asyncio.get_running_loop().call_later(wait_s, self._step)

    def _send(self, event: DeviceEvent) -> None:
        if self._emit is not None:
            self._emit(event)


def _refuse(settings: BusLinesSettings, what: str) -> None:
    locks = [spec.name for spec in settings.lines if spec.role is LineRole.LOCK_OUT]
    if locks:
        raise BackendUnavailable(
            f"{settings.name}: {what} is polled and stamps no edges; wire {', '.join(locks)} to a line of lines.lgpio"
        )
    for spec in settings.lines:
        if spec.number >= settings.size:
            raise ValueError(f"{settings.name}: {what} has inputs 0 to {settings.size - 1}, got {spec.number}")
