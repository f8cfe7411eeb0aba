"""Kills the daemon at every commit of rounds with awards: `python -m tests.app.killed_in_awards`.

A Mega by slip with two envy bonuses from the table inventory, then two meters won in one round. What must hold is what
`kill_sweep` and `audit` ask: the next daemon stands on what was durable, each award is paid once, slip numbers have no
gap, each won meter is reset once.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.app.kill_sweep import Sweep
from tests.dealer import Script

ROYAL = "royal_9_progressive"


def award_rounds() -> list[Script]:
    return [
        Script(chips=[(p, ROYAL) for p in (1, 3, 4)], player=["KS", "9H"], banker=["KS", "9H"]),
        Script(chips=[(2, ROYAL), (5, ROYAL), (5, "player")], player=["KS", "9S"], banker=["KD", "9C"]),
    ]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.app.killed_in_awards", description=__doc__)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--part", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--all", action="store_true", help="three deaths at each commit, not one")
    parser.add_argument("--rounds", type=int, help="only the first so many")
    options = parser.parse_args()
    if options.part is None:
        command = [sys.executable, "-m", "tests.app.killed_in_awards", *sys.argv[1:]]
        parts = [subprocess.Popen([*command, "--part", str(part)]) for part in range(options.jobs)]
        statuses = [part.wait() for part in parts]
        return int(any(statuses))
    began = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="awards") as folder:
        sweep = Sweep(Path(folder), options.part, options.jobs, not options.all, 1 + options.part)
        for script in award_rounds()[: options.rounds]:
            sweep.round(script)
    print(f"part {options.part} of {options.jobs}, {time.monotonic() - began:.0f} s: {sweep.tally.text()}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
