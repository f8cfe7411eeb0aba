"""A key switch with change-over contacts: two lines that must differ, joined into one position.

Answers for: when the key is turned, when it is back at rest, and when its wiring is broken. Fed with the debounced
levels of both lines; no clock, no I/O.

Rules (5 of them, since a reset key sets a won meter back to its seed):
* At rest the normally closed contact is closed and the normally open one open; turned, the other way round.
* Equal contacts are a key on its way, or, for longer than 100 ms, a wiring fault (`LineTrouble.WIRING`).
* The position's time is that of the contact that completed it, plus the hold time where one is asked for.
* A key with a hold time counts only when held that long without a break.
* It counts only after it was seen at rest: a key turned at start, or after a wiring fault, is not a turn.
"""

from __future__ import annotations

from drivers.events import KeySwitchTurned, LineEvent, LineHealthy, LineTrouble, LineTroubled
from drivers.line_spec import NS_PER_MS, KeySwitchSpec

WIRING_NS = 100 * NS_PER_MS


class KeySwitch:
    """The position of one key. `stable_ns` is its lines' debounce time: a contact's change is known only that later."""

    def __init__(
        self, device: str, spec: KeySwitchSpec, stable_ns: int, rest_closed: bool, turned_closed: bool, at_ns: int
    ) -> None:
        self._device = device
        self._spec = spec
        self._stable_ns = stable_ns
        self._closed = {spec.rest_line: rest_closed, spec.turned_line: turned_closed}
        self._since_ns = at_ns
        self._reported: bool | None = False if self._position() is False else None
        self._faulty = False
        self.deadline_ns: int | None = self._deadline()

    @property
    def lines(self) -> tuple[str, str]:
        return (self._spec.rest_line, self._spec.turned_line)

    def contact(self, line: str, closed: bool, at_ns: int) -> None:
        """A contact's debounced change, at the first edge of its run."""
        if self._closed[line] != closed:
            self._closed[line] = closed
            self._since_ns = max(self._since_ns, at_ns)
        self.deadline_ns = self._deadline()

    def advance(self, now_ns: int) -> list[LineEvent]:
        events: list[LineEvent] = []
        position = self._position()
        if position is None:
            if not self._faulty and now_ns >= self._since_ns + WIRING_NS + self._stable_ns:
                self._faulty = True
                self._reported = None
                at_ns = self._since_ns + WIRING_NS
                events.append(LineTroubled(self._device, self._spec.name, LineTrouble.WIRING, at_ns))
        else:
            if self._faulty:
                self._faulty = False
                events.append(LineHealthy(self._device, self._spec.name, position, self._since_ns))
            armed = self._reported is not None or not position
            if position != self._reported and armed and now_ns >= self._decided_ns(position):
                # Rest seen for the first time arms the key; it is a position only if a turn came before it.
                if position or self._reported:
                    at_ns = self._since_ns + (self._spec.hold_ns if position else 0)
                    events.append(KeySwitchTurned(self._device, self._spec.name, position, at_ns))
                self._reported = position
        self.deadline_ns = self._deadline()
        return events

    def _position(self) -> bool | None:
        """True turned, False at rest, None while the contacts agree."""
        rest, turned = self._closed[self._spec.rest_line], self._closed[self._spec.turned_line]
        return None if rest == turned else turned

    def _deadline(self) -> int | None:
        position = self._position()
        if position is None:
            return None if self._faulty else self._since_ns + WIRING_NS + self._stable_ns
        if self._faulty:
            return self._since_ns
        if position == self._reported or (position and self._reported is None):
            return None
        return self._decided_ns(position)

    def _decided_ns(self, position: bool) -> int:
        """When the position may be reported: a release within the hold time is known only a debounce time later."""
        hold_ns = self._spec.hold_ns
        return self._since_ns + (hold_ns + self._stable_ns if position and hold_ns else 0)
