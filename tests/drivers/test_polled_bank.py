"""Lines that are only polled: intervals about the press, and the snapshot that a board latched on our command."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from drivers.debounce import LevelRead
from drivers.events import (
    CommonModeBurst,
    LineChanged,
    LineEvent,
    LineHealthy,
    LinesSettled,
    LineTrouble,
    LineTroubled,
    LineVerdict,
)
from drivers.line_bank import LineBank
from drivers.line_spec import DecisionWindow, LineRole, LineSpec

MS = 1_000_000
START = 10_000
PRESS = 12_000
WINDOW = DecisionWindow()  # 60 ms present, 150 ms absent, 100 ms lateness


class Board:
    """A polled board in virtual time: chips with a history, reads each `period` that take 4 ms."""

    def __init__(self, lines: int = 1, period: float = 40) -> None:
        self.names = [f"spot{number}" for number in range(lines)]
        self.bank = LineBank("board", [LineSpec(n, i, LineRole.SPOT) for i, n in enumerate(self.names)], (), WINDOW)
        self.period = period
        self.moves: dict[str, list[tuple[float, bool]]] = {name: [] for name in self.names}
        self.events: list[LineEvent] = []
        self.bank.start(self.read(START))

    def read(self, at: float) -> dict[str, LevelRead]:
        """Sampled in the middle of its 4 ms."""
        return {name: LevelRead(ns(at), ns(at + 4), self.level(name, at + 2)) for name in self.names}

    def level(self, name: str, at: float) -> bool:
        past = [active for moved, active in self.moves[name] if moved <= at]
        return past[-1] if past else False

    def verdicts(self, latch_at: float | None = None, offset: float = 0, until: float = 600) -> list[LineVerdict]:
        """What a press at `PRESS` finds. `offset`: when the first read begins; `latch_at`: after the press, in ms."""
        reads = [START + 40 + offset + self.period * number for number in range(int((2000 + until) / self.period))]
        asked = False
        latches = [] if latch_at is None else [PRESS + latch_at]
        for at in sorted([*reads, *latches]):
            if at >= PRESS and not asked:
                self.events += self.bank.advance(ns(PRESS))
                self.bank.settle(ns(PRESS))
                asked = True
            (self.bank.latched if at in latches else self.bank.polled)(self.read(at))
            self.events += self.bank.advance(ns(at + 4))
        answers = [event for event in self.events if isinstance(event, LinesSettled)]
        assert len(answers) == 1, answers
        assert answers[0].window_ns >= WINDOW.window_ns
        return list(answers[0].verdicts)


def ns(ms: float) -> int:
    return round(ms * MS)


def test_a_chip_that_two_reads_found_before_the_press_counts() -> None:
    board = Board()
    board.moves["spot0"] = [(PRESS - 200, True)]
    (verdict,) = board.verdicts()
    assert (verdict.active, verdict.straddles, verdict.contradicted, verdict.latched) == (True, False, False, False)
    assert verdict.not_before_ns < ns(PRESS - 200) <= verdict.not_after_ns < ns(PRESS)


def test_a_chip_between_the_reads_about_the_press_straddles_whichever_side_it_came_on() -> None:
    for came in (PRESS - 3, PRESS + 3):
        board = Board(period=40)
        board.moves["spot0"] = [(came, True)]
        (verdict,) = board.verdicts(offset=20)  # reads end 16 ms before and begin 20 ms after the press
        assert verdict.straddles and verdict.active, came


def test_a_chip_that_came_after_a_read_after_the_press_is_late_and_in_no_doubt() -> None:
    board = Board()
    board.moves["spot0"] = [(PRESS + 70, True)]
    (verdict,) = board.verdicts()
    assert (verdict.active, verdict.straddles, verdict.arrived_after) == (False, False, True)


def test_what_the_board_latched_on_our_command_is_decided() -> None:
    board = Board(2, period=80)
    board.moves = {"spot0": [(PRESS - 3, True)], "spot1": [(PRESS + 25, True)]}
    had, had_not = board.verdicts(latch_at=10, offset=40)
    assert (had.active, had.straddles, had.latched) == (True, False, True)
    assert had.not_before_ns < ns(PRESS) < had.not_after_ns, "the interval is told as it is"
    assert (had_not.active, had_not.straddles, had_not.latched, had_not.arrived_after) == (False, False, False, True)


def test_a_latched_chip_that_is_gone_before_it_proved_stable_is_none() -> None:
    board = Board(period=20)
    board.moves["spot0"] = [(PRESS - 3, True), (PRESS + 30, False)]
    (verdict,) = board.verdicts(latch_at=10, offset=10)
    assert not verdict.active and not verdict.latched


def test_a_chip_that_leaves_about_the_press_is_in_doubt_unless_the_latch_had_it() -> None:
    board = Board(period=80)
    board.moves["spot0"] = [(PRESS - 500, True), (PRESS + 20, False)]
    (verdict,) = board.verdicts(latch_at=10, offset=40)
    assert verdict.active and not verdict.straddles, "the snapshot still had it: it left afterwards"


def test_a_latch_with_no_question_open_is_a_read_like_any_other() -> None:
    board = Board()
    board.moves["spot0"] = [(START + 10, True)]
    board.bank.latched(board.read(START + 40))
    board.bank.polled(board.read(START + 200))
    events = board.bank.advance(ns(START + 204))
    assert [(e.line, e.active) for e in events if isinstance(e, LineChanged)] == [("spot0", True)]


def test_nine_chips_between_two_reads_are_nine_chips_and_no_noise() -> None:
    board = Board(9)
    board.moves = {name: [(PRESS - 300, True)] for name in board.names}
    assert all(v.active and not v.contradicted for v in board.verdicts())
    assert not [event for event in board.events if isinstance(event, CommonModeBurst)]


@settings(max_examples=150, deadline=None)
@given(
    came=st.floats(-150, 150),
    period=st.floats(10, 90),
    offset=st.floats(0, 90),
    latch_at=st.none() | st.floats(0.5, 40),
)
def test_no_chip_is_accepted_that_came_after_the_press_but_by_the_latch(
    came: float, period: float, offset: float, latch_at: float | None
) -> None:
    board = Board(period=period)
    board.moves["spot0"] = [(PRESS + came, True)]
    (verdict,) = board.verdicts(latch_at, offset)
    accepted = verdict.active and not verdict.straddles
    if accepted and not verdict.latched:
        assert came < 0
    if verdict.latched:
        assert latch_at is not None and came <= latch_at + 2, "the board had it when it took the snapshot"
    if came < -2 * period - 10 - WINDOW.present_ns / MS:
        assert accepted, "long there"


def test_no_read_after_the_window_no_answer_until_the_board_is_lost() -> None:
    board = Board()
    board.bank.settle(ns(PRESS))
    board.bank.polled(board.read(PRESS + 100))
    assert board.bank.advance(ns(PRESS + 400)) == []
    board.bank.lost()
    (answer,) = board.bank.advance(ns(PRESS + 401))
    assert isinstance(answer, LinesSettled) and answer.verdicts[0].contradicted


def test_what_a_board_says_is_out_of_order_proves_nothing_until_it_says_otherwise() -> None:
    board = Board(2)
    for at in (START + 40, START + 80):
        board.bank.polled(board.read(at), faulty=["spot0"])
        board.events += board.bank.advance(ns(at + 4))
    assert [(e.line, e.trouble) for e in board.events if isinstance(e, LineTroubled)] == [
        ("spot0", LineTrouble.REPORTED)
    ], "told once"
    board.moves["spot0"] = [(START + 90, True)]
    board.bank.settle(ns(START + 100))
    board.bank.polled(board.read(START + 300), faulty=["spot0"])
    (settled,) = board.bank.advance(ns(START + 304))
    assert isinstance(settled, LinesSettled)
    assert [v.contradicted for v in settled.verdicts] == [True, False]
    board.bank.polled(board.read(START + 400))
    (healthy,) = board.bank.advance(ns(START + 404))
    assert healthy == LineHealthy("board", "spot0", True, ns(START + 404))


def test_a_polled_line_that_chattered_is_well_again_after_it_was_quiet() -> None:
    board = Board(period=20)
    flicker = [(START + 100 + 20 * number, number % 2 == 0) for number in range(30)]
    board.moves["spot0"] = [*flicker, (START + 800, False)]
    for at in range(START + 20, START + 4000, 20):
        board.bank.polled(board.read(at))
        board.events += board.bank.advance(ns(at + 4))
    kinds = [type(e) for e in board.events if isinstance(e, LineTroubled | LineHealthy)]
    assert kinds == [LineTroubled, LineHealthy]
