"""What the machine under the table tells: its software, its clock, its journal's file. Part of `events.Event`."""

from __future__ import annotations

from enum import StrEnum

from firmware.core.identity import Identity, ManifestFound
from firmware.core.order_data import Approval
from firmware.core.stored import Message, Stored


class IdentityFound(Message, frozen=True):
    """What software and configuration run, and what the approver's manifest says of them. Once a start."""

    found: Identity
    manifest: ManifestFound
    at_ns: int


class WallClockStepped(Message, frozen=True):
    """Wall time moved by `by_ns` against the monotonic clock, to `wall_ns` at `at_ns`. It moves nothing else.

    Found at a start in another boot it is how far wall time lies before the journal's last entry: by that much at least
    it went back.
    """

    by_ns: int
    wall_ns: int
    trusted: bool
    at_ns: int


class WallTrustChanged(Message, frozen=True):
    """The kernel began or ceased to call the wall clock synchronized."""

    wall_ns: int
    trusted: bool
    at_ns: int


class Succession(StrEnum):
    """How a file took another's place as the table's journal."""

    ROTATED = "rotated"  # it goes on where the other, which is kept elsewhere, ends
    CLEARED = "cleared"  # it begins anew
    RESTORED = "restored"  # it was brought back from a copy


class MeterLeft(Stored, frozen=True):
    """A meter as the file before left it."""

    meter: str
    shown_micro: int
    reserve_micro: int
    hidden_micro: int = 0
    overflow_micro: int = 0


class JournalBegun(Message, frozen=True):
    """A file took another's place as the table's journal. `old_head` (hex) and `old_seq`: where that one, or the copy,
    ended; `noted`: the head noted outside the journal then, for people. No persons for a rotation: nothing is lost.
    `lost`: the copy lacks what was acknowledged, or nobody can tell."""

    how: Succession
    generation: int
    old_head: str
    old_seq: int
    approval: Approval | None
    meters: tuple[MeterLeft, ...]
    noted: str
    at_ns: int
    lost: bool = False


LEFT_FREE = 1_000
"""Numbers of awards and slips left free for what a file of one generation may have given out and lost."""


def number_after(begun: JournalBegun, following: int) -> int:
    """The next number of an award or slip. Which were given out in lost entries nobody knows: none is given twice."""
    return following + LEFT_FREE * (begun.generation - 1) if begun.lost else following


MachineEvent = IdentityFound | WallClockStepped | WallTrustChanged | JournalBegun
