"""A reader that names no hand, burns nothing and has no result: the deal order decides, people say the rest by key."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from firmware.core import events as ev
from firmware.core.effects import IrregularityNoted, RoundSettled
from firmware.core.faults import Irregularity
from firmware.core.rounds.baccarat import round_of
from firmware.core.rules import ReaderRule
from firmware.core.table import reasons_against_wagering
from tests.core.mystery_table import STEP, MysteryTable
from tests.core.table import MS, Phase, Table, rules

ROYAL = "royal_9_progressive"
SHOE = ReaderRule(burns=False, cut_card=False, result=False)
SCANNER = ReaderRule(burns=False, cut_card=False, result=False, scans_again=True)


class ScannedTable(Table):
    def __init__(self, reader: ReaderRule = SHOE, positions: int = 7) -> None:
        super().__init__(rules(positions, reader=reader))

    def scan(self, *cards: str) -> None:
        for card in cards:
            self.do(ev.CardScanned(card, self.tick(500), "00"))

    def opened(self) -> ScannedTable:
        self.start()
        self.floor("OPEN TABLE", "NEW SHOE")
        return self

    def burned(self) -> ScannedTable:
        self.opened()
        self.confirm()
        assert self.state.phase is Phase.BETTING
        return self

    def seen(self) -> int:
        return sum(self.state.shoe.seen)


def hands(t: Table) -> tuple[str, str]:
    return " ".join(d.card for d in round_of(t.state).player), " ".join(d.card for d in round_of(t.state).banker)


def test_cards_go_to_the_hand_that_is_due_and_the_result_waits_for_nobody() -> None:
    t = ScannedTable().burned()
    t.place(3, "player")
    t.lock()
    t.scan("2C", "3D", "3H", "4S")
    assert t.shown()[:2] == ("DEAL", "PLAYER CARD 3")
    t.scan("9D", "8H")  # Player 5 draws the 9: 4; Banker 7 stands, so the 8 is for nobody
    assert hands(t) == ("2C 3H 9D", "3D 4S")
    assert [e.shown.player for e in t.saw(RoundSettled)] == [("2C", "3H"), ("2C", "3H", "9D")]  # type: ignore[union-attr]
    assert t.irregularities() == [Irregularity.ONE_TOO_MANY], "a card left the shoe that no hand takes"
    assert t.state.phase is Phase.STOPPED
    assert t.seen() == 6


@pytest.mark.parametrize(
    ("scanned", "player", "banker"),
    [
        ("KS 2C 9H 4D", "KS 9H", "2C 4D"),  # a natural
        ("2C 3D 4S 4H 9S", "2C 4S", "3D 4H"),  # neither six nor seven draws
        ("2C 5D KS QH 8S", "2C KS 8S", "5D QH"),  # 2 draws an 8: Banker 5 stands
        ("2C 5D KS QH 7S 3S", "2C KS 7S", "5D QH 3S"),
        ("6C 2D KS KH 9S", "6C KS", "2D KH 9S"),  # Player stands on six, Banker draws
    ],
)
def test_the_tableau_deals(scanned: str, player: str, banker: str) -> None:
    t = ScannedTable(SCANNER).burned()
    t.place(1, "tie")
    t.lock()
    t.scan(*scanned.split())
    assert hands(t) == (player, banker)
    assert t.state.phase is Phase.RESULT


def test_after_new_shoe_cards_are_burned_until_the_dealer_says_so() -> None:
    t = ScannedTable().opened()
    assert t.shown()[:2] == ("NO WAGERS", "BURN, THEN CONFIRM")
    assert t.shown()[3] == "CONFIRM"
    t.place(2, "player")
    t.do(ev.LockEdge(t.tick()))  # nothing is open that could be closed
    t.scan("4S", "KH", "KD", "2C", "2D")
    assert t.state.phase is Phase.PAUSED
    assert t.seen() == 5
    assert hands(t) == ("", "")
    t.do(ev.LockReleased(t.tick()))
    t.confirm()
    assert t.state.phase is Phase.BETTING
    assert t.irregularities() == []
    t.confirm()
    assert t.shown()[2] == "CONFIRM NOT NOW"


def test_a_new_shoe_in_the_middle_of_betting_pauses_it_and_the_round_goes_on() -> None:
    t = ScannedTable().burned()
    t.place(2, "player")
    t.floor("NEW SHOE")
    assert (t.state.phase, t.state.round) == (Phase.PAUSED, 1)
    t.scan("4S")
    t.confirm()
    assert (t.state.phase, t.state.round) == (Phase.BETTING, 1)
    t.floor("BURN CARDS")
    t.scan("9S")
    assert t.state.phase is Phase.PAUSED
    t.confirm()
    t.lock()
    assert [w.position for w in t.state.wagers] == [2]
    assert t.seen() == 2


def test_a_card_while_betting_is_open_is_the_first_of_the_round_and_locks() -> None:
    """Else a patron could bet on a card that lies open (X9)."""
    t = ScannedTable(SCANNER).burned()
    t.place(1, "player")
    card_ns = t.tick(2000)
    t.do(ev.CardScanned("9S", card_ns, "00"))
    assert t.state.phase is Phase.LOCKING
    assert t.state.lock is not None and t.state.lock.by_card
    t.scan("2D")
    t.settle(card_ns)
    assert hands(t) == ("9S", "2D")
    assert t.irregularities() == [Irregularity.AUTO_LOCK]


def test_cards_inside_the_decision_window_wait_for_it_and_confirm_the_count() -> None:
    t = ScannedTable().burned()
    t.place(4, ROYAL)
    press_ns = t.press()
    t.do(ev.CardScanned("2C", press_ns + 50 * MS, "00"))
    assert hands(t) == ("", "")
    t.settle(press_ns)
    assert hands(t) == ("2C", "")
    assert t.irregularities() == [Irregularity.CARD_BEFORE_CONFIRM]


def test_a_scan_that_nothing_asks_for_changes_nothing_and_is_on_record() -> None:
    t = ScannedTable(SCANNER).burned()
    t.place(1, "player")
    t.lock()
    t.scan("KS", "2C", "9H", "4D")
    before = t.state
    assert before.phase is Phase.RESULT
    t.scan("KS")  # again, as the cards are collected
    assert t.state == before
    noted = [e for e in t.saw(IrregularityNoted) if isinstance(e, IrregularityNoted)]
    assert [(e.kind, e.detail) for e in noted] == [(Irregularity.SCAN_IGNORED, "KS, while result")]
    t.clear()
    t.floor("CLOSE TABLE")
    before = t.state
    t.scan("KS")
    assert t.state == before


def test_a_card_of_a_shoe_outside_a_round_is_counted_and_told() -> None:
    t = ScannedTable().burned()
    t.floor("CLOSE TABLE")
    t.scan("KS")
    assert t.seen() == 1
    assert t.irregularities() == [Irregularity.CARD_WITHOUT_ROUND]


def test_a_card_of_a_stopped_round_is_not_fitted_in() -> None:
    t = ScannedTable().burned()
    t.place(1, "player")
    t.lock()
    t.scan("2C")
    t.call()
    t.scan("3D")
    assert hands(t) == ("2C", "")
    assert t.irregularities() == [Irregularity.MISDEAL, Irregularity.CARD_OUT_OF_TURN]
    t.floor("ENTER BANKER CARD", "CARD 3?", "CARD 3 DIAMONDS?")
    assert hands(t) == ("2C", "3D")
    assert t.state.phase is Phase.DEALING


def test_the_floorperson_says_that_the_cut_card_came() -> None:
    t = ScannedTable().burned()
    t.place(1, "player")
    t.lock()
    t.scan("KS", "2C")
    t.floor("CUT CARD CAME")
    assert "CUT CARD CAME" not in t.menu()
    t.scan("9H", "4D")
    t.clear()
    assert t.state.phase is Phase.BETTING, "the round in play and one more"
    t.place(2, "player")
    t.lock()
    t.scan("KS", "2C", "9H", "4D")
    t.clear()
    assert t.state.phase is Phase.NEW_SHOE
    t.floor("NEW SHOE")
    assert t.shown()[1] == "BURN, THEN CONFIRM"


def test_burning_and_its_end_survive_a_restart() -> None:
    t = ScannedTable().opened()
    t.start("boot-2")
    assert "BURN, THEN CONFIRM" in reasons_against_wagering(t.rules, t.state)
    t.scan("4S")
    assert t.seen() == 1
    t.confirm()
    t.start("boot-3")
    assert t.state.phase is Phase.BETTING


def test_a_reader_that_says_everything_has_none_of_these_lines() -> None:
    t = Table().opened()
    assert not {"CUT CARD CAME", "BURN CARDS"} & set(t.menu())
    t.do(ev.DeviceDown("lines", "gone", t.tick()))
    assert "CONFIRM" not in t.shown()[3]


def test_a_card_while_a_mystery_award_holds_the_table_goes_to_its_hand_and_is_told() -> None:
    t = MysteryTable([STEP - 1, 2_000_000])
    t.opened()
    t.rules = replace(t.rules, reader=SHOE)
    t.bet(1)
    t.confirm()
    assert t.state.phase is Phase.AWARD
    t.do(ev.CardScanned("2C", t.tick(500), "00"))
    assert hands(t) == ("2C", "")
    assert t.irregularities() == [Irregularity.CARD_DURING_HOLD]
