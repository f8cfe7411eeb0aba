"""One input line: from raw edges to a debounced level, and to what the line was at a given instant.

Answers for: the order of edges (by their time, never by arrival), debouncing, the first edge of a line that acts on
it, chatter, stuck, lost edges found by level reads, and the verdict at a settled instant. It has no clock and no I/O:
every time enters as nanoseconds of CLOCK_MONOTONIC.

Rules:
* A debounced level changes when a run of the other level has lasted the line's stable time; the change's time is the
  first edge of that run. A shorter run is a spike: counted, and without effect.
* Edges alternate by nature. Two of the same level in a row mean that the one between was lost or has not arrived; the
  run then began at the later one, since the earlier one's run must have ended.
* An edge that arrives later than others is put in its place and everything after it is worked out anew. What was
  already reported and no longer holds is corrected by further events, so the last one is always right.
* A line that acts on its first edge announces it at once (`LineEdge`) and takes it back (`LineGlitch`) when the
  contact has been open again for its stable time, or when a later run is the one that proved stable. A bouncing contact
  is thus one announcement and not one for each bounce, and the line stays closed meanwhile, which is the safe side.
* Edges are hints, levels are truth: a level read that disagrees puts an edge of unknown time (an interval) in place.
* Two edges of one line at the same nanosecond are ordered inactive before active, whichever arrived first.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from enum import Enum, auto

from msgspec import Struct

from drivers.events import (
    LineChanged,
    LineEdge,
    LineEvent,
    LineGlitch,
    LineHealthy,
    LineReconciled,
    LineTrouble,
    LineTroubled,
    LineVerdict,
)
from drivers.line_spec import NS_PER_MS, LineTiming
from drivers.line_trace import Edge, Run, Trace

CHATTER_WINDOW_NS = 2_000 * NS_PER_MS
"""More than `LineTiming.chatter_changes` raw changes in this time is chatter; as long a quiet, and a level read, end
it."""

RETAIN_NS = 3_000 * NS_PER_MS
"""Edges younger than this may still be re-ordered; longer than the chatter window and any decision window."""

OUT_OF_ORDER = (LineTrouble.CHATTER, LineTrouble.CONTRADICTED, LineTrouble.REPORTED)
"""Troubles in which nothing of a line is reported. One that is stuck still moves."""

MAX_EDGES = 256
"""Bound of one line's history: far over what chatter allows, so only a line already out of order reaches it."""


class LevelRead(Struct, frozen=True):
    """One line's logical level, read at an instant no earlier than `started_ns` and no later than `ended_ns`."""

    started_ns: int
    ended_ns: int
    active: bool


class EdgeFate(Enum):
    """What became of an edge that came in."""

    TAKEN = auto()
    DOUBLED = auto()  # it was there already
    TOO_OLD = auto()  # from before all history: its place is no longer open


