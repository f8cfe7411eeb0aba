"""One round told from the journal alone, as a person in a dispute would ask about it.

Who had a chip where and when it came, who was lit at lock-out, what the meters said, what was configured, what the sign
showed, which faults were open, what was dealt, who was paid what and why.

Rules: the entries are stepped again and must give what was recorded; a journal that does not replay is not told.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any, assert_never

from firmware.app.program import programs
from firmware.app.tell_service import service_event, service_record
from firmware.core import identity, meters, screen
from firmware.core.draw_events import Drawn, TriggerDrawn, TriggerHit, TriggerLost, TriggerTested
from firmware.core.effects import (
    AwardLocked,
    AwardPaid,
    AwardValidated,
    AwardVerified,
    AwardVoided,
    BettingClosed,
    BoardShown,
    Confirmed,
    Contributed,
    ContributionCharged,
    ContributionReversed,
    DifferencesAccepted,
    DisplayShown,
    Draw,
    DrawTrigger,
    Effect,
    IdentityJudged,
    IrregularityNoted,
    KeyRefused,
    LampChanged,
    LampShow,
    LampsTested,
    LineCalled,
    MeterRecorded,
    MeterReset,
    MysteryResumed,
    MysteryStopped,
    RoundEnded,
    RoundOpened,
    RoundSettled,
    RoundVoided,
    SettleInputs,
    SettlementShown,
    ShoeOpened,
    SlipIssued,
    TableClosed,
    TableOpened,
    TestTrigger,
    UnsettleInputs,
    WagerAccepted,
    WagerCancelled,
    WagerRefused,
)
from firmware.core.events import (
    CardRead,
    CardScanned,
    Event,
    InputsSettled,
    KeyPressed,
    OrderGiven,
    ReaderResult,
    Started,
)
from firmware.core.faults import IRREGULARITIES
from firmware.core.machine_events import IdentityFound, WallClockStepped, WallTrustChanged
from firmware.core.money import exact_text
from firmware.core.order_data import name_of
from firmware.core.order_effects import (
    MeterCorrected,
    OrderRefused,
    OrderTaken,
    ParametersInForce,
    ParametersOrdered,
    TransferredIn,
    TransferredOut,
)
from firmware.core.rules import NS_PER_MS, TableRules
from firmware.core.service_data import (
    HardwareFound,
    LeaseAsked,
    LeaseEnded,
    LeaseGiven,
    LeaseOver,
    LeaseRefused,
)
from firmware.core.settlement_data import PaidBy
from firmware.core.slips import number_text
from firmware.core.state import Service, State, initial_state
from firmware.core.step import step
from firmware.journal.reader import Reader, Round
from firmware.journal.records import HEADER_CODEC, Entry, SegmentHeader, SegmentRow
from firmware.journal.replay import Program, ReplayDiffers


def tell(reader: Reader, found: Round) -> Iterable[str]:
    """The round, line by line. Raises ReplayDiffers, UnknownRules."""
    segments = {row.number: row for row in reader.segments()}
    teller: _Teller | None = None
    for row in reader.entries(found.first_seq, found.last_seq):
        segment = segments[row.segment]
        if teller is None:
            teller = _Teller(segment, _state_before(reader, segment, found.first_seq))
            yield from teller.head(found)
        elif teller.segment.number != row.segment:
            teller = _Teller(segment, teller.state)
            yield f"--- the daemon started again: segment {row.segment}, firmware {teller.header.firmware_version}"
        entry: Entry[Event, Effect] = teller.program.codec.decode_entry(row)
        yield from teller.entry(entry)


def _state_before(reader: Reader, segment: SegmentRow, seq: int) -> State:
    """The state before entry `seq`: the snapshot of the round before, or stepped from the segment's beginning."""
    program: Program[Any, State, Event, Effect] = programs(HEADER_CODEC.decode(segment.header))
    text = reader.snapshot(segment.number, seq - 1)
    if text is not None:
        return program.codec.states.decode(text)
    rules = program.rules(HEADER_CODEC.decode(segment.header))
    opening = reader.snapshot(segment.number, segment.first_seq - 1)
    state = initial_state(rules) if opening is None else program.codec.states.decode(opening)
    for row in reader.entries(segment.first_seq, seq - 1):
        state, _ = step(rules, state, program.codec.decode_entry(row).event)
    return state


