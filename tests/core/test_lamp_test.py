"""The lamp test at the opening, and what lamps that are away do to wagering, as the house has it."""

from __future__ import annotations

import pytest

from firmware.core import events as ev
from firmware.core import screen
from firmware.core.effects import LampChanged, LampShow, LampsTested, RoundOpened, TableClosed, TableOpened
from firmware.core.faults import Irregularity
from firmware.core.rules import LampRule
from firmware.core.screen import lamps
from firmware.core.state import Phase
from tests.core.table import Table, rules

SPOTS = 9 * 7


def in_the_test(dark_keeps_closed: bool = True) -> Table:
    """A table that stands in its lamp test."""
    table = Table(rules(lamps=LampRule(opening_test=True, dark_keeps_closed=dark_keeps_closed)))
    table.start()
    table.floor("OPEN TABLE")
    assert table.state.phase is Phase.LAMP_TEST
    return table


def display(table: Table) -> list[str]:
    return [line.strip() for line in screen.display(table.rules, table.state).lines]


def test_every_lamp_is_lit_and_the_dealer_is_asked() -> None:
    table = in_the_test()
    assert {lamp.show for lamp in lamps(table.state)} == {LampShow.TEST}
    assert len([e for e in table.saw(LampChanged) if e.show is LampShow.TEST]) == SPOTS
    assert display(table)[:2] == ["LAMP TEST", "ALL LAMPS LIT?"]
    assert display(table)[3] == "CONFIRM YES  CALL NO"
    assert not table.saw(TableOpened), "nothing is open yet"


def test_lamps_that_are_seen_open_the_table_and_go_out() -> None:
    table = in_the_test()
    table.key(ev.Key.CONFIRM)
    assert [e.seen for e in table.saw(LampsTested)] == [True]
    assert len(table.saw(TableOpened)) == 1
    assert {lamp.show for lamp in lamps(table.state)} == {LampShow.OFF}
    table.floor("NEW SHOE")
    assert table.state.phase is Phase.BETTING


def test_a_dark_lamp_keeps_the_table_closed_and_is_on_record() -> None:
    table = in_the_test()
    table.key(ev.Key.CALL)
    assert [e.seen for e in table.saw(LampsTested)] == [False]
    assert table.state.phase is Phase.CLOSED
    assert not table.saw(TableOpened) and not table.saw(TableClosed)
    assert [n.kind for n in table.state.noted] == [Irregularity.LAMP_DARK]
    assert display(table)[2] == "LAMP IS DARK"
    table.floor("OK LAMP IS DARK", "OPEN TABLE")
    table.key(ev.Key.CONFIRM)
    assert [e.seen for e in table.saw(LampsTested)] == [False, True]
    assert table.state.phase is Phase.NEW_SHOE and not table.state.noted


def test_a_house_that_plays_on_opens_with_the_fault_noted() -> None:
    table = in_the_test(dark_keeps_closed=False)
    table.key(ev.Key.CALL)
    assert len(table.saw(TableOpened)) == 1
    assert [n.kind for n in table.state.noted] == [Irregularity.LAMP_DARK]
    table.floor("NEW SHOE")
    assert table.state.phase is Phase.BETTING


def test_the_test_outlives_a_restart_and_can_be_left() -> None:
    table = in_the_test()
    table.start("boot-2")
    assert table.state.phase is Phase.LAMP_TEST
    assert {lamp.show for lamp in lamps(table.state)} == {LampShow.TEST}
    table.floor("CLOSE TABLE")
    assert table.state.phase is Phase.CLOSED
    assert {lamp.show for lamp in lamps(table.state)} == {LampShow.OFF}


@pytest.mark.parametrize("key", [ev.Key.CLEAR])
def test_other_keys_and_the_lock_out_answer_nothing(key: ev.Key) -> None:
    table = in_the_test()
    table.key(key)
    table.do(ev.LockEdge(table.tick()))
    table.do(ev.LockReleased(table.tick(100)))
    assert table.state.phase is Phase.LAMP_TEST and not table.saw(LampsTested)


def test_a_chip_that_came_in_the_test_is_no_wager_of_the_first_round() -> None:
    table = in_the_test()
    table.do(ev.ChipPlaced(3, "player", table.tick(), table.now_ns))
    assert {lamp.show for lamp in lamps(table.state)} == {LampShow.TEST}
    table.key(ev.Key.CONFIRM)
    shown = {(lamp.position, lamp.wager): lamp.show for lamp in lamps(table.state)}
    assert shown[3, "player"] is LampShow.OUT_OF_SERVICE


@pytest.mark.parametrize(("closes", "phase"), [(True, Phase.PAUSED), (False, Phase.BETTING)])
def test_lamps_that_are_away_keep_the_next_round_closed_or_not(closes: bool, phase: Phase) -> None:
    needed = ("lines", "shoe", "board", *(["lamps"] if closes else []))
    table = Table(rules(devices=needed))
    table.start()
    table.floor("OPEN TABLE")
    table.do(ev.DeviceDown("lamps", "no data comes out of the last lamp", table.tick()))
    table.floor("NEW SHOE")
    assert table.state.phase is phase
    assert display(table)[1 if closes else 2] == "LAMPS OFFLINE"
    assert len(table.saw(RoundOpened)) == (0 if closes else 1)
    table.do(ev.DeviceUp("lamps", table.tick()))
    assert table.state.phase is Phase.BETTING
