"""What a wager is: one small function from what was dealt to the line that it hit.

Rules:
* The function decides by what was dealt, the table and the readings. It knows no money: what a line pays stands in the
  paytable, and a wager whose best line depends on a meter (reading R7) names every line that competes and leaves the
  choice to settlement.
* A verdict may name lines that a paytable prints as N/A, Loss or Push: settlement passes over, collects or hands back.
* A wager's stage says when its result is known. INITIAL wagers look at the first cards alone and are settled before
  any further card is dealt (627b.1(d), 627b.2(d), 627b.3(c)-(d)). Where some of its results have to wait for the end of
  the round (633b.18(g)(4)), `waits` says of which positions.
* A game is a tuple of wagers, in the order in which wagers at one position are settled, and a check of the round.

Adding a game, which changes no other game's file:
1. `firmware/core/wagers/GAME.py`: a frozen struct of what its round shows, one function a wager, the `Wager`s, the
   `check(play)` that refuses what can't have been, and the `Game`; several modules where one would pass 400 lines.
   One line in `games.py`.
2. `firmware/interfaces/outcome_GAME.py`: from the JSON `outcome` to that struct; one line in `outcomes.py`.
3. `config/paytables/CHAPTER.toml`: every table and figure; its second transcription in `tests/core/figures`.
4. `firmware/odds/GAME.py`: how its deals are counted exactly; one line in `counting.py`.
5. The readings that the functions keep to, by id, in the wagers' docstrings; `RULES.md` is made from them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Generic, NamedTuple, TypeVar

import msgspec
from msgspec import Struct

from firmware.core.cards import Card, Suit
from firmware.core.paytables import Paytable
from firmware.core.readings import RECOMMENDED, Readings
from firmware.core.roulette_wheel import Pocket, Wheel

Dealt = TypeVar("Dealt")
"""What a game's round shows: cards, spins, rolls, whatever was drawn."""

Combination = frozenset[Card]
"""A position's personal combination: a king and a nine, each of a stated suit (627b.3(e)(5), R3)."""


class Stage(StrEnum):
    """When a wager's result is known; `ALL` asks for both at once."""

    INITIAL = "initial"
    FINAL = "final"
    ALL = "all"

    def includes(self, stage: Stage) -> bool:
        return self is Stage.ALL or self is stage


class TableKey(StrEnum):
    """What may be stated of a table, by its name in the interface."""

    DECKS = "decks"
    PERSONAL_COMBINATIONS = "personal_combinations"
    DECLARED_SUIT = "declared_suit"
    WHEEL = "wheel"

    __hash__ = str.__hash__  # as of a rank


class Table(Struct, frozen=True):
    """What is fixed at the table: decks in the shoe (None: a game without cards), the combination printed before each
    position, the suit that the house declared (633b.17(g)), the wheel (None: a game without one)."""

    decks: int | None = None
    personal_combinations: Mapping[int, Combination] = msgspec.field(default_factory=dict)
    declared_suit: Suit | None = None
    wheel: Wheel | None = None


class PlacedWager(Struct, frozen=True):
    """A wager that was accepted before lock-out. `number`: the compartment that a straight wager is on, else None."""

    position: int
    wager: str
    cents: int
    number: Pocket | None = None


class Seat(NamedTuple):
    """From where a wager function looks at what was dealt. `paytable` is the one on offer; `number` as placed."""

    position: int
    table: Table
    paytable: Paytable
    readings: Readings = RECOMMENDED
    number: Pocket | None = None


class Interim(Struct, frozen=True):
    """A payment while the wager goes on working (623b.2(d)(2)). Not `paid`: what the line pays is the stake itself,
    which stays on the table (J1)."""

    line: str
    paid: bool


class Lost(Struct, frozen=True):
    """The wager lost."""

    interim: tuple[Interim, ...] = ()


class Pushed(Struct, frozen=True):
    """The stake goes back and nothing is paid. `line`: the row because of which a reading says so, None for a tie. (A
    row that prints Push is a line that was `Won`.)"""

    line: str | None = None


class Won(Struct, frozen=True):
    """The wager hit one of these lines, in the order of the paytable; it is paid by the first that the paytable has
    (X3).

    `by_amount`: the lines compete by what they are worth (R7). `odds`: the odds to 1 that the round brought, where the
    line's pay is drawn.
    """

    lines: tuple[str, ...]
    by_amount: bool = False
    odds: int | None = None
    interim: tuple[Interim, ...] = ()


class Pending(Struct, frozen=True):
    """Not decided yet: the wager stays on the table."""

    interim: tuple[Interim, ...] = ()


Verdict = Lost | Pushed | Won | Pending

LOST = Lost()
PUSHED = Pushed()
PENDING = Pending()


class Wager(Struct, Generic[Dealt], frozen=True):
    """One wager. `lines` are all lines that `judge` can name, in the order of every paytable.

    `per_position`: the verdict depends on the position; False: it is worked out once a round. `by_paytable`: `judge`
    looks at `Seat.paytable`. `needs`: what the table must state for it, beyond what its game needs. `on_number`: each
    wager is on one compartment of the wheel, and a position may have several. `interim`: it can be paid while it works.
    `waits`: of an INITIAL wager that is judged at each position, by the first cards, whether it is settled with the
    FINAL ones.
    """

    name: str
    stage: Stage
    lines: tuple[str, ...]
    judge: Callable[[Dealt, Seat], Verdict]
    per_position: bool = False
    by_paytable: bool = False
    needs: frozenset[TableKey] = frozenset()
    on_number: bool = False
    interim: bool = False
    waits: Callable[[Dealt, Seat], bool] | None = None

    def settled_in(self, stage: Stage, dealt: Dealt, seat: Seat) -> bool:
        """Whether the position's wager is settled in this stage."""
        if stage is Stage.ALL or self.waits is None:
            return stage.includes(self.stage)
        return self.waits(dealt, seat) is (stage is Stage.FINAL)


class Play(Struct, Generic[Dealt], frozen=True):
    """A whole round, as a game's own check sees it: `offered` by wager, `stage` as asked for."""

    table: Table
    dealt: Dealt
    stage: Stage
    wagers: tuple[PlacedWager, ...]
    offered: Mapping[str, Paytable]
    readings: Readings


@dataclass(frozen=True, slots=True)
class Game(Generic[Dealt]):
    """One game: its wagers in settlement order, how a round is checked, and what its table states.

    `check` raises `SettlementError` when the table could not have shown this by that stage (`bad_table`,
    `bad_outcome`, `impossible_cards`) or a wager can't stand in it (`bad_wager`). `needs`: what the table must state;
    `takes`: what it may, for the wagers that need it. `usual_decks`: taken where `decks` is not stated and not needed.
    """

    name: str
    wagers: tuple[Wager[Dealt], ...]
    check: Callable[[Play[Dealt]], None]
    needs: frozenset[TableKey] = frozenset()
    takes: frozenset[TableKey] = frozenset()
    usual_decks: int | None = None
    by_name: dict[str, tuple[int, Wager[Dealt]]] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        numbered = {wager.name: (number, wager) for number, wager in enumerate(self.wagers)}
        object.__setattr__(self, "by_name", numbered)
