"""The daemon is killed at every commit of three rounds; see `tests.app.kill_sweep` for what must hold afterwards."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.timeout(900)  # about a minute; a machine that does other things as well may take its time
def test_killed_at_every_commit_of_three_rounds() -> None:
    command = [sys.executable, "-m", "tests.app.kill_sweep", "--jobs", "2"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert done.stdout.count("3 rounds") == 2, done.stdout
    assert "killed 0" not in done.stdout, done.stdout
    assert done.stdout.count("major 1, royal_9.minor 1, mystery 4") == 2, done.stdout


@pytest.mark.timeout(300)  # some 10 s: a daemon is started twice for each of a dozen commits
def test_killed_at_every_fourth_commit_of_a_blackjack_round() -> None:
    """All of them, and the other rounds: python -m tests.app.kill_sweep --blackjack."""
    sweep = [sys.executable, "-m", "tests.app.kill_sweep", "--blackjack", "--in-turn", "--rounds", "1"]
    command = [*sweep, "--jobs", "4", "--part", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert "killed 0" not in done.stdout, done.stdout
    assert "royal_match 1" in done.stdout, done.stdout
