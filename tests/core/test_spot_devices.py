"""Positions sensed by devices of their own: one that is away closes its positions, and nothing else."""

from __future__ import annotations

from msgspec.structs import replace

from firmware.core import events as ev
from firmware.core.baccarat import Hand
from firmware.core.effects import LampShow, WagerAccepted
from firmware.core.events import TimerKind
from firmware.core.rules import TableRules
from firmware.core.state import Phase, Service
from tests.core.table import Table, rules

WEST, EAST = "west", "east"


def two_boards() -> TableRules:
    """Positions 1 to 3 on one device, the others on another; buttons and keys on "lines"."""
    one = rules()
    spots = tuple(replace(s, device=WEST if s.position <= 3 else EAST) for s in one.spots)
    return replace(one, spots=spots, spot_devices=(WEST, EAST))


def start(t: Table, *away: str) -> Table:
    t.start()
    for device in (WEST, EAST):
        if device not in away:
            back(t, device)
    return t


def back(t: Table, device: str, *covered: tuple[int, str]) -> None:
    t.do(ev.SpotsReady(device, t.tick(), tuple(ev.CoveredSpot(*at) for at in covered)))
    t.do(ev.DeviceUp(device, t.tick()))


def lose(t: Table, device: str) -> None:
    t.do(ev.DeviceDown(device, "unplugged", t.tick()))


def opened() -> Table:
    t = start(Table(two_boards()))
    t.floor("OPEN TABLE", "NEW SHOE")
    assert t.state.phase is Phase.BETTING
    return t


def service(t: Table, position: int) -> set[Service]:
    return {s.service for s in t.state.spots if s.position == position}


def accepted(t: Table) -> list[int]:
    return [e.position for e in t.saw(WagerAccepted) if isinstance(e, WagerAccepted)]


def press(t: Table) -> int:
    at_ns = t.tick()
    t.do(ev.LockEdge(at_ns))
    t.do(ev.LockProved(at_ns))
    return at_ns


def evidence(t: Table, press_ns: int, *unproved: int) -> None:
    """What the lines say one window later: every chip on record; nothing is known of these positions."""
    verdicts = []
    for s in t.state.spots:
        if s.position in unproved:
            verdicts.append(ev.SpotVerdict(s.position, s.wager, False, press_ns, press_ns, False, True, None, False))
        elif s.chip is not None:
            first, last = s.chip.not_before_ns, s.chip.not_after_ns
            verdicts.append(ev.SpotVerdict(s.position, s.wager, True, first, last, False, False, None, False))
    t.do(ev.InputsSettled(press_ns, t.rules.timing.window_ns, 0, tuple(verdicts)))


def test_a_dead_board_closes_its_positions_and_the_others_play_on() -> None:
    t = opened()
    t.place(2, "player")
    t.place(5, "player")
    t.tick(200)
    lose(t, WEST)
    assert t.state.phase is Phase.BETTING
    assert service(t, 2) == {Service.OFFLINE}
    assert service(t, 5) == {Service.IN}
    assert t.lamp(2, "player") is LampShow.OUT_OF_SERVICE, "also under the chip that lies there"
    assert t.irregularities() == ["spots_offline"]
    assert t.state.noted[0].detail == "west: positions 1, 2, 3"
    evidence(t, press(t), 1, 2, 3)
    assert accepted(t) == [5]
    assert t.irregularities() == ["spots_offline"], "what was closed before needs no second word"


def test_positions_open_again_with_their_board() -> None:
    t = opened()
    t.place(2, "player")
    t.tick(200)
    lose(t, WEST)
    back(t, WEST, (2, "player"))
    assert service(t, 2) == {Service.IN}, "the chip that was on record lies where it lay"
    assert t.lamp(2, "player") is LampShow.SENSED
    evidence(t, press(t))
    assert accepted(t) == [2]


def test_a_chip_that_came_while_the_board_was_away_waits_for_the_floorperson() -> None:
    t = opened()
    lose(t, WEST)
    back(t, WEST, (3, "tie"))
    assert t.lamp(3, "tie") is LampShow.OUT_OF_SERVICE
    evidence(t, press(t))
    assert accepted(t) == []


