"""Live rounds of the poker games: the deal, folds, what is hidden until the hands lie open."""

from __future__ import annotations

import pytest

from firmware.core import events as ev
from firmware.core.effects import RoundSettled, SettlementShown, WagerCancelled
from firmware.core.faults import Irregularity
from firmware.core.rounds.by_position import row
from firmware.core.rounds.poker import round_of
from firmware.core.rules import OfferRule, ReaderRule, SpotRule, TableRules
from firmware.core.screen import board
from firmware.core.state import Phase
from tests.core.table import Table, rules

TRIPS, BAD_BEAT, BOARD, PAIRS = "trips", "bad_beat", "play_the_board", "ultimate_pairs"
WAGERS = {
    "ultimate_texas_holdem": {TRIPS: "E", BAD_BEAT: "C", BOARD: "A", PAIRS: "F"},
    "criss_cross_poker": {PAIRS: "A"},
}


def poker_rules(game: str = "ultimate_texas_holdem", positions: int = 6) -> TableRules:
    wagers = WAGERS[game]
    return rules(
        positions,
        game=game,
        decks=1,
        offers=tuple(OfferRule(wager, paytable, True, False, 500) for wager, paytable in wagers.items()),
        spots=tuple(
            SpotRule(position, wager, 0 if wager == "ante" else 500)
            for wager in ("ante", *wagers)
            for position in range(1, positions + 1)
        ),
        meters=(),
        combinations=(),
        dealt_in_by="ante",
        fresh_deck=True,
        reader=ReaderRule(result=False),
    )


class PokerTable(Table):
    def __init__(self, game: str = "ultimate_texas_holdem") -> None:
        super().__init__(poker_rules(game))

    def bet(self, *wagers: tuple[int, str], seats: tuple[int, ...] = ()) -> PokerTable:
        if self.state.phase is Phase.CLOSED:
            self.opened()
        for position in sorted({*seats, *(p for p, _ in wagers)}):
            self.place(position, "ante")
        for spot in wagers:
            self.place(*spot)
        self.lock()
        return self

    def scan(self, cards: str) -> None:
        for card in cards.split():
            self.do(ev.CardScanned(card, self.tick(500), "00"))

    def fold(self, position: int) -> None:
        self.do(ev.FoldPressed(position, self.tick()))

    def settled(self) -> dict[tuple[int, str], str | None]:
        return {(e.position, e.wager): e.line for e in self.effects if isinstance(e, SettlementShown)}


def test_the_deal_goes_round_twice_and_then_to_the_board() -> None:
    t = PokerTable().bet((2, TRIPS), seats=(5,))
    prompts = []
    for card in ["2C", "3C", "4C", "5C", "6C", "7C", "8D", "9D", "TD", "JD", "QD"]:
        prompts.append(t.shown()[1].removesuffix(" CARD"))
        t.scan(card)
    hands = ["P2 CARD 1", "P5 CARD 1", "DEALER CARD 1", "P2 CARD 2", "P5 CARD 2", "DEALER CARD 2"]
    assert prompts == [*hands, *(f"BOARD CARD {number}" for number in range(1, 6))]
    assert t.shown()[:2] == ("PLAY THE HANDS", "SHOW HANDS, CONFIRM")
    assert [one.card for one in row(round_of(t.state), "dealer")] == ["4C", "7C"]


def test_hands_are_hidden_until_all_of_them_lie_open() -> None:
    t = PokerTable().bet((1, PAIRS))
    t.scan("AS KD AH KC 2D 3D 4D 5S 7C")
    assert board(t.rules, t.state).title == "NO MORE BETS  BOARD 2D 3D 4D 5S 7C"
    assert t.saw(RoundSettled) == []
    t.clear()
    assert t.shown()[2] == "CONFIRM FIRST"
    t.confirm()
    assert t.settled() == {(1, PAIRS): "aces"}
    assert "P1 AS AH" in board(t.rules, t.state).title
    t.clear()
    assert t.state.phase is Phase.BETTING


def test_optional_wagers_stay_after_a_fold_and_a_bad_beat_goes_back() -> None:
    """653b.4(c), W4, W12; W2."""
    t = PokerTable().bet((1, TRIPS), (1, BAD_BEAT), (1, BOARD), (1, PAIRS), (2, BAD_BEAT), (2, TRIPS))
    t.scan("2C 9S KD 3C 9H KC")
    t.fold(1)
    assert t.shown()[2] == "P1 FOLDED"
    t.scan("KH 9D 9C TS TD")
    t.confirm()
    assert t.settled() == {
        (1, TRIPS): None,
        (1, BOARD): "two_pair",
        (1, PAIRS): None,
        (2, TRIPS): "four_of_a_kind",
        (2, BAD_BEAT): "full_house",
    }
    (gone,) = [e for e in t.effects if isinstance(e, WagerCancelled)]
    assert (gone.position, gone.wager) == (1, BAD_BEAT)
    assert "W2" in gone.why
    (settled,) = [e for e in t.effects if isinstance(e, RoundSettled)]
    assert settled.shown.outcome()["folded"] == [1]


