"""Public draws: asked, answered once, asked again after a restart."""

from __future__ import annotations

import pytest

from firmware.app.generator import Generator
from firmware.core import draws
from firmware.core import effects as fx
from firmware.core import events as ev
from firmware.core.chances import Pick, Share
from firmware.core.draw_events import Drawn
from firmware.core.state import State, initial_state
from firmware.core.step import step
from firmware.core.turn import Turn
from tests.core.table import rules

COIN = Pick("coin", (Share("red", 1), Share("blue", 3)))
DIE = Pick("die", tuple(Share(str(n), 1) for n in range(1, 7)))


def asked(*purposes: str) -> Turn:
    turn = Turn(rules(), initial_state(rules()))
    for purpose in purposes:
        draws.ask(turn, purpose, (COIN, DIE))
    return turn


def test_a_draw_has_a_number_of_its_own() -> None:
    turn = asked("first", "second")
    assert [(e.draw, e.purpose) for e in turn.effects if isinstance(e, fx.Draw)] == [(1, "first"), (2, "second")]
    assert [draw.draw for draw in turn.state.draws] == [1, 2]


def test_an_answer_counts_once() -> None:
    turn = asked("first", "second")
    answer = Drawn(1, ("blue", "6"), 0)
    assert draws.answered(turn, answer)
    assert not draws.answered(turn, answer)
    assert [draw.draw for draw in turn.state.draws] == [2]


@pytest.mark.parametrize("values", [("green", "6"), ("red", "7"), ("red",), ("red", "6", "6"), ()], ids=str)
def test_an_answer_that_can_not_be_is_a_fault_of_the_program(values: tuple[str, ...]) -> None:
    with pytest.raises(draws.WrongDrawError, match="draw 1"):
        draws.answered(asked("first"), Drawn(1, values, 0))


def test_what_is_open_is_asked_again_after_a_restart() -> None:
    state, effects = step(rules(), asked("first").state, ev.Started(1, 0, True, "boot-2"))
    assert [e for e in effects if isinstance(e, fx.Draw)] == [fx.Draw(1, "first", (COIN, DIE))]
    (answer,) = Generator("T", None).answers([e for e in effects if isinstance(e, fx.Draw)], state)
    state, _ = step(rules(), state, answer)
    assert state.draws == ()


def test_a_game_that_draws_nothing_is_not_disturbed() -> None:
    state = State()
    assert step(rules(), state, Drawn(9, ("red",), 0)) == (state, ())
