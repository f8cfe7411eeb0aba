"""The games that are built, by name. A further game is its module, its chapter's paytable file and one line here; the
whole list of places stands in `wager.py`.

Rules: a game's module is imported when the game is first asked for, so that a table loads its own game and no other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import Any

from firmware.core.wagers.wager import Game

_MODULES = {
    "minibaccarat": "MINIBACCARAT",
    "midibaccarat": "MIDIBACCARAT",
    "baccarat": "BACCARAT",
    "roulette": "ROULETTE",
    "craps": "CRAPS",
    "blackjack": "BLACKJACK",
    "ultimate_texas_holdem": "ULTIMATE_TEXAS_HOLDEM",
    "criss_cross_poker": "CRISS_CROSS_POKER",
    "crazy_time": "CRAZY_TIME",
}
"""Module of this package, which is the game's name, and the game's constant in it."""


class _Games(Mapping[str, Game[Any]]):
    """Every game by name; asking for one imports its module."""

    def __init__(self) -> None:
        self._loaded: dict[str, Game[Any]] = {}

    def __getitem__(self, name: str) -> Game[Any]:
        if name not in self._loaded:
            module = import_module(f"firmware.core.wagers.{name}") if name in _MODULES else None
            if module is None:
                raise KeyError(name)
            self._loaded[name] = getattr(module, _MODULES[name])
        return self._loaded[name]

    def __contains__(self, name: object) -> bool:
        return name in _MODULES

    def __iter__(self) -> Iterator[str]:
        return iter(_MODULES)

    def __len__(self) -> int:
        return len(_MODULES)


GAMES: Mapping[str, Game[Any]] = _Games()
"""Every game, by name. Each is typed by what its round shows; only its own reader and counting make such a value, and
they name the game itself."""

DEALT_IN_BY: Mapping[str, str] = {
    "blackjack": "blackjack",
    "ultimate_texas_holdem": "ante",
    "criss_cross_poker": "ante",
}
"""By game, the wager that says which positions are dealt in, where hands belong to positions. It is the game's own, and
not settled here."""

FRESH_DECK = frozenset({"ultimate_texas_holdem", "criss_cross_poker"})
"""Games of which every round is dealt from a whole deck."""

_BACCARAT_WAGERS = (
    "perfect_pairs_player",
    "perfect_pairs_banker",
    "player",
    "banker",
    "tie",
    "player_pair",
    "banker_pair",
    "lucky_six",
)
_OF_ONE_GAME = {
    "minibaccarat": ("royal_9_progressive",),
    "midibaccarat": ("royal_9_progressive",),
    "baccarat": (
        "heavenly_9_progressive",
        "fortune_7",
        "golden_8",
        "heavenly_9",
        "blazing_7s_baccarat",
        "cover_all",
    ),
}
_BLACKJACK_WAGERS = (
    "21_plus_3_progressive",
    "royal_match_progressive",
    "kings_bounty",
    "blazing_7s",
    "blazing_7s_multi_progressive",
)

LIVE_WAGERS: frozenset[tuple[str, str]] = frozenset(
    [(game, wager) for game, own in _OF_ONE_GAME.items() for wager in (*_BACCARAT_WAGERS, *own)]
    + [("blackjack", wager) for wager in _BLACKJACK_WAGERS]
    + [("ultimate_texas_holdem", wager) for wager in ("trips", "bad_beat", "play_the_board", "ultimate_pairs")]
    + [("criss_cross_poker", "ultimate_pairs")]
    + [("roulette", "b2b_roulette")]
)
"""The wagers, by game, that the table daemon plays from sensors to settlement; the others only settle."""
