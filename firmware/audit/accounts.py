"""Accounts of a journal by gaming day: what an accountant reads off the table.

Rules:
* Made of the audit's postings, so a figure here is one that the audit has compared; the order is that of the entries.
* A reading covers one run of entries of one gaming day. Where the clock was stepped back over a day's boundary a day
  has two readings; `trusted` says whether the clock was known to be set throughout.
* What a wager was paid is booked when its round ends, since until then the round can be void; what moves a meter is
  booked where it moves.
* Memory holds one day, whatever the journal's length. Opening + movements = closing, for every meter and account.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct, field
from msgspec.structs import replace

from firmware.audit import w2g
from firmware.audit.days import Days
from firmware.audit.items import (
    AttendantPaid,
    AwardFell,
    Cause,
    Compared,
    Finding,
    MeterMoved,
    MeterOpened,
    PaidOut,
    Posting,
    Wagered,
    WagerReturned,
    When,
)
from firmware.audit.ledger import ACCOUNTS, MICRO_OF_A_CENT, NOTHING, Amounts
from firmware.audit.walk import Found
from firmware.core.settlement_data import Result


class MeterReading(Struct):
    """A meter over a day. `moved`: by cause, in the order of `Cause`; only causes that moved it."""

    opening: Amounts
    closing: Amounts
    moved: dict[Cause, Amounts] = field(default_factory=dict)
    wagers: int = 0  # contributions
    hits: int = 0  # resets; several winners of one meter share one
    paid_micro: int = 0  # cumulative, since the meter's first value


class Contribution(Struct):
    """What one position's wagers put into one meter over a day."""

    wager: str
    wagers: int = 0
    contributed: Amounts = NOTHING
    reversed: Amounts = NOTHING


class Reduction(Struct, frozen=True):
    """What lowered an account of a meter in one entry, and why. `positions`: whose wagers were reversed."""

    when: When
    meter: str
    cause: Cause
    moved: Amounts
    reason: str
    positions: tuple[int, ...] = ()


class WagerCount(Struct):
    """One kind of wager over a day."""

    count: int = 0
    coin_in_cents: int = 0
    returned: int = 0  # cancelled, or of a void round
    returned_cents: int = 0


class PayoutCount(Struct):
    """One line of one wager's paytable over a day."""

    hits: int = 0
    wagered_cents: int = 0
    award_cents: int = 0  # on top of the stakes handed back
    stakes_returned_cents: int = 0


class Candidate(Struct, frozen=True):
    """A payout that may have to be reported on form W-2G."""

    when: When
    round: int
    position: int
    wager: str
    line: str
    wager_cents: int
    gross_cents: int  # award and stake handed back
    net_cents: int
    award: int | None  # the attendant's, if one was validated
    slip: int | None
    withholding: bool
    threshold: w2g.Threshold


class Reading(Struct):
    """One gaming day, or the run of it that stands together."""

    day: str
    first: When
    last: When
    trusted: bool
    meters: dict[str, MeterReading]
    contributions: dict[tuple[str, int], Contribution] = field(default_factory=dict)  # by meter and position
    reductions: list[Reduction] = field(default_factory=list)
    wagers: dict[str, WagerCount] = field(default_factory=dict)
    payouts: dict[str, dict[str, PayoutCount]] = field(default_factory=dict)  # by wager, and by line
    candidates: list[Candidate] = field(default_factory=list)
    attendant_paid_cents: int = 0  # awards that the floorperson validated, 605a.7(a)(3)
    progressive_paid_cents: int = 0  # of them, from meters, 605a.7(a)(4)
    cumulative_progressive_cents: int = 0  # the same since the first entry (or the file before this one)
    fallen_cents: int = 0  # awards that fell with a void round

    @property
    def returned_cents(self) -> int:
        """Wagers given back."""
        return sum(count.returned_cents for count in self.wagers.values())


def readings(
    items: Iterable[Found], days: Days, thresholds: Sequence[w2g.Threshold], *, listing: bool = True
) -> Iterator[Reading | Found]:
    """The days in the order of the entries, each when it is complete; and the findings, as they come.

    Without `listing` what grows with the number of entries (reductions, candidates) is left out.
    """
    accounts = _Accounts(days, thresholds, listing)
    for found in items:
        when, item = found
        if isinstance(item, Finding):
            yield found
        if isinstance(item, Finding | Compared):
            continue
        complete = accounts.turn_to(when)
        if complete is not None:
            yield complete
        accounts.book(when, item)
    if accounts.reading is not None:
        yield accounts.close(accounts.reading)


