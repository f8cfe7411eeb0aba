"""The round of a card table, from chip to payout, on the pure core."""

from __future__ import annotations

import pytest

from firmware.core import events as ev
from firmware.core.effects import (
    Contributed,
    ContributionReversed,
    SettleInputs,
    SettlementShown,
    UnsettleInputs,
    WagerAccepted,
    WagerRefused,
)
from firmware.core.rounds.baccarat import round_of
from firmware.core.step import step
from firmware.core.table import reasons_against_wagering
from tests.core.table import MS, Hand, LampShow, Phase, Table, rules

ROYAL = "royal_9_progressive"


def test_a_whole_round_without_a_progressive_wager_needs_no_confirmation() -> None:
    t = Table().opened()
    t.place(3, "player")
    t.place(5, "tie")
    assert t.lamp(3, "player") is LampShow.SENSED
    t.lock()
    assert t.state.phase is Phase.DEALING
    assert t.lit() == {(3, "player"): LampShow.ACCEPTED, (5, "tie"): LampShow.ACCEPTED}
    t.deal("9S KD", "2C 3H")
    t.result("player")
    assert t.state.phase is Phase.RESULT
    assert [(o.position, o.wager, o.result, o.award_cents) for o in t.state.outcomes] == [
        (5, "tie", "lose", 0),
        (3, "player", "win", 2500),
    ]
    assert t.lamp(3, "player") is LampShow.WON
    assert t.lamp(5, "tie") is LampShow.OFF
    t.clear()
    assert t.state.phase is Phase.BETTING
    assert t.state.round == 2


def test_pairs_and_royal_9_settle_on_four_cards_before_the_third() -> None:
    t = Table().opened()
    t.place(2, "player_pair")
    t.place(2, "banker")
    t.place(4, ROYAL)
    t.lock()
    assert t.state.phase is Phase.COUNTING
    t.confirm()
    t.deal("KS 9H", "2C 2H")  # natural nine for Player; banker pair; Royal 9 in the Player hand
    assert t.state.phase is Phase.CHECKING
    initial = [e for e in t.saw(SettlementShown) if isinstance(e, SettlementShown)]
    assert [(e.position, e.wager, e.result, e.award_cents) for e in initial] == [
        (2, "player_pair", "lose", 0),
        (4, ROYAL, "win", 2500),
    ]


def test_contributions_are_exact_and_in_order_of_acceptance() -> None:
    t = Table().opened()
    late = t.place(7, ROYAL)
    t.place(1, ROYAL)
    t.lock()
    assert [e.position for e in t.saw(WagerAccepted)] == [7, 1]  # type: ignore[union-attr]
    assert late < t.state.wagers[1].at_ns
    added = [e for e in t.saw(Contributed) if isinstance(e, Contributed)]
    assert [(e.position, e.meter, e.shown_micro, e.reserve_micro) for e in added[:3]] == [
        (7, "royal_9.mega", 75_000, 25_000),
        (7, "royal_9.major", 50_000, 12_500),
        (7, "royal_9.minor", 50_000, 12_500),
    ]
    assert t.meter("mega") == 50_000_150_000


def test_the_board_shows_number_and_value_for_the_count() -> None:
    t = Table().opened()
    t.place(2, ROYAL)
    t.place(6, ROYAL)
    t.place(6, "player")
    t.lock()
    assert t.sign() == "COUNT  WAGERS 2  VALUE $10.00  POS 2 6"
    assert t.shown() == ("COUNT CHIPS", "2 CHIPS $10.00", "", "CONFIRM CALL")


# --- lock-out -------------------------------------------------------------------------------------------------------


