"""Blazing 7's on 7, 17 and 27, with its bonus round of three balls: § 617b.2.

Readings that this wager keeps to: Z1 (it is a Roulette table), Z2 (numbers go before a colour), Z3 (two and one of
three are exact), Z4 (a green compartment breaks the colour), Z5 (the balls are read when they rest in three
compartments), Z6 (one bonus round a spin, the same for every wager).
"""

from __future__ import annotations

from enum import StrEnum

from firmware.core.errors import ErrorCode, SettlementError
from firmware.core.roulette_wheel import POCKETS
from firmware.core.wagers.spun import Spun
from firmware.core.wagers.wager import LOST, Play, Seat, Stage, Verdict, Wager, Won

SEVENS = frozenset(POCKETS[name] for name in ("7", "17", "27"))
"""The numbers that win and trigger the bonus round, and that pay in it."""

BALLS = 3


class BlazingLine(StrEnum):
    ALL_THREE = "all_three"
    TWO_OF_THREE = "two_of_three"
    ONE_OF_THREE = "one_of_three"
    ONE_COLOR = "one_color"
    OTHER = "other"


_BY_SEVENS = {
    3: Won((BlazingLine.ALL_THREE,)),
    2: Won((BlazingLine.TWO_OF_THREE,)),
    1: Won((BlazingLine.ONE_OF_THREE,)),
}
_ONE_COLOR = Won((BlazingLine.ONE_COLOR, BlazingLine.OTHER))
_OTHER = Won((BlazingLine.OTHER,))


def blazing_7s(dealt: Spun, _seat: Seat) -> Verdict:
    """617b.2(e), (j): wins on 7, 17 or 27, by where the bonus balls rest; where a table has no row for one colour, that
    is Other.
    """
    if dealt.result not in SEVENS:
        return LOST
    balls = dealt.bonus_balls or ()
    sevens = sum(ball in SEVENS for ball in balls)
    if sevens:
        return _BY_SEVENS[sevens]
    one_colour = len({ball.colour for ball in balls}) == 1  # never green: a wheel has two green compartments at most
    return _ONE_COLOR if one_colour else _OTHER


BLAZING_7S_ROULETTE = Wager("blazing_7s_roulette", Stage.FINAL, tuple(BlazingLine), blazing_7s)


def check_blazing_7s(play: Play[Spun]) -> None:
    """Refuse balls other than three in three compartments, balls without a spin that triggers them, and a winning wager
    without them. Raises `SettlementError`: `bad_outcome`, `missing_field`.
    """
    spins, balls = play.dealt.spins, play.dealt.bonus_balls
    if balls is not None:
        shown = " ".join(ball.name for ball in balls)
        if len(balls) != BALLS or len(set(balls)) != BALLS:
            raise SettlementError(
                ErrorCode.BAD_OUTCOME,
                f"outcome.bonus_balls: got {shown or 'none'}, expected three balls in three different compartments; "
                "balls that share one are relaunched before the result counts (617b.2(f), (h))",
            )
        if SEVENS.isdisjoint(spins):
            raise SettlementError(
                ErrorCode.BAD_OUTCOME,
                f"outcome.bonus_balls: got {shown}, but no spin rests on 7, 17 or 27: there is no bonus round "
                "(617b.2(e))",
            )
    elif not SEVENS.isdisjoint(spins) and any(placed.wager == BLAZING_7S_ROULETTE.name for placed in play.wagers):
        raise SettlementError(
            ErrorCode.MISSING_FIELD,
            f"outcome.bonus_balls: not given; {spins[0].name} wins and triggers the bonus round (617b.2(e))",
        )