def test_a_fold_is_taken_back_by_the_same_button() -> None:
    t = PokerTable().bet((1, BAD_BEAT))
    t.scan("2C 9S")
    t.fold(1)
    assert (t.shown()[2], round_of(t.state).folded) == ("NO FOLD NOW", ())
    t.scan("3C 9H")
    t.fold(1)
    t.fold(6)
    assert round_of(t.state).folded == (1,)
    t.fold(1)
    assert (t.shown()[2], round_of(t.state).folded) == ("P1 PLAYS", ())


def test_nobody_is_waited_for_while_patrons_decide() -> None:
    t = PokerTable().bet((1, TRIPS))
    waits = []
    for card in ["2C", "9S", "3C", "9H", "KH", "9D", "9C", "TS", "TD"]:
        waits.append(bool(t.state.timers))
        t.scan(card)
    assert waits == [True, True, True, True, False, True, True, False, True]


def test_every_round_has_a_whole_deck() -> None:
    t = PokerTable().bet((1, TRIPS))
    for _ in range(3):
        t.scan("2C 9S 3C 9H KH 9D 9C TS TD")
        t.confirm()
        t.clear()
        assert t.state.phase is Phase.BETTING
        assert sum(t.state.shoe.seen) == 0
        t.lock()
    t.scan("2C 2C")
    assert t.irregularities() == [Irregularity.TOO_MANY_COPIES]


def test_a_card_after_the_fifth_of_the_board_stops_the_round() -> None:
    t = PokerTable().bet((1, TRIPS))
    t.scan("2C 9S 3C 9H KH 9D 9C TS TD JD")
    assert t.irregularities() == [Irregularity.ONE_TOO_MANY]
    t.floor("RESUME ROUND")
    t.confirm()
    assert t.settled() == {(1, TRIPS): None}


@pytest.mark.parametrize("out", range(10))
def test_a_misdeal_is_void_wherever_it_is_called(out: int) -> None:
    t = PokerTable().bet((1, TRIPS))
    t.scan(" ".join(["2C", "9S", "3C", "9H", "KH", "9D", "9C", "TS", "TD"][:out]))
    t.call()
    t.floor("VOID ROUND")
    assert t.settled() == {}
    t.clear()
    assert t.state.phase is Phase.BETTING


def test_an_exposed_card_of_the_board_is_set_aside() -> None:
    t = PokerTable().bet((1, TRIPS))
    t.scan("2C 9S 3C 9H KH")
    t.call()
    t.floor("SET ASIDE KH", "RESUME ROUND")
    assert t.shown()[1] == "BOARD CARD 1"


def test_a_power_cut_between_the_bets_keeps_the_folds() -> None:
    t = PokerTable().bet((1, TRIPS), (3, TRIPS))
    t.scan("2C 4C 9S 3C 5C 9H KH 9D 9C")
    t.fold(3)
    before = (t.state.game, t.state.wagers)
    t.start("boot-2", [(s.position, s.wager) for s in t.state.spots if s.chip is not None])
    assert (t.state.game, t.state.wagers) == before
    t.scan("TS TD")
    t.confirm()
    assert set(t.settled()) == {(1, TRIPS), (3, TRIPS)}


def test_criss_cross_has_no_dealer_s_hand() -> None:
    t = PokerTable("criss_cross_poker").bet((1, PAIRS), (4, PAIRS))
    t.scan("AS KD KS KC 2D 3D 4D 5S")
    t.fold(4)
    t.scan("7C")
    t.confirm()
    assert t.settled() == {(1, PAIRS): "ace_king_suited", (4, PAIRS): "kings_queens_or_jacks"}
    (settled,) = [e for e in t.effects if isinstance(e, RoundSettled)]
    assert set(settled.shown.outcome()) == {"community", "positions", "folded"}


@pytest.mark.parametrize(("game", "cards"), [("ultimate_texas_holdem", "2C 3C 4C 5C"), ("criss_cross_poker", "2C 4C")])
def test_a_position_dealt_out_of_a_stopped_deal_gets_no_card_and_the_others_do(game: str, cards: str) -> None:
    t = PokerTable(game).bet((2, PAIRS), (5, PAIRS))
    t.call()
    t.floor("DEAL P2 OUT", "RESUME ROUND")
    t.scan(cards)
    assert [hand.position for hand in round_of(t.state).hands] == [5]
    assert [card.card for card in row(round_of(t.state), "p5")] == ["2C", "4C"]
    assert t.shown()[1] == "BOARD CARD 1"


def test_an_ante_cancelled_before_the_first_card_is_dealt_no_hand() -> None:
    t = PokerTable().bet((2, PAIRS), (5, PAIRS))
    t.lift(2, "ante")
    t.floor("CANCEL P2 ANTE")
    assert t.shown()[1] == "P5 CARD 1"
