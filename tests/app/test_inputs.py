"""Every event of a device becomes what happened at the table; with several line devices it waits for those that it
can't do without."""

from __future__ import annotations

import pytest

from drivers import events as dev
from firmware.app.inputs import Inputs
from firmware.core import events as ev
from firmware.core.baccarat import Hand
from firmware.core.rules import SpotRule

SPOTS = [SpotRule(1, "player", 2500), SpotRule(2, "tie", 500)]


def taken(
    *events: dev.DeviceEvent, devices: tuple[str, ...] = ("lines",), boards: tuple[str, ...] = ()
) -> list[ev.Event]:
    out: list[ev.Event] = []
    inputs = Inputs(SPOTS, devices, out.append, lambda shown: out.append(shown), boards)  # type: ignore[arg-type]
    for event in events:
        inputs.take(event)
    return out


ONE_TO_ONE: list[tuple[dev.DeviceEvent, list[object]]] = [
    (dev.LineChanged("lines", "1/player", True, 5, 6, 66), [ev.ChipPlaced(1, "player", 5, 6)]),
    (dev.LineChanged("lines", "2/tie", False, 5, 5, 66), [ev.ChipLifted(2, "tie", 5, 5)]),
    (dev.LineReconciled("lines", "2/tie", True, 5, 9), [ev.ChipPlaced(2, "tie", 5, 9, True)]),
    (dev.LineReconciled("lines", "lockout", True, 5, 9), [ev.LockEdge(5), ev.LockProved(5)]),
    (dev.LineEdge("lines", "lockout", 5), [ev.LockEdge(5)]),
    (dev.LineChanged("lines", "lockout", True, 5, 5, 35), [ev.LockProved(5)]),
    (dev.LineChanged("lines", "lockout", False, 7, 7, 37), [ev.LockReleased(7)]),
    (dev.LineGlitch("lines", "lockout", 5, 2), [ev.LockGlitch(5, 2)]),
    (dev.LineChanged("lines", "confirm", True, 5, 5, 35), [ev.KeyPressed(ev.Key.CONFIRM, 5)]),
    (dev.LineChanged("lines", "confirm", False, 5, 5, 35), []),
    (dev.LineChanged("lines", "call", True, 5, 5, 35), [ev.KeyPressed(ev.Key.CALL, 5)]),
    (dev.LineChanged("lines", "clear", True, 5, 5, 35), [ev.KeyPressed(ev.Key.CLEAR, 5)]),
    (dev.LineChanged("lines", "fold.2", True, 5, 5, 35), [ev.FoldPressed(2, 5)]),
    (dev.LineChanged("lines", "fold.2", False, 5, 5, 35), []),
    (dev.LineChanged("lines", "floor_key.rest", False, 5, 5, 35), []),
    (dev.KeySwitchTurned("lines", "floor_key", True, 5), [ev.FloorKeyTurned(True, 5)]),
    (dev.KeySwitchTurned("lines", "reset_key", True, 5), [ev.ResetKeyTurned(True, 5)]),
    (dev.LateLineEdge("lines", "1/player", True, 5, 6, 7), [ev.LateEdge(1, "player", True, 5, 7)]),
    (dev.LateLineEdge("lines", "confirm", True, 5, 6, 7), []),
    (
        dev.LineTroubled("lines", "1/player", dev.LineTrouble.CHATTER, 5),
        [ev.SpotFailed(1, "player", ev.SpotTrouble.CHATTER, 5)],
    ),
    (dev.LineHealthy("lines", "1/player", True, 5), [ev.SpotRecovered(1, "player", True, 5)]),
    (dev.LineTroubled("lines", "floor_key", dev.LineTrouble.WIRING, 5), [ev.KeyWiringFailed("floor_key", False, 5)]),
    (dev.LineHealthy("lines", "floor_key", False, 5), [ev.KeyWiringFailed("floor_key", True, 5)]),
    (dev.CommonModeBurst("lines", 5, 60), [ev.NoiseBurst(5, 60)]),
    (
        dev.CardDrawn("shoe", dev.CardTarget.BANKER, 2, "KS", 5, "0A"),
        [ev.CardRead(Hand.BANKER, 2, "KS", 5, "0A")],
    ),
    (dev.CardDrawn("shoe", dev.CardTarget.UNASSIGNED, 0, "KS", 5, "0A"), [ev.CardScanned("KS", 5, "0A")]),
    (dev.CardDrawn("shoe", dev.CardTarget.BURN, 1, None, 5, "0A"), [ev.CardBurned(None, "burn", 5, "0A")]),
    (dev.CardHeldOver("shoe", dev.CardTarget.PLAYER, 1, "KS", 5, "0A"), [ev.CardHeldOver("KS", 5, "0A")]),
    (dev.CardOutsideGame("shoe", "lock", "KS", 5, "0A"), [ev.CardBurned("KS", "lock", 5, "0A")]),
    (dev.CutCardDrawn("shoe", 5), [ev.CutCardDrawn(5)]),
    (dev.ReaderStarted("shoe", 5), [ev.ReaderStarted(5)]),
    (dev.ReaderStandBy("shoe", 5), []),
    (
        dev.ReaderResult("shoe", dev.ReaderWinner.TIE, True, False, 5, "0A"),
        [ev.ReaderResult("tie", True, False, 5, "0A")],
    ),
    (dev.ReaderError("shoe", 2, "overdraw", 5), [ev.ReaderError(2, "overdraw", 5)]),
    (dev.ReaderErrorCleared("shoe", 2, 5), [ev.ReaderErrorCleared(2, 5)]),
    (dev.ReaderLocked("shoe", True, 5), [ev.ReaderLocked(True, 5)]),
    (dev.LinkChanged("shoe", dev.LinkState.READY, True, "", 5), [ev.DeviceUp("shoe", 5)]),
    (dev.LinkChanged("shoe", dev.LinkState.BACKOFF, False, "gone", 5), [ev.DeviceDown("shoe", "gone", 5)]),
    (dev.LinkChanged("shoe", dev.LinkState.OPENING, False, "", 5), []),
    (dev.LineChanged("lines", "door", True, 5, 5, 35), [ev.DoorMoved(True, 5)]),
    (dev.Shown("board", 5), [dev.Shown("board", 5)]),  # handed on to the confirmations
    (dev.ShowFailed("board", "gone", 5), [ev.EffectFailed("board", "gone", 5)]),
]


