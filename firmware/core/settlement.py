"""Settlement: who won what in a round, from what was dealt, the offered paytables and the meters frozen at lock-out.

Rules:
* Pure and the same for every game: the game brings its wager functions, the catalogue its figures; nothing here knows
  a game.
* The live table settles twice, the initial stage on four cards and the final stage at the end, `tabled settle` once
  with both; the two stages are exact parts of the whole, and neither changes a meter that the other pays.
* Losing wagers first, then the others; in each group from the highest numbered position; at one position in the
  game's order of wagers (627b.2(f)). The order in which wagers came in changes nothing.
* A won meter (X4, X5, X6): its snapshot, floored to the cent, is shared equally, the cents left over go one each to
  the winners in settlement order, and the fraction of a cent stays. It returns to its seed, drawn from its reserve
  first (X15, X17).
* An award by odds is rounded up to the cent (C2). `validation` (X19-X21): every award of a meter, and a line of a
  progressive wager that pays over 200 for 1, needs the floorperson; N to 1 counts as N + 1 for 1, dollars by the
  denomination.
* Meters are micro-dollars inside. A round that is refused changes nothing: it raises `SettlementError` before any
  amount is worked out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import assert_never

from firmware.core.money import MICRO_PER_CENT, award_cents, floor_to_cents, split_cents
from firmware.core.paytables import Catalogue, Dollars, ForOne, Line, Paytable, ToOne, WholeMeter
from firmware.core.readings import Readings
from firmware.core.round_checks import check_round
from firmware.core.settlement_data import PlacedWager, Result, RoundToSettle, SettledRound, Settlement, Source
from firmware.core.wagers.wager import Dealt, Lost, Pushed, Seat, Stage, Verdict, Won

VALIDATED_OVER_FOR_ONE = 200
"""633b.21(e)(2), taken for every progressive wager (X20): a line that pays more for 1 is validated by the
floorperson.
"""


@dataclass(frozen=True, slots=True)
class _Judged:
    """A wager with its verdict resolved to one line."""

    placed: PlacedWager
    result: Result
    line: Line | None
    line_name: str | None


def settle(round_: RoundToSettle[Dealt], catalogue: Catalogue, stage: Stage = Stage.ALL) -> SettledRound:
    """Settle the wagers of a stage.

    Everything about the round is checked first, also for wagers of another stage. Raises `SettlementError` with the
    code of what is wrong.
    """
    paytables = check_round(round_, catalogue, stage)
    order = {name: number for name, (number, _) in round_.game.by_name.items()}
    verdicts: dict[tuple[str, int], Verdict] = {}
    judged: list[_Judged] = []
    for placed in round_.wagers:
        _, wager = round_.game.by_name[placed.wager]
        if not stage.includes(wager.stage):
            continue
        key = (wager.name, placed.position if wager.per_position else 0)
        if key not in verdicts:
            verdicts[key] = wager.judge(round_.dealt, Seat(placed.position, round_.table, round_.readings))
        judged.append(_resolve(placed, verdicts[key], paytables[wager.name], round_))
    judged.sort(key=lambda one: (one.result is not Result.LOSE, -one.placed.position, order[one.placed.wager]))
    shares, meters_after, reserves_after = _share_meters(judged, paytables, round_)
    settlements = tuple(_pay(one, paytables[one.placed.wager], shares, round_.readings) for one in judged)
    return SettledRound(settlements, (), meters_after, reserves_after)


def _resolve(placed: PlacedWager, verdict: Verdict, paytable: Paytable, round_: RoundToSettle[Dealt]) -> _Judged:
    match verdict:
        case Lost():
            return _Judged(placed, Result.LOSE, None, None)
        case Pushed(name):
            return _Judged(placed, Result.PUSH, None, name)
        case Won(names):
            line = choose_line(names, paytable, placed.cents, round_.meters, round_.readings)
            return _Judged(placed, Result.WIN, line, line.name)
        case _:
            assert_never(verdict)


def choose_line(
    names: tuple[str, ...], paytable: Paytable, stake_cents: int, meters: Mapping[str, int], readings: Readings
) -> Line:
    """The one line that a won wager is paid on.

    Where several compete (R7), "highest" takes the largest amount at the snapshot, the whole meter counting floored
    to the cent, and of equal amounts the row that stands higher; "table" takes the higher row whatever it is worth.
    `names` are in the order of the table.
    """
    lines = [paytable.by_line[name] for name in names]
    if len(lines) == 1 or readings.R7 == "table":
        return lines[0]
    return max(lines, key=lambda line: _worth_cents(line, stake_cents, meters, readings))


def _worth_cents(line: Line, stake_cents: int, meters: Mapping[str, int], readings: Readings) -> int:
    """What the line hands to the patron in all, stake included."""
    match line.pay:
        case ToOne():
            return _fixed_award_cents(line.pay, stake_cents, readings) + stake_cents
        case ForOne() | Dollars():
            return _fixed_award_cents(line.pay, stake_cents, readings)
        case WholeMeter(meter):
            return floor_to_cents(meters[meter])
        case _:
            assert_never(line.pay)


def _fixed_award_cents(pay: ToOne | ForOne | Dollars, stake_cents: int, readings: Readings) -> int:
    if isinstance(pay, Dollars):
        return pay.cents
    if readings.C2 == "down":
        return stake_cents * pay.numerator // pay.denominator
    return award_cents(stake_cents, pay.numerator, pay.denominator)


def _share_meters(
    judged: list[_Judged], paytables: Mapping[str, Paytable], round_: RoundToSettle[Dealt]
) -> tuple[dict[PlacedWager, int], dict[str, int], dict[str, int] | None]:
    """Each meter winner's share in cents, the meters after the round, and the reserves after it."""
    winners: dict[str, list[PlacedWager]] = {}
    for one in judged:
        if one.line is not None and isinstance(one.line.pay, WholeMeter):
            winners.setdefault(one.line.pay.meter, []).append(one.placed)
    shares: dict[PlacedWager, int] = {}
    meters = dict(round_.meters)
    reserves = dict(round_.reserves or {})
    for meter, placed in winners.items():
        snapshot = round_.meters[meter]
        whole_cents = floor_to_cents(snapshot)
        parts = [whole_cents] * len(placed) if round_.readings.X4 == "each" else split_cents(whole_cents, len(placed))
        shares.update(zip(placed, parts, strict=True))
        seed = round_.seeds.get(meter)
        if seed is None:
            seed = paytables[placed[0].wager].least_seed_micro(meter)
        reseed, reserves[meter] = reseed_from(seed, reserves.get(meter, 0), round_.readings)
        meters[meter] = reseed + snapshot % MICRO_PER_CENT
    if round_.reserves is None:
        return shares, meters, None
    return shares, meters, {meter: reserves[meter] for meter in round_.reserves}


