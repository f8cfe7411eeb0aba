"""The games that are built, by name. A further game is its module, its chapter's paytable file and one line here."""

from __future__ import annotations

from firmware.core.wagers.minibaccarat import MINIBACCARAT
from firmware.core.wagers.two_hands import TwoHands
from firmware.core.wagers.wager import Game

GAMES: dict[str, Game[TwoHands]] = {game.name: game for game in (MINIBACCARAT,)}
"""All games that show two hands; a game that shows something else adds its type to the union."""

LIVE_WAGERS: frozenset[tuple[str, str]] = frozenset(
    (game.name, wager.name) for game in (MINIBACCARAT,) for wager in game.wagers
)
"""The wagers, by game, that the table daemon plays from sensors to settlement; the others only settle."""