@pytest.mark.parametrize(("event", "expected"), ONE_TO_ONE, ids=lambda x: type(x).__name__)
def test_one_to_one(event: dev.DeviceEvent, expected: list[ev.Event]) -> None:
    assert taken(event) == expected


@pytest.mark.parametrize(
    "event",
    [dev.LineChanged("lines", "9/tie", True, 5, 5, 65), dev.KeySwitchTurned("lines", "cellar_key", True, 5)],
)
def test_a_line_that_nobody_knows_is_a_fault_of_the_configuration(event: dev.DeviceEvent) -> None:
    with pytest.raises(LookupError):
        taken(event)


def levels(*active: str, of: tuple[str, ...]) -> tuple[dev.LineState, ...]:
    return tuple(dev.LineState(line, line in active) for line in of)


def test_the_table_is_ready_when_both_line_devices_are() -> None:
    near = dev.LinesReady("near", 5, levels("1/player", of=("1/player", "lockout")))
    far = dev.LinesReady("far", 9, levels(of=("2/tie",)))
    turned = dev.KeySwitchTurned("near", "floor_key", True, 4)
    both = ("near", "far")
    assert taken(near, devices=both) == []
    ready = ev.InputsReady(9, (ev.CoveredSpot(1, "player"),), False, True, False)
    assert taken(turned, near, far, devices=both)[-1] == ready
    lost = dev.LinkChanged("near", dev.LinkState.BACKOFF, False, "gone", 10)
    assert taken(near, far, lost, far, devices=both)[-1] == ev.DeviceDown("near", "gone", 10), "not ready with one"


def verdict(line: str, active: bool) -> dev.LineVerdict:
    return dev.LineVerdict(line, active, 3, 4, False, False, None, False)


def test_a_window_is_settled_when_both_line_devices_have_answered_about_it() -> None:
    both = ("near", "far")
    near = dev.LinesSettled("near", 100, 160, (verdict("1/player", True), verdict("lockout", True)), 7)
    far = dev.LinesSettled("far", 100, 160, (verdict("2/tie", False),), 9)
    old = dev.LinesSettled("far", 50, 160, (verdict("2/tie", True),), 9)
    assert taken(near, devices=both) == []
    assert taken(old, near, devices=both) == [], "an answer about another press does not count"
    expected = ev.InputsSettled(100, 160, 9, (ev.SpotVerdict(1, "player", True, 3, 4, False, False, None, False),))
    assert taken(old, near, far, devices=both) == [expected]