def test_a_round_keeps_what_was_locked_and_the_positions_are_closed_in_the_next() -> None:
    t = opened()
    t.place(2, "player")
    t.place(5, "player")
    t.lock()
    lose(t, WEST)
    assert accepted(t) == [2, 5]
    assert t.lamp(2, "player") is LampShow.ACCEPTED, "the wager stands"
    assert not any(w.doubt for w in t.state.wagers), "nobody took the chip"
    t.deal("9S KD", "2C 3H")
    t.result("player")
    t.clear()
    assert t.state.phase is Phase.BETTING
    assert service(t, 2) == {Service.OFFLINE}
    assert service(t, 5) == {Service.IN}


def test_a_board_lost_inside_the_window_leaves_its_record() -> None:
    t = opened()
    t.place(2, "player")  # recognized, its lamp lit
    t.place(5, "player")
    t.tick(200)
    at_ns = t.tick()
    t.do(ev.ChipPlaced(3, "player", at_ns, at_ns))  # 1 ms before the press: it may be what the supply's fall looks like
    press_ns = press(t)
    lose(t, WEST)
    assert service(t, 2) == {Service.IN}, "inside the window nothing is closed"
    evidence(t, press_ns, 1, 2, 3)
    assert sorted(accepted(t)) == [2, 5]
    assert "level_contradicts" in t.irregularities()
    assert service(t, 3) == {Service.OFFLINE}


def test_a_table_with_no_board_left_takes_no_wagers() -> None:
    t = opened()
    lose(t, WEST)
    lose(t, EAST)
    assert t.state.phase is Phase.PAUSED
    assert t.shown()[1] == "WEST OFFLINE"
    back(t, EAST)
    assert t.state.phase is Phase.BETTING


def test_a_table_opens_without_one_of_its_boards() -> None:
    t = start(Table(two_boards()), WEST)
    t.floor("OPEN TABLE", "NEW SHOE")
    assert t.state.phase is Phase.BETTING
    assert service(t, 1) == {Service.OFFLINE}
    assert "WEST OFFLINE" in t.shown()[2]
    t.floor("POS 1 IN SERVICE")
    assert service(t, 1) == {Service.OFFLINE}, "not by the key: nothing senses it"


def test_the_buttons_device_is_missed_by_the_whole_table() -> None:
    t = opened()
    t.do(ev.DeviceDown("lines", "unplugged", t.tick()))
    assert t.state.phase is Phase.PAUSED
    t.do(ev.InputsReady(t.tick(), (), False, False, False))
    t.do(ev.DeviceUp("lines", t.tick()))
    assert t.state.phase is Phase.BETTING


def test_chips_on_boards_outlive_the_buttons_device() -> None:
    t = opened()
    t.place(2, "player")
    t.do(ev.DeviceDown("lines", "unplugged", t.tick()))
    t.do(ev.InputsReady(t.tick(), (), False, False, False))
    assert t.lamp(2, "player") is LampShow.SENSED, "they are not among what it reads"


def test_a_lock_out_that_a_restart_cut_off_waits_for_every_board() -> None:
    t = opened()
    t.place(2, "player")
    t.place(5, "player")
    t.tick(200)
    press(t)
    t.do(ev.Started(t.tick(), 0, True, "boot-2"))
    back(t, EAST, (5, "player"))
    t.do(ev.InputsReady(t.tick(), (), False, False, False))
    assert t.state.phase is Phase.LOCKING
    back(t, WEST)
    assert "straddle" in t.irregularities(), "the chip of position 2 went meanwhile"
    [timer] = [x for x in t.state.timers if x.kind is TimerKind.INPUTS_OVERDUE]
    t.do(ev.TimerFired(timer.kind, timer.due_ns, timer.due_ns))
    assert accepted(t) == [5]


