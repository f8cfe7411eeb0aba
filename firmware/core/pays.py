"""What a row of a paytable pays, as typed values, each written as the regulation prints it.

Rules:
* The unit of pay belongs to the line, never to the wager (reading X1): "to 1" pays odds and hands the stake back,
  "for 1" and dollars are the whole award and the stake is gone, "100% of a meter" pays the meter and the stake is
  gone.
* A row need not pay: it may print Loss, Push or N/A, and those are pays of their own (`Unpaid`).
* Odds that are drawn in the round are no figure of the table: the row says which may be drawn (`DrawnToOne`), the
  wager function says which one was.
"""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct

from firmware.core.money import format_cents


class ToOne(Struct, frozen=True):
    """Odds of `numerator` to `denominator`; the stake is handed back as well."""

    numerator: int
    denominator: int

    def __str__(self) -> str:
        return f"{self.numerator} to {self.denominator}"


class ForOne(Struct, frozen=True):
    """`numerator` for each `denominator` staked, the stake included."""

    numerator: int
    denominator: int

    def __str__(self) -> str:
        return f"{self.numerator} for {self.denominator}"


class Dollars(Struct, frozen=True):
    """A fixed amount, the stake included."""

    cents: int

    def __str__(self) -> str:
        return format_cents(self.cents)


class WholeMeter(Struct, frozen=True):
    """100% of a progressive meter, shared when it is won more than once in a round. No table in hand pays a smaller
    part.
    """

    meter: str

    def __str__(self) -> str:
        return f"100% of {self.meter}"


class DrawnToOne(Struct, frozen=True):
    """Odds to one that the round itself brings: drawn by a generator, shown on a wheel, multiplied by a bonus game.

    `listed`: what the table prints, in its order. `or_more`: the one printed is the least ("no less than", 690.4(a));
    False: nothing but what is printed.
    """

    listed: tuple[int, ...]
    or_more: bool = False

    def allows(self, odds: int) -> bool:
        """Whether the row may pay `odds` to 1."""
        return odds >= min(self.listed) if self.or_more else odds in self.listed

    def __str__(self) -> str:
        if self.or_more:
            return f"{self.listed[0]} to 1 or more"
        *others, last = map(str, self.listed)
        return f"{', '.join(others)} or {last} to 1" if others else f"one of {last} to 1"


class Unpaid(StrEnum):
    """A row without a pay. `LOSS` loses although the row was hit, `PUSH` hands the stake back and is named as the
    line; `NOT_IN_TABLE` ("N/A") is as if the row were not printed: a verdict passes on to the next line it names.
    """

    LOSS = "loss"
    PUSH = "push"
    NOT_IN_TABLE = "n/a"


Paid = ToOne | ForOne | Dollars | WholeMeter
"""What a won wager is paid by, the drawn odds known."""

Pay = Paid | DrawnToOne | Unpaid
"""What a row may print."""


class TimesWager(Struct, frozen=True):
    """A seed of so many times the meter's denomination ("2,000x")."""

    times: int

    def __str__(self) -> str:
        return f"{self.times:,}x"


class TimesOrDollars(Struct, frozen=True):
    """A seed printed in dollars under a heading that says wagers (21+3's "$2000"): reading G6 chooses."""

    number: int

    def __str__(self) -> str:
        return f"${self.number:,} or {self.number:,}x"


class FromReserve(StrEnum):
    """A seed that the table prints as N/A: a won meter returns to what its reserve holds (X16)."""

    BALANCE = "n/a"


SeedAmount = Dollars | TimesWager | TimesOrDollars | FromReserve
