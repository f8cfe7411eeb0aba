"""All lines together: the decision window under any delivery, noise on all lines, key switches, what is refused."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from drivers.debounce import LevelRead
from drivers.events import (
    CommonModeBurst,
    KeySwitchTurned,
    LateLineEdge,
    LineChanged,
    LineEdge,
    LineEvent,
    LineGlitch,
    LineHealthy,
    LinesSettled,
    LineTrouble,
    LineTroubled,
    LineVerdict,
)
from drivers.line_bank import LineBank
from drivers.line_spec import DecisionWindow, KeySwitchSpec, LineRole, LineSpec

MS = 1_000_000
START = 10_000
WINDOW = DecisionWindow()


class Chip:
    """A chip in virtual time: lines with a history, edges delivered after a delay, levels read in an instant."""

    def __init__(self, bank: LineBank, specs: list[LineSpec], levels: dict[str, bool] | None = None) -> None:
        self.bank = bank
        self.names = [spec.name for spec in specs]
        self.first = {name: (levels or {}).get(name, False) for name in self.names}
        self.moves: list[tuple[float, str, bool]] = []
        self.deliveries: list[tuple[float, float, str, bool]] = []
        self.events: list[LineEvent] = []
        at_ns = START * MS
        self.bank.start({name: LevelRead(at_ns, at_ns, active) for name, active in self.first.items()})

    def move(self, at: float, line: str, active: bool, delay: float = 0, lost: bool = False) -> None:
        self.moves.append((at, line, active))
        if not lost:
            self.deliveries.append((at + delay, at, line, active))

    def level(self, line: str, at_ns: int) -> bool:
        past = [(at, active) for at, name, active in self.moves if name == line and ns(at) <= at_ns]
        return max(past)[1] if past else self.first[line]

    def read(self, at_ns: int) -> None:
        self.bank.levels({name: LevelRead(at_ns, at_ns, self.level(name, at_ns)) for name in self.names})

    def run(self, until: float, settle_at: float | None = None) -> list[LineEvent]:
        """Deliver in order of arrival, waking at every deadline; `settle_at` is asked for at its own instant."""
        agenda: list[tuple[int, int, tuple[int, str, bool] | None]] = [
            (ns(arrived), 1, (ns(at), line, active)) for arrived, at, line, active in self.deliveries
        ]
        if settle_at is not None:
            agenda.append((ns(settle_at), 0, None))
        for arrived_ns, _, edge in sorted(agenda, key=lambda item: item[:2]):
            self.wake(arrived_ns)
            if edge is None:
                self.bank.settle(arrived_ns)
            else:
                at_ns, line, active = edge
                self.events += self.bank.edge(line, at_ns, active, arrived_ns)
            self.events += self.bank.advance(arrived_ns)
        self.wake(ns(until))
        self.events += self.bank.advance(ns(until))
        return self.events

    def wake(self, until_ns: int) -> None:
        while (due_ns := self.bank.next_deadline_ns) is not None and due_ns < until_ns:
            if self.bank.read_due_ns is not None and self.bank.read_due_ns <= due_ns:
                self.bank.read_asked()
                self.read(due_ns)
            self.events += self.bank.advance(due_ns)


def ns(ms: float) -> int:
    return START * MS + round(ms * MS)


def spots(count: int) -> list[LineSpec]:
    return [LineSpec(f"spot{n}", n, LineRole.SPOT) for n in range(count)]


def chip(count: int = 1, levels: dict[str, bool] | None = None) -> Chip:
    specs = [*spots(count), LineSpec("lock", 90, LineRole.LOCK_OUT, normally_closed=True)]
    return Chip(LineBank("table", specs), specs, levels)


def verdicts(events: list[LineEvent]) -> dict[str, LineVerdict]:
    (settled,) = [event for event in events if isinstance(event, LinesSettled)]
    return {verdict.line: verdict for verdict in settled.verdicts}


def accepted(verdict: LineVerdict) -> bool:
    return verdict.active and not verdict.straddles and not verdict.contradicted


class TestSettle:
    @pytest.mark.parametrize(
        ("placed", "counts"), [(999, True), (999.999_999, True), (1_000, False), (1_000.000_001, False), (1_001, False)]
    )
    def test_strictly_before_counts_and_a_tie_loses(self, placed: float, counts: bool) -> None:
        table = chip()
        table.move(placed, "spot0", True)
        verdict = verdicts(table.run(1_200, settle_at=1_000))["spot0"]
        assert accepted(verdict) is counts
        assert verdict.arrived_after is not counts

    def test_answer_comes_one_window_after_the_instant(self) -> None:
        table = chip()
        assert not [e for e in table.run(1_159.9, settle_at=1_000) if isinstance(e, LinesSettled)]
        (settled,) = [e for e in table.run(1_160) if isinstance(e, LinesSettled)]
        assert settled.window_ns == 160 * MS

    def test_chip_not_stable_is_no_wager(self) -> None:
        table = chip()
        table.move(990, "spot0", True)
        table.move(1_049.9, "spot0", False)
        assert not accepted(verdicts(table.run(1_200, settle_at=1_000))["spot0"])

    def test_chip_proved_and_then_gone_counts(self) -> None:
        table = chip()
        table.move(990, "spot0", True)
        table.move(1_055, "spot0", False)
        assert accepted(verdicts(table.run(1_400, settle_at=1_000))["spot0"])
        assert [e.active for e in table.events if isinstance(e, LineChanged)] == [True, False]

    def test_rocking_chip_counts(self) -> None:
        table = chip()
        for at, active in ((100, True), (980, False), (1_020, True)):
            table.move(at, "spot0", active)
        assert accepted(verdicts(table.run(1_200, settle_at=1_000))["spot0"])

    def test_chip_taken_away_in_time_does_not_count(self) -> None:
        table = chip()
        table.move(100, "spot0", True)
        table.move(905, "spot0", False)
        verdict = verdicts(table.run(1_200, settle_at=1_000))["spot0"]
        assert not verdict.active and not verdict.straddles

    def test_a_leave_that_cannot_be_proved_in_the_window_straddles(self) -> None:
        table = chip()
        table.move(100, "spot0", True)
        table.move(950, "spot0", False)
        assert verdicts(table.run(1_200, settle_at=1_000))["spot0"].straddles

    def test_lost_edge_is_contradicted_by_the_level(self) -> None:
        table = chip(2)
        table.move(900, "spot0", True, lost=True)
        found = verdicts(table.run(1_200, settle_at=1_000))
        assert found["spot0"].contradicted and not found["spot1"].contradicted

    def test_late_edge_is_reported_and_changes_nothing(self) -> None:
        table = chip()
        table.move(990, "spot0", True, delay=400)
        events = table.run(2_000, settle_at=1_000)
        assert not accepted(verdicts(events)["spot0"])
        (late,) = [e for e in events if isinstance(e, LateLineEdge)]
        assert (late.line, late.at_ns, late.settled_ns, late.lateness_ns) == ("spot0", ns(990), ns(1_000), 400 * MS)

    def test_late_edge_of_a_taken_back_settle_is_no_irregularity(self) -> None:
        table = chip()
        table.run(1_300, settle_at=1_000)
        table.bank.unsettle()
        assert table.bank.edge("spot0", ns(990), True, ns(1_390)) == []

    def test_press_that_itself_arrives_late_is_judged_by_its_own_time(self) -> None:
        table = chip()
        table.move(999, "spot0", True)
        table.run(1_090)
        table.bank.settle(ns(1_000))
        verdict = verdicts(table.run(1_400))["spot0"]
        assert accepted(verdict)

    def test_covered_at_start_counts_as_covered(self) -> None:
        table = chip(levels={"spot0": True})
        assert accepted(verdicts(table.run(1_200, settle_at=1_000))["spot0"])

    def test_chip_lost_in_the_window_proves_nothing(self) -> None:
        table = chip()
        table.move(900, "spot0", True)
        table.run(1_030, settle_at=1_000)
        table.bank.lost()
        table.bank.advance(ns(1_160))
        assert not [e for e in table.events if isinstance(e, LinesSettled)]

    def test_chip_back_within_the_window_answers_and_proves_nothing(self) -> None:
        table = chip()
        table.move(900, "spot0", True)
        table.run(1_030, settle_at=1_000)
        table.bank.lost()
        table.bank.start({name: LevelRead(ns(1_050), ns(1_050), table.level(name, ns(1_050))) for name in table.names})
        found = verdicts(table.run(1_400))["spot0"]
        assert found.contradicted and not accepted(found)

    def test_edge_later_than_all_history_is_still_reported(self) -> None:
        table = chip()
        table.move(500, "spot0", True)
        table.move(900, "spot0", False)
        table.move(8_000, "spot0", True)
        table.run(9_000, settle_at=1_000)
        (late,) = table.bank.edge("spot0", ns(700), False, ns(9_000))
        assert isinstance(late, LateLineEdge)
        assert table.bank.counters["too_old_edges"] == 1

    def test_press_found_only_by_a_level_read_makes_what_came_near_it_straddle(self) -> None:
        table = chip(3)
        table.move(450, "spot0", True)
        table.read(ns(500))
        table.move(700, "spot1", True)  # before the press, but after the last read that saw it open
        table.move(800, "lock", True, lost=True)
        table.move(900, "spot2", True)  # after the press, and before the read that found it
        table.run(999)
        table.read(ns(1_000))
        (pressed,) = [e for e in table.run(1_100) if isinstance(e, LineEdge)]
        table.bank.settle(pressed.at_ns)
        table.bank.levels({name: LevelRead(ns(1_110), ns(1_110), table.level(name, ns(1_110))) for name in table.names})
        found = verdicts(table.run(1_400))
        assert [accepted(found[f"spot{n}"]) for n in range(3)] == [True, False, False]
        assert found["spot1"].straddles and found["spot2"].straddles

    def test_answer_waits_for_a_level_read_that_is_under_way(self) -> None:
        table = chip()
        table.move(900, "spot0", True)
        table.run(1_059, settle_at=1_000)
        table.bank.read_asked()
        assert not [e for e in table.bank.advance(ns(1_300)) if isinstance(e, LinesSettled)]
        table.read(ns(1_310))
        (settled,) = [e for e in table.bank.advance(ns(1_410)) if isinstance(e, LinesSettled)]
        assert accepted(settled.verdicts[0]) and settled.window_ns == 410 * MS

    def test_level_read_before_the_stable_time_is_over_does_not_answer(self) -> None:
        table = chip()
        table.run(1_009, settle_at=1_000)
        table.read(ns(1_010))
        table.move(1_040, "spot0", True, lost=True)
        assert verdicts(table.run(1_300))["spot0"].contradicted

    def test_a_double_of_an_edge_that_was_in_time_is_not_late(self) -> None:
        table = chip()
        table.move(900, "spot0", True)
        table.run(1_300, settle_at=1_000)
        assert table.bank.edge("spot0", ns(900), True, ns(1_300)) == []

    def test_worst_lateness_in_the_window_is_told(self) -> None:
        table = chip()
        table.move(995, "spot0", True, delay=83)
        (settled,) = [e for e in table.run(1_200, settle_at=1_000) if isinstance(e, LinesSettled)]
        assert settled.worst_lateness_ns == 83 * MS


moves = st.lists(st.integers(1, 2_500), max_size=12, unique=True).map(sorted)


@settings(max_examples=150)
@given(st.lists(moves, min_size=1, max_size=3), st.integers(300, 2_300), st.data())
def test_any_delivery_within_lateness_gives_the_verdict_of_delivery_in_order(
    per_line: list[list[int]], settle_at: int, data: st.DataObject
) -> None:
    straight, delayed = chip(len(per_line)), chip(len(per_line))
    for n, times in enumerate(per_line):
        for k, at in enumerate(times):
            straight.move(at, f"spot{n}", k % 2 == 0)
            delayed.move(at, f"spot{n}", k % 2 == 0, delay=data.draw(st.integers(0, 100)))
    assert verdicts(delayed.run(4_000, settle_at)) == verdicts(straight.run(4_000, settle_at))
    assert not [e for e in delayed.events if isinstance(e, LateLineEdge)]


@settings(max_examples=100)
@given(st.lists(moves, min_size=1, max_size=3), st.data())
@example([[10, 20]], None)
def test_whatever_happens_the_levels_are_right_in_the_end(
    per_line: list[list[int]], data: st.DataObject | None
) -> None:
    table = chip(len(per_line))
    for n, times in enumerate(per_line):
        for k, at in enumerate(times):
            lost = data is not None and data.draw(st.booleans())
            delay = data.draw(st.integers(0, 300)) if data is not None else 0
            table.move(at, f"spot{n}", k % 2 == 0, delay=delay, lost=lost)
    table.run(3_000)
    for at in (3_000, 6_000, 9_000):
        table.read(ns(at))
        table.run(at + 1_000)
    reported = dict.fromkeys(table.names, False)
    for event in table.events:
        if isinstance(event, LineChanged | LineHealthy):
            reported[event.line] = event.active
    assert reported == {name: table.level(name, ns(9_000)) for name in table.names}


class TestCommonMode:
    def burst(self, table: Chip, at: float, width: float) -> None:
        for n, line in enumerate(table.names):
            active = table.first[line]
            table.move(at + n * 0.1, line, not active)
            table.move(at + width + n * 0.1, line, active)

    def test_burst_is_reported_and_changes_nothing(self) -> None:
        table = chip(9)
        self.burst(table, 100, 3)
        events = table.run(1_000)
        (burst,) = [e for e in events if isinstance(e, CommonModeBurst)]
        assert burst.lines == 10
        assert not [e for e in events if isinstance(e, LineChanged)]
        # The lock-out line acts at once even so, and is taken back once.
        assert [type(e) for e in events if isinstance(e, LineEdge | LineGlitch)] == [LineEdge, LineGlitch]

    def test_a_train_of_bursts_is_one_press_and_one_taking_back(self) -> None:
        table = chip(9)
        for at in (100, 110, 120, 130):
            self.burst(table, at, 3)
        events = table.run(1_000)
        assert [type(e) for e in events if isinstance(e, LineEdge | LineGlitch)] == [LineEdge, LineGlitch]
        assert not [e for e in events if isinstance(e, LineChanged | LineTroubled)]

    def test_bursts_without_end_put_the_lock_out_line_out_of_order_and_no_spot(self) -> None:
        table = chip(9)
        for at in range(100, 1_900, 100):
            self.burst(table, at, 3)
        troubled = [e for e in table.run(3_000) if isinstance(e, LineTroubled)]
        assert [(e.line, e.trouble) for e in troubled] == [("lock", LineTrouble.CHATTER)]

    def test_supply_that_stays_away_makes_no_wagers(self) -> None:
        table = chip(9)
        for n, line in enumerate(table.names):  # the spots first, the lock-out line last, and nothing goes back
            table.move(100 + n * 0.1, line, True)
        found = verdicts(table.run(1_000, settle_at=100.9))
        assert all(verdict.active and verdict.contradicted for verdict in found.values())

    def test_a_brown_out_presses_and_turns_no_key(self) -> None:
        """Long enough for buttons (30 ms) and key switches (50 ms): CONFIRM would validate whatever the menu shows."""
        specs = [
            *spots(8),
            LineSpec("confirm", 91, LineRole.BUTTON),
            LineSpec("key.rest", 92, LineRole.KEY),
            LineSpec("key.turned", 93, LineRole.KEY),
        ]
        bank = LineBank("table", specs, [KeySwitchSpec("key", "key.rest", "key.turned")])
        table = Chip(bank, specs, {"key.rest": True})
        for spec in specs:
            rest = spec.name == "key.rest"
            table.move(100, spec.name, not rest)
            table.move(158, spec.name, rest)
        events = table.run(1_000)
        assert not [e for e in events if isinstance(e, KeySwitchTurned) and e.turned]
        assert not [e for e in events if isinstance(e, LineChanged) and e.active]
        assert bank.counters["noise_presses"] == 2
        table.move(1_200, "confirm", True)
        table.deliveries = table.deliveries[-1:]
        assert [e.line for e in table.run(1_300) if isinstance(e, LineChanged) and e.active] == ["confirm"]

    def test_many_hands_are_no_burst(self) -> None:
        table = chip(9)
        for n in range(7):  # seven patrons within 5 ms, of ten lines
            table.move(900 + n * 0.5, f"spot{n}", True)
        found = verdicts(table.run(1_200, settle_at=1_000))
        assert sum(accepted(verdict) for verdict in found.values()) == 7


class TestKeySwitch:
    SPECS = (LineSpec("rest", 0, LineRole.KEY), LineSpec("turned", 1, LineRole.KEY))

    def table(self, hold_ms: int = 0, turned: bool = False) -> Chip:
        key = KeySwitchSpec("reset", "rest", "turned", hold_ms * MS)
        return Chip(LineBank("keys", self.SPECS, [key]), list(self.SPECS), {"rest": not turned, "turned": turned})

    def turn(self, table: Chip, at: float, turned: bool) -> None:
        table.move(at, "rest", not turned)
        table.move(at + 4, "turned", turned)

    def test_turn_and_back(self) -> None:
        table = self.table()
        self.turn(table, 100, True)
        self.turn(table, 500, False)
        assert table.run(1_000) == [
            KeySwitchTurned("keys", "reset", True, ns(104)),
            KeySwitchTurned("keys", "reset", False, ns(504)),
        ]

    def test_published_hold_vector(self) -> None:
        # Turned at boot is ignored; rest at 500; turned at 2000 and held counts at 3000; released at 3200.
        table = self.table(hold_ms=1_000, turned=True)
        table.move(500, "turned", False)
        table.move(500.001, "rest", True)
        table.move(1_999.999, "rest", False)
        table.move(2_000, "turned", True)
        self.turn(table, 3_200, False)
        assert table.run(4_000) == [
            KeySwitchTurned("keys", "reset", True, ns(3_000)),
            KeySwitchTurned("keys", "reset", False, ns(3_204)),
        ]

    @pytest.mark.parametrize("held", [10, 500, 995])
    def test_not_held_long_enough_is_nothing(self, held: float) -> None:
        table = self.table(hold_ms=1_000)
        self.turn(table, 100, True)
        self.turn(table, 104 + held, False)
        assert table.run(5_000) == []

    @pytest.mark.parametrize("line", ["rest", "turned"])
    def test_equal_contacts_are_a_wiring_fault_and_no_turn(self, line: str) -> None:
        table = self.table()
        table.move(100, line, line == "turned")
        (fault,) = table.run(1_000)
        assert fault == LineTroubled("keys", "reset", LineTrouble.WIRING, ns(200))

    def test_after_a_wiring_fault_the_key_counts_only_from_rest(self) -> None:
        table = self.table()
        table.move(100, "rest", False)
        table.move(1_000, "turned", True)  # a turn, or a second fault: not known
        table.move(2_000, "turned", False)
        table.move(2_001, "rest", True)
        self.turn(table, 3_000, True)
        kinds = [type(event) for event in table.run(4_000)]
        assert kinds == [LineTroubled, LineHealthy, KeySwitchTurned]


class TestRefusals:
    def test_window_too_short_for_a_leave(self) -> None:
        with pytest.raises(ValueError, match="absent_ns"):
            DecisionWindow(60 * MS, 161 * MS, 100 * MS)

    def test_two_lines_on_one_number_and_two_of_one_name(self) -> None:
        with pytest.raises(ValueError, match="'a' and 'b' both claim line number 4"):
            LineBank("table", [LineSpec("a", 4, LineRole.SPOT), LineSpec("b", 4, LineRole.SPOT)])
        with pytest.raises(ValueError, match="two lines are named 'a'"):
            LineBank("table", [LineSpec("a", 4, LineRole.SPOT), LineSpec("a", 5, LineRole.SPOT)])

    def test_key_needs_key_lines(self) -> None:
        with pytest.raises(ValueError, match="role"):
            LineBank(
                "table",
                [LineSpec("a", 1, LineRole.SPOT), LineSpec("b", 2, LineRole.KEY)],
                [KeySwitchSpec("k", "a", "b")],
            )


@pytest.mark.parametrize(
    ("active_low", "normally_closed", "high", "active"),
    [
        (True, False, True, False),  # open contact, pulled up
        (True, False, False, True),
        (True, True, False, False),  # closed at rest
        (True, True, True, True),  # pressed, or the wire is cut
        (False, False, True, True),
        (False, True, True, False),
    ],
)
def test_polarity(active_low: bool, normally_closed: bool, high: bool, active: bool) -> None:
    assert LineSpec("x", 0, LineRole.BUTTON, active_low, normally_closed).is_active(high) is active