NEAR_READY = dev.LinesReady("near", 5, levels("1/player", of=("1/player", "lockout")))
BOARD_READY = dev.LinesReady("board_1", 9, levels("2/tie", of=("2/tie",)))
BOARD_LOST = dev.LinkChanged("board_1", dev.LinkState.BACKOFF, False, "gone", 10)


def settled(device: str, line: str, at_ns: int = 100) -> dev.LinesSettled:
    return dev.LinesSettled(device, at_ns, 160, (verdict(line, True),), 7)


def with_a_board(*events: dev.DeviceEvent) -> list[ev.Event]:
    return taken(*events, devices=("near",), boards=("board_1",))


def spot(position: int, wager: str) -> ev.SpotVerdict:
    return ev.SpotVerdict(position, wager, True, 3, 4, False, False, None, False)


def test_a_board_is_ready_by_itself() -> None:
    ready = ev.InputsReady(5, (ev.CoveredSpot(1, "player"),), False, False, False)
    board = ev.SpotsReady("board_1", 9, (ev.CoveredSpot(2, "tie"),))
    assert with_a_board(NEAR_READY) == [ready], "the table does not wait for it"
    assert with_a_board(BOARD_READY) == [board]
    assert with_a_board(NEAR_READY, BOARD_READY) == [ready, board]


def test_a_window_waits_for_the_boards_that_are_there() -> None:
    both = [NEAR_READY, BOARD_READY, settled("near", "1/player")]
    assert with_a_board(*both)[2:] == []
    answer = ev.InputsSettled(100, 160, 7, (spot(1, "player"), spot(2, "tie")))
    assert with_a_board(*both, settled("board_1", "2/tie"))[2:] == [answer]


def test_a_window_does_not_wait_for_a_board_that_is_away() -> None:
    alone = ev.InputsSettled(100, 160, 7, (spot(1, "player"),))
    assert with_a_board(NEAR_READY, settled("near", "1/player"))[1:] == [alone], "never seen"
    lost = [NEAR_READY, BOARD_READY, BOARD_LOST]
    assert with_a_board(*lost, settled("near", "1/player"))[3:] == [alone], "lost before the press"
    assert with_a_board(*lost, settled("board_1", "2/tie"), settled("near", "1/player"))[3:] == [alone]
    inside = with_a_board(NEAR_READY, BOARD_READY, settled("near", "1/player"), BOARD_LOST)
    assert inside[2:] == [ev.DeviceDown("board_1", "gone", 10), alone], "the core hears of the loss first"
    after = with_a_board(NEAR_READY, BOARD_READY, BOARD_LOST, settled("near", "1/player"), settled("board_1", "2/tie"))
    assert after[3:] == [alone], "an answer that comes later is none"


def test_a_board_whose_task_died_is_not_waited_for() -> None:
    out: list[ev.Event] = []
    inputs = Inputs(SPOTS, ("near",), out.append, lambda shown: None, ("board_1",))
    for event in (NEAR_READY, BOARD_READY, settled("near", "1/player")):
        inputs.take(event)
    died = ev.DeviceDown("board_1", "ValueError: ...", 12)
    inputs.died(died)
    assert out[2:] == [died, ev.InputsSettled(100, 160, 7, (spot(1, "player"),))]


@pytest.mark.parametrize("line", ["reset_key", "reset_key.turned"])
def test_a_key_with_faulty_wiring_is_not_turned_when_another_device_s_levels_come(line: str) -> None:
    """The key went back to rest while its wiring was at fault; later the other line device is connected anew."""
    spots = tuple(dev.LineState(name, False) for name in ("lockout", "1/player", "2/tie"))
    ends = [f"{key}.{end}" for key in ("floor_key", "reset_key") for end in ("rest", "turned")]
    keys = tuple(dev.LineState(end, end.endswith("rest")) for end in ends)
    events = taken(
        dev.LinesReady("spots", 1, spots),
        dev.LinesReady("keys", 2, keys),
        dev.KeySwitchTurned("keys", "reset_key", True, 3),
        dev.LineTroubled("keys", line, dev.LineTrouble.WIRING, 4),
        dev.LineHealthy("keys", line, False, 5),
        dev.LinesReady("spots", 6, spots),
        devices=("spots", "keys"),
    )
    last = events[-1]
    assert isinstance(last, ev.InputsReady)
    assert not last.reset_key_turned
