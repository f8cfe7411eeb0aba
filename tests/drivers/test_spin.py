"""What a wheel's lines say about a spin, line by line in time, without a wire."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.result_events import (
    Doubt,
    NoSpin,
    NoSpinReason,
    NumberDoubted,
    NumberSource,
    WheelEvent,
    WheelPhase,
    WheelPhaseChanged,
    WheelWarned,
    WheelWarning,
    WinningNumber,
)
from drivers.spin import SpinWatch, Status

P = WheelPhase
PHASES = dict(enumerate(WheelPhase, start=1))
MS = 1_000_000
BOTH = (NumberSource.LINE, NumberSource.STATUS)


class Wheel:
    """A wheel that says its status each half second."""

    def __init__(self, *, checked: bool = False) -> None:
        self.watch = SpinWatch("wheel", checked=checked, unheard_ns=2_000 * MS)
        self.now_ms = 0
        self.spin: int | None = None if checked else 8
        self.got: list[WheelEvent] = []

    def say(self, phase: int, *, times: int = 1, number: str = "15", warn: tuple[WheelWarning, ...] = ()) -> None:
        for _ in range(times):
            self.now_ms += 500
            status = Status(
                PHASES[phase], self.spin, number, frozenset(warn), None, self.now_ms * MS, f"{phase}/{number}"
            )
            self.got += self.watch.status(status)

    def line(self, pocket: str) -> None:
        self.now_ms += 20
        self.got += self.watch.number(pocket, self.now_ms * MS, f"line {pocket}")

    def results(self) -> list[WheelEvent]:
        return [each for each in self.got if isinstance(each, WinningNumber | NumberDoubted | NoSpin)]

    def phases(self) -> list[WheelPhase]:
        return [each.phase for each in self.got if isinstance(each, WheelPhaseChanged)]

    def one(self) -> WheelEvent:
        (result,) = self.results()
        return result


def to_the_ball(wheel: Wheel) -> None:
    wheel.say(2, times=3)
    wheel.say(3, times=4)
    wheel.say(4, times=6)


def test_a_game_as_a_wheel_logged_it() -> None:
    wheel = Wheel()
    to_the_ball(wheel)
    wheel.line("24")
    assert wheel.results() == [], "the status has not said it yet"
    at_ms = wheel.now_ms
    wheel.say(5, times=11, number="24")
    assert wheel.one() == WinningNumber("wheel", "24", BOTH, 8, at_ms * MS, "line 24 5/24")
    wheel.spin = 9
    wheel.say(2, times=3, number="24")
    assert wheel.phases() == [P.PLACE_BETS, P.BALL_IN_RIM, P.NO_MORE_BETS, P.WINNING_NUMBER, P.PLACE_BETS]
    assert len(wheel.results()) == 1


def test_the_interval_of_a_phase_is_between_two_statuses() -> None:
    wheel = Wheel()
    wheel.say(3, times=2)
    wheel.say(4)
    first, second = (each for each in wheel.got if isinstance(each, WheelPhaseChanged))
    assert (first.not_before_ns, first.not_after_ns) == (None, 1000 * MS)
    assert (second.not_before_ns, second.not_after_ns) == (1000 * MS, 1500 * MS)


def test_line_and_status_differ_and_nothing_is_told_afterwards() -> None:
    wheel = Wheel()
    to_the_ball(wheel)
    wheel.line("20")
    wheel.say(5, times=8, number="23")
    wheel.line("23")
    doubted = wheel.one()
    assert isinstance(doubted, NumberDoubted)
    assert (doubted.doubt, doubted.pockets) == (Doubt.SOURCES_DIFFER, ("20", "23"))
    wheel.say(2, times=2, number="23")
    to_the_ball(wheel)
    wheel.line("7")
    wheel.say(5, times=2, number="7")
    assert isinstance(wheel.results()[-1], WinningNumber), "the next spin has its number"


def test_without_the_line_two_statuses_are_needed() -> None:
    wheel = Wheel()
    to_the_ball(wheel)
    wheel.say(5, number="24")
    assert wheel.results() == []
    wheel.say(5, times=5, number="24")
    told = wheel.one()
    assert isinstance(told, WinningNumber) and told.sources == (NumberSource.STATUS,)
    wheel.line("25")
    assert isinstance(wheel.results()[-1], NumberDoubted), "late, and another one: in doubt from now on"


def test_a_status_that_changes_its_number_is_in_doubt_after_it_was_told() -> None:
    wheel = Wheel()
    to_the_ball(wheel)
    wheel.line("24")
    wheel.say(5, times=2, number="24")
    wheel.say(5, number="23")
    wheel.say(5, number="24", times=3)
    told, doubted = wheel.results()
    assert isinstance(told, WinningNumber) and isinstance(doubted, NumberDoubted)
    assert doubted.doubt is Doubt.CHANGED


def test_a_line_twice_is_one_and_two_lines_that_differ_are_none() -> None:
    wheel = Wheel()
    to_the_ball(wheel)
    wheel.line("24")
    wheel.line("24")
    wheel.say(5, times=2, number="24")
    assert isinstance(wheel.one(), WinningNumber)
    other = Wheel()
    to_the_ball(other)
    other.line("24")
    other.line("25")
    other.say(5, times=5, number="25")
    doubted = other.one()
    assert isinstance(doubted, NumberDoubted) and doubted.doubt is Doubt.CHANGED


def test_a_number_line_that_no_phase_5_follows_is_in_doubt() -> None:
    wheel = Wheel()
    to_the_ball(wheel)
    wheel.line("24")
    wheel.say(4, times=3)
    assert wheel.results() == []
    wheel.say(4)
    doubted = wheel.one()
    assert isinstance(doubted, NumberDoubted) and doubted.doubt is Doubt.UNCONFIRMED


@pytest.mark.parametrize("phase", [1, 2, 3, 6])
def test_a_number_line_where_no_ball_can_lie_is_counted_and_spoils_nothing(phase: int) -> None:
    wheel = Wheel()
    wheel.say(phase)
    wheel.line("24")
    assert wheel.watch.counters["numbers_not_taken"] == 1
    wheel.say(3, times=3)
    wheel.say(4, times=3)
    wheel.line("7")
    wheel.say(5, number="7")
    assert [each.pocket for each in wheel.results() if isinstance(each, WinningNumber)] == ["7"]


def test_the_number_of_a_status_before_phase_5_is_the_last_game_s() -> None:
    wheel = Wheel()
    for phase in (1, 2, 3, 4):
        wheel.say(phase, times=4, number="24")
    assert wheel.results() == []


# What voids.


def test_a_ball_that_runs_with_the_rotor_voids_in_phase_3_alone() -> None:
    wheel = Wheel()
    wheel.say(2, times=5, warn=(WheelWarning.WRONG_WAY,))
    assert wheel.results() == []
    wheel.say(3, times=2, warn=(WheelWarning.WRONG_WAY,))
    void = wheel.one()
    assert isinstance(void, NoSpin) and void.reason is NoSpinReason.WRONG_WAY
    wheel.say(4, times=5)
    wheel.line("24")
    wheel.say(5, times=5, number="24")
    assert wheel.results() == [void], "a void spin has no number"


def test_a_failed_launch_is_the_wheel_s_for_three_seconds_of_phase_3() -> None:
    wheel = Wheel()
    wheel.say(2, times=40, warn=(WheelWarning.LAUNCH_FAILED,))
    wheel.say(3, times=6, warn=(WheelWarning.LAUNCH_FAILED,))
    assert wheel.results() == []
    mended = Wheel()
    mended.say(3, times=5, warn=(WheelWarning.LAUNCH_FAILED,))
    mended.say(3, times=5)
    assert mended.results() == []
    wheel.say(3, times=2, warn=(WheelWarning.LAUNCH_FAILED,))
    void = wheel.one()
    assert isinstance(void, NoSpin) and void.reason is NoSpinReason.LAUNCH_FAILED


def test_a_ball_that_is_not_seen_voids_after_five_seconds_of_it() -> None:
    wheel = Wheel()
    to_the_ball(wheel)
    wheel.say(4, times=10, warn=(WheelWarning.BALL_REMOVED,))
    wheel.say(4)
    wheel.say(4, times=10, warn=(WheelWarning.BALL_REMOVED,))
    assert wheel.results() == [], "it was seen between"
    wheel.say(4, warn=(WheelWarning.BALL_REMOVED,))
    void = wheel.one()
    assert isinstance(void, NoSpin) and void.reason is NoSpinReason.BALL_LOST


def test_a_fault_voids_while_the_ball_runs_and_only_warns_before() -> None:
    wheel = Wheel()
    wheel.say(2, warn=(WheelWarning.FAULT,))
    assert wheel.results() == []
    wheel.say(2)
    wheel.say(3)
    wheel.say(4)
    wheel.say(4, warn=(WheelWarning.FAULT,))
    wheel.say(6, times=3, warn=(WheelWarning.FAULT,))
    void = wheel.one()
    assert isinstance(void, NoSpin) and void.reason is NoSpinReason.FAULT
    told = [each.warnings for each in wheel.got if isinstance(each, WheelWarned)]
    assert told == [(WheelWarning.FAULT,), (), (WheelWarning.FAULT,)]


@pytest.mark.parametrize("back", [1, 2, 6])
def test_a_wheel_that_goes_back_without_a_number_has_broken_off(back: int) -> None:
    wheel = Wheel()
    to_the_ball(wheel)
    wheel.say(back, times=2)
    void = wheel.one()
    assert isinstance(void, NoSpin) and void.reason is NoSpinReason.BROKEN_OFF


# A wire without checksums.


@pytest.mark.parametrize("phase", [1, 2, 3, 6])
def test_one_status_that_opens_or_forgets_is_not_believed(phase: int) -> None:
    wheel = Wheel()
    to_the_ball(wheel)
    wheel.say(phase)
    wheel.say(4, times=2)
    wheel.line("24")
    wheel.say(5, times=2, number="24")
    wheel.say(phase, number="24")
    wheel.say(5, times=2, number="24")
    assert isinstance(wheel.one(), WinningNumber), "told once"
    assert P.NO_MORE_BETS in wheel.phases() and wheel.phases().count(P.WINNING_NUMBER) == 1
    assert wheel.watch.counters["phases_not_repeated"] == 2


GAME = [*[1] * 3, *[2] * 6, *[3] * 4, *[4] * 8, 0, *[5] * 6, *[2] * 3]
"""Phases as a wheel says them; 0: its number line."""


@pytest.mark.parametrize("at", [at for at, phase in enumerate(GAME) if phase])
def test_one_byte_that_is_read_wrong_decides_nothing(at: int) -> None:
    """Any one status of a game with any other phase, warning or number: the number is right, or in doubt."""
    wrongs: list[dict[str, object]] = [{"phase": phase} for phase in range(1, 7)]
    wrongs += [{"warn": (warning,)} for warning in WheelWarning]
    wrongs += [{"number": "25"}]
    for wrong in wrongs:
        wheel = Wheel()
        for place, phase in enumerate(GAME):
            if not phase:
                wheel.line("24")
                continue
            said: dict[str, object] = {"phase": phase, "number": "24" if place > GAME.index(0) else "15"}
            wheel.say(**(said | wrong if place == at else said))  # type: ignore[arg-type]
        told = [each.pocket for each in wheel.results() if isinstance(each, WinningNumber)]
        voids = [each for each in wheel.results() if isinstance(each, NoSpin)]
        doubts = [each for each in wheel.results() if isinstance(each, NumberDoubted)]
        assert not voids, (wrong, wheel.results())
        assert set(told) <= {"24"} and (told or doubts), (wrong, wheel.results())
        assert not doubts or "number" in wrong or GAME[at + 1] == 0, (wrong, wheel.results())


def test_a_number_line_that_is_read_wrong_pays_nothing() -> None:
    wheel = Wheel()
    for phase in GAME:
        if phase:
            wheel.say(phase, number="24" if phase == 5 else "15")
        else:
            wheel.line("25")
    doubted = wheel.one()
    assert isinstance(doubted, NumberDoubted) and doubted.pockets == ("25", "24")


def test_a_closed_wheel_opens_when_it_says_so_twice() -> None:
    wheel = Wheel()
    wheel.say(6, times=3)
    wheel.say(2)
    wheel.say(6)
    assert wheel.phases() == [P.CLOSED]
    wheel.say(2, times=2)
    assert wheel.phases() == [P.CLOSED, P.PLACE_BETS]


def test_one_status_that_closes_is_believed_at_once() -> None:
    wheel = Wheel()
    wheel.say(2)
    wheel.say(4)
    assert wheel.phases()[-1] is P.NO_MORE_BETS


def test_on_a_checked_wire_everything_counts_at_once() -> None:
    wheel = Wheel(checked=True)
    to_the_ball(wheel)
    wheel.line("24")
    assert isinstance(wheel.one(), WinningNumber), "by the line"
    wheel.say(5, number="24")
    wheel.say(2, number="24")
    assert len(wheel.results()) == 1 and wheel.phases()[-1] is P.PLACE_BETS
    to_the_ball(wheel)
    wheel.say(5, number="3")
    assert isinstance(wheel.results()[-1], WinningNumber), "by the status"
    wheel.line("4")
    assert isinstance(wheel.results()[-1], NumberDoubted)


# What was not heard.


def test_a_spin_that_ended_unheard_has_no_number() -> None:
    wheel = Wheel()
    to_the_ball(wheel)
    wheel.watch.reconnected()
    wheel.now_ms += 30_000
    wheel.spin = 9
    wheel.say(2, times=2, number="24")
    void = wheel.one()
    assert isinstance(void, NoSpin) and (void.reason, void.spin) == (NoSpinReason.UNSEEN, 8)


def test_the_same_phase_of_another_spin_is_another_spin() -> None:
    wheel = Wheel()
    to_the_ball(wheel)
    wheel.now_ms += 60_000  # the link stood, nothing was heard
    wheel.spin = 9
    wheel.say(4, times=2)
    void = wheel.one()
    assert isinstance(void, NoSpin) and void.reason is NoSpinReason.UNSEEN
    wheel.line("7")
    wheel.say(5, number="7")
    told = wheel.results()[-1]
    assert isinstance(told, WinningNumber) and told.spin == 9


def test_a_spin_that_goes_on_after_a_gap_has_its_number() -> None:
    wheel = Wheel()
    to_the_ball(wheel)
    wheel.watch.reconnected()
    wheel.now_ms += 10_000
    wheel.say(5, times=2, number="24")
    told = wheel.one()
    assert isinstance(told, WinningNumber) and told.sources == (NumberSource.STATUS,)


def test_a_gap_is_over_once_the_wheel_was_heard_again() -> None:
    wheel = Wheel()
    wheel.say(2, times=2)
    wheel.watch.reconnected()
    to_the_ball(wheel)
    wheel.spin = 9
    wheel.say(2, times=2)
    void = wheel.one()
    assert isinstance(void, NoSpin) and void.reason is NoSpinReason.BROKEN_OFF


def test_a_reader_that_was_reset_knows_nothing() -> None:
    wheel = Wheel(checked=True)
    to_the_ball(wheel)
    wheel.watch.forget()
    wheel.say(2)
    assert wheel.results() == []
    assert wheel.watch.phase is P.PLACE_BETS


@given(
    st.booleans(),
    st.lists(
        st.one_of(
            st.tuples(st.just("say"), st.integers(1, 6), st.sampled_from(["3", "4"]), st.integers(0, 15)),
            st.tuples(st.just("line"), st.sampled_from(["3", "4"])),
            st.tuples(
                st.just("gap"),
            ),
        ),
        max_size=60,
    ),
)
def test_whatever_a_wheel_says_a_spin_ends_once(checked: bool, said: list[tuple[object, ...]]) -> None:
    """Between two ends of spins the wheel was in a phase before its number; nothing follows a void or a doubt."""
    wheel = Wheel(checked=checked)
    flags = list(WheelWarning)
    for each in said:
        if each[0] == "say":
            warn = tuple(flag for bit, flag in enumerate(flags) if int(str(each[3])) >> bit & 1)
            wheel.say(int(str(each[1])), number=str(each[2]), warn=warn)
        elif each[0] == "line":
            wheel.line(str(each[1]))
        else:
            wheel.watch.reconnected()
    last: WheelEvent | None = None
    for event in wheel.got:
        if isinstance(event, WheelPhaseChanged):
            last = event if event.phase is not P.WINNING_NUMBER else last
        elif isinstance(event, WinningNumber | NoSpin):
            assert not isinstance(last, WinningNumber | NoSpin | NumberDoubted), (event, wheel.got)
            last = event
        elif isinstance(event, NumberDoubted):
            assert not isinstance(last, NoSpin | NumberDoubted), (event, wheel.got)
            last = event
