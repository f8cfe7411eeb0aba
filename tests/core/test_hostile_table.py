"""What a hostile patron, a careless dealer and failing hardware do at the worst moment: each was a way to break the
table once."""

from __future__ import annotations

import pytest

from firmware.core import events as ev
from firmware.core.baccarat import Hand
from firmware.core.effects import BettingClosed, TableOpened
from firmware.core.rounds.baccarat import round_of
from firmware.core.short_names import SHORT_NAMES, short_name
from firmware.core.wagers.games import DEALT_IN_BY, GAMES
from tests.core.table import MS, Table

ROYAL = "royal_9_progressive"


def locked(*wagers: tuple[int, str]) -> Table:
    t = Table().opened()
    for position, wager in wagers or ((1, "player"),):
        t.place(position, wager)
    t.lock()
    return t


def phase(t: Table) -> str:
    return t.state.phase.value


def burn_until_impossible(t: Table) -> None:
    for _ in range(9):
        t.do(ev.CardBurned("KS", "burn", t.tick(), ""))


# --- a stop only where there is a round to stop ---------------------------------------------------------------------


def test_an_impossible_card_while_closed_opens_no_table() -> None:
    t = Table()
    t.start()
    burn_until_impossible(t)
    assert phase(t) == "closed"
    assert t.irregularities() == ["too_many_copies"]
    assert "VOID ROUND" not in t.menu()
    t.floor("OK IMPOSSIBLE CARD")
    assert t.state.noted == ()
    assert t.saw(TableOpened) == []


def test_an_impossible_card_while_betting_leaves_the_wagers_as_the_lamps_say() -> None:
    t = Table().opened()
    burn_until_impossible(t)
    assert phase(t) == "betting"
    t.place(1, "player")
    t.lock()
    assert [w.position for w in t.state.wagers] == [1]


@pytest.mark.parametrize("trouble", ["copies", "shoe"])
def test_what_stops_a_round_inside_the_window_stops_it_once_the_set_is_final(trouble: str) -> None:
    t = Table().opened()
    t.place(1, ROYAL)
    if trouble == "shoe":
        t.do(ev.CutCardDrawn(t.tick()))
    press = t.press()
    if trouble == "shoe":
        t.do(ev.ReaderStarted(t.tick()))
    else:
        burn_until_impossible(t)
    assert phase(t) == "locking"
    t.settle(press)
    assert [w.position for w in t.state.wagers] == [1], "the wager is neither lost nor forgotten"
    assert phase(t) == "stopped"
    t.floor("RESUME ROUND")
    assert phase(t) == "counting"


def test_a_chip_that_leaves_while_the_count_is_stopped_is_no_sweep() -> None:
    t = locked((1, ROYAL))
    burn_until_impossible(t)
    assert phase(t) == "stopped"
    t.lift(1, ROYAL)
    assert "chip_removed" in t.irregularities()


def test_no_card_is_entered_before_the_count_is_confirmed() -> None:
    t = locked((1, ROYAL))
    burn_until_impossible(t)
    assert phase(t) == "stopped"
    assert not any(label.startswith("ENTER") for label in t.menu())


# --- the press and the card -----------------------------------------------------------------------------------------


def test_a_card_from_before_the_press_locks_at_its_own_time() -> None:
    """A telegram takes 20 ms: its first byte may be older than a press that was heard of first (X9)."""
    t = Table().opened()
    t.place(1, "player")
    card_ns = t.tick(50)
    t.place(2, "player")
    press = t.press()
    t.do(ev.CardRead(Hand.PLAYER, 1, "9S", card_ns, "00"))
    assert t.saw(BettingClosed)[-1] == BettingClosed(card_ns, "card")
    t.do(ev.LockGlitch(press, 5 * MS))
    t.settle(card_ns)
    assert [w.position for w in t.state.wagers] == [1], "the second chip came after the first card"
    assert "auto_lock" in t.irregularities()


def test_a_card_while_betting_is_paused_closes_it() -> None:
    """Else betting would open again when the lines are back, on a round whose first card everybody has seen."""
    t = Table().opened()
    t.place(1, ROYAL)
    t.do(ev.DeviceDown("lines", "unplugged", t.tick()))
    assert phase(t) == "paused"
    t.card(Hand.PLAYER, "KS")
    assert phase(t) == "locking"
    t.do(ev.InputsReady(t.tick(), (ev.CoveredSpot(1, ROYAL), ev.CoveredSpot(2, ROYAL)), False, False, False))
    t.do(ev.DeviceUp("lines", t.tick()))
    assert [w.position for w in t.state.wagers] == [1]
    assert [d.card for d in round_of(t.state).player] == ["KS"]
    assert {"auto_lock", "lock_interrupted"} <= set(t.irregularities())


