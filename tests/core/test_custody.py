"""The order that clears a journal: when it is taken, that the table stays closed, and what a cleared one keeps."""

from __future__ import annotations

from msgspec.structs import replace

from firmware.core import custody, floor
from firmware.core import effects as fx
from firmware.core import events as ev
from firmware.core.faults import Irregularity
from firmware.core.machine_events import JournalBegun, MeterLeft, Succession
from firmware.core.order_data import Approval, Clearing, ClearJournal
from firmware.core.order_effects import ClearingOrdered
from firmware.core.screen import display
from firmware.core.state import Phase
from firmware.core.table import reasons_against_wagering
from tests.core.table import Table
from tests.core.test_orders import TWO, closed_table, give

BEGIN, WITHDRAW = ClearJournal(Clearing.BEGIN), ClearJournal(Clearing.WITHDRAW)


def labels(table: Table) -> list[str]:
    return [line.label for line in floor.lines(table.rules, replace(table.state, menu=None))]


def test_once_ordered_the_table_stays_closed_until_it_is_withdrawn() -> None:
    table = closed_table()
    assert "OPEN TABLE" in labels(table)
    assert give(table, BEGIN) == ""
    assert table.state.clearing == TWO
    assert "OPEN TABLE" not in labels(table)
    assert "RAM CLEAR ORDERED" in reasons_against_wagering(table.rules, table.state)
    assert "already" in give(table, BEGIN, Approval("Carl", "Dora", "again"))
    assert table.state.clearing == TWO
    table.do(ev.FloorKeyTurned(False, table.tick()))
    assert display(table.rules, table.state).lines[1].strip() == "WAITS FOR RAM CLEAR"
    table.do(ev.FloorKeyTurned(True, table.tick()))
    assert give(table, WITHDRAW) == ""
    assert table.state.clearing is None
    assert "OPEN TABLE" in labels(table)
    assert "not to be cleared" in give(table, WITHDRAW)
    assert table.saw(ClearingOrdered) == [ClearingOrdered(False), ClearingOrdered(True)]


def test_an_open_table_is_not_cleared() -> None:
    table = Table().opened()
    assert table.state.phase is Phase.BETTING
    table.do(ev.FloorKeyTurned(True, table.tick()))
    table.do(ev.ResetKeyTurned(True, table.tick()))
    assert "not closed" in give(table, BEGIN)
    assert table.state.clearing is None


def test_one_key_clears_nothing() -> None:
    for floor_key, reset_key in ((True, False), (False, True)):
        table = closed_table(floor_key, reset_key)
        assert "is not turned" in give(table, BEGIN)
        assert table.state.clearing is None


def begun(how: Succession, generation: int = 2) -> JournalBegun:
    return JournalBegun(how, generation, "ab" * 32, 17, TWO, (MeterLeft("royal_9.mega", 5, 1),), "", 3)


def test_numbers_and_what_was_accepted_of_the_software_outlive_a_clearing() -> None:
    table = closed_table()
    before = replace(table.state, round=41, next_award=7, next_slip=5, next_draw=3, clearing=TWO)
    after = custody.cleared(table.rules, before)
    kept = (after.round, after.next_award, after.next_slip, after.next_draw, after.software)
    assert kept == (41, 7, 5, 3, before.software)
    assert after.clearing is None
    assert [m.shown_micro for m in after.meters] == [m.seed_micro for m in table.rules.meters]


def test_where_entries_are_lost_no_number_of_an_award_or_slip_is_given_twice() -> None:
    """Twice brought back from one copy: what each of the two runs gave out differs."""
    numbers = []
    for generation in (2, 3):
        table = closed_table()
        table.state = replace(table.state, next_award=7, next_slip=5)
        table.do(replace(begun(Succession.RESTORED, generation), lost=True))
        numbers.append((table.state.next_award, table.state.next_slip))
    assert numbers == [(1_007, 1_005), (2_007, 2_005)]
    table = closed_table()
    table.do(begun(Succession.RESTORED))
    assert (table.state.next_award, table.state.next_slip) == (1, 1)


def test_a_new_file_s_first_entry_states_the_meters_and_asks_where_they_may_differ() -> None:
    for how in Succession:
        table = closed_table()
        effects = table.do(begun(how))
        assert [e.meter for e in effects if isinstance(e, fx.MeterRecorded)] == [m.name for m in table.rules.meters]
        noted = [n.kind for n in table.state.noted if n.kind is Irregularity.JOURNAL_REPLACED]
        assert bool(noted) == (how is not Succession.ROTATED)
