"""Meter displays: the board's amounts as numbers, which no void makes go back; hits until nothing is owed."""

from __future__ import annotations

from drivers.ports import MeterContent, MeterHit, MeterReading
from firmware.app.meter_displays import hits, readings
from firmware.app.outputs import Outputs
from firmware.core.state import initial_state
from firmware.settings.looks import Looks
from tests.app.test_outputs import Recorder
from tests.core.table import Table, rules

RULES = rules(positions=3)


class Watched:
    """A table whose every decision reaches one meter display."""

    def __init__(self) -> None:
        self.table = Table(RULES).opened()
        self.display = Recorder()
        self.outputs = Outputs(RULES, Looks(), [], [], [], [], meters=[self.display])
        self.outputs.show_all(self.table.state)
        self._seen = len(self.table.effects)

    @property
    def content(self) -> MeterContent:
        """What the display shows, once it was told everything so far."""
        news = self.table.effects[self._seen :]
        self._seen = len(self.table.effects)
        self.outputs.perform(news, self.table.state)
        content = self.display.told[-1]
        assert isinstance(content, MeterContent)
        return content

    def cents(self, meter: str) -> int | None:
        return {r.meter: r.cents for r in self.content.readings}[meter]


def test_amounts_follow_the_board_and_a_round_in_play_leaves_them() -> None:
    seen = Watched()
    before = seen.cents("royal_9.major")
    assert before == seen.table.meter("major") // 10_000
    seen.table.place(2, "royal_9_progressive")
    seen.table.lock()
    assert seen.table.meter("major") // 10_000 > before, "the contribution is on the meter"
    assert seen.cents("royal_9.major") == before, "but not shown while the round may be void"
    seen.table.confirm()
    seen.table.deal("3C 5H", "2D 5C")
    seen.table.result("player")
    seen.table.clear()
    assert seen.cents("royal_9.major") == seen.table.meter("major") // 10_000 > before


def test_a_void_round_never_makes_a_display_go_back() -> None:
    seen = Watched()
    told = {seen.cents("royal_9.major")}
    seen.table.place(2, "royal_9_progressive")
    seen.table.lock()
    told.add(seen.cents("royal_9.major"))
    seen.table.floor("VOID ROUND")
    told.add(seen.cents("royal_9.major"))
    seen.table.clear()
    told.add(seen.cents("royal_9.major"))
    assert len(told) == 1


def test_a_hit_stands_until_nothing_of_the_award_is_left_to_do() -> None:
    seen = Watched()
    seen.table.place(2, "royal_9_progressive")
    seen.table.lock()
    won = seen.table.meter("major") // 10_000
    seen.table.confirm()
    seen.table.deal("2C 3H", "KD 9C")
    assert seen.content.hits == (MeterHit("royal_9.major", won, 2),)
    seen.table.see_to_awards()
    seen.table.reset_key()
    assert seen.content.hits == ()


def test_a_restart_in_a_round_shows_dashes_and_a_journal_fault_takes_everything_away() -> None:
    table = Table(RULES).opened()
    table.place(2, "royal_9_progressive")
    table.lock()
    assert readings(RULES, table.state) is None
    display = Recorder()
    outputs = Outputs(RULES, Looks(), [], [], [], [], meters=[display])
    outputs.show_all(table.state)
    assert display.told == [MeterContent()]
    outputs.show_all(initial_state(RULES))
    assert MeterReading("royal_9.major", initial_state(RULES).meters[1].shown_micro // 10_000) in readings_of(display)
    outputs.show_journal_fault("disk I/O error")
    assert display.told[-1] == MeterContent()
    outputs.perform((), initial_state(RULES))
    assert readings_of(display), "repaired: everything anew"


def readings_of(display: Recorder) -> tuple[MeterReading, ...]:
    content = display.told[-1]
    assert isinstance(content, MeterContent)
    return content.readings


def test_nothing_is_hit_before_anything_is_won() -> None:
    assert hits(Table(RULES).opened().state) == ()
