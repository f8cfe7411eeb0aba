"""B2B Roulette, the same number twice running: § 617b.1.

Readings that this wager keeps to: B1 (refused until the session has had a valid spin), B2 (the previous spin is the
last valid one), B4 (one draw of odds a spin, the same for every wager). B3: which odds how often is the Rules
Submission's; nothing here has a weight.
"""

from __future__ import annotations

from enum import StrEnum

from firmware.core.errors import ErrorCode, SettlementError
from firmware.core.pays import DrawnToOne
from firmware.core.wagers.spun import NoSpin, Spun
from firmware.core.wagers.wager import LOST, Play, Seat, Stage, Verdict, Wager, Won


class B2BLine(StrEnum):
    SAME_NUMBER = "same_number"


def b2b(dealt: Spun, _seat: Seat) -> Verdict:
    """617b.1(d): wins when the ball rests on the number of the previous spin; 0 and 00 are two numbers."""
    return Won((B2BLine.SAME_NUMBER,), odds=dealt.drawn_odds) if dealt.result == dealt.previous else LOST


B2B_ROULETTE = Wager("b2b_roulette", Stage.FINAL, tuple(B2BLine), b2b)


def check_b2b(play: Play[Spun]) -> None:
    """Refuse odds that 617b.1(e) does not list, and a wager without a previous spin (B1) or, where it won, without
    drawn odds. Raises `SettlementError`: `bad_outcome`, `bad_wager`, `missing_field`.
    """
    dealt = play.dealt
    paytable = play.offered.get(B2B_ROULETTE.name)
    if paytable is not None and dealt.drawn_odds is not None:
        line = paytable.by_line[B2BLine.SAME_NUMBER]
        if isinstance(line.pay, DrawnToOne) and not line.pay.allows(dealt.drawn_odds):
            raise SettlementError(
                ErrorCode.BAD_OUTCOME,
                f"outcome.drawn_odds: got {dealt.drawn_odds}, expected one of {line.pay} ({line.section})",
            )
    if all(placed.wager != B2B_ROULETTE.name for placed in play.wagers):
        return
    if dealt.previous is None:
        raise SettlementError(
            ErrorCode.MISSING_FIELD, "outcome.previous: not given; b2b_roulette needs the last valid result, or null"
        )
    if dealt.previous is NoSpin.YET:
        raise SettlementError(
            ErrorCode.BAD_WAGER,
            "wagers: b2b_roulette before the first valid spin of the session (outcome.previous is null); it is taken "
            "from the second spin on",
        )
    if dealt.result == dealt.previous and dealt.drawn_odds is None:
        raise SettlementError(
            ErrorCode.MISSING_FIELD, "outcome.drawn_odds: not given; the same number came twice, so odds were drawn"
        )