def test_a_chip_counts_only_strictly_before_the_press() -> None:
    t = Table().opened()
    press = t.tick(100)
    for position, at in ((1, press - 1), (2, press), (3, press + 1)):
        t.do(ev.ChipPlaced(position, "player", at, at))
    t.do(ev.LockEdge(press))
    t.settle(press)
    assert [w.position for w in t.state.wagers] == [1]
    assert t.lamp(2, "player") is LampShow.NOT_ACCEPTED
    assert t.lamp(3, "player") is LampShow.NOT_ACCEPTED


def test_an_interval_that_straddles_the_press_is_refused_and_told() -> None:
    t = Table().opened()
    t.do(ev.ChipPlaced(1, "player", t.now_ns, t.now_ns + 50 * MS))
    press = t.now_ns + 20 * MS
    t.do(ev.LockEdge(press))
    t.settle(press)
    assert t.state.wagers == ()
    assert t.irregularities() == ["straddle"]


def test_a_contradicted_spot_is_closed_for_the_round() -> None:
    t = Table().opened()
    at = t.place(1, "player")
    press = t.press()
    t.settle(press, (ev.SpotVerdict(1, "player", True, at, at, False, True, None, False),))
    assert t.state.wagers == ()
    assert t.irregularities() == ["level_contradicts"]


def test_a_glitch_takes_the_close_back_and_wagers_between_count() -> None:
    t = Table().opened()
    press = t.tick(100)
    effects = t.do(ev.LockEdge(press))
    assert SettleInputs(press) in effects
    t.do(ev.ChipPlaced(4, "banker", press + MS, press + MS))
    effects = t.do(ev.LockGlitch(press, 5 * MS))
    assert UnsettleInputs(press) in effects
    assert t.state.phase is Phase.BETTING
    assert t.irregularities() == ["lock_glitch"]
    t.do(ev.LockReleased(t.tick()))
    t.lock()
    assert [(w.position, w.wager) for w in t.state.wagers] == [(4, "banker")]


def test_pressing_again_or_holding_changes_nothing() -> None:
    t = Table().opened()
    t.place(1, ROYAL)
    press = t.press()
    state = t.state
    t.do(ev.LockEdge(press + 40 * MS))
    t.do(ev.LockProved(press + 40 * MS))
    assert t.state == state
    t.settle(press)
    phase = t.state.phase
    t.do(ev.LockEdge(t.tick(60_000)))
    assert t.state.phase is phase


def test_a_button_held_at_the_next_round_keeps_betting_closed_until_released() -> None:
    t = Table().opened()
    t.place(1, "player")
    press = t.press()
    t.do(ev.InputsSettled(press, 160 * MS, 0, t.verdicts(press)))
    t.deal("9S KD", "2C 3H")
    t.result("player")
    t.clear()
    assert t.state.phase is Phase.PAUSED
    assert "RELEASE LOCK-OUT" in t.shown()
    t.do(ev.LockReleased(t.tick()))
    assert t.state.phase is Phase.BETTING


def test_a_button_down_at_start_is_stuck_until_it_was_seen_released() -> None:
    t = Table()
    t.start(lockout_down=True)
    t.floor("OPEN TABLE", "NEW SHOE")
    assert t.state.phase is Phase.PAUSED
    assert "LOCK-OUT IS STUCK" in t.shown()
    t.do(ev.LockReleased(t.tick()))
    assert t.state.phase is Phase.BETTING


def test_a_first_card_without_lock_out_locks_at_its_time_and_lists_the_last_second() -> None:
    t = Table().opened()
    t.place(1, "player")
    t.tick(5000)
    t.place(2, "banker")
    t.card(Hand.PLAYER, "9S")
    assert t.state.phase is Phase.LOCKING
    press = t.state.lock.press_ns if t.state.lock else 0
    t.settle(press)
    assert [w.position for w in t.state.wagers] == [1, 2]
    [note] = [e for e in t.effects if getattr(e, "kind", "") == "auto_lock"]
    assert note.detail == "sensed in the last second: 2/banker"  # type: ignore[union-attr]
    assert [d.card for d in round_of(t.state).player] == ["9S"]
    assert t.state.phase is Phase.DEALING


