"""Raw changes of a line, parted into what hands did and what the contact did. Pure.

Rules:
* Changes with less than `APART_NS` between them are one train: a hand is slower than that, a contact faster.
* A train that ends at the other level is a change; one that ends where it began is a spike.
* A run of a level inside a train that did not last is a false one: before a change has settled, and in a spike. What
  filters must be longer than is the longest of them; `SAFETY` times that is suggested.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

APART_NS = 250_000_000
SAFETY = 2
STEP_MS = 5
LEAST_MS = 10

Change = tuple[int, bool]
"""When (ns), and the level from then on."""


class Bounce(Struct, frozen=True):
    """What a line did. `false_active_ns`, `false_inactive_ns`: every run that did not last."""

    changes: int
    spikes: int
    false_active_ns: tuple[int, ...]
    false_inactive_ns: tuple[int, ...]

    @property
    def moved(self) -> bool:
        return self.changes + self.spikes > 0


def bounce(first: bool, seen: Iterable[Change]) -> Bounce:
    """Of all changes of a line, in any order, that stood at `first` before them."""
    changes = spikes = 0
    false: dict[bool, list[int]] = {True: [], False: []}
    for train in _trains(_alternating(first, seen)):
        before, after = not train[0][1], train[-1][1]
        changed = after is not before
        changes += changed
        spikes += not changed
        for (at_ns, level), (then_ns, _) in itertools.pairwise(train):
            if changed or level is not after:  # what a spike interrupts is no false run
                false[level].append(then_ns - at_ns)
    return Bounce(changes, spikes, tuple(false[True]), tuple(false[False]))


def suggested_ms(false_ns: Sequence[int]) -> int:
    """The filter that all of these would not pass, in steps of `STEP_MS`."""
    longest_ms = max(false_ns, default=0) * SAFETY / 1e6
    return max(LEAST_MS, -int(-longest_ms // STEP_MS) * STEP_MS)


def _alternating(level: bool, seen: Iterable[Change]) -> Iterator[Change]:
    for at_ns, now in sorted(seen):
        if now is not level:
            yield at_ns, now
            level = now


def _trains(seen: Iterable[Change]) -> Iterator[list[Change]]:
    train: list[Change] = []
    for change in seen:
        if train and change[0] - train[-1][0] >= APART_NS:
            yield train
            train = []
        train.append(change)
    if train:
        yield train
