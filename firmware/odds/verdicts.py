"""How likely each verdict of a wager is: what every game's counting gives, and how it is asked.

Rules:
* Probabilities are exact fractions and sum to one; anything else is refused where it is made.
* A counting calls the wager functions that settle; it holds no second copy of a rule.
* Weights that the law leaves to the Rules Submission come as named distributions (`Distribution`), read from the
  user's file. A wager that needs one and has none is listed without probabilities, never with made-up ones.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from fractions import Fraction
from typing import Generic

from msgspec import Struct, field

from firmware.core.paytables import Paytable
from firmware.core.roulette_wheel import Wheel
from firmware.core.wagers.wager import Dealt, Game, Verdict, Wager


class Chances(Struct, frozen=True):
    """The probability of each verdict that can occur. Raises `ValueError` unless they sum to one."""

    of: Mapping[Verdict, Fraction]

    def __post_init__(self) -> None:
        total = sum(self.of.values(), Fraction())
        if total != 1:
            raise ValueError(f"the chances of all verdicts sum to {total}, not to 1")

    @staticmethod
    def counted(counts: Mapping[Verdict, int]) -> Chances:
        """From how many equally likely deals end in each verdict."""
        total = sum(counts.values())
        return Chances({verdict: Fraction(count, total) for verdict, count in counts.items()})

    @staticmethod
    def weighted(parts: Iterable[tuple[Fraction, Verdict]]) -> Chances:
        """From verdicts with their probabilities, a verdict as often as it comes."""
        sums: dict[Verdict, Fraction] = {}
        for part, verdict in parts:
            sums[verdict] = sums.get(verdict, Fraction()) + part
        return Chances(sums)


class Setup(Struct, frozen=True):
    """The shoe or the wheel with which odds are stated; None where the game has none."""

    decks: int | None = None
    wheel: Wheel | None = None

    def __str__(self) -> str:
        if self.wheel is not None:
            return f"{self.wheel.value.replace('_', ' ')} wheel"
        return f"{self.decks} deck{'s' if self.decks != 1 else ''}" if self.decks else "no cards"


class Distribution(Struct, frozen=True):
    """A distribution that the Rules Submission must state, by its name in the file.

    `values`: every value that the regulation lists, each of which must have a weight above zero; a value outside them
    is refused. `optional`: values that may have a weight and need not (a generator "may range from 2x to 100x").
    `expected`: for the message that refuses a value, what there is, where a list of the values would not say it.
    """

    name: str
    values: tuple[str, ...] = ()
    optional: Container[str] = frozenset()
    expected: str = ""


Weights = Mapping[str, Mapping[str, Fraction]]
"""The distributions that a file states: name -> value -> probability; read by `weights.py`, which checks them."""

NO_WEIGHTS: Weights = {}


class Counting(Struct, Generic[Dealt], frozen=True):
    """How the odds of one game are counted.

    `setups`: what is reported when nothing is asked for. `any_decks`: another deck count may be asked for.
    `count`: the chances of a wager under a paytable; it is called with every distribution that `needs` names for it.
    `needs`: the distributions without which a wager has no odds. `assumes`: what a reader must know of the table that
    was assumed, by the wager's name, as values that JSON can hold.
    """

    game: Game[Dealt]
    setups: tuple[Setup, ...]
    count: Callable[[Wager[Dealt], Paytable, Setup, Weights], Chances]
    any_decks: bool = False
    needs: Callable[[Wager[Dealt], Paytable], tuple[Distribution, ...]] = lambda _wager, _paytable: ()
    assumes: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
