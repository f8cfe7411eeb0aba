"""Which game's outcome is read by which function: the one list, a line for each game.

A reader takes the JSON object under `outcome` and judges shapes only; whether the round can have been played is the
game's check to say (`Game.check`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic

from msgspec import Struct

from firmware.core.wagers.baccarat import BACCARAT
from firmware.core.wagers.blackjack import BLACKJACK
from firmware.core.wagers.craps import CRAPS
from firmware.core.wagers.crazy_time import CRAZY_TIME
from firmware.core.wagers.criss_cross_poker import CRISS_CROSS_POKER
from firmware.core.wagers.midibaccarat import MIDIBACCARAT
from firmware.core.wagers.minibaccarat import MINIBACCARAT
from firmware.core.wagers.roulette import ROULETTE
from firmware.core.wagers.ultimate_texas_holdem import ULTIMATE_TEXAS_HOLDEM
from firmware.core.wagers.wager import Dealt, Game
from firmware.interfaces.outcome_baccarat import read_two_hands
from firmware.interfaces.outcome_blackjack import read_initial_cards
from firmware.interfaces.outcome_craps import read_rolled
from firmware.interfaces.outcome_crazy_time import read_wheel_spin
from firmware.interfaces.outcome_poker import read_criss_cross_round, read_holdem_round
from firmware.interfaces.outcome_roulette import read_spun
from firmware.interfaces.strict_json import Fields


class Reader(Struct, Generic[Dealt], frozen=True):
    """A game with the function that reads its outcome; both are of one type."""

    game: Game[Dealt]
    read: Callable[[Fields], Dealt]


_READERS: tuple[Reader[Any], ...] = (
    Reader(MINIBACCARAT, read_two_hands),
    Reader(MIDIBACCARAT, read_two_hands),
    Reader(BACCARAT, read_two_hands),
    Reader(ROULETTE, read_spun),
    Reader(CRAPS, read_rolled),
    Reader(BLACKJACK, read_initial_cards),
    Reader(ULTIMATE_TEXAS_HOLDEM, read_holdem_round),
    Reader(CRISS_CROSS_POKER, read_criss_cross_round),
    Reader(CRAZY_TIME, read_wheel_spin),
)

READERS: dict[str, Reader[Any]] = {reader.game.name: reader for reader in _READERS}
"""Every reader, by its game's name; a test holds it against `GAMES`."""
