"""Settlement: who won what in a round, from what was dealt, the offered paytables and the meters frozen at lock-out.

Rules:
* Pure and the same for every game: the game brings its wager functions, the catalogue its figures; nothing here knows
  a game.
* The live table settles twice, the initial stage on four cards and the final stage at the end, `tabled settle` once
  with both; the two stages are exact parts of the whole, and neither changes a meter that the other pays.
* Losing wagers first, then the others; in each group from the highest numbered position; at one position in the
  game's order of wagers (627b.2(f)). The order in which wagers came in changes nothing.
* `validation`: N to 1 counts as N + 1 for 1, dollars by the denomination (X21).
* Meters are micro-dollars inside. A round that is refused changes nothing: it raises `SettlementError` before any
  amount is worked out.

Readings that this module keeps to: X2 a "to 1" award is paid on top of the stake, also where stakes were swept before.
X3 one wager, one award: of several lines that were hit, the first that the paytable has. R7 where lines compete by
amount, the largest at the snapshot, the whole meter counted to the cent, and of equal ones the higher row (a setting:
always the higher row). X4, X5 winners of one meter share one snapshot equally, by wagers, not persons (a setting: the
whole meter each). X6 shares are floored to the cent, the cents left over go one each to the winners in settlement
order, the fraction of a cent stays. X7 the snapshot is the meter at lock-out, the round's own contributions included.
X13 a seed in wagers multiplies the meter's denomination, or without one the smallest wager on it. X14 a larger wager
wins the same meter. X15, X17 the reserve pays the reseed first, the house what is missing, and a larger reserve keeps
the rest (a setting: it goes into the meter whole). X16 a seed that is printed N/A is the reserve's balance. X19 a
meter's award is never paid from the table inventory, others are. X20, X21 a meter's award, and a line of a progressive
wager over 200 for 1, waits for the floorperson. X25 an envy bonus goes to every other wager of the kind for every
winner, by the receiver's own wager; none for the own hand. C2 an award by odds that is no whole number of cents is
rounded up (a setting: down). G6 the seed printed as "$2000" is 2,000 times the wager (a setting: dollars).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import assert_never

from msgspec import Struct

from firmware.core.money import (
    MICRO_PER_CENT,
    MICRO_PER_DOLLAR,
    award_cents,
    cents_to_micro,
    floor_to_cents,
    split_cents,
)
from firmware.core.pays import (
    Dollars,
    DrawnToOne,
    ForOne,
    FromReserve,
    Paid,
    SeedAmount,
    TimesOrDollars,
    TimesWager,
    ToOne,
    Unpaid,
    WholeMeter,
)
from firmware.core.paytables import Catalogue, Line, Paytable
from firmware.core.readings import Readings
from firmware.core.roulette_wheel import Pocket
from firmware.core.round_checks import check_round
from firmware.core.settlement_data import (
    VALIDATED_OVER_FOR_ONE,
    Envy,
    InterimAward,
    Payment,
    Result,
    RoundToSettle,
    SettledRound,
    Settlement,
    Source,
)
from firmware.core.wagers.wager import (
    Dealt,
    Interim,
    Lost,
    Pending,
    PlacedWager,
    Pushed,
    Seat,
    Stage,
    Verdict,
    Wager,
    Won,
)


class Resolved(Struct, frozen=True):
    """A verdict brought to one line of a paytable. `line` is None for a loss and for a push because of a tie; `paid` is
    what a win pays by."""

    result: Result
    line: Line | None = None
    paid: Paid | None = None


def settle(round_: RoundToSettle[Dealt], catalogue: Catalogue, stage: Stage = Stage.ALL) -> SettledRound:
    """Settle the wagers of a stage.

    Everything about the round is checked first, also for wagers of another stage. Raises `SettlementError` with the
    code of what is wrong.
    """
    paytables, in_order = check_round(round_, catalogue, stage)
    settlements = _judge(round_, in_order, paytables, stage)
    meters_after, reserves_after = _share_meters(settlements, paytables, round_)
    envy = _envy(settlements, in_order, paytables, round_.readings)
    return SettledRound(tuple(settlements), envy, meters_after, reserves_after)


def _judge(
    round_: RoundToSettle[Dealt], in_order: list[PlacedWager], paytables: Mapping[str, Paytable], stage: Stage
) -> list[Settlement]:
    """The wagers of the stage in the order of settlement, those that won a meter with an award of 0.

    A verdict is worked out for each position only where it depends on it, and brought to a payment once a stake,
    however many positions it is for.
    """
    by_name = round_.game.by_name
    wagers = {name: by_name[name][1] for name in paytables}
    included = {name: w for name, w in wagers.items() if stage.includes(w.stage) or w.waits is not None}
    shared: dict[tuple[str, Pocket | None], Verdict] = {}
    payments: dict[tuple[str, int, int], tuple[Verdict, Payment]] = {}
    lost: list[Settlement] = []
    others: list[Settlement] = []
    for placed in in_order:
        position, name, cents, number = placed.position, placed.wager, placed.cents, placed.number
        wager = included.get(name)
        if wager is None:
            continue
        verdict = None if wager.per_position else shared.get((name, number))
        if verdict is None:
            seat = Seat(position, round_.table, paytables[name], round_.readings, number)
            if wager.waits is not None and not wager.settled_in(stage, round_.dealt, seat):
                continue
            verdict = wager.judge(round_.dealt, seat)
            if not wager.per_position:
                shared[name, number] = verdict
        known = payments.get((name, cents, id(verdict)))
        if known is None:  # the verdict is kept beside the payment, so that its id stays its own
            known = (verdict, _payment(wager, verdict, cents, paytables[name], round_))
            payments[name, cents, id(verdict)] = known
        payment = known[1]
        (lost if payment.result is Result.LOSE else others).append(Settlement(position, payment, number))
    return lost + others


# --- from a verdict to a line -----------------------------------------------------------------------------------------


def resolve(
    verdict: Verdict, paytable: Paytable, stake_cents: int, meters: Mapping[str, int], readings: Readings
) -> Resolved:
    """What a verdict comes to under a paytable, with the meters at the snapshot in micro-dollars."""
    match verdict:
        case Lost():
            return Resolved(Result.LOSE)
        case Pushed(line=name):
            return Resolved(Result.PUSH, None if name is None else paytable.by_line[name])
        case Pending():
            return Resolved(Result.PENDING)
        case Won():
            return _resolve_won(verdict, paytable, stake_cents, meters, readings)
        case _:
            assert_never(verdict)


def _resolve_won(
    won: Won, paytable: Paytable, stake_cents: int, meters: Mapping[str, int], readings: Readings
) -> Resolved:
    lines = hit_lines(won, paytable)
    if not lines:
        return Resolved(Result.LOSE)
    line = lines[0]
    if won.by_amount and len(lines) > 1 and readings.R7 == "highest":
        line = max(lines, key=lambda one: _worth_cents(_paid_by(one, won), stake_cents, meters, readings))
    if line.pay is Unpaid.LOSS:
        return Resolved(Result.LOSE)
    if line.pay is Unpaid.PUSH:
        return Resolved(Result.PUSH, line)
    return Resolved(Result.WIN, line, _paid_by(line, won))


def hit_lines(won: Won, paytable: Paytable) -> tuple[Line, ...]:
    """The lines that were hit and that the paytable has, in its order."""
    lines = (paytable.by_line[name] for name in won.lines)
    return tuple(line for line in lines if line.pay is not Unpaid.NOT_IN_TABLE)


def _paid_by(line: Line, won: Won) -> Paid:
    """The line's pay with drawn odds filled in. Raises `ValueError` where the wager function and the paytable disagree,
    which no input can bring about."""
    if isinstance(line.pay, DrawnToOne):
        if won.odds is None or not line.pay.allows(won.odds):
            raise ValueError(f"{line.section}, {line.name}: pays {line.pay}, the wager says {won.odds} to 1")
        return ToOne(won.odds, 1)
    if isinstance(line.pay, Unpaid) or won.odds is not None:
        raise ValueError(f"{line.section}, {line.name}: pays {line.pay}, the wager says {won}")
    return line.pay


def _worth_cents(paid: Paid, stake_cents: int, meters: Mapping[str, int], readings: Readings) -> int:
    """What a line hands to the patron in all, stake included, the whole meter floored to the cent (R7)."""
    match paid:
        case ToOne():
            return _fixed_award_cents(paid, stake_cents, readings) + stake_cents
        case ForOne() | Dollars():
            return _fixed_award_cents(paid, stake_cents, readings)
        case WholeMeter(meter=meter):
            return floor_to_cents(meters[meter])
        case _:
            assert_never(paid)


def _fixed_award_cents(paid: ToOne | ForOne | Dollars, stake_cents: int, readings: Readings) -> int:
    """What is paid on top of a stake handed back."""
    if isinstance(paid, Dollars):
        return paid.cents
    if readings.C2 == "down":
        return stake_cents * paid.numerator // paid.denominator
    return award_cents(stake_cents, paid.numerator, paid.denominator)


def _interim(verdict: Verdict, paytable: Paytable, stake_cents: int, readings: Readings) -> tuple[InterimAward, ...]:
    given: tuple[Interim, ...] = () if isinstance(verdict, Pushed) else verdict.interim
    awards = []
    for one in given:
        paid = paytable.by_line[one.line].pay
        if not isinstance(paid, ToOne | ForOne | Dollars):
            raise ValueError(f"{paytable.section}, {one.line}: pays {paid}, which can't be paid while the wager works")
        awards.append(InterimAward(one.line, _fixed_award_cents(paid, stake_cents, readings) if one.paid else 0))
    return tuple(awards)


# --- meters -----------------------------------------------------------------------------------------------------------


def _share_meters(
    settlements: list[Settlement], paytables: Mapping[str, Paytable], round_: RoundToSettle[Dealt]
) -> tuple[dict[str, int], dict[str, int] | None]:
    """Fill in what each winner of a meter is paid; the meters after the round, and the reserves after it."""
    winners: dict[str, list[int]] = {}
    for place, (_, payment, _) in enumerate(settlements):
        if payment.meter is not None:
            winners.setdefault(payment.meter, []).append(place)
    meters = dict(round_.meters)
    reserves = dict(round_.reserves or {})
    for meter, places in winners.items():
        snapshot = round_.meters[meter]
        whole_cents = floor_to_cents(snapshot)
        parts = [whole_cents] * len(places) if round_.readings.X4 == "each" else split_cents(whole_cents, len(places))
        for place, part in zip(places, parts, strict=True):
            won = settlements[place]
            settlements[place] = won._replace(payment=won.payment._replace(award_cents=part))
        seed = _seed_micro(meter, settlements[places[0]].wager, paytables, round_)
        balance = reserves.get(meter, 0)
        reseed, reserves[meter] = (balance, 0) if seed is None else reseed_from(seed, balance, round_.readings)
        meters[meter] = reseed + snapshot % MICRO_PER_CENT
    if round_.reserves is None:
        return meters, None
    return meters, {meter: reserves[meter] for meter in round_.reserves}


def _seed_micro(meter: str, wager: str, paytables: Mapping[str, Paytable], round_: RoundToSettle[Dealt]) -> int | None:
    """What a won meter returns to; None where that is its reserve's balance."""
    given = round_.seeds.get(meter)
    if given is not None:
        return given
    denomination = round_.offered[wager].denomination_cents or paytables[wager].denomination_cents
    if denomination is None:
        on_meter = [placed.cents for placed in round_.wagers if meter in paytables[placed.wager].meters]
        denomination = min(on_meter)
    amount = paytables[wager].seed(meter, round_.table.decks).amount
    return seed_micro(amount, denomination, round_.readings)


