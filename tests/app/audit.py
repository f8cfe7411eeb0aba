"""What anybody can check of a journal afterwards: chain, replay, every payment against `tabled settle`, the money.

Rules: nothing here trusts the daemon's state. Payments are compared with what `settle` answers to the round as JSON,
and every meter with the sum of what the records say was put in and taken out.
"""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from firmware.app.program import programs
from firmware.core import effects as fx
from firmware.core import order_effects as ofx
from firmware.core.money import MICRO_PER_CENT, format_meter
from firmware.core.rules import TableRules
from firmware.core.settlement_data import PaidBy
from firmware.core.state import Meter, State, initial_state
from firmware.core.step import step
from firmware.interfaces.settle_lines import settle_line
from firmware.journal.reader import Reader
from firmware.journal.records import HEADER_CODEC
from firmware.journal.replay import replay


@dataclass
class Audit:
    """What was found, all of it consistent."""

    segments: int = 0
    entries: int = 0
    rounds: list[int] = field(default_factory=list)
    settled: int = 0
    voided: int = 0
    wagers: int = 0
    awards: int = 0
    slips: list[int] = field(default_factory=list)
    state: State = field(default_factory=State)
    effects: Counter[str] = field(default_factory=Counter)


@dataclass
class _Round:
    wagers: dict[tuple[int, str], int] = field(default_factory=dict)
    meters: dict[str, int] = field(default_factory=dict)
    reserves: dict[str, int] = field(default_factory=dict)
    outcome: dict[str, Any] = field(default_factory=dict)
    paid: set[tuple[Any, ...]] = field(default_factory=set)
    final: bool = False
    open: dict[int, fx.AwardLocked] = field(default_factory=dict)
    to_reset: set[str] = field(default_factory=set)


def audit(path: Path, from_segment: int = 1) -> Audit:
    """Raises whatever is wrong. The chain is verified whole; the rest from a segment that begins between two rounds."""
    out = Audit()
    with Reader(path) as reader:
        reader.verify()
        replay(reader, programs, from_segment)
        segments = {row.number: row for row in reader.segments()}
        first = segments[from_segment]
        program = programs(HEADER_CODEC.decode(first.header))
        rules = program.rules(HEADER_CODEC.decode(first.header))
        opening = reader.snapshot(from_segment, first.first_seq - 1)
        assert opening is not None
        state = initial_state(rules) if from_segment == 1 else program.codec.states.decode(opening)
        held = {m.name: _holds(m) for m in state.meters}
        round_ = _Round()
        for row in reader.entries(first.first_seq):
            entry = program.codec.decode_entry(row)
            state, effects = step(rules, state, entry.event)
            out.entries += 1
            for effect in effects:
                out.effects[type(effect).__name__] += 1
                _money(held, effect)
                round_ = _follow(out, rules, state, round_, effect)
        out.segments = len(segments)
    for meter in state.meters:
        now = _holds(meter)
        assert now == held[meter.name], f"{meter.name}: holds {now}, its records add up to {held[meter.name]}"
    slips = [*out.slips, state.next_slip]
    assert slips == list(range(slips[0], slips[0] + len(slips))), f"slip numbers {out.slips}, next {state.next_slip}"
    out.state = state
    return out


def _money(held: dict[str, int], effect: fx.Effect) -> None:
    match effect:
        case fx.Contributed():
            held[effect.meter] += _all(effect)
        case fx.ContributionReversed():
            held[effect.meter] -= _all(effect)
        case fx.MeterReset():
            held[effect.meter] += effect.from_house_micro - effect.paid_cents * MICRO_PER_CENT
        case ofx.TransferredIn():
            held[effect.meter] += effect.micro
        case ofx.TransferredOut():
            held[effect.meter] -= effect.micro
        case ofx.MeterCorrected():
            held[effect.meter] += effect.becomes_micro - effect.was_micro


def _all(effect: fx.Contributed | fx.ContributionReversed) -> int:
    return effect.shown_micro + effect.reserve_micro + effect.hidden_micro + effect.overflow_micro


def _holds(meter: Meter) -> int:
    return meter.shown_micro + meter.reserve_micro + meter.hidden_micro + meter.overflow_micro


def _follow(out: Audit, rules: TableRules, state: State, round_: _Round, effect: fx.Effect) -> _Round:
    match effect:
        case fx.WagerAccepted():
            out.wagers += 1
            round_.wagers[effect.position, effect.wager] = effect.cents
        case fx.WagerCancelled():
            del round_.wagers[effect.position, effect.wager]
        case fx.RoundSettled():
            round_.outcome = effect.shown.outcome()
            if effect.stage == "initial":
                round_.meters = {m.name: m.shown_micro for m in state.meters}
                round_.reserves = {m.name: m.reserve_micro for m in state.meters}
            else:
                round_.final = True
        case fx.SettlementShown():
            round_.paid.add(
                (effect.position, effect.wager, effect.result, effect.line, effect.award_cents,
                 effect.stake_returned_cents, effect.meter)
            )  # fmt: skip
        case fx.RoundVoided():
            out.voided += 1
            round_ = _Round(open=round_.open, to_reset=round_.to_reset)  # the mystery bonus stands (M9)
        case fx.AwardLocked():
            out.awards += 1
            round_.open[effect.award] = effect
        case fx.SlipIssued():
            out.slips.append(effect.slip)
        case fx.AwardPaid():
            award = round_.open.pop(effect.award)  # a second payment finds none
            assert (effect.paid_by, effect.slip is not None) == (award.paid_by, award.paid_by is PaidBy.SLIP)
            round_.to_reset.update({award.meter} if award.meter is not None else ())
        case fx.AwardVoided():
            del round_.open[effect.award]
        case fx.MeterReset():
            round_.to_reset.remove(effect.meter)
            assert all(award.meter != effect.meter for award in round_.open.values()), effect
        case fx.RoundEnded():
            out.rounds.append(effect.round)
            assert not round_.open and not round_.to_reset, f"round {effect.round} ended with {round_}"
            if round_.final:
                out.settled += 1
                _compare(rules, round_, effect.round)
            else:
                assert not round_.wagers, f"round {effect.round} ended with wagers and without a settlement"
            round_ = _Round()
    return round_


def _compare(rules: TableRules, round_: _Round, number: int) -> None:
    """The payments of one round against `tabled settle`."""
    meters = {m.name: m for m in rules.paytable_meters()}
    table: dict[str, Any] = {"decks": rules.decks}
    if rules.combinations:
        table["personal_combinations"] = {str(c.position): [c.king, c.nine] for c in rules.combinations}
    if rules.declared_suit:
        table["declared_suit"] = rules.declared_suit
    line = {
        "id": str(number),
        "game": rules.game,
        "table": table,
        "offered": {o.wager: {"paytable": o.paytable} for o in rules.offers},
        "wagers": [{"position": p, "wager": w, "cents": c} for (p, w), c in round_.wagers.items() if rules.is_own(w)],
        "outcome": round_.outcome,
        "meters": {name: format_meter(round_.meters[name]) for name in meters},
        "seeds": {n: format_meter(m.reseed_micro) for n, m in meters.items() if m.reseed_micro is not None},
        "reserves": {name: format_meter(round_.reserves[name]) for name in meters},
    }
    answer, good = settle_line(json.dumps(line).encode(), rules.catalogue)
    assert good, answer
    keys = ("position", "wager", "result", "line", "award_cents", "stake_returned_cents", "meter")
    said = {tuple(one[key] for key in keys) for one in json.loads(answer)["settlements"]}
    assert said == round_.paid, f"round {number}: settle says {said - round_.paid}, paid was {round_.paid - said}"
