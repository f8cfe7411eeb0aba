"""The power goes while a table plays; the start-up code stands on what is left: `python -m tests.app.power_cuts`.

    python -m tests.app.power_cuts                  1,000 cuts, every 50th recovered by a daemon of its own
    python -m tests.app.power_cuts --cuts 10000     ten times as many

An evening is played by people who read the display, at a real daemon whose disk is written down (`recorded_daemon`),
in two lives: from no journal at all to the ordered stop, and once more. Then the power is cut at random operations of
that disk. What it may have held then (`tests.journal.disk`) is built in a folder, and the daemon starts there:

* every entry that was acknowledged is there, once, in its place, and nothing but what was submitted after it;
* the table stands on exactly the state that the evening had at that entry, and can read its secret trigger;
* chain, hashes and snapshots are in order;
* one recovery in four is cut as well, and then holds the same;
* every fiftieth is a daemon process, and people finish the round on the table as it lay when the power went; chain,
  payments and meters are then audited from the first entry.

The negative controls must lose something: SQLite without syncs, a card that ignores flushes, and SQLite told that no
sector is ever lost.
"""

from __future__ import annotations

import argparse
import bisect
import copy
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from concurrent.futures import as_completed
from dataclasses import dataclass, field
from pathlib import Path

from firmware.app.program import programs
from firmware.core.effects import MysteryStopped
from firmware.journal.errors import JournalError
from firmware.journal.reader import Reader
from firmware.journal.records import HEADER_CODEC, NO_HASH
from tests.app.audit import audit
from tests.app.evening import evening, mystery_table
from tests.app.in_process import start_and_stop
from tests.app.recorded_daemon import RecordPlan, TimedRecording, recorded
from tests.app.remote_bench import DaemonDied, RemoteBench
from tests.app.workers import workers
from tests.dealer import Dealer, Script
from tests.journal.disk import Acknowledged, Damage, Disk, FolderSynced, Record, Sync
from tests.journal.recording import Recorder, Recording, before, scratch, watching
from tests.journal.torture import Lost, litter
from tests.journal.torture_vfs import TortureVfs

JOURNAL = "journal.sqlite"
LOG = "daemon.log"
DAEMON_EVERY = 50
CONTROL_CUTS = 40
SHARE = 250  # cuts that one process makes before it is given more
MOST_CONTROL_CUTS = 400  # a control that has lost nothing by then has no teeth


@dataclass(frozen=True)
class Seen:
    """The physical table just before somebody did something, and how far the round had come."""

    at_ns: int
    chips: dict[tuple[int, str], int]
    floor_turned: bool
    script: Script
    rounds: int  # that were over before


class SeenBench(RemoteBench):
    """A bench that remembers how the table lay at every moment."""

    def __init__(self, config: Path, folder: Path) -> None:
        super().__init__(config, folder)
        self.seen: list[Seen] = []
        self.script: Script | None = None
        self.rounds = 0

    def _do(self, *events: object) -> None:
        if self.script is not None:
            now = time.monotonic_ns()
            script = copy.deepcopy(self.script)
            self.seen.append(Seen(now, dict(self._chips), self._floor_turned, script, self.rounds))
        super()._do(*events)  # type: ignore[arg-type]

    def lay(self, seen: Seen) -> None:
        """Put the table as it lay then."""
        self._chips = dict(seen.chips)
        self._floor_turned = seen.floor_turned


@dataclass(frozen=True)
class Stand:
    """Where a journal may end: after a transaction of the evening."""

    last_seq: int
    rows: int  # entries and segments up to here
    state: str


@dataclass(frozen=True)
class Evening:
    """What was recorded, and what a recovery is compared with."""

    config: Path
    lives: list[TimedRecording]
    seen: list[Seen]
    rows: list[bytes]  # hash of every segment and entry, in the chain's order
    stands: dict[bytes, Stand]  # by the head


