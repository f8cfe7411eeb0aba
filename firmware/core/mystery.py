"""The must-hit-by mystery bonus: which contribution won it (629b.3(h), 631b.6, readings M1-M14).

Rules:
* The trigger is not here: the shell drew it, sealed, and answers whether contributions lift the meter above it. What it
  reveals after a hit is checked against the commitment that was journalled before the first wager.
* Contributions are added at lock-out like those of any meter, and compared when the chip count is over and no doubt can
  still cancel one of them (M8): a round's all at once, one by one in order of acceptance (M6).
* The first that lifts the meter above the trigger wins what the meter holds with it, floored to the cent (M1, M2). The
  rest of the batch, and the fraction of a cent, belong to the next amount, which begins at the minimum, with a trigger
  of its own (M7); the reset key brings the meter there, and the house pays the minimum (M12).
* A question is in the state until it is answered, and is asked again after a restart; the same answer comes and counts
  once. A trigger that can't be read is never drawn anew: the bonus stops, and says so, until the same one can be (M13).
"""

from __future__ import annotations

from typing import assert_never

from msgspec.structs import replace

from firmware.core import awards, lockout, slips
from firmware.core.chances import commitment, crossing
from firmware.core.draw_events import TriggerDrawn, TriggerEvent, TriggerHit, TriggerLost, TriggerTested
from firmware.core.effects import DrawTrigger, MysteryResumed, MysteryStopped, TestTrigger
from firmware.core.faults import Irregularity
from firmware.core.money import MICRO_PER_CENT
from firmware.core.rounds.machine import machine
from firmware.core.rules import MeterRule, MysteryRule, TableRules
from firmware.core.state import BonusPhase, MysteryBonus, Phase, Stake
from firmware.core.turn import STOPPABLE, Turn

METER = "mystery"
"""Its meter's name on every table."""

LINE = "must_hit_by"
"""The line of its award."""

COUNTED = STOPPABLE - {Phase.COUNTING}
"""Phases of a round whose chip count is over."""


def range_micro(rules: TableRules) -> tuple[int, int]:
    """Least trigger and the first that is too large: whatever wager crosses it, the meter stays within the maximum
    (M3)."""
    rule = _rule(rules)
    return _meter_rule(rules).seed_micro, rule.must_hit_by_micro - rule.largest_micro


def started(turn: Turn) -> None:
    """The daemon started: ask again what is open, or whether the secret can be read."""
    bonus = turn.state.mystery
    if bonus is None:
        return
    if bonus.commitment:
        _test(turn, bonus)
    else:
        _draw(turn, bonus)


def review(turn: Turn) -> None:
    """After every event: ask about this round's contributions as soon as that can be asked."""
    bonus = turn.state.mystery
    if bonus is None or bonus.phase is not BonusPhase.READY:
        return
    if bonus.round != turn.state.round and turn.state.under_way in COUNTED and not _in_doubt(turn):
        bonus = _set(turn, replace(bonus, round=turn.state.round, batch=_batch(turn, bonus)))
    if bonus.batch:
        _test(turn, bonus)


def give_up(turn: Turn, reason: str) -> None:
    """Forget the trigger in force: nothing opens it any more, and another one comes only with a clearing."""
    bonus = turn.state.mystery
    if bonus is not None and bonus.commitment:
        _stop(turn, replace(bonus, sealed=""), reason)


def take(turn: Turn, event: TriggerEvent) -> None:
    """An answer. One that is not waited for changes nothing."""
    bonus = turn.state.mystery
    if bonus is None or event.meter != bonus.meter or event.draw != bonus.draw:
        return
    match event:
        case TriggerDrawn():
            if bonus.phase is BonusPhase.DRAWING:
                _ready(turn, replace(bonus, commitment=event.commitment, sealed=event.sealed))
        case TriggerTested():
            asked = (_from_micro(turn, bonus), _from_micro(turn, bonus) + sum(s.micro for s in bonus.batch))
            if bonus.phase is BonusPhase.TESTING and asked == (event.from_micro, event.to_micro):
                _ready(turn, replace(bonus, batch=()))
        case TriggerHit():
            if bonus.phase is BonusPhase.TESTING and _from_micro(turn, bonus) == event.from_micro:
                _hit(turn, bonus, event)
        case TriggerLost():
            if bonus.phase in (BonusPhase.DRAWING, BonusPhase.TESTING):
                _stop(turn, bonus, event.reason)
        case _:
            assert_never(event)


# --- questions --------------------------------------------------------------------------------------------------------


def _draw(turn: Turn, bonus: MysteryBonus) -> None:
    _set(turn, replace(bonus, phase=BonusPhase.DRAWING))
    turn.emit(DrawTrigger(bonus.meter, bonus.draw, *range_micro(turn.rules)))


