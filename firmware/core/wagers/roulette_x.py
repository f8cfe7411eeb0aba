"""Roulette X, the straight wager with illuminated numbers: § 617b.5.

Readings that this wager keeps to: L1 (each illuminated number has odds of its own, which may repeat), L2 (either wheel,
as the paytable allows). How often which odds are drawn is the Rules Submission's.
"""

from __future__ import annotations

from enum import StrEnum

from firmware.core.errors import ErrorCode, SettlementError
from firmware.core.pays import DrawnToOne
from firmware.core.wagers.spun import Spun
from firmware.core.wagers.wager import LOST, Play, Seat, Stage, Verdict, Wager, Won

LEAST_ILLUMINATED, MOST_ILLUMINATED = 2, 5
"""617b.5(d): how many numbers the generator selects."""


class XLine(StrEnum):
    MULTIPLIER = "multiplier"
    STRAIGHT = "straight"


_STRAIGHT = Won((XLine.STRAIGHT,))


def roulette_x(dealt: Spun, seat: Seat) -> Verdict:
    """617b.5(e), (f): the ball rests on the wager's number, illuminated or not."""
    if dealt.result != seat.number:
        return LOST
    odds = (dealt.multipliers or {}).get(dealt.result)
    return _STRAIGHT if odds is None else Won((XLine.MULTIPLIER,), odds=odds)


ROULETTE_X_STRAIGHT = Wager("roulette_x_straight", Stage.FINAL, tuple(XLine), roulette_x, on_number=True)


def check_roulette_x(play: Play[Spun]) -> None:
    """Refuse fewer or more illuminated numbers than 617b.5(d) allows, odds that the table does not list, and a wager
    without them. Raises `SettlementError`: `bad_outcome`, `missing_field`.
    """
    multipliers = play.dealt.multipliers
    if multipliers is None:
        if any(placed.wager == ROULETTE_X_STRAIGHT.name for placed in play.wagers):
            raise SettlementError(
                ErrorCode.MISSING_FIELD, "outcome.multipliers: not given; roulette_x_straight needs the numbers lit"
            )
        return
    if not LEAST_ILLUMINATED <= len(multipliers) <= MOST_ILLUMINATED:
        raise SettlementError(
            ErrorCode.BAD_OUTCOME,
            f"outcome.multipliers: got {len(multipliers)} numbers, expected {LEAST_ILLUMINATED} to {MOST_ILLUMINATED} "
            "(617b.5(d))",
        )
    paytable = play.offered.get(ROULETTE_X_STRAIGHT.name)
    if paytable is None:
        return
    line = paytable.by_line[XLine.MULTIPLIER]
    for number, odds in multipliers.items():
        if isinstance(line.pay, DrawnToOne) and not line.pay.allows(odds):
            raise SettlementError(
                ErrorCode.BAD_OUTCOME,
                f"outcome.multipliers.{number.name}: got {odds}, but paytable {paytable.name!r} has {line.pay} "
                f"({line.section})",
            )
