"""The lists of games agree: a game that a table plays has a round machine, and what it plays it can settle."""

from __future__ import annotations

from firmware.core.rounds.machine import MACHINES
from firmware.core.wagers.games import GAMES, LIVE_WAGERS


def test_the_wagers_that_are_live_are_those_of_the_games_with_a_round_machine() -> None:
    assert {game for game, _ in LIVE_WAGERS} == set(MACHINES) <= set(GAMES)
