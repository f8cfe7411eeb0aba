"""The core's one door: `step(rules, state, event) -> (state, effects)`. Pure: the same in gives the same out, anywhere.

Every event has a row here; what a key does in which phase stands in `rounds/keys.py`. After every event the table is
reviewed (may betting be open?), the meters are balanced, and what people see is compared with what they saw before.
"""

from __future__ import annotations

from typing import assert_never

from msgspec.structs import replace

from firmware.core import (
    custody,
    devices,
    draws,
    floor,
    lockout,
    meters,
    mystery,
    orders,
    restart,
    screen,
    shoe,
    software,
    spots,
    table,
)
from firmware.core.draw_events import Drawn, TriggerDrawn, TriggerHit, TriggerLost, TriggerTested
from firmware.core.effects import Confirmed, Effect
from firmware.core.events import (
    CardBurned,
    CardHeldOver,
    CardRead,
    CardScanned,
    ChipLifted,
    ChipPlaced,
    CutCardDrawn,
    DeviceDown,
    DeviceUp,
    DoorMoved,
    EffectDone,
    EffectFailed,
    Event,
    FloorKeyTurned,
    FoldPressed,
    InputsReady,
    InputsSettled,
    JournalResumed,
    KeyPressed,
    KeyWiringFailed,
    LateEdge,
    LockEdge,
    LockGlitch,
    LockProved,
    LockReleased,
    NoiseBurst,
    OrderGiven,
    ReaderError,
    ReaderErrorCleared,
    ReaderLocked,
    ReaderResult,
    ReaderStarted,
    ResetKeyTurned,
    SpotFailed,
    SpotRecovered,
    SpotsReady,
    Started,
    Tick,
    TimerFired,
    TimerKind,
)
from firmware.core.faults import Irregularity
from firmware.core.machine_events import IdentityFound, JournalBegun, WallClockStepped, WallTrustChanged
from firmware.core.rounds import keys
from firmware.core.rounds.machine import machine
from firmware.core.rules import TableRules
from firmware.core.service_data import HardwareFound, LeaseAsked, LeaseEnded
from firmware.core.state import Menu, Phase, State
from firmware.core.turn import Turn
from firmware.core.wheel_events import NumberInDoubt, NumberRead, SpinVoided, WheelMoved, WheelTroubled


def step(rules: TableRules, state: State, event: Event) -> tuple[State, tuple[Effect, ...]]:
    """The next state and what it asks of the world. Raises only for faults of the program."""
    turn = Turn(rules, state)
    _handle(turn, event)
    spots.close_dark(turn)
    table.review(turn)
    mystery.review(turn)
    if turn.state is state or (not turn.effects and turn.state == state):
        return state, tuple(turn.effects)
    if not isinstance(event, KeyPressed):
        _keep_menu_true(turn, state)
    for before, after in zip(state.meters, turn.state.meters, strict=True):
        meters.check(after)
        meters.check_growth(before, after)
    turn.effects.extend(screen.changes(rules, state, turn.state))
    return turn.state, tuple(turn.effects)


