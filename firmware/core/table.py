"""The table between rounds: opening, closing, pausing, the next round.

Rules:
* Closed until the floorperson opens it; can't be closed with a round or an award open. Both record all meters.
* Where the house tests its lamps, every lamp is lit first and the dealer says whether all are seen: most lamps can't
  say it themselves. Nothing has been opened until then.
* Open without a shoe waits for one; open with a reason against wagering is PAUSED and says which; else betting opens.
* Once betting is open only blind inputs or a faulty lock-out button pause it, since then nothing could close it right,
  and the burning of cards, none of which may be taken for a first card; it goes on under its number. Another device
  that fails is felt when the next round would open: the dealer's press counts whatever else is dark.
"""

from __future__ import annotations

from msgspec.structs import replace

from firmware.core import identity, meters, shoe, spots, tallies
from firmware.core.effects import LampsTested, RoundEnded, RoundOpened, TableClosed, TableOpened
from firmware.core.events import LOCKOUT
from firmware.core.faults import Irregularity
from firmware.core.rules import TableRules
from firmware.core.state import Phase, State
from firmware.core.turn import Turn


def reasons_against_wagering(rules: TableRules, state: State) -> tuple[str, ...]:
    """Why betting can't be opened, or can't stay open, now; each short enough for the display."""
    reasons = [f"{device.upper()} LEASED" for lease in state.leases for device in lease.devices]
    down = [d.device for d in state.down if not state.lent(d.device)]
    reasons += [f"{name.upper()} OFFLINE" for name in down if name in rules.line_devices]
    reasons += _blind(rules, state)
    if state.clearing is not None:
        reasons.append("RAM CLEAR ORDERED")
    if not state.inputs_ready:
        reasons.append("SENSORS SETTLING")
    elif LOCKOUT in state.panel.wiring:
        reasons.append("LOCK-OUT IS FAULTY")
    elif not state.panel.lockout_seen_released:
        reasons.append("LOCK-OUT IS STUCK")
    if state.software.open:
        reasons.append("SOFTWARE DIFFERS")
    elif identity.closes_wagering(rules, state.software):
        reasons.append("CHECKING SOFTWARE")
    if state.shoe.burning:
        reasons.append("BURN, THEN CONFIRM")
    if state.phase is Phase.BETTING:
        return tuple(reasons)
    if not reasons and state.panel.lockout_down:
        reasons.append("RELEASE LOCK-OUT")
    if state.wheel.closed:
        reasons.append("BALL STILL RUNS")
    others = [name for name in down if name in rules.devices and name not in rules.line_devices]
    return (*reasons, *(f"{name.upper()} OFFLINE" for name in others))


def _blind(rules: TableRules, state: State) -> list[str]:
    """Devices that sense spots only are missed as soon as no spot is sensed any more. Until then the others play on."""
    if not rules.spot_devices:
        return []
    away = {d.device for d in state.down}
    if any(spot.device not in away for spot in rules.spots):
        return []
    return [f"{name.upper()} OFFLINE" for name in rules.spot_devices if name in away]


def open_table(turn: Turn, at_ns: int) -> None:
    if turn.rules.lamps.opening_test:
        turn.set(phase=Phase.LAMP_TEST)
    else:
        _open(turn, at_ns)


def lamps_tested(turn: Turn, seen: bool, at_ns: int) -> None:
    """The dealer's answer. Nobody has been told of an opening yet: a table that stays closed was never open."""
    turn.emit(LampsTested(seen, at_ns))
    if not seen:
        turn.note(Irregularity.LAMP_DARK)
    if seen or not turn.rules.lamps.dark_keeps_closed:
        _open(turn, at_ns)
    else:
        turn.set(phase=Phase.CLOSED)


def _open(turn: Turn, at_ns: int) -> None:
    spots.take_out_covered(turn)
    turn.emit(TableOpened(at_ns))
    _record_meters(turn)
    next_round(turn)


def may_close(state: State) -> bool:
    """No round and no award is open. A round whose betting is open has no wagers yet."""
    return state.phase in (Phase.LAMP_TEST, Phase.PAUSED, Phase.NEW_SHOE, Phase.BETTING)


def close_table(turn: Turn, at_ns: int) -> None:
    turn.set(phase=Phase.CLOSED, resume=None, wheel=replace(turn.state.wheel, last=None))
    turn.emit(TableClosed(at_ns))
    _record_meters(turn)


def _record_meters(turn: Turn) -> None:
    for meter in turn.state.meters:
        turn.emit(meters.recorded(meter))


def end_round(turn: Turn) -> None:
    """The table is cleared. Only now does the round stand: what it awarded is counted."""
    tallies.round_stands(turn)
    turn.emit(RoundEnded(turn.state.round))
    shoe.round_ended(turn)
    turn.set(
        lock=None,
        wagers=(),
        swept_from_ns=None,
        game=None,
        settled=(),
        outcomes=(),
        called=(),
        awards=(),
        noted=(),
        resume=None,
    )
    next_round(turn)


def next_round(turn: Turn) -> None:
    if turn.rules.has_shoe and not turn.state.shoe.open:
        turn.set(phase=Phase.NEW_SHOE)
        return
    turn.set(phase=Phase.PAUSED, resume=None)
    review(turn)


def review(turn: Turn) -> None:
    """Open betting if nothing speaks against it any more; pause it if something does. Called after every event."""
    if turn.state.phase is Phase.NEW_SHOE and turn.state.shoe.open:
        turn.set(phase=Phase.PAUSED, resume=None)
    state = turn.state
    if state.phase is Phase.PAUSED and not reasons_against_wagering(turn.rules, state):
        if turn.rules.has_shoe and not state.shoe.open:
            turn.set(phase=Phase.NEW_SHOE, resume=None)
        elif state.resume is Phase.BETTING:
            turn.set(phase=Phase.BETTING, resume=None)
        else:
            _open_betting(turn)
    elif state.phase is Phase.BETTING and reasons_against_wagering(turn.rules, state):
        turn.set(phase=Phase.PAUSED, resume=Phase.BETTING)


def _open_betting(turn: Turn) -> None:
    number = turn.state.round + 1
    hint = turn.state.hint if turn.state.menu is not None else ""  # the floorperson's, who has just pressed a key
    turn.set(round=number, phase=Phase.BETTING, resume=None, hint=hint)
    turn.change_spots(lambda s: replace(s, refused=False) if s.refused else s)
    turn.emit(RoundOpened(number))