def test_a_press_that_arrives_after_the_card_but_happened_before_it_decides() -> None:
    t = Table().opened()
    t.place(1, "player")
    press = t.tick(100)
    at = t.tick(20)
    t.do(ev.CardRead(Hand.PLAYER, 1, "9S", at, ""))
    t.do(ev.LockEdge(press))
    lock = t.state.lock
    assert lock is not None
    assert (lock.press_ns, lock.by_card) == (press, False)
    t.settle(press)
    assert "auto_lock" not in t.irregularities()
    t2 = Table().opened()
    t2.place(1, "player")
    press = t2.tick(100)
    at = t2.tick(20)
    t2.do(ev.CardRead(Hand.PLAYER, 1, "9S", at, ""))
    t2.do(ev.LockEdge(press))
    t2.do(ev.LockGlitch(press, MS))
    assert t2.state.lock is not None
    assert (t2.state.lock.press_ns, t2.state.lock.by_card) == (at, True), "a glitch falls back to the card"


def test_a_late_edge_changes_nothing_and_is_named() -> None:
    t = Table().opened()
    t.place(1, "player")
    t.lock()
    wagers = t.state.wagers
    t.do(ev.LateEdge(2, "player", True, t.now_ns - 900 * MS, 300 * MS))
    assert t.state.wagers == wagers
    assert t.irregularities() == ["late_edge"]
    assert t.shown()[2] == "LATE CHIP SIGNAL P2"


def test_dead_sensors_after_the_press_leave_what_is_on_record() -> None:
    t = Table().opened()
    t.place(1, ROYAL)
    t.press()
    [timer] = t.state.timers
    t.do(ev.TimerFired(timer.kind, timer.due_ns, timer.due_ns))
    assert [w.position for w in t.state.wagers] == [1]
    assert t.irregularities() == ["inputs_overdue"]


# --- count ----------------------------------------------------------------------------------------------------------


def test_mismatch_deals_nothing_until_each_position_is_decided() -> None:
    t = Table().opened()
    t.place(1, ROYAL)
    t.place(2, ROYAL)
    t.lock()
    t.call()
    t.confirm()
    assert t.state.phase is Phase.COUNTING
    assert t.shown()[2] == "CALL FLOORPERSON"
    mega = t.meter("mega")
    t.floor("CANCEL P1*", "CONFIRM P2*")
    assert t.meter("mega") == mega - 75_000
    assert len(t.saw(ContributionReversed)) == 3
    assert t.state.noted == ()
    t.confirm()
    assert t.state.phase is Phase.DEALING
    assert [w.position for w in t.state.wagers] == [2]


def test_a_chip_that_leaves_before_confirm_is_doubted_and_after_it_is_the_sweep() -> None:
    t = Table().opened()
    t.place(1, ROYAL)
    t.lock()
    t.lift(1, ROYAL)
    assert t.irregularities() == ["chip_removed"]
    t.confirm()
    assert t.state.phase is Phase.COUNTING
    t.floor("CONFIRM P1*")
    t.confirm()
    assert t.state.phase is Phase.DEALING
    t2 = Table().opened()
    t2.place(1, ROYAL)
    t2.lock()
    t2.confirm()
    t2.lift(1, ROYAL)
    assert t2.irregularities() == []
    assert [w.position for w in t2.state.wagers] == [1]


def test_a_chip_lifted_before_confirm_is_removed_though_it_is_known_only_afterwards() -> None:
    t = Table().opened()
    t.place(1, ROYAL)
    t.lock()
    lifted_ns = t.tick(10)
    t.confirm()
    t.do(ev.ChipLifted(1, ROYAL, lifted_ns, lifted_ns))
    assert t.irregularities() == ["chip_removed"]
    t.floor("CONFIRM P1*")
    t.deal("9S KD", "2C 3H")
    t.result("player")
    assert t.state.phase is Phase.RESULT


