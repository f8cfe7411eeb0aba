"""What a wager pays: paytables, their lines, seeds and dates, as typed values; the figures themselves are data files.

Rules:
* The unit of pay belongs to the line, never to the wager (reading X1): "to 1" pays odds and hands the stake back,
  "for 1" and dollars are the whole award and the stake is gone, "100% of a meter" pays the meter and the stake is
  gone.
* Every line, seed and paytable names its section of the regulation.
* A text of the regulation is in force from its effective date up to, and not on, its expiry date. Without a date the
  latest text in hand is taken and its expiry ignored; a text that only repeats an earlier one does not replace it for
  that.
* Dates are ISO text ("2021-09-04"), which sorts as it should.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from firmware.core.errors import ErrorCode, SettlementError
from firmware.core.money import format_cents


@dataclass(frozen=True, slots=True)
class ToOne:
    """Odds of `numerator` to `denominator`; the stake is handed back as well."""

    numerator: int
    denominator: int

    def __str__(self) -> str:
        return f"{self.numerator} to {self.denominator}"


@dataclass(frozen=True, slots=True)
class ForOne:
    """`numerator` for each `denominator` staked, the stake included."""

    numerator: int
    denominator: int

    def __str__(self) -> str:
        return f"{self.numerator} for {self.denominator}"


@dataclass(frozen=True, slots=True)
class Dollars:
    """A fixed amount, the stake included."""

    cents: int

    def __str__(self) -> str:
        return format_cents(self.cents)


@dataclass(frozen=True, slots=True)
class WholeMeter:
    """100% of a progressive meter, shared when it is won more than once in a round. No table in hand pays a smaller
    part.
    """

    meter: str

    def __str__(self) -> str:
        return f"100% of {self.meter}"


Pay = ToOne | ForOne | Dollars | WholeMeter


@dataclass(frozen=True, slots=True)
class Line:
    """One row of a paytable. `printed` is what the row is called in the regulation."""

    name: str
    pay: Pay
    section: str
    printed: str


@dataclass(frozen=True, slots=True)
class Seed:
    """The least amount at which a meter may start and to which it may return, in micro-dollars."""

    meter: str
    least_micro: int
    section: str


@dataclass(frozen=True, slots=True)
class Paytable:
    """The odds of one wager under one name, lines in the order in which they are printed.

    `denomination_cents`: the only stake that the table takes, or None where any stake is good. `least_decks`: the
    fewest decks with which every line can occur. `by_line` and `meters` follow from the lines: each by its name, and
    the meters that they pay, in their order; a wager without a meter is not progressive.
    """

    name: str
    section: str
    lines: tuple[Line, ...]
    seeds: tuple[Seed, ...] = ()
    denomination_cents: int | None = None
    least_decks: int = 1
    by_line: dict[str, Line] = field(init=False, repr=False, compare=False)
    meters: tuple[str, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_line", {line.name: line for line in self.lines})
        meters = tuple(line.pay.meter for line in self.lines if isinstance(line.pay, WholeMeter))
        object.__setattr__(self, "meters", meters)
        if len(self.by_line) != len(self.lines):
            raise ValueError(f"{self.section}: paytable {self.name} has a line twice")
        if {seed.meter for seed in self.seeds} != set(self.meters):
            raise ValueError(f"{self.section}: paytable {self.name} must have one seed for each meter that a line pays")
        if self.denomination_cents is None and any(isinstance(line.pay, Dollars) for line in self.lines):
            raise ValueError(f"{self.section}: paytable {self.name} pays dollars and so needs its denomination_cents")

    @property
    def progressive(self) -> bool:
        return bool(self.meters)

    def least_seed_micro(self, meter: str) -> int:
        """The printed seed of one of its meters."""
        return next(seed.least_micro for seed in self.seeds if seed.meter == meter)


@dataclass(frozen=True, slots=True)
class WagerText:
    """One wager as one text of the regulation has it, for one game.

    `expires` is the first day on which the text is no longer in force, None without an end. `repeats`: the section of
    the earlier text whose figures this one only repeats, else None.
    """

    game: str
    wager: str
    section: str
    source: str
    effective: str
    expires: str | None
    repeats: str | None
    paytables: tuple[Paytable, ...]

    def in_force(self, date: str) -> bool:
        return self.effective <= date and (self.expires is None or date < self.expires)


class Catalogue:
    """Every text in hand, found by game and wager. Immutable once made."""

    def __init__(self, texts: Iterable[WagerText]) -> None:
        self._texts: dict[tuple[str, str], tuple[WagerText, ...]] = {}
        for text in sorted(texts, key=lambda text: text.effective):
            key = (text.game, text.wager)
            self._texts[key] = (*self._texts.get(key, ()), text)
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

    def paytable(self, game: str, wager: str, name: str, date: str | None = None) -> Paytable:
        """One paytable of the text that holds. Raises as `text` does, and `unknown_paytable` for a name it does not
        have.
        """
        text = self.text(game, wager, date)
        for paytable in text.paytables:
            if paytable.name == name:
                return paytable
        raise SettlementError(
            ErrorCode.UNKNOWN_PAYTABLE,
            f"{wager}: {text.section} has no paytable {name!r:.60}; it has "
            f"{', '.join(table.name for table in text.paytables)}",
        )
