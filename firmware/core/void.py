"""A void: wagers go back, every increment is reversed by an entry of its own, open awards fall (X22).

The same for every game. A round of which an award has been validated can't be voided any more.
"""

from __future__ import annotations

from firmware.core import awards, lockout
from firmware.core.effects import RoundVoided
from firmware.core.state import Phase, State
from firmware.core.turn import STOPPABLE, Turn

VOIDABLE = STOPPABLE | {Phase.STOPPED}
"""Phases of a locked round that is not yet cleared."""


def may_void(state: State) -> bool:
    """A locked round that nobody has been paid an award of the cards for, and about which the generator is not asked at
    this moment: what it answers would stand (M9)."""
    asked = state.mystery is not None and state.mystery.undecided
    return state.phase in VOIDABLE and not awards.any_decided(state) and not asked


def void(turn: Turn, why: str) -> None:
    for wager in turn.state.wagers:
        lockout.reverse(turn, wager)
    awards.void(turn)
    turn.emit(RoundVoided(turn.state.round, why))
    turn.set(phase=Phase.VOIDED, resume=None, timers=(), wagers=(), outcomes=(), called=(), noted=())