def test_a_chip_after_lock_out_is_not_recognized_and_counts_in_the_next_round() -> None:
    t = Table().opened()
    t.place(1, "player")
    t.lock()
    t.place(2, "player")
    assert t.lamp(2, "player") is LampShow.NOT_ACCEPTED
    assert WagerRefused(2, "player", "placed after lock-out") in t.effects
    t.deal("9S KD", "2C 3H")
    t.result("player")
    t.clear()
    assert t.lamp(2, "player") is LampShow.SENSED
    t.lock()
    assert {w.position for w in t.state.wagers} == {1, 2}


def test_a_card_before_confirm_confirms_and_is_flagged() -> None:
    t = Table().opened()
    t.place(1, ROYAL)
    t.lock()
    t.card(Hand.PLAYER, "9S")
    assert t.state.phase is Phase.DEALING
    assert t.irregularities() == ["card_before_confirm"]
    assert [d.card for d in round_of(t.state).player] == ["9S"]


# --- cards ----------------------------------------------------------------------------------------------------------


def dealing(*wagers: tuple[int, str]) -> Table:
    t = Table().opened()
    for position, wager in wagers or ((1, "player"),):
        t.place(position, wager)
    t.lock()
    return t


def test_a_card_out_of_turn_stops_and_the_floorperson_enters_the_right_one() -> None:
    t = dealing()
    t.card(Hand.PLAYER, "9S")
    t.card(Hand.PLAYER, "KD")
    assert t.state.phase is Phase.STOPPED
    assert t.irregularities() == ["card_out_of_turn"]
    t.floor("ENTER BANKER CARD", "CARD 2?", "CARD 2 HEARTS?")
    assert t.state.phase is Phase.DEALING
    assert [d.card for d in round_of(t.state).banker] == ["2H"]
    assert round_of(t.state).banker[0].entered


def test_an_unreadable_card_stops_until_it_is_entered() -> None:
    t = dealing()
    t.card(Hand.PLAYER, None)
    assert t.state.phase is Phase.STOPPED
    t.floor("ENTER PLAYER CARD", "CARD Q?", "CARD Q CLUBS?")
    assert t.state.phase is Phase.DEALING
    for hand, card in ((Hand.BANKER, "2C"), (Hand.PLAYER, "9D"), (Hand.BANKER, "3H")):
        t.card(hand, card)
    assert t.state.phase is Phase.RESULT, "a round with an entered card does not wait for the reader"


def test_a_card_on_a_natural_and_one_too_many() -> None:
    t = dealing()
    t.deal("9S KD", "2C 3H")
    t.card(Hand.PLAYER, "4C", index=3)
    assert t.irregularities() == ["card_on_natural"]
    assert t.state.phase is Phase.STOPPED
    t.floor("RESUME ROUND")
    assert t.state.phase is Phase.RESULT
    t = dealing()
    t.deal("2S KD 4C", "2C 5H")
    t.card(Hand.BANKER, "4C", index=3)
    assert t.irregularities() == ["one_too_many"]


def test_a_held_over_card_opens_the_next_round() -> None:
    t = dealing()
    t.deal("9S KD", "2C 3H")
    t.result("player")
    t.card(Hand.PLAYER, "4C", index=3)
    t.do(ev.CardHeldOver("4C", t.tick(), ""))
    t.floor("RESUME ROUND")
    t.clear()
    t.lock()
    assert [d.card for d in round_of(t.state).player] == ["4C"]
    t.card(Hand.BANKER, "5D")
    assert [d.card for d in round_of(t.state).banker] == ["5D"]


def test_more_copies_than_the_decks_hold() -> None:
    t = dealing()
    shoe = t.state.shoe
    for _ in range(8):
        t.do(ev.CardBurned("KS", "burn", t.tick(), ""))
    t.card(Hand.PLAYER, "KS")
    assert t.irregularities() == ["too_many_copies"]
    assert round_of(t.state).player == ()
    assert sum(t.state.shoe.seen) == sum(shoe.seen) + 8


