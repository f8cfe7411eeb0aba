"""Blackjack rounds that are stopped, changed and taken up again: each card stays with the hand that it lies before."""

from __future__ import annotations

import pytest

from firmware.core.effects import LampShow, WagerRefused
from firmware.core.faults import Irregularity
from firmware.core.state import Phase
from tests.core.blackjack_table import MULTI, ROYAL, SEAT, SEVENS, BlackjackTable


def seated(*positions: int) -> BlackjackTable:
    """Nothing to count: the deal begins with the lock-out."""
    t = BlackjackTable().opened()
    for position in positions:
        t.place(position, SEAT)
        t.place(position, SEVENS)
    t.lock()
    assert t.state.phase is Phase.DEALING
    return t


def test_a_position_dealt_out_of_a_stopped_deal_gets_no_card_and_the_others_do() -> None:
    t = seated(2, 5)
    t.call()
    t.floor("DEAL P2 OUT", "RESUME ROUND")
    assert t.shown()[:2] == ("DEAL", "P5 CARD 1")
    t.scan("2C 7D 3C 9D")
    assert t.hands() == {"p5": "2C 3C", "dealer": "7D 9D"}
    assert t.state.phase is Phase.PLAYING


def test_a_position_dealt_into_a_stopped_deal_gets_its_cards() -> None:
    t = seated(2)
    t.call()
    t.floor("DEAL P5 IN", "RESUME ROUND")
    t.scan("2C 3C 7D 4C 5C 9D")
    assert t.hands() == {"p2": "2C 4C", "p5": "3C 5C", "dealer": "7D 9D"}


def test_a_card_is_entered_into_a_stopped_deal_whose_seats_have_changed() -> None:
    t = seated(2)
    t.call()
    t.floor("DEAL P5 IN", "ENTER P2 CARD", "CARD 2?", "CARD 2 CLUBS?")
    t.scan("3C 7D 4C 5C 9D")
    assert t.hands() == {"p2": "2C 4C", "p5": "3C 5C", "dealer": "7D 9D"}


def test_everybody_is_dealt_out_of_a_stopped_deal_and_one_back_in() -> None:
    t = seated(2)
    t.call()
    t.floor("DEAL P2 OUT", "RESUME ROUND")
    assert t.state.phase is Phase.RESULT
    t.call()
    t.floor("DEAL P3 IN", "RESUME ROUND")
    assert t.shown()[:2] == ("DEAL", "P3 CARD 1")


def test_a_blackjack_wager_cancelled_before_the_first_card_is_dealt_no_hand() -> None:
    t = seated(2, 5)
    t.lift(2, SEAT)
    assert t.irregularities() == [Irregularity.CHIP_REMOVED]
    t.floor("CANCEL P2 BLACKJCK")
    assert t.shown()[:2] == ("DEAL", "P5 CARD 1")
    t.scan("2C 7D 3C 9D")
    assert t.hands() == {"p5": "2C 3C", "dealer": "7D 9D"}


def test_the_only_blackjack_wager_is_cancelled_before_the_first_card() -> None:
    t = seated(2)
    t.lift(2, SEAT)
    t.floor("CANCEL P2 BLACKJCK")
    assert t.state.phase is Phase.RESULT
    t.clear()
    assert t.state.phase is Phase.BETTING


def test_a_blackjack_wager_cancelled_in_the_deal_leaves_it_if_it_has_no_card_yet() -> None:
    """Locked by the card: the chips placed just before it are in doubt, and the first hand has its card already."""
    t = BlackjackTable().opened()
    t.place(1, SEAT)
    t.tick(2000)
    t.place(3, SEAT)
    t.place(5, SEAT)
    t.scan("2C")
    lock = t.state.lock
    assert lock is not None
    t.settle(lock.press_ns)
    t.floor("CANCEL P3 BLACKJCK", "CONFIRM P5 BLACKJCK")
    assert t.shown()[1] == "P5 CARD 1"
    t.scan("3C 7D")
    assert t.hands() == {"p1": "2C", "p5": "3C", "dealer": "7D"}


def test_a_chip_that_comes_while_the_hands_are_played_is_not_accepted() -> None:
    t = BlackjackTable().opened().bet((1, ROYAL))
    t.scan("KS KD QS 9D")
    assert t.state.phase is Phase.PLAYING
    t.place(4, MULTI)
    assert t.lamp(4, MULTI) is LampShow.NOT_ACCEPTED
    refused = [e for e in t.effects if isinstance(e, WagerRefused)]
    assert [(e.position, e.wager, e.why) for e in refused] == [(4, MULTI, "placed after lock-out")]


@pytest.mark.parametrize("phase", [p for p in Phase if p not in (Phase.BETTING, Phase.LOCKING, Phase.PAUSED)])
def test_outside_betting_a_chip_is_refused_or_there_is_no_round(phase: Phase) -> None:
    from firmware.core.spots import LOCKED_PHASES

    assert (phase in LOCKED_PHASES) is (phase not in (Phase.CLOSED, Phase.LAMP_TEST, Phase.NEW_SHOE))