def seed_micro(amount: SeedAmount, denomination_cents: int, readings: Readings) -> int | None:
    """A printed seed in micro-dollars for a meter of that denomination (X13); None where it prints N/A (X16)."""
    match amount:
        case Dollars(cents=cents):
            return cents_to_micro(cents)
        case TimesWager(times=times):
            return cents_to_micro(times * denomination_cents)
        case TimesOrDollars(number=number):
            return number * (MICRO_PER_DOLLAR if readings.G6 == "dollars" else cents_to_micro(denomination_cents))
        case FromReserve():
            return None
        case _:
            assert_never(amount)


def reseed_from(seed_micro: int, reserve_micro: int, readings: Readings) -> tuple[int, int]:
    """The value to which a won meter returns, and what is left of its reserve (X15, X17).

    The reserve pays first and the house what is missing; a reserve larger than the seed keeps the rest, or under X17
    "max" goes into the meter whole.
    """
    value = max(seed_micro, reserve_micro) if readings.X17 == "max" else seed_micro
    return value, reserve_micro - min(reserve_micro, value)


# --- what is paid -----------------------------------------------------------------------------------------------------


def _payment(
    wager: Wager[Dealt], verdict: Verdict, cents: int, paytable: Paytable, round_: RoundToSettle[Dealt]
) -> Payment:
    """What a verdict comes to at a stake; a meter's award is left at 0, for its shares to be worked out."""
    resolved = resolve(verdict, paytable, cents, round_.meters, round_.readings)
    paid = resolved.paid
    handed_back = resolved.result is Result.PUSH or isinstance(paid, ToOne)
    source, meter, award = None, None, 0
    if isinstance(paid, WholeMeter):
        source, meter = Source.METER, paid.meter
    elif paid is not None:
        source, award = Source.TABLE_INVENTORY, _fixed_award_cents(paid, cents, round_.readings)
    return Payment(
        wager=wager.name,
        result=resolved.result,
        line=None if resolved.line is None else resolved.line.name,
        award_cents=award,
        stake_returned_cents=cents if handed_back else 0,
        source=source,
        meter=meter,
        validation=paid is not None and needs_validation(paid, paytable, cents, round_.validated_over_for_one),
        section=paytable.section,
        interim=_interim(verdict, paytable, cents, round_.readings) if wager.interim else None,
    )


