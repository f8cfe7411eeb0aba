"""One queue: every event gets its number, goes through the core, and is durable before anything of it is shown.

Rules:
* `post` never blocks. The loop never waits for a disk: while a commit is under way events are stepped and gathered, and
  go into the next transaction together, in order, each with its decision, the state once.
* Effects are carried out only when their transaction is durable, in its order.
* A commit that fails or takes longer than `COMMIT_LIMIT_S`: nothing that it held is shown, the table shows CLOSED:
  JOURNAL, the connection is dropped and the file verified before the next write. Events are kept meanwhile and stepped
  again from the last durable state; none is lost and none is counted twice.
* An exception of the core is a fault of the program: it ends the daemon, which starts again from the journal.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

from firmware.app import clock
from firmware.app.program import TableJournal, TableOutcome
from firmware.app.wall import WallClock
from firmware.core.effects import Effect, RoundEnded
from firmware.core.events import Event, JournalResumed, Tick, TimerFired
from firmware.core.machine_events import WallClockStepped
from firmware.core.rules import TableRules
from firmware.core.state import State, Timer
from firmware.core.step import step
from firmware.journal.errors import JournalError
from firmware.journal.records import Batch, Entry
from firmware.journal.writer import CommitFailed, Committed, Opened, OpenFailed

log = logging.getLogger(__name__)

COMMIT_LIMIT_S = 2.0
REOPEN_AFTER_S = 1.0
MOST_KEPT_EVENTS = 10_000
"""Events kept while the journal can't be written; more means that nobody serves the table: the daemon ends."""


@dataclass(slots=True)
class _Transaction:
    """Events on their way to the disk, and what becomes of them when they are there."""

    entries: list[Entry[Event, Effect]]
    state: State
    posted_ns: int


