"""Rounds as the journal has them: read entry by entry, apart from the core that wrote them.

Rules:
* Only effects are read, and the events' own words; the state's snapshots are not looked at. Meters are reckoned from
  seeds, contributions, reversals and resets: a second account beside the core's.
* A journal is read from its first entry on, and may be read further while the daemon writes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from firmware.app.program import codec, rules_of
from firmware.core.effects import (
    AwardLocked,
    AwardPaid,
    AwardValidated,
    AwardVoided,
    BettingClosed,
    Contributed,
    ContributionCharged,
    ContributionReversed,
    Effect,
    IrregularityNoted,
    MeterRecorded,
    MeterReset,
    RoundEnded,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    SettlementShown,
    ShoeOpened,
    SlipIssued,
    WagerAccepted,
    WagerCancelled,
    WagerRefused,
)
from firmware.core.events import Event
from firmware.core.machine_events import JournalBegun
from firmware.core.money import MICRO_PER_CENT
from firmware.core.order_data import Account
from firmware.core.order_effects import MeterCorrected, TransferredIn, TransferredOut
from firmware.core.rules import TableRules
from firmware.core.shown import Shown
from firmware.core.wagers.games import DEALT_IN_BY
from firmware.journal.reader import Reader
from firmware.journal.records import HEADER_CODEC, Entry

Stake = tuple[int, str]
"""Position and wager."""


@dataclass(slots=True)
class RoundRecord:
    """One round of play."""

    number: int
    rules: TableRules
    closed_ns: int | None = None  # the lock-out's time on the machine's clock
    closed_by: str = ""
    accepted: dict[Stake, int] = field(default_factory=dict)  # cents, in order of acceptance
    at_lock: dict[Stake, int] = field(default_factory=dict)  # the same before any cancellation
    refused: list[WagerRefused] = field(default_factory=list)
    cancelled: list[WagerCancelled] = field(default_factory=list)
    shown: Shown | None = None
    stages: dict[str, list[SettlementShown]] = field(default_factory=dict)
    meters: dict[str, int] = field(default_factory=dict)  # micro-dollars at the first settlement
    reserves: dict[str, int] = field(default_factory=dict)
    contributed: list[Contributed] = field(default_factory=list)
    reversed: list[ContributionReversed] = field(default_factory=list)
    charged: list[ContributionCharged] = field(default_factory=list)
    locked: list[AwardLocked] = field(default_factory=list)
    validated: list[int] = field(default_factory=list)
    slips: list[SlipIssued] = field(default_factory=list)
    paid: list[AwardPaid] = field(default_factory=list)
    fallen: list[int] = field(default_factory=list)  # awards voided with the round
    resets: list[MeterReset] = field(default_factory=list)
    irregularities: list[IrregularityNoted] = field(default_factory=list)
    voided: str = ""
    ended: bool = False

    def is_mystery(self, meter: str | None) -> bool:
        """Whether it is the meter of the must-hit-by bonus."""
        return self.rules.mystery is not None and meter == self.rules.mystery.meter

    @property
    def dealt_in(self) -> int:
        """Positions whose chip says that they are dealt in, and is no wager of this system."""
        return sum(wager in DEALT_IN_BY.values() for _, wager in self.at_lock)

    @property
    def wagers(self) -> int:
        """Wagers accepted at the lock-out, those cancelled later too."""
        return len(self.at_lock) - self.dealt_in

    @property
    def settlements(self) -> list[SettlementShown]:
        return [shown for stage in self.stages.values() for shown in stage]


@dataclass(slots=True)
class MeterAccount:
    """One meter as the entries add up to it, in millionths of a dollar."""

    held_micro: dict[Account, int]
    wrongly_recorded: list[str] = field(default_factory=list)

    @property
    def shown_micro(self) -> int:
        return self.held_micro[Account.SHOWN]

    @property
    def reserve_micro(self) -> int:
        return self.held_micro[Account.RESERVE]

    def add(self, account: Account, micro: int) -> None:
        self.held_micro[account] += micro

    def compare(self, what: str, recorded: dict[Account, int]) -> None:
        """Keep what an entry says of an account that these entries do not add up to."""
        for account, micro in recorded.items():
            if self.held_micro[account] != micro:
                self.wrongly_recorded.append(f"{what}: {account} is {micro}, reckoned {self.held_micro[account]}")


def _first_accounts(entry: Entry[Event, Effect], rules: TableRules) -> dict[str, MeterAccount]:
    """Seeds; in a file that continues another, what its first entry says."""
    if isinstance(entry.event, JournalBegun):
        recorded = [effect for effect in entry.effects if isinstance(effect, MeterRecorded)]
        return {r.meter: MeterAccount(_recorded(r)) for r in recorded}
    return {m.name: MeterAccount({a: m.seed_micro if a is Account.SHOWN else 0 for a in Account}) for m in rules.meters}


def _recorded(effect: MeterRecorded) -> dict[Account, int]:
    return {
        Account.SHOWN: effect.shown_micro,
        Account.RESERVE: effect.reserve_micro,
        Account.HIDDEN: effect.hidden_micro,
        Account.OVERFLOW: effect.overflow_micro,
    }


class RoundReader:
    """Follows one journal."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._codec = codec()
        self._next_seq = 1
        self._open: RoundRecord | None = None
        self._stage: list[SettlementShown] = []
        self._rules_by_segment: dict[int, TableRules] = {}
        self.meters: dict[str, MeterAccount] = {}
        self.shoes = 0
        self.unfinished: RoundRecord | None = None

    def read(self) -> Iterator[RoundRecord]:
        """Rounds that have ended since the last call, in order. Raises `JournalError`."""
        with Reader(self._path) as reader:
            for segment in reader.segments():
                if segment.number not in self._rules_by_segment:
                    self._rules_by_segment[segment.number] = rules_of(HEADER_CODEC.decode(segment.header))
            for row in reader.entries(self._next_seq):
                rules = self._rules_by_segment[row.segment]
                entry = self._codec.decode_entry(row)
                if not self.meters:
                    self.meters = _first_accounts(entry, rules)
                self._next_seq = entry.seq + 1
                for effect in entry.effects:
                    ended = self._take(effect, rules)
                    if ended is not None:
                        yield ended
        self.unfinished = self._open

    def _take(self, effect: Effect, rules: TableRules) -> RoundRecord | None:
        """The round that this effect ends."""
        self._account(effect)
        self.shoes += isinstance(effect, ShoeOpened)
        if isinstance(effect, RoundOpened):
            self._open = RoundRecord(effect.round, rules)
            return None
        record = self._open
        if record is None:
            return None
        match effect:
            case BettingClosed():
                record.closed_ns, record.closed_by = effect.at_ns, effect.by
            case WagerAccepted():
                record.accepted[effect.position, effect.wager] = effect.cents
                record.at_lock[effect.position, effect.wager] = effect.cents
            case WagerRefused():
                record.refused.append(effect)
            case WagerCancelled():
                record.cancelled.append(effect)
                del record.accepted[effect.position, effect.wager]
            case Contributed():
                record.contributed.append(effect)
            case ContributionReversed():
                record.reversed.append(effect)
            case RoundSettled():
                if not record.stages:
                    record.meters = {name: account.shown_micro for name, account in self.meters.items()}
                    record.reserves = {name: account.reserve_micro for name, account in self.meters.items()}
                record.shown = effect.shown
                self._stage = record.stages.setdefault(effect.stage, [])
            case SettlementShown():
                self._stage.append(effect)
            case ContributionCharged():
                record.charged.append(effect)
            case AwardLocked():
                record.locked.append(effect)
            case AwardValidated():
                record.validated.append(effect.award)
            case SlipIssued():
                record.slips.append(effect)
            case AwardPaid():
                record.paid.append(effect)
            case AwardVoided():
                record.fallen.append(effect.award)
            case MeterReset():
                record.resets.append(effect)
            case IrregularityNoted():
                record.irregularities.append(effect)
            case RoundVoided():
                record.voided = effect.why
            case RoundEnded():
                record.ended = True
                self._open = None
                return record
            case _:
                pass  # what was shown, and the shoe's and the table's own records
        return None

    def _account(self, effect: Effect) -> None:
        match effect:
            case Contributed():
                self.meters[effect.meter].add(Account.SHOWN, effect.shown_micro)
                self.meters[effect.meter].add(Account.RESERVE, effect.reserve_micro)
                self.meters[effect.meter].add(Account.HIDDEN, effect.hidden_micro)
                self.meters[effect.meter].add(Account.OVERFLOW, effect.overflow_micro)
            case ContributionReversed():
                self.meters[effect.meter].add(Account.SHOWN, -effect.shown_micro)
                self.meters[effect.meter].add(Account.RESERVE, -effect.reserve_micro)
                self.meters[effect.meter].add(Account.HIDDEN, -effect.hidden_micro)
                self.meters[effect.meter].add(Account.OVERFLOW, -effect.overflow_micro)
            case MeterReset():
                account = self.meters[effect.meter]
                pools = effect.from_reserve_micro + effect.from_hidden_micro + effect.from_overflow_micro
                account.add(Account.SHOWN, pools + effect.from_house_micro - effect.paid_cents * MICRO_PER_CENT)
                account.add(Account.RESERVE, -effect.from_reserve_micro)
                account.add(Account.HIDDEN, -effect.from_hidden_micro)
                account.add(Account.OVERFLOW, -effect.from_overflow_micro)
                account.compare("reset", {Account.SHOWN: effect.value_micro})
            case TransferredIn():
                self.meters[effect.meter].add(effect.account, effect.micro)
            case TransferredOut():
                self.meters[effect.meter].add(effect.account, -effect.micro)
            case MeterCorrected():
                self.meters[effect.meter].compare("corrected", {effect.account: effect.was_micro})
                self.meters[effect.meter].add(effect.account, effect.becomes_micro - effect.was_micro)
            case MeterRecorded():
                self.meters[effect.meter].compare("recorded", _recorded(effect))
            case _:
                pass  # changes no meter
