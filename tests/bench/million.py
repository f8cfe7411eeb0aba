"""A journal of a million entries: `python -m tests.bench.million [--entries N] [--folder DIR]`.

Written and signed by the journal's own writer from rounds of the example table, a transaction a round. Then, each in a
process of its own, so that its memory is its own: opening for writing with recovery, as a start of the daemon does it;
`tabled journal verify`; and `tabled journal replay` on all cores.

Rates are told by processor time, start of the process included, since the machine may be busy with something else; the
wall clock's time stands beside them.
"""

from __future__ import annotations

import argparse
import os
import queue
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from firmware.app import program
from firmware.core.effects import Effect, RoundEnded
from firmware.core.events import Event
from firmware.core.state import State, initial_state
from firmware.core.step import step
from firmware.journal.heads import Custody
from firmware.journal.reader import Reader
from firmware.journal.records import Batch, Entry, SegmentStart
from firmware.journal.replay import restart
from firmware.journal.replay_parts import cores
from firmware.journal.signing import Signer, make_key
from firmware.journal.writer import Committed, Outcome, open_journal
from tests.app.rig import header
from tests.bench.streams import Stream, table_rules

KEY = "signing.key"
MOST_WAITING = 8
OPENINGS = 5


def custody_of(path: Path) -> Custody:
    """The key and the noted head beside a journal."""
    return Custody(Signer.load(path.with_name(KEY)), path.with_name("noted-head.json"))


def write(path: Path, least: int) -> int:
    """Rounds until there are `least` entries, and the beginning of one more; how many entries there are."""
    rules = table_rules()
    state = initial_state(rules)
    answers: queue.SimpleQueue[Outcome] = queue.SimpleQueue()
    custody = custody_of(path)
    custody.begin(path)
    journal, _ = open_journal(path, program.codec(), answers.put, create=True, custody=custody)
    signed_header = replace(header(), public_key=custody.signer.public.hex())
    journal.begin_segment(SegmentStart(signed_header, 1, 1, state))
    waiting, seq = 1, 0
    entries: list[Entry[Event, Effect]] = []
    for event in Stream(2, every_spot=False).endless():
        after, effects = step(rules, state, event)
        if after is state and not effects:
            continue
        state, seq = after, seq + 1
        ended = next((effect.round for effect in effects if isinstance(effect, RoundEnded)), None)
        entries.append(Entry(seq, seq, seq, event, effects, ended))
        full = seq >= least and len(entries) >= 10
        if ended is not None or full:
            batch: Batch[Event, Effect, State] = Batch(tuple(entries), state)
            journal.submit(batch)
            entries, waiting = [], waiting + 1
        if full:
            break
        while waiting > MOST_WAITING:
            assert isinstance(answers.get(timeout=60), Committed)
            waiting -= 1
    journal.close()
    return seq


class Used(Struct, frozen=True):
    """What a process and its children took."""

    wall_s: float
    processor_s: float
    peak_memory_mib: float
    output: str


def measured(*command: str) -> Used:
    """Run a command to its end; raises CalledProcessError if it fails."""
    began = time.perf_counter()
    child = subprocess.Popen([sys.executable, "-m", *command], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    with child.stdout:
        output = child.stdout.read()
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise subprocess.CalledProcessError(child.returncode, command)
    wall_s = time.perf_counter() - began
    return Used(wall_s, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, output)


def open_and_recover(path: Path) -> None:
    """What a start of the daemon does with its journal, a few times."""
    times = []
    for _ in range(OPENINGS):
        began = time.perf_counter()
        journal, position = open_journal(path, program.codec(), print, custody=custody_of(path))
        with Reader(path) as reader:
            stands = restart(reader, program.programs)
        times.append(time.perf_counter() - began)
        assert stands is not None
        assert stands.position == position
        journal.close()
    assert stands is not None
    print(" ".join(f"{s * 1e3:.0f}" for s in sorted(times)), stands.entries)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.million", description=__doc__)
    parser.add_argument("--entries", type=int, default=1_000_000)
    parser.add_argument("--folder", type=Path, help="on the disk that is to be measured; default: the temporary folder")
    parser.add_argument("--recover", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.recover is not None:
        open_and_recover(options.recover)
        return 0
    with tempfile.TemporaryDirectory(prefix="million", dir=options.folder) as name:
        path = Path(name) / "journal.sqlite"
        make_key(path.with_name(KEY))
        began = time.perf_counter()
        entries = write(path, options.entries)
        size = path.stat().st_size
        print(
            f"million: a journal of {entries:,} entries, {size / 1e6:,.0f} MB, written in "
            f"{time.perf_counter() - began:.0f} s",
            flush=True,
        )
        opened = measured("tests.bench.million", "--recover", str(path))
        *times, tail = opened.output.split()
        print(
            f"  opening and recovery (1 s): {', '.join(times)} ms (snapshot and {tail} entries); memory at most "
            f"{opened.peak_memory_mib:.0f} MiB",
            flush=True,
        )
        verified = measured(
            "firmware.cli", "journal", "verify", str(path), "--public-key", str(path.with_name(f"{KEY}.pub"))
        )
        print(
            f"  journal verify, chain and signatures (100,000 entries/s): {entries / verified.processor_s:,.0f} "
            f"entries a second of processor time, {verified.wall_s:.1f} s; memory at most "
            f"{verified.peak_memory_mib:.0f} MiB",
            flush=True,
        )
        replayed = measured("firmware.cli", "journal", "replay", str(path))
        print(
            f"  journal replay, every state hash (8,000 entries/s and core): {entries / replayed.processor_s:,.0f} "
            f"entries a second of processor time, {replayed.wall_s:.1f} s on {cores()} cores; memory of a process at "
            f"most {replayed.peak_memory_mib:.0f} MiB"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
