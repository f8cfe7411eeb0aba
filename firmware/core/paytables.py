"""What a wager pays: paytables, their lines, seeds, limits and dates, as typed values; the figures are data files.

Rules:
* Every line, seed and paytable names its section of the regulation; what a row may pay stands in `pays.py`.
* A text of the regulation is in force from its effective date up to, and not on, its expiry date. Without a date the
  latest text in hand is taken and its expiry ignored; a text that only repeats an earlier one does not replace it for
  that, and one that only adds paytables to another section leaves that section's in force.
* Dates are ISO text ("2021-09-04"), which sorts as it should.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from msgspec import Struct

from firmware.core.cards import Rank
from firmware.core.errors import ErrorCode, SettlementError
from firmware.core.pays import Dollars, Pay, SeedAmount, ToOne, WholeMeter
from firmware.core.roulette_wheel import Wheel


class Line(Struct, frozen=True):
    """One row of a paytable. `printed` is what the row is called in the regulation; `ranks` are the ranks of cards that
    the row names where tables differ in them ("3 aces or 3 kings"), else empty."""

    name: str
    pay: Pay
    section: str
    printed: str
    ranks: frozenset[Rank] = frozenset()


class EnvyLine(Struct, frozen=True):
    """What every other wager of the kind is paid when one wins `line`: `pay` is odds on the receiver's own wager, and
    no stake comes back with it (X25, Y9)."""

    line: str
    pay: ToOne
    section: str


class Seed(Struct, frozen=True):
    """Where a meter starts and to what it returns, and which parts of a wager go to it.

    `at_least`: the amount is the least that may be filed; False: it is the amount. `increment_ppm`, `reserve_ppm`: the
    rates that the regulation prints, in parts per million of the wager; None where the Rules Submission sets them.
    `least_decks`, `most_decks`: the shoes for which the row is printed (None: any).
    """

    meter: str
    amount: SeedAmount
    section: str
    at_least: bool = False
    increment_ppm: int | None = None
    reserve_ppm: int | None = None
    least_decks: int | None = None
    most_decks: int | None = None

    def holds_for(self, decks: int | None) -> bool:
        return decks is None or (self.least_decks or 0) <= decks <= (self.most_decks or decks)


@dataclass(frozen=True, slots=True)
class Paytable:
    """The odds of one wager under one name, lines in the order in which they are printed.

    `denomination_cents`: the only stake that the table takes, or None where any stake from `least_cents` on is good.
    `least_decks`, `most_decks`: the shoes with which it may be offered (None: any); `wheels`: the wheels (empty: any).
    `sister_lines_unpaid`: lines of the other wagers of the same table that it prints as N/A (Cover All, T4).
    `by_line` and `meters` follow from the lines: each by its name, and the meters that they pay, in their order; a
    wager without a meter is not progressive.
    """

    name: str
    section: str
    lines: tuple[Line, ...]
    seeds: tuple[Seed, ...] = ()
    denomination_cents: int | None = None
    least_cents: int = 1
    least_decks: int = 1
    most_decks: int | None = None
    wheels: tuple[Wheel, ...] = ()
    envy: tuple[EnvyLine, ...] = ()
    sister_lines_unpaid: tuple[str, ...] = ()
    by_line: dict[str, Line] = field(init=False, repr=False, compare=False)
    meters: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_line", {line.name: line for line in self.lines})
        meters = dict.fromkeys(line.pay.meter for line in self.lines if isinstance(line.pay, WholeMeter))
        object.__setattr__(self, "meters", tuple(meters))
        if len(self.by_line) != len(self.lines):
            raise ValueError(f"{self.section}: paytable {self.name} has a line twice")
        if {seed.meter for seed in self.seeds} != set(self.meters):
            raise ValueError(f"{self.section}: paytable {self.name} must have one seed for each meter that a line pays")
        if self.denomination_cents is None and any(isinstance(line.pay, Dollars) for line in self.lines):
            raise ValueError(f"{self.section}: paytable {self.name} pays dollars and so needs its denomination_cents")
        if not {envy.line for envy in self.envy} <= set(self.by_line):
            raise ValueError(f"{self.section}: paytable {self.name} pays an envy bonus for a line that it has not")
        for decks in range(self.least_decks, (self.most_decks or self.least_decks) + 1):
            for meter in self.meters:
                if sum(seed.meter == meter and seed.holds_for(decks) for seed in self.seeds) != 1:
                    raise ValueError(
                        f"{self.section}: paytable {self.name} must have one seed of {meter} for {decks} decks"
                    )

    @property
    def progressive(self) -> bool:
        return bool(self.meters)

    def seed(self, meter: str, decks: int | None) -> Seed:
        """The printed seed of one of its meters, for a table with so many decks (None: a game without cards)."""
        return next(seed for seed in self.seeds if seed.meter == meter and seed.holds_for(decks))


class WagerText(Struct, frozen=True):
    """One wager as one text of the regulation has it, for one game.

    `expires` is the first day on which the text is no longer in force, None without an end. `repeats`: the section of
    the earlier text whose figures this one only repeats, else None. `adds_to`: the section whose paytables stay in
    force beside these ("an alternate paytable to the paytables outlined in ..."), in hand or not, else None.
    """

    game: str
    wager: str
    section: str
    source: str
    effective: str
    expires: str | None
    repeats: str | None
    paytables: tuple[Paytable, ...]
    adds_to: str | None = None

    def in_force(self, date: str) -> bool:
        return self.effective <= date and (self.expires is None or date < self.expires)


class MysteryRow(Struct, frozen=True):
    """One configuration of a must-hit-by bonus: amounts in cents, the rate in parts per million of the wager.

    `wager_minimum_cents`: the least progressive wager for which the row is printed, None for any (M4, M5).
    """

    name: str
    minimum_cents: int
    maximum_cents: int
    increment_ppm: int
    wager_minimum_cents: int | None = None


class MysteryText(Struct, frozen=True):
    """The must-hit-by bonus as one text of the regulation has it, for the progressive wager of one game that feeds it.
    `expires` as in `WagerText`."""

    game: str
    wager: str
    section: str
    source: str
    effective: str
    expires: str | None
    rows: tuple[MysteryRow, ...]

    def in_force(self, date: str) -> bool:
        return self.effective <= date and (self.expires is None or date < self.expires)


class Catalogue:
    """Every text in hand, found by game and wager. Immutable once made."""

    def __init__(self, texts: Iterable[WagerText], mysteries: Iterable[MysteryText] = ()) -> None:
        self.mysteries = tuple(mysteries)
        """The must-hit-by bonuses in hand."""
        self._texts: dict[tuple[str, str], tuple[WagerText, ...]] = {}
        for text in sorted(texts, key=lambda text: text.effective):
            key = (text.game, text.wager)
            self._texts[key] = (*self._texts.get(key, ()), text)
        self._latest = {
            (game, wager, paytable.name): paytable
            for game, wager in self._texts
            for paytable in self.paytables(game, wager)
        }
        self._meters: dict[str, frozenset[str]] = {}
        for text in self.texts:
            names = (meter for paytable in text.paytables for meter in paytable.meters)
            self._meters[text.game] = self._meters.get(text.game, frozenset()).union(names)

    @property
    def texts(self) -> tuple[WagerText, ...]:
        """All texts, those of one game and wager side by side, the oldest first."""
        return tuple(text for texts in self._texts.values() for text in texts)

    def meters(self, game: str) -> frozenset[str]:
        """The names of all meters that any wager of the game can pay."""
        return self._meters.get(game, frozenset())

    def text(self, game: str, wager: str, date: str | None = None) -> WagerText:
        """The text that holds for a wager on a date, or the latest one in hand.

        Raises `SettlementError`: `unknown_wager` when the game has no such wager, `unknown_paytable` when none of its
        texts is in force on `date`.
        """
        texts = self._texts.get((game, wager))
        if texts is None:
            known = ", ".join(name for of_game, name in self._texts if of_game == game)
            raise SettlementError(ErrorCode.UNKNOWN_WAGER, f"{game} has no wager {wager!r:.60}; it has {known}")
        if date is None:
            return [text for text in texts if text.repeats is None][-1]
        for text in reversed(texts):
            if text.in_force(date):
                return text
        held = "; ".join(
            f"{text.section} from {text.effective} to before {text.expires or 'further notice'}" for text in texts
        )
        raise SettlementError(
            ErrorCode.UNKNOWN_PAYTABLE,
            f"{wager}: no text in hand is in force on {date} (in hand: {held}); leave `date` out "
            "to take the latest text whether it has expired or not",
        )

    def paytables(self, game: str, wager: str, date: str | None = None) -> tuple[Paytable, ...]:
        """Every paytable under which the wager may be offered: those of the text that holds, after those of the section
        to which it only adds. Raises as `text` does.
        """
        text = self.text(game, wager, date)
        earlier = [
            one
            for one in self._texts[game, wager]
            if one.section == text.adds_to and (date is None or one.in_force(date))
        ]
        return tuple(paytable for one in (*earlier, text) for paytable in one.paytables)

    def paytable(self, game: str, wager: str, name: str, date: str | None = None) -> Paytable:
        """One paytable by its name. Raises as `text` does, and `unknown_paytable` for a name that does not exist."""
        if date is None and (latest := self._latest.get((game, wager, name))):
            return latest
        paytables = self.paytables(game, wager, date)
        for paytable in paytables:
            if paytable.name == name:
                return paytable
        raise SettlementError(
            ErrorCode.UNKNOWN_PAYTABLE,
            f"{wager}: {self.text(game, wager, date).section} has no paytable {name!r:.60}; there is "
            f"{', '.join(table.name for table in paytables)}",
        )