def _handle(turn: Turn, event: Event) -> None:
    match event:
        case Tick():
            pass
        case Started():
            restart.started(turn, event)
        case InputsReady():
            if not devices.inputs_lent(turn):
                restart.inputs_ready(turn, event)
        case SpotsReady():
            if not turn.state.lent(event.device):
                restart.spots_ready(turn, event)
        case JournalResumed():
            restart.journal_resumed(turn, event)
        case ChipPlaced():
            spots.chip_placed(turn, event)
        case ChipLifted():
            spots.chip_lifted(turn, event)
        case SpotFailed():
            spots.spot_failed(turn, event)
        case SpotRecovered():
            spots.spot_recovered(turn, event)
        case LateEdge():
            spots.late_edge(turn, event)
        case NoiseBurst():
            spots.noise_burst(turn, event)
        case LockEdge():
            turn.set(panel=replace(turn.state.panel, lockout_down=True))
            lockout.press(turn, event)
        case LockProved():
            turn.set(panel=replace(turn.state.panel, lockout_down=True))
        case LockGlitch():
            turn.set(panel=replace(turn.state.panel, lockout_down=False))
            lockout.glitch(turn, event)
        case LockReleased():
            turn.set(panel=replace(turn.state.panel, lockout_down=False, lockout_seen_released=True))
        case InputsSettled():
            if lockout.settled(turn, event):
                machine(turn.rules).after_lock(turn, event.at_ns + event.window_ns)
        case KeyPressed():
            _key(turn, event)
        case FloorKeyTurned():
            floor.key_turned(turn, event.turned)
        case ResetKeyTurned():
            turn.set(panel=replace(turn.state.panel, reset_turned=event.turned), hint="")
            if event.turned:
                keys.reset_key(turn, event.at_ns)
        case DoorMoved():
            if event.open:
                turn.note(Irregularity.DOOR_OPEN)
        case KeyWiringFailed():
            _key_wiring(turn, event)
        case CardRead() | CardScanned() | CardHeldOver() | ReaderResult() | FoldPressed():
            machine(turn.rules).take(turn, event)
        case WheelMoved() | NumberRead() | NumberInDoubt() | SpinVoided() | WheelTroubled():
            machine(turn.rules).take(turn, event)
        case CardBurned():
            shoe.see(turn, event.card)
        case CutCardDrawn():
            shoe.cut(turn)
        case ReaderStarted():
            shoe.reader_started(turn)
        case ReaderError():
            turn.note(Irregularity.READER_ERROR, detail=f"{event.code} {event.text}")
        case ReaderErrorCleared():
            turn.withdraw(Irregularity.READER_ERROR)
        case ReaderLocked():
            pass
        case DeviceUp():
            devices.up(turn, event.device)
        case DeviceDown():
            devices.down(turn, event)
        case EffectDone():
            turn.emit(Confirmed(event.effect, event.seq))
        case EffectFailed():
            turn.note(Irregularity.SHOW_FAILED, detail=f"{event.device}: {event.reason}")
        case TimerFired():
            _timer(turn, event)
        case IdentityFound():
            software.found(turn, event)
        case WallClockStepped():
            turn.note(Irregularity.CLOCK_STEPPED, detail=f"by {event.by_ns} ns")
            turn.set(wall_trusted=event.trusted)
        case WallTrustChanged():
            turn.set(wall_trusted=event.trusted)
        case Drawn():
            if draws.answered(turn, event):
                machine(turn.rules).take(turn, event)
        case TriggerDrawn() | TriggerTested() | TriggerHit() | TriggerLost():
            mystery.take(turn, event)
        case OrderGiven():
            orders.give(turn, event)
        case JournalBegun():
            custody.begun(turn, event)
        case LeaseAsked():
            devices.lease_asked(turn, event)
        case LeaseEnded():
            devices.lease_ended(turn, event)
        case HardwareFound():
            devices.hardware_found(turn, event)
        case _:
            assert_never(event)


def _key(turn: Turn, event: KeyPressed) -> None:
    if turn.state.menu is not None:
        floor.press(turn, event.key, event.at_ns)
        return
    turn.set(hint="")
    row = keys.KEYS.get((turn.state.phase, event.key))
    if row is None or not machine(turn.rules).offers_key(turn.state, event.key):
        turn.refuse(event.key, f"{event.key.upper()} NOT NOW")
    else:
        row.act(turn, event.at_ns)


def _key_wiring(turn: Turn, event: KeyWiringFailed) -> None:
    others = tuple(k for k in turn.state.panel.wiring if k != event.key)
    turn.set(panel=replace(turn.state.panel, wiring=others if event.restored else (*others, event.key)))
    if not event.restored:
        turn.note(Irregularity.KEY_WIRING, detail=event.key)
        match event.key.split(".")[0]:
            case floor.KEY:
                floor.key_lost(turn)
            case orders.RESET_KEY:
                orders.reset_key_lost(turn)


def _timer(turn: Turn, event: TimerFired) -> None:
    """A timer that was stopped or set anew meanwhile is no longer in the state, and does nothing."""
    if not any(t.kind is event.kind and t.due_ns == event.due_ns for t in turn.state.timers):
        return
    turn.stop_timer(event.kind)
    match event.kind:
        case TimerKind.INPUTS_OVERDUE:
            if turn.state.phase is Phase.LOCKING:
                lockout.interrupted(turn, Irregularity.INPUTS_OVERDUE)
                machine(turn.rules).after_lock(turn, event.at_ns)
        case TimerKind.CARD_OVERDUE | TimerKind.RESULT_OVERDUE | TimerKind.NUMBER_OVERDUE:
            machine(turn.rules).overdue(turn, event.kind)
        case _:
            assert_never(event.kind)


def _keep_menu_true(turn: Turn, before: State) -> None:
    """Where an event changes what the floorperson may do, the menu starts anew and says so: CONFIRM never takes an
    unseen line, nor one that came while the finger was on its way."""
    if turn.state.menu is None or before.menu is None:
        return

    def labels(state: State) -> list[str]:
        return [line.label for line in floor.lines(turn.rules, replace(state, menu=None))]

    if labels(before) != labels(turn.state):
        turn.set(menu=Menu(changed=True))
