"""The commission-free game (627b.2), line by line: each row is one round and the line on which each wager ends."""

from __future__ import annotations

import pytest

from firmware.core.baccarat import check_hands
from firmware.core.cards import Card
from firmware.core.wagers.minibaccarat import MINIBACCARAT
from firmware.core.wagers.two_hands import TwoHands
from firmware.core.wagers.wager import LOST, PUSHED, Seat, Table, Verdict, Won
from firmware.settings.paytables import load_catalogue

NAMES = ("player", "banker", "tie", "lucky_six")

PAYTABLE = load_catalogue("minibaccarat").paytable("minibaccarat", "tie", "-")
"""Any: the lines of these wagers do not depend on it."""


@pytest.mark.parametrize(
    ("player", "banker", "expected"),
    [
        ("9S KH", "7D KC", "player_wins lose lose lose"),
        ("7S KH", "6D KC", "player_wins lose lose lose"),  # (c)(3)(i): a six that is lower
        ("4S AH 2D", "6D KC", "player_wins lose lose lose"),
        ("6S KH", "7D KC", "lose banker_wins lose lose"),
        ("2S 3H KD", "6D KC", "lose banker_wins_with_six lose two_card_six"),  # (k)(1)
        ("6S KH", "2D 3C AS", "push push tie lose"),  # six against six, three cards
        ("2S 3H 4D", "2D 3C AS", "player_wins lose lose lose"),
        ("2S 2H 7D", "4D AC AS", "lose banker_wins_with_six lose three_card_six"),  # (k)(2)
        ("6S KH", "6D KC", "push push tie lose"),  # C1, C3
        ("KS KH KD", "KD KC KS", "push push tie lose"),
    ],
)
def test_lines(player: str, banker: str, expected: str) -> None:
    dealt = TwoHands(tuple(map(Card.parse, player.split())), tuple(map(Card.parse, banker.split())))
    check_hands(dealt.player, dealt.banker)
    seat = Seat(1, Table(8), PAYTABLE)
    verdicts: list[Verdict] = [MINIBACCARAT.by_name[name][1].judge(dealt, seat) for name in NAMES]
    known: dict[str, Verdict] = {"lose": LOST, "push": PUSHED}
    assert verdicts == [known.get(word, Won((word,))) for word in expected.split()]
