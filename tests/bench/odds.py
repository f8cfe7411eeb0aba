"""Seconds of `tabled odds --json`: python -m tests.bench.odds

Every wager, paytable and deck count in one call, and each wager's own tables in a call of its own from a cold start.
Processor time, so that other work on the machine counts as little as it can, and seconds by the clock beside it. Prints
figures and their targets, the slowest wagers first.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

WHOLE_TARGET_S = 90
ONE_TARGET_S = 5
SHOWN = 5


def odds(*filters: str) -> tuple[float, float, bytes]:
    """Processor seconds, seconds by the clock, and what the call wrote."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "firmware.cli", "odds", "--json", *filters],
        stdout=subprocess.PIPE,
        cwd=Path(__file__).parents[2],
        check=True,
    )
    wall, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, wall, done.stdout


def main() -> None:
    """Print the figures."""
    spent, wall, written = odds()
    reports = json.loads(written)
    print(f"odds: every one of {len(reports)} tables, load {os.getloadavg()[0]:.1f}")
    print(f"  processor {spent:6.1f} s, by the clock {wall:6.1f} s (target {WHOLE_TARGET_S})", flush=True)
    kinds = sorted({(report["game"], report["wager"]) for report in reports})
    cold = sorted(
        ((*odds("--game", game, "--wager", wager)[:2], game, wager) for game, wager in kinds),
        reverse=True,
    )
    print(f"  one wager, cold start, the slowest {SHOWN} of {len(cold)} (target {ONE_TARGET_S} s):")
    for one_spent, one_wall, game, wager in cold[:SHOWN]:
        print(f"  processor {one_spent:6.1f} s, by the clock {one_wall:6.1f} s  {game} {wager}")


if __name__ == "__main__":
    main()