# --- wagers in doubt ------------------------------------------------------------------------------------------------


def test_a_card_does_not_decide_a_disputed_count() -> None:
    """The dealer's CONFIRM is refused while a wager is in doubt; a card must not be a way around the floorperson."""
    t = locked((1, ROYAL), (2, ROYAL))
    t.call()
    t.card(Hand.PLAYER, "9S")
    assert phase(t) == "stopped"
    assert [d.card for d in round_of(t.state).player] == ["9S"], "the card is out of the shoe and counts"
    t.floor("CANCEL P1*", "CONFIRM P2*", "RESUME ROUND")
    assert phase(t) == "dealing"
    assert [w.position for w in t.state.wagers] == [2]
    assert [n.kind.value for n in t.state.noted] == ["card_before_confirm"]


def test_a_chip_removed_with_nothing_to_count_can_still_be_decided() -> None:
    t = locked((1, "player"), (2, "player"))
    assert phase(t) == "dealing"
    t.lift(1, "player")
    assert t.irregularities() == ["chip_removed"]
    t.floor("CANCEL P1 PLAYER")
    assert [w.position for w in t.state.wagers] == [2]


def test_wagers_sensed_just_before_the_card_can_be_cancelled_one_by_one() -> None:
    """X9: they are listed for the floorperson, who must be able to do something about one without voiding all."""
    t = Table().opened()
    t.place(1, ROYAL)
    t.tick(2_000)
    t.place(2, ROYAL)
    t.card(Hand.PLAYER, "9S")
    assert t.state.lock is not None
    t.settle(t.state.lock.press_ns)
    assert phase(t) == "dealing"
    assert [w.position for w in t.state.wagers if w.doubt] == [2]
    t.floor("CANCEL P2*")
    assert [w.position for w in t.state.wagers] == [1]


def test_a_chip_that_had_left_before_the_press_as_a_late_signal_says_can_be_cancelled() -> None:
    t = locked((1, ROYAL), (2, ROYAL))
    t.do(ev.LateEdge(1, ROYAL, False, 5, 300 * MS))
    assert [w.position for w in t.state.wagers] == [1, 2], "it changes nothing by itself"
    t.confirm()
    assert t.shown()[2] == "CALL FLOORPERSON"
    t.floor("CANCEL P1*")
    t.confirm()
    assert [w.position for w in t.state.wagers] == [2]


def test_deciding_a_wager_acknowledges_nothing_else() -> None:
    t = locked((1, ROYAL))
    t.do(ev.DoorMoved(True, t.tick()))
    t.call()
    t.floor("CONFIRM P1*")
    assert [n.kind.value for n in t.state.noted] == ["door_open"]


def test_resuming_acknowledges_only_what_stopped_the_round() -> None:
    t = locked((1, "player"))
    t.do(ev.DoorMoved(True, t.tick()))
    t.call()
    t.floor("RESUME ROUND")
    assert [n.kind.value for n in t.state.noted] == ["door_open"]


# --- the reader's own result ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("phase", ["checking", "result"])
def test_a_result_that_disagrees_is_not_lost_while_the_round_is_stopped(phase: str) -> None:
    t = locked((1, "player"))
    t.deal("9S KD", "2C 3H")
    if phase == "result":
        [timer] = t.state.timers
        t.do(ev.TimerFired(timer.kind, timer.due_ns, timer.due_ns))
    t.call()
    t.result("banker")
    assert "reader_disagrees" in t.irregularities()


def test_a_stop_while_the_reader_is_awaited_does_not_skip_the_comparison() -> None:
    t = locked((1, "player"))
    t.deal("9S KD", "2C 3H")
    t.call()
    t.floor("RESUME ROUND")
    assert t.irregularities()[-1] == "result_not_read"
    t.result("banker")
    assert t.irregularities()[-1] == "reader_disagrees"
    assert phase(t) == "stopped"


# --- the floorperson's key ------------------------------------------------------------------------------------------