def needs_validation(
    paid: Paid, paytable: Paytable, stake_cents: int, over_for_one: int = VALIDATED_OVER_FOR_ONE
) -> bool:
    """Whether an award that is paid so waits for the floorperson (X19-X21): a meter's, and more than `over_for_one`.

    A paytable that pays dollars has a denomination, and `stake_cents` is that: `check_round` takes no other stake.
    """
    if not paytable.progressive:
        return False
    match paid:
        case WholeMeter():
            return True
        case ToOne(numerator=numerator, denominator=denominator):
            return numerator + denominator > over_for_one * denominator
        case ForOne(numerator=numerator, denominator=denominator):
            return numerator > over_for_one * denominator
        case Dollars(cents=cents):
            return cents > over_for_one * stake_cents
        case _:
            assert_never(paid)


def _envy(
    settlements: list[Settlement], in_order: list[PlacedWager], paytables: Mapping[str, Paytable], readings: Readings
) -> tuple[Envy, ...]:
    """Envy bonuses, by receiver and then by cause, each from the highest numbered position."""
    causes = [
        (bonus, winner)
        for winner in settlements
        if winner.payment.line is not None
        for bonus in paytables[winner.wager].envy
        if bonus.line == winner.line
    ]
    found = [
        Envy(
            receiver.position,
            receiver.wager,
            _fixed_award_cents(bonus.pay, receiver.cents, readings),
            winner.position,
            bonus.section,
        )
        for bonus, winner in causes
        for receiver in in_order
        if receiver.wager == winner.wager and receiver.position != winner.position
    ]
    return tuple(sorted(found, key=lambda one: (-one.position, -one.because_of)))
