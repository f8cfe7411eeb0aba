"""Royal 9, line by line: each row is one reading of 627b.3(e), seen from the positions whose combinations stand in
`LAYOUT`.
"""

from __future__ import annotations

import pytest

from firmware.core.cards import Card
from firmware.core.wagers.royal_9 import royal_9
from firmware.core.wagers.two_hands import TwoHands
from firmware.core.wagers.wager import LOST, Seat, Table, Won
from firmware.settings.paytables import load_catalogue

LAYOUT = {
    1: frozenset(map(Card.parse, ("KS", "9H"))),
    2: frozenset(map(Card.parse, ("KD", "9D"))),
}

PAYTABLE = load_catalogue("minibaccarat").paytable("minibaccarat", "royal_9_progressive", "5")
"""Any: the lines of these wagers do not depend on it."""


@pytest.mark.parametrize(
    ("player", "banker", "first", "second"),
    [
        ("AS 8H", "4D 5C", "", ""),  # R1: nine points are no Royal 9
        ("TS 9H", "2D 7C", "", ""),  # R1: a ten is no face card
        ("KS QH", "9D 9C", "", ""),  # a face card and a nine in one hand
        ("JS 9H", "2D 2C", "any_royal_9", "any_royal_9"),
        ("2D 2C", "9H QS", "any_royal_9", "any_royal_9"),  # R2: either order, either hand
        ("KC 9C", "2D 2C", "any_suited_royal_9", "any_suited_royal_9"),
        ("2D 2C", "JH 9H", "any_suited_royal_9", "any_suited_royal_9"),
        ("JS 9H", "QD 9C", "royal_9_tie", "royal_9_tie"),  # R12: the tie alone
        ("JS 9S", "QD 9C", "royal_9_tie", "royal_9_tie"),  # R13: one suited is not enough
        ("JS 9H", "QD 9D", "royal_9_tie", "royal_9_tie"),
        ("JS 9S", "QH 9H", "suited_royal_9_tie", "suited_royal_9_tie"),
        ("9H KS", "2D 2C", "minor_jackpot any_royal_9", "any_royal_9"),  # R3, R4
        ("2D 2C", "KS 9H", "major_jackpot any_royal_9", "any_royal_9"),
        ("KH 9S", "2D 2C", "any_royal_9", "any_royal_9"),  # R3: the suits the other way round
        ("KS 9H", "KD 9D", "minor_jackpot royal_9_tie", "major_jackpot royal_9_tie"),  # R11
        ("KD 9D", "QH 9H", "suited_royal_9_tie", "minor_jackpot suited_royal_9_tie"),  # R7
        ("KS 9H", "9H KS", "mega_jackpot", "mega_envy"),  # R5, R8, R9
        ("KD 9D", "KD 9D", "mega_envy", "mega_jackpot"),  # R10: not the Suited Tie
        ("KC 9H", "KC 9H", "royal_9_tie", "royal_9_tie"),  # the same hand, but no position's
        ("KC 9C", "KC 9C", "suited_royal_9_tie", "suited_royal_9_tie"),
        ("QS 9H", "QS 9H", "royal_9_tie", "royal_9_tie"),
        ("9H AD KS", "2D 2C 2H", "", ""),  # R16: the initial two cards
    ],
)
def test_lines(player: str, banker: str, first: str, second: str) -> None:
    dealt = TwoHands(tuple(map(Card.parse, player.split())), tuple(map(Card.parse, banker.split())))
    for position, lines in ((1, first), (2, second)):
        chosen_by_amount = not lines.startswith("mega")  # R5, R10: Mega and its envy stand alone
        expected = Won(tuple(lines.split()), by_amount=chosen_by_amount) if lines else LOST
        assert royal_9(dealt, Seat(position, Table(8, LAYOUT), PAYTABLE)) == expected
