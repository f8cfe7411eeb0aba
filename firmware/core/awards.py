"""Awards that a floorperson validates, from the hit until nothing of them is left to do.

Rules (605a.7(a)(5); 633b.17(f), 633b.18(h), 633b.21(e), taken for every progressive wager; X19-X21, X25):
* The amount is fixed at the hit: a meter's is its snapshot at lock-out, and nothing moves the meter while the table is
  held. Then each award goes through the acts of `DUE`, in that order and no other.
* The dealer verifies hand and lamp, the floorperson validates. A fixed amount is paid from the table inventory up to
  the house's limit; a meter's award never is, but by a slip, whose number is given at validation.
* A slip is paid once the floorperson says that its documentation is complete; until then the cards stay.
* A meter is reset, by its own key, once all awards on it are paid; shares of one meter are reset together.
* The table is held while any award is open: what is owed to whom, envy bonuses too, stays on the displays until paid.
* A mystery bonus was won by a contribution, whatever the cards: a void round changes nothing about it (M9).
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from msgspec.structs import replace

from firmware.core import slips, tallies
from firmware.core.effects import (
    AwardLocked,
    AwardPaid,
    AwardValidated,
    AwardVerified,
    AwardVoided,
)
from firmware.core.rules import MeterRule, TableRules
from firmware.core.settlement_data import Envy, PaidBy
from firmware.core.state import Award, AwardStatus, Outcome, State
from firmware.core.turn import Turn

ENVY_BONUS = "envy_bonus"
"""What stands for the line of an award that is owed for another position's hand."""


class Due(StrEnum):
    """What an open award waits for, in the order in which the display asks for it."""

    VERIFY = "the dealer verifies hand and lamp"
    VALIDATE = "the floorperson validates"
    PAY = "the dealer pays from the table inventory"
    DOCUMENT = "the floorperson completes the slip's documentation"
    RESET = "the reset key returns the meter to its reseed"


DUE: dict[tuple[AwardStatus, PaidBy], Due] = {
    (AwardStatus.LOCKED, PaidBy.TABLE_INVENTORY): Due.VERIFY,
    (AwardStatus.LOCKED, PaidBy.SLIP): Due.VERIFY,
    (AwardStatus.VERIFIED, PaidBy.TABLE_INVENTORY): Due.VALIDATE,
    (AwardStatus.VERIFIED, PaidBy.SLIP): Due.VALIDATE,
    (AwardStatus.VALIDATED, PaidBy.TABLE_INVENTORY): Due.PAY,
    (AwardStatus.VALIDATED, PaidBy.SLIP): Due.DOCUMENT,
}
"""A paid award is done; one from a meter still waits for `Due.RESET`."""

_URGENCY = {due: place for place, due in enumerate(Due)}


# --- what can be asked ------------------------------------------------------------------------------------------------


def due(award: Award) -> Due | None:
    """What the award waits for; None once nothing is left to do."""
    if award.status is AwardStatus.PAID and award.meter is not None:
        return Due.RESET
    return DUE.get((award.status, award.paid_by))


def open_awards(state: State) -> tuple[tuple[Award, Due], ...]:
    """Every award with something left to do, the most urgent act first, then in the order of payment."""
    waiting = [(award, what) for award in state.awards if (what := due(award)) is not None]
    return tuple(sorted(waiting, key=lambda one: _URGENCY[one[1]]))


def look_alike(before: tuple[tuple[Award, Due], ...], after: tuple[tuple[Award, Due], ...]) -> bool:
    """Whether the display asks the same of another award: that of a second wager at one position."""
    asked = [(award.position, award.cents, what) for award, what in (*before[:1], *after[:1])]
    return len(asked) == 2 and asked[0] == asked[1]


def any_open(state: State) -> bool:
    return any(due(award) is not None for award in state.awards)


def any_decided(state: State) -> bool:
    """An award of the cards has been validated: the round can't be voided any more."""
    undecided = (AwardStatus.LOCKED, AwardStatus.VERIFIED, AwardStatus.VOIDED)
    return any(award.status not in undecided and not _is_mystery(state, award) for award in state.awards)


def _is_mystery(state: State, award: Award) -> bool:
    return state.mystery is not None and award.meter == state.mystery.meter


