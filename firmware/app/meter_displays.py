"""What the meter displays show: the amounts of the reader board, as numbers.

Rules:
* A display follows the board: amounts change only while the board shows meters, which is while no round is in play. So
  a void never makes a display go back (605a.7(a)(1)). During a round it keeps what it showed; after a restart in the
  middle of one it has nothing to keep and shows dashes until the round is over.
* Floored to the cent, like the board's (X18). A stopped bonus has no amount, here as there.
* A meter's award stands as a hit until nothing of it is left to do.
"""

from __future__ import annotations

from collections.abc import Sequence

from drivers.ports import MeterContent, MeterDisplay, MeterHit, MeterReading
from firmware.core import awards, screen
from firmware.core.money import floor_to_cents
from firmware.core.rules import TableRules
from firmware.core.state import State


def readings(rules: TableRules, state: State) -> tuple[MeterReading, ...] | None:
    """Every meter, or None while the board shows none."""
    if not screen.board(rules, state).fields:
        return None
    stopped = state.mystery.meter if state.mystery is not None and state.mystery.reason else None
    return tuple(
        MeterReading(meter.name, None if meter.name == stopped else floor_to_cents(meter.shown_micro))
        for meter in state.meters
    )


def hits(state: State) -> tuple[MeterHit, ...]:
    """Every award of a meter that is still open, in the order in which they were won."""
    still_open = sorted((award for award, _ in awards.open_awards(state)), key=lambda award: award.id)
    return tuple(MeterHit(a.meter, a.cents, a.position) for a in still_open if a.meter is not None)


class MeterDisplays:
    """Every meter display of the table."""

    def __init__(self, rules: TableRules, displays: Sequence[MeterDisplay]) -> None:
        self._rules = rules
        self._displays = displays
        self._readings: tuple[MeterReading, ...] = ()

    def show(self, state: State) -> None:
        """The board has changed, or everything is shown anew."""
        if not self._displays:
            return
        now = readings(self._rules, state)
        if now is not None:
            self._readings = now
        self._tell(MeterContent(self._readings, hits(state)))

    def show_nothing(self) -> None:
        """Dashes everywhere: nothing can be put on record. The amounts come back with the next `show`."""
        self._tell(MeterContent())

    def _tell(self, content: MeterContent) -> None:
        for display in self._displays:
            display.show(content)
