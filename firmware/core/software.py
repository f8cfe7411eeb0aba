"""What a table does about the software that it finds itself to run; the judging itself is `identity`."""

from __future__ import annotations

from firmware.core import identity
from firmware.core.effects import DifferencesAccepted, IdentityJudged
from firmware.core.faults import Irregularity
from firmware.core.machine_events import IdentityFound
from firmware.core.turn import Turn


def found(turn: Turn, event: IdentityFound) -> None:
    """Judged once a start, and on record each time, whether anything differs or not."""
    turn.withdraw(Irregularity.SOFTWARE_DIFFERS)
    now = identity.judge(turn.state.software, event.found, event.manifest)
    turn.set(software=now)
    turn.emit(IdentityJudged(now.open, now.accepted))
    if now.open:
        parts = ", ".join(difference.part for difference in now.open)
        turn.note(Irregularity.SOFTWARE_DIFFERS, detail=f"{parts}; mark {identity.mark(now.open)}")


def accept(turn: Turn, mark: str) -> str | None:
    """Two persons accept what `mark` stands for. None, or why it can't be done."""
    standing = turn.state.software
    if not standing.open:
        return "the software does not differ from what is approved or accepted"
    expected = identity.mark(standing.open)
    if mark.upper() != expected:
        return f"mark {mark} was given; what differs now has the mark {expected}: look at it again"
    turn.emit(DifferencesAccepted(standing.open))
    turn.set(software=identity.accept(standing))
    turn.withdraw(Irregularity.SOFTWARE_DIFFERS)
    return None