class _Teller:
    """Steps the entries of one segment and words them."""

    def __init__(self, segment: SegmentRow, state: State) -> None:
        self.segment = segment
        self.header: SegmentHeader = HEADER_CODEC.decode(segment.header)
        self.program = programs(self.header)
        self.rules: TableRules = self.program.rules(self.header)
        self.state = state
        self._press_ns: int | None = None

    def head(self, found: Round) -> Iterator[str]:
        rules, header = self.rules, self.header
        yield f"Round {found.number} at table {rules.table_id}: {rules.game}, {rules.decks} decks, {header.profile}"
        yield f"  entries {found.first_seq} to {found.last_seq}"
        yield f"  firmware {header.firmware_version}, code {header.code_hash[:16]}"
        yield f"  configuration {header.configuration_hash[:16]}; wagers offered: " + ", ".join(
            f"{o.wager} ({o.paytable})" for o in rules.offers
        )
        for rule in rules.meters:
            seed = meters.text(rule.seed_micro)
            rates = f"increment {rule.increment_ppm} ppm, reserve {rule.reserve_ppm} ppm"
            yield f"  meter {rule.name}: seed {seed}, {rates}"
        if rules.mystery is not None:
            bonus = rules.mystery
            yield (
                f"  mystery bonus: configuration {bonus.configuration} of {bonus.section}, fed by {bonus.wager}, must "
                f"be hit by {meters.text(bonus.must_hit_by_micro)}, paid by {bonus.paid_by}"
            )
        combinations = ", ".join(f"{c.position} {c.king} {c.nine}" for c in rules.combinations)
        yield f"  personal combinations: {combinations or 'none'}"
        yield from self._standing("before this round")

    def entry(self, entry: Entry[Event, Effect]) -> Iterator[str]:
        state, effects = step(self.rules, self.state, entry.event)
        if effects != entry.effects:
            raise ReplayDiffers(f"entry {entry.seq}: these rules do not give the recorded effects; run journal replay")
        self.state = state
        lines = [*self._event(entry.event), *(line for e in effects for line in self._effect(e))]
        stamp = f"{_wall(entry.wall_ns)}{'' if state.wall_trusted else '?'}"
        for index, line in enumerate(lines):
            yield f"{stamp if not index else ' ' * len(stamp)}  {line}"

    def _standing(self, when: str) -> Iterator[str]:
        """Meters, lamps, sign, faults: what stood there at an instant."""
        state = self.state
        sign = screen.board(self.rules, state)
        yield f"  {when}:"
        yield "    meters: " + ", ".join(f"{m.name} {exact_text(m.shown_micro)}" for m in state.meters)
        lit = [f"{x.position}/{x.wager} {x.show}" for x in screen.lamps(state) if x.show is not LampShow.OFF]
        yield f"    lamps lit: {', '.join(lit) or 'none'}"
        yield f"    sign: {_sign(sign)}"
        faults = [f"{d.device} down ({d.reason})" for d in state.down]
        faults += [f"{n.kind} {n.detail}".strip() for n in state.noted]
        faults += [f"spot {s.position}/{s.wager} {s.service}" for s in state.spots if s.service is not Service.IN]
        yield f"    faults open: {', '.join(faults) or 'none'}"

    def _event(self, event: Event) -> Iterator[str]:
        match event:
            case KeyPressed():
                yield f"key {event.key.upper()}"
            case CardRead():
                yield f"card {event.card or 'unreadable'} to {event.hand} {event.index} (telegram {event.raw})"
            case CardScanned():
                yield f"card {event.card} scanned (bytes {event.raw})"
            case ReaderResult():
                yield f"reader's own result: {event.winner}"
            case InputsSettled():
                late_ms = event.worst_lateness_ns / NS_PER_MS
                yield f"decision window over; the latest edge came {late_ms:.1f} ms after its time"
            case Started():
                yield "the daemon started"
            case IdentityFound():
                found = event.found
                yield (
                    f"software {found.version}, code {found.code[:16]}, configuration {found.configuration[:16]}; "
                    f"manifest {event.manifest.state}"
                )
            case WallClockStepped():
                yield f"THE WALL CLOCK WAS SET, by {event.by_ns / 1e9:+.3f} s: times before and after do not compare"
            case WallTrustChanged():
                yield f"the wall clock is {'' if event.trusted else 'no longer '}synchronized"
            case Drawn():
                yield f"draw {event.draw} gave {', '.join(event.values)}"
            case TriggerDrawn():
                yield f"trigger {event.draw} of {event.meter} drawn and sealed; committed to as {event.commitment}"
            case TriggerTested():
                yield f"trigger {event.draw} of {event.meter}: not passed at {exact_text(event.to_micro)}"
            case TriggerHit():
                yield (
                    f"trigger {event.draw} of {event.meter}: {exact_text(event.trigger_micro)}, passed by contribution "
                    f"{event.index + 1} of those asked about"
                )
            case TriggerLost():
                yield f"trigger {event.draw} of {event.meter} can't be read: {event.reason}"
            case LeaseAsked() | LeaseEnded() | HardwareFound():
                yield service_event(event)
            case OrderGiven():
                given = event.approval
                yield f"order {name_of(event.order)} by {given.first} and {given.second}: {given.reason}"
            case _:
                pass

    def _effect(self, effect: Effect) -> Iterator[str]:
        match effect:
            case RoundOpened():
                yield "betting is open"
                yield from self._standing("as it opened")
            case BettingClosed():
                self._press_ns = effect.at_ns
                yield f"BETTING CLOSED by {effect.by}"
                yield from self._standing("at lock-out")
            case WagerAccepted():
                amount = meters.cents_text(effect.cents)
                sensed = self._before_press(effect.at_ns)
                yield f"accepted: position {effect.position} {effect.wager} {amount}, chip sensed {sensed}"
            case WagerRefused():
                yield f"NOT accepted: position {effect.position} {effect.wager}: {effect.why}"
            case WagerCancelled():
                yield f"cancelled: position {effect.position} {effect.wager}: {effect.why}"
            case Contributed():
                yield (
                    f"  to {effect.meter} from position {effect.position}: {effect.shown_micro} micro-dollars shown, "
                    f"{effect.reserve_micro} reserve{_more(effect)}"
                )
            case ContributionReversed():
                back = f"{effect.shown_micro} + {effect.reserve_micro} micro-dollars{_more(effect)}"
                yield f"  back from {effect.meter}, position {effect.position}: {back}"
            case ContributionCharged():
                yield (
                    f"  back from the house, position {effect.position}: {effect.micro} micro-dollars that had been "
                    f"won from {effect.meter}"
                )
            case MysteryStopped():
                yield f"  {effect.meter} STOPPED, trigger {effect.draw}: {effect.reason}"
            case MysteryResumed():
                yield f"  {effect.meter} goes on with the same trigger {effect.draw}"
            case Draw():
                yield f"  asked for draw {effect.draw}: {effect.purpose}"
            case DrawTrigger():
                least, below = exact_text(effect.least_micro), exact_text(effect.below_micro)
                yield f"  asked for trigger {effect.draw} of {effect.meter}, from {least} to below {below}"
            case TestTrigger():
                yield (
                    f"  asked whether {len(effect.steps)} contributions lift {effect.meter} from "
                    f"{exact_text(effect.from_micro)} above trigger {effect.draw}"
                )
            case RoundSettled():
                rows = ", ".join(f"{name} {' '.join(what)}" for name, what in effect.shown.rows())
                yield f"settled ({effect.stage}): {rows}"
            case SettlementShown():
                stake = meters.cents_text(effect.stake_returned_cents)
                paid = f"{meters.cents_text(effect.award_cents)} and stake {stake}"
                line = f" by {effect.line}" if effect.line else ""
                source = f" from meter {effect.meter}" if effect.meter else ""
                yield f"  position {effect.position} {effect.wager}: {effect.result}{line}, {paid}{source}"
            case LineCalled():
                yield f"  called: {effect.wager} hit {effect.line}"
            case AwardLocked():
                amount = meters.cents_text(effect.cents)
                meter = f" from meter {effect.meter}" if effect.meter else ""
                owed = f", owed for position {effect.because_of}'s hand" if effect.because_of is not None else ""
                how = f"to be paid {_paid_by(effect.paid_by)} ({effect.section})"
                yield f"AWARD {effect.award}: position {effect.position} {effect.line} {amount}{meter}{owed}, {how}"
            case AwardVerified():
                yield f"award {effect.award}: hand and lamp verified by the dealer"
            case AwardValidated():
                yield f"award {effect.award} validated by the floorperson"
            case SlipIssued():
                amount = meters.cents_text(effect.cents)
                yield f"award {effect.award}: SLIP {number_text(effect.slip)} issued, {amount}; the cards must stay"
            case AwardPaid():
                slip = f" {number_text(effect.slip)}, documentation complete" if effect.slip is not None else ""
                yield f"award {effect.award} paid {_paid_by(effect.paid_by)}{slip}"
            case AwardVoided():
                yield f"award {effect.award} falls with the round"
            case MeterReset():
                yield (
                    f"meter {effect.meter} reset by key: paid {meters.cents_text(effect.paid_cents)}, now "
                    f"{meters.text(effect.value_micro)} ({effect.from_reserve_micro} micro-dollars from the reserve, "
                    f"{effect.from_hidden_micro} hidden, {effect.from_overflow_micro} overflow, "
                    f"{effect.from_house_micro} from the house)"
                )
            case MeterRecorded():
                shown, reserve = exact_text(effect.shown_micro), exact_text(effect.reserve_micro)
                pools = f"hidden {exact_text(effect.hidden_micro)}, overflow {exact_text(effect.overflow_micro)}"
                yield f"  meter {effect.meter}: {shown}, reserve {reserve}, {pools}"
            case IrregularityNoted():
                row = IRREGULARITIES[effect.kind]
                where = f" at position {effect.position}" if effect.position is not None else ""
                yield f"IRREGULARITY {effect.kind}{where}: {row.meaning} {effect.detail}".rstrip()
            case RoundVoided():
                yield f"ROUND VOID ({effect.why}): wagers returned"
            case RoundEnded():
                yield "table cleared; the round ends"
                yield from self._standing("as it ended")
            case ShoeOpened():
                yield f"shoe {effect.shoe} opened by {effect.by}"
            case TableOpened() | TableClosed():
                yield f"table {'opened' if isinstance(effect, TableOpened) else 'closed'}"
            case LampsTested():
                yield f"lamp test: the dealer sees {'every lamp lit' if effect.seen else 'a DARK lamp'}"
            case KeyRefused():
                yield f"  without effect: {effect.key}: {effect.why}"
            case OrderTaken():
                yield f"  order {effect.order} carried out"
            case OrderRefused():
                yield f"  order {effect.order} REFUSED: {effect.why}"
            case MeterCorrected():
                was, now = exact_text(effect.was_micro), exact_text(effect.becomes_micro)
                yield f"  meter {effect.meter}: {effect.account} corrected from {was} to {now}"
            case TransferredOut():
                yield f"  {exact_text(effect.micro)} from {effect.meter} {effect.account} to {effect.other}"
            case TransferredIn():
                yield f"  {exact_text(effect.micro)} to {effect.meter} {effect.account} from {effect.other}"
            case ParametersOrdered():
                yield f"  for the next start: {effect.meter}"
            case ParametersInForce():
                yield f"  ordered parameters are in force: {effect.meter}"
            case Confirmed():
                yield f"  {effect.effect} of entry {effect.seq} has been shown"
            case BoardShown():
                yield f"  sign: {_sign(effect)}"
            case DisplayShown():
                yield f"  display: {' | '.join(line.strip() for line in effect.lines)}"
            case LampChanged():
                yield f"  lamp {effect.position}/{effect.wager}: {effect.show}"
            case IdentityJudged():
                yield from (f"  DIFFERS, {identity.text(d)}" for d in effect.open)
                yield from (f"  differs, accepted before, {identity.text(d)}" for d in effect.accepted)
            case DifferencesAccepted():
                yield from (f"  accepted by two persons, {identity.text(d)}" for d in effect.differences)
            case LeaseGiven() | LeaseRefused() | LeaseOver():
                yield service_record(effect)
            case SettleInputs() | UnsettleInputs():
                pass

    def _before_press(self, at_ns: int) -> str:
        if self._press_ns is None:
            return f"at {at_ns} ns"
        return f"{(self._press_ns - at_ns) / NS_PER_MS:.3f} ms before lock-out"


def _more(effect: Contributed | ContributionReversed) -> str:
    """The pools that few meters have."""
    pools = (("hidden", effect.hidden_micro), ("overflow", effect.overflow_micro))
    return "".join(f", {micro} {name}" for name, micro in pools if micro)


def _paid_by(how: PaidBy) -> str:
    match how:
        case PaidBy.TABLE_INVENTORY:
            return "from the table inventory"
        case PaidBy.SLIP:
            return "by slip"
        case _:
            assert_never(how)


def _sign(board: BoardShown) -> str:
    fields = "; ".join(f"{name} {value}" for name, value in board.fields)
    return board.message or f"{board.title}{': ' if fields else ''}{fields}"


def _wall(wall_ns: int) -> str:
    return datetime.fromtimestamp(wall_ns // NS_PER_MS / 1_000, UTC).strftime("%H:%M:%S.%f")[:-3]
