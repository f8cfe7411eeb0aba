"""The simulated line chip's hardware: lines with levels, outputs, a string of pixels. No socket, no loop.

Answers for: what a level is (a stuck line stays where it is stuck), which sets make edges, their times, and what the
pixels show.

Rules:
* An edge's time is a read of the chip's own clock in the instant in which the level changes, or what was planned.
* A line rests high (pulled up) until something sets it.
* Pixels show a frame only if it keeps the WS2812 rules; from a dead pixel on the string is dark.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from msgspec import Struct

from drivers.codecs import ws2812

Colour = tuple[int, int, int]
DARK: Colour = (0, 0, 0)


class LineMoved(Struct, frozen=True):
    line: int
    high: bool
    at_ns: int


class NoSuchLineError(Exception):
    """A line number outside the chip."""


class LineChip:
    """Lines. `moved` is called with every edge, in the order of their times."""

    def __init__(self, lines: int, clock_ns: Callable[[], int], moved: Callable[[LineMoved], None]) -> None:
        self._wanted = [True] * lines
        self._stuck: dict[int, bool] = {}
        self._shown = [True] * lines
        self._outputs: dict[int, bool] = {}
        self._jumpers: dict[int, int] = {}
        self._clock_ns = clock_ns
        self._moved = moved

    @property
    def size(self) -> int:
        return len(self._wanted)

    def set(self, line: int, high: bool, at_ns: int | None = None) -> int:
        """Drive a line; the time of the edge, or of the set if the level does not change. `at_ns`: the instant in which
        that happens, where it is planned; not before the last one."""
        self.check(line)
        self._wanted[line] = high
        return self._update(line, at_ns)

    def stick(self, line: int, high: bool) -> int:
        """Hold a line at a level whatever drives it."""
        self.check(line)
        self._stuck[line] = high
        return self._update(line)

    def unstick(self, line: int) -> int:
        self.check(line)
        self._stuck.pop(line, None)
        return self._update(line)

    def levels(self) -> tuple[int, tuple[bool, ...]]:
        """All levels and the instant at which they were so."""
        return self._clock_ns(), tuple(self._shown)

    def drive_output(self, line: int, high: bool) -> None:
        self.check(line)
        self._outputs[line] = high
        if (wired := self._jumpers.get(line)) is not None:
            self.set(wired, high)

    def jumper(self, output: int, line: int) -> None:
        """Wire an output to a line, which follows it from now on."""
        self.check(output)
        self.check(line)
        self._jumpers[output] = line

    @property
    def outputs(self) -> dict[int, bool]:
        return dict(self._outputs)

    def check(self, line: int) -> None:
        if not 0 <= line < self.size:
            raise NoSuchLineError(f"line {line}: this chip has lines 0 to {self.size - 1}")

    def _update(self, line: int, at_ns: int | None = None) -> int:
        high = self._stuck.get(line, self._wanted[line])
        if at_ns is None:
            at_ns = self._clock_ns()
        if high != self._shown[line]:
            self._shown[line] = high
            self._moved(LineMoved(line, high, at_ns))
        return at_ns


@dataclass(slots=True)
class PixelString:
    """What the pixels show, and how they were written."""

    size: int
    dead_from: int | None = None
    powered: bool = True
    passes_on: bool = False  # the last frame was longer than the string, and its rest came out behind
    frames: int = 0
    bad_frames: int = 0
    last_error: str = ""
    last_at_ns: int = 0
    shortest_gap_ns: int | None = None
    longest_gap_ns: int | None = None
    changed_at_ns: list[int] = field(default_factory=list)
    """Of each pixel, the time of the frame that last changed it; 0 before one did."""
    _colours: list[Colour] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.changed_at_ns = [0] * self.size

    def write(self, mosi: bytes, at_ns: int) -> None:
        try:
            colours = ws2812.decode(mosi)
        except ws2812.Ws2812Error as error:
            self.bad_frames += 1
            self.last_error = str(error)
            self.passes_on = False
            return
        if self.frames:
            gap_ns = at_ns - self.last_at_ns
            self.shortest_gap_ns = min(gap_ns, self.shortest_gap_ns or gap_ns)
            self.longest_gap_ns = max(gap_ns, self.longest_gap_ns or gap_ns)
        self.frames += 1
        self.passes_on = self.powered and self.dead_from is None and len(colours) > self.size
        self.last_at_ns = at_ns
        before = self.colours
        # Pixels beyond a short frame keep what they showed; a longer one runs off the end.
        kept = self._colours[len(colours) :] if self._colours else [DARK] * (self.size - len(colours))
        self._colours = [*colours, *kept][: self.size]
        for pixel, (was, now) in enumerate(zip(before, self.colours, strict=True)):
            if was != now:
                self.changed_at_ns[pixel] = at_ns

    @property
    def colours(self) -> list[Colour]:
        shown = self._colours if self._colours and self.powered else [DARK] * self.size
        return shown if self.dead_from is None else shown[: self.dead_from] + [DARK] * (self.size - self.dead_from)
