"""What orders do to meters: a meter goes down otherwise only by an award or a reversal.

Rules:
* Only while the table is closed: no round, no award and no wager is open then, and no patron sees a meter fall.
* Whoever orders states what the account holds; if it holds something else, the order is refused.
"""

from __future__ import annotations

from firmware.core import meters
from firmware.core.effects import MeterCorrected
from firmware.core.order_data import CorrectMeter
from firmware.core.state import Meter, Phase
from firmware.core.turn import Turn

CLOSE_FIRST = "the table is not closed"


def correct(turn: Turn, order: CorrectMeter) -> str | None:
    """Set an account to a figure. Returns why not, or None."""
    if turn.state.phase is not Phase.CLOSED:
        return CLOSE_FIRST
    meter = next((m for m in turn.state.meters if m.name == order.meter), None)
    if meter is None:
        return _no_meter(turn, order.meter)
    holds = meters.held(meter, order.account)
    if holds != order.was_micro:
        return f"{order.meter}: {order.account} holds {holds} micro-dollars, not {order.was_micro}"
    if order.becomes_micro == holds:
        return f"{order.meter}: {order.account} holds that already"
    _put(turn, meters.correct(meter, order.account, order.becomes_micro))
    turn.emit(MeterCorrected(order.meter, order.account, holds, order.becomes_micro))
    return None


def _no_meter(turn: Turn, name: str) -> str:
    return f"there is no meter {name}; there is {', '.join(m.name for m in turn.state.meters) or 'none'}"


def _put(turn: Turn, meter: Meter) -> None:
    turn.set(meters=tuple(meter if m.name == meter.name else m for m in turn.state.meters))
