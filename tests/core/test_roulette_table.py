"""The Roulette round in virtual time: a spin, B2B, what closes betting, and everything that goes wrong."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from firmware.core import events as ev
from firmware.core.effects import BettingClosed, Draw, LampShow, SettlementShown, WagerCancelled, WagerRefused
from firmware.core.faults import Irregularity
from firmware.core.floor import lines
from firmware.core.menu import Line
from firmware.core.rounds.roulette import NUMBER_DUE_NS, SECOND_READER_NS, round_of
from firmware.core.state import Menu
from firmware.core.wheel_events import NumberRead, WheelTroubled
from tests.core.roulette_table import B2B, Phase, RouletteTable, roulette_rules

MS = 1_000_000
TWO = {"wheels": ("wheel", "rim"), "devices": ("lines", "wheel", "rim", "board")}


def after_one(pocket: str = "17", **changes: object) -> RouletteTable:
    t = RouletteTable(**changes).opened()
    if changes.get("wheels"):
        t.bet()
        t.number(pocket)
        t.number(pocket, "rim", t.spin)
        t.finish()
    else:
        t.round(pocket)
    return t


def fire(t: RouletteTable, kind: ev.TimerKind) -> None:
    timer = next(timer for timer in t.state.timers if timer.kind is kind)
    t.now_ns = max(t.now_ns, timer.due_ns)
    t.do(ev.TimerFired(kind, timer.due_ns, timer.due_ns))


# --- the spin ---------------------------------------------------------------------------------------------------------


def test_b2b_loses_on_another_number_and_wins_by_odds_drawn_once() -> None:
    t = after_one("17").bet(2, 5)
    assert t.shown()[:2] == ("SPIN", "NUMBER IS AWAITED")
    t.number("18")
    assert (t.state.phase, t.settled()) == (Phase.RESULT, {5: ("lose", 0), 2: ("lose", 0)})
    assert t.shown()[:2] == ("PAY AND COLLECT", "18 RED")
    assert t.saw(Draw) == []
    t.finish()
    t.bet(1, 7)
    t.number("18")
    assert t.state.phase is Phase.CHECKING and t.settled() == {}
    assert t.shown()[:2] == ("WAIT", "DRAWING ODDS")
    t.drawn("250")
    assert t.settled() == {7: ("win", 125_000), 1: ("win", 125_000)}
    assert "B2B PAYS 250 TO 1" in t.sign()
    assert len(t.saw(Draw)) == 1
    t.finish()
    assert t.state.phase is Phase.BETTING
    assert "LAST 18" in t.sign()


def test_zero_and_double_zero_are_two_numbers() -> None:
    t = after_one("0").bet(1)
    t.number("00")
    assert t.settled() == {1: ("lose", 0)}


def test_before_the_first_number_b2b_is_taken_back() -> None:
    t = RouletteTable().opened()
    assert "B2B NEXT SPIN" in t.sign()
    t.bet(3)
    assert [e.position for e in t.saw(WagerCancelled) if isinstance(e, WagerCancelled)] == [3]
    assert t.lamp(3, B2B) is LampShow.NOT_ACCEPTED
    t.number("7")
    assert (t.state.phase, t.settled()) == (Phase.RESULT, {})


def test_a_closed_table_forgets_the_number_and_a_spin_meanwhile_is_none() -> None:
    t = after_one("17")
    t.floor("CLOSE TABLE")
    t.number("5")
    t.floor("OPEN TABLE")
    t.bet(1)
    assert t.saw(WagerCancelled)


def test_a_number_that_the_wheel_tells_again_is_none() -> None:
    t = after_one("17")
    t.number("17", spin=t.spin)
    assert (t.state.phase, t.irregularities()) == (Phase.BETTING, [])
    t.bet(1)
    t.number("17", spin=t.spin)
    assert t.state.phase is Phase.DEALING


# --- no more bets -----------------------------------------------------------------------------------------------------


def test_the_wheel_closes_betting_and_what_came_while_nobody_knew_does_not_count() -> None:
    t = after_one()
    t.place(1, B2B)
    t.tick(600)
    t.place(2, B2B)
    closed_ns = t.wheel_closes(heard_ms=500)
    assert t.state.phase is Phase.LOCKING
    t.settle(closed_ns)
    assert t.saw(BettingClosed)[-1] == BettingClosed(closed_ns, "wheel")
    assert [w.position for w in t.state.wagers] == [1]
    assert WagerRefused(2, B2B, "time uncertain") in t.saw(WagerRefused)
    assert t.irregularities() == [Irregularity.STRADDLE]
    assert t.state.phase is Phase.DEALING


def test_the_button_that_was_first_decides_also_when_the_wheel_was_heard_first() -> None:
    t = after_one()
    t.place(1, B2B)
    press_ns = t.tick(1)
    t.tick(4)
    t.wheel_closes()
    t.do(ev.LockEdge(press_ns))
    assert t.state.lock is not None and (t.state.lock.press_ns, t.state.lock.by_wheel) == (press_ns, False)
    t.settle(press_ns)
    assert [w.position for w in t.state.wagers] == [1]


def test_the_wheel_that_was_first_decides_also_when_the_press_was_heard_first() -> None:
    t = after_one()
    t.place(1, B2B)
    t.tick(700)
    closed_ns = t.now_ns
    press_ns = t.press()
    t.now_ns = closed_ns
    closed_ns = t.wheel_closes()
    assert closed_ns < press_ns
    t.settle(closed_ns)
    assert t.saw(BettingClosed)[-1] == BettingClosed(closed_ns, "wheel")


def test_a_press_that_was_none_leaves_the_wheels_close() -> None:
    t = after_one()
    t.place(1, B2B)
    press_ns = t.tick(600)
    t.do(ev.LockEdge(press_ns))
    closed_ns = t.wheel_closes()
    t.do(ev.LockGlitch(press_ns, 5 * MS))
    assert t.state.phase is Phase.LOCKING
    t.settle(closed_ns)
    assert t.state.phase is Phase.DEALING


def test_after_the_button_the_wheels_word_changes_nothing() -> None:
    t = after_one().bet(1)
    before = t.state.lock
    t.wheel_closes()
    assert (t.state.lock, t.state.phase) == (before, Phase.DEALING)


def test_betting_does_not_open_while_the_ball_runs() -> None:
    t = after_one().bet(1)
    t.wheel_closes()
    t.call()
    t.floor("VOID ROUND")
    t.finish()
    assert (t.state.phase, t.shown()[1]) == (Phase.PAUSED, "BALL STILL RUNS")
    t.number("9")
    t.wheel_opens()
    assert (t.state.phase, t.state.wheel.last) == (Phase.BETTING, "9")


def test_a_number_while_betting_is_open_stops_and_the_floorperson_decides_before_anything_is_settled() -> None:
    t = after_one("17")
    t.place(1, B2B)
    t.tick(3000)
    t.place(2, B2B)
    at_ns = t.tick(200)
    t.do(NumberRead("wheel", "17", ("line", "status"), 99, at_ns, "00"))
    t.settle(at_ns)
    assert (t.state.phase, t.settled()) == (Phase.STOPPED, {})
    assert t.irregularities() == [Irregularity.NUMBER_AT_LOCK]
    assert t.shown()[2] == "NUMBER BEFORE LOCK"
    t.floor("CANCEL P2 *", "RESUME ROUND")
    t.drawn("10")
    assert t.settled() == {1: ("win", 5_000)}


# --- numbers that can't be relied on ----------------------------------------------------------------------------------


def test_the_dealer_confirms_the_number_when_the_wheel_doubts_it() -> None:
    t = after_one("17").bet(1)
    t.doubt("20", "26")
    assert (t.state.phase, t.settled()) == (Phase.CHECKING, {})
    assert t.shown() == ("CHECK THE NUMBER", "NUMBER 20? CONFIRM", "NUMBER IN DOUBT", "CONFIRM CALL")
    t.confirm()
    assert (round_of(t.state).number, t.settled()) == ("20", {1: ("lose", 0)})


def test_the_floorperson_takes_the_other_number() -> None:
    t = after_one("17").bet(1)
    t.doubt("20", "17")
    t.call()
    assert t.state.phase is Phase.STOPPED
    t.floor("NUMBER 17?")
    t.drawn("1000")
    assert t.settled() == {1: ("win", 500_000)}


@pytest.mark.parametrize(("second", "asks"), [("17", False), ("18", True)])
def test_two_readers_must_agree(second: str, asks: bool) -> None:
    t = after_one("5", **TWO).bet(1)
    t.number("17")
    assert t.shown()[:2] == ("WAIT", "OTHER READER") and t.settled() == {}
    t.number(second, "rim", t.spin)
    assert (t.state.phase is Phase.CHECKING) is asks
    assert (Irregularity.NUMBERS_DIFFER in t.irregularities()) is asks
    if asks:
        t.confirm()
    assert t.settled() == {1: ("lose", 0)}


def test_a_second_reader_that_is_silent_is_not_waited_for_long_and_one_that_is_late_is_compared() -> None:
    t = after_one("5", **TWO).bet(1)
    t.number("17")
    due = next(timer for timer in t.state.timers if timer.kind is ev.TimerKind.RESULT_OVERDUE)
    assert due.due_ns == t.now_ns + SECOND_READER_NS
    fire(t, ev.TimerKind.RESULT_OVERDUE)
    assert t.shown()[:3] == ("CHECK THE NUMBER", "NUMBER 17? CONFIRM", "ONE READER IS SILENT")
    t.confirm()
    assert t.state.phase is Phase.RESULT
    t.number("19", "rim", t.spin)
    assert (t.state.phase, t.irregularities()[-1]) == (Phase.STOPPED, Irregularity.NUMBER_CHANGED)


def test_a_reader_that_is_away_is_not_waited_for() -> None:
    t = after_one("5", **TWO).bet(1)
    t.do(ev.DeviceDown("rim", "no answer", t.tick()))
    assert t.irregularities() == [Irregularity.WHEEL_DOWN]
    t.number("17")
    assert t.shown()[1] == "NUMBER 17? CONFIRM"


def test_a_number_that_changes_after_the_settlement_stops_and_its_void_leaves_no_previous_number() -> None:
    t = after_one("17").bet(1)
    t.number("20")
    t.doubt("20", "26", doubt="changed", spin=t.spin)
    assert t.state.phase is Phase.STOPPED
    t.floor("VOID ROUND")
    t.finish()
    assert (t.state.phase, t.state.wheel.last) == (Phase.BETTING, None)
    t.bet(1)
    assert t.saw(WagerCancelled)


def test_a_number_that_changes_when_the_next_round_is_open_is_no_previous_number_any_more() -> None:
    t = after_one("17")
    t.doubt("17", "20", doubt="changed", spin=t.spin)
    assert (t.state.phase, t.state.wheel.last) == (Phase.BETTING, None)
    assert t.irregularities() == [Irregularity.NUMBER_DOUBTED]


# --- no spin, silence, faults -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("reason", "lost", "title"), [("wrong_way", False, "NO SPIN"), ("ball_lost", True, "BALL OUT OF WHEEL")]
)
def test_a_void_spin_leaves_wagers_and_the_previous_number(reason: str, lost: bool, title: str) -> None:
    t = after_one("17").bet(1)
    t.no_spin(reason, lost)
    assert t.shown()[:3] == ("SPIN", "SPIN AGAIN", title)
    assert "NO SPIN" in t.sign()
    t.number("17")
    t.drawn("25")
    assert t.settled() == {1: ("win", 12_500)}


def test_double_zero_of_a_single_zero_wheel_is_no_spin() -> None:
    t = after_one("17", wheel="single_zero").bet(1)
    t.number("00")
    assert (t.state.phase, t.irregularities()) == (Phase.DEALING, [Irregularity.NO_SPIN])
    assert not any("00" in line for line in [line.label for line in _entry(t)])
    t.number("17")
    assert t.state.phase is Phase.CHECKING


def _entry(t: RouletteTable) -> list[Line]:
    return list(lines(t.rules, replace(t.state, menu=Menu(entering=True, rank="0-00"))))


def test_a_void_spin_while_two_readers_are_compared_forgets_what_the_first_said() -> None:
    t = after_one("5", **TWO).bet(1)
    t.number("17")
    t.no_spin("fault")
    assert t.state.phase is Phase.DEALING and round_of(t.state).said == ()


def test_a_silent_wheel_is_told_and_the_floorperson_enters_the_number() -> None:
    t = after_one("17").bet(1)
    assert next(t.due_ns for t in t.state.timers) > t.now_ns
    fire(t, ev.TimerKind.NUMBER_OVERDUE)
    assert t.shown()[2] == "WHEEL SILENT"
    t.floor("ENTER NUMBER", "NUMBER 10-18", "NUMBER 17?")
    assert round_of(t.state).entered
    t.drawn("10")
    assert t.settled() == {1: ("win", 5_000)}
    assert NUMBER_DUE_NS == 180_000_000_000


def test_every_number_can_be_entered() -> None:
    table_rules = roulette_rules()
    for pocket in ("0", "00", *map(str, range(1, 37))):
        t = RouletteTable(table_rules).opened().bet()
        n = 0 if pocket in ("0", "00") else int(pocket)
        group = "0-00" if n == 0 else f"{(n - 1) // 9 * 9 + 1}-{(n - 1) // 9 * 9 + 9}"
        t.floor("ENTER NUMBER", f"NUMBER {group}", f"NUMBER {pocket}?")
        assert round_of(t.state).number == pocket


def test_a_fault_of_the_wheel_and_its_link() -> None:
    t = after_one("17").bet(1)
    t.do(WheelTroubled("wheel", "motor", t.tick(), "00"))
    t.do(ev.DeviceDown("wheel", "unplugged", t.tick()))
    assert t.irregularities() == [Irregularity.WHEEL_FAULT, Irregularity.WHEEL_DOWN]
    t.floor("ENTER NUMBER", "NUMBER 1-9", "NUMBER 4?")
    t.finish()
    assert (t.state.phase, t.shown()[1]) == (Phase.PAUSED, "WHEEL OFFLINE")


def test_confirm_means_nothing_while_no_number_is_asked_about() -> None:
    t = after_one("17").bet(1)
    t.number("17")
    t.confirm()
    assert (t.state.phase, t.shown()[2]) == (Phase.CHECKING, "CONFIRM NOT NOW")


def test_a_void_gives_the_wagers_back_and_an_answer_that_comes_late_changes_nothing() -> None:
    t = after_one("17").bet(1)
    t.number("17")
    t.call()
    t.floor("VOID ROUND")
    t.drawn("1000")
    assert (t.state.phase, t.settled(), t.state.wagers) == (Phase.VOIDED, {}, ())


# --- power ------------------------------------------------------------------------------------------------------------


def test_power_goes_in_every_phase_and_nothing_is_lost_or_paid_twice() -> None:
    t = RouletteTable().opened()

    def cut() -> None:
        before = (t.state.wagers, t.state.game, t.state.outcomes, t.state.phase, t.state.wheel.last)
        t.power_cut()
        assert (t.state.wagers, t.state.game, t.state.outcomes, t.state.phase, t.state.wheel.last) == before

    t.round("17")
    cut()
    t.place(1, B2B)
    t.tick(500)
    cut()
    t.lock()
    cut()
    t.no_spin()
    cut()
    t.number("17")
    asked = len(t.saw(Draw))
    cut()
    assert len(t.saw(Draw)) == asked + 1, "what was not answered is asked again"
    t.drawn("100")
    assert t.settled() == {1: ("win", 50_000)}
    cut()
    t.finish()
    t.bet(1)
    t.doubt("3", "30")
    cut()
    t.call()
    cut()
    t.floor("NUMBER 30?")
    cut()
    t.finish()
    assert (t.state.phase, t.state.wheel.last) == (Phase.BETTING, "30")


def test_power_goes_in_the_window_of_the_wheels_close() -> None:
    t = after_one()
    t.place(1, B2B)
    t.tick(600)
    t.place(2, B2B)
    t.wheel_closes(heard_ms=500)
    t.power_cut()
    assert [w.position for w in t.state.wagers] == [1]
    assert t.state.phase is Phase.DEALING


def test_power_goes_after_every_event_of_an_evening_and_every_settlement_is_the_same() -> None:
    """Each time the rest of the evening is played on: no wager is lost or paid twice, no odds are drawn twice."""
    evening = RouletteTable().opened()
    evening.round("17", 1)
    evening.bet(1, 3)
    evening.no_spin()
    evening.number("17")
    evening.drawn("250")
    evening.finish()
    evening.bet(2)
    evening.doubt("17", "26")
    evening.confirm()
    evening.drawn("10")
    evening.finish()
    evening.place(4, B2B)
    evening.tick(600)
    evening.settle(evening.wheel_closes())
    evening.number("5")
    paid = evening.saw(SettlementShown)
    assert len(paid) == 4
    cuts = 0
    for cut in range(1, len(evening.events)):
        t = RouletteTable(evening.rules)
        for event in evening.events[:cut]:
            t.do(event)
        if t.state.menu is not None or t.state.phase is Phase.CLOSED:
            continue  # a menu closes: what the keys would do then is another thing
        cuts += 1
        before = (t.state.wagers, t.state.outcomes, t.state.wheel.last, t.state.draws)
        t.power_cut()
        if t.state.lock is None or before[0]:  # else the window was cut off, and is decided now
            assert (t.state.wagers, t.state.outcomes, t.state.wheel.last, t.state.draws) == before
        for event in evening.events[cut:]:
            t.do(event)
        assert t.saw(SettlementShown) == paid, f"cut after {evening.events[cut - 1]}"
        assert len({e.draw for e in t.saw(Draw) if isinstance(e, Draw)}) == 2
    assert cuts > 25
