"""What orders do to meters: a meter goes down otherwise only by an award or a reversal.

Rules:
* Only while the table is closed: no round, no award and no wager is open then, and no patron sees a meter fall.
* Whoever orders states what the account holds; if it holds something else, the order is refused.
* No transfer or correction lifts a shown meter over its limit, and none leaves an account below zero.
* Parameters change with a start: an order allows the next configuration to have them, that start puts them in force.
* Each function returns why the order can't be carried out, or None. What a refused one has begun, `orders` undoes.
"""

from __future__ import annotations

from firmware.core import meters
from firmware.core.order_data import Account, ChangeParameters, CorrectMeter, Transfer, TransferIn, TransferOut
from firmware.core.order_effects import (
    MeterCorrected,
    ParametersInForce,
    ParametersOrdered,
    TransferredIn,
    TransferredOut,
)
from firmware.core.rules import MeterRule
from firmware.core.state import BonusPhase, Phase
from firmware.core.turn import Turn


def correct(turn: Turn, order: CorrectMeter) -> str | None:
    """Set an account to a figure."""
    why = _why_not(turn, order.meter, order.account, order.was_micro)
    if why is not None:
        return why
    if order.becomes_micro == order.was_micro:
        return f"{order.meter}: {order.account} holds that already"
    if order.becomes_micro < 0:
        return f"{order.meter}: {order.account} can't hold {order.becomes_micro} micro-dollars"
    turn.put_meter(meters.correct(turn.state.meter(order.meter), order.account, order.becomes_micro))
    turn.emit(MeterCorrected(order.meter, order.account, order.was_micro, order.becomes_micro))
    return _over_limit(turn, order.meter)


def transfer(turn: Turn, order: Transfer) -> str | None:
    """From one account to another, of the same meter or of another one of this table."""
    if (order.meter, order.account) == (order.to_meter, order.to_account):
        return "both accounts are one"
    target = f"{order.to_meter} {order.to_account}"
    why = _take(turn, order.meter, order.account, order.was_micro, order.amount_micro, target)
    return why or _give(turn, order.to_meter, order.to_account, order.amount_micro, f"{order.meter} {order.account}")


def transfer_out(turn: Turn, order: TransferOut) -> str | None:
    """To a meter that is not of this table."""
    why = _not_named(order.destination)
    return why or _take(turn, order.meter, order.account, order.was_micro, order.amount_micro, order.destination)


def transfer_in(turn: Turn, order: TransferIn) -> str | None:
    """From a meter that is not of this table."""
    why = _not_named(order.origin) or _why_not(turn, order.meter, order.account, order.was_micro)
    return why or _give(turn, order.meter, order.account, order.amount_micro, order.origin)


def change_parameters(turn: Turn, order: ChangeParameters) -> str | None:
    """Allow the next start to have these parameters; the last order about a meter holds."""
    if turn.state.phase is not Phase.CLOSED:
        return _CLOSE_FIRST
    if (why := _no_meter(turn, order.meter)) is not None:
        return why
    if turn.rules.mystery is not None and turn.rules.mystery.meter == order.meter:
        return f"{order.meter}: a trigger is drawn for the parameters it has"
    now, shown = turn.rules.meter_rule(order.meter), turn.state.meter(order.meter).shown_micro
    if order.limit_micro is not None and order.limit_micro < max(shown, order.reseed_micro or 0):
        return f"{order.meter}: a limit of {order.limit_micro} micro-dollars is below what it shows or returns to"
    wanted = MeterRule(
        name=now.name,
        wager=now.wager,
        seed_micro=order.seed_micro,
        increment_ppm=order.increment_ppm,
        reserve_ppm=order.reserve_ppm,
        reseed_micro=order.reseed_micro,
        hidden_ppm=order.hidden_ppm,
        limit_micro=order.limit_micro,
        overflow=order.overflow,
    )
    others = tuple(rule for rule in turn.state.parameters if rule.name != now.name)
    if wanted == now and len(others) == len(turn.state.parameters):
        return f"{order.meter} has these parameters"
    turn.set(parameters=others if wanted == now else (*others, wanted))
    turn.emit(ParametersOrdered(wanted))
    return None


def parameters_in_force(turn: Turn) -> None:
    """At a start: what was ordered and now stands in the configuration is carried out. What was ordered and does not,
    waits."""
    for rule in turn.state.parameters:
        if rule in turn.rules.meters:
            turn.emit(ParametersInForce(rule))
    waiting = tuple(rule for rule in turn.state.parameters if rule not in turn.rules.meters)
    if waiting != turn.state.parameters:
        turn.set(parameters=waiting)


_CLOSE_FIRST = "the table is not closed"


def _why_not(turn: Turn, name: str, account: Account, was_micro: int) -> str | None:
    """Why this account can't be touched: the table is open, there is no such meter, it holds something else."""
    if turn.state.phase is not Phase.CLOSED:
        return _CLOSE_FIRST
    if (why := _no_meter(turn, name)) is not None:
        return why
    if _asked_about(turn, name):
        return f"{name}: the generator is asked about what it holds; give the order again"
    holds = meters.held(turn.state.meter(name), account)
    return None if holds == was_micro else f"{name}: {account} holds {holds} micro-dollars, not {was_micro}"


def _not_named(place: str) -> str | None:
    """Where money goes or comes from stands in reports: one line, and somewhere."""
    if place.isprintable() and any(character.isalnum() for character in place):
        return None
    return "the table and meter elsewhere must be named, in characters that can be printed"


def _take(turn: Turn, name: str, account: Account, was_micro: int, micro: int, other: str) -> str | None:
    why = _why_not(turn, name, account, was_micro)
    if why is not None:
        return why
    if not 0 < micro <= was_micro:
        return f"{name}: {micro} micro-dollars can't be taken from {was_micro}"
    turn.put_meter(meters.move_out(turn.state.meter(name), account, micro))
    turn.emit(TransferredOut(name, account, micro, other))
    return None


def _give(turn: Turn, name: str, account: Account, micro: int, other: str) -> str | None:
    if (why := _no_meter(turn, name)) is not None:
        return why
    if _asked_about(turn, name):
        return f"{name}: the generator is asked about what it holds; give the order again"
    if micro <= 0:
        return "there is nothing to transfer"
    turn.put_meter(meters.move_in(turn.state.meter(name), account, micro))
    turn.emit(TransferredIn(name, account, micro, other))
    return _over_limit(turn, name)


def _asked_about(turn: Turn, name: str) -> bool:
    """An answer about another amount than the meter holds would fit no question: the bonus would wait for ever."""
    bonus = turn.state.mystery
    return bonus is not None and bonus.meter == name and bonus.phase is BonusPhase.TESTING


def _over_limit(turn: Turn, name: str) -> str | None:
    bonus, shown = turn.rules.mystery, turn.state.meter(name).shown_micro
    limit = turn.rules.meter_rule(name).limit_micro
    if bonus is not None and bonus.meter == name:
        limit = bonus.must_hit_by_micro - bonus.largest_micro  # the paid meter is never more than the maximum (M3)
    if limit is None or shown <= limit:
        return None
    return f"{name}: it would show {shown} micro-dollars, over its limit of {limit}"


def _no_meter(turn: Turn, name: str) -> str | None:
    names = [rule.name for rule in turn.rules.meters]
    return None if name in names else f"there is no meter {name}; there is {', '.join(names) or 'none'}"
