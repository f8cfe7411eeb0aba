"""All lines of one input device together: decision windows, level reads, common-mode noise, key switches.

Answers for: which line is what (`LineSpec`), the events of `drivers.events.LineEvent` in the order in which they are
decided, the answer to `settle`, and edges that came too late for it. No clock, no I/O, no thread: times enter as
nanoseconds of CLOCK_MONOTONIC, `advance` is called after every input and at `next_deadline_ns`, and a level read is
wanted whenever `read_due_ns` has passed.

Rules:
* The contract with the hardware: an edge arrives at most `lateness_ns` after its time. So the edges before an instant
  are complete one lateness after it, and every comparison with a level waits that long.
* `settle(at)` is answered at `at + present + lateness`, from the edges up to `at + present` and one level read taken
  then. No edge that may still be under way has a part in the answer, so the order of delivery has none either.
* No level read, no proof: the answer waits for a read that is under way, and if the chip is lost instead, every
  verdict is contradicted.
* Edges on (nearly) all lines within 5 ms are common-mode noise. If they go back, nothing changed. A run that began in
  one is not proof of a wager even if it lasts, since supply trouble moves the lock-out line in the same instant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from drivers.debounce import NS_PER_MS, RETAIN_NS, Debouncer, LevelRead, LineTiming
from drivers.events import (
    CommonModeBurst,
    LateLineEdge,
    LineChanged,
    LineEdge,
    LineEvent,
    LineGlitch,
    LinesReady,
    LinesSettled,
    LineState,
    LineVerdict,
)
from drivers.key_switch import KeySwitch, KeySwitchSpec

BURST_WITHIN_NS = 5 * NS_PER_MS
BURST_MIN_LINES = 5
"""Fewer lines than this can move together by hand."""
BURST_SHARE_PERCENT = 80


class LineRole(StrEnum):
    """What a line is for; decides how it is debounced."""

    SPOT = "spot"
    LOCK_OUT = "lock_out"
    BUTTON = "button"
    KEY = "key"


@dataclass(frozen=True, slots=True)
class DecisionWindow:
    """The three times that decide a wager, in nanoseconds."""

    present_ns: int = 60 * NS_PER_MS
    absent_ns: int = 150 * NS_PER_MS
    lateness_ns: int = 100 * NS_PER_MS

    def __post_init__(self) -> None:
        if self.present_ns <= 0 or self.absent_ns <= 0 or self.lateness_ns < 0:
            raise ValueError(
                f"decision window present_ns={self.present_ns} absent_ns={self.absent_ns} lateness_ns="
                f"{self.lateness_ns}: expected present and absent above 0 and lateness 0 or more"
            )
        if self.absent_ns > self.window_ns:
            raise ValueError(
                f"decision window: absent_ns={self.absent_ns} is longer than present_ns + lateness_ns="
                f"{self.window_ns}; a chip taken away before the press could not be told within the window. "
                "Lower absent_ms or raise lateness_ms"
            )

    @property
    def window_ns(self) -> int:
        return self.present_ns + self.lateness_ns


@dataclass(frozen=True, slots=True)
class LineSpec:
    """One line: its name, its number on the chip, what it is for and how it is wired.

    `active_low`: the closed contact (or the switched-on sensor) pulls the line low. `normally_closed`: the contact is
    closed while nobody presses, so that a cut wire reads as pressed. Polarity is applied here and nowhere else.
    """

    name: str
    number: int
    role: LineRole
    active_low: bool = True
    normally_closed: bool = False

    def __post_init__(self) -> None:
        if self.number < 0:
            raise ValueError(f"line {self.name!r}: number is {self.number}; expected 0 or more")

    def is_active(self, high: bool) -> bool:
        """The logical level of an electrical one."""
        return high ^ self.active_low ^ self.normally_closed


STUCK_SPOT_NS = 30 * 60 * 1000 * NS_PER_MS
_STABLE_NS = {LineRole.LOCK_OUT: 30 * NS_PER_MS, LineRole.BUTTON: 30 * NS_PER_MS, LineRole.KEY: 50 * NS_PER_MS}


def timing_for(role: LineRole, window: DecisionWindow, stuck_ns: int | None = STUCK_SPOT_NS) -> LineTiming:
    """The debounce of a role: spots by the decision window, buttons 30 ms, keys 50 ms."""
    if role is LineRole.SPOT:
        return LineTiming(window.present_ns, window.absent_ns, stuck_ns=stuck_ns)
    stable_ns = _STABLE_NS[role]
    return LineTiming(stable_ns, stable_ns, act_on_first_edge=role is LineRole.LOCK_OUT)


@dataclass(slots=True)
class _Settling:
    """A settle in progress or answered."""

    at_ns: int
    answer_ns: int
    read: Mapping[str, LevelRead] | None = None
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
        _check(device, lines, keys)
        self._lines: dict[str, Debouncer] = {}
        self._keys: dict[str, KeySwitch] = {}  # by the name of either of its lines
        self._noise: list[tuple[int, int]] = []
        self._burst: tuple[int, int] | None = None  # the one not yet judged
        self._settling: _Settling | None = None
        self._reads: list[tuple[int, Mapping[str, LevelRead]]] = []
        self._dirty: set[str] = set()
        self._blind = True
        self.late_edges = 0
        self.bursts = 0
        self.worst_lateness_ns = 0

    @property
    def window(self) -> DecisionWindow:
        return self._window

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
        if not self._lines[line].edge(at_ns, active, arrived_ns):
            return []
        self._dirty.add(line)
        self._note_burst(at_ns)
        settling = self._settling
        if settling is None or not settling.answered or at_ns >= settling.at_ns:
            return []
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

    def polled(self, reads: Mapping[str, LevelRead]) -> None:
        """A level read of every line where no edges come at all: each difference is a change since the read before."""
        for name, read in reads.items():
            self._lines[name].polled(read)
            self._dirty.add(name)

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
        """When the settle's level read is wanted; None if none is, or it was asked for (`read_asked`)."""
        settling = self._settling
        if settling is None or settling.read_asked:
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
        events: list[LineEvent] = []
        while self._reads and self._reads[0][0] <= now_ns:
            _, reads = self._reads.pop(0)
            for name, read in reads.items():
                events += self._lines[name].level_read(read, now_ns)
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
        events += self._judge_burst(now_ns)
        events += self._answer(now_ns)
        return events

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
            "worst_lateness_us": self.worst_lateness_ns // 1000,
        }

    def _through_keys(self, events: Iterable[LineEvent]) -> list[LineEvent]:
        """Contacts of a key switch are reported as the key's position only."""
        passed: list[LineEvent] = []
        for event in events:
            if isinstance(event, LineChanged) and event.line in self._keys:
                self._keys[event.line].contact(event.line, event.active, event.not_after_ns)
            else:
                passed.append(event)
        return passed

    def _answer(self, now_ns: int) -> list[LineEvent]:
        settling = self._settling
        if settling is None or settling.answered or now_ns < settling.answer_ns:
            return []
        if settling.read is None and not self._blind:
            return []  # the read is under way; `levels` or `lost` follows
        settling.answered = True
        cut_ns = settling.at_ns + self._window.present_ns
        spots = [name for name, spec in self._specs.items() if spec.role is LineRole.SPOT]
        verdicts = []
        for name in spots:
            if self._blind:
                verdicts.append(_unproved(name, settling.at_ns))
                continue
            read = settling.read.get(name) if settling.read is not None else None
            verdict = self._lines[name].verdict(settling.at_ns, cut_ns, read)
            if verdict.active and self._is_common_mode(verdict.not_after_ns, cut_ns):
                verdict = self._lines[name].verdict(settling.at_ns, cut_ns, read, noisy=True)
            verdicts.append(verdict)
        worst_ns = max((line.worst_lateness_ns(settling.at_ns) for line in self._lines.values()), default=0)
        window_ns = settling.answer_ns - settling.at_ns
        return [LinesSettled(self._device, settling.at_ns, window_ns, tuple(verdicts), worst_ns)]

    # -- common-mode noise --------------------------------------------------------------------------------------

    def _lines_moving(self, first_ns: int, last_ns: int) -> int:
        return sum(line.has_edge_within(first_ns, last_ns) for line in self._lines.values())

    def _is_common_mode(self, at_ns: int, until_ns: int) -> bool:
        """Did (nearly) all lines move around `at_ns`, by the edges up to `until_ns`?"""
        total = len(self._lines)
        if total < BURST_MIN_LINES:
            return False
        moving = self._lines_moving(at_ns - BURST_WITHIN_NS, min(at_ns + BURST_WITHIN_NS, until_ns))
        return moving * 100 >= total * BURST_SHARE_PERCENT

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


def _check(device: str, lines: Sequence[LineSpec], keys: Sequence[KeySwitchSpec]) -> None:
    """Refuse a set of lines that can't be what was meant."""
    names: dict[str, LineSpec] = {}
    numbers: dict[int, LineSpec] = {}
    for spec in lines:
        if spec.name in names:
            raise ValueError(f"{device}: two lines are named {spec.name!r}; give each its own name")
        if spec.number in numbers:
            other = numbers[spec.number].name
            raise ValueError(f"{device}: lines {other!r} and {spec.name!r} both claim line number {spec.number}")
        names[spec.name] = numbers[spec.number] = spec
    if not lines:
        raise ValueError(f"{device}: no lines are configured; expected at least one")
    used: set[str] = set()
    for key in keys:
        for line in (key.rest_line, key.turned_line):
            if line not in names or names[line].role is not LineRole.KEY:
                raise ValueError(f'{device}: key switch {key.name!r} needs line {line!r} with role "key"')
            if line in used:
                raise ValueError(f"{device}: line {line!r} belongs to two key switches")
            used.add(line)
