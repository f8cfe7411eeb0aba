"""Bouncing contacts: are presses and releases counted exactly? `python -m tests.bench.bounce [--trains N] [--seed S]`.

    --trains N   moves of each kind of line (default 10,000, the figure to reach)

Each move is a seeded train: up to four false contacts of 0.02 to 12 ms before the level stays; of twenty trains one is
a glitch that goes back. Kernel-stamped edges arrive up to 15 ms late, shuffled, one in ten twice, while a level is read
each second (what comes later than its filter is told and then corrected: `tests/drivers/test_line_bank.py`). Expanders
are read each 10 ms, unevenly, one read in fifty fails, and false contacts last 3 ms at most. Virtual time, the debounce
of the product. Every change must be told once, with the time of the edge that lasted (where levels are polled, an
interval about the train), the lock-out button's presses that did not last be taken back, and no line go out of order.
Exit status 1 where that does not hold.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from drivers.debounce import LevelRead
from drivers.events import LineChanged, LineEdge, LineEvent, LineGlitch
from drivers.line_bank import LineBank
from drivers.line_spec import DecisionWindow, LineRole, LineSpec, timing_for

MS = 1_000_000
LINE = "line"
WINDOW = DecisionWindow()
APART_MS = (1_200, 2_500)
"""Between two trains: a train has at most nine changes, and chatter is more than twenty in 2 s."""
FALSE_MS = (0.02, 12.0)
FALSE_POLLED_MS = (0.02, 3.0)
"""Between two reads nothing is seen, so that a train looks like one run: all of it must be shorter than the filter."""
MOST_FALSE = 4
GLITCH_SHARE = 0.05
DOUBLED_SHARE = 0.1
LATE_MS = 15.0
POLL_MS, POLL_TAKES_MS, FAILED_SHARE = 10.0, 1.0, 0.02
KINDS = (
    *((role, False) for role in (LineRole.SPOT, LineRole.BUTTON, LineRole.KEY, LineRole.LOCK_OUT)),
    (LineRole.SPOT, True),
)


@dataclass
class Contact:
    """What a contact did: raw changes in order, and the changes that a person made."""

    raw: list[tuple[int, bool]] = field(default_factory=list)
    made: list[tuple[int, int, bool]] = field(default_factory=list)
    """First and last edge of the train, and the level then."""
    glitches: int = 0

    def level(self, at_ns: int) -> bool:
        place = bisect_right(self.raw, at_ns, key=lambda change: change[0])
        return self.raw[place - 1][1] if place else False


@dataclass
class Result:
    expected: int
    counted: int
    wrong: int
    """Changes of another level or another time."""
    glitches: int
    taken_back: int
    others: list[LineEvent]
    seconds: float

    @property
    def good(self) -> bool:
        return self.counted == self.expected and not self.wrong and not self.others


def contact(trains: int, chance: random.Random, false_ms: tuple[float, float] = FALSE_MS) -> Contact:
    out, at_ns, level = Contact(), 1_000 * MS, False
    for _ in range(trains):
        at_ns += int(chance.uniform(*APART_MS) * MS)
        began_ns = at_ns
        glitch = chance.random() < GLITCH_SHARE
        edges = 2 * chance.randint(0, MOST_FALSE) + (2 if glitch else 1)
        for number in range(edges):
            level = not level
            out.raw.append((at_ns, level))
            if number < edges - 1:
                at_ns += int(chance.uniform(*false_ms) * MS)
        if glitch:
            out.glitches += 1
        else:
            out.made.append((began_ns, at_ns, level))
    return out


def run(role: LineRole, polled: bool, trains: int, seed: int) -> Result:
    """One line through the product's debounce."""
    chance = random.Random(f"{role}/{polled}/{seed}")
    moved = contact(trains, chance, FALSE_POLLED_MS if polled else FALSE_MS)
    bank = LineBank("bench", [LineSpec(LINE, 0, role)], (), WINDOW)
    began_s = time.process_time()
    seen = list(_polled(bank, moved, chance) if polled else _stamped(bank, moved, chance))
    seconds = time.process_time() - began_s
    changes = [event for event in seen if isinstance(event, LineChanged)]
    wrong = sum(
        event.active is not level
        or not event.not_before_ns <= last_ns
        or not (first_ns if polled else last_ns) <= event.not_after_ns
        for event, (first_ns, last_ns, level) in zip(changes, moved.made, strict=False)
    )
    taken_back = sum(isinstance(event, LineGlitch) for event in seen)
    others = [event for event in seen if not isinstance(event, LineChanged | LineEdge | LineGlitch)]
    return Result(len(moved.made), len(changes), wrong, moved.glitches, taken_back, others, seconds)


