"""Chips on spots, and spots in and out of service.

Rules:
* A chip that lies there when a round opens counts for that round; one that comes while betting is closed is refused
  until the next round opens.
* A spot leaves service by its line's trouble, by being covered when the table opens, or by the floorperson; it returns
  only by the floorperson, and only uncovered.
* The spots of a device that goes away close at once, but not inside a decision window; what a round has accepted
  stands. They return with the device: a level read has proved them. A chip found there that was not on record before
  waits for the floorperson.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from firmware.core.effects import WagerRefused
from firmware.core.events import (
    ChipLifted,
    ChipPlaced,
    CoveredSpot,
    InputsReady,
    LateEdge,
    NoiseBurst,
    SpotFailed,
    SpotRecovered,
    SpotsReady,
)
from firmware.core.faults import Irregularity
from firmware.core.rules import NS_PER_MS
from firmware.core.state import Chip, Phase, Service, Spot
from firmware.core.turn import STOPPABLE, Turn

LOCKED_PHASES = STOPPABLE | {Phase.STOPPED, Phase.VOIDED}
"""Phases in which a chip that comes is not recognized. LOCKING is none: there the window's evidence decides."""


def inputs_ready(turn: Turn, event: InputsReady) -> None:
    """First levels after start or reconnection: they set chips without being edges."""
    before = turn.state.panel
    turn.set(
        inputs_ready=True,
        menu=turn.state.menu if event.floor_key_turned else None,
        panel=replace(
            before,
            lockout_down=event.lockout_down,
            lockout_seen_released=before.lockout_seen_released or not event.lockout_down,
            floor_turned=event.floor_key_turned,
            reset_turned=event.reset_key_turned,
        ),
    )
    others = {(spot.position, spot.wager) for spot in turn.rules.sensed_by(turn.rules.spot_devices)}
    read = [spot for spot in turn.state.spots if (spot.position, spot.wager) not in others]
    _level_read(turn, read, event.covered, event.at_ns)


def spots_ready(turn: Turn, event: SpotsReady) -> None:
    """First levels of a device that senses spots only: it is back, and its spots are in service again."""
    own = {(spot.position, spot.wager) for spot in turn.rules.sensed_by((event.device,))}
    before = [spot for spot in turn.state.spots if (spot.position, spot.wager) in own]
    turn.set(down=tuple(d for d in turn.state.down if d.device != event.device))
    _level_read(turn, before, event.covered, event.at_ns)
    covered = {(spot.position, spot.wager) for spot in event.covered}
    for spot in before:
        at = (spot.position, spot.wager)
        found = at in covered and spot.chip is None
        if spot.service is Service.TROUBLE or (spot.service is Service.OFFLINE and found):
            turn.change_spot(*at, lambda s: replace(s, service=Service.WAITING, trouble=None))
        elif spot.service is Service.OFFLINE:
            turn.change_spot(*at, lambda s: replace(s, service=Service.IN))


def device_down(turn: Turn, device: str) -> None:
    """A device that senses spots only went away: its positions close, and the floorperson is told which."""
    lock = turn.state.lock
    if turn.state.phase is Phase.LOCKING and lock is not None and device not in lock.lost:
        turn.set(lock=replace(lock, lost=(*lock.lost, device)))
    positions = sorted({spot.position for spot in turn.rules.sensed_by((device,))})
    if positions:
        turn.note(Irregularity.SPOTS_OFFLINE, detail=f"{device}: positions {', '.join(map(str, positions))}")


def close_dark(turn: Turn) -> None:
    """Close the spots of devices that are away, except inside a decision window: there the record decides. Called after
    every event."""
    rules, state = turn.rules, turn.state
    if not rules.spot_devices or not state.down or state.phase is Phase.LOCKING:
        return
    dark = {(s.position, s.wager) for s in rules.sensed_by({d.device for d in state.down} & set(rules.spot_devices))}
    turn.change_spots(
        lambda s: (
            replace(s, service=Service.OFFLINE, refused=False)
            if s.service is Service.IN and (s.position, s.wager) in dark
            else s
        )
    )


def _level_read(turn: Turn, read: Iterable[Spot], covered: Iterable[CoveredSpot], at_ns: int) -> None:
    """Chips as a level read found them on these spots; their time lies before it."""
    there = {(spot.position, spot.wager) for spot in covered}
    for spot in read:
        is_covered = (spot.position, spot.wager) in there
        if is_covered and spot.chip is None:
            _placed(turn, spot.position, spot.wager, Chip(0, at_ns))
        elif not is_covered and spot.chip is not None:
            _lifted(turn, spot.position, spot.wager, at_ns, "found gone after a restart")


