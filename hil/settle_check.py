"""Every round of a journal settled once more by `tabled settle`, as a process of its own, and compared.

Rules:
* What goes in: the wagers that stood, the cards, and meters and reserves as the journal's entries add up to them at the
  first settlement. What must come out: every `SettlementShown` of the round, field by field and, within a stage, in the
  same order; and every meter reset to what `settle` says of it.
* A voided round is not settled: every one of its contributions must have been reversed, exactly, or given back by the
  house where a mystery hit had taken it, and no award of the cards may stand.
* A mystery bonus is no matter of `settle`: whether it was won rightly, `summary` asks of the draws.
* A difference is a sentence that names the round. None means all is as it should be.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from firmware.core.effects import Contributed, ContributionReversed, SettlementShown
from firmware.core.money import format_meter
from firmware.core.readings import ALLOWED
from firmware.core.settlement_data import PaidBy, Result
from hil.round_records import RoundRecord

TIME_LIMIT_S = 600
Settle = Callable[[Path], tuple[int, bytes]]
"""`tabled settle` on a file of rounds, as `tabled_settle` runs it."""


class SettleReport(Struct, frozen=True):
    """What was compared, and every difference found."""

    rounds: int
    settlements: int
    differences: tuple[str, ...]


class _Settlement(msgspec.Struct, frozen=True):
    position: int
    wager: str
    result: Result
    line: str | None
    award_cents: int
    stake_returned_cents: int
    meter: str | None


class _Error(msgspec.Struct, frozen=True):
    code: str
    message: str


class _Answer(msgspec.Struct, frozen=True):
    """What of a settled line is compared."""

    id: str | None
    settlements: tuple[_Settlement, ...] = ()
    meters_after: dict[str, str] = {}
    error: _Error | None = None


def check(records: Sequence[RoundRecord], settle: Settle | None = None) -> SettleReport:
    """Compare finished rounds. Raises OSError and RuntimeError if `tabled settle` can't be run."""
    differences: list[str] = []
    settled = [record for record in records if record.stages and not record.voided]
    answers = _settle([settle_input(record) for record in settled], settle or tabled_settle)
    for record, answer in zip(settled, answers, strict=True):
        differences += [f"round {record.number}: {what}" for what in _compare(record, answer)]
    for record in records:
        if record.voided:
            differences += [f"round {record.number}, void: {what}" for what in _compare_void(record)]
        elif not record.stages and _own(record):
            differences.append(f"round {record.number}: ended with {len(_own(record))} wagers and no settlement")
        differences += [f"round {record.number}: {what}" for what in _compare_cancelled(record)]
    return SettleReport(len(settled), sum(len(r.settlements) for r in settled), tuple(differences))


def settle_input(record: RoundRecord) -> dict[str, object]:
    """A settled round as a line of `tabled settle`."""
    rules, shown = record.rules, record.shown
    if shown is None:
        raise ValueError(f"round {record.number} was not settled")
    meters = {meter.name: meter for meter in rules.paytable_meters()}
    table: dict[str, object] = {"decks": rules.decks} if rules.has_shoe else {"wheel": rules.wheel}
    if rules.combinations:  # a game that knows none refuses the key
        table["personal_combinations"] = {str(c.position): [c.king, c.nine] for c in rules.combinations}
    if rules.declared_suit:
        table["declared_suit"] = rules.declared_suit
    return {
        "id": str(record.number),
        "game": rules.game,
        "table": table,
        "offered": {offer.wager: {"paytable": offer.paytable} for offer in rules.offers},
        "meters": {name: format_meter(record.meters[name]) for name in meters},
        "seeds": {n: format_meter(m.reseed_micro) for n, m in meters.items() if m.reseed_micro is not None},
        "reserves": {name: format_meter(record.reserves[name]) for name in meters},
        "readings": {r.id: r.value for r in rules.readings if r.id in ALLOWED},
        "wagers": [{"position": p, "wager": w, "cents": cents} for (p, w), cents in _own(record).items()],
        "outcome": shown.outcome(),
    }


def _own(record: RoundRecord) -> dict[tuple[int, str], int]:
    """The wagers that are settled, without those that only say who is dealt in."""
    return {place: cents for place, cents in record.accepted.items() if record.rules.is_own(place[1])}


def tabled_settle(file: Path) -> tuple[int, bytes]:
    """The command on a file of rounds: its exit status and its answer."""
    process = subprocess.run(
        [sys.executable, "-m", "firmware.cli", "settle", str(file)],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=TIME_LIMIT_S, check=False,
    )  # fmt: skip
    return process.returncode, process.stdout