def reseed_from(seed_micro: int, reserve_micro: int, readings: Readings) -> tuple[int, int]:
    """The value to which a won meter returns, and what is left of its reserve (X15, X17).

    The reserve pays first and the house what is missing; a reserve larger than the seed keeps the rest, or under X17
    "max" goes into the meter whole.
    """
    value = max(seed_micro, reserve_micro) if readings.X17 == "max" else seed_micro
    return value, reserve_micro - min(reserve_micro, value)


def _pay(one: _Judged, paytable: Paytable, shares: Mapping[PlacedWager, int], readings: Readings) -> Settlement:
    placed, line = one.placed, one.line
    award = returned = 0
    source: Source | None = None
    meter: str | None = None
    if one.result is Result.PUSH:
        returned = placed.cents
    elif line is not None:
        if isinstance(line.pay, WholeMeter):
            award, source, meter = shares[placed], Source.METER, line.pay.meter
        else:
            award, source = _fixed_award_cents(line.pay, placed.cents, readings), Source.TABLE_INVENTORY
            returned = placed.cents if isinstance(line.pay, ToOne) else 0
    return Settlement(
        position=placed.position,
        wager=placed.wager,
        result=one.result,
        line=one.line_name,
        award_cents=award,
        stake_returned_cents=returned,
        source=source,
        meter=meter,
        validation=line is not None and needs_validation(line, paytable, placed.cents),
        section=paytable.section,
    )


def needs_validation(line: Line, paytable: Paytable, stake_cents: int) -> bool:
    """Whether an award on this line waits for the floorperson (X19-X21).

    A paytable that pays dollars has a denomination, and `stake_cents` is that: `check_round` takes no other stake.
    """
    if not paytable.progressive:
        return False
    match line.pay:
        case WholeMeter():
            return True
        case ToOne(numerator, denominator):
            return numerator + denominator > VALIDATED_OVER_FOR_ONE * denominator
        case ForOne(numerator, denominator):
            return numerator > VALIDATED_OVER_FOR_ONE * denominator
        case Dollars(cents):
            return cents > VALIDATED_OVER_FOR_ONE * stake_cents
        case _:
            assert_never(line.pay)
