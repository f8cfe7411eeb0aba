"""The states of a link to a device and its one table of transitions. Nothing else decides about states.

Rules:
* READY is the only state in which a device is usable.
* ABSENT: its path isn't there. BACKOFF: the path is there (or was), and something is wrong; it is tried again later.
* STALE: a device that has to speak, and has been silent for its limit. Heard again it is READY; silent for a second
  limit it is closed and opened anew, since that revives a hung adapter.
* An event that a state has no entry for is a fault of this program (`LinkFault`), never ignored.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

from drivers.events import LinkState


class LinkEvent(StrEnum):
    """What can happen to a link."""

    TRY = "try"  # start, or the wait of the back-off is over
    NOT_THERE = "not_there"  # opening found no such path
    REFUSED = "refused"  # opening failed for another reason: in use, no permission, not a serial port
    OPENED = "opened"
    IDENTIFIED = "identified"  # the device's first exchange (or first full content) went through
    REJECTED = "rejected"  # the first exchange failed
    SILENT = "silent"  # nothing heard for the device's limit
    HEARD = "heard"  # heard again after that
    LOST = "lost"  # unplugged, hung up, or a write failed
    STOP = "stop"  # the daemon ends or the device is taken away


class LinkFault(Exception):
    """An event in a state that has no entry for it: a bug, to be reported."""


_A, _O, _I, _R, _S, _B = (
    LinkState.ABSENT,
    LinkState.OPENING,
    LinkState.IDENTIFYING,
    LinkState.READY,
    LinkState.STALE,
    LinkState.BACKOFF,
)

TRANSITIONS: Final[dict[LinkState, dict[LinkEvent, LinkState]]] = {
    _A: {LinkEvent.TRY: _O, LinkEvent.STOP: _A},
    _O: {LinkEvent.NOT_THERE: _A, LinkEvent.REFUSED: _B, LinkEvent.OPENED: _I, LinkEvent.STOP: _A},
    _I: {LinkEvent.IDENTIFIED: _R, LinkEvent.REJECTED: _B, LinkEvent.LOST: _B, LinkEvent.STOP: _A},
    _R: {LinkEvent.SILENT: _S, LinkEvent.LOST: _B, LinkEvent.STOP: _A},
    _S: {LinkEvent.HEARD: _R, LinkEvent.SILENT: _B, LinkEvent.LOST: _B, LinkEvent.STOP: _A},
    _B: {LinkEvent.TRY: _O, LinkEvent.STOP: _A},
}


def following(state: LinkState, event: LinkEvent) -> LinkState:
    """The state after `event` in `state`. `LinkFault` where the table has no entry."""
    try:
        return TRANSITIONS[state][event]
    except KeyError:
        expected = ", ".join(TRANSITIONS[state])
        raise LinkFault(f"link event {event} in state {state}; expected one of: {expected}") from None
