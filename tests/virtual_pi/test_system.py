"""The guest's own parts: its table is one that the daemon takes, and the suite's disk has what the suite needs."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from firmware.settings.check import load_checked
from tests.virtual_pi import contract, people, system

PROJECT = system.PROJECT
CACHE = os.environ.get("TABLED_VIRTUAL_PI", "")


def test_the_guests_table_is_a_table(tmp_path: Path) -> None:
    config = tmp_path / "table.toml"
    config.write_text(system.table(), "utf-8")
    table = load_checked(config, datetime.now(UTC).date().isoformat())
    assert "REPLACE-" not in table.text
    assert {device.kind for device in table.settings.devices.values() if device.kind.startswith("lines.")} == {
        "lines.lgpio"
    }
    layout = people.layout_of(config, tmp_path)
    lines = {*layout.spots.values(), layout.lockout, layout.confirm, layout.call, layout.clear}
    for key in (layout.floor_key, layout.reset_key):
        lines |= {key.normally_closed, key.normally_open}
        assert (system.REST[key.normally_closed], system.REST[key.normally_open]) == (0, 1)
    assert lines == set(system.REST), "each line of the table, and no other, has a level at rest"
    assert system.REST[layout.lockout] == 0, "the lock-out button is closed at rest"


def test_another_file_for_the_guest_makes_another_image(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    (tmp_path / "firmware").mkdir()
    monkeypatch.setattr(system, "PROJECT", tmp_path)
    stamps = []
    for place, text in (("firmware/a.py", "1"), ("firmware/a.py", "2"), ("firmware/b.py", ""), ("notes", "not in it")):
        (tmp_path / place).write_text(text, "utf-8")
        stamps.append(system._project_stamp())
    assert len(set(stamps)) == 3 and stamps[2] == stamps[3]


@pytest.mark.skipif(shutil.which("mke2fs") is None, reason="no mke2fs (e2fsprogs)")
def test_the_suites_disk_has_the_suite_and_its_tools(tmp_path: Path) -> None:
    contract.disk(tmp_path)
    tree = tmp_path / "suite"
    listing = subprocess.run(
        [sys.executable, "-P", "-S", "-m", "pytest", "--collect-only", "-q", contract.SUITE, "-k", "gpio-sim"],
        cwd=tree, env={"PYTHONPATH": f"{tree / 'site'}:{_program()}"}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert listing.returncode == 0, listing.stdout[-2_000:] + listing.stderr[-2_000:]
    assert listing.stdout.count("gpio-sim") >= 7


def _program() -> str:
    """Where the program and what it needs lie: what stands for /opt/tabled here."""
    import msgspec

    return f"{Path(msgspec.__file__).parents[1]}:{PROJECT}"


@pytest.mark.slow
@pytest.mark.timeout(3_600)
@pytest.mark.skipif(not CACHE, reason="the virtual Pi takes minutes; TABLED_VIRTUAL_PI=FOLDER names a cache to run it")
@pytest.mark.parametrize("what", ["contract", "measure"])
def test_on_the_virtual_pi(what: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.virtual_pi", what, "--cache", CACHE], cwd=PROJECT, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout[-3_000:] + done.stderr[-3_000:]