def test_a_spot_that_was_out_of_order_waits_after_its_board_returns() -> None:
    t = opened()
    t.do(ev.SpotFailed(1, "tie", ev.SpotTrouble.CHATTER, t.tick()))
    lose(t, WEST)
    back(t, WEST)
    assert t.lamp(1, "tie") is LampShow.OUT_OF_SERVICE
    t.floor("POS 1 IN SERVICE")
    assert service(t, 1) == {Service.IN}


def test_a_flapping_board_does_not_flood_the_floorperson() -> None:
    t = opened()
    for _ in range(50):
        lose(t, WEST)
        t.tick(2)
        back(t, WEST)
    assert len(t.state.noted) == 1


def blinked(t: Table, press_ns: int, *covered: tuple[int, str]) -> None:
    """The board went and came back inside the window: its lines begin anew, so nothing is known of the press."""
    lose(t, WEST)
    t.tick(5)
    back(t, WEST, *covered)
    evidence_of = [s for s in t.state.spots if s.position > 3 and s.chip is not None]
    unproved = tuple(
        ev.SpotVerdict(s.position, s.wager, False, t.now_ns, t.now_ns, False, True, None, s.chip is not None)
        for s in t.state.spots
        if s.position <= 3
    )
    others = tuple(
        ev.SpotVerdict(s.position, s.wager, True, s.chip.not_before_ns, s.chip.not_after_ns, False, False, None, False)
        for s in evidence_of
        if s.chip is not None
    )
    t.do(ev.InputsSettled(press_ns, t.rules.timing.window_ns, 0, unproved + others))


def test_a_board_that_is_back_before_the_window_ends_leaves_its_record_too() -> None:
    t = opened()
    t.place(2, "player")
    t.place(5, "player")
    t.tick(200)
    blinked(t, press(t), (2, "player"))
    assert sorted(accepted(t)) == [2, 5]
    assert t.irregularities() == ["spots_offline"], "the empty spots contradict nothing"
    assert not any(s.refused for s in t.state.spots)


def test_a_chip_that_was_gone_when_the_board_came_back_is_no_wager() -> None:
    t = opened()
    t.place(2, "player")
    t.tick(200)
    blinked(t, press(t))
    assert accepted(t) == []
    assert "straddle" in t.irregularities()


def test_a_chip_found_by_a_board_that_came_back_in_the_window_is_no_wager() -> None:
    t = opened()
    t.tick(200)
    blinked(t, press(t), (2, "player"))
    assert accepted(t) == []
    assert t.lamp(2, "player") is LampShow.NOT_ACCEPTED


def test_a_board_that_was_away_at_the_press_and_is_back_in_the_window_takes_no_wager() -> None:
    t = opened()
    t.place(2, "player")
    t.place(5, "player")
    t.tick(200)
    lose(t, WEST)
    press_ns = press(t)
    back(t, WEST, (2, "player"))
    blinked(t, press_ns, (2, "player"))
    assert accepted(t) == [5], "its lamp said that the position was closed"
    assert service(t, 1) == {Service.IN}


def test_a_card_that_locks_instead_of_the_button_forgets_no_board_that_blinked() -> None:
    t = opened()
    t.place(2, "player")
    t.place(5, "player")
    t.tick(200)
    press_ns = press(t)
    lose(t, WEST)
    back(t, WEST, (2, "player"))
    card_ns = press_ns - 1
    t.do(ev.CardRead(Hand.PLAYER, 1, "9S", card_ns, "00"))
    blinked(t, card_ns, (2, "player"))
    assert sorted(accepted(t)) == [2, 5]


def test_a_chip_last_seen_before_the_opening_waits_although_its_board_was_away_then() -> None:
    t = start(Table(two_boards()))
    t.place(2, "player")
    lose(t, WEST)
    t.floor("OPEN TABLE", "NEW SHOE")
    back(t, WEST, (2, "player"))
    assert t.lamp(2, "player") is LampShow.OUT_OF_SERVICE
    evidence(t, press(t))
    assert accepted(t) == []
    t.lift(2, "player")
    t.floor("POS 2 IN SERVICE")
    assert service(t, 2) == {Service.IN}
