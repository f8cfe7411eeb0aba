"""One line: the published debounce vectors, then what reordering, loss, doubling and noise may not change."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.debounce import Debouncer, LevelRead
from drivers.events import (
    LineChanged,
    LineEdge,
    LineEvent,
    LineGlitch,
    LineHealthy,
    LineReconciled,
    LineTrouble,
    LineTroubled,
)
from drivers.line_spec import DecisionWindow, LineRole, LineTiming, timing_for

MS = 1_000_000
SPOT = LineTiming(60 * MS, 150 * MS)
BUTTON = LineTiming(30 * MS, 30 * MS)
LOCK = LineTiming(30 * MS, 30 * MS, act_on_first_edge=True)
LATENESS = 100 * MS
START = 10_000  # ms, so that nothing hangs on being near zero

# (milliseconds, electrical level) pairs and the debounced changes they make; active low unless said otherwise.
VECTORS = {
    "a 3 ms bounce moves the press to the run that lasted": (
        [(100, 0), (105, 1), (108, 0), (300, 1)], [(108, True), (300, False)],
    ),
    "20 ms is a glitch": ([(100, 0), (120, 1)], []),
    "a 5 ms glitch in a held press is ignored": (
        [(100, 0), (125, 1), (130, 0), (165, 1), (170, 0)], [(130, True)],
    ),
}  # fmt: skip


def line(timing: LineTiming, active: bool = False) -> Debouncer:
    return Debouncer("table", "line", timing, LATENESS, LevelRead(START * MS, START * MS, active))


def play(debouncer: Debouncer, edges: list[tuple[int, bool]], until_ms: int, delays: list[int] = []) -> list[LineEvent]:  # noqa: B006
    """Deliver edges (time, level) after their delays, in order of arrival, waking at every deadline in between."""
    delays = delays or [0] * len(edges)
    arrivals = sorted(
        (START + at + delay, START + at, active) for (at, active), delay in zip(edges, delays, strict=True)
    )
    events: list[LineEvent] = []

    def wake_until(now_ns: int) -> None:
        while debouncer.deadline_ns is not None and debouncer.deadline_ns < now_ns:
            events.extend(debouncer.advance(debouncer.deadline_ns))

    for arrived, at, active in arrivals:
        wake_until(arrived * MS)
        debouncer.edge(at * MS, active, arrived * MS)
        events.extend(debouncer.advance(arrived * MS))
    wake_until((START + until_ms) * MS)
    events.extend(debouncer.advance((START + until_ms) * MS))
    return events


def changes(events: list[LineEvent]) -> list[tuple[float, bool]]:
    return [(e.not_after_ns / MS - START, e.active) for e in events if isinstance(e, LineChanged)]


def kinds(events: list[LineEvent]) -> list[type[LineEvent]]:
    return [type(e) for e in events]


@pytest.mark.parametrize("trace", VECTORS, ids=str)
def test_published_vectors(trace: str) -> None:
    pairs, expected = VECTORS[trace]
    events = play(line(BUTTON), [(at, level == 0) for at, level in pairs], pairs[-1][0] + 100)
    assert changes(events) == expected


def test_normally_closed_press_reads_high() -> None:
    # "0 0, 100 1, 140 1 is a press at 100": with a normally closed contact the high level is the press.
    assert changes(play(line(BUTTON), [(100, True)], 140)) == [(100, True)]


def test_a_run_of_exactly_the_stable_time_counts_and_one_nanosecond_less_does_not() -> None:
    for length_ns, expected in ((60 * MS, True), (60 * MS - 1, False)):
        debouncer = line(SPOT)
        start_ns = START * MS + MS
        debouncer.edge(start_ns, True, start_ns)
        debouncer.edge(start_ns + length_ns, False, start_ns + length_ns)
        events = debouncer.advance(start_ns + length_ns)
        assert bool(changes(events)) is expected


def test_decided_is_the_first_edge_plus_the_stable_time() -> None:
    (event,) = play(line(SPOT), [(5, True)], 65)
    assert isinstance(event, LineChanged)
    assert event.decided_ns == (START + 65) * MS


def test_rocking_chip_stays_present() -> None:
    edges = [(0 + 1, True), (200, False), (340, True), (400, False), (549, True)]
    assert changes(play(line(SPOT), edges, 1000)) == [(1, True)]


class TestFirstEdge:
    def test_press_closes_at_once_and_is_confirmed(self) -> None:
        debouncer = line(LOCK)
        debouncer.edge((START + 1) * MS, True, (START + 1) * MS)
        assert kinds(debouncer.advance((START + 1) * MS)) == [LineEdge]
        assert debouncer.deadline_ns == (START + 31) * MS
        assert kinds(debouncer.advance((START + 31) * MS)) == [LineChanged]

    def test_glitch_is_taken_back_once_the_contact_was_open_for_its_stable_time(self) -> None:
        events = play(line(LOCK), [(10, True), (30, False)], 59)
        assert kinds(events) == [LineEdge]
        events = play(line(LOCK), [(10, True), (30, False)], 60)
        assert kinds(events) == [LineEdge, LineGlitch]
        assert isinstance(events[1], LineGlitch)
        assert (events[1].at_ns, events[1].lasted_ns) == ((START + 10) * MS, 20 * MS)

    def test_bouncing_press_is_one_announcement_moved_to_the_run_that_lasted(self) -> None:
        bounces = [(t, n % 2 == 0) for n, t in enumerate(range(10, 17))]  # last one is active, at 16
        events = play(line(LOCK), bounces, 100)
        assert kinds(events) == [LineEdge, LineGlitch, LineEdge, LineChanged]
        assert isinstance(events[2], LineEdge) and events[2].at_ns == (START + 16) * MS
        assert changes(events) == [(16, True)]

    def test_pressing_on_changes_nothing(self) -> None:
        assert kinds(play(line(LOCK), [(10, True)], 60_000)) == [LineEdge, LineChanged]

    def test_held_at_start_is_no_press(self) -> None:
        assert play(line(LOCK, active=True), [], 5_000) == []

    def test_late_and_reordered_bounce_moves_a_press_already_reported(self) -> None:
        events = play(line(LOCK), [(10, True), (20, False), (22, True)], 200, delays=[0, 55, 50])
        assert kinds(events) == [LineEdge, LineChanged, LineGlitch, LineEdge, LineChanged]
        assert changes(events) == [(10, True), (22, True)]

    def test_press_that_a_late_edge_disproves_is_taken_back(self) -> None:
        events = play(line(LOCK), [(10, True), (20, False)], 300, delays=[0, 90])
        assert kinds(events) == [LineEdge, LineChanged, LineGlitch, LineChanged]
        assert changes(events)[-1] == (20, False)


class TestNobodyListened:
    """The process was stopped for ten seconds, and all edges arrive afterwards."""

    def late(self, timing: LineTiming) -> list[LineEvent]:
        debouncer, now_ns = line(timing), (START + 10_000) * MS
        for at, active in ((100, True), (150, False)):
            debouncer.edge((START + at) * MS, active, now_ns)
        return debouncer.advance(now_ns)

    def test_the_press_that_closed_betting_is_told(self) -> None:
        events = self.late(LOCK)
        assert kinds(events) == [LineEdge, LineChanged, LineChanged]
        assert changes(events) == [(100, True), (150, False)]

    def test_a_key_that_was_pressed_at_a_dead_display_is_not(self) -> None:
        assert self.late(BUTTON) == []


class TestTrouble:
    def test_twenty_changes_in_two_seconds_pass_and_twenty_one_are_chatter(self) -> None:
        for count, expected in ((20, False), (21, True)):
            edges = [(1 + 90 * n, n % 2 == 0) for n in range(count)]
            troubled = [e for e in play(line(SPOT), edges, 2_200) if isinstance(e, LineTroubled)]
            assert bool(troubled) is expected

    def test_a_finger_that_steps_through_a_menu_on_a_bouncing_button_is_no_chatter(self) -> None:
        button = timing_for(LineRole.BUTTON, DecisionWindow())
        quick = DecisionWindow(stable_ns=7 * MS)
        assert timing_for(LineRole.BUTTON, quick).active_ns == 7 * MS
        assert timing_for(LineRole.LOCK_OUT, quick).active_ns == 7 * MS
        assert timing_for(LineRole.KEY, quick) == timing_for(LineRole.KEY, DecisionWindow())
        bounce = ((0, True), (1, False), (2, True), (60, False), (61, True), (62, False))
        edges = [(10 + 200 * press + at, level) for press in range(10) for at, level in bounce]
        events = play(line(button), edges, 3_000)
        assert [active for _, active in changes(events)] == [True, False] * 10
        assert LineTroubled not in kinds(events)

    def test_chatter_reports_nothing_more_until_two_quiet_seconds_and_a_level_read(self) -> None:
        debouncer = line(SPOT)
        edges = [(1 + 10 * n, n % 2 == 0) for n in range(31)]
        assert kinds(play(debouncer, edges, 2_000)) == [LineTroubled]
        early = LevelRead((START + 2_000) * MS, (START + 2_000) * MS, True)
        assert debouncer.level_read(early, (START + 2_100) * MS) == []
        quiet = LevelRead((START + 2_400) * MS, (START + 2_401) * MS, True)
        (healthy,) = debouncer.level_read(quiet, (START + 2_501) * MS)
        assert isinstance(healthy, LineHealthy) and healthy.active and debouncer.active
        assert changes(play(debouncer, [(3_000, False)], 3_200)) == [(3_000, False)]

    def test_lock_out_line_that_chatters_takes_its_announcement_back(self) -> None:
        edges = [(1 + 10 * n, n % 2 == 0) for n in range(31)]
        assert kinds(play(line(LOCK), edges, 1_000)) == [LineEdge, LineGlitch, LineTroubled]

    def test_stuck_is_counted_from_the_last_lock_out(self) -> None:
        timing = LineTiming(60 * MS, 150 * MS, stuck_ns=1_000 * MS)
        debouncer = line(timing)
        assert kinds(play(debouncer, [(10, True)], 900)) == [LineChanged]
        debouncer.lock_out((START + 900) * MS)
        assert debouncer.advance((START + 1_899) * MS) == []
        (stuck,) = debouncer.advance((START + 1_900) * MS)
        assert isinstance(stuck, LineTroubled) and stuck.trouble is LineTrouble.STUCK
        assert kinds(play(debouncer, [(2_000, False)], 2_150)) == [LineHealthy, LineChanged]


class TestLevels:
    def read(self, debouncer: Debouncer, at: int, active: bool) -> list[LineEvent]:
        events = debouncer.level_read(
            LevelRead((START + at) * MS, (START + at) * MS + 50_000, active), (START + at + 100) * MS
        )
        return events + debouncer.advance((START + at + 100) * MS)

    def test_lost_edge_is_found_with_the_interval_in_which_it_lies(self) -> None:
        debouncer = line(SPOT)
        assert self.read(debouncer, 1_000, False) == []
        events = self.read(debouncer, 2_000, True)
        assert kinds(events) == [LineReconciled, LineChanged]
        assert isinstance(events[0], LineReconciled)
        assert (events[0].not_before_ns, events[0].not_after_ns) == (
            (START + 1_000) * MS,
            (START + 2_000) * MS + 50_000,
        )

    def test_disagreeing_twice_is_out_of_order(self) -> None:
        debouncer = line(SPOT)
        self.read(debouncer, 1_000, True)
        events = self.read(debouncer, 2_000, False)
        assert kinds(events) == [LineReconciled, LineTroubled]

    def test_a_moving_line_is_not_compared(self) -> None:
        debouncer = line(SPOT)
        debouncer.edge((START + 1_000) * MS + 10_000, True, (START + 1_001) * MS)
        assert debouncer.level_read(LevelRead((START + 1_000) * MS, (START + 1_000) * MS + 50_000, False), 0) == []

    def test_the_lost_edge_may_come_after_all(self) -> None:
        debouncer = line(SPOT)
        self.read(debouncer, 1_000, True)
        debouncer.edge((START + 700) * MS, True, (START + 1_200) * MS)
        debouncer.advance((START + 1_200) * MS)
        verdict = debouncer.verdict((START + 900) * MS, (START + 960) * MS, None)
        assert verdict.active and verdict.not_before_ns == verdict.not_after_ns == (START + 700) * MS

    def test_the_lost_edge_in_its_place_gives_the_run_its_true_beginning(self) -> None:
        debouncer = line(SPOT)
        debouncer.level_read(LevelRead((START + 1_000) * MS, (START + 1_000) * MS, True), (START + 1_010) * MS)
        debouncer.edge((START + 950) * MS, True, (START + 1_020) * MS)
        (changed,) = debouncer.advance((START + 1_020) * MS)
        assert isinstance(changed, LineChanged) and changed.not_after_ns == (START + 950) * MS


alternating = st.lists(st.integers(1, 400), min_size=0, max_size=18).map(
    lambda gaps: [(sum(gaps[: n + 1]), n % 2 == 0) for n in range(len(gaps))]
)


@given(alternating, st.data())
def test_delivery_order_never_changes_the_end(edges: list[tuple[int, bool]], data: st.DataObject) -> None:
    delays = [data.draw(st.integers(0, 100)) for _ in edges]
    end = (edges[-1][0] if edges else 0) + 400
    straight, delayed = line(SPOT), line(SPOT)
    in_order = play(straight, edges, end)
    late = play(delayed, edges, end, delays)
    assert straight.active == delayed.active == (edges[-1][1] if edges else False)
    for events, debouncer in ((in_order, straight), (late, delayed)):
        assert [active for _, active in changes(events)][-1:] in ([debouncer.active], [])
    cut = data.draw(st.integers(0, end - 200))
    at = (START + cut) * MS
    assert delayed.verdict(at, at + 60 * MS, None) == straight.verdict(at, at + 60 * MS, None)


@given(alternating, st.data())
def test_doubled_edges_change_nothing(edges: list[tuple[int, bool]], data: st.DataObject) -> None:
    end = (edges[-1][0] if edges else 0) + 400
    copies = [edge for edge in edges for _ in range(data.draw(st.integers(1, 3)))]
    once, doubled = line(SPOT), line(SPOT)
    assert play(once, edges, end) == play(doubled, copies, end)


@given(alternating, st.data())
def test_any_loss_is_mended_by_two_level_reads(edges: list[tuple[int, bool]], data: st.DataObject) -> None:
    kept = [edge for edge in edges if data.draw(st.booleans())]
    end = (edges[-1][0] if edges else 0) + 400
    truth = edges[-1][1] if edges else False
    debouncer = line(SPOT)
    play(debouncer, kept, end)
    for read_at in (end + 100, end + 3_000):
        at_ns = (START + read_at) * MS
        debouncer.level_read(LevelRead(at_ns, at_ns, truth), at_ns + LATENESS)
        debouncer.advance(at_ns + LATENESS + 200 * MS)
    assert debouncer.active is truth


@given(st.lists(st.tuples(st.integers(0, 3_000), st.booleans(), st.integers(0, 500)), max_size=60))
def test_any_edges_at_all_leave_a_consistent_line(noise: list[tuple[int, bool, int]]) -> None:
    debouncer = line(LOCK)
    events = play(debouncer, [(at, active) for at, active, _ in noise], 8_000, [delay for *_, delay in noise])
    announced = 0
    for event in events:
        match event:
            case LineEdge():
                announced += 1
                assert announced == 1, "a second announcement before the first was confirmed or taken back"
            case LineGlitch() | LineChanged(active=True):
                announced = 0
            case _:
                pass
