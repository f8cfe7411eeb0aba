"""How `tabled journal show` tells of a technician's leases and of the machine under the table."""

from __future__ import annotations

from typing import assert_never

from firmware.core.service_data import (
    HardwareFound,
    LeaseAsked,
    LeaseEnded,
    LeaseGiven,
    LeaseOver,
    LeaseRefused,
    ServiceEvent,
    ServiceRecord,
)


def service_event(event: ServiceEvent) -> str:
    match event:
        case LeaseAsked():
            return f"{event.who} asks for a lease of {', '.join(event.devices)}: {event.why}"
        case LeaseEnded():
            return f"lease {event.lease} ends: {event.how}"
        case HardwareFound():
            return f"machine: {event.fact} is {event.verdict}: {event.value}"
        case _:
            assert_never(event)


def service_record(effect: ServiceRecord) -> str:
    match effect:
        case LeaseGiven():
            return f"  LEASE {effect.lease} given: the daemon lets go of these devices"
        case LeaseRefused():
            return f"  lease REFUSED: {effect.why}"
        case LeaseOver():
            return f"  lease {effect.lease} is over ({effect.how}): the daemon opens its devices again"
        case _:
            assert_never(effect)