def _stamped(bank: LineBank, moved: Contact, chance: random.Random) -> Iterator[LineEvent]:
    arrivals: list[tuple[int, int, bool]] = []
    for at_ns, level in moved.raw:
        for _ in range(2 if chance.random() < DOUBLED_SHARE else 1):
            arrivals.append((at_ns + int(chance.uniform(0, LATE_MS) * MS), at_ns, level))
    arrivals.sort()
    end_ns = moved.raw[-1][0] + 2_000 * MS
    reads = [*range(0, end_ns, 1_000 * MS), end_ns]
    bank.start({LINE: LevelRead(0, 0, False)})
    place = 0
    for read_ns in reads[1:]:
        while place < len(arrivals) and arrivals[place][0] <= read_ns:
            arrived_ns, at_ns, level = arrivals[place]
            yield from _until(bank, arrived_ns)
            yield from bank.edge(LINE, at_ns, level, arrived_ns)
            yield from bank.advance(arrived_ns)
            place += 1
        yield from _until(bank, read_ns)
        bank.levels({LINE: LevelRead(read_ns, read_ns + MS // 5, moved.level(read_ns + MS // 10))})
        yield from bank.advance(read_ns + MS // 5)
    yield from _until(bank, end_ns + 1_000 * MS)


def _polled(bank: LineBank, moved: Contact, chance: random.Random) -> Iterator[LineEvent]:
    bank.start({LINE: LevelRead(0, 0, False)})
    at_ns, end_ns = 0, moved.raw[-1][0] + 2_000 * MS
    while at_ns < end_ns:
        at_ns += int(chance.uniform(0.7, 1.6) * POLL_MS * MS)
        if chance.random() < FAILED_SHARE:
            continue
        sampled_ns = at_ns + int(chance.uniform(0, POLL_TAKES_MS) * MS)
        ended_ns = at_ns + int(POLL_TAKES_MS * MS)
        yield from _until(bank, at_ns)
        bank.polled({LINE: LevelRead(at_ns, ended_ns, moved.level(sampled_ns))})
        yield from bank.advance(ended_ns)


def _until(bank: LineBank, now_ns: int) -> Iterator[LineEvent]:
    """Every deadline up to now, as the device's timer would keep it."""
    last_ns = -1
    while (due_ns := bank.next_deadline_ns) is not None and last_ns < due_ns <= now_ns:
        yield from bank.advance(due_ns)
        last_ns = due_ns


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Are presses and releases of bouncing contacts counted exactly?")
    parser.add_argument("--trains", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parsed = parser.parse_args(arguments)
    good = True
    for role, polled in KINDS:
        found = run(role, polled, parsed.trains, parsed.seed)
        good &= found.good
        limits = timing_for(role, WINDOW)
        print(
            f"{role}, {'polled' if polled else 'edges'} ({limits.active_ns // MS}/{limits.inactive_ns // MS} ms): "
            f"{found.counted} of {found.expected} changes counted, {found.wrong} wrong, {found.glitches} glitches"
            f"{f' and {found.taken_back} presses taken back' if role is LineRole.LOCK_OUT else ''}, "
            f"{len(found.others)} other reports; {parsed.trains / found.seconds:,.0f} trains a second",
            flush=True,
        )
        for event in found.others[:3]:
            print(f"    {event}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
