"""The journal's own affairs as the table sees them: that it is to be cleared, and that a new file took its place.

Rules:
* A journal is cleared only at a closed table with every award paid, ordered by two persons with both keys turned. From
  the order on the table can't be opened, until it has been cleared or the order is withdrawn.
* Numbers of rounds, awards, slips and draws go on after a clearing: none is ever given twice at a table. Where entries
  are lost, awards and slips go on far enough above for that.
* A new file's first entry says whose place it took and how. After a clearing, or after a copy was brought back, the
  floorperson must acknowledge it: the meters may not be what the sign showed before.
* With lost entries a mystery bonus's trigger may be known to everybody: it is given up, and another one drawn only when
  the journal is cleared.
"""

from __future__ import annotations

from msgspec.structs import replace

from firmware.core import meters, mystery
from firmware.core.awards import open_awards
from firmware.core.faults import Irregularity
from firmware.core.machine_events import JournalBegun, Succession, number_after
from firmware.core.order_data import Approval, Clearing, ClearJournal
from firmware.core.order_effects import ClearingOrdered
from firmware.core.rules import TableRules
from firmware.core.state import Phase, State, initial_state
from firmware.core.turn import Turn


def clear(turn: Turn, order: ClearJournal, approval: Approval) -> str | None:
    """Have the journal cleared, or not after all. None, or why it can't be."""
    state = turn.state
    match order.step:
        case Clearing.BEGIN if state.clearing is not None:
            return "the journal is to be cleared already"
        case Clearing.BEGIN if state.phase is not Phase.CLOSED:
            return "the table is not closed"
        case Clearing.BEGIN if open_awards(state):
            return "an award is not paid"
        case Clearing.BEGIN:
            turn.set(clearing=approval)
            turn.emit(ClearingOrdered(withdrawn=False))
        case Clearing.WITHDRAW if state.clearing is None:
            return "the journal is not to be cleared"
        case Clearing.WITHDRAW:
            turn.set(clearing=None)
            turn.emit(ClearingOrdered(withdrawn=True))
    return None


def cleared(rules: TableRules, before: State) -> State:
    """The state with which a cleared journal opens. What of the software was accepted, and by whose key, is no memory
    that a clearing may lose."""
    state = initial_state(rules)
    if state.mystery is not None and before.mystery is not None:
        state = replace(state, mystery=replace(state.mystery, draw=before.mystery.draw + 1))
    return replace(
        state,
        round=before.round,
        next_award=before.next_award,
        next_slip=before.next_slip,
        next_draw=before.next_draw,
        software=before.software,
    )


def begun(turn: Turn, event: JournalBegun) -> None:
    """The first entry of a file that took another's place: every meter as it goes on."""
    for meter in turn.state.meters:
        turn.emit(meters.recorded(meter))
    turn.set(next_award=number_after(event, turn.state.next_award), next_slip=number_after(event, turn.state.next_slip))
    if event.lost:
        mystery.give_up(turn, "entries are lost: its trigger may have been revealed")
    if event.how is not Succession.ROTATED:
        turn.note(Irregularity.JOURNAL_REPLACED, detail=f"{event.how}; generation {event.generation}")
