"""The tables of the accounts: what each column of a day's reading holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from firmware.audit.accounts import Reading
from firmware.audit.days import Days
from firmware.audit.items import Cause, When
from firmware.audit.ledger import ACCOUNTS
from firmware.audit.tables import Column, Kind, Row, Table

RARE = ("hidden", "overflow")
"""Accounts that most meters don't have."""

METERS = Table(
    "meters",
    "Meters: reading, and every movement by its reason",
    (
        Column("meter", 0),
        Column("movement", 23),
        *(Column(account, 15, Kind.MICRO, rare=account in RARE) for account in ACCOUNTS),
        Column("number", 6, Kind.NUMBER),
    ),
    grouped=True,
)
CONTRIBUTIONS = Table(
    "contributions",
    "Contributions by meter and position",
    (
        Column("meter", 0),
        Column("wager", 26),
        Column("position", 8, Kind.NUMBER),
        Column("wagers", 7, Kind.NUMBER),
        Column("contributed", 15, Kind.MICRO),
        *(Column(f"of_that_{account}", 0, Kind.MICRO) for account in ACCOUNTS),
        Column("reversed", 14, Kind.MICRO),
        Column("kept", 14, Kind.MICRO),
    ),
    grouped=True,
)
REDUCTIONS = Table(
    "reductions",
    "Every reduction of a meter, with its reason",
    (
        Column("entry", 8, Kind.NUMBER),
        Column("time", 9, Kind.TIME),
        Column("utc_offset", 0),
        Column("clock", 0),
        Column("meter", 16),
        Column("account", 8),
        Column("lowered_by", 15, Kind.MICRO),
        Column("cause", 0),
        Column("reason", 30),
    ),
)
WAGERS = Table(
    "wagers",
    "Coin-in by wager",
    (
        Column("wager", 28),
        Column("wagers", 8, Kind.NUMBER),
        Column("coin_in", 14, Kind.CENTS),
        Column("returned", 9, Kind.NUMBER),
        Column("returned_amount", 16, Kind.CENTS),
        Column("net", 14, Kind.CENTS),
    ),
)
PAYOUTS = Table(
    "payouts",
    "Payouts by line",
    (
        Column("wager", 0),
        Column("line", 38),
        Column("hits", 6, Kind.NUMBER),
        Column("wagered", 11, Kind.CENTS),
        Column("awards", 12, Kind.CENTS),
        Column("stakes_back", 12, Kind.CENTS),
    ),
    grouped=True,
)
CANDIDATES = Table(
    "w2g",
    "Candidates for form W-2G (thresholds are data; a person decides)",
    (
        Column("entry", 8, Kind.NUMBER),
        Column("time", 9, Kind.TIME),
        Column("utc_offset", 0),
        Column("clock", 0),
        Column("round", 6, Kind.NUMBER),
        Column("position", 8, Kind.NUMBER),
        Column("wager", 0),
        Column("line", 22),
        Column("wager_amount", 0, Kind.CENTS),
        Column("gross", 0, Kind.CENTS),
        Column("net", 13, Kind.CENTS),
        Column("times_wager", 11, Kind.NUMBER),
        Column("award", 6, Kind.NUMBER),
        Column("slip", 6, Kind.NUMBER),
        Column("threshold_from", 0),
        Column("threshold_net", 0),
        Column("threshold_times", 0, Kind.NUMBER),
        Column("withholding", 0),
    ),
)
TOTALS = Table(
    "totals",
    "Totals",
    (Column("total", 70), Column("amount", 18, Kind.CENTS)),
)


def _meters(reading: Reading, days: Days) -> Iterator[Row]:
    for name, meter in reading.meters.items():
        yield (name, "opening", *(meter.opening.on(account) for account in ACCOUNTS), None)
        for cause in Cause:
            if cause in meter.moved:
                number = {Cause.CONTRIBUTION: meter.wagers, Cause.AWARD: meter.hits}.get(cause)
                yield (name, cause.value, *(meter.moved[cause].on(account) for account in ACCOUNTS), number)
        yield (name, "closing", *(meter.closing.on(account) for account in ACCOUNTS), None)


