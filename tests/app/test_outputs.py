"""What people see is what is durable: frames, patterns, full repaints, and the journal's fault over all of it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

import pytest

from drivers.events import LinkState
from drivers.ports import BoardContent, Emit, Pixel, Timestamps
from firmware.app.outputs import PATTERNS, LampString, Outputs, is_lit, look_of, pixel_of
from firmware.core.effects import BoardShown, DisplayShown, LampChanged, LampShow, SettleInputs, UnsettleInputs
from firmware.core.state import initial_state
from firmware.settings.looks import Looks, Pattern
from tests.core.table import Table, rules
from tests.virtual_time import VirtualLoop, run_virtual

DARK = Pixel(0, 0, 0)
RULES = rules(positions=2)
PIXELS = {f"{s.position}/{s.wager}": number for number, s in enumerate(RULES.spots)}


class Recorder:
    """Every device in one: it keeps what it was told."""

    name, identity, link = "recorder", "sim+recorder", LinkState.READY
    timestamps = Timestamps.KERNEL
    counters: Mapping[str, int] = {}
    size = len(PIXELS) + 1

    def __init__(self) -> None:
        self.told: list[object] = []

    async def run(self, emit: Emit) -> None:
        await asyncio.sleep(3600)

    def show(self, content: object) -> None:
        self.told.append(content)

    def settle(self, at_ns: int) -> None:
        self.told.append(at_ns)

    def unsettle(self) -> None:
        self.told.append(None)


class Seen:
    def __init__(self, now_ns: int = 0) -> None:
        self.lines, self.lamps, self.board, self.display = Recorder(), Recorder(), Recorder(), Recorder()
        self.now_ns = now_ns
        self.outputs = Outputs(
            RULES, Looks(), [self.lines], [LampString(self.lamps, PIXELS)], [self.board], [self.display],
            lambda: self.now_ns,
        )  # fmt: skip

    def pixel(self, spot: str) -> Pixel:
        frame = self.lamps.told[-1]
        assert isinstance(frame, Sequence)
        return frame[PIXELS[spot]]


def test_no_two_lamp_states_look_alike() -> None:
    looks = Looks()
    of_spots = [show for show in LampShow if show is not LampShow.TEST]
    assert len({look_of(looks, show).pattern for show in of_spots}) == len(of_spots)
    assert len({look_of(looks, show).colour for show in of_spots}) == len(of_spots)
    assert pixel_of(look_of(looks, LampShow.TEST).colour) == Pixel(255, 255, 255), "every colour of a lamp is lit"
    assert pixel_of("#102030") == Pixel(16, 32, 48)


@pytest.mark.parametrize("pattern", Pattern)
def test_patterns_repeat_and_are_lit_where_their_table_says(pattern: Pattern) -> None:
    period, parts = PATTERNS[pattern]
    lit = [is_lit(pattern, ms) for ms in range(period)]
    assert sum(lit) == sum(end - start for start, end in parts)
    assert lit == [is_lit(pattern, ms) for ms in range(7 * period, 8 * period)]
    assert any(lit) is (pattern is not Pattern.OFF)


def test_effects_reach_their_devices_in_order() -> None:
    seen = Seen()
    seen.outputs.show_all(initial_state(RULES))
    board, display = BoardShown("NO MORE BETS", (), ""), DisplayShown(("A", "B", "C", "D"))
    effects = [LampChanged(1, "tie", LampShow.ACCEPTED), board, display, SettleInputs(7), UnsettleInputs(7)]
    seen.outputs.perform(effects, initial_state(RULES))
    assert seen.pixel("1/tie") == pixel_of(Looks().accepted.colour)
    assert seen.pixel("2/tie") == DARK
    assert seen.board.told[-1] == BoardContent("NO MORE BETS", board.fields, "")
    assert seen.display.told[-1] == display.lines
    assert seen.lines.told == [7, None]


def test_a_restart_shows_all_of_the_state() -> None:
    table = Table(RULES).opened()
    table.place(2, "tie")
    seen = Seen()
    seen.outputs.show_all(table.state)
    assert seen.pixel("2/tie") == pixel_of(Looks().sensed.colour)
    assert [len(device.told) for device in (seen.lamps, seen.board, seen.display)] == [1, 1, 1]


def test_while_the_journal_is_away_nothing_of_the_table_is_shown() -> None:
    table = Table(RULES).opened()
    table.place(1, "tie")
    seen = Seen()
    seen.outputs.show_all(table.state)
    seen.outputs.show_journal_fault("disk I/O error at the worst of times")
    assert seen.board.told[-1] == BoardContent("CLOSED: JOURNAL", (), "")
    shown = seen.display.told[-1]
    assert isinstance(shown, Sequence)
    assert shown[0] == "CLOSED: JOURNAL"
    assert all(len(line) <= 20 for line in shown)
    assert {seen.pixel(spot) for spot in PIXELS} == {pixel_of(Looks().out_of_service.colour)}
    seen.outputs.perform((), table.state)
    assert seen.pixel("1/tie") == pixel_of(Looks().sensed.colour), "repaired: everything anew"
    assert isinstance(seen.board.told[-1], BoardContent)
    assert seen.board.told[-1].title != "CLOSED: JOURNAL"


def test_moving_lamps_move_and_still_ones_cost_nothing() -> None:
    async def play(loop: VirtualLoop) -> None:
        seen = Seen()
        seen.outputs._now_ns = loop.now_ns
        seen.outputs.show_all(initial_state(RULES))
        moving = asyncio.create_task(seen.outputs.animate())
        await asyncio.sleep(2.0)
        assert len(seen.lamps.told) == 1, "all lamps are off: no frame but the first"
        seen.outputs.perform([LampChanged(1, "tie", LampShow.SENSED)], initial_state(RULES))
        before = len(seen.lamps.told)
        await asyncio.sleep(2.0)
        frames = seen.lamps.told[before:]
        assert 3 <= len(frames) <= 4, "a slow blink of one second changes every half, and nothing else is sent"
        assert len({frame[PIXELS["1/tie"]] for frame in frames if isinstance(frame, Sequence)}) == 2
        moving.cancel()

    run_virtual(play)
