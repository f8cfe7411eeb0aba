"""The power is cut a thousand times; see `tests.app.power_cuts` for what must hold afterwards."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.timeout(360)  # about a minute; a machine that does other things as well may take its time
def test_a_thousand_power_cuts_lose_nothing_and_the_negative_controls_do() -> None:
    command = [sys.executable, "-m", "tests.app.power_cuts", "--cuts", "1000", "--seed", "627"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    assert "1000 power cuts, 20 of them recovered by a daemon process" in done.stdout, done.stdout
    assert done.stdout.count("negative control") == 3, done.stdout
