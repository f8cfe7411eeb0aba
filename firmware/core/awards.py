"""Awards that a floorperson validates, and won meters that only the reset key returns to their seed.

Rules (605a.7(a)(5), X19-X21):
* locked at the hit, validated by the floorperson's key, and then paid: a fixed amount at once, a meter award when the
  reset key has been turned for its meter;
* a meter is reset once all awards on it are validated; shares of one meter are paid together;
* the table is held until no award is left open.
"""

from __future__ import annotations

from msgspec.structs import replace

from firmware.core import meters, tallies
from firmware.core.effects import AwardLocked, AwardValidated, AwardVoided
from firmware.core.state import Award, AwardStatus, Outcome, State
from firmware.core.turn import Turn

OPEN = (AwardStatus.LOCKED, AwardStatus.VALIDATED)


def any_open(state: State) -> bool:
    return any(a.status in OPEN for a in state.awards)


def any_decided(state: State) -> bool:
    """A validated or paid award stands: the round can't be voided any more."""
    return any(a.status in (AwardStatus.VALIDATED, AwardStatus.PAID) for a in state.awards)


def lock(turn: Turn, outcomes: tuple[Outcome, ...]) -> None:
    """Make an award of every outcome that needs validation."""
    for o in outcomes:
        if o.validation and o.line is not None:
            award = Award(turn.state.next_award, o.position, o.wager, o.line, o.meter, o.award_cents)
            turn.set(awards=(*turn.state.awards, award), next_award=award.id + 1)
            turn.emit(AwardLocked(award.id, o.position, o.wager, o.line, o.meter, o.award_cents))


def validate(turn: Turn, award: Award) -> None:
    status = AwardStatus.VALIDATED if award.meter is not None else AwardStatus.PAID
    _change(turn, award, status)
    turn.emit(AwardValidated(award.id))


def reset_meters(turn: Turn) -> bool:
    """The reset key. Resets every won meter whose awards are all validated; False if there was none."""
    done = False
    for rule in turn.rules.meters:
        on_meter = [a for a in turn.state.awards if a.meter == rule.name and a.status in OPEN]
        if not on_meter or any(a.status is AwardStatus.LOCKED for a in on_meter):
            continue
        paid_cents = sum(a.cents for a in on_meter)
        meter = next(m for m in turn.state.meters if m.name == rule.name)
        after, reset = meters.pay_and_reseed(meter, rule, paid_cents, turn.rules)
        turn.set(meters=tuple(after if m.name == rule.name else m for m in turn.state.meters))
        turn.emit(reset)
        for award in on_meter:
            _change(turn, award, AwardStatus.PAID)
        done = True
    return done


def void(turn: Turn) -> None:
    """The round is void: awards not yet validated fall with it."""
    for award in turn.state.awards:
        if award.status is AwardStatus.LOCKED:
            _change(turn, award, AwardStatus.VOIDED)
            turn.emit(AwardVoided(award.id))


def _change(turn: Turn, award: Award, status: AwardStatus) -> None:
    turn.set(awards=tuple(replace(a, status=status) if a.id == award.id else a for a in turn.state.awards))
    if status is AwardStatus.PAID:
        tallies.attendant_paid(turn, award)
