"""What the lines of one device are: their roles, wiring, debounce times and decision window, as the configuration has
them.

Rules:
* Polarity is applied in `LineSpec.is_active` and nowhere else.
* What can't be meant is refused here, by name, before any hardware is touched.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from msgspec import Struct

NS_PER_MS = 1_000_000

CHATTER_CHANGES = 20
FINGER_CHATTER_CHANGES = 100
"""On a button or key: a finger steps through a menu five times a second, and every edge may bounce four times."""


class LineTiming(Struct, frozen=True):
    """How one line is debounced. Times in nanoseconds, above zero."""

    active_ns: int
    inactive_ns: int
    act_on_first_edge: bool = False
    stuck_ns: int | None = None  # active for longer than this with no lock-out in between; None: never stuck
    chatter_changes: int = CHATTER_CHANGES  # more raw changes than this within 2 s put the line out of order

    def __post_init__(self) -> None:
        for name, value in (("active_ns", self.active_ns), ("inactive_ns", self.inactive_ns)):
            if value <= 0:
                raise ValueError(f"LineTiming.{name} is {value}; expected a stable time above 0 ns")
        if self.stuck_ns is not None and self.stuck_ns <= self.active_ns:
            raise ValueError(f"LineTiming.stuck_ns is {self.stuck_ns}; expected more than active_ns={self.active_ns}")

    def stable_ns(self, active: bool) -> int:
        return self.active_ns if active else self.inactive_ns


class LineRole(StrEnum):
    """What a line is for; decides how it is debounced."""

    SPOT = "spot"
    LOCK_OUT = "lock_out"
    BUTTON = "button"
    KEY = "key"


class DecisionWindow(Struct, frozen=True):
    """The times that decide a wager, in nanoseconds: of a spot, and (`stable_ns`) of the buttons."""

    present_ns: int = 60 * NS_PER_MS
    absent_ns: int = 150 * NS_PER_MS
    lateness_ns: int = 100 * NS_PER_MS
    stable_ns: int = 30 * NS_PER_MS

    def __post_init__(self) -> None:
        if self.present_ns <= 0 or self.absent_ns <= 0 or self.lateness_ns < 0:
            raise ValueError(
                f"decision window present_ns={self.present_ns} absent_ns={self.absent_ns} lateness_ns="
                f"{self.lateness_ns}: expected present and absent above 0 and lateness 0 or more"
            )
        if self.stable_ns <= 0:
            raise ValueError(f"decision window stable_ns={self.stable_ns}: expected above 0")
        if self.absent_ns > self.window_ns:
            raise ValueError(
                f"decision window: absent_ns={self.absent_ns} is longer than present_ns + lateness_ns="
                f"{self.window_ns}; a chip taken away before the press could not be told within the window. "
                "Lower absent_ms or raise lateness_ms"
            )

    @property
    def window_ns(self) -> int:
        return self.present_ns + self.lateness_ns


class LineSpec(Struct, frozen=True):
    """One line: its name, its number on the chip, what it is for and how it is wired.

    `active_low`: the closed contact (or the switched-on sensor) pulls the line low. `normally_closed`: the contact is
    closed while nobody presses, so that a cut wire reads as pressed. Polarity is applied here and nowhere else.
    """

    name: str
    number: int
    role: LineRole
    active_low: bool = True
    normally_closed: bool = False

    def __post_init__(self) -> None:
        if self.number < 0:
            raise ValueError(f"line {self.name!r}: number is {self.number}; expected 0 or more")

    def is_active(self, high: bool) -> bool:
        """The logical level of an electrical one."""
        return high ^ self.active_low ^ self.normally_closed


STUCK_SPOT_NS = 30 * 60 * 1000 * NS_PER_MS
KEY_STABLE_NS = 50 * NS_PER_MS


def timing_for(role: LineRole, window: DecisionWindow, stuck_ns: int | None = STUCK_SPOT_NS) -> LineTiming:
    """The debounce of a role: spots and buttons by the decision window, keys 50 ms.

    The lock-out button is judged for chatter like a spot: it acts at its first edge, so that a contact that flickers
    must be out of order soon.
    """
    if role is LineRole.SPOT:
        return LineTiming(window.present_ns, window.absent_ns, stuck_ns=stuck_ns)
    stable_ns = KEY_STABLE_NS if role is LineRole.KEY else window.stable_ns
    if role is LineRole.LOCK_OUT:
        return LineTiming(stable_ns, stable_ns, act_on_first_edge=True)
    return LineTiming(stable_ns, stable_ns, chatter_changes=FINGER_CHATTER_CHANGES)


class KeySwitchSpec(Struct, frozen=True):
    """A key by the names of its two lines. Both lines are `active` while their contact is closed."""

    name: str
    rest_line: str  # normally closed: closed at rest
    turned_line: str  # normally open: closed when turned
    hold_ns: int = 0

    def __post_init__(self) -> None:
        if self.rest_line == self.turned_line:
            raise ValueError(f"key switch {self.name!r}: both contacts are line {self.rest_line!r}; expected two lines")
        if self.hold_ns < 0:
            raise ValueError(f"key switch {self.name!r}: hold_ns is {self.hold_ns}; expected 0 or more")


def check_lines(device: str, lines: Sequence[LineSpec], keys: Sequence[KeySwitchSpec]) -> None:
    """Refuse a set of lines that can't be what was meant."""
    names: dict[str, LineSpec] = {}
    numbers: dict[int, LineSpec] = {}
    for spec in lines:
        if spec.name in names:
            raise ValueError(f"{device}: two lines are named {spec.name!r}; give each its own name")
        if spec.number in numbers:
            other = numbers[spec.number].name
            raise ValueError(f"{device}: lines {other!r} and {spec.name!r} both claim line number {spec.number}")
        names[spec.name] = numbers[spec.number] = spec
    if not lines:
        raise ValueError(f"{device}: no lines are configured; expected at least one")
    used: set[str] = set()
    for key in keys:
        for line in (key.rest_line, key.turned_line):
            if line not in names or names[line].role is not LineRole.KEY:
                raise ValueError(f'{device}: key switch {key.name!r} needs line {line!r} with role "key"')
            if line in used:
                raise ValueError(f"{device}: line {line!r} belongs to two key switches")
            used.add(line)
