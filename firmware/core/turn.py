"""One step under construction: the state so far and the effects so far. Lives only inside `step`.

What every part of the core does to a state, and nothing that only one of them does: set, emit, note, stop, time.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from firmware.core.effects import Effect, IrregularityNoted, KeyRefused
from firmware.core.events import TimerKind
from firmware.core.faults import IRREGULARITIES, Irregularity
from firmware.core.rules import TableRules
from firmware.core.state import Meter, Noted, Phase, Spot, State, Timer

STOPPABLE = frozenset({Phase.COUNTING, Phase.DEALING, Phase.AWARD, Phase.PLAYING, Phase.CHECKING, Phase.RESULT})
"""Phases of a round that the floorperson can resume or void. Outside of them nothing is stopped: there is no round, or
its wagers are not yet final, and what stops waits until they are. Other sets of phases of a locked round are made from
this one, so that a phase that is added is missing in none of them."""


class Turn:
    __slots__ = ("effects", "rules", "state")

    def __init__(self, rules: TableRules, state: State) -> None:
        self.rules = rules
        self.state = state
        self.effects: list[Effect] = []

    def set(self, **changes: Any) -> None:
        """Replace fields of the state; an unknown name raises `TypeError`."""
        self.state = replace(self.state, **changes)

    def emit(self, effect: Effect) -> None:
        self.effects.append(effect)

    def note(self, kind: Irregularity, position: int | None = None, detail: str = "") -> None:
        """Record an irregularity; keep it for the floorperson if it asks; if it stops, stop what round there is."""
        self.emit(IrregularityNoted(kind, position, detail))
        row = IRREGULARITIES[kind]
        entry = Noted(kind, position, detail)
        if row.asks and entry not in self.state.noted:
            self.set(noted=(*self.state.noted, entry))
        if row.stops:
            self._stop()

    def stop_for_noted(self) -> None:
        """Stop a round that has just become one for what was noted before it could be stopped."""
        if any(IRREGULARITIES[noted.kind].stops for noted in self.state.noted):
            self._stop()

    def _stop(self) -> None:
        if self.state.phase in STOPPABLE:
            self.set(resume=self.state.phase, phase=Phase.STOPPED)

    def withdraw(self, kind: Irregularity) -> None:
        """An irregularity that no longer asks for anything."""
        self.set(noted=tuple(n for n in self.state.noted if n.kind is not kind))

    def refuse(self, key: str, why: str) -> None:
        """A key has no effect now; the display says why (20 characters)."""
        self.emit(KeyRefused(key, why))
        self.set(hint=why)

    def put_meter(self, meter: Meter) -> None:
        """Replace the meter of the same name."""
        self.set(meters=tuple(meter if m.name == meter.name else m for m in self.state.meters))

    def start_timer(self, kind: TimerKind, due_ns: int) -> None:
        self.stop_timer(kind)
        self.set(timers=(*self.state.timers, Timer(kind, due_ns)))

    def stop_timer(self, kind: TimerKind) -> None:
        if any(t.kind is kind for t in self.state.timers):
            self.set(timers=tuple(t for t in self.state.timers if t.kind is not kind))

    def change_spots(self, change: Callable[[Spot], Spot]) -> None:
        """Apply `change` to every spot; it returns the same object where nothing changes."""
        spots = tuple(change(s) for s in self.state.spots)
        if any(a is not b for a, b in zip(spots, self.state.spots, strict=True)):
            self.set(spots=spots)

    def change_spot(self, position: int, wager: str, change: Callable[[Spot], Spot]) -> None:
        """Apply `change` to one spot. A spot that the rules don't have raises `LookupError`: the input map is wrong."""
        if not any(s.position == position and s.wager == wager for s in self.state.spots):
            raise LookupError(f"no spot {position}/{wager} on this table")
        self.change_spots(lambda s: change(s) if s.position == position and s.wager == wager else s)
