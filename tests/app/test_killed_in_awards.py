"""The daemon is killed at every commit of a round with a Mega and two envies; see `tests.app.killed_in_awards`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.timeout(600)  # about half a minute; a machine that does other things as well may take its time
def test_killed_at_every_commit_of_a_round_with_awards() -> None:
    command = [sys.executable, "-m", "tests.app.killed_in_awards", "--jobs", "2", "--rounds", "1"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert done.stdout.count("1 rounds, ") == 2, done.stdout
    assert "killed 0" not in done.stdout, done.stdout
