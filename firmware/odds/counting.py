"""Which game's odds are counted by which module: the one list, a line for each game."""

from __future__ import annotations

from typing import Any

from firmware.odds.baccarat import COUNTINGS_OF_BACCARAT
from firmware.odds.crazy_time import CRAZY_TIME_COUNTING
from firmware.odds.verdicts import Counting

_COUNTINGS: tuple[Counting[Any], ...] = (*COUNTINGS_OF_BACCARAT, CRAZY_TIME_COUNTING)

COUNTINGS: dict[str, Counting[Any]] = {counting.game.name: counting for counting in _COUNTINGS}
"""Every counting, by its game's name; a test holds it against `GAMES`."""
