"""The commission-free game: Player, Banker, Tie, the two Pair wagers and Lucky Six: §§ 627b.2,
629b.2, 631b.5; their subsections have the same letters.

Readings that these functions keep to: C1 Lucky Six loses when both hands are six, since it wins only if higher (a
setting: push). C3 Player and Banker wagers push on a tie (a setting: they lose). C4 a pair is two cards of one rank:
K-10 is none.
"""

from __future__ import annotations

from enum import StrEnum

from firmware.core.baccarat import Hand, points
from firmware.core.wagers.two_hands import TwoHands
from firmware.core.wagers.wager import LOST, PUSHED, Seat, Stage, Verdict, Wager, Won


class FreeLine(StrEnum):
    PLAYER_WINS = "player_wins"
    BANKER_WINS = "banker_wins"
    BANKER_WINS_WITH_SIX = "banker_wins_with_six"
    TIE = "tie"
    PAIR = "pair"
    TWO_CARD_SIX = "two_card_six"
    THREE_CARD_SIX = "three_card_six"


_WON = {line: Won((line,)) for line in FreeLine}


def player(dealt: TwoHands, seat: Seat) -> Verdict:
    """627b.2(h): wins when the Player hand is higher; on a tie as C3 says."""
    lead = points(dealt.player) - points(dealt.banker)
    if lead > 0:
        return _WON[FreeLine.PLAYER_WINS]
    return _on_tie(seat) if lead == 0 else LOST


def banker(dealt: TwoHands, seat: Seat) -> Verdict:
    """627b.2(i): wins when the Banker hand is higher, on a line of its own with a six; on a tie as C3 says."""
    score = points(dealt.banker)
    lead = score - points(dealt.player)
    if lead > 0:
        return _WON[FreeLine.BANKER_WINS_WITH_SIX if score == 6 else FreeLine.BANKER_WINS]
    return _on_tie(seat) if lead == 0 else LOST


def _on_tie(seat: Seat) -> Verdict:
    return PUSHED if seat.readings.C3 == "push" else LOST


def tie(dealt: TwoHands, _seat: Seat) -> Verdict:
    """627b.2(j): wins when both hands are equal."""
    return _WON[FreeLine.TIE] if points(dealt.player) == points(dealt.banker) else LOST


def player_pair(dealt: TwoHands, _seat: Seat) -> Verdict:
    """627b.2(c)(1): the Player hand's initial two cards are of one rank."""
    return _pair(dealt, Hand.PLAYER)


def banker_pair(dealt: TwoHands, _seat: Seat) -> Verdict:
    """627b.2(c)(2): the Banker hand's initial two cards are of one rank."""
    return _pair(dealt, Hand.BANKER)


def _pair(dealt: TwoHands, hand: Hand) -> Verdict:
    first, second = dealt.initial(hand)
    return _WON[FreeLine.PAIR] if first.rank is second.rank else LOST


def lucky_six(dealt: TwoHands, seat: Seat) -> Verdict:
    """627b.2(c)(3), (k): the Banker hand is a six and higher, by its number of cards; six against six as C1 says."""
    if points(dealt.banker) != 6:
        return LOST
    against = points(dealt.player)
    if against == 6:
        return PUSHED if seat.readings.C1 == "push" else LOST
    if against > 6:
        return LOST
    return _WON[FreeLine.TWO_CARD_SIX if len(dealt.banker) == 2 else FreeLine.THREE_CARD_SIX]


PLAYER = Wager("player", Stage.FINAL, (FreeLine.PLAYER_WINS,), player)
BANKER = Wager("banker", Stage.FINAL, (FreeLine.BANKER_WINS, FreeLine.BANKER_WINS_WITH_SIX), banker)
TIE = Wager("tie", Stage.FINAL, (FreeLine.TIE,), tie)
PLAYER_PAIR = Wager("player_pair", Stage.INITIAL, (FreeLine.PAIR,), player_pair)
BANKER_PAIR = Wager("banker_pair", Stage.INITIAL, (FreeLine.PAIR,), banker_pair)
LUCKY_SIX = Wager("lucky_six", Stage.FINAL, (FreeLine.TWO_CARD_SIX, FreeLine.THREE_CARD_SIX), lucky_six)
