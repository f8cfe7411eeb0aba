"""A live Blackjack round: who is dealt in, which card goes where, what is settled when, and what can go wrong."""

from __future__ import annotations

import pytest

from firmware.core import events as ev
from firmware.core.baccarat import Hand
from firmware.core.effects import IrregularityNoted, LampShow, RoundSettled, SettlementShown, WagerRefused
from firmware.core.faults import Irregularity
from firmware.core.rounds.blackjack import round_of
from firmware.core.screen import board
from firmware.core.state import Phase
from firmware.core.wagers.wager import Stage
from tests.core.blackjack_table import BOUNTY, MULTI, ROYAL, SEAT, SEVENS, TWENTY_ONE, BlackjackTable
from tests.core.table import MS


def settled(t: BlackjackTable) -> dict[tuple[int, str], tuple[str, str | None]]:
    shown = [e for e in t.effects if isinstance(e, SettlementShown)]
    return {(s.position, s.wager): (s.result.value, s.line) for s in shown}


def stages(t: BlackjackTable) -> list[tuple[Stage, tuple[str, ...]]]:
    return [(e.stage, e.shown.dealer) for e in t.effects if isinstance(e, RoundSettled)]  # type: ignore[union-attr]


# --- who is dealt in, and in which order ------------------------------------------------------------------------------


def test_the_deal_goes_round_from_the_first_position_and_then_to_the_dealer() -> None:
    t = BlackjackTable().opened().bet((5, SEVENS), seats=(5, 2))
    prompts = []
    for card in ["2C", "3C", "4C", "5D", "6D", "7D"]:
        prompts.append(t.shown()[1])
        t.scan(card)
    assert prompts == ["P2 CARD 1", "P5 CARD 1", "DEALER CARD 1", "P2 CARD 2", "P5 CARD 2", "DEALER CARD 2"]
    assert t.hands() == {"p2": "2C 5D", "p5": "3C 6D", "dealer": "4C 7D"}
    assert t.state.phase is Phase.PLAYING


def test_a_side_wager_without_a_blackjack_wager_is_none() -> None:
    """633b.17(d): it is offered to who has placed a Blackjack wager."""
    t = BlackjackTable().opened().bet((3, TWENTY_ONE), (4, TWENTY_ONE), seats=(3,))
    assert [(w.position, w.wager) for w in t.state.wagers] == [(3, SEAT), (3, TWENTY_ONE)]
    refused = [e for e in t.effects if isinstance(e, WagerRefused)]
    assert [(e.position, e.wager, e.why) for e in refused] == [(4, TWENTY_ONE, "no blackjack wager")]
    assert t.lamp(4, TWENTY_ONE) is LampShow.NOT_ACCEPTED
    assert t.lamp(3, SEAT) is LampShow.ACCEPTED
    assert t.state.meter("21_plus_3").wagers == 1


def test_nobody_plays() -> None:
    t = BlackjackTable().opened()
    t.lock()
    assert t.state.phase is Phase.RESULT
    assert t.shown()[:2] == ("PAY AND COLLECT", "NOBODY PLAYS")
    t.scan("KS")
    t.clear()
    assert t.state.phase is Phase.BETTING


def test_the_floorperson_deals_positions_in_and_out_until_the_first_card() -> None:
    t = BlackjackTable().opened().bet((2, SEVENS), (4, MULTI))
    before = t.state.meter("blazing_7s.mega").shown_micro
    t.floor("DEAL P6 IN", "DEAL P4 OUT")
    assert [(w.position, w.wager) for w in t.state.wagers] == [(2, SEAT), (2, SEVENS), (6, SEAT)]
    assert t.state.meter("blazing_7s.mega").shown_micro < before, "what position 4 had put in went back"
    t.scan("2C")
    assert not any(line.startswith("DEAL P") for line in t.menu())
    t.scan("3C 4C 5D 6D 7D")
    assert t.hands() == {"p2": "2C 5D", "p6": "3C 6D", "dealer": "4C 7D"}


def test_one_is_dealt_in_where_no_chip_was_sensed() -> None:
    t = BlackjackTable().opened()
    t.lock()
    t.floor("DEAL P1 IN")
    assert t.shown()[:2] == ("DEAL", "P1 CARD 1")
    t.scan("2C 3C 4C 5D")
    assert t.state.phase is Phase.PLAYING


def test_everybody_is_dealt_out() -> None:
    t = BlackjackTable().opened().bet((2, MULTI))
    t.floor("DEAL P2 OUT")
    assert (t.state.phase, t.state.wagers) == (Phase.RESULT, ())


