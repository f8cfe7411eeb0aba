"""What the rest of the core asks of a game's round, and which module answers for which game.

Rules:
* Lock-out, acceptance, chip count, awards, void and screens exist once, outside; they reach a game through
  `machine(rules)` and name none. A further game is its own module here and one row in `MACHINES`. What all card games
  share is `dealing.py`.
* A machine keeps nothing: like everything in the core it makes the next state from the last one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from firmware.core.events import Key, RoundEvent, TimerKind
from firmware.core.menu import Line
from firmware.core.rounds.baccarat import BACCARAT
from firmware.core.rounds.blackjack import BLACKJACK
from firmware.core.rounds.poker import CRISS_CROSS, HOLDEM
from firmware.core.rounds.roulette import ROULETTE_ROUND
from firmware.core.rules import TableRules
from firmware.core.shown import Shown
from firmware.core.state import Menu, State
from firmware.core.turn import Turn


class RoundMachine(Protocol):
    """One kind of game, from the locked set to the cleared table."""

    # What happens.

    def after_lock(self, turn: Turn, at_ns: int) -> None:
        """The accepted set is final, the phase COUNTING: wait for the count, or go on if nothing is to be counted."""

    def confirm_count(self, turn: Turn, at_ns: int) -> None:
        """The dealer's chip count agrees."""

    def take(self, turn: Turn, event: RoundEvent) -> None:
        """Something of the game itself happened, in any phase."""

    def overdue(self, turn: Turn, kind: TimerKind) -> None:
        """A timer that this machine started has run out."""

    def award_locked(self, turn: Turn) -> None:
        """An award that the cards have nothing to do with was locked: hold the table where it is held for awards."""

    def award_done(self, turn: Turn, at_ns: int) -> None:
        """An award was paid or a meter reset: go on once none is open."""

    def resume(self, turn: Turn, at_ns: int) -> None:
        """The floorperson lets a STOPPED round go on where it stopped."""

    def wager_cancelled(self, turn: Turn, at_ns: int) -> None:
        """The floorperson has cancelled a wager about which there was a doubt."""

    def enter_card(self, turn: Turn, card: str, at_ns: int) -> None:
        """The floorperson enters what `entry` asked for."""

    def played(self, turn: Turn, at_ns: int) -> None:
        """The dealer says, in PLAYING, that the hands are played to their end: settle what waited for that."""

    def confirm_shown(self, turn: Turn, at_ns: int) -> None:
        """The dealer confirms, in CHECKING, what the display asks about."""

    def ended(self, turn: Turn) -> None:
        """The dealer clears the table."""

    # What can be asked.

    def shown(self, state: State) -> Shown:
        """What the round shows so far."""

    def wait_ns(self, kind: TimerKind) -> int:
        """How long a timer of this machine runs; after a restart it runs that long anew."""

    def entry(self, state: State) -> str | None:
        """What the floorperson may enter now, in at most 14 characters ("PLAYER CARD"); None for nothing."""

    def entry_lines(self, rules: TableRules, menu: Menu) -> tuple[Line, ...]:
        """The lines by which it is entered; empty: rank and suit of a card."""

    def offers_key(self, state: State, key: Key) -> bool:
        """Whether a key of `keys.py` that the phase has acts in this game now."""

    def fields(self, state: State) -> tuple[tuple[str, str], ...]:
        """What the reader board shows beside the meters while betting is open: name and value."""

    def title(self, state: State) -> str | None:
        """What the dealer does, in at most 20 characters; None: as in every game."""

    def choices(self, rules: TableRules, state: State) -> tuple[Line, ...]:
        """Lines of this game's own for the floorperson's menu."""

    def still_waits(self, rules: TableRules, state: State) -> bool:
        """Whether, in PLAYING, a wager waits for what the hands come to."""

    def news(self, state: State) -> tuple[str, ...]:
        """What has come so far, for the reader board; one text each."""

    def headline(self, state: State) -> str:
        """The complete round's result, in at most 20 characters."""

    def prompt(self, state: State) -> str:
        """What the dealer does next in DEALING or PLAYING, in at most 20 characters."""


MACHINES: Mapping[str, RoundMachine] = {
    **dict.fromkeys(("minibaccarat", "midibaccarat", "baccarat"), BACCARAT),
    "blackjack": BLACKJACK,
    "ultimate_texas_holdem": HOLDEM,
    "criss_cross_poker": CRISS_CROSS,
    "roulette": ROULETTE_ROUND,
}
"""By the game's name in the configuration. What is not here is settled by `tabled settle` only."""


def machine(rules: TableRules) -> RoundMachine:
    """The round machine of this table's game. `tabled check` has refused a game that has none."""
    return MACHINES[rules.game]
