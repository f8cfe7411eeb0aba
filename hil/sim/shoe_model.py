"""A card shoe as a model: what lies in it and what it says when a card is drawn. No port, no clock.

Rules:
* The shoe holds `decks` decks, shuffled by seed or put in order by script; a card leaves it once. A named card is taken
  from where it lies, so that scripts can't deal a ninth king of hearts from eight decks.
* The cutting card lies under the card number `cut_after`; it is said before the next card.
* A card drawn while the shoe is locked or in error is outside the game.
"""

from __future__ import annotations

import random

from drivers.codecs.angeleye_messages import (
    CardInGame,
    CardOutsideGame,
    CutCard,
    Error,
    ErrorCleared,
    HeldOver,
    Lock,
    Message,
    OutsideMode,
    Started,
    Target,
)
from hil.sim.control import ControlError

RANKS, SUITS = "A23456789TJQK", "SHDC"
SEQUENCE = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"  # our choice: the real range isn't published
_LEFT_BY_CUT = 14  # cards behind the cutting card unless told otherwise (our choice)


class ShoeModel:
    """One shoe. Its methods return what it says, in order."""

    def __init__(self, *, decks: int = 8, seed: int = 0, cut_after: int | None = None) -> None:
        if not 1 <= decks <= 12:
            raise ControlError(f"a shoe has 1..12 decks, got {decks}")
        self._decks = decks
        self._cards: list[str] = []
        self._drawn = 0
        self._cut_after = 0
        self._cut_said = False
        self._overdrawn: CardInGame | None = None
        self._last: CardInGame | None = None
        self._locked = False
        self._error: int | None = None
        self._sequence = 0
        self.fill(seed, cut_after)

    @property
    def left(self) -> int:
        """Cards in the shoe."""
        return len(self._cards)

    @property
    def cut_said(self) -> bool:
        return self._cut_said

    def next_seq(self) -> str:
        """The Seq of the next telegram."""
        seq = SEQUENCE[self._sequence % len(SEQUENCE)]
        self._sequence += 1
        return seq

    def fill(self, seed: int, cut_after: int | None = None) -> None:
        """A new set of cards, shuffled by `seed`. `cut_after`: cards before the cutting card; None: all but 14."""
        cards = [rank + suit for suit in SUITS for rank in RANKS] * self._decks
        cut_after = len(cards) - _LEFT_BY_CUT if cut_after is None else cut_after
        if not 0 <= cut_after <= len(cards):
            raise ControlError(f"the cutting card lies after 0..{len(cards)} cards, got {cut_after}")
        random.Random(seed).shuffle(cards)
        self._cards, self._drawn, self._cut_after, self._cut_said = cards, 0, cut_after, False
        self._last = self._overdrawn = None

    def load(self, cards: list[str]) -> None:
        """Put these cards, which must still be in the shoe, in front in this order. All or none."""
        rest = list(self._cards)
        for card in cards:
            if card not in rest:
                raise ControlError(f"{card!r} isn't left in the shoe as often as the script has it")
            rest.remove(card)
        self._cards = list(cards) + rest

    def restart(self) -> list[Message]:
        """Power on or reset."""
        self._error = None
        return [Started()]

    def draw(self, target: Target, index: int, card: str | None = None, *, read: bool = True) -> list[Message]:
        """A card is drawn: the next one, or `card`. `read` False: its face wasn't read (burned cards)."""
        if not self._cards:
            raise ControlError("the shoe is empty; fill it")
        if card is not None and card not in self._cards:
            raise ControlError(f"no {card!r} is left in the shoe")
        if target in (Target.PLAYER, Target.BANKER) and not (1 <= index <= 3 and read):
            raise ControlError(f"a card of a hand is read and has index 1..3, got {index}")
        said: list[Message] = []
        if self._drawn >= self._cut_after and not self._cut_said:
            said += self.cut()
        card = card or self._cards[0]
        self._cards.remove(card)
        self._drawn += 1
        face = card if read else None
        if self._locked or self._error is not None:
            mode = OutsideMode.LOCK if self._locked else OutsideMode.ERROR
            return [*said, CardOutsideGame(mode, face)]
        self._last = CardInGame(target, index, face)
        return [*said, self._last]

    def cut(self) -> list[Message]:
        """The cutting card comes out."""
        if self._cut_said:
            raise ControlError("the cutting card is out already")
        self._cut_said = True
        return [CutCard()]

    def fail(self, code: int, *, error_mode: bool) -> list[Message]:
        """The shoe finds an error; in error mode it waits for `clear`. An overdraw (2) keeps the card drawn last."""
        if error_mode:
            self._error = code
        if code == 2:
            self._overdrawn = self._last
        return [Error(code, error_mode)]

    def clear(self) -> list[Message]:
        """The error is cancelled; a card overdrawn is said again, for the next game."""
        if self._error is None:
            raise ControlError("there is no error to clear")
        said: list[Message] = [ErrorCleared(self._error)]
        self._error = None
        if self._overdrawn is not None:
            said += self.hold_over(Target.PLAYER, 1, self._overdrawn.card)
        return said

    def hold_over(self, target: Target, index: int, card: str | None) -> list[Message]:
        """Say a card again as the first of the next game; None: the card drawn last."""
        card = card or (self._last.card if self._last else None)
        if card is None:
            raise ControlError("no card was drawn that could be held over")
        self._overdrawn = None
        return [HeldOver(target, index, card)]

    def lock(self, locked: bool) -> list[Message]:
        """The physical key is turned."""
        self._locked = locked
        return [Lock(locked)]