def test_the_reader_that_disagrees_stops_the_round() -> None:
    t = dealing()
    t.deal("9S KD", "2C 3H")
    t.result("banker")
    assert t.state.phase is Phase.STOPPED
    assert t.irregularities() == ["reader_disagrees"]
    assert t.state.outcomes == (), "nothing is announced"
    t.floor("RESUME ROUND")
    assert t.state.phase is Phase.RESULT


def test_a_result_while_a_card_is_due_means_that_a_card_was_lost() -> None:
    t = dealing()
    t.card(Hand.PLAYER, "9S")
    t.card(Hand.BANKER, "2C")
    t.card(Hand.PLAYER, "KD")
    t.result("player")
    assert t.state.phase is Phase.STOPPED
    t.floor("ENTER BANKER CARD", "CARD 3?", "CARD 3 HEARTS?")
    assert t.state.phase is Phase.RESULT, "with the card that was lost the reader agrees"


def test_a_missing_reader_result_is_flagged_and_the_round_goes_on() -> None:
    t = dealing()
    t.deal("9S KD", "2C 3H")
    [timer] = t.state.timers
    t.do(ev.TimerFired(timer.kind, timer.due_ns, timer.due_ns))
    assert t.irregularities() == ["result_not_read"]
    assert t.state.phase is Phase.RESULT
    t.result("banker")
    assert t.state.phase is Phase.STOPPED


@pytest.mark.parametrize("phase", ["counting", "dealing", "award", "checking", "result", "stopped"])
def test_void_gives_wagers_back_and_reverses_the_very_increments(phase: str) -> None:
    t = Table().opened()
    before = t.state.meters
    t.place(2, ROYAL)
    t.lock()
    if phase != "counting":
        t.confirm()
    if phase == "stopped":
        t.call()
    if phase == "award":
        t.deal("2C 3H", "KD 9C")
    if phase in ("checking", "result"):
        t.deal("9S 7H KD"[:5], "8C KH")
        if phase == "result":
            t.result("banker")
    t.floor("VOID ROUND")
    assert t.state.phase is Phase.VOIDED
    for old, new in zip(before, t.state.meters, strict=True):
        assert (old.shown_micro, old.reserve_micro) == (new.shown_micro, new.reserve_micro)
        assert new.reversed_micro == new.contributed_micro > 0
    assert t.lit() == {}
    t.clear()
    assert t.state.phase is Phase.BETTING


def test_a_validated_award_can_not_be_voided() -> None:
    t = Table().opened()
    t.place(2, ROYAL)
    t.lock()
    t.confirm()
    t.deal("2C 3H", "KD 9C")
    t.confirm()
    assert "VOID ROUND" in t.menu()
    t.floor("AWARD P2*")
    assert "VOID ROUND" not in t.menu()


# --- shoe -----------------------------------------------------------------------------------------------------------


def play(t: Table) -> None:
    t.lock()
    t.deal("9S KD", "2C 3H")
    t.result("player")
    t.clear()


def test_after_the_cut_card_the_round_in_play_and_one_more() -> None:
    t = Table().opened()
    t.lock()
    t.card(Hand.PLAYER, "9S")
    t.do(ev.CutCardDrawn(t.tick()))
    t.card(Hand.BANKER, "2C")
    t.card(Hand.PLAYER, "KD")
    t.card(Hand.BANKER, "3H")
    t.result("player")
    t.clear()
    assert t.state.phase is Phase.BETTING
    play(t)
    assert t.state.phase is Phase.NEW_SHOE
    t.do(ev.ReaderStarted(t.tick()))
    assert t.state.shoe.number == 2
    assert t.state.phase is Phase.BETTING
    assert sum(t.state.shoe.seen) == 0