def record_evening(folder: Path, unsynced: bool = False, trusting: bool = False) -> Evening:
    """Play it in two lives of a real daemon, in an empty folder."""
    run = folder / "run"
    run.mkdir()
    config = mystery_table(folder)
    bench = SeenBench(config, run)
    scripts = evening()
    lives: list[TimedRecording] = []
    for number, part in enumerate((scripts[: len(scripts) // 2], scripts[len(scripts) // 2 :])):
        to = folder / f"life-{number}"
        bench.start(RecordPlan(to, unsynced, trusting))
        for script in part:
            bench.script = copy.deepcopy(script)
            Dealer(bench).play(bench.script)
            bench.rounds += 1
        bench.script = None
        bench.stop()
        lives.append(recorded(to))
    rows, stands = _reference(run / JOURNAL)
    return Evening(config, lives, bench.seen, rows, stands)


def _reference(path: Path) -> tuple[list[bytes], dict[bytes, Stand]]:
    """The chain's hashes in order, and the state after each transaction, stepped anew."""
    rows: list[bytes] = []
    stands = {NO_HASH: Stand(0, 0, "")}
    with Reader(path) as reader:
        reader.verify()
        segments = reader.segments()
        for segment, after in zip(segments, [*segments[1:], None], strict=True):
            program = programs(header := HEADER_CODEC.decode(segment.header))
            rules = program.rules(header)
            opening = reader.snapshot(segment.number, segment.first_seq - 1)
            assert opening is not None
            state = program.codec.states.decode(opening)
            rows.append(segment.hash)
            stands[segment.hash] = Stand(segment.first_seq - 1, len(rows), opening)
            for row in reader.entries(segment.first_seq, after.first_seq - 1 if after else 1 << 62):
                state, _ = program.step(rules, state, program.codec.decode_entry(row).event)
                rows.append(row.hash)
                if row.state_hash is not None:
                    stands[row.hash] = Stand(row.seq, len(rows), program.codec.states.encode(state).decode())
    return rows, stands


# --- one cut --------------------------------------------------------------------------------------------------------


@dataclass
class Tally:
    cuts: int = 0
    again: int = 0  # recoveries that were cut as well
    daemons: int = 0
    newer: int = 0  # more was there than had been acknowledged
    lost: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.cuts += other.cuts
        self.again += other.again
        self.daemons += other.daemons
        self.newer += other.newer
        self.lost += other.lost


def check_recovery(folder: Path, acknowledged: Acknowledged | None, played: Evening) -> bool:
    """Start the daemon on what is left, and compare. Raises Lost. True: more was there than was acknowledged."""
    recover(folder, played.config)
    rows, opening = _found(folder / JOURNAL, acknowledged)
    return compare(rows, opening, acknowledged, played)


def recover(folder: Path, config: Path, vfs: TortureVfs | None = None) -> None:
    try:
        start_and_stop(config, folder, vfs.name if vfs else None)
    except (JournalError, AssertionError) as error:
        raise Lost(f"{type(error).__name__}: {error}") from error


def _found(path: Path, acknowledged: Acknowledged | None) -> tuple[list[bytes], str]:
    """The hashes of all rows before the last segment, and the state with which that one opens."""
    try:
        with Reader(path) as reader:
            reader.verify(acknowledged.head if acknowledged else None)
            *older, last = reader.segments()
            rows = [(row.first_seq, 0, row.hash) for row in older]
            rows += [(row.seq, 1, row.hash) for row in reader.entries(last_seq=last.first_seq - 1)]
            opening = reader.snapshot(last.number, last.first_seq - 1)
            for row in reader.entries(last.first_seq):
                if MysteryStopped.__name__ in row.body:
                    raise Lost(f"the secret trigger can't be read any more: {row.body}")
    except JournalError as error:
        raise Lost(f"{type(error).__name__}: {error}") from error
    assert opening is not None
    return [hash_ for _, _, hash_ in sorted(rows, key=lambda row: row[:2])], opening


def compare(rows: list[bytes], opening: str, acknowledged: Acknowledged | None, played: Evening) -> bool:
    """Raises Lost. `rows` may go on behind the evening's where an earlier recovery was cut."""
    ours = [index for index, row in enumerate(rows) if row in played.stands]
    head = rows[ours[-1]] if ours else NO_HASH
    stand = played.stands[head]
    if rows[: stand.rows] != played.rows[: stand.rows]:
        raise Lost(f"{len(rows)} rows, which are not the evening's first {stand.rows}")
    if len(rows) == stand.rows and stand.rows and opening != stand.state:
        raise Lost(f"after entry {stand.last_seq} the table stood on {stand.state}, it starts on {opening}")
    least = played.stands[acknowledged.head] if acknowledged else played.stands[NO_HASH]
    if stand.rows < least.rows:
        raise Lost(f"entry {least.last_seq} was acknowledged, the journal ends at {stand.last_seq}")
    return stand.rows > least.rows


def cut_once(disk: Disk, played: Evening, rng: random.Random, tally: Tally) -> None:
    with tempfile.TemporaryDirectory(prefix="cut", dir=scratch()) as name:
        folder = Path(name)
        disk.cut(folder, rng, Damage.any(rng))
        litter(folder, rng, JOURNAL)
        if rng.randrange(4):
            tally.newer += check_recovery(folder, disk.acknowledged, played)
            return
        tally.again += 1
        files, records = before(folder), list[Record]()
        recorder = Recorder(folder, records.append)
        vfs = TortureVfs(recorder)
        try:
            with watching(recorder):
                recover(folder, played.config, vfs)
        finally:
            vfs.unregister()
    with tempfile.TemporaryDirectory(prefix="cut", dir=scratch()) as name:
        for _, again in Recording(files, records).disks([rng.randrange(len(records) + 1)]):
            again.cut(Path(name), rng, Damage.any(rng))
        litter(Path(name), rng, JOURNAL)
        tally.newer += check_recovery(Path(name), disk.acknowledged, played)


def cut_and_play_on(disk: Disk, played: Evening, seen: Seen, rng: random.Random) -> None:
    """A daemon process recovers, and people finish the round. Raises Lost."""
    with tempfile.TemporaryDirectory(prefix="cut") as name:
        folder = Path(name)
        disk.cut(folder, rng, Damage.any(rng))
        litter(folder, rng, JOURNAL)
        bench = SeenBench(played.config, folder)
        bench.lay(seen)
        try:
            bench.start()
            Dealer(bench).play(copy.deepcopy(seen.script))
            bench.stop()
        except DaemonDied as error:
            raise Lost(f"the daemon died: {(folder / LOG).read_text()}") from error
        found = audit(folder / JOURNAL)
        if found.effects[MysteryStopped.__name__]:
            raise Lost("the secret trigger can't be read any more")
        if found.rounds not in (list(range(1, seen.rounds + 2)), list(range(1, seen.rounds + 1))):
            raise Lost(f"round {seen.rounds + 1} was on the table, ended were {found.rounds}")
        with Reader(folder / JOURNAL) as reader:
            reader.verify(disk.acknowledged.head if disk.acknowledged else None)


# --- many -----------------------------------------------------------------------------------------------------------


def cut_power(played: Evening, moments: Iterable[tuple[int, int, bool]], seed: int) -> Tally:
    """Cut at each of `moments`: (life, operation, whether a daemon process recovers), ascending."""
    tally = Tally()
    rng = random.Random(seed)
    by_life: dict[int, list[tuple[int, bool]]] = {}
    for life, operation, daemon in moments:
        by_life.setdefault(life, []).append((operation, daemon))
    for life, cuts in by_life.items():
        timed = played.lives[life]
        for (operation, disk), (_, daemon) in zip(timed.recording.disks(cut[0] for cut in cuts), cuts, strict=True):
            tally.cuts += 1
            try:
                if daemon:
                    tally.daemons += 1
                    cut_and_play_on(disk, played, _seen_at(played, timed.times_ns[operation - 1]), rng)
                else:
                    cut_once(disk, played, rng, tally)
            except Lost as loss:
                tally.lost.append(f"life {life}, after {operation} of {len(timed.times_ns)} operations: {loss}")
    return tally


def _seen_at(played: Evening, at_ns: int) -> Seen:
    index = bisect.bisect_right([seen.at_ns for seen in played.seen], at_ns) - 1
    return played.seen[max(index, 0)]


def moments(played: Evening, cuts: int, rng: random.Random, daemon_every: int) -> list[tuple[int, int, bool]]:
    """Spread over all operations of all lives, ascending."""
    places = [(life, operation) for life, timed in enumerate(played.lives)
              for operation in range(1, len(timed.times_ns) + 1)]  # fmt: skip
    chosen = sorted(rng.choices(places, k=cuts))
    return [(life, operation, daemon_every > 0 and number % daemon_every == daemon_every // 2)
            for number, (life, operation) in enumerate(chosen)]  # fmt: skip


Losses = dict[str, tuple[int, int]]
"""What was wrong on purpose: cuts that lost something, cuts made."""


def controls(folder: Path, honest: Evening, seed: int) -> Losses:
    """The negative controls."""
    lives = []
    for timed in honest.lives:
        kept = [
            (record, at_ns)
            for record, at_ns in zip(timed.recording.records, timed.times_ns, strict=True)
            if not isinstance(record, Sync | FolderSynced)
        ]
        recording = Recording(timed.recording.before, [record for record, _ in kept])
        lives.append(TimedRecording(recording, [at_ns for _, at_ns in kept]))
    ignoring = Evening(honest.config, lives, honest.seen, honest.rows, honest.stands)
    (folder / "unsynced").mkdir()
    (folder / "trusting").mkdir()
    evenings = {
        "SQLite with synchronous=OFF": record_evening(folder / "unsynced", unsynced=True),
        "a card that ignores flushes": ignoring,
        "SQLite told that no sector is lost": record_evening(folder / "trusting", trusting=True),
    }
    return {name: _until_lost(played, seed) for name, played in evenings.items()}


def _until_lost(played: Evening, seed: int) -> tuple[int, int]:
    rng = random.Random(seed)
    tally = Tally()
    while not tally.lost and tally.cuts < MOST_CONTROL_CUTS:
        tally.add(cut_power(played, moments(played, CONTROL_CUTS, rng, daemon_every=0), rng.randrange(1 << 32)))
    return len(tally.lost), tally.cuts


def run(cuts: int, jobs: int, seed: int, told: Callable[[Tally], None] = lambda tally: None) -> tuple[Tally, Losses]:
    """Record once, and share the cuts among `jobs` processes; `told` hears of each share that is done."""
    with tempfile.TemporaryDirectory(prefix="evening") as name:
        folder = Path(name)
        (folder / "honest").mkdir()
        played = record_evening(folder / "honest")
        chosen = moments(played, cuts, random.Random(seed), DAEMON_EVERY)
        shares = max(jobs, cuts // SHARE)
        tally = Tally()
        with workers(jobs) as pool:
            control = pool.submit(controls, folder, played, seed)
            parts = [pool.submit(cut_power, played, chosen[part::shares], seed + part) for part in range(shares)]
            for done in as_completed(parts):
                tally.add(done.result())
                told(tally)
            return tally, control.result()


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.app.power_cuts", description=__doc__.partition("\n")[0])
    parser.add_argument("--cuts", type=int, default=1_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    began = time.monotonic()

    def told(tally: Tally) -> None:
        print(f"{time.monotonic() - began:.0f} s: {tally.cuts} cuts, {len(tally.lost)} lost something", flush=True)

    tally, losses = run(options.cuts, options.jobs, options.seed, told)
    seconds = time.monotonic() - began
    for loss in tally.lost[:5]:
        print(loss, file=sys.stderr)
    print(
        f"{tally.cuts} power cuts, {tally.daemons} of them recovered by a daemon process and played on, {tally.again} "
        f"cut again while recovering; {tally.newer} times the journal held a transaction whose answer the cut had "
        f"swallowed. {len(tally.lost)} lost something. {seconds:.0f} s"
    )
    for name, (lost, made) in losses.items():
        print(f"negative control, {name}: {lost} of {made} cuts lost something (must be above 0)")
    return 0 if not tally.lost and all(lost for lost, _ in losses.values()) else 1


if __name__ == "__main__":
    from tests.app.power_cuts import main as main_of_the_module  # so that what is pickled has its real name

    sys.exit(main_of_the_module())
