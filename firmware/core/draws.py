"""Random draws of a game (drawn odds, multipliers, bonus boards): asked of the shell, answered by an event.

Rules:
* The core never draws. A question (`Draw`) and its answer (`Drawn`) are both in the journal, so a replay needs no
  generator, and anybody can see what was asked and what came.
* A question is answered once: it stays in the state until then, is asked again after a restart, and an answer to what
  is not asked changes nothing.
"""

from __future__ import annotations

from firmware.core.chances import Pick
from firmware.core.draw_events import Drawn
from firmware.core.effects import Draw
from firmware.core.state import OpenDraw
from firmware.core.turn import Turn


class WrongDrawError(Exception):
    """The generator has answered what can't be drawn: a fault of the program, never of the table."""


def ask(turn: Turn, purpose: str, picks: tuple[Pick, ...]) -> int:
    """Ask for one value of each pick; the number of the draw, which the answer carries."""
    number = turn.state.next_draw
    turn.set(draws=(*turn.state.draws, OpenDraw(number, purpose, picks)), next_draw=number + 1)
    turn.emit(Draw(number, purpose, picks))
    return number


def answered(turn: Turn, event: Drawn) -> bool:
    """Take an answer off the list; False for one that was not waited for. Raises WrongDrawError."""
    found = next((draw for draw in turn.state.draws if draw.draw == event.draw), None)
    if found is None:
        return False
    wrong = [
        f"{value!r} of {pick.name}"
        for value, pick in zip(event.values, found.picks, strict=False)
        if all(share.value != value for share in pick.shares)
    ]
    if wrong or len(event.values) != len(found.picks):
        raise WrongDrawError(f"draw {event.draw}: {len(event.values)} values of {len(found.picks)}, wrong are {wrong}")
    turn.set(draws=tuple(draw for draw in turn.state.draws if draw is not found))
    return True


def started(turn: Turn) -> None:
    """What a stop has left unanswered is asked again: nobody has seen an answer that is not in the journal."""
    for draw in turn.state.draws:
        turn.emit(Draw(draw.draw, draw.purpose, draw.picks))