class Engine:
    """The table's state, in memory and in the journal."""

    def __init__(
        self,
        rules: TableRules,
        state: State,
        last_seq: int,
        journal: TableJournal,
        perform: Callable[[Entry[Event, Effect], State], None],
        show_journal_fault: Callable[[str], None],
        on_tick: Callable[[Tick], None],
        *,
        wall: WallClock,
        commit_limit_s: float = COMMIT_LIMIT_S,
        reopen_after_s: float = REOPEN_AFTER_S,
    ) -> None:
        """`state` is the one with which the journal's open segment begins; `last_seq` the last entry before it."""
        self.rules = rules
        self.durable = state
        """The state as of the last commit: the only one that may be shown."""
        self.head = ""
        """Hash of the journal's last row, hex."""
        self.commits = 0
        self.slowest_commit_ns = 0
        self._state = state
        self._seq = last_seq
        self._journal = journal
        self._perform = perform
        self._show_journal_fault = show_journal_fault
        self._on_tick = on_tick
        self._wall = wall
        self._commit_limit_s = commit_limit_s
        self._reopen_after_s = reopen_after_s
        self._waiting: deque[Event] = deque()
        self._wake = asyncio.Event()
        self._outcomes: deque[TableOutcome] = deque()
        self._gathered: _Transaction | None = None
        self._flying: _Transaction | None = None
        self._submitted_s = 0.0  # when the transaction on its way was handed over, by the loop's clock
        self._limit: asyncio.TimerHandle | None = None
        self._due: Timer | None = None  # the state's timer that `_timer` waits for
        self._timer: asyncio.TimerHandle | None = None
        self._fault = ""
        self._reopening = False
        self._drained = asyncio.Event()

    @property
    def fault(self) -> str:
        """Why the journal can't be written now; empty while it can."""
        return self._fault

    @property
    def queue_length(self) -> int:
        return len(self._waiting)

    def post(self, event: Event) -> None:
        """Put an event into the queue. On the loop's thread only."""
        if len(self._waiting) >= MOST_KEPT_EVENTS:
            raise JournalError(f"{MOST_KEPT_EVENTS} events wait for a journal that can't be written: {self._fault}")
        self._waiting.append(event)
        self._drained.clear()
        self._wake.set()

    def outcome(self, outcome: TableOutcome) -> None:
        """What became of a transaction. On the loop's thread only."""
        self._outcomes.append(outcome)
        self._wake.set()

    async def run(self) -> None:
        """Serve for ever. Ends only by an exception: a fault of the program."""
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._outcomes:
                self._take_outcome(self._outcomes.popleft())
            if self._fault:
                self._answer_ticks()
            else:
                while self._waiting:
                    self._step(self._waiting.popleft())
                self._submit()
                self._set_timer()
            if self._fault or self._flying is None:
                self._drained.set()

    async def drained(self) -> None:
        """Wait until everything posted so far is durable and handed to the outputs, or the journal has failed."""
        await self._drained.wait()

    # --- through the core -------------------------------------------------------------------------------------------

    def _step(self, event: Event) -> None:
        state, effects = step(self.rules, self._state, event)
        if isinstance(event, Tick):
            self._on_tick(event)
        elif isinstance(event, WallClockStepped):
            self._wall.found(event)
        if state is self._state and not effects:
            return
        self._state = state
        self._seq += 1
        ended = next((e.round for e in effects if isinstance(e, RoundEnded)), None)
        now_ns = clock.monotonic_ns()
        entry = Entry(self._seq, now_ns, self._wall.at(now_ns), event, effects, ended)
        if self._gathered is None:
            self._gathered = _Transaction([entry], state, now_ns)
        else:
            self._gathered.entries.append(entry)
            self._gathered.state = state

    def _answer_ticks(self) -> None:
        """While the journal can't be written ticks still go round: the daemon lives and says so, and must not be
        ended by the watchdog with events in its keeping."""
        kept = [event for event in self._waiting if not isinstance(event, Tick)]
        ticks = [event for event in self._waiting if isinstance(event, Tick)]
        self._waiting = deque(kept)
        for tick in ticks:
            step(self.rules, self._state, tick)
            self._on_tick(tick)

    def _submit(self) -> None:
        if self._flying is None and self._gathered is not None:
            self._flying, self._gathered = self._gathered, None
            self._submitted_s = asyncio.get_running_loop().time()
            if self._limit is None:
                self._watch_commit(self._commit_limit_s)
            self._journal.submit(Batch(tuple(self._flying.entries), self._flying.state))

    def _watch_commit(self, after_s: float) -> None:
        """One look for many commits: cancelled timers would pile up in the loop, each until its time."""
        self._limit = asyncio.get_running_loop().call_later(after_s, self._look_at_commit)

    def _look_at_commit(self) -> None:
        self._limit = None
        if self._flying is None:
            return
        left_s = self._submitted_s + self._commit_limit_s - asyncio.get_running_loop().time()
        if left_s > 0:
            self._watch_commit(left_s)
        else:
            self._overdue()

    def _set_timer(self) -> None:
        """Wake for the earliest of the state's timers; it fires as an event like any other."""
        due = min(self._state.timers, key=lambda t: t.due_ns, default=None)
        if due == self._due:
            return
        self._stop_timer()
        if due is not None:
            loop = asyncio.get_running_loop()
            self._due = due
            self._timer = loop.call_at(max(loop.time(), due.due_ns / 1e9), self._fire, due)

    def _fire(self, due: Timer) -> None:
        self._stop_timer()
        self.post(TimerFired(due.kind, due.due_ns, due.due_ns))

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._due = None

    # --- the journal's answers --------------------------------------------------------------------------------------

    def _take_outcome(self, outcome: TableOutcome) -> None:
        match outcome:
            case Committed():
                self._committed(outcome)
            case CommitFailed():
                if self._flying is not None and outcome.last_seq == self._flying.entries[-1].seq:
                    self._fail(str(outcome.error))
            case Opened():
                self._restored(outcome)
            case OpenFailed():
                self._reopening = False
                self._fault = str(outcome.error)
                self._show_journal_fault(self._fault)
                self._reopen_later()
            case _:
                assert_never(outcome)

    def _committed(self, outcome: Committed) -> None:
        flying = self._flying
        if self._fault or flying is None or outcome.last_seq != flying.entries[-1].seq:
            return  # answered after it was given up: what is in the file is seen when it is verified
        self._flying = None
        self.durable = flying.state
        self.head = outcome.head.hex()
        self.commits += 1
        self.slowest_commit_ns = max(self.slowest_commit_ns, clock.monotonic_ns() - flying.posted_ns)
        for entry in flying.entries:
            self._perform(entry, flying.state)

    def _overdue(self) -> None:
        self._journal.abandon()
        self._fail(f"a commit took over {self._commit_limit_s:g} s")

    def _fail(self, reason: str) -> None:
        if self._fault:
            return
        self._fault = reason
        log.error("journal: %s; the table is closed until it can be written", reason)
        if self._limit is not None:
            self._limit.cancel()
            self._limit = None
        self._stop_timer()
        self._show_journal_fault(reason)
        self._reopen_later()

    def _reopen_later(self) -> None:
        asyncio.get_running_loop().call_later(self._reopen_after_s, self._reopen)

    def _reopen(self) -> None:
        if self._reopening:
            return
        try:
            self._journal.reopen()
            self._reopening = True
        except JournalError as error:  # the old thread still sits in the disk: tried again until it has ended
            self._fault = str(error)
            self._reopen_later()

    def _restored(self, outcome: Opened) -> None:
        """The file is verified. What the failed transaction held is either all in it or not at all."""
        reason, self._fault, self._reopening = self._fault, "", False
        flying, gathered = self._flying, self._gathered
        self._flying = self._gathered = None
        last_seq = outcome.position.last_seq if outcome.position is not None else 0
        again: list[Event] = []
        if flying is not None:
            if last_seq >= flying.entries[-1].seq:  # it got in after all: carried out, as nothing of it was
                self.durable = flying.state
                for entry in flying.entries:
                    self._perform(entry, flying.state)
            else:
                again = [entry.event for entry in flying.entries]
        if gathered is not None:
            again += [entry.event for entry in gathered.entries]
        self._state = self.durable
        self._seq = last_seq
        log.warning("journal: written again after entry %d; %d events are stepped anew", last_seq, len(again))
        self._waiting.extendleft(reversed([JournalResumed(clock.monotonic_ns(), last_seq, reason), *again]))
        self._wake.set()
