"""What a roulette wheel tells the core. Part of `events.Event`.

`at_ns` is the arrival of the first byte of the line that said it, `raw` its bytes in hex. `spin` is the wheel's own
count, None where it has none. Pockets are text: "0" to "36", or "00".
"""

from __future__ import annotations

from firmware.core.stored import Message


class WheelMoved(Message, frozen=True):
    """The wheel is in another phase. `open_ns`: when the phase before was last heard; None: nothing was. `closed`: the
    wheel itself takes no more bets."""

    device: str
    phase: str
    closed: bool
    open_ns: int | None
    at_ns: int
    spin: int | None
    raw: str


class NumberRead(Message, frozen=True):
    """A spin's number, by the lines that `sources` names."""

    device: str
    pocket: str
    sources: tuple[str, ...]
    spin: int | None
    at_ns: int
    raw: str


class NumberInDoubt(Message, frozen=True):
    """A spin's number can't be relied on; `pockets`: what was said, in order."""

    device: str
    doubt: str
    pockets: tuple[str, ...]
    spin: int | None
    at_ns: int
    raw: str


class SpinVoided(Message, frozen=True):
    """The spin has no number, by the wheel's own rules. `ball_lost`: the ball left the wheel, or is not seen."""

    device: str
    reason: str
    ball_lost: bool
    spin: int | None
    at_ns: int
    raw: str


class WheelTroubled(Message, frozen=True):
    """The wheel says that something is wrong with it; a spin that this voids is told by `SpinVoided`."""

    device: str
    what: str
    at_ns: int
    raw: str


WheelEvent = WheelMoved | NumberRead | NumberInDoubt | SpinVoided | WheelTroubled
