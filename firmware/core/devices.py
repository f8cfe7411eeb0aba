"""Which devices work, which do not, which are lent to a technician, and what the machine says of itself.

Rules:
* A lease is given only while the table is closed, hence with no round and no award open, and of devices that nobody
  else has. While one lasts the table can't be opened.
* A lent device is down, whatever it says of itself on its way out; back again it is down until it reports.
* A fact of the hardware closes nothing: what it breaks is a fault of its own. One that gets worse is noted.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from firmware.core import floor, orders, spots
from firmware.core.events import DeviceDown
from firmware.core.faults import Irregularity
from firmware.core.service_data import (
    HardwareFact,
    HardwareFound,
    Lease,
    LeaseAsked,
    LeaseEnd,
    LeaseEnded,
    LeaseGiven,
    LeaseOver,
    LeaseRefused,
    Verdict,
)
from firmware.core.state import Down, Phase, State
from firmware.core.turn import Turn


def up(turn: Turn, device: str) -> None:
    if turn.state.lent(device):
        return
    turn.set(down=tuple(d for d in turn.state.down if d.device != device))
    if device in turn.rules.card_readers:
        turn.withdraw(Irregularity.READER_DOWN)
    if device in turn.rules.wheels:
        turn.withdraw(Irregularity.WHEEL_DOWN)


def down(turn: Turn, event: DeviceDown) -> None:
    if turn.state.lent(event.device):
        return
    if event.device in turn.rules.spot_devices and all(d.device != event.device for d in turn.state.down):
        spots.device_down(turn, event.device)
    _take_down(turn, event.device, event.reason)
    if event.device in turn.rules.card_readers and turn.state.phase is Phase.DEALING:
        turn.note(Irregularity.READER_DOWN, detail=event.reason)
    if event.device in turn.rules.wheels:
        turn.set(wheel=replace(turn.state.wheel, closed=False))  # nobody knows any more
        if turn.state.phase in (Phase.DEALING, Phase.CHECKING):
            turn.note(Irregularity.WHEEL_DOWN, detail=event.reason)


def inputs_lent(turn: Turn) -> bool:
    """Whether what the lines said was said on their way out."""
    return any(turn.state.lent(device) for device in turn.rules.line_devices)


def _take_down(turn: Turn, device: str, reason: str) -> None:
    others = tuple(d for d in turn.state.down if d.device != device)
    turn.set(down=(*others, Down(device, reason)))
    if device in turn.rules.line_devices:
        turn.set(inputs_ready=False)
        floor.key_lost(turn)
        orders.reset_key_lost(turn)


# --- leases ---------------------------------------------------------------------------------------------------------


def lease_asked(turn: Turn, event: LeaseAsked) -> None:
    """Give it or refuse it; either is on record."""
    why = next(_reasons_against(turn.state, event), None)
    if why is not None:
        turn.emit(LeaseRefused(why))
        return
    number = turn.state.next_lease
    for device in event.devices:
        _take_down(turn, device, f"leased to {event.who}")
    lease = Lease(number, event.devices, event.who, event.why)
    turn.set(leases=(*turn.state.leases, lease), next_lease=number + 1)
    turn.emit(LeaseGiven(number))


def _reasons_against(state: State, event: LeaseAsked) -> Iterator[str]:
    if not event.who.strip() or not event.why.strip():
        yield "nobody is named, or no reason is given"
    if not (event.who + event.why).isprintable():
        yield "the name or the reason has characters that can't be printed"
    if not event.devices:
        yield "no device is named"
    if state.phase is not Phase.CLOSED:
        yield f"the table is not closed ({state.phase}): the floorperson must close it first"
    for lease in state.leases:
        for device in lease.devices:
            if device in event.devices:
                yield f"{device} is leased to {lease.who} already ({lease.why})"


def lease_ended(turn: Turn, event: LeaseEnded) -> None:
    """One that has ended already changes nothing."""
    _end(turn, event.lease, event.how, "starting")


def restarted(turn: Turn) -> None:
    """The daemon started: it has opened every device itself, so nothing is lent any more."""
    for lease in turn.state.leases:
        _end(turn, lease.number, LeaseEnd.RESTARTED, "starting")


def _end(turn: Turn, number: int, how: LeaseEnd, reason: str) -> None:
    lease = next((one for one in turn.state.leases if one.number == number), None)
    if lease is None:
        return
    turn.set(leases=tuple(one for one in turn.state.leases if one is not lease))
    for device in lease.devices:
        _take_down(turn, device, reason)
    turn.emit(LeaseOver(number, how))


# --- the machine ----------------------------------------------------------------------------------------------------

_SEVERITY = (Verdict.GOOD, Verdict.NOT_KNOWN, Verdict.WARN, Verdict.BAD)


def hardware_found(turn: Turn, event: HardwareFound) -> None:
    """Facts that are not good are kept; one that has got worse, to what a person should know of, is noted."""
    before = next((f.verdict for f in turn.state.hardware if f.fact == event.fact), Verdict.GOOD)
    others = tuple(f for f in turn.state.hardware if f.fact != event.fact)
    good = event.verdict is Verdict.GOOD
    turn.set(hardware=others if good else (*others, HardwareFact(event.fact, event.value, event.verdict)))
    if event.verdict in (Verdict.WARN, Verdict.BAD) and _SEVERITY.index(event.verdict) > _SEVERITY.index(before):
        turn.note(Irregularity.HARDWARE_POOR, detail=f"{event.fact}: {event.value}")
