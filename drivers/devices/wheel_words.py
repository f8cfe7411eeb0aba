"""From the words of a Slingshot 2, which `tgline` wheels share, to those of a spin."""

from __future__ import annotations

from drivers.codecs.cammegh_ss2 import Trouble, WheelState
from drivers.result_events import WheelPhase, WheelWarning

PHASES = {
    WheelState.BEFORE_GAME: WheelPhase.BEFORE_GAME,
    WheelState.PLACE_BETS: WheelPhase.PLACE_BETS,
    WheelState.BALL_IN_RIM: WheelPhase.BALL_IN_RIM,
    WheelState.NO_MORE_BETS: WheelPhase.NO_MORE_BETS,
    WheelState.WINNING_NUMBER: WheelPhase.WINNING_NUMBER,
    WheelState.CLOSED: WheelPhase.CLOSED,
}
_WARNINGS = {
    Trouble.BALL_REMOVED: WheelWarning.BALL_REMOVED,
    Trouble.BALL_DIRECTION: WheelWarning.WRONG_WAY,
    Trouble.FAULT: WheelWarning.FAULT,
    Trouble.LAUNCH_FAILED: WheelWarning.LAUNCH_FAILED,
}


def warnings_of(trouble: Trouble) -> frozenset[WheelWarning]:
    return frozenset(warning for flag, warning in _WARNINGS.items() if flag in trouble)
