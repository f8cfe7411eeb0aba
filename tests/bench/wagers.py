"""A thousand wagers a second into the journal: `python -m tests.bench.wagers [--rate N] [--seconds N]`.

A process of its own runs the real engine, core and journal. Chips come at even intervals, on every spot of a table,
round after round, with lock-out, count, cards, settlement and payment between them; nothing waits for anything. A chip
is acknowledged when its entry is durable and handed to the outputs; its delay counts from the instant at which it was
due, so that what falls behind is seen. Then the process is killed in full run, and every acknowledged entry must be in
the journal, which must verify and replay.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import deque
from pathlib import Path
from typing import IO

import msgspec

from firmware.app import clock, program
from firmware.app.engine import Engine
from firmware.app.main import SWITCH_INTERVAL_S
from firmware.app.wall import WallClock
from firmware.core.effects import Effect, WagerAccepted
from firmware.core.events import ChipPlaced, Event
from firmware.core.state import State, initial_state
from firmware.journal.errors import JournalError
from firmware.journal.reader import Reader
from firmware.journal.records import Entry, SegmentStart
from firmware.journal.replay import replay, restart
from firmware.journal.writer import open_journal
from tests.app.rig import header
from tests.bench.streams import Stream, table_rules

JOURNAL = "journal.sqlite"
WARM_UP_S = 2.0
SEQ_BYTES = 8


class Figures(msgspec.Struct):
    """What the process measured between the warm-up and its figures."""

    seconds: float
    chips: int
    wagers: int
    entries: int
    commits: int
    delays_us: list[int]
    peak_memory_kib: int


async def load(folder: Path, rate: int, seconds: float) -> None:
    """Never ends: writes its figures to standard output after `seconds`, and goes on until it is killed.

    Standard error carries the seq of every acknowledged entry, 8 bytes each.
    """
    stream = Stream(1, every_spot=True)
    rules = table_rules()
    state = initial_state(rules)
    loop = asyncio.get_running_loop()
    began: asyncio.Future[object] = loop.create_future()
    due_ns: deque[int] = deque()
    figures = Figures(0.0, 0, 0, 0, 0, [], 0)

    def deliver(outcome: program.TableOutcome) -> None:
        if began.done():
            engine.outcome(outcome)
        else:
            began.set_result(outcome)

    def perform(entry: Entry[Event, Effect], _: State) -> None:
        os.write(2, entry.seq.to_bytes(SEQ_BYTES))
        figures.entries += 1
        if isinstance(entry.event, ChipPlaced):
            figures.chips += 1
            figures.delays_us.append((time.monotonic_ns() - due_ns.popleft()) // 1_000)
        figures.wagers += sum(isinstance(effect, WagerAccepted) for effect in entry.effects)

    def fault(reason: str) -> None:
        raise JournalError(reason)

    def on_outcome(outcome: program.TableOutcome) -> None:  # on the journal's thread
        loop.call_soon_threadsafe(deliver, outcome)

    journal, _ = open_journal(folder / JOURNAL, program.codec(), on_outcome, create=True)
    journal.begin_segment(SegmentStart(header(), 1, 1, state))
    await began
    engine = Engine(rules, state, 0, journal, perform, fault, lambda tick: None, wall=WallClock(clock.reading))
    running = asyncio.create_task(engine.run())

    async def feed() -> None:
        next_ns = time.monotonic_ns()
        for event in stream.endless():
            if isinstance(event, ChipPlaced):
                next_ns += 1_000_000_000 // rate
                ahead_s = (next_ns - time.monotonic_ns()) / 1e9
                await asyncio.sleep(max(ahead_s, 0))
                due_ns.append(next_ns)
            engine.post(event)

    feeding = asyncio.create_task(feed())
    await asyncio.sleep(WARM_UP_S)
    figures.delays_us.clear()
    figures.chips = figures.wagers = figures.entries = 0
    commits, start = engine.commits, time.monotonic()
    await asyncio.sleep(seconds)
    figures.seconds = time.monotonic() - start
    figures.commits = engine.commits - commits
    status = Path("/proc/self/status").read_text().splitlines()
    figures.peak_memory_kib = next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))
    os.write(1, msgspec.json.encode(figures) + b"\n")
    await asyncio.gather(running, feeding)


def read_last_acknowledged(pipe: IO[bytes]) -> int:
    """All that is left in the pipe of a process that has ended; the seq that was acknowledged last."""
    data = pipe.read()
    whole = len(data) // SEQ_BYTES * SEQ_BYTES
    seqs = [int.from_bytes(data[at : at + SEQ_BYTES]) for at in range(0, whole, SEQ_BYTES)]
    assert seqs == list(range(1, len(seqs) + 1)), "entries were acknowledged out of order"
    return seqs[-1]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.wagers", description=__doc__)
    parser.add_argument("--rate", type=int, default=1_000, help="wagers a second")
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--child", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child is not None:
        sys.setswitchinterval(SWITCH_INTERVAL_S)  # as the daemon does
        asyncio.run(load(options.child, options.rate, options.seconds))
    with tempfile.TemporaryDirectory(prefix="wagers") as name, tempfile.TemporaryFile() as acknowledged:
        command = [sys.executable, "-m", "tests.bench.wagers", *sys.argv[1:], "--child", name]
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=acknowledged)
        assert child.stdout is not None
        figures = msgspec.json.decode(child.stdout.readline(), type=Figures)
        time.sleep(0.2)  # well on the way with what comes next
        child.send_signal(signal.SIGKILL)
        child.wait()
        child.stdout.close()
        acknowledged.seek(0)
        last = read_last_acknowledged(acknowledged)
        tell(figures)
        with Reader(Path(name) / JOURNAL) as reader:
            stands = restart(reader, program.programs)
            assert stands is not None
            found = stands.position.last_seq
            assert found >= last, f"acknowledged up to entry {last}, found up to {found}"
            reader.verify()
            replay(reader, program.programs)
        print(f"  killed in full run: {last} entries acknowledged, {found} found, verified and replayed")
    return 0


def tell(figures: Figures) -> None:
    delays = sorted(figures.delays_us)
    median, high = delays[len(delays) // 2] / 1e3, delays[len(delays) * 99 // 100] / 1e3
    print(
        f"wagers: {figures.wagers / figures.seconds:,.0f} accepted a second for {figures.seconds:.0f} s, from "
        f"{figures.chips / figures.seconds:,.0f} chips a second"
    )
    print(
        f"  {figures.entries / figures.seconds:,.0f} entries a second in {figures.commits / figures.seconds:,.0f} "
        f"commits; chip to acknowledgement median {median:.1f} ms, p99 {high:.1f} ms, worst {delays[-1] / 1e3:.0f} ms; "
        f"memory at most {figures.peak_memory_kib / 1024:.0f} MiB"
    )


if __name__ == "__main__":
    sys.exit(main())
