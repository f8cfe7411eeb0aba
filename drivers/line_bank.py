"""All lines of one input device together: decision windows, level reads, common-mode noise, key switches.

Answers for: the events of `drivers.events.LineEvent` in the order in which they are
decided, the answer to `settle`, and edges that came too late for it. No clock, no I/O, no thread: times enter as
nanoseconds of CLOCK_MONOTONIC, `advance` is called after every input and at `next_deadline_ns`, and a level read is
wanted whenever `read_due_ns` has passed.

Rules:
* The contract with the hardware: an edge arrives at most `lateness_ns` after its time. So the edges before an instant
  are complete one lateness after it, and every comparison with a level waits that long.
* `settle(at)` is answered at `at + present + lateness`, from the edges up to `at + present` and one level read taken
  then. No edge that may still be under way has a part in the answer, so the order of delivery has none either.
* Where lines are polled there are no edges and no lateness: a change lies between two reads. The answer comes from the
  reads of the whole window, so that a chip first seen shortly after the instant is known to straddle it, and waits for
  a read that began after the window. A snapshot that the board latched on our command decides what straddles.
* No level read, no proof: the answer waits for a read that is under way, and if the chip is lost instead, every
  verdict is contradicted.
* Edges on (nearly) all lines within 5 ms are common-mode noise. If they go back, nothing changed. A run that began in
  one is not proof of a wager even if it lasts, since supply trouble moves the lock-out line in the same instant. No
  key is pressed or turned by one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec.structs import replace

from drivers.debounce import RETAIN_NS, Debouncer, EdgeFate, LevelRead
from drivers.events import (
    CommonModeBurst,
    KeySwitchTurned,
    LateLineEdge,
    LineChanged,
    LineEdge,
    LineEvent,
    LineGlitch,
    LineHealthy,
    LinesReady,
    LinesSettled,
    LineState,
    LineVerdict,
)
from drivers.key_switch import KeySwitch
from drivers.line_spec import (
    NS_PER_MS,
    STUCK_SPOT_NS,
    DecisionWindow,
    KeySwitchSpec,
    LineRole,
    LineSpec,
    LineTiming,
    check_lines,
    timing_for,
)

BURST_WITHIN_NS = 5 * NS_PER_MS
BURST_MIN_LINES = 5
"""Fewer lines than this can move together by hand."""
BURST_SHARE_PERCENT = 80


@dataclass(slots=True)
class _Settling:
    """A settle in progress or answered."""

    at_ns: int
    answer_ns: int
    read: Mapping[str, LevelRead] | None = None
    latched: Mapping[str, LevelRead] = field(default_factory=dict)
    read_asked: bool = False
    answered: bool = False


class LineBank:
    """The lines of one device. `start` first; then the inputs below, each followed by `advance`."""

    def __init__(
        self,
        device: str,
        lines: Sequence[LineSpec],
        keys: Sequence[KeySwitchSpec] = (),
        window: DecisionWindow | None = None,
        stuck_ns: int | None = STUCK_SPOT_NS,
    ) -> None:
        self._device = device
        self._specs = {spec.name: spec for spec in lines}
        self._window = window or DecisionWindow()
        self._keys_spec = tuple(keys)
        self._stuck_ns = stuck_ns
        check_lines(device, lines, keys)
        self._lines: dict[str, Debouncer] = {}
        self._keys: dict[str, KeySwitch] = {}  # by the name of either of its lines
        self._noise: list[tuple[int, int]] = []
        self._burst: tuple[int, int] | None = None  # the one not yet judged
        self._settling: _Settling | None = None
        self._reads: list[tuple[int, Mapping[str, LevelRead]]] = []
        self._dirty: set[str] = set()
        self._blind = True
        self._polled = False
        self._found: list[LineEvent] = []  # by `polled`, to be told by `advance`
        self.late_edges = 0
        self.bursts = 0
        self.noise_presses = 0
        self.worst_lateness_ns = 0

    @property
    def window(self) -> DecisionWindow:
        return self._window

    @property
    def timings(self) -> Mapping[str, LineTiming]:
        """How each line is debounced."""
        return {name: timing_for(spec.role, self._window, self._stuck_ns) for name, spec in self._specs.items()}

    def start(self, reads: Mapping[str, LevelRead]) -> LinesReady:
        """Begin anew from a level read of every line: first levels are no edges. A pending `settle` stays pending."""
        self._lines = {
            name: Debouncer(
                self._device, name, timing_for(spec.role, self._window, self._stuck_ns), self._window.lateness_ns,
                reads[name], self._noise,
            )
            for name, spec in self._specs.items()
        }  # fmt: skip
        at_ns = max(read.ended_ns for read in reads.values())
        self._blind = False
        self._keys = {}
        for spec in self._keys_spec:
            rest, turned = reads[spec.rest_line], reads[spec.turned_line]
            stable_ns = timing_for(LineRole.KEY, self._window).active_ns
            key = KeySwitch(self._device, spec, stable_ns, rest.active, turned.active, at_ns)
            self._keys.update(dict.fromkeys(key.lines, key))
        self._reads.clear()
        self._noise.clear()
        self._burst = None
        self._dirty = set(self._lines)
        self._found = []
        if self._settling is not None:
            self._settling.read_asked = self._settling.read is not None
        return LinesReady(self._device, at_ns, tuple(LineState(name, reads[name].active) for name in self._specs))

    def lost(self) -> None:
        """The chip is gone: nothing is reported until `start`, but a pending `settle` is answered, proving nothing."""
        self._blind = True
        if self._settling is not None:
            self._settling.read_asked = True

    # -- what comes in ------------------------------------------------------------------------------------------

    def edge(self, line: str, at_ns: int, active: bool, arrived_ns: int) -> list[LineEvent]:
        """A raw edge as stamped at its source. Call `advance` after it (or after several)."""
        self.worst_lateness_ns = max(self.worst_lateness_ns, arrived_ns - at_ns)
        fate = self._lines[line].edge(at_ns, active, arrived_ns)
        if fate is EdgeFate.DOUBLED:
            return []
        if fate is EdgeFate.TAKEN:
            self._dirty.add(line)
            self._note_burst(at_ns)
        settling = self._settling
        if settling is None or not settling.answered or at_ns >= settling.at_ns:
            return []
        if self._specs[line].role not in (LineRole.SPOT, LineRole.LOCK_OUT):
            return []  # no part of any decision
        self.late_edges += 1
        return [LateLineEdge(self._device, line, active, at_ns, settling.at_ns, arrived_ns - at_ns)]

    def levels(self, reads: Mapping[str, LevelRead]) -> None:
        """A level read of every line. Compared with the edges once they are complete, one lateness later."""
        ended_ns = max(read.ended_ns for read in reads.values())
        started_ns = min(read.started_ns for read in reads.values())
        self._reads.append((ended_ns + self._window.lateness_ns, reads))
        settling = self._settling
        if settling and settling.read is None and started_ns >= settling.at_ns + self._window.present_ns:
            settling.read = reads
            settling.answer_ns = max(settling.answer_ns, ended_ns + self._window.lateness_ns)

    def polled(self, reads: Mapping[str, LevelRead], faulty: Collection[str] = ()) -> None:
        """A level read of every line where no edges come at all: each difference is a change since the read before.
        `faulty`: the lines that their board says are out of order."""
        for name, read in reads.items():
            line = self._lines[name]
            before = line.moves
            found = line.polled(read, name in faulty)
            if found or line.moves != before:  # else it stands as it stood: only time decides, at its deadline
                self._found += found
                self._dirty.add(name)
        self._polled = True
        settling = self._settling
        if settling and settling.read is None and self._began_after(reads, settling.at_ns + self._window.window_ns):
            settling.read = reads
            settling.answer_ns = max(settling.answer_ns, max(read.ended_ns for read in reads.values()))

    def captured(self, at_ns: int, active: Mapping[str, bool]) -> None:
        """Levels of some lines which the chip kept at `at_ns`, when the first of them changed. Before the `polled` that
        came with them."""
        for name, level in active.items():
            self._lines[name].captured(at_ns, level)
            self._dirty.add(name)

    def latched(self, reads: Mapping[str, LevelRead], faulty: Collection[str] = ()) -> None:
        """A snapshot of polled lines, taken by the board on our command; in its place among `polled`."""
        self.polled(reads, faulty)
        if self._settling is not None:
            self._settling.latched = reads

    @staticmethod
    def _began_after(reads: Mapping[str, LevelRead], at_ns: int) -> bool:
        return bool(reads) and min(read.started_ns for read in reads.values()) >= at_ns

    def settle(self, at_ns: int) -> None:
        """Ask what every spot was at `at_ns`. A second call before the answer replaces the first."""
        self._settling = _Settling(at_ns, at_ns + self._window.window_ns)
        for line in self._lines.values():
            line.lock_out(at_ns)

    def unsettle(self) -> None:
        """Take a pending or answered `settle` back."""
        self._settling = None

    # -- what it means ------------------------------------------------------------------------------------------

    @property
    def read_due_ns(self) -> int | None:
        """When the settle's level read is wanted; None if none is, or it was asked for (`read_asked`), or reads come by
        themselves."""
        settling = self._settling
        if settling is None or settling.read_asked or self._polled:
            return None
        return settling.at_ns + self._window.present_ns

    def read_asked(self) -> None:
        """The read that `read_due_ns` wanted is under way."""
        if self._settling is not None:
            self._settling.read_asked = True

    @property
    def next_deadline_ns(self) -> int | None:
        """When `advance` is to be called next, if nothing comes in before."""
        deadlines: list[int | None] = []
        settling = self._settling
        if settling is not None and not settling.answered and (self._blind or settling.read is not None):
            deadlines.append(settling.answer_ns)
        if self._blind:
            return min((d for d in deadlines if d is not None), default=None)
        deadlines += [line.deadline_ns for line in self._lines.values()]
        deadlines += [key.deadline_ns for key in self._keys.values()]
        deadlines += [due_ns for due_ns, _ in self._reads[:1]]
        deadlines.append(self.read_due_ns)
        if self._burst is not None:
            deadlines.append(self._burst_due_ns(self._burst))
        return min((d for d in deadlines if d is not None), default=None)

    def advance(self, now_ns: int) -> list[LineEvent]:
        """Everything decided by `now_ns`: changes by time, then noise, reads, keys, and the answer to `settle` last."""
        if self._blind:
            return self._answer(now_ns)
        answer = self._answer(now_ns)  # before a level read mends what it is to contradict
        events, self._found = self._through_keys(self._found), []
        while self._reads and self._reads[0][0] <= now_ns:
            _, reads = self._reads.pop(0)
            for name, read in reads.items():
                events += self._through_keys(self._lines[name].level_read(read, now_ns))
                self._dirty.add(name)
        moved: list[LineEvent] = []
        for name, line in self._lines.items():
            if name in self._dirty or (line.deadline_ns is not None and line.deadline_ns <= now_ns):
                moved += line.advance(now_ns)
        self._dirty.clear()
        moved.sort(key=_time_of)
        events += self._through_keys(moved)
        for key in dict.fromkeys(self._keys.values()):
            if key.deadline_ns is not None and key.deadline_ns <= now_ns:
                events += key.advance(now_ns)
        pressed = [event for event in events if not self._is_pressed_by_noise(event, now_ns)]
        self.noise_presses += len(events) - len(pressed)
        return [*pressed, *self._judge_burst(now_ns), *answer]

    @property
    def counters(self) -> Mapping[str, int]:
        lines = self._lines.values()
        return {
            "spikes": sum(line.spikes for line in lines),
            "doubled_edges": sum(line.doubled for line in lines),
            "too_old_edges": sum(line.too_old for line in lines),
            "reconciled": sum(line.reconciled for line in lines),
            "late_edges": self.late_edges,
            "bursts": self.bursts,
            "noise_presses": self.noise_presses,
            "worst_lateness_us": self.worst_lateness_ns // 1000,
        }

    def _through_keys(self, events: Iterable[LineEvent]) -> list[LineEvent]:
        """Contacts of a key switch are reported as the key's position only."""
        passed: list[LineEvent] = []
        for event in events:
            if isinstance(event, LineChanged) and event.line in self._keys:
                self._keys[event.line].contact(event.line, event.active, event.not_after_ns)
            else:
                if isinstance(event, LineHealthy) and event.line in self._keys:  # what it did meanwhile left no change
                    self._keys[event.line].contact(event.line, event.active, event.at_ns)
                passed.append(event)
        return passed

    def _answer(self, now_ns: int) -> list[LineEvent]:
        settling = self._settling
        if settling is None or settling.answered or now_ns < settling.answer_ns:
            return []
        if settling.read is None and not self._blind:
            return []  # the read is under way; `levels` or `lost` follows
        settling.answered = True
        cut_ns = settling.at_ns + (self._window.window_ns if self._polled else self._window.present_ns)
        spots = [name for name, spec in self._specs.items() if spec.role is LineRole.SPOT]
        verdicts = []
        for name in spots:
            if self._blind:
                verdicts.append(_unproved(name, settling.at_ns))
                continue
            read = settling.read.get(name) if settling.read is not None else None
            snapshot = settling.latched.get(name)
            latched = snapshot.active if snapshot is not None else None
            verdict = self._lines[name].verdict(settling.at_ns, cut_ns, read, latched=latched)
            if verdict.active and self._is_common_mode(verdict.not_after_ns, cut_ns):
                verdict = self._lines[name].verdict(settling.at_ns, cut_ns, read, noisy=True)
            if (
                verdict.active
                and not verdict.latched
                and verdict.not_after_ns > self._earliest_press_ns(settling.at_ns)
            ):
                verdict = replace(verdict, straddles=True)
            verdicts.append(verdict)
        worst_ns = max((line.worst_lateness_ns(settling.at_ns) for line in self._lines.values()), default=0)
        window_ns = settling.answer_ns - settling.at_ns
        return [LinesSettled(self._device, settling.at_ns, window_ns, tuple(verdicts), worst_ns)]

    def _earliest_press_ns(self, at_ns: int) -> int:
        """Since when the press may have been: before `at_ns` only if its edge was lost and a level read found it."""
        locks = (self._lines[name] for name, spec in self._specs.items() if spec.role is LineRole.LOCK_OUT)
        return min((lock.earliest_of(at_ns) for lock in locks), default=at_ns)

    # -- common-mode noise --------------------------------------------------------------------------------------

    def _lines_moving(self, first_ns: int, last_ns: int) -> int:
        return sum(line.has_edge_within(first_ns, last_ns) for line in self._lines.values())

    def _is_common_mode(self, at_ns: int, until_ns: int) -> bool:
        """Did (nearly) all lines move around `at_ns`, by the edges up to `until_ns`?"""
        total = len(self._lines)
        if total < BURST_MIN_LINES or self._polled:  # chips that came between two reads have one time, and are no noise
            return False
        moving = self._lines_moving(at_ns - BURST_WITHIN_NS, min(at_ns + BURST_WITHIN_NS, until_ns))
        return moving * 100 >= total * BURST_SHARE_PERCENT

    def _is_pressed_by_noise(self, event: LineEvent, now_ns: int) -> bool:
        """Is it a key that all lines together pressed? The lock-out button is no such key: closing is its safe side."""
        match event:
            case LineChanged(active=True) if self._specs[event.line].role is LineRole.BUTTON:
                return self._is_common_mode(event.not_after_ns, now_ns)
            case KeySwitchTurned(turned=True):
                return self._is_common_mode(event.at_ns, now_ns)
            case _:
                return False

    def _note_burst(self, at_ns: int) -> None:
        if not self._is_common_mode(at_ns, at_ns + BURST_WITHIN_NS):
            return
        first_ns, last_ns = at_ns - BURST_WITHIN_NS, at_ns + BURST_WITHIN_NS
        if self._burst is not None and first_ns <= self._burst[1] and last_ns >= self._burst[0]:
            if self._burst in self._noise:
                self._noise.remove(self._burst)
            first_ns, last_ns = min(first_ns, self._burst[0]), max(last_ns, self._burst[1])
        self._burst = (first_ns, last_ns)
        self._noise.append(self._burst)
        self._noise[:] = [pair for pair in self._noise if pair[1] >= at_ns - RETAIN_NS]

    def _burst_due_ns(self, burst: tuple[int, int]) -> int:
        return burst[1] + self._window.absent_ns

    def _judge_burst(self, now_ns: int) -> list[LineEvent]:
        burst = self._burst
        if burst is None or now_ns < self._burst_due_ns(burst):
            return []
        self._burst = None
        moved = [line for line in self._lines.values() if line.has_edge_within(*burst)]
        back = sum(line.is_at_rest(now_ns) for line in moved)
        if back * 100 < len(moved) * BURST_SHARE_PERCENT:
            return []  # levels that stayed are changes, and have been reported as such
        self.bursts += 1
        return [CommonModeBurst(self._device, burst[0] + BURST_WITHIN_NS, len(moved))]


def _unproved(line: str, at_ns: int) -> LineVerdict:
    """The verdict on a line of which nothing can be known: its chip is away."""
    return LineVerdict(line, False, at_ns, at_ns, straddles=False, contradicted=True, left_ns=None, arrived_after=False)


def _time_of(event: LineEvent) -> int:
    """When what the event tells happened: for the order among events decided together."""
    match event:
        case LineChanged():
            return event.not_after_ns
        case LineEdge() | LineGlitch():
            return event.at_ns
        case _:
            return 0  # troubles and recoveries first: they change what the others mean