class _Accounts:
    """The day that is being booked, and what the meters hold."""

    def __init__(self, days: Days, thresholds: Sequence[w2g.Threshold], listing: bool) -> None:
        self._days = days
        self._listing = listing
        self._thresholds = thresholds
        self._held: dict[str, Amounts] = {}
        self._paid_micro: dict[str, int] = {}
        self._cumulative_cents = 0
        self.reading: Reading | None = None

    def turn_to(self, when: When) -> Reading | None:
        """Begin the day of `when`; the one before it, if that is another and complete."""
        day = self._days.day(when.wall_ns)
        complete = None
        if self.reading is not None and self.reading.day != day:
            complete = self.close(self.reading)
        if self.reading is None:
            opened = {meter: MeterReading(held, held) for meter, held in self._held.items()}
            self.reading = Reading(day, when, when, when.trusted, opened)
        self.reading.last = when
        self.reading.trusted &= when.trusted
        return complete

    def close(self, reading: Reading) -> Reading:
        for meter, one in reading.meters.items():
            one.closing = self._held[meter]
            one.paid_micro = self._paid_micro[meter]
        reading.cumulative_progressive_cents = self._cumulative_cents
        self.reading = None
        return reading

    def book(self, when: When, posting: Posting) -> None:
        """Enter one posting into the open day."""
        reading = self.reading
        assert reading is not None, "turn_to begins a day"
        match posting:
            case MeterOpened():
                self._held[posting.meter] = posting.held
                self._paid_micro[posting.meter] = posting.paid_micro
                self._cumulative_cents += posting.paid_micro // MICRO_OF_A_CENT
                reading.meters[posting.meter] = MeterReading(posting.held, posting.held)
            case MeterMoved():
                self._move(when, reading, posting)
            case Wagered():
                count = reading.wagers.setdefault(posting.wager, WagerCount())
                count.count += 1
                count.coin_in_cents += posting.cents
            case WagerReturned():
                count = reading.wagers.setdefault(posting.wager, WagerCount())
                count.returned += 1
                count.returned_cents += posting.cents
            case PaidOut():
                self._pay_out(reading, posting)
            case AttendantPaid():
                reading.attendant_paid_cents += posting.cents
                if posting.meter is not None:
                    reading.progressive_paid_cents += posting.cents
                    self._cumulative_cents += posting.cents
            case AwardFell():
                reading.fallen_cents += posting.cents

    def _move(self, when: When, reading: Reading, posting: MeterMoved) -> None:
        meter = reading.meters[posting.meter]
        meter.moved[posting.cause] = meter.moved.get(posting.cause, NOTHING) + posting.moved
        if posting.position:
            self._contribute(reading, posting)
        self._held[posting.meter] += posting.moved
        if posting.cause is Cause.AWARD:
            meter.hits += 1
            self._paid_micro[posting.meter] -= posting.moved.total_micro
        if self._listing and any(posting.moved.on(account) < 0 for account in ACCOUNTS):
            self._reduce(when, reading, posting)

    def _reduce(self, when: When, reading: Reading, posting: MeterMoved) -> None:
        """One line for all reversals of a meter in an entry."""
        positions = (posting.position,) if posting.position else ()
        new = Reduction(when, posting.meter, posting.cause, posting.moved, posting.reason, positions)
        for index in range(len(reading.reductions) - 1, -1, -1):
            old = reading.reductions[index]
            if old.when.seq != when.seq:
                break
            if (old.meter, old.cause, old.reason) == (new.meter, new.cause, new.reason):
                reading.reductions[index] = replace(
                    old, moved=old.moved + new.moved, positions=old.positions + new.positions
                )
                return
        reading.reductions.append(new)

    def _contribute(self, reading: Reading, posting: MeterMoved) -> None:
        place = (posting.meter, posting.position)
        by_place = reading.contributions.setdefault(place, Contribution(posting.wager))
        if posting.cause is Cause.CONTRIBUTION:
            reading.meters[posting.meter].wagers += 1
            by_place.wagers += 1
            by_place.contributed += posting.moved
        else:
            by_place.reversed += posting.moved

    def _pay_out(self, reading: Reading, posting: PaidOut) -> None:
        if posting.result is not Result.LOSE:
            line = posting.line or posting.result.value
            payout = reading.payouts.setdefault(posting.wager, {}).setdefault(line, PayoutCount())
            payout.hits += 1
            payout.wagered_cents += 0 if posting.beside else posting.stake_cents
            payout.award_cents += posting.award_cents
            payout.stakes_returned_cents += posting.returned_cents
        gross_cents = posting.award_cents + posting.returned_cents
        net_cents = gross_cents - (0 if posting.beside else posting.stake_cents)
        if not self._listing or net_cents <= 0:
            return
        row = w2g.on(self._days.calendar_day(posting.settled.wall_ns), self._thresholds)
        if row.reports(net_cents, posting.stake_cents):
            reading.candidates.append(
                Candidate(
                    posting.settled, posting.round, posting.position, posting.wager, posting.line or "",
                    posting.stake_cents, gross_cents, net_cents, posting.award, posting.slip,
                    row.withholds(net_cents), row,
                )
            )  # fmt: skip
