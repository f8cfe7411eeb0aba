"""Lucky Nines: § 631b.4(d)-(e).

Readings that this function keeps to: N1 the rows count the nines of the initial four cards exactly, and one row pays.
N2 "same suit" means all nines that were counted. N3 the one nine is the nine of diamonds; beside another nine it is no
row of its own. N4 the wager is for automated tables, and is settled on four cards.
"""

from __future__ import annotations

from enum import StrEnum

from firmware.core.baccarat import Hand
from firmware.core.cards import Rank, Suit
from firmware.core.wagers.two_hands import TwoHands
from firmware.core.wagers.wager import LOST, Seat, Stage, Verdict, Wager, Won


class NinesLine(StrEnum):
    """In the order of the paytable."""

    FOUR_NINES = "four_nines"
    THREE_NINES_SAME_SUIT = "three_nines_same_suit"
    THREE_NINES = "three_nines"
    TWO_NINES_SAME_SUIT = "two_nines_same_suit"
    TWO_NINES = "two_nines"
    ONE_NINE_DIAMONDS = "one_nine_diamonds"
    ONE_NINE = "one_nine"


_WON = {line: Won((line,)) for line in NinesLine}

_SAME_SUIT = {2: NinesLine.TWO_NINES_SAME_SUIT, 3: NinesLine.THREE_NINES_SAME_SUIT}
_ANY_SUIT = {2: NinesLine.TWO_NINES, 3: NinesLine.THREE_NINES, 4: NinesLine.FOUR_NINES}


def lucky_nines(dealt: TwoHands, _seat: Seat) -> Verdict:
    """631b.4(d): how many of the initial four cards are nines, and of which suits."""
    initial = dealt.initial(Hand.PLAYER) + dealt.initial(Hand.BANKER)
    suits = [card.suit for card in initial if card.rank is Rank.NINE]
    if not suits:
        return LOST
    if len(suits) == 1:
        return _WON[NinesLine.ONE_NINE_DIAMONDS if suits[0] is Suit.DIAMONDS else NinesLine.ONE_NINE]
    if len(set(suits)) == 1 and len(suits) in _SAME_SUIT:
        return _WON[_SAME_SUIT[len(suits)]]
    return _WON[_ANY_SUIT[len(suits)]]


LUCKY_NINES = Wager("lucky_nines", Stage.INITIAL, tuple(NinesLine), lucky_nines)
