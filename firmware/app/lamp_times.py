"""How long it took from a chip's edge until its lamp was lit, as the daemon itself can know it.

Rules:
* From the edge's own time, stamped by the kernel, until the lamps' driver has written the frame: debounce, decision,
  commit and the wire lie between. Of a polled line the edge is taken for as early as it can have been, so its time is
  the longest possible. A chip that only a level read found, since its edge was lost, is left out.
* The newest `KEPT` are kept. Nothing is decided from them, and they are not journalled.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from drivers.events import Shown
from firmware.app.line_names import spot_line
from firmware.app.outputs import LampString
from firmware.core.effects import Effect, LampChanged, LampShow
from firmware.core.events import ChipPlaced, Event
from firmware.journal.records import Entry

KEPT = 256


class LampTimes:
    """Told of what is carried out, and of what is shown."""

    def __init__(self, strings: Iterable[LampString]) -> None:
        self._device_of = {spot: string.device.name for string in strings for spot in string.pixels}
        self._waiting: dict[str, list[int]] = {}  # lamp device -> times of edges
        self._taken: deque[int] = deque(maxlen=KEPT)

    @property
    def newest(self) -> tuple[int, ...]:
        """Nanoseconds, oldest first."""
        return tuple(self._taken)

    def expect(self, entry: Entry[Event, Effect]) -> None:
        """The effects of this entry have just been handed to the outputs."""
        chip = entry.event
        if not isinstance(chip, ChipPlaced) or chip.reconciled:
            return
        sensed = LampChanged(chip.position, chip.wager, LampShow.SENSED)
        device = self._device_of.get(spot_line(chip.position, chip.wager))
        if device is not None and sensed in entry.effects:
            self._waiting.setdefault(device, []).append(chip.not_before_ns)

    def shown(self, event: Shown) -> None:
        """A device holds its newest content."""
        self._taken.extend(event.at_ns - edge_ns for edge_ns in self._waiting.pop(event.device, ()))