def test_a_reader_start_without_a_cut_card_is_a_reconnect() -> None:
    t = Table().opened()
    play(t)
    t.do(ev.ReaderStarted(t.tick()))
    assert t.state.shoe.number == 1
    assert sum(t.state.shoe.seen) == 4


def test_a_new_shoe_in_the_middle_of_a_round_stops_it() -> None:
    t = dealing()
    t.do(ev.CutCardDrawn(t.tick()))
    t.do(ev.ReaderStarted(t.tick()))
    assert t.state.phase is Phase.STOPPED
    assert t.irregularities() == ["shoe_changed"]


# --- opening, closing, service, devices -----------------------------------------------------------------------------


def test_a_spot_covered_at_opening_takes_no_wager_until_cleared() -> None:
    t = Table()
    t.start(covered=[(3, "tie")])
    t.floor("OPEN TABLE", "NEW SHOE")
    assert t.lamp(3, "tie") is LampShow.OUT_OF_SERVICE
    t.place(4, "tie")
    t.lock()
    assert [w.position for w in t.state.wagers] == [4]
    t.deal("9S KD", "2C 3H")
    t.result("player")
    t.clear()
    t.floor("POS 3 IN SERVICE")
    assert t.lamp(3, "tie") is LampShow.OUT_OF_SERVICE, "still covered"
    t.lift(3, "tie")
    t.floor("POS 3 IN SERVICE")
    t.place(3, "tie")
    assert t.lamp(3, "tie") is LampShow.SENSED


def test_a_failed_spot_is_out_of_service_and_the_others_play_on() -> None:
    t = Table().opened()
    t.place(1, "player")
    t.place(2, "player")
    t.do(ev.SpotFailed(1, "player", ev.SpotTrouble.CHATTER, t.tick()))
    t.lock()
    assert [w.position for w in t.state.wagers] == [2]
    t.do(ev.SpotRecovered(1, "player", False, t.tick()))
    assert t.lamp(1, "player") is LampShow.OUT_OF_SERVICE


def test_close_only_between_rounds_and_both_record_the_meters() -> None:
    t = Table().opened()
    t.place(1, "player")
    t.lock()
    assert "CLOSE TABLE" not in t.menu()
    t.deal("9S KD", "2C 3H")
    t.result("player")
    assert "CLOSE TABLE" not in t.menu()
    t.clear()
    t.floor("CLOSE TABLE")
    assert t.state.phase is Phase.CLOSED
    assert sum(type(e).__name__ == "MeterRecorded" for e in t.effects) == 6


def test_blind_inputs_pause_betting_and_the_round_goes_on_under_its_number() -> None:
    t = Table().opened()
    number = t.state.round
    t.place(1, "player")
    t.do(ev.DeviceDown("lines", "unplugged", t.tick()))
    assert t.state.phase is Phase.PAUSED
    assert t.shown()[2] == "LINES OFFLINE"
    t.do(ev.DeviceUp("lines", t.tick()))
    assert t.state.phase is Phase.PAUSED, "up is not settled"
    t.do(ev.InputsReady(t.tick(), (ev.CoveredSpot(1, "player"),), False, False, False))
    assert t.state.phase is Phase.BETTING
    assert t.state.round == number


def test_a_dark_sign_keeps_the_next_round_from_opening_but_the_press_still_counts() -> None:
    t = Table().opened()
    t.place(1, "player")
    t.do(ev.DeviceDown("board", "unplugged", t.tick()))
    assert t.state.phase is Phase.BETTING
    play(t)
    assert [w.position for w in (e for e in t.saw(WagerAccepted) if isinstance(e, WagerAccepted))] == [1]
    assert t.state.phase is Phase.PAUSED
    assert t.shown()[2] == "BOARD OFFLINE"
    t.do(ev.DeviceUp("board", t.tick()))
    assert t.state.phase is Phase.BETTING