def chip_placed(turn: Turn, event: ChipPlaced) -> None:
    _placed(turn, event.position, event.wager, Chip(event.not_before_ns, event.not_after_ns))


def chip_lifted(turn: Turn, event: ChipLifted) -> None:
    _lifted(turn, event.position, event.wager, event.not_before_ns, "")


def spot_failed(turn: Turn, event: SpotFailed) -> None:
    turn.change_spot(
        event.position, event.wager, lambda s: replace(s, service=Service.TROUBLE, trouble=event.trouble, refused=False)
    )


def spot_recovered(turn: Turn, event: SpotRecovered) -> None:
    chip = Chip(0, event.at_ns) if event.covered else None
    turn.change_spot(
        event.position, event.wager, lambda s: replace(s, service=Service.WAITING, trouble=None, chip=chip)
    )


def late_edge(turn: Turn, event: LateEdge) -> None:
    what = "placed" if event.placed else "lifted"
    detail = f"{event.wager}: {what} at {event.at_ns} ns, arrived {event.lateness_ns // NS_PER_MS} ms later"
    turn.note(Irregularity.LATE_EDGE, event.position, detail)
    if not event.placed and not turn.state.settled:
        _doubt(turn, event.position, event.wager, "late signal: lifted before lock-out")


def noise_burst(turn: Turn, event: NoiseBurst) -> None:
    turn.note(Irregularity.NOISE_BURST, detail=f"{event.lines} lines")


def take_out_covered(turn: Turn) -> None:
    """The table opens: spots that are covered take no wager until they are cleared."""
    turn.change_spots(
        lambda s: (
            replace(s, service=Service.COVERED_AT_OPENING)
            if s.chip and s.service in (Service.IN, Service.OFFLINE)  # offline: it was covered when last seen
            else s
        )
    )


def set_service(turn: Turn, position: int, in_service: bool) -> None:
    """The floorperson takes a position out of service, or returns what can return (uncovered, line in order)."""
    if not in_service:
        turn.change_spots(
            lambda s: (
                replace(s, service=Service.FLOOR, refused=False)
                if s.position == position and s.service is not Service.TROUBLE
                else s
            )
        )
        return
    waiting = [s for s in turn.state.spots if s.position == position and s.service is not Service.IN]
    if any(s.chip for s in waiting):
        turn.set(hint=f"POS {position} IS COVERED")
    if any(s.service is Service.TROUBLE for s in waiting):
        turn.set(hint=f"POS {position} SENSOR FAULT")
    if any(s.service is Service.OFFLINE for s in waiting):
        turn.set(hint=f"POS {position} IS OFFLINE")
    turn.change_spots(
        lambda s: (
            replace(s, service=Service.IN)
            if s in waiting and s.chip is None and s.service not in (Service.TROUBLE, Service.OFFLINE)
            else s
        )
    )


def _placed(turn: Turn, position: int, wager: str, chip: Chip) -> None:
    refused = turn.state.phase in LOCKED_PHASES and not _accepted(turn, position, wager)
    turn.change_spot(position, wager, lambda s: replace(s, chip=chip, refused=refused))
    if refused:
        turn.emit(WagerRefused(position, wager, "placed after lock-out"))


def _lifted(turn: Turn, position: int, wager: str, at_ns: int, detail: str) -> None:
    """Before CONFIRM, or before the first card where there was nothing to confirm, nobody may take a chip away; the
    chip's own time decides, not when it was known."""
    turn.change_spot(position, wager, lambda s: replace(s, chip=None, refused=False))
    swept_from_ns = turn.state.swept_from_ns
    if _accepted(turn, position, wager) and (swept_from_ns is None or at_ns < swept_from_ns):
        chip_removed(turn, position, wager, detail)


def chip_removed(turn: Turn, position: int, wager: str, detail: str) -> None:
    """An accepted wager's chip left before the count was confirmed: it stands, the floorperson decides."""
    if any(w.position == position and w.wager == wager and w.doubt for w in turn.state.wagers):
        return  # already asked for
    turn.note(Irregularity.CHIP_REMOVED, position, f"{wager} {detail}".strip())
    _doubt(turn, position, wager, "chip removed")


def _doubt(turn: Turn, position: int, wager: str, why: str) -> None:
    """The wager stands unless the floorperson cancels it."""
    turn.set(
        wagers=tuple(
            replace(w, doubt=w.doubt or why) if w.position == position and w.wager == wager else w
            for w in turn.state.wagers
        )
    )


def _accepted(turn: Turn, position: int, wager: str) -> bool:
    return any(w.position == position and w.wager == wager for w in turn.state.wagers)
