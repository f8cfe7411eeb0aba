"""What stands on a jackpot slip, as one record of the journal.

Rules: a slip is a function of its record, whatever happens afterwards; so the meter's value after the reset is worked
out when the slip gets its number, with the arithmetic that the reset key will use. Nothing moves the meter in between.
"""

from __future__ import annotations

from firmware.core import meters
from firmware.core.effects import MeterReset, SlipIssued
from firmware.core.money import MICRO_PER_CENT
from firmware.core.rules import MeterRule, TableRules
from firmware.core.state import Award, AwardStatus, Meter, State

DIGITS = 6


def number_text(slip: int) -> str:
    """A slip's number as it is printed and shown: "000012"."""
    return f"{slip:0{DIGITS}}"


def on_meter(state: State, meter: str) -> tuple[Award, ...]:
    """The awards of this round that a meter pays and that neither fell with a void nor are done."""
    over = (AwardStatus.VOIDED, AwardStatus.RESET)
    return tuple(a for a in state.awards if a.meter == meter and a.status not in over)


def meter_after(rules: TableRules, state: State, rule: MeterRule) -> tuple[Meter, MeterReset]:
    """The won meter as the reset key returns it, and the record of that."""
    won = on_meter(state, rule.name)
    hits = len(won) if won[0].held_micro is not None else 1  # others than a mystery bonus's are shares of one hit
    return meters.pay_and_reseed(state.meter(rule.name), rule, sum(award.cents for award in won), rules, hits)


def record(rules: TableRules, state: State, award: Award, slip: int, cards: tuple[str, ...]) -> SlipIssued:
    """The record of slip number `slip` for an award of the round in play. `cards`: each hand as the board shows it."""
    winners, before_micro, after_micro = 1, None, None
    if award.held_micro is not None:  # each its own amount, and what the batch adds is the next one's
        assert award.meter is not None, "a mystery bonus without a meter"
        seed_micro = rules.meter_rule(award.meter).seed_micro
        before_micro, after_micro = award.held_micro, seed_micro + award.held_micro % MICRO_PER_CENT
    elif award.meter is not None:
        after, _ = meter_after(rules, state, rules.meter_rule(award.meter))
        winners = len(on_meter(state, award.meter))
        before_micro = state.meter(award.meter).shown_micro
        after_micro = after.shown_micro
    paytable = next(o.paytable for o in rules.offers if o.wager == award.wager)
    line = rules.catalogue.paytable(rules.game, award.wager, paytable).by_line.get(award.line)
    return SlipIssued(
        slip=slip,
        award=award.id,
        table=rules.table_id,
        round=state.round,
        position=award.position,
        wager=award.wager,
        paytable=paytable,
        line=award.line,
        printed=line.printed if line is not None else "",
        section=award.section,
        stake_cents=award.stake_cents,
        cents=award.cents,
        cards=cards,
        because_of=award.because_of,
        meter=award.meter,
        winners=winners,
        before_micro=before_micro,
        after_micro=after_micro,
    )
