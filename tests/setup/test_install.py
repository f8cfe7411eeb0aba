"""`setup.sh`: what it refuses, and an install into a root, twice."""

from __future__ import annotations

import platform
import subprocess
import sys
from pathlib import Path

import pytest

from tests.setup.installed import PROJECT, install_into, setup_sh


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("ruin",), "no command 'ruin'"),
        (("run", "--rounds", "0"), "--rounds wants a number from 1, got '0'"),
        (("run", "--rounds"), "--rounds wants a number from 1, got ''"),
        (("run", "--fast"), "run does not know '--fast'"),
        (("run", "--table", "midi"), "there are: baccarat-14 baccarat blackjack criss_cross_poker midibaccarat"),
        (("install", "--root"), "--root wants a folder"),
        (("install", "--with", "pigpio"), "--with wants rpigpio, neopixel-pwm or neopixel-pio"),
        (("lock", "--now"), "lock does not know '--now'"),
    ],
)
def test_a_wrong_call_is_status_2_and_says_why(arguments: tuple[str, ...], said: str) -> None:
    done = setup_sh(*arguments)
    assert done.returncode == 2
    assert said in done.stderr


@pytest.mark.skipif(platform.machine() in ("aarch64", "armv7l", "armv6l"), reason="it can be installed here")
def test_what_is_for_arm_only_is_refused_elsewhere(tmp_path: Path) -> None:
    done = setup_sh("install", "--root", str(tmp_path), "--with", "rpigpio", "--with", "neopixel-pio")
    assert done.returncode == 1
    assert f"published for ARM only; this is {platform.machine()}" in done.stderr
    assert not list(tmp_path.iterdir())


def test_help_names_every_command() -> None:
    done = setup_sh("help")
    assert done.returncode == 0
    assert all(f"./setup.sh {command}" in done.stdout for command in ("run", "test", "lock", "help"))
    assert "sudo ./setup.sh install" in done.stdout


def test_a_python_that_does_not_fit_is_named(tmp_path: Path) -> None:
    old = tmp_path / "python3"
    old.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    old.chmod(0o755)
    done = setup_sh("install", "--root", str(tmp_path / "root"), PYTHON=str(old))
    assert done.returncode == 1
    assert f"PYTHON={old} is no Python 3.11, 3.12 or 3.13" in done.stderr


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("a root")
    done = install_into(folder, "--without-pi")
    assert done.returncode == 0, done.stderr
    return folder


def test_everything_is_below_the_root(root: Path) -> None:
    wanted = {
        "etc/systemd/system/tabled.service",
        "etc/sysusers.d/tabled.conf",
        "etc/tmpfiles.d/tabled.conf",
        "etc/modules-load.d/tabled.conf",
        "etc/udev/rules.d/80-tabled.rules",
        "etc/tabled/table.toml",
        "usr/share/doc/tabled/tabled-network.conf",
        "usr/share/doc/tabled/tabled-scanner.conf",
        "usr/share/doc/tabled/README.md",
        "usr/share/doc/tabled/IRREGULARITIES.md",
        "usr/share/doc/tabled/GUIDE.md",
        "opt/tabled/bin/tabled",
        "opt/tabled/bin/hil",
    }
    assert {name for name in wanted if (root / name).is_file()} == wanted


def test_scripts_name_the_interpreter_of_the_final_place(root: Path) -> None:
    first = (root / "opt/tabled/bin/tabled").read_text(encoding="utf-8").splitlines()
    assert str(root) not in first[0]
    assert "/opt/tabled/bin/python" in "".join(first[:3])


def test_the_installed_program_runs_without_the_clone(root: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        [str(root / "opt/tabled/bin/python"), "-I", "-m", "firmware.cli", "rules", "--json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert "royal_9_progressive" in done.stdout


def test_a_second_time_changes_nothing_and_keeps_the_technician_s_files(root: Path) -> None:
    table = root / "etc/tabled/table.toml"
    table.write_text("# mine\n", encoding="utf-8")
    before = {path: path.stat().st_mtime_ns for path in root.rglob("*") if "__pycache__" not in path.parts}
    done = install_into(root, "--without-pi")
    assert done.returncode == 0, done.stderr
    after = {path: path.stat().st_mtime_ns for path in root.rglob("*") if "__pycache__" not in path.parts}
    assert after == before
    assert table.read_text(encoding="utf-8") == "# mine\n"
    assert "wrote" not in done.stderr


def test_requirement_files_are_fresh() -> None:
    done = subprocess.run(
        [sys.executable, str(PROJECT / "requirements/lock.py"), "--check"], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_freshness_is_judged_by_pyproject(tmp_path: Path) -> None:
    (tmp_path / "requirements").mkdir()
    for file in (PROJECT / "requirements").iterdir():
        if file.is_file():
            (tmp_path / "requirements" / file.name).write_bytes(file.read_bytes())
    project = (PROJECT / "pyproject.toml").read_text(encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(project.replace('"pyserial>=3.5"', '"pyserial>=9"'), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(tmp_path / "requirements/lock.py"), "--check"], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "pins pyserial 3.5, pyproject.toml wants pyserial>=9" in done.stdout