def test_a_blackjack_chip_taken_back_before_the_count_takes_the_others_with_it() -> None:
    t = BlackjackTable().opened()
    for spot in ((2, SEAT), (2, MULTI), (5, SEAT), (5, MULTI)):
        t.place(*spot)
    t.lock()
    t.lift(2, SEAT)
    assert t.irregularities() == [Irregularity.CHIP_REMOVED]
    t.floor("CANCEL P2 BLACKJCK")
    assert [(w.position, w.wager) for w in t.state.wagers] == [(5, SEAT), (5, MULTI)]
    t.confirm()
    assert t.shown()[1] == "P5 CARD 1"


def test_a_card_before_confirm_is_the_first_of_the_first_position() -> None:
    t = BlackjackTable().opened()
    for spot in ((3, SEAT), (3, TWENTY_ONE)):
        t.place(*spot)
    t.lock()
    t.scan("KS")
    assert t.irregularities() == [Irregularity.CARD_BEFORE_CONFIRM]
    assert t.hands() == {"p3": "KS", "dealer": ""}


def test_a_card_while_betting_is_open_locks() -> None:
    t = BlackjackTable().opened()
    t.place(3, SEAT)
    card_ns = t.tick(2000)
    t.do(ev.CardScanned("9S", card_ns, "00"))
    t.scan("2D")
    t.settle(card_ns)
    assert t.hands() == {"p3": "9S", "dealer": "2D"}
    assert t.irregularities() == [Irregularity.AUTO_LOCK]


# --- what is settled when ---------------------------------------------------------------------------------------------


def test_what_the_upcard_decides_is_settled_after_the_second_cards_from_the_dealer_s_right() -> None:
    t = BlackjackTable().opened()
    t.bet((1, SEVENS), (2, SEVENS), (3, SEVENS), (2, BOUNTY), (3, ROYAL))
    t.scan("7C 2D 5H 4S 8C 3D 6H 9S")
    shown = [e for e in t.effects if isinstance(e, SettlementShown)]
    assert [(s.position, s.wager, s.line) for s in shown] == [
        (3, SEVENS, None),
        (2, BOUNTY, None),
        (2, SEVENS, None),
        (3, ROYAL, "two_card_straight_flush"),
        (1, SEVENS, "one_7"),
    ]
    assert stages(t) == [(Stage.INITIAL, ("4S",))], "the hole card is on no record of what was shown"
    assert t.shown()[:2] == ("PLAY THE HANDS", "CLEAR WHEN DONE")
    t.clear()
    assert stages(t)[1:] == [(Stage.FINAL, ("4S", "9S"))]
    assert t.state.phase is Phase.BETTING


@pytest.mark.parametrize("upcard", ["KD", "QD"])
def test_a_royal_match_waits_for_the_hole_card_beside_a_king_or_queen(upcard: str) -> None:
    t = BlackjackTable().opened().bet((1, ROYAL), (2, ROYAL), (3, ROYAL))
    t.scan(f"KS 5H 2C {upcard} QS 6H 4C 9D")
    assert settled(t) == {(2, ROYAL): ("win", "two_card_straight_flush"), (3, ROYAL): ("lose", None)}
    assert t.shown()[:2] == ("PLAY THE HANDS", "HOLE CARD, CONFIRM")
    assert "9D" not in board(t.rules, t.state).title
    t.scan("2H 3H TD")  # what the patrons draw
    t.clear()
    assert t.shown()[2] == "CONFIRM FIRST"
    t.confirm()
    assert settled(t)[1, ROYAL] == ("win", "royal_match")
    assert t.shown()[:2] == ("PAY AND COLLECT", f"DEALER {upcard} 9D")
    t.clear()
    assert t.state.phase is Phase.BETTING


