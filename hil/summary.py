"""The end of a played session: what was played, and whether all of it can be proved.

`judge` reads the journal that the daemon has left: verifies the chain, replays it, audits its money, settles every
round anew, compares the wagers accepted with the chips that lay on the layout, and adds up the meters. `Verdict.good`
is the exit status.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from firmware.app.program import programs
from firmware.audit.auditor import Auditor
from firmware.audit.draws import audit
from firmware.audit.items import Finding
from firmware.audit.walk import walk
from firmware.core.meters import cents_text, text
from firmware.core.money import format_meter
from firmware.journal.commands import counted
from firmware.journal.errors import JournalError
from firmware.journal.reader import Reader
from firmware.journal.replay import replay
from hil import settle_check
from hil.layout import Spot
from hil.round_records import RoundReader, RoundRecord

MOST_SHOWN = 10
"""Differences that are written out; the rest are counted."""


class Verdict(Struct, frozen=True):
    """Lines for people, and whether everything was as it should be."""

    lines: tuple[str, ...]
    good: bool


def judge(
    journal: Path,
    seconds: Sequence[float],
    pressed: Mapping[int, frozenset[Spot]],
    replaying: bool = True,
    settle: settle_check.Settle | None = None,
) -> Verdict:
    """`seconds`: how long each round took; `pressed`: chips on the layout at each lock-out, by the press's time."""
    problems: list[str] = []
    reader = RoundReader(journal)
    records: list[RoundRecord] = []
    proof = "NOT VERIFIED"
    draws: list[str] = []
    try:
        with Reader(journal) as file:
            report = file.verify()
            segments = counted(report.segments, "segment")
            proof = f"verified: {segments}, {report.entries} entries, head {report.head.hex()}"
            if replaying:
                again = replay(file, programs)
                proof += f"; replayed, {again.state_hashes} states the same"
            found = walk(file, Auditor())
            problems += [f"entry {one.when.seq}: {one.item}" for one in found if isinstance(one.item, Finding)]
            records = list(reader.read())
            if any(record.rules.mystery for record in records):
                draws = list(audit(file))[-1:]
        settled = settle_check.check(records, settle)
    except JournalError as error:
        return Verdict((f"journal         {proof}", f"NOT IN ORDER: {error}"), good=False)
    problems += settled.differences
    problems += _wrongly_accepted(records, pressed)
    problems += [f"meter {name} {what}" for name, account in reader.meters.items() for what in account.wrongly_recorded]
    of = f"{counted(settled.rounds, 'round')}, {counted(settled.settlements, 'settlement')}"
    settle_line = f"{of} as tabled settle has them"
    if settled.differences:
        settle_line = f"{len(settled.differences)} DIFFERENCES from tabled settle"
    lines = [
        *story(records, reader),
        f"round time      {_times(seconds)}",
        f"settled again   {settle_line}",
        *(f"draws           {line}" for line in draws),
        f"journal         {proof}",
        *(f"NOT IN ORDER: {problem}" for problem in problems[:MOST_SHOWN]),
    ]
    if len(problems) > MOST_SHOWN:
        lines.append(f"NOT IN ORDER: and {len(problems) - MOST_SHOWN} more")
    return Verdict(tuple(lines), good=not problems)


def story(records: Sequence[RoundRecord], reader: RoundReader) -> Iterator[str]:
    """The rows of the summary that tell what was played."""
    void = sum(bool(record.voided) for record in records)
    unfinished = ", 1 more not finished" if reader.unfinished and reader.unfinished.closed_ns is not None else ""
    shoes = f"; {counted(reader.shoes, 'shoe')}" if reader.shoes else ""  # a wheel has none
    yield f"rounds          {len(records)}, of which {void} void{unfinished}{shoes}"
    accepted = sum(record.wagers for record in records)
    dealt_in = sum(record.dealt_in for record in records)
    refused = sum(len(r.refused) for r in records)
    why = Counter(wager.why for record in records for wager in record.cancelled)
    reasons = ", ".join(f"{n}: {reason}" for reason, n in sorted(why.items()))
    seats = f", {counted(dealt_in, 'chip')} dealt in" if dealt_in else ""
    staked = sum(sum(record.at_lock.values()) for record in records)
    yield (
        f"wagers          {accepted} accepted ({cents_text(staked)}){seats}, {why.total()} cancelled"
        f"{f' ({reasons})' if reasons else ''}, "
        f"{counted(refused, 'chip')} not accepted"
    )
    settled = [shown for record in records if not record.voided for shown in record.settlements]
    won = [shown for shown in settled if shown.result == "win"]
    paid_out = cents_text(sum(shown.award_cents for shown in won))
    yield f"won             {len(won)} of {counted(len(settled), 'wager')} settled, {paid_out}"
    awards = [award for record in records for award in record.locked if award.award not in record.fallen]
    by_line = Counter(award.line for award in awards)
    total = cents_text(sum(award.cents for award in awards))
    what = ", ".join(f"{line} {count}" for line, count in sorted(by_line.items()))
    slips = sum(len(record.slips) for record in records)
    by_slip = f", {slips} by slip" if slips else ""
    yield f"awards          {len(awards)} validated and paid ({total}){by_slip}{f': {what}' if what else ''}"
    for name, account in reader.meters.items():
        resets = [reset for record in records for reset in record.resets if reset.meter == name]
        paid = f", paid {cents_text(sum(r.paid_cents for r in resets))} in {len(resets)}" if resets else ""
        yield f"meter           {name} {text(account.shown_micro)}, reserve {format_meter(account.reserve_micro)}{paid}"
    kinds = Counter(noted.kind for record in records for noted in record.irregularities)
    yield f"irregularities  {', '.join(f'{kind} {n}' for kind, n in sorted(kinds.items())) or 'none'}"


def _times(seconds: Sequence[float]) -> str:
    if not seconds:
        return "no round was played to its end"
    return f"median {statistics.median(seconds):.2f} s, longest {max(seconds):.2f} s"


def _wrongly_accepted(records: Sequence[RoundRecord], pressed: Mapping[int, frozenset[Spot]]) -> Iterator[str]:
    """The wagers accepted are the chips that lay there when the button was pressed, no more and no fewer."""
    for record in records:
        lay_there = pressed.get(record.closed_ns) if record.closed_ns is not None else None
        if lay_there is None:
            continue  # locked by a card, or played before this session
        accepted = {Spot(position, wager) for position, wager in record.at_lock}
        for spot in sorted(accepted ^ lay_there):
            what = (
                "accepted, though no chip lay there in time"
                if spot in accepted
                else "not accepted, though it lay there"
            )
            yield f"round {record.number}: {spot.wager} at position {spot.position} was {what}"
