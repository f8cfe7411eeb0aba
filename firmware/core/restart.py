"""What a start of the daemon makes of the recovered state.

Rules:
* Wagers, meters, cards and awards are exactly as committed. Whether money changed hands just before the stop nobody
  here knows: an award that was being paid is asked about, not paid again.
* Nothing is known of the hardware: every required device is down until it reports, every key at rest until it is read.
* A new boot starts the monotonic clock anew: times are kept only as "before the press", "the press", "after it".
* What was lent to a technician is the daemon's again.
* What the generator was asked and has not answered is asked again.
* A lock-out whose window the stop cut off is decided on what is on record once the levels are in, and is flagged.
"""

from __future__ import annotations

from msgspec.structs import replace

from firmware.core import awards, devices, draws, lockout, meter_orders, mystery, spots
from firmware.core.awards import Due
from firmware.core.events import InputsReady, JournalResumed, SpotsReady, Started, TimerKind
from firmware.core.faults import Irregularity
from firmware.core.rounds.machine import machine
from firmware.core.rules import TableRules
from firmware.core.state import Chip, Down, Panel, Phase, Spot, Timer
from firmware.core.turn import Turn

INPUTS_START_NS = 5_000_000_000
"""How long an interrupted lock-out waits for the inputs of a table that has just started."""

BEFORE_NS, PRESS_NS, AFTER_NS = 0, 1, 2
"""What is left of an earlier boot's times: their order around the press."""


def started(turn: Turn, event: Started) -> None:
    if event.boot_id != turn.state.boot_id:
        _new_clock(turn)
    turn.set(timers=tuple(Timer(t.kind, event.at_ns + _wait_ns(turn.rules, t.kind)) for t in turn.state.timers))
    devices.restarted(turn)
    turn.set(
        boot_id=event.boot_id,
        inputs_ready=False,
        panel=Panel(),
        menu=None,
        hint="",
        down=tuple(Down(name, "starting") for name in (*turn.rules.devices, *turn.rules.spot_devices)),
        software=replace(turn.state.software, known=False),
        wall_trusted=event.wall_trusted,
    )
    meter_orders.parameters_in_force(turn)
    for award, waits_for in awards.open_awards(turn.state):
        if waits_for is Due.PAY:
            turn.note(Irregularity.PAYMENT_INTERRUPTED, award.position, f"award {award.id}")
    draws.started(turn)
    mystery.started(turn)


def _wait_ns(rules: TableRules, kind: TimerKind) -> int:
    return INPUTS_START_NS if kind is TimerKind.INPUTS_OVERDUE else machine(rules).wait_ns(kind)


def _new_clock(turn: Turn) -> None:
    lock = turn.state.lock
    press_ns = lock.press_ns if lock is not None else None
    if lock is not None and lock.by_wheel:  # what came after the wheel was last heard to be open can't count
        press_ns = -1 if lock.open_ns is None else lock.open_ns

    def retime(chip: Chip) -> Chip:
        if press_ns is None or chip.not_after_ns < press_ns:
            return Chip(BEFORE_NS, BEFORE_NS)
        return Chip(BEFORE_NS if chip.not_before_ns < press_ns else AFTER_NS, AFTER_NS)

    turn.change_spots(lambda s: s if s.chip is None else replace(s, chip=retime(s.chip)))
    if turn.state.swept_from_ns is not None:
        turn.set(swept_from_ns=BEFORE_NS)
    if lock is not None:
        known = {name: PRESS_NS for name in ("card_ns", "wheel_ns", "open_ns") if getattr(lock, name) is not None}
        turn.set(lock=replace(lock, press_ns=PRESS_NS, **known))


def inputs_ready(turn: Turn, event: InputsReady) -> None:
    """The levels are in. A chip that went in the meantime is no wager of an interrupted window."""
    before = turn.state.spots
    spots.inputs_ready(turn, event)
    if turn.state.phase is Phase.LOCKING:
        _note_gone(turn, before)
        if any(d.device in turn.rules.spot_devices for d in turn.state.down):
            return  # their chips may have gone too: they have until INPUTS_OVERDUE to say so
        lockout.interrupted(turn, Irregularity.LOCK_INTERRUPTED)
        machine(turn.rules).after_lock(turn, event.at_ns)


def spots_ready(turn: Turn, event: SpotsReady) -> None:
    """The same for the spots of one device."""
    before = turn.state.spots
    spots.spots_ready(turn, event)
    if turn.state.phase is Phase.LOCKING:
        _note_gone(turn, before)


def _note_gone(turn: Turn, before: tuple[Spot, ...]) -> None:
    for was, now in zip(before, turn.state.spots, strict=True):
        if was.chip is not None and now.chip is None:
            turn.note(Irregularity.STRADDLE, was.position, f"{was.wager}: on record, gone after the stop")


def journal_resumed(turn: Turn, event: JournalResumed) -> None:
    turn.note(Irregularity.JOURNAL_INTERRUPTED, detail=f"{event.reason}; last entry {event.seq}")
