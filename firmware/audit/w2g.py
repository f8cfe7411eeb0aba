"""Which payouts are candidates for the federal form W-2G: a table of thresholds by date, as data.

Rules:
* `config/reports/w2g.toml`, shipped as package data. A payout is judged by the row of the day on which it was settled,
  by the wall clock in the table's time zone; one before the first row by the first.
* Net winnings are what goes to the patron less the wager; the odds are net winnings by wager. Both limits are the least
  that counts: a list for a person names one too many rather than one too few.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import resources
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from firmware.settings.amounts import DOLLARS_PATTERN, cents

Day = Annotated[str, Meta(pattern=r"\A[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")]
Dollars = Annotated[str, Meta(pattern=DOLLARS_PATTERN)]


class Threshold(Struct, frozen=True, forbid_unknown_fields=True):
    """One row of the file. Net winnings from `net_least` on that are `times_wager_least` times the wager or more."""

    from_: Day = msgspec.field(name="from")
    net_least: Dollars
    times_wager_least: Annotated[int, Meta(ge=1)]
    withholding_over: Dollars
    withholding_percent: Annotated[str, Meta(pattern=r"\A[0-9]{1,2}(\.[0-9])?\Z")]
    source: str

    def reports(self, net_cents: int, wager_cents: int) -> bool:
        """Whether a payout is a candidate."""
        return net_cents >= cents(self.net_least) and net_cents >= self.times_wager_least * wager_cents > 0

    def withholds(self, net_cents: int) -> bool:
        """Whether tax is to be withheld of a candidate, as far as this row says."""
        return net_cents > cents(self.withholding_over)


class _File(Struct, forbid_unknown_fields=True):
    threshold: list[Threshold]


@cache
def thresholds() -> tuple[Threshold, ...]:
    """The rows, the earliest first. Raises msgspec.ValidationError for a file that was not shipped so."""
    text = resources.files("config.reports").joinpath("w2g.toml").read_bytes()
    return tuple(sorted(msgspec.toml.decode(text, type=_File).threshold, key=lambda row: row.from_))


def on(day: str, rows: Sequence[Threshold]) -> Threshold:
    """The row that holds on an ISO day."""
    return next((row for row in reversed(rows) if row.from_ <= day), rows[0])
