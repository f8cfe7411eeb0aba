"""From a chip's edge to its lamp: only chips with a time of their own, and only once the right string was written."""

from __future__ import annotations

from drivers.events import Shown
from drivers.ports import Pixel
from firmware.app.lamp_times import KEPT, LampTimes
from firmware.app.outputs import LampString
from firmware.core.effects import Effect, LampChanged, LampShow
from firmware.core.events import ChipPlaced, Event, Key, KeyPressed
from firmware.core.state import initial_state
from firmware.journal.records import Entry
from tests.app.test_outputs import DARK, PIXELS, RULES, Recorder, Seen

STATE = initial_state(RULES)
SENSED = LampChanged(2, "tie", LampShow.SENSED)


class Named(Recorder):
    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name


def times() -> LampTimes:
    return LampTimes([LampString(Named("near"), {"1/tie": 0}), LampString(Named("far"), {"2/tie": 0})])


def entry(event: Event, *effects: Effect) -> Entry[Event, Effect]:
    return Entry(1, 500, 500, event, effects)


def test_it_ends_with_the_string_that_has_the_lamp() -> None:
    lamps = times()
    lamps.expect(entry(ChipPlaced(2, "tie", 100, 100), SENSED))
    lamps.shown(Shown("near", 600))
    lamps.shown(Shown("board", 610))
    assert lamps.newest == ()
    lamps.shown(Shown("far", 640))
    lamps.shown(Shown("far", 700))
    assert lamps.newest == (540,)


def test_what_has_no_edge_of_its_own_or_lights_nothing_is_left_out() -> None:
    lamps = times()
    lamps.expect(entry(ChipPlaced(2, "tie", 100, 300, True), SENSED))
    lamps.expect(entry(ChipPlaced(2, "tie", 100, 100)))
    lamps.expect(entry(ChipPlaced(2, "tie", 100, 100), LampChanged(2, "tie", LampShow.NOT_ACCEPTED)))
    lamps.expect(entry(ChipPlaced(9, "tie", 100, 100), LampChanged(9, "tie", LampShow.SENSED)))
    lamps.expect(entry(KeyPressed(Key.CALL, 100), SENSED))
    lamps.shown(Shown("far", 640))
    assert lamps.newest == ()


def test_a_polled_chip_counts_from_the_earliest_it_can_have_been_there() -> None:
    lamps = times()
    lamps.expect(entry(ChipPlaced(2, "tie", 100, 150), SENSED))
    lamps.shown(Shown("far", 640))
    assert lamps.newest == (540,)


def test_the_newest_are_kept() -> None:
    lamps = times()
    for number in range(KEPT + 10):
        lamps.expect(entry(ChipPlaced(2, "tie", number, number), SENSED))
        lamps.shown(Shown("far", 1000 + 2 * number))
    assert len(lamps.newest) == KEPT
    assert lamps.newest[-1] == 1000 + KEPT + 9


def test_a_lamp_that_changed_is_lit_at_once_and_then_moves_with_the_others() -> None:
    """In the dark half of its slow blink a chip's lamp would else stay dark for half a second."""
    seen = Seen(now_ns=600_000_000)
    spot, *_ = PIXELS
    position, wager = spot.split("/")
    seen.outputs.perform([LampChanged(int(position), wager, LampShow.SENSED)], STATE)
    lit = seen.pixel(spot)
    assert lit != DARK and isinstance(lit, Pixel)
    seen.now_ns = 760_000_000
    seen.outputs._paint()
    assert seen.pixel(spot) == DARK
    seen.now_ns = 1_000_000_000
    seen.outputs._paint()
    assert seen.pixel(spot) == lit


def test_a_dark_lamp_that_changed_stays_dark() -> None:
    seen = Seen(now_ns=600_000_000)
    (_, wager), *_ = (spot.split("/") for spot in PIXELS)
    seen.outputs.perform([LampChanged(1, wager, LampShow.OFF)], STATE)
    assert seen.pixel(f"1/{wager}") == DARK
