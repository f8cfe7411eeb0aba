"""Carries out what the core decided: lamps, board, meter displays, display, and questions to the line devices.

Rules:
* Called only for what is durable. Lamps, board and display are levels: the newest content counts, and a restart or a
  journal failure ends with a full repaint.
* A lamp's pattern is a function of time, drawn here; which one means what stands in the configuration. All lamps move
  in step, but one that has just changed is lit at once: it would else stay dark until its pattern's next turn.
* While the journal can't be written everything says so, and nothing of the table's state is shown.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct

from drivers.ports import BoardContent, DealerDisplay, Lamps, LineInputs, MeterDisplay, Pixel, ReaderBoard
from firmware.app import clock
from firmware.app.line_names import spot_line
from firmware.app.meter_displays import MeterDisplays
from firmware.core import screen
from firmware.core.effects import BoardShown, DisplayShown, Effect, LampChanged, LampShow, SettleInputs, UnsettleInputs
from firmware.core.rules import TableRules
from firmware.core.state import State
from firmware.settings.looks import Look, Looks, Pattern

DARK = Pixel(0, 0, 0)
FRAME_S = 0.05
"""How often moving lamps are drawn."""

FRESH_MS = 150
"""How long a lamp that changed is lit whatever its pattern says: no longer than the shortest part of any pattern."""

JOURNAL_TITLE = "CLOSED: JOURNAL"

PATTERNS: Mapping[Pattern, tuple[int, tuple[tuple[int, int], ...]]] = {
    Pattern.OFF: (1000, ()),
    Pattern.STEADY: (1000, ((0, 1000),)),
    Pattern.SLOW_BLINK: (1000, ((0, 500),)),
    Pattern.FAST_BLINK: (300, ((0, 150),)),
    Pattern.DOUBLE_BLINK: (1000, ((0, 150), (300, 450))),
    Pattern.SHORT_FLASH: (1000, ((0, 150),)),
    Pattern.SHORT_GAP: (1000, ((0, 850),)),
}
"""Period in ms, and the parts of it (from, to) in which the lamp is lit."""


def is_lit(pattern: Pattern, at_ms: int) -> bool:
    period, parts = PATTERNS[pattern]
    phase = at_ms % period
    return any(start <= phase < end for start, end in parts)


TEST_LOOK = Look(colour="#ffffff", pattern=Pattern.STEADY)
"""Of every lamp in the lamp test: white lights each of a lamp's colours. No house chooses it."""


def look_of(looks: Looks, show: LampShow) -> Look:
    """The configured look of a lamp's state."""
    return {
        LampShow.OFF: looks.off,
        LampShow.SENSED: looks.sensed,
        LampShow.ACCEPTED: looks.accepted,
        LampShow.NOT_ACCEPTED: looks.not_accepted,
        LampShow.WON: looks.won,
        LampShow.HELD: looks.jackpot_held,
        LampShow.OUT_OF_SERVICE: looks.out_of_service,
        LampShow.TEST: TEST_LOOK,
    }[show]


def pixel_of(colour: str) -> Pixel:
    """ "#rrggbb" as a pixel."""
    return Pixel(*bytes.fromhex(colour[1:]))


class LampString(Struct, frozen=True):
    """A string of lamps and which of its pixels is whose: spot line name -> pixel."""

    device: Lamps
    pixels: Mapping[str, int]


class Outputs:
    """Every output of the table."""

    def __init__(
        self,
        rules: TableRules,
        looks: Looks,
        lines: Sequence[LineInputs],
        lamps: Sequence[LampString],
        boards: Sequence[ReaderBoard],
        displays: Sequence[DealerDisplay],
        now_ns: Callable[[], int] = clock.monotonic_ns,
        meters: Sequence[MeterDisplay] = (),
    ) -> None:
        self._rules = rules
        self._lines = lines
        self._strings = lamps
        self._boards = boards
        self._displays = displays
        self._meters = MeterDisplays(rules, meters)
        self._now_ns = now_ns
        self._looks = {show: look_of(looks, show) for show in LampShow}
        self._colours = {show: pixel_of(look.colour) for show, look in self._looks.items()}
        self._shown: dict[str, LampShow] = {}
        self._painted: dict[str, list[Pixel]] = {}
        self._fresh: dict[str, int] = {}  # lamps that have just changed, and when, in ms
        self._journal_fault = False

    def perform(self, effects: Iterable[Effect], state: State) -> None:
        """Carry out the effects of one durable entry; `state` is the one that its transaction ended with."""
        if self._journal_fault:
            self._journal_fault = False
            self.show_all(state)
        lamps_changed = False
        for effect in effects:
            match effect:
                case LampChanged():
                    spot = spot_line(effect.position, effect.wager)
                    self._shown[spot] = effect.show
                    self._fresh[spot] = self._now_ns() // 1_000_000
                    lamps_changed = True
                case BoardShown():
                    self._board(effect)
                    self._meters.show(state)
                case DisplayShown():
                    self._display(effect.lines)
                case SettleInputs():
                    for device in self._lines:
                        device.settle(effect.at_ns)
                case UnsettleInputs():
                    for device in self._lines:
                        device.unsettle()
                case _:
                    pass  # a record: the journal is its only reader
        if lamps_changed:
            self._paint()

    def show_all(self, state: State) -> None:
        """Everything anew, as at start."""
        self._shown = {spot_line(x.position, x.wager): x.show for x in screen.lamps(state)}
        self._board(screen.board(self._rules, state))
        self._meters.show(state)
        self._display(screen.display(self._rules, state).lines)
        self._paint()

    def show_journal_fault(self, reason: str) -> None:
        """Nothing can be put on record: the table is closed, and every output says so."""
        self._journal_fault = True
        self._shown = dict.fromkeys(self._shown, LampShow.OUT_OF_SERVICE)
        self._board(BoardShown(JOURNAL_TITLE, (), ""))
        self._meters.show_nothing()
        self._display((JOURNAL_TITLE, "CALL FLOORPERSON", reason.upper()[:20], ""))
        self._paint()

    async def animate(self) -> None:
        """Draw moving lamps for ever."""
        while True:
            await asyncio.sleep(FRAME_S)
            if any(self._looks[s].pattern not in (Pattern.OFF, Pattern.STEADY) for s in self._shown.values()):
                self._paint(moved_only=True)

    def _paint(self, moved_only: bool = False) -> None:
        """Every string anew; `moved_only`: those whose frame is another one than last time, since a string repaints by
        itself."""
        at_ms = self._now_ns() // 1_000_000
        self._fresh = {spot: since for spot, since in self._fresh.items() if at_ms - since < FRESH_MS}
        lit = {s: DARK if self._looks[s].pattern is Pattern.OFF else self._colours[s] for s in LampShow}
        now = {s: lit[s] if is_lit(self._looks[s].pattern, at_ms) else DARK for s in LampShow}
        for string in self._strings:
            frame = [DARK] * string.device.size
            for spot, pixel in string.pixels.items():
                looks = lit if spot in self._fresh else now
                frame[pixel] = looks[self._shown.get(spot, LampShow.OFF)]
            if moved_only and self._painted.get(string.device.name) == frame:
                continue
            self._painted[string.device.name] = frame
            string.device.show(frame)

    def _board(self, content: BoardShown) -> None:
        for board in self._boards:
            board.show(BoardContent(content.title, content.fields, content.message))

    def _display(self, lines: Sequence[str]) -> None:
        for display in self._displays:
            display.show(lines)
