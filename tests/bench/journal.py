"""The journal's figures: `python -m tests.bench.journal`. Prints them; judges nothing.

A commit alone: the transaction, in a file of the journal's own tables and settings. A commit through the writer: from
`submit` to the callback on the writer's thread, one entry a transaction, 20 entries a round, a state of about 6 kB
hashed with each; "on the loop" is what `submit` costs its caller. Each back to back and one each 5 ms, in a file that
is in use already, with the disk alone beside it.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import platform
import resource
import tempfile
import time
from multiprocessing.synchronize import Event as Signal
from pathlib import Path

import apsw

from firmware.journal import database
from firmware.journal.database import sqlite_version
from firmware.journal.reader import Reader
from firmware.journal.replay import replay, restart
from tests.journal.sample import Contributed, Event, RoundEnded, Sensed, Table, committed, programs, start_state

PAGE_BYTES = 4_096
PADDING = 5_600
NOTE = "n" * 300  # makes a body of about 450 bytes, as a settled wager's


def busy(until_set: Signal) -> None:
    while not until_set.is_set():
        sum(range(10_000))


def quantiles(values_ns: list[int]) -> str:
    values_ns = sorted(values_ns)
    median, high, worst = values_ns[len(values_ns) // 2], values_ns[len(values_ns) * 99 // 100], values_ns[-1]
    return f"median {median / 1e6:.3f} ms, 99th percentile {high / 1e6:.3f} ms, worst {worst / 1e6:.2f} ms"


def measure_disk(folder: Path, writes: int, pause_s: float) -> None:
    """What the disk alone costs, for comparison: one page written in place and synced, as a commit has to."""
    file = os.open(folder / "page", os.O_RDWR | os.O_CREAT, 0o600)
    whole: list[int] = []
    try:
        os.write(file, bytes(PAGE_BYTES * 500))
        os.fsync(file)
        for index in range(writes):
            started_ns = time.perf_counter_ns()
            os.pwrite(file, NOTE.encode() * 10, index % 500 * PAGE_BYTES)
            os.fdatasync(file)
            whole.append(time.perf_counter_ns() - started_ns)
            time.sleep(pause_s)
    finally:
        os.close(file)
    print(f"the disk alone, a page written and synced, {_pace(pause_s)}: {quantiles(whole)}")


def measure_transactions(path: Path, commits: int, pause_s: float) -> None:
    """A commit alone: the journal's own file, settings and tables, an entry a transaction; no thread, no encoding."""
    database.create(path)
    connection = database.open_for_writing(path)
    digest = bytes(32)
    whole: list[int] = []
    for index in range(1, commits + 401):
        started_ns = time.perf_counter_ns()
        connection.execute("BEGIN IMMEDIATE")
        values = (index, 1, index, index, NOTE + NOTE[:150], None, digest, 0, digest, digest)
        connection.execute("INSERT INTO entry VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", values)
        connection.execute("COMMIT")
        if index > 400:  # the WAL has its size by then
            whole.append(time.perf_counter_ns() - started_ns)
        if index % 20 == 0:
            connection.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)
        time.sleep(pause_s)
    connection.close()
    print(f"a commit alone, {_pace(pause_s)}: {quantiles(whole)}")


def _pace(pause_s: float) -> str:
    return f"one each {pause_s * 1e3:.0f} ms" if pause_s else "back to back"


def measure_commits(folder: Path, name: str, commits: int, pause_s: float) -> None:
    done_ns = 0

    def note(outcome: object) -> None:
        nonlocal done_ns
        done_ns = time.perf_counter_ns()

    table = Table(folder / name, state=start_state(PADDING), watch=note)
    committed(table.begin())
    whole: list[int] = []
    submit: list[int] = []
    for index in range(commits + 400):
        event = RoundEnded(index) if index % 20 == 19 else Contributed(index % 7, index, NOTE)
        batch = table.batch(event)
        started_ns = time.perf_counter_ns()
        table.journal.submit(batch)
        submitted_ns = time.perf_counter_ns()
        committed(table.answer())
        if index >= 400:  # the WAL has its size by then
            whole.append(done_ns - started_ns)
            submit.append(submitted_ns - started_ns)
        if pause_s:
            time.sleep(pause_s)
    table.close()
    print(f"a commit through the writer, {name}: {quantiles(whole)}; on the loop: {quantiles(submit)}")


def measure_commits_under_load(folder: Path, commits: int) -> None:
    stop = multiprocessing.Event()
    processes = [multiprocessing.Process(target=busy, args=(stop,), daemon=True) for _ in range(4)]
    for process in processes:
        process.start()
    try:
        measure_commits(folder, "with 4 busy processes", commits, 0.0)
    finally:
        stop.set()
        for process in processes:
            process.join()


def measure_long_journal(path: Path, rounds: int) -> None:
    table = Table(path, state=start_state(PADDING))
    committed(table.begin())
    kinds: tuple[Event, ...] = (Sensed(0, True, 1), *(Contributed(spot, 1_000, NOTE) for spot in range(3)))
    events = [kinds[index % 4] for index in range(29)]
    for number in range(1, rounds + 1):
        committed(table.play(*events, RoundEnded(number)))
    for event in events:  # a round that was cut off
        committed(table.play(event))
    table.close()
    size = path.stat().st_size
    started = time.perf_counter()
    with Reader(path) as reader:
        stands = restart(reader, programs)
    assert stands is not None
    assert stands.state == table.state
    print(
        f"restart from {stands.position.last_seq} entries: {(time.perf_counter() - started) * 1e3:.1f} ms "
        f"(snapshot and {stands.entries} entries)"
    )
    started = time.perf_counter()
    Table(path, create=False).close()
    print(f"open for writing: {(time.perf_counter() - started) * 1e3:.1f} ms")
    started = time.perf_counter()
    with Reader(path) as reader:
        report = reader.verify()
    seconds = time.perf_counter() - started
    print(
        f"verify: {report.entries / seconds:,.0f} entries/s ({report.entries} entries, {report.snapshots} snapshots, "
        f"{size / 1e6:.0f} MB in {seconds:.2f} s)"
    )
    started = time.perf_counter()
    with Reader(path) as reader:
        done = replay(reader, programs)
    print(f"replay: {done.entries / (time.perf_counter() - started):,.0f} entries/s")
    print(
        f"file: {size / report.entries:.0f} bytes an entry, snapshots included; "
        f"memory at most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.bench.journal", description=__doc__)
    parser.add_argument("--commits", type=int, default=3_000)
    parser.add_argument("--rounds", type=int, default=5_000)
    parser.add_argument("--folder", type=Path, help="on the disk that is to be measured; default: the temporary folder")
    options = parser.parse_args()
    print(f"SQLite {sqlite_version()}, Python {platform.python_version()}, {platform.machine()}")
    with tempfile.TemporaryDirectory(dir=options.folder) as name:
        folder = Path(name)
        for pause_s, count in ((0.0, options.commits), (0.005, options.commits // 5)):
            measure_disk(folder, count, pause_s)
            measure_transactions(folder / f"transactions-{_pace(pause_s)}", count, pause_s)
            measure_commits(folder, _pace(pause_s), count, pause_s)
        measure_commits_under_load(folder, options.commits // 3)
        measure_long_journal(folder / "long", options.rounds)


if __name__ == "__main__":
    main()
