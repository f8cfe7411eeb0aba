"""One played session, shared by the tests that look at its journal."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.hil.played import TABLE, run_hil


@pytest.fixture
def run_dir() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="hil-") as folder:
        yield Path(folder)


@dataclass(frozen=True)
class Played:
    """What a session of 16 rounds has left: every happening came once."""

    run_dir: Path
    status: int
    lines: list[str]

    @property
    def journal(self) -> Path:
        return self.run_dir / "journal.sqlite"


@pytest.fixture(scope="session")
def played() -> Iterator[Played]:
    with tempfile.TemporaryDirectory(prefix="hil-") as folder:
        done = run_hil("play", "--table", TABLE, "--run-dir", folder, "--rounds", 16, "--seed", 3)
        yield Played(Path(folder), done.returncode, (done.stdout + done.stderr).splitlines())
