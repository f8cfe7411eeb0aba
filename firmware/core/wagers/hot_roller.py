"""Hot Roller, numbers made in every way before a 7: § 623b.1.

Readings that this wager keeps to: K1 (2-6 is an eight; nine is 3-6 and 4-5), K2 (a combination is a completed number,
not a pair of dice), K3 (decided by the count at the 7, also on a later come-out roll; a setting), K4 (taken only with
no markers on the layout: the rolls begin with the wager), K5 (six completed numbers wait for the 7), K6 (the count
follows the table until a 7).
"""

from __future__ import annotations

from firmware.core.wagers.rolled import SEVEN, Roll, Rolled, point_after
from firmware.core.wagers.wager import LOST, PENDING, Seat, Stage, Verdict, Wager, Won

COMBINATIONS: dict[int, frozenset[Roll]] = {
    4: frozenset({(1, 3), (2, 2)}),
    5: frozenset({(1, 4), (2, 3)}),
    6: frozenset({(1, 5), (2, 4), (3, 3)}),
    8: frozenset({(2, 6), (3, 5), (4, 4)}),
    9: frozenset({(3, 6), (4, 5)}),
    10: frozenset({(4, 6), (5, 5)}),
}
"""623b.1(a)(2)(iii): the dice shown below each number of the layout, the lower one first."""

LINES = {6: "all_6", 5: "any_5", 4: "any_4", 3: "any_3", 2: "any_2"}
"""The line for each count of completed numbers."""

_WON = {count: Won((line,)) for count, line in LINES.items()}


def hot_roller(dealt: Rolled, seat: Seat) -> Verdict:
    """623b.1(d)-(g): by the count of numbers completed when the 7 comes."""
    thrown: set[Roll] = set()
    point: int | None = None
    for roll in dealt.rolls:
        total = sum(roll)
        if total == SEVEN:
            if point is None and seat.readings.K3 == "lose":
                return LOST
            return _WON.get(sum(dice <= thrown for dice in COMBINATIONS.values()), LOST)
        thrown.add(roll if roll[0] <= roll[1] else (roll[1], roll[0]))
        point = point_after(point, total)
    return PENDING


HOT_ROLLER = Wager("hot_roller", Stage.FINAL, tuple(LINES.values()), hot_roller)