def test_a_faulty_lock_out_button_closes_wagering() -> None:
    t = Table().opened()
    t.do(ev.KeyWiringFailed("lockout", False, t.tick()))
    assert t.state.phase is Phase.PAUSED
    assert "LOCK-OUT IS FAULTY" in table_reasons(t)
    t.do(ev.KeyWiringFailed("lockout", True, t.tick()))
    assert t.state.phase is Phase.BETTING


def table_reasons(t: Table) -> tuple[str, ...]:
    return reasons_against_wagering(t.rules, t.state)


def test_inputs_lost_inside_the_window_leave_what_is_on_record() -> None:
    t = Table().opened()
    t.place(1, ROYAL)
    press = t.press()
    times = (press, press)
    lost = tuple(ev.SpotVerdict(s.position, s.wager, False, *times, False, True, None, False) for s in t.rules.spots)
    t.settle(press, lost)
    assert [w.position for w in t.state.wagers] == [1]
    assert t.irregularities() == ["inputs_overdue"]


def test_a_new_shoe_inside_the_decision_window_does_not_hang_the_round() -> None:
    t = Table().opened()
    t.place(2, ROYAL)
    t.do(ev.CutCardDrawn(t.tick()))
    press_ns = t.press()
    t.do(ev.ReaderStarted(t.tick()))
    assert t.state.phase is Phase.LOCKING, "what stops waits until the accepted set is final"
    t.settle(press_ns)
    assert t.state.phase is Phase.STOPPED
    t.floor("RESUME ROUND")
    assert t.state.phase is Phase.COUNTING
    assert [(w.position, w.wager) for w in t.state.wagers] == [(2, ROYAL)]


def test_an_award_validated_while_the_round_is_stopped_does_not_hang_it() -> None:
    t = Table().opened()
    t.place(5, ROYAL)
    t.lock()
    t.confirm()
    t.deal("KH 9H", "QS 9S")
    t.confirm()
    t.call()
    t.floor("AWARD P5 $1,500.00", "RESUME ROUND")
    assert t.state.phase is Phase.AWARD, "it is not paid yet"
    t.confirm()
    assert t.state.phase is Phase.CHECKING


def test_a_silent_shoe_stops_nothing_that_is_decided_and_cards_can_be_entered() -> None:
    t = dealing()
    t.card(Hand.PLAYER, "9S")
    t.do(ev.DeviceDown("shoe", "cable", t.tick()))
    assert t.shown()[2] == "SHOE OFFLINE"
    for hand, rank, suit in (("BANKER", "2", "CLUBS"), ("PLAYER", "K", "SPADES"), ("BANKER", "3", "HEARTS")):
        t.floor(f"ENTER {hand} CARD", f"CARD {rank}?", f"CARD {rank} {suit}?")
    assert t.state.phase is Phase.RESULT
    t.clear()
    assert t.state.phase is Phase.PAUSED


def test_the_card_reader_may_have_any_name() -> None:
    t = Table(rules(devices=("lines", "reader"), card_readers=("reader",))).opened()
    t.place(1, "player")
    t.lock()
    t.do(ev.DeviceDown("reader", "cable", t.tick()))
    assert "reader_down" in t.irregularities()
    t.deal("9S KD", "2C 3H")
    assert t.state.phase is Phase.RESULT  # nobody waits for the result of a reader that is away


# --- restart --------------------------------------------------------------------------------------------------------


def restarted(t: Table, boot_id: str, covered: list[tuple[int, str]]) -> None:
    t.start(boot_id, covered)


@pytest.mark.parametrize("boot_id", ["boot-1", "boot-2"])
def test_a_restart_keeps_wagers_cards_and_awards(boot_id: str) -> None:
    t = Table().opened()
    t.place(2, ROYAL)
    t.lock()
    t.confirm()
    t.deal("2C 3H", "KD 9C")
    before = t.state
    if boot_id == "boot-2":
        t.now_ns = 5 * MS
    restarted(t, boot_id, [(2, ROYAL)])
    after = t.state
    assert (after.wagers, after.meters, after.awards, after.game, after.phase) == (
        before.wagers,
        before.meters,
        before.awards,
        before.game,
        before.phase,
    )