def test_crown_treasure_pays_the_meter_and_everybody_s_envy() -> None:
    t = BlackjackTable().opened().bet((1, ROYAL), (2, ROYAL))
    held = t.state.meter("royal_match").shown_micro
    t.scan("KS 5H KD QS 6H QD")
    assert settled(t) == {(2, ROYAL): ("win", "two_card_straight_flush")}
    t.confirm()
    assert t.state.phase is Phase.AWARD
    assert {(a.position, a.line, a.cents) for a in t.state.awards} == {
        (1, "crown_treasure", held // 10_000),
        (2, "envy_bonus", 250_000),
    }
    t.see_to_awards()
    assert t.state.phase is Phase.RESULT
    assert t.state.meter("royal_match").shown_micro == 50_000_000_000 + held % 10_000
    t.clear()
    assert t.state.phase is Phase.BETTING


def test_a_royal_match_beside_another_upcard_is_paid_at_once() -> None:
    t = BlackjackTable().opened().bet((1, ROYAL))
    t.scan("KS JD QS AD")
    assert settled(t) == {(1, ROYAL): ("win", "royal_match")}
    assert t.shown()[1] == "CLEAR WHEN DONE"


@pytest.mark.parametrize(
    ("upcard", "hole", "waits", "line"),
    [
        ("9D", "AD", False, "king_of_spades_pair"),
        ("TD", "AD", True, "king_of_spades_pair_and_dealer_blackjack"),
        ("AD", "9D", True, "king_of_spades_pair"),
        ("AD", "KD", True, "king_of_spades_pair_and_dealer_blackjack"),
    ],
)
def test_a_pair_of_kings_of_spades_waits_while_the_dealer_may_have_a_blackjack(
    upcard: str, hole: str, waits: bool, line: str
) -> None:
    t = BlackjackTable().opened().bet((1, BOUNTY))
    t.scan(f"KS {upcard} KS {hole}")
    assert bool(settled(t)) != waits
    t.confirm()
    assert settled(t) == {(1, BOUNTY): ("win", line)}


def test_a_meter_won_by_the_first_cards_holds_the_table_before_any_further_card() -> None:
    t = BlackjackTable().opened().bet((2, MULTI), (2, SEVENS))
    t.scan("7D 7D 7D 9S")
    assert t.state.phase is Phase.AWARD
    t.scan("5C")
    assert t.irregularities() == [Irregularity.CARD_DURING_HOLD]
    t.see_to_awards()
    assert t.state.phase is Phase.PLAYING
    t.clear()
    assert t.state.phase is Phase.BETTING
    assert t.state.meter("blazing_7s.mega").hits == 1


def test_the_declared_suit_is_the_table_s() -> None:
    t = BlackjackTable().opened().bet((2, TWENTY_ONE))
    t.scan("KS KS KS 9S")
    assert [a.line for a in t.state.awards] == ["declared_suit_top_trips"]


def test_what_the_patrons_draw_is_counted_and_changes_no_hand() -> None:
    t = BlackjackTable().opened().bet((2, SEVENS))
    t.scan("7D 2C 3S 9S")
    before = round_of(t.state)
    t.scan("7S 7C KD KH")
    assert round_of(t.state) == before
    assert sum(t.state.shoe.seen) == 8
    assert t.irregularities() == []
    t.clear()
    assert settled(t) == {(2, SEVENS): ("win", "one_7")}


# --- what can go wrong ------------------------------------------------------------------------------------------------


def test_an_exposed_card_is_set_aside_and_its_hand_is_due_the_next() -> None:
    t = BlackjackTable().opened().bet((1, SEVENS), (2, SEVENS))
    t.scan("2C 7D")
    assert not any(line.startswith("SET ASIDE") for line in t.menu())
    t.call()
    t.floor("SET ASIDE 7D")
    assert t.hands() == {"p1": "2C", "p2": "", "dealer": ""}
    t.floor("RESUME ROUND")
    assert t.shown()[:2] == ("DEAL", "P2 CARD 1")
    assert t.shown()[2] == "EXPOSED CARD"
    noted = [e for e in t.effects if isinstance(e, IrregularityNoted)]
    assert [(e.kind, e.detail) for e in noted][-1] == (Irregularity.EXPOSED_CARD, "7D of p2 1")
    t.scan("3C 4S 5D 6D 9S")
    assert t.hands() == {"p1": "2C 5D", "p2": "3C 6D", "dealer": "4S 9S"}
    assert sum(t.state.shoe.seen) == 7


def test_every_card_of_a_hand_can_be_set_aside_and_dealt_anew() -> None:
    t = BlackjackTable().opened().bet((1, SEVENS), (2, SEVENS))
    t.scan("2C 7D 4S 5D")
    t.call()
    t.floor("SET ASIDE 5D", "SET ASIDE 4S", "SET ASIDE 7D", "SET ASIDE 2C", "RESUME ROUND")
    t.scan("2D 3D 4D 5H 6H 8H")
    assert t.hands() == {"p1": "2D 5H", "p2": "3D 6H", "dealer": "4D 8H"}


@pytest.mark.parametrize("out", range(6))
def test_a_misdeal_is_void_wherever_it_is_called(out: int) -> None:
    t = BlackjackTable().opened().bet((1, MULTI), (2, ROYAL))
    t.scan(" ".join(["2C", "7D", "4S", "5D", "6H"][:out]))
    t.call()
    assert t.shown()[:3] == ("ROUND STOPPED", "CALL FLOORPERSON", "DEALER CALLED")
    t.floor("VOID ROUND")
    assert t.state.meter("blazing_7s.mega").shown_micro == 50_000_000_000
    assert t.state.meter("royal_match").shown_micro == 50_000_000_000
    t.clear()
    assert t.state.phase is Phase.BETTING


def test_a_round_is_stopped_and_resumed_while_the_hands_are_played() -> None:
    t = BlackjackTable().opened().bet((1, ROYAL))
    t.scan("KS KD QS 9D")
    t.call()
    assert t.state.phase is Phase.STOPPED
    t.floor("RESUME ROUND")
    assert t.state.phase is Phase.PLAYING
    t.confirm()
    assert settled(t) == {(1, ROYAL): ("win", "royal_match")}


def test_a_card_that_the_reader_missed_is_entered() -> None:
    t = BlackjackTable().opened().bet((1, SEVENS))
    t.scan("2C 7D")
    t.floor("ENTER P1 CARD", "CARD 7?", "CARD 7 HEARTS?")
    assert t.hands() == {"p1": "2C 7H", "dealer": "7D"}
    t.floor("ENTER DEALER CARD", "CARD 9?", "CARD 9 CLUBS?")
    assert t.state.phase is Phase.PLAYING
    assert settled(t) == {(1, SEVENS): ("win", "one_7")}


def test_a_silent_reader_is_told() -> None:
    t = BlackjackTable().opened().bet((1, SEVENS))
    (timer,) = t.state.timers
    t.do(ev.TimerFired(timer.kind, timer.due_ns, timer.due_ns))
    assert t.irregularities() == [Irregularity.READER_SILENT]
    assert t.shown()[2] == "SHOE SILENT"
    t.scan("2C 7D 3C 9D")
    assert t.state.timers == (), "nobody waits for a card while the hands are played"


def test_a_seventh_copy_in_six_decks_stops_the_round_also_among_the_drawn_cards() -> None:
    t = BlackjackTable().opened().bet((1, SEVENS))
    t.scan("2C 7D 3C 9D KS KS KS KS KS KS KS")
    assert t.irregularities() == [Irregularity.TOO_MANY_COPIES]
    assert t.state.phase is Phase.STOPPED


def test_a_reader_that_names_a_hand_of_another_game_is_not_fitted_in() -> None:
    t = BlackjackTable().opened().bet((1, SEVENS))
    t.do(ev.CardRead(Hand.PLAYER, 1, "2C", t.tick(500), "00"))
    assert t.irregularities() == [Irregularity.CARD_OUT_OF_TURN]
    assert t.hands() == {"p1": "", "dealer": ""}


def test_after_the_cut_card_this_round_and_one_more_are_dealt() -> None:
    t = BlackjackTable().opened().bet((1, SEVENS))
    t.scan("2C 7D")
    t.do(ev.CutCardDrawn(t.tick()))
    t.scan("3C 9D")
    t.clear()
    assert t.state.phase is Phase.BETTING
    t.lift(1, SEAT)
    t.lift(1, SEVENS)
    t.bet((2, SEVENS))
    t.scan("2C 7D 3C 9D")
    t.clear()
    assert t.state.phase is Phase.NEW_SHOE


@pytest.mark.parametrize("cut_ms", [50, 400])
def test_a_start_in_the_middle_leaves_everything_where_it_was(cut_ms: int) -> None:
    """Power cut in each phase: what is on record stands, and the round goes on."""
    t = BlackjackTable().opened()
    for spot in ((1, SEAT), (1, ROYAL), (4, SEAT)):
        t.place(*spot)
    t.tick(cut_ms)

    def cut() -> None:
        before = (t.state.wagers, t.state.game, t.state.awards, t.state.phase)
        covered = [(s.position, s.wager) for s in t.state.spots if s.chip is not None]
        t.start(f"boot-{t.now_ns}", covered)
        assert (t.state.wagers, t.state.game, t.state.awards, t.state.phase) == before

    cut()
    t.lock()
    cut()
    t.confirm()
    for card in ["KS", "5H", "KD", "QS", "6H"]:
        cut()
        t.scan(card)
    cut()
    t.scan("QD")
    cut()
    assert t.state.phase is Phase.PLAYING
    t.confirm()
    cut()
    t.see_to_awards()
    cut()
    t.clear()
    assert t.state.phase is Phase.BETTING
    assert settled(t) == {(1, ROYAL): ("win", "crown_treasure")}


def test_a_late_chip_is_no_wager() -> None:
    t = BlackjackTable().opened()
    t.place(1, SEAT)
    press_ns = t.press()
    t.place(1, SEVENS)
    t.now_ns += 10 * MS
    t.settle(press_ns)
    assert [(w.position, w.wager) for w in t.state.wagers] == [(1, SEAT)]
    assert t.lamp(1, SEVENS) is LampShow.NOT_ACCEPTED
