"""The 5 Treasures: Fortune 7, Golden 8, Heavenly 9, Blazing 7's and Cover All: § 631b.3(f)-(h).

Readings that these functions keep to:
T1 Blazing 7's takes both hands at seven. T2 with two cards in one and three in the other it loses (a setting: the
two-card row). T3 where the table prints N/A for two-card sevens they lose (a setting: push). T4 Cover All wins with a
wager that wins under the same table; a hit that the table prints N/A does not count (a setting: it does). T5 Cover All
is paid once. T6 Fortune 7 and Golden 8 need their hand to win, Heavenly 9 and Blazing 7's do not.
"""

from __future__ import annotations

from enum import StrEnum

from firmware.core.baccarat import points
from firmware.core.pays import Unpaid
from firmware.core.wagers.two_hands import TwoHands, is_three_card
from firmware.core.wagers.wager import LOST, Pushed, Seat, Stage, Verdict, Wager, Won


class TreasureLine(StrEnum):
    FORTUNE_7 = "fortune_7"
    GOLDEN_8 = "golden_8"
    BOTH = "both"
    EITHER = "either"
    THREE_CARD = "three_card"
    TWO_CARD = "two_card"
    COVER_ALL = "cover_all"


_WON = {line: Won((line,)) for line in TreasureLine}


def fortune_7(dealt: TwoHands, _seat: Seat) -> Verdict:
    """631b.3(f)(1): the Banker hand wins with three cards that count seven."""
    won = is_three_card(dealt.banker, 7) and points(dealt.player) < 7
    return _WON[TreasureLine.FORTUNE_7] if won else LOST


def golden_8(dealt: TwoHands, _seat: Seat) -> Verdict:
    """631b.3(f)(2): the Player hand wins with three cards that count eight."""
    won = is_three_card(dealt.player, 8) and points(dealt.banker) < 8
    return _WON[TreasureLine.GOLDEN_8] if won else LOST


def heavenly_9(dealt: TwoHands, _seat: Seat) -> Verdict:
    """631b.3(f)(3): three cards that count nine, in both hands or in either."""
    nines = is_three_card(dealt.banker, 9) + is_three_card(dealt.player, 9)
    return (LOST, _WON[TreasureLine.EITHER], _WON[TreasureLine.BOTH])[nines]


def blazing_7s(dealt: TwoHands, seat: Seat) -> Verdict:
    """631b.3(f)(4): both hands count seven, with as many cards; what T2 and T3 leave open is a setting."""
    line = _sevens(dealt, seat)
    if line is None:
        return LOST
    if seat.readings.T3 == "push" and seat.paytable.by_line[line].pay is Unpaid.NOT_IN_TABLE:
        return Pushed(line)
    return _WON[line]


def _sevens(dealt: TwoHands, seat: Seat) -> TreasureLine | None:
    if points(dealt.player) != 7 or points(dealt.banker) != 7:
        return None
    if len(dealt.player) == len(dealt.banker):
        return TreasureLine.THREE_CARD if len(dealt.player) == 3 else TreasureLine.TWO_CARD
    return TreasureLine.TWO_CARD if seat.readings.T2 == "two_card" else None


def cover_all(dealt: TwoHands, seat: Seat) -> Verdict:
    """631b.3(f)(5): any of the other four wins, by the rows that the same table pays."""
    others = (fortune_7(dealt, seat), golden_8(dealt, seat), heavenly_9(dealt, seat))
    sevens = _sevens(dealt, seat)
    if sevens is not None and sevens in seat.paytable.sister_lines_unpaid and seat.readings.T4 == "lose":
        sevens = None
    won = sevens is not None or any(isinstance(verdict, Won) for verdict in others)
    return _WON[TreasureLine.COVER_ALL] if won else LOST


FORTUNE_7 = Wager("fortune_7", Stage.FINAL, (TreasureLine.FORTUNE_7,), fortune_7)
GOLDEN_8 = Wager("golden_8", Stage.FINAL, (TreasureLine.GOLDEN_8,), golden_8)
HEAVENLY_9 = Wager("heavenly_9", Stage.FINAL, (TreasureLine.BOTH, TreasureLine.EITHER), heavenly_9)
BLAZING_7S = Wager(
    "blazing_7s_baccarat", Stage.FINAL, (TreasureLine.THREE_CARD, TreasureLine.TWO_CARD), blazing_7s, by_paytable=True
)
COVER_ALL = Wager("cover_all", Stage.FINAL, (TreasureLine.COVER_ALL,), cover_all, by_paytable=True)
