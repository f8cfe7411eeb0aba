"""Accounting counters by wager, from the audit's postings, and against those of the table's state (605a.7(a)(2)-(4)).

Rules: coin-in and returned wagers count at once; what a line won counts when its round has ended and was not void,
without envy and mystery bonuses, which are awards beside it; an attendant's payment counts when it is made.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import asdict

from firmware.audit.items import AttendantPaid, Item, Page, PaidOut, Wagered, WagerReturned
from firmware.core.settlement_data import Result


class LineTally(Struct):
    line: str
    hits: int = 0
    award_cents: int = 0


class Tally(Struct):
    """One wager's counters; field by field what a snapshot of the table's state has."""

    wager: str
    wagers: int = 0
    coin_in_cents: int = 0
    voided_wagers: int = 0
    voided_cents: int = 0
    attendant_paid_cents: int = 0
    lines: list[LineTally] = []


class Tallies:
    """Every wager's counters while the journal is read."""

    def __init__(self, opening: Iterable[Tally] = ()) -> None:
        self._by_wager = {tally.wager: tally for tally in opening}

    def count(self, items: Iterable[Item]) -> None:
        """What an entry came to."""
        for item in items:
            match item:
                case Wagered():
                    tally = self._of(item.wager)
                    tally.wagers += 1
                    tally.coin_in_cents += item.cents
                case WagerReturned():
                    tally = self._of(item.wager)
                    tally.voided_wagers += 1
                    tally.voided_cents += item.cents
                case AttendantPaid():
                    self._of(item.wager).attendant_paid_cents += item.cents
                case PaidOut(result=Result.WIN, beside=False) if item.line is not None:
                    lines = self._of(item.wager).lines
                    line = next((one for one in lines if one.line == item.line), None)
                    if line is None:
                        line = LineTally(item.line)
                        lines.append(line)
                    line.hits += 1
                    line.award_cents += item.award_cents
                case _:
                    pass

    def _of(self, wager: str) -> Tally:
        return self._by_wager.setdefault(wager, Tally(wager, lines=[]))

    def compare(self, page: Page, stated: Iterable[Tally], where: str) -> None:
        """With what the state held; the counters go on with that."""
        for found in stated:
            ours = self._of(found.wager)
            for counter, value in _figures(found).items():
                if (expected := _figures(ours).get(counter, 0)) != value:
                    page.find(f"wager {found.wager}", f"{counter} {where}", expected, value)
            for counter in _figures(ours).keys() - _figures(found).keys():
                page.find(f"wager {found.wager}", f"{counter} {where}", _figures(ours)[counter], "no such line")
            self._by_wager[found.wager] = found


def _figures(tally: Tally) -> dict[str, int]:
    """Every counter by its name, those of the lines too."""
    flat = {name: value for name, value in asdict(tally).items() if isinstance(value, int)}
    for line in tally.lines:
        flat[f"hits of {line.line}"] = line.hits
        flat[f"award_cents of {line.line}"] = line.award_cents
    return flat