def paid_by(rules: TableRules, meter: str | None, cents: int) -> PaidBy:
    """How an award is paid (X19): a meter's by slip, a fixed one over the house's limit too."""
    limit_cents = rules.awards.inventory_limit_cents
    over = limit_cents is not None and cents > limit_cents
    return PaidBy.SLIP if meter is not None or over else PaidBy.TABLE_INVENTORY


# --- what happens -----------------------------------------------------------------------------------------------------


def lock(turn: Turn, outcomes: Iterable[Outcome], envy: Iterable[Envy] = ()) -> None:
    """Make an award of every outcome that needs validation and of every envy bonus, in the order of payment."""
    for o in outcomes:
        if o.validation and o.line is not None:
            by = paid_by(turn.rules, o.meter, o.award_cents)
            lock_one(turn, o.position, o.wager, o.line, o.meter, o.award_cents, by, o.section)
    for e in envy:
        by = paid_by(turn.rules, None, e.award_cents)
        lock_one(turn, e.position, e.wager, ENVY_BONUS, None, e.award_cents, by, e.section, because_of=e.because_of)


def lock_one(
    turn: Turn,
    position: int,
    wager: str,
    line: str,
    meter: str | None,
    cents: int,
    by: PaidBy,
    section: str,
    *,
    because_of: int | None = None,
    held_micro: int | None = None,
) -> None:
    """Put one award on record, under the next number."""
    number = turn.state.next_award
    stake_cents = next(w.cents for w in turn.state.wagers if (w.position, w.wager) == (position, wager))
    award = Award(
        number, position, wager, line, meter, cents, stake_cents, by, section, because_of, held_micro=held_micro
    )
    turn.set(awards=(*turn.state.awards, award), next_award=number + 1)
    turn.emit(AwardLocked(number, position, wager, line, meter, cents, by, section, because_of))


def dealer_confirms(turn: Turn) -> bool:
    """The dealer's key: does what the display asks the dealer for. False where it asks somebody else."""
    match open_awards(turn.state):
        case ((award, Due.VERIFY), *_):
            _change(turn, award, AwardStatus.VERIFIED)
            turn.emit(AwardVerified(award.id))
        case ((award, Due.PAY), *_):
            _pay(turn, award)
        case _:
            return False
    return True


def validate(turn: Turn, award: Award, cards: tuple[str, ...]) -> None:
    """The floorperson's key, on a verified award. A slip gets its number; `cards`: what lies on the layout, for it."""
    turn.emit(AwardValidated(award.id))
    slip = None
    if award.paid_by is PaidBy.SLIP:
        slip = turn.state.next_slip
        turn.emit(slips.record(turn.rules, turn.state, award, slip, cards))
        turn.set(next_slip=slip + 1)
    _change(turn, award, AwardStatus.VALIDATED, slip)


def documented(turn: Turn, award: Award) -> None:
    """The floorperson's key: the documentation of the award's slip is complete."""
    _pay(turn, award)


def _pay(turn: Turn, award: Award) -> None:
    _change(turn, award, AwardStatus.PAID, award.slip)
    tallies.attendant_paid(turn, award)
    turn.emit(AwardPaid(award.id, award.paid_by, award.slip))


def reset_meters(turn: Turn) -> bool:
    """The reset key. Resets every won meter whose awards are all paid; False if there was none."""
    done = False
    for rule in turn.rules.meters:
        won = slips.on_meter(turn.state, rule.name)
        if not won or any(due(award) is not Due.RESET for award in won):
            continue
        _reset(turn, rule, won)
        done = True
    return done


def _reset(turn: Turn, rule: MeterRule, won: tuple[Award, ...]) -> None:
    after, reset = slips.meter_after(turn.rules, turn.state, rule)
    turn.put_meter(after)
    turn.emit(reset)
    for award in won:
        _change(turn, award, AwardStatus.RESET, award.slip)


def void(turn: Turn) -> None:
    """The round is void: awards not yet validated fall with it."""
    for award in turn.state.awards:
        if award.status in (AwardStatus.LOCKED, AwardStatus.VERIFIED) and not _is_mystery(turn.state, award):
            _change(turn, award, AwardStatus.VOIDED)
            turn.emit(AwardVoided(award.id))


def _change(turn: Turn, award: Award, status: AwardStatus, slip: int | None = None) -> None:
    turn.set(awards=tuple(replace(a, status=status, slip=slip) if a.id == award.id else a for a in turn.state.awards))
