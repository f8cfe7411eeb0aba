"""The import contracts, the linter and the type checker, as tests: nobody has to remember to run them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

PROJECT = Path(__file__).resolve().parents[2]
BIN = Path(sys.executable).parent


@pytest.mark.timeout(300)
@pytest.mark.parametrize(
    "command",
    [
        (str(BIN / "lint-imports"), "--no-cache"),
        (str(BIN / "ruff"), "check", "--no-cache", "."),
        (sys.executable, "-m", "mypy"),
    ],
    ids=["import contracts", "ruff", "mypy"],
)
def test_it_has_nothing_to_say(command: tuple[str, ...]) -> None:
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True)
    assert done.returncode == 0, (done.stdout + done.stderr)[-4000:]
