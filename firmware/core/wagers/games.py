"""The games that are built, by name. A further game is its module, its chapter's paytable file and one line here; the
whole list of places stands in `wager.py`."""

from __future__ import annotations

from typing import Any

from firmware.core.wagers.baccarat import BACCARAT
from firmware.core.wagers.blackjack import BLACKJACK
from firmware.core.wagers.craps import CRAPS
from firmware.core.wagers.criss_cross_poker import CRISS_CROSS_POKER
from firmware.core.wagers.midibaccarat import MIDIBACCARAT
from firmware.core.wagers.minibaccarat import MINIBACCARAT
from firmware.core.wagers.roulette import ROULETTE
from firmware.core.wagers.ultimate_texas_holdem import ULTIMATE_TEXAS_HOLDEM
from firmware.core.wagers.wager import Game

GAMES: dict[str, Game[Any]] = {
    game.name: game
    for game in (
        MINIBACCARAT,
        MIDIBACCARAT,
        BACCARAT,
        ROULETTE,
        CRAPS,
        BLACKJACK,
        ULTIMATE_TEXAS_HOLDEM,
        CRISS_CROSS_POKER,
    )
}
"""Every game, by name. Each is typed by what its round shows; only its own reader and counting make such a value, and
they name the game itself."""

LIVE_WAGERS: frozenset[tuple[str, str]] = frozenset(
    (game.name, wager.name) for game in (MINIBACCARAT,) for wager in game.wagers
)
"""The wagers, by game, that the table daemon plays from sensors to settlement; the others only settle."""