class Debouncer:
    """The state of one line, from a level read at start.

    Feed `edge` and `level_read`, then call `advance`; call it again at `deadline_ns`. `noise` is the bank's list of
    intervals in which all lines moved together: edges inside one are not this line's chatter.
    """

    def __init__(
        self,
        device: str,
        line: str,
        timing: LineTiming,
        lateness_ns: int,
        first: LevelRead,
        noise: Sequence[tuple[int, int]] = (),
    ) -> None:
        self._device = device
        self._line = line
        self._timing = timing
        self._lateness_ns = lateness_ns
        self._noise = noise
        self.deadline_ns: int | None = None
        self.trouble: LineTrouble | None = None
        self.spikes = 0
        self.doubled = 0
        self.too_old = 0
        self.reconciled = 0
        self.moves = 0
        """Changes that were polled."""
        self._restart(first)

    def _restart(self, read: LevelRead) -> None:
        run = Run(read.active, read.started_ns, read.started_ns)
        self._base = Trace(run, run)
        self._edges: list[Edge] = []
        self._reported = run
        self._announced_ns: int | None = None
        self._agreed_ns = read.started_ns
        self._disagreed_ns: int | None = None
        self._lock_out_ns = read.started_ns

    @property
    def active(self) -> bool:
        """The debounced level as last reported."""
        return self._reported.active

    # -- what comes in ------------------------------------------------------------------------------------------

    def edge(self, at_ns: int, active: bool, arrived_ns: int) -> EdgeFate:
        """Take a raw edge, stamped at its source."""
        if at_ns <= self._base.raw.not_after_ns:
            self.too_old += 1
            return EdgeFate.TOO_OLD
        new = Edge(at_ns, active, at_ns, arrived_ns)
        place = bisect_left(self._edges, _key(new), key=_key)
        if place < len(self._edges) and _key(self._edges[place]) == _key(new):
            self.doubled += 1
            return EdgeFate.DOUBLED
        # The edge that a level read had stood in for has come after all.
        self._edges[place:] = [
            e for e in self._edges[place:] if not (e.active == active and e.not_before_ns < at_ns <= e.at_ns)
        ]
        self._edges.insert(place, new)
        return EdgeFate.TAKEN

    def level_read(self, read: LevelRead, now_ns: int) -> list[LineEvent]:
        """Compare a level with the edges as of its instant. Call once all edges before it are in (lateness later)."""
        if self.trouble in OUT_OF_ORDER:
            return self._try_recovery(read)
        raw = self._raw_as_of(read)
        if raw is None:
            return []  # moving while it was read: no comparison
        if raw == read.active:
            self._agreed_ns = max(self._agreed_ns, read.started_ns)
            self._disagreed_ns = None
            return []
        self.reconciled += 1
        place = bisect_right(self._edges, (read.ended_ns, True), key=_key)
        before_ns = self._edges[place - 1].at_ns if place else self._base.raw.not_after_ns
        found = Edge(read.ended_ns, read.active, max(before_ns, self._agreed_ns), now_ns)
        self._edges.insert(place, found)
        self._agreed_ns = max(self._agreed_ns, read.started_ns)
        events: list[LineEvent] = [
            LineReconciled(self._device, self._line, read.active, found.not_before_ns, found.at_ns)
        ]
        if self._disagreed_ns is not None:
            events.append(self._put_out_of_order(LineTrouble.CONTRADICTED, read.ended_ns))
        self._disagreed_ns = read.ended_ns
        return events

    def polled(self, read: LevelRead, faulty: bool = False) -> list[LineEvent]:
        """Take a level where edges don't come: a difference is an edge somewhere since the read before.

        `faulty`: the line's board says with it that the line is out of order.
        """
        if faulty or self.trouble is LineTrouble.REPORTED:
            return self._fault(read) if faulty else self._restarted(read)
        raw = self._edges[-1].active if self._edges else self._base.raw.active
        if raw != read.active:
            self.moves += 1
            self._edges.append(Edge(read.ended_ns, read.active, self._agreed_ns, read.ended_ns))
        self._agreed_ns = read.started_ns
        return self._try_recovery(read) if self.trouble is LineTrouble.CHATTER else []

    def captured(self, at_ns: int, active: bool) -> None:
        """Among `polled`: the level that the chip kept at its first change since the read before, which was then."""
        if at_ns <= self._agreed_ns:
            return
        raw = self._edges[-1].active if self._edges else self._base.raw.active
        if raw != active:
            self.moves += 1
            self._edges.append(Edge(at_ns, active, at_ns, at_ns))
        self._agreed_ns = at_ns

    def lock_out(self, at_ns: int) -> None:
        """A lock-out happened: the stuck time starts again."""
        self._lock_out_ns = max(self._lock_out_ns, at_ns)

    # -- what it means ------------------------------------------------------------------------------------------

    def advance(self, now_ns: int) -> list[LineEvent]:
        """Report whatever is decided at `now_ns`, and set `deadline_ns`.

        After a time in which nobody listened (the process was stopped) a lock-out press is still told, however old it
        is: betting was closed by it. Any other line is told only as it stands: a key pressed at a display that did not
        answer was not meant for what it shows now.
        """
        if not self._timing.act_on_first_edge:
            self._compact(now_ns)
        events = self._decide(now_ns)
        self._compact(now_ns)
        return events

    def _decide(self, now_ns: int) -> list[LineEvent]:
        self.deadline_ns = None
        if self.trouble in OUT_OF_ORDER:
            return []
        if self._edges and self._is_chatter():
            return [*self._take_back(), self._put_out_of_order(LineTrouble.CHATTER, self._edges[-1].at_ns)]
        trace, changes = self._walk(now_ns)
        events = self._report_changes(trace, changes, now_ns)
        if self._timing.act_on_first_edge:
            events += self._announce(trace, now_ns)
        events += self._judge_stuck(now_ns)
        self.deadline_ns = self._next_deadline(trace)
        return events

    def verdict(
        self, at_ns: int, cut_ns: int, read: LevelRead | None, noisy: bool = False, latched: bool | None = None
    ) -> LineVerdict:
        """What the line was at `at_ns`, from the edges up to `cut_ns` (the instant plus the line's active time) alone.

        Edges after `cut_ns` are left out even where they have arrived: they need not have, and the answer must not
        depend on it. A leave that began before the instant and is neither over nor proved by `cut_ns` therefore
        straddles: whether it was one can't be known in the window. `read` None (no level could be had) contradicts.
        `latched`: the level in the board's snapshot on our command; where the run's beginning straddles, it decides.
        """
        trace, changes = self._walk(cut_ns)
        history = [self._base.run, *changes]
        before = [run for run in history if run.not_before_ns < at_ns]
        # A line whose history begins after the instant (it was out of order, or its chip away) proves nothing.
        run = before[-1] if before else Run(False, self._base.run.not_before_ns, self._base.run.not_after_ns)
        straddles = run.not_before_ns < at_ns <= run.not_after_ns
        decided = straddles and latched is run.active
        straddles &= not decided
        straddles |= trace.raw.active != trace.run.active and not trace.raw.active and trace.raw.not_before_ns < at_ns
        left_ns = next((r.not_after_ns for r in changes if r.not_before_ns >= at_ns and not r.active), None)
        raw = self._raw_as_of(read) if read is not None else None
        return LineVerdict(
            line=self._line,
            active=run.active,
            not_before_ns=run.not_before_ns,
            not_after_ns=run.not_after_ns,
            straddles=straddles,
            contradicted=read is None
            or noisy
            or not before
            or self.trouble is not None
            or (raw is not None and raw != read.active),
            left_ns=left_ns if run.active else None,
            arrived_after=not run.active and trace.raw.active and trace.raw.not_after_ns >= at_ns,
            latched=decided,
        )

    def earliest_of(self, at_ns: int) -> int:
        """The earliest that the edge reported as `at_ns` can have been: earlier only if a level read found it."""
        return next((edge.not_before_ns for edge in self._edges if edge.at_ns == at_ns), at_ns)

    def has_edge_within(self, first_ns: int, last_ns: int) -> bool:
        """Did the line move in this closed interval? (For the common-mode test over all lines.)"""
        place = bisect_left(self._edges, (first_ns, False), key=_key)
        return place < len(self._edges) and self._edges[place].at_ns <= last_ns

    def is_at_rest(self, now_ns: int) -> bool:
        """Is the raw level the reported one again?"""
        trace, _ = self._walk(now_ns)
        return trace.raw.active == trace.run.active == self._reported.active

    def worst_lateness_ns(self, since_ns: int) -> int:
        """Largest arrival minus edge time among kernel-stamped edges that arrived at or after `since_ns`; 0 if none."""
        stamped = (e for e in self._edges if e.not_before_ns == e.at_ns and e.arrived_ns >= since_ns)
        return max((e.arrived_ns - e.at_ns for e in stamped), default=0)

    # -- the walk -----------------------------------------------------------------------------------------------

    def _walk(self, until_ns: int) -> tuple[Trace, list[Run]]:
        """The trace at `until_ns` and every debounced change since the base, in order."""
        trace = self._base
        changes: list[Run] = []
        for edge in self._edges:
            if edge.at_ns > until_ns:
                break
            settled = trace.settled(edge.at_ns, self._timing)
            if settled is not trace:
                changes.append(settled.run)
            trace = settled.after(edge)
        settled = trace.settled(until_ns, self._timing)
        if settled is not trace:
            changes.append(settled.run)
        return settled, changes

    def _compact(self, now_ns: int) -> None:
        """Move what is too old to be re-ordered from the edges into the base."""
        count = bisect_left(self._edges, (now_ns - RETAIN_NS, False), key=_key)
        count = max(count, len(self._edges) - MAX_EDGES)
        for edge in self._edges[:count]:
            settled = self._base.settled(edge.at_ns, self._timing)
            self.spikes += settled.raw.active != settled.run.active
            self._base = settled.after(edge)
        del self._edges[:count]

    def _raw_as_of(self, read: LevelRead) -> bool | None:
        """The raw level by the edges at the read's instant; None if an edge lies inside the read."""
        first = bisect_right(self._edges, (read.started_ns, True), key=_key)
        last = bisect_right(self._edges, (read.ended_ns, True), key=_key)
        if first != last or read.started_ns < self._base.raw.not_after_ns:
            return None
        return self._edges[last - 1].active if last else self._base.raw.active

    # -- reports ------------------------------------------------------------------------------------------------

    def _report_changes(self, trace: Trace, changes: list[Run], now_ns: int) -> list[LineEvent]:
        events: list[LineEvent] = []
        for run in changes:
            if run.active != self._reported.active and run.not_after_ns > self._reported.not_after_ns:
                events += self._report(run)
        moved = changes and changes[-1].active and changes[-1] != self._reported and self._reported.active
        if moved and self._timing.act_on_first_edge and self._may_correct(now_ns):
            events += [self._glitch(self._reported.not_after_ns), *self._report(changes[-1])]
        if trace.run.active != self._reported.active and trace.raw.active == trace.run.active:
            # A late edge broke the run that was reported: it never proved stable.
            if self._timing.act_on_first_edge and self._reported.active and self._may_correct(now_ns):
                events.append(self._glitch(self._reported.not_after_ns))
            events += self._report(trace.raw)
        return events

    def _may_correct(self, now_ns: int) -> bool:
        """Is a press's time still open? It is until every edge of its stable time must have arrived."""
        return now_ns <= self._reported.not_after_ns + self._timing.active_ns + self._lateness_ns

    def _report(self, run: Run) -> list[LineEvent]:
        events: list[LineEvent] = []
        at_ns = run.not_after_ns
        if self._timing.act_on_first_edge and run.active and self._announced_ns != at_ns:
            events += [*self._take_back(), LineEdge(self._device, self._line, at_ns)]
        self._announced_ns = None
        self._reported = run
        if self.trouble is LineTrouble.STUCK:
            self.trouble = None
            events.append(LineHealthy(self._device, self._line, run.active, at_ns))
        decided_ns = at_ns + self._timing.stable_ns(run.active)
        events.append(LineChanged(self._device, self._line, run.active, run.not_before_ns, at_ns, decided_ns))
        return events

    def _announce(self, trace: Trace, now_ns: int) -> list[LineEvent]:
        if self._reported.active or trace.run.active:
            return []
        if self._announced_ns is None and trace.raw.active:
            self._announced_ns = trace.raw.not_after_ns
            return [LineEdge(self._device, self._line, self._announced_ns)]
        if not trace.raw.active and now_ns - trace.raw.not_after_ns >= self._timing.inactive_ns:
            return self._take_back()
        return []

    def _take_back(self) -> list[LineEvent]:
        announced_ns, self._announced_ns = self._announced_ns, None
        return [] if announced_ns is None else [self._glitch(announced_ns)]

    def _glitch(self, announced_ns: int) -> LineGlitch:
        ended_ns = next((e.at_ns for e in self._edges if e.at_ns > announced_ns and not e.active), announced_ns)
        return LineGlitch(self._device, self._line, announced_ns, ended_ns - announced_ns)

    def _next_deadline(self, trace: Trace) -> int | None:
        if trace.raw.active != trace.run.active or (self._announced_ns is not None and not trace.raw.active):
            return trace.raw.not_after_ns + self._timing.stable_ns(trace.raw.active)
        return self._stuck_at_ns()

    # -- out of order -------------------------------------------------------------------------------------------

    def _is_chatter(self) -> bool:
        newest_ns = self._edges[-1].at_ns
        first = bisect_right(self._edges, (newest_ns - CHATTER_WINDOW_NS, True), key=_key)
        if len(self._edges) - first <= self._timing.chatter_changes:
            return False
        # Noise on all lines at once is nobody's chatter, except on a line that acts at once: that one is of no use
        # while it flickers, whatever the cause, and being out of order is its safe side.
        noise = () if self._timing.act_on_first_edge else self._noise
        own = sum(not any(a <= e.at_ns <= b for a, b in noise) for e in self._edges[first:])
        return own > self._timing.chatter_changes

    def _stuck_at_ns(self) -> int | None:
        if self._timing.stuck_ns is None or not self._reported.active or self.trouble is not None:
            return None
        return max(self._reported.not_after_ns, self._lock_out_ns) + self._timing.stuck_ns

    def _judge_stuck(self, now_ns: int) -> list[LineEvent]:
        stuck_at_ns = self._stuck_at_ns()
        if stuck_at_ns is None or now_ns < stuck_at_ns:
            return []
        return [self._put_out_of_order(LineTrouble.STUCK, stuck_at_ns)]

    def _put_out_of_order(self, trouble: LineTrouble, at_ns: int) -> LineTroubled:
        self.trouble = trouble
        return LineTroubled(self._device, self._line, trouble, at_ns)

    def _try_recovery(self, read: LevelRead) -> list[LineEvent]:
        newest_ns = self._edges[-1].at_ns if self._edges else self._base.raw.not_after_ns
        if read.started_ns - newest_ns < CHATTER_WINDOW_NS or self._raw_as_of(read) not in (read.active, None):
            # Not quiet yet; or quiet, and the edges are still wrong: put the level in place and wait once more.
            if self._raw_as_of(read) not in (read.active, None):
                self._edges.append(Edge(read.ended_ns, read.active, newest_ns, read.ended_ns))
                self._edges.sort(key=_key)
            return []
        return self._restarted(read)

    def _restarted(self, read: LevelRead) -> list[LineEvent]:
        self.trouble = None
        self._restart(read)
        return [LineHealthy(self._device, self._line, read.active, read.ended_ns)]

    def _fault(self, read: LevelRead) -> list[LineEvent]:
        if self.trouble is LineTrouble.REPORTED:
            return []
        return [*self._take_back(), self._put_out_of_order(LineTrouble.REPORTED, read.ended_ns)]


def _key(edge: Edge) -> tuple[int, bool]:
    return (edge.at_ns, edge.active)