@pytest.mark.parametrize("boot_id", ["boot-1", "boot-2"])
def test_a_restart_inside_the_window_decides_on_what_is_on_record(boot_id: str) -> None:
    t = Table().opened()
    t.place(1, "player")
    t.place(2, "player")
    press = t.press()
    t.do(ev.ChipPlaced(3, "player", press + MS, press + MS))
    if boot_id == "boot-2":
        t.now_ns = 5 * MS
    restarted(t, boot_id, [(1, "player"), (3, "player"), (4, "player")])
    assert [w.position for w in t.state.wagers] == [1]
    assert "lock_interrupted" in t.irregularities()


def test_betting_after_a_restart_waits_for_inputs_and_devices() -> None:
    t = Table().opened()
    t.place(1, "player")
    t.do(ev.Started(t.tick(), 0, True, "boot-1"))
    assert t.state.phase is Phase.PAUSED
    restarted(t, "boot-1", [(1, "player"), (2, "player")])
    assert t.state.phase is Phase.BETTING
    t.lock()
    assert [w.position for w in t.state.wagers] == [1, 2]


# --- the core as a whole --------------------------------------------------------------------------------------------


def test_the_same_events_give_the_same_effects_and_state() -> None:
    t = Table().opened()
    t.place(2, ROYAL)
    t.lock()
    t.confirm()
    t.deal("2C 3H", "KD 9C")
    t.see_to_awards()
    t.result("banker")
    t.clear()
    again = Table()
    for event in t.events:
        again.do(event)
    assert again.state == t.state
    assert again.effects == t.effects


def test_a_tick_changes_nothing_and_has_no_effect() -> None:
    t = Table().opened()
    state, effects = step(t.rules, t.state, ev.Tick(t.tick()))
    assert state is t.state
    assert effects == ()


def test_menu_starts_anew_when_what_may_be_done_changes_under_it() -> None:
    t = Table().opened()
    t.do(ev.FloorKeyTurned(True, t.tick()))
    t.key(ev.Key.CALL)
    t.key(ev.Key.CALL)
    shown = t.menu_line()
    assert shown == t.menu()[2]
    t.do(ev.SpotFailed(1, "tie", ev.SpotTrouble.STUCK, t.tick()))
    assert t.menu_line() == t.menu()[0]


def test_rules_are_frozen() -> None:
    with pytest.raises(AttributeError):
        rules().decks = 6  # type: ignore[misc]


def test_the_display_names_the_card_that_is_due() -> None:
    """The Banker hand's third card may follow its second: without the number the prompt would not change."""
    t = Table().opened()
    t.lock()
    prompts = []
    for hand, card in ((Hand.PLAYER, "6S"), (Hand.BANKER, "2C"), (Hand.PLAYER, "KH"), (Hand.BANKER, "3D")):
        prompts.append(t.shown()[1].strip())
        t.card(hand, card)
    prompts.append(t.shown()[1].strip())
    assert prompts == ["PLAYER CARD 1", "BANKER CARD 1", "PLAYER CARD 2", "BANKER CARD 2", "BANKER CARD 3"]


def test_the_menu_says_that_a_line_was_taken_where_the_same_line_follows() -> None:
    t = Table()
    t.start()
    t.floor("OPEN TABLE")
    t.do(ev.FloorKeyTurned(True, t.tick()))
    before = t.shown()
    assert before[1] == "NEW SHOE"
    t.confirm()
    assert t.state.phase is Phase.BETTING
    assert t.shown()[1:3] == ("NEW SHOE", "DONE")
    t.call()
    assert t.shown()[2] == ""