def _contributions(reading: Reading, days: Days) -> Iterator[Row]:
    for (meter, position), one in sorted(reading.contributions.items()):
        given, back = one.contributed, -one.reversed
        by_account = (given.on(account) for account in ACCOUNTS)
        yield (
            meter, one.wager, position, one.wagers, given.total_micro, *by_account, back.total_micro,
            given.total_micro - back.total_micro,
        )  # fmt: skip


def _reductions(reading: Reading, days: Days) -> Iterator[Row]:
    for one in reading.reductions:
        for account in ACCOUNTS:
            if (amount := one.moved.on(account)) < 0:
                whose = _whose(one.positions)
                yield (*_when(one.when, days), one.meter, account, -amount, one.cause.value, one.reason + whose)


def _whose(positions: tuple[int, ...]) -> str:
    if not positions:
        return ""
    return f"; position{'s' if len(positions) > 1 else ''} {', '.join(map(str, sorted(positions)))}"


def _wagers(reading: Reading, days: Days) -> Iterator[Row]:
    for wager, count in sorted(reading.wagers.items()):
        kept = count.coin_in_cents - count.returned_cents
        yield (wager, count.count, count.coin_in_cents, count.returned, count.returned_cents, kept)


def _payouts(reading: Reading, days: Days) -> Iterator[Row]:
    for wager, lines in sorted(reading.payouts.items()):
        for line, count in sorted(lines.items()):
            yield (wager, line, count.hits, count.wagered_cents, count.award_cents, count.stakes_returned_cents)


def _candidates(reading: Reading, days: Days) -> Iterator[Row]:
    for one in reading.candidates:
        row = one.threshold
        yield (
            *_when(one.when, days), one.round, one.position, one.wager, one.line, one.wager_cents, one.gross_cents,
            one.net_cents, one.net_cents // one.wager_cents, one.award, one.slip, row.from_, row.net_least,
            row.times_wager_least, f"{row.withholding_percent} percent" if one.withholding else "",
        )  # fmt: skip


def _totals(reading: Reading, days: Days) -> Iterator[Row]:
    yield ("paid by an attendant (605a.7(a)(3))", reading.attendant_paid_cents)
    yield ("of that from meters: progressive payout", reading.progressive_paid_cents)
    yield ("cumulative progressive payout since the first entry (605a.7(a)(4))", reading.cumulative_progressive_cents)
    yield ("wagers returned: cancelled, or their round was void", reading.returned_cents)
    yield ("awards that fell with a void round", reading.fallen_cents)


def _when(when: When, days: Days) -> tuple[int, str, str, str]:
    time, offset = days.clock_time(when.wall_ns)
    return when.seq, time if when.trusted else f"{time}?", offset, clock(when.trusted)


def clock(trusted: bool) -> str:
    return "trusted" if trusted else "not known to be set"


SHEETS: dict[str, tuple[Table, Callable[[Reading, Days], Iterator[Row]]]] = {
    table.name: (table, rows)
    for table, rows in (
        (METERS, _meters),
        (CONTRIBUTIONS, _contributions),
        (REDUCTIONS, _reductions),
        (WAGERS, _wagers),
        (PAYOUTS, _payouts),
        (CANDIDATES, _candidates),
        (TOTALS, _totals),
    )
}
"""Every table of the accounts by its name, with what its rows are made by."""

DAY_COLUMNS = (
    Column("gaming_day", 0),
    Column("first_entry", 0, Kind.NUMBER),
    Column("last_entry", 0, Kind.NUMBER),
    Column("day_clock", 0),
)
"""What stands before each row in CSV, where a file holds many days."""


def day_values(reading: Reading) -> tuple[str | int, ...]:
    return reading.day, reading.first.seq, reading.last.seq, clock(reading.trusted)
