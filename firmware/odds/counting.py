"""Which game's odds are counted by which module: the one list, a line for each game."""

from __future__ import annotations

from typing import Any

from firmware.odds.baccarat import COUNTINGS_OF_BACCARAT
from firmware.odds.blackjack import BLACKJACK_COUNTING
from firmware.odds.craps import CRAPS_COUNTING
from firmware.odds.poker import COUNTINGS_OF_POKER
from firmware.odds.roulette import ROULETTE_COUNTING
from firmware.odds.verdicts import Counting

_COUNTINGS: tuple[Counting[Any], ...] = (
    *COUNTINGS_OF_BACCARAT,
    ROULETTE_COUNTING,
    CRAPS_COUNTING,
    BLACKJACK_COUNTING,
    *COUNTINGS_OF_POKER,
)

COUNTINGS: dict[str, Counting[Any]] = {counting.game.name: counting for counting in _COUNTINGS}
"""Every counting, by its game's name; a test holds it against `GAMES`."""