def _settle(lines: Sequence[Mapping[str, object]], settle: Settle) -> list[_Answer]:
    if not lines:
        return []
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.writelines(json.dumps(line) + "\n" for line in lines)
        file.flush()
        status, answer = settle(Path(file.name))
    answers = [msgspec.json.decode(line, type=_Answer) for line in answer.splitlines()]
    if len(answers) != len(lines):
        raise RuntimeError(
            f"tabled settle answered {len(answers)} of {len(lines)} lines and ended with status {status}"
        )
    return answers


def _compare(record: RoundRecord, answer: _Answer) -> Iterable[str]:
    if answer.error is not None:
        yield f"tabled settle refuses it: {answer.error.code}, {answer.error.message}"
        return
    theirs = [_from_answer(one) for one in answer.settlements]
    for stage, shown in record.stages.items():
        places = {(s.position, s.wager) for s in shown}
        wanted = [s for s in theirs if (s.position, s.wager) in places]
        if shown != wanted:
            yield f"stage {stage}: {_first_difference(shown, wanted)}"
    missing = {(s.position, s.wager) for s in theirs} - {(s.position, s.wager) for s in record.settlements}
    for position, wager in sorted(missing):
        yield f"{wager} at position {position} was never settled"
    for reset in (reset for reset in record.resets if not record.is_mystery(reset.meter)):
        if format_meter(reset.value_micro) != answer.meters_after.get(reset.meter):
            yield (
                f"{reset.meter} was reset to {format_meter(reset.value_micro)}, "
                f"tabled settle says {answer.meters_after.get(reset.meter)}"
            )
    if unpaid := {award.award for award in record.locked} - set(record.validated):
        yield f"awards {sorted(unpaid)} were never validated"
    paid = sorted(one.award for one in record.paid)
    if paid != sorted(award.award for award in record.locked):
        yield f"awards {sorted(award.award for award in record.locked)} were due, paid were {paid}"
    slips = sorted(slip.award for slip in record.slips)
    if slips != sorted(award.award for award in record.locked if award.paid_by is PaidBy.SLIP):
        yield f"slips were issued for awards {slips}, which are not those that are paid by slip"
    won_meters = {award.meter for award in record.locked if award.meter is not None}
    if won_meters != {reset.meter for reset in record.resets}:
        yield f"meters won: {sorted(won_meters)}; meters reset: {sorted(r.meter for r in record.resets)}"


def _from_answer(one: _Settlement) -> SettlementShown:
    return SettlementShown(
        one.position, one.wager, one.result, one.line, one.award_cents, one.stake_returned_cents, one.meter
    )


def _first_difference(shown: Sequence[SettlementShown], wanted: Sequence[SettlementShown]) -> str:
    for ours, theirs in zip(shown, wanted, strict=False):
        if ours != theirs:
            return f"the table showed {_say(ours)}, tabled settle says {_say(theirs)}"
    return f"the table showed {len(shown)} settlements, tabled settle has {len(wanted)}"


def _say(one: SettlementShown) -> str:
    return (
        f"position {one.position} {one.wager}: {one.result} {one.line or '-'}, award {one.award_cents} cents, "
        f"returned {one.stake_returned_cents} cents, meter {one.meter or '-'}"
    )


def _share(of: Contributed | ContributionReversed) -> tuple[int, str, int]:
    """Position, meter and all that went to it or came back."""
    return of.position, of.meter, of.shown_micro + of.reserve_micro + of.hidden_micro + of.overflow_micro


def _compare_void(record: RoundRecord) -> Iterable[str]:
    added = sorted(map(_share, record.contributed))
    taken = _given_back(record)
    if added != taken:
        yield f"{len(added)} contributions, {len(taken)} reversals, and they are not the same amounts"
    of_cards = {award.award for award in record.locked if not record.is_mystery(award.meter)}
    if standing := of_cards - set(record.fallen):
        yield f"awards {sorted(standing)} still stand"
    if unpaid := {award.award for award in record.locked} - of_cards - set(record.validated):
        yield f"awards {sorted(unpaid)} were won before the round was void, and never validated"
    if reset := [reset.meter for reset in record.resets if not record.is_mystery(reset.meter)]:
        yield f"meters were reset: {', '.join(reset)}"


def _given_back(record: RoundRecord) -> list[tuple[int, str, int]]:
    """By the meters, and by the house for what had been won."""
    return sorted([*map(_share, record.reversed), *((c.position, c.meter, c.micro) for c in record.charged)])


def _compare_cancelled(record: RoundRecord) -> Iterable[str]:
    """A cancelled wager's contributions are reversed with it, unless the whole round was."""
    if record.voided:
        return
    gone = {(c.position, c.wager) for c in record.cancelled}
    fed_by = {meter.name: meter.wager for meter in record.rules.meters}
    added = sorted(_share(c) for c in record.contributed if (c.position, fed_by[c.meter]) in gone)
    taken = _given_back(record)
    if added != taken:
        yield f"{len(gone)} wagers cancelled: their {len(added)} contributions and {len(taken)} reversals differ"
