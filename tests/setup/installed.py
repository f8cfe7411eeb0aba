"""An install into a root of its own, made once for all tests that look at one."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]


def setup_sh(*arguments: str, cwd: Path = PROJECT, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `./setup.sh` of this project; it installs no system package."""
    inside = {**os.environ, "SETUP_NO_SYSTEM_PACKAGES": "1", **environment}
    return subprocess.run(
        [str(PROJECT / "setup.sh"), *arguments],
        env=inside,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )


def install_into(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """`setup.sh install --root`, with the Python that runs the tests, so that nothing else need be there."""
    return setup_sh("install", "--root", str(root), *arguments, PYTHON=sys.executable)
