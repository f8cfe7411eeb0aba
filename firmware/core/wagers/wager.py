"""What a wager is: one small function from what was dealt to the line that it hit.

Rules:
* The function decides by cards and table only. It knows no money: what a line pays stands in the paytable, and a
  wager whose best line depends on a meter (reading R7) names every line that competes and leaves the choice to
  settlement.
* A wager's stage says when its result is known. INITIAL wagers look at the first four cards alone and are settled
  before any third card is dealt (627b.1(d), 627b.2(d), 627b.3(c)-(d)).
* `per_position` is False for a wager whose verdict is the same at every position; it is then worked out once a round.
* A game is a tuple of wagers, in the order in which wagers at one position are settled, and a check of what was dealt.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, TypeVar

from firmware.core.cards import Card
from firmware.core.readings import RECOMMENDED, Readings

Dealt = TypeVar("Dealt")
"""What a game's round shows: for the baccarat games the two hands."""

Combination = frozenset[Card]
"""A position's personal combination: a king and a nine, each of a stated suit (627b.3(e)(5), R3)."""


class Stage(StrEnum):
    """When a wager's result is known; `ALL` asks for both at once."""

    INITIAL = "initial"
    FINAL = "final"
    ALL = "all"

    def includes(self, stage: Stage) -> bool:
        return self is Stage.ALL or self is stage


@dataclass(frozen=True, slots=True)
class Table:
    """What is fixed at the table: decks in the shoe, and the combination printed before each position."""

    decks: int
    personal_combinations: Mapping[int, Combination] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Seat:
    """From where a wager function looks at what was dealt."""

    position: int
    table: Table
    readings: Readings = RECOMMENDED


@dataclass(frozen=True, slots=True)
class Lost:
    """The wager lost."""


@dataclass(frozen=True, slots=True)
class Pushed:
    """The stake goes back and nothing is paid. `line` names the row that says so, None where a tie does."""

    line: str | None = None


@dataclass(frozen=True, slots=True)
class Won:
    """The wager won on one of these lines, in the order of the paytable. There is more than one only where their
    amounts decide (R7)."""

    lines: tuple[str, ...]


Verdict = Lost | Pushed | Won

LOST = Lost()
PUSHED = Pushed()


@dataclass(frozen=True, slots=True)
class Wager(Generic[Dealt]):
    """One wager. `lines` are all lines that `judge` can name."""

    name: str
    stage: Stage
    lines: tuple[str, ...]
    judge: Callable[[Dealt, Seat], Verdict]
    per_position: bool = False
    needs_combination: bool = False


@dataclass(frozen=True, slots=True)
class Game(Generic[Dealt]):
    """One game: its wagers in settlement order, and how what was dealt is checked.

    `check` raises `SettlementError` when the table could not have dealt this by that stage.
    """

    name: str
    wagers: tuple[Wager[Dealt], ...]
    check: Callable[[Table, Dealt, Stage], None]
    by_name: dict[str, tuple[int, Wager[Dealt]]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        numbered = {wager.name: (number, wager) for number, wager in enumerate(self.wagers)}
        object.__setattr__(self, "by_name", numbered)