def _test(turn: Turn, bonus: MysteryBonus) -> None:
    _set(turn, replace(bonus, phase=BonusPhase.TESTING))
    steps = tuple(stake.micro for stake in bonus.batch)
    turn.emit(TestTrigger(bonus.meter, bonus.draw, _from_micro(turn, bonus), steps))


def _in_doubt(turn: Turn) -> bool:
    return lockout.may_decide(turn.state) and any(wager.doubt for wager in turn.state.wagers)


def _batch(turn: Turn, bonus: MysteryBonus) -> tuple[Stake, ...]:
    return tuple(
        Stake(wager.position, wager.wager, inc.shown_micro)
        for wager in turn.state.wagers
        for inc in wager.increments
        if inc.meter == bonus.meter and not inc.won
    )


def _from_micro(turn: Turn, bonus: MysteryBonus) -> int:
    """What the amount to be won stood at before the contributions that are asked about. Until a won meter is reset, the
    next amount is its seed and what lies ahead."""
    meter = turn.state.meter(bonus.meter)
    won = slips.on_meter(turn.state, bonus.meter)
    value = _meter_rule(turn.rules).seed_micro + meter.ahead_micro if won else meter.shown_micro
    return value - sum(stake.micro for stake in bonus.batch)


# --- answers ----------------------------------------------------------------------------------------------------------


def _ready(turn: Turn, bonus: MysteryBonus) -> None:
    if bonus.reason:
        turn.emit(MysteryResumed(bonus.meter, bonus.draw))
        turn.withdraw(Irregularity.MYSTERY_STOPPED)
    _set(turn, replace(bonus, phase=BonusPhase.READY, reason=""))


def _hit(turn: Turn, bonus: MysteryBonus, event: TriggerHit) -> None:
    steps = tuple(stake.micro for stake in bonus.batch)
    promised = _commitment(turn, bonus, event)
    if promised != bonus.commitment or crossing(event.from_micro, steps, event.trigger_micro) != event.index:
        _stop(turn, bonus, "what was revealed is not what was committed to")
        return
    won, rest = bonus.batch[: event.index + 1], bonus.batch[event.index + 1 :]
    value_micro = event.from_micro + sum(stake.micro for stake in won)
    cents, fraction_micro = divmod(value_micro, MICRO_PER_CENT)
    ahead_micro = fraction_micro + sum(stake.micro for stake in rest)
    _mark_won(turn, bonus.meter, won)
    turn.put_meter(replace(turn.state.meter(bonus.meter), ahead_micro=ahead_micro))
    winner, rule = won[-1], _rule(turn.rules)
    place = (winner.position, winner.wager, LINE, bonus.meter)
    awards.lock_one(turn, *place, cents, rule.paid_by, rule.section, held_micro=value_micro)
    following = MysteryBonus(bonus.meter, draw=bonus.draw + 1, batch=rest, round=bonus.round)
    _draw(turn, following)
    machine(turn.rules).award_locked(turn)


def _commitment(turn: Turn, bonus: MysteryBonus, event: TriggerHit) -> str:
    try:
        nonce = bytes.fromhex(event.nonce)
        return commitment(turn.rules.table_id, bonus.meter, bonus.draw, nonce, event.trigger_micro)
    except (ValueError, OverflowError):
        return ""  # no answer of the generator: no commitment is empty


def _mark_won(turn: Turn, meter: str, won: tuple[Stake, ...]) -> None:
    """Their contributions can't be taken back from the meter any more."""
    places = {(stake.position, stake.wager) for stake in won}
    turn.set(
        wagers=tuple(
            replace(
                wager,
                increments=tuple(replace(i, won=True) if i.meter == meter else i for i in wager.increments),
            )
            if (wager.position, wager.wager) in places
            else wager
            for wager in turn.state.wagers
        )
    )


def _stop(turn: Turn, bonus: MysteryBonus, reason: str) -> None:
    """What the round has contributed stays on the meter. It is compared if the bonus goes on within the round."""
    _set(turn, replace(bonus, phase=BonusPhase.STOPPED, batch=(), round=0, reason=reason))
    turn.emit(MysteryStopped(bonus.meter, bonus.draw, reason))
    turn.note(Irregularity.MYSTERY_STOPPED, detail=reason)


# --- the parts of the state -------------------------------------------------------------------------------------------


def _set(turn: Turn, bonus: MysteryBonus) -> MysteryBonus:
    turn.set(mystery=bonus)
    return bonus


def _rule(rules: TableRules) -> MysteryRule:
    assert rules.mystery is not None, "a mystery bonus without a rule"
    return rules.mystery


def _meter_rule(rules: TableRules) -> MeterRule:
    return rules.meter_rule(_rule(rules).meter)
