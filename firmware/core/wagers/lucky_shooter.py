"""Lucky Shooter, other points rolled one after another once a point is set: § 623b.2.

Readings that this wager keeps to: J1 (a 7 or 11 on a come-out roll: "1 for 1" is the stake, which goes on working; a
setting), J2 (five new numbers, then one more roll for the established point), J3 (another roll then pays five of five),
J4 (a 7, 2, 3, 11, 12, a repeat or the point ends the run, which is settled by its count), J5 ("N/A" loses), J6 (two
numbers suffice where the table has the row), J7 (2, 3 and 12 on a come-out roll lose), J8 (each come-out roll of 7 or
11 while the wager works).
"""

from __future__ import annotations

from enum import StrEnum

from firmware.core.wagers.rolled import POINTS, SEVEN, Rolled
from firmware.core.wagers.wager import Interim, Lost, Pending, Seat, Stage, Verdict, Wager, Won


class ShooterLine(StrEnum):
    FIVE_AND_POINT = "five_and_point"
    FIVE = "five"
    FOUR = "four"
    THREE = "three"
    TWO = "two"
    SEVEN_OR_ELEVEN = "seven_or_eleven"


_BY_COUNT = {5: ShooterLine.FIVE, 4: ShooterLine.FOUR, 3: ShooterLine.THREE, 2: ShooterLine.TWO}
_NATURALS = frozenset({SEVEN, 11})


def lucky_shooter(dealt: Rolled, seat: Seat) -> Verdict:
    """623b.2(d), (e): the come-out rolls up to a point, then the run of other points."""
    totals = [sum(roll) for roll in dealt.rolls]
    interim: tuple[Interim, ...] = ()
    for index, total in enumerate(totals):
        if total in POINTS:
            return _run(total, totals[index + 1 :], interim)
        if total not in _NATURALS:
            return Lost(interim)
        if seat.readings.J1 == "c":
            return Won((ShooterLine.SEVEN_OR_ELEVEN,))
        interim += (Interim(ShooterLine.SEVEN_OR_ELEVEN, paid=seat.readings.J1 == "a"),)
    return Pending(interim)


def _run(point: int, totals: list[int], interim: tuple[Interim, ...]) -> Verdict:
    """623b.2(d)(3): what the rolls after the point come to."""
    others = POINTS - {point}
    made: set[int] = set()
    for total in totals:
        if total in others and total not in made:
            made.add(total)
        elif made == others and total == point:
            return Won((ShooterLine.FIVE_AND_POINT,), interim=interim)
        else:
            line = _BY_COUNT.get(len(made))
            return Lost(interim) if line is None else Won((line,), interim=interim)
    return Pending(interim)


LUCKY_SHOOTER = Wager("lucky_shooter", Stage.FINAL, tuple(ShooterLine), lucky_shooter, interim=True)
