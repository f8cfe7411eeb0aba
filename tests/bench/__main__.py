"""Every figure of the table daemon, as it came out on this machine: `python -m tests.bench`.

    --rounds N         rounds in the long run (default 5,000)
    --wire-rounds N    rounds with everything as processes on ptys and sockets (default 150)
    --only SECTION     machine, commit, wagers, million, races, settle, odds, generator, codecs, bounce, plugs, idle,
                       wires, rounds

Prints figures and their targets; judges nothing, but ends with an error if the journal is not in order. Debounce times
are short here (`tests.bench.wire_bench.SHORT_TIMES`), so that rounds take as little time as the daemon needs.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import count, islice
from pathlib import Path

from firmware.journal.database import sqlite_version
from tests.app.audit import audit
from tests.app.kill_sweep import JOURNAL, shoe_rounds
from tests.app.remote_bench import RemoteBench
from tests.bench.measured_daemon import FIGURES
from tests.bench.wire_bench import TABLE, WireBench
from tests.dealer import Dealer, Script

SECTIONS = (
    "machine",
    "commit",
    "wagers",
    "million",
    "races",
    "settle",
    "odds",
    "generator",
    "codecs",
    "bounce",
    "plugs",
    "idle",
    "wires",
    "rounds",
)
STARTS = 5


def machine(folder: Path) -> None:
    info = Path("/proc/cpuinfo").read_text().splitlines()
    models = [line.partition(":")[2].strip() for line in info if "odel name" in line]
    disk = subprocess.run(["df", "--output=fstype,source", folder], capture_output=True, text=True, check=True)
    print(f"machine: {platform.machine()}, {models[0] if models else 'unknown CPU'}, {os.cpu_count()} cores")
    print(f"  {platform.system()} {platform.release()}, Python {platform.python_version()}, SQLite {sqlite_version()}")
    print(f"  journal on {' '.join(disk.stdout.split()[2:])}; load at the start {os.getloadavg()[0]:.1f}")


def module(name: str) -> None:
    """A benchmark of its own. Its exit status is its verdict, and is told."""
    done = subprocess.run([sys.executable, "-m", name], check=False)
    print(f"  {name}: exit status {done.returncode}", flush=True)


def wires(folder: Path, rounds: int, long_journal: Path | None) -> None:
    """Latency, memory and start of the daemon as it is installed: every device a process behind its own wire."""
    began = time.monotonic()
    with WireBench(folder, "tests.bench.measured_daemon") as bench:
        dealer = Dealer(bench)
        for script in islice(endless_shoes(1), rounds):
            dealer.play(script)
        memory = resident_kib(bench.daemon_pid)
        status = bench.status()["journal"]
        bench.stop_daemon()
        figures = json.loads((folder / FIGURES).read_text())
        print(f"wires: {rounds} rounds in {time.monotonic() - began:.0f} s, {status['commits']} commits")
        print(f"  decision to lamp command, commit included (median 3, p99 10 ms): {quantiles(figures['lamp_ns'])}")
        print(f"  first edge to betting closed, committed (p99 10 ms): {quantiles(figures['lock_out_ns'])}")
        print(f"  resident after {rounds} rounds, all drivers open (48 MiB): {memory / 1024:.1f} MiB")
        audit(folder / JOURNAL)
        starts(bench, f"a journal of {rounds} rounds")
        if long_journal is not None:
            shutil.copy(long_journal, folder / JOURNAL)
            starts(bench, "the long run's journal")


def starts(bench: WireBench, name: str) -> None:
    seconds = []
    for _ in range(STARTS):
        seconds.append(bench.restart("firmware.cli", "run"))
        bench.stop_daemon()
    texts = ", ".join(f"{s:.2f}" for s in sorted(seconds))
    print(f"  start of the process to READY, no settling time, {name} (0.5 s): {texts} s", flush=True)


def long_run(folder: Path, rounds: int) -> Path:
    """The daemon as a process, fed its device events over a pipe: as many rounds as it can play."""
    bench = RemoteBench(TABLE, folder, start_method="spawn", all_drivers=True)
    bench.start()
    dealer, began, memory = Dealer(bench), time.monotonic(), {}
    for number, script in enumerate(islice(endless_shoes(2), rounds), start=1):
        dealer.play(script)
        if number in (1, 1000, rounds) or number % 1000 == 0:
            memory[number] = resident_kib(bench.daemon_pid)
            print(f"  round {number}: {time.monotonic() - began:.0f} s, {memory[number] / 1024:.1f} MiB", flush=True)
    bench.stop()
    seconds = time.monotonic() - began
    print(f"rounds: {rounds} in {seconds:.0f} s; resident memory grew by {growth(memory)} (none after round 1,000)")
    began = time.monotonic()
    found = audit(folder / JOURNAL)
    assert len(found.rounds) == rounds, found.rounds
    size = (folder / JOURNAL).stat().st_size
    print(
        f"  journal: {found.entries} entries, {size / 1e6:.0f} MB, chain verified, replayed to the same hashes; "
        f"{found.settled} rounds and {found.wagers} wagers paid as `tabled settle` says, {found.awards} awards; "
        f"meters equal contributions less awards to the micro-dollar ({time.monotonic() - began:.0f} s)"
    )
    return folder / JOURNAL


def growth(memory: dict[int, int]) -> str:
    late = [kib for number, kib in memory.items() if number >= 1000]
    return f"{(late[-1] - late[0]) / 1024:.1f} MiB" if len(late) > 1 else "(too few rounds to say)"


def endless_shoes(seed: int) -> Iterator[Script]:
    """One shoe after the other; every one but the first begins with NEW SHOE."""
    for number in count():
        for index, script in enumerate(shoe_rounds(seed + number)):
            script.new_shoe = number > 0 and index == 0
            yield script


def resident_kib(pid: int) -> int:
    line = next(x for x in Path(f"/proc/{pid}/status").read_text().splitlines() if x.startswith("VmRSS"))
    return int(line.split()[1])


def quantiles(values_ns: list[int]) -> str:
    values = sorted(values_ns)
    median, high = values[len(values) // 2], values[len(values) * 99 // 100]
    return f"median {median / 1e6:.2f} ms, p99 {high / 1e6:.2f} ms, worst {values[-1] / 1e6:.2f} ms of {len(values)}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.add_argument("--rounds", type=int, default=5_000)
    parser.add_argument("--wire-rounds", type=int, default=150)
    parser.add_argument("--only", choices=SECTIONS, action="append")
    options = parser.parse_args()
    chosen = options.only or SECTIONS
    with tempfile.TemporaryDirectory(prefix="bench") as name:
        folder, played = Path(name), None
        if "machine" in chosen:
            machine(folder)
        if "commit" in chosen:
            module("tests.bench.journal")
        for alone in ("wagers", "million", "races", "settle", "odds", "generator", "codecs", "bounce", "plugs", "idle"):
            if alone in chosen:
                module(f"tests.bench.{alone}")
        if "rounds" in chosen:
            (folder / "long").mkdir()
            played = long_run(folder / "long", options.rounds)
        if "wires" in chosen:
            (folder / "wires").mkdir()
            wires(folder / "wires", options.wire_rounds, played)
    return 0


if __name__ == "__main__":
    sys.exit(main())
