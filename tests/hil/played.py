"""A played session for tests: `hil play` as a process, in a folder with a short path (sockets need one)."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

PROJECT = Path(__file__).parents[2]
TABLE = PROJECT / "config/tables/minibaccarat.toml"
LIMIT_S = 110


def hil(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "hil.cli", *map(str, arguments)]


def run_hil(*arguments: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(hil(*arguments), cwd=PROJECT, capture_output=True, text=True, timeout=LIMIT_S, check=False)


def start_play(run_dir: Path, *arguments: object) -> subprocess.Popen[str]:
    """`hil play` in plain lines; its standard output can be read line by line."""
    return subprocess.Popen(
        hil("play", "--table", TABLE, "--run-dir", run_dir, "--plain", *arguments),
        cwd=PROJECT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )


def processes_in(run_dir: Path) -> dict[int, str]:
    """Processes that have the run directory on their command line, ours excepted."""
    return {pid: line for pid, line in _command_lines() if f"{run_dir}/" in line or line.endswith(str(run_dir))}


def part(run_dir: Path, module: str) -> int:
    """The process of a part of the bench."""
    (pid,) = (pid for pid, line in processes_in(run_dir).items() if module in line)
    return pid


def _command_lines() -> Iterator[tuple[int, str]]:
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal() and int(folder.name) != os.getpid():
            try:
                line = (folder / "cmdline").read_bytes()
                state = (folder / "stat").read_text().rpartition(")")[2].split()[0]
            except (FileNotFoundError, ProcessLookupError, PermissionError):
                continue  # it has ended meanwhile, or is another's
            if state != "Z":
                yield int(folder.name), line.replace(b"\0", b" ").decode(errors="replace").strip()