def test_the_menu_closes_when_the_lines_come_back_with_the_key_at_rest() -> None:
    t = locked((5, ROYAL))
    t.do(ev.FloorKeyTurned(True, t.tick()))
    t.do(ev.DeviceDown("lines", "unplugged", t.tick()))
    assert t.state.menu is None, "nobody can read the key any more"
    covered = tuple(ev.CoveredSpot(s.position, s.wager) for s in t.state.spots if s.chip)
    t.do(ev.InputsReady(t.tick(), covered, False, False, False))
    t.do(ev.DeviceUp("lines", t.tick()))
    assert t.state.menu is None
    assert not t.state.panel.floor_turned


def test_the_menu_closes_when_the_key_is_out_of_order() -> None:
    t = locked((5, ROYAL))
    t.do(ev.FloorKeyTurned(True, t.tick()))
    t.do(ev.KeyWiringFailed("floor_key", False, t.tick()))
    assert t.state.menu is None
    t.do(ev.KeyWiringFailed("floor_key", True, t.tick()))
    assert t.state.menu is None
    t.do(ev.KeyWiringFailed("reset_key", False, t.tick()))
    t.do(ev.FloorKeyTurned(True, t.tick()))
    t.do(ev.KeyWiringFailed("reset_key", True, t.tick()))
    assert t.state.menu is not None, "the other key is not this one"


def test_confirm_pressed_on_a_line_that_an_event_took_away_does_nothing() -> None:
    """The line changes while the finger is on its way: the first CONFIRM afterwards is refused, the next is meant."""
    t = Table().opened()
    t.place(5, ROYAL)
    t.lock()
    t.confirm()
    t.card(Hand.PLAYER, "KH")
    t.card(Hand.BANKER, "QS")
    t.card(Hand.PLAYER, "9H")
    t.do(ev.FloorKeyTurned(True, t.tick()))
    assert t.menu_line() == "ENTER BANKER CARD"
    t.card(Hand.BANKER, "9S")
    in_service = t.lit()
    assert t.menu_line() == "POS 1 OUT OF SERV", "never the void, while an award waits"
    t.confirm()
    assert t.lit() == in_service
    assert t.shown()[2] == "LOOK: MENU CHANGED"
    t.confirm()
    assert t.lit() != in_service


def test_the_table_is_not_opened_blind() -> None:
    """What lies there at opening must be known, else a covered spot would become a wager."""
    t = Table()
    t.do(ev.Started(t.tick(), 0, True, "boot-1"))
    assert "OPEN TABLE" not in t.menu()


# --- the shoe -------------------------------------------------------------------------------------------------------


def test_a_card_left_over_from_the_old_shoe_opens_no_round_of_the_new_one() -> None:
    t = Table().opened()
    t.do(ev.CardHeldOver("4C", t.tick(), ""))
    t.floor("NEW SHOE")
    t.lock()
    assert round_of(t.state).player == ()


# --- a restart inside the window ------------------------------------------------------------------------------------


def test_a_chip_that_went_while_the_daemon_was_away_is_named() -> None:
    """It lay there at the press; whether the patron took it before or after nobody knows."""
    t = Table().opened()
    t.place(1, ROYAL)
    t.place(2, ROYAL)
    t.press()
    t.start("boot-1", [(1, ROYAL)])
    assert [w.position for w in t.state.wagers] == [1]
    assert ("straddle", 2) in [(n.kind.value, n.position) for n in t.state.noted]


# --- what the display says ------------------------------------------------------------------------------------------


def test_why_there_is_no_wagering_is_shown_beside_an_older_irregularity() -> None:
    t = Table().opened()
    t.do(ev.DoorMoved(True, t.tick()))
    t.do(ev.DeviceDown("lines", "unplugged", t.tick()))
    assert t.shown()[:3] == ("NO WAGERS", "LINES OFFLINE", "DOOR WAS OPENED")


def test_the_menu_tells_every_two_wagers_apart() -> None:
    for game, of in GAMES.items():
        wagers = {wager.name for wager in of.wagers} | {DEALT_IN_BY[game] for _ in "1" if game in DEALT_IN_BY}
        names = [short_name(wager) for wager in wagers]
        assert len(set(names)) == len(names), sorted(names)
        assert all(len(f"CONFIRM P16 {name}") <= 20 for name in names)
        for wager in wagers:  # as people say it: a name of its own, and a word or a figure of the wager whole or begun
            words = wager.upper().split("_")
            assert wager in SHORT_NAMES, wager
            assert any(part[:2] in word for part in SHORT_NAMES[wager].split() for word in words), wager
