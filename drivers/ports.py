"""What the daemon needs of a device. A driver implements one of these Protocols; nothing else is asked of it.

Rules:
* `run()` is the device's one task: it opens, serves, and reopens for ever, and returns only when cancelled. On
  cancellation it closes the hardware and leaves outputs at their safe level. An exception that leaves `run()` is a bug;
  the supervisor makes a fault of it and starts the device again.
* Commands never block, never raise for hardware reasons, and may be called in any link state: the newest content is
  kept and pushed whole after every reconnection.
* `emit` is called on the event loop's thread only.
* Nothing falls back: a back end that can't be loaded raises `BackendUnavailable` from its factory, naming the package.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from drivers.events import DeviceEvent, LinkState
from drivers.result_events import WheelCommand

Emit = Callable[[DeviceEvent], None]
NowNs = Callable[[], int]
"""Monotonic nanoseconds; enters from outside so that tests can run on virtual time."""


class BackendUnavailable(Exception):
    """A configured back end can't be used here. The message names what is missing and what to install or change."""


class Timestamps(StrEnum):
    """Where an input device's edge times come from."""

    KERNEL = "kernel"  # stamped at the edge, on CLOCK_MONOTONIC
    NONE = "none"  # polled levels only: an interval is all that can be known


class Device(Protocol):
    """One device in one role."""

    @property
    def name(self) -> str:
        """The device's name in the configuration ("shoe")."""

    @property
    def identity(self) -> str:
        """What it is ("angeleye2ex on /dev/..."); a simulated back end's begins with "sim+"."""

    @property
    def link(self) -> LinkState: ...

    @property
    def counters(self) -> Mapping[str, int]:
        """Bytes, frames, checksum errors, re-opens, spikes, ...: for `hil status` and the metrics."""

    async def run(self, emit: Emit) -> None: ...


class LineInputs(Device, Protocol):
    """A set of debounced input lines (spots, buttons, key switches). Emits `LineEvent`s."""

    @property
    def timestamps(self) -> Timestamps: ...

    def settle(self, at_ns: int) -> None:
        """Ask what every spot line was at `at_ns`; `LinesSettled` follows one decision window after `at_ns`.

        A second call before the answer replaces the first.
        """

    def unsettle(self) -> None:
        """Take a pending or answered `settle` back (the lock-out was a glitch)."""


class CardReader(Device, Protocol):
    """A card shoe or other card reader. Emits `CardEvent`s. Receive only."""


class WheelAbilities(Struct, frozen=True):
    """What a wheel's reader can do beside telling the number."""

    phases: bool  # it says "no more bets"; else only the dealer's button does
    commands: frozenset[WheelCommand] = frozenset()


class WheelReader(Device, Protocol):
    """A roulette wheel, or a reader in its rim. Emits `WheelEvent`s.

    The number of a spin is told once, by `WinningNumber`; a spin that the wheel's own rules void by `NoSpin`. Whether
    betting is closed by the wheel's phase or by the button is for the core: whichever was first.

    Commands are for now or never: in any link state but READY, and where the reader has no such command, the answer is
    `WheelRefused`, and nothing is sent later. Each is answered by `WheelObeyed` or `WheelRefused`.
    """

    @property
    def abilities(self) -> WheelAbilities: ...

    def start_spin(self) -> None:
        """Let the wheel start a game, where it waits for that."""

    def void_spin(self) -> None:
        """Tell the wheel that this game is void, as after `NoSpin`."""


class DiceReader(Device, Protocol):
    """Whatever tells how the dice fell: a reader, or a keypad under a person's hand. Emits `DiceEvent`s."""


class ReleaseDevice(Device, Protocol):
    """What lets balls go into the wheel at one order. Emits `ReleaseEvent`s.

    At rest it releases nothing: before the first order, between orders, and at its end, however that comes.
    """

    def release(self, order: int) -> None:
        """Release once, now or never. `order`: the caller's number for it, from 1, in the answer: `Released`,
        `ReleaseRefused` (not READY, or an earlier one or its pause lasts) or `ReleaseFailed`."""


class Pixel(Struct, frozen=True):
    """One lamp's colour, 0..255 each, before the brightness limit."""

    red: int
    green: int
    blue: int


class Lamps(Device, Protocol):
    """A string of pixels. One frame at a time, frames at least 2 ms apart, repainted at least once a second."""

    @property
    def size(self) -> int: ...

    def show(self, frame: Sequence[Pixel]) -> None:
        """Show this frame as soon as the wire allows; a newer frame replaces one that waits. Length must be `size`."""


class BoardContent(Struct, frozen=True):
    """What the reader board shows. `fields` are short texts that change in place (meters), by field name, in order;
    `message` takes the whole board while it is not empty (wins)."""

    title: str
    fields: tuple[tuple[str, str], ...]
    message: str = ""


class ReaderBoard(Device, Protocol):
    """The sign over the table."""

    def show(self, content: BoardContent) -> None: ...


class DealerDisplay(Device, Protocol):
    """The dealer's character display: 4 lines of 20 characters."""

    def show(self, lines: Sequence[str]) -> None: ...


class MeterReading(Struct, frozen=True):
    """What one progressive meter stands at. `cents`: whole cents, floored, 0 or more; None while it is not to be
    relied on (a stopped bonus, a journal that can't be written): the display shows dashes."""

    meter: str  # its name in the configuration ("royal_9.major")
    cents: int | None


class MeterHit(Struct, frozen=True):
    """A won amount that is still owed, for the display that shows its meter."""

    meter: str
    cents: int
    position: int  # betting position, from 1


class MeterContent(Struct, frozen=True):
    """What the table's meter displays show, whole: every meter, and every meter's award that is still open, oldest
    first. A hit goes when it is no longer in `hits`."""

    readings: tuple[MeterReading, ...] = ()
    hits: tuple[MeterHit, ...] = ()


class MeterDisplay(Device, Protocol):
    """A display of meters' amounts alone (figures, a jackpot sign), beside the reader board.

    It shows those meters that its configuration names and leaves the others out; a meter of its own that the content
    has not is shown as dashes. Before the first `show` everything is dashes. Each `show`, changed or not, is answered
    with `Shown` once the display holds it, or with `ShowFailed`.
    """

    def show(self, content: MeterContent) -> None: ...
