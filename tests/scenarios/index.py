"""`tests/scenarios/README.md`, made from the scenario files: `python -m tests.scenarios.index [--check]`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from hil.scenario.schema import Kind, read

FOLDER = Path(__file__).parent
FILE = FOLDER / "README.md"
CLASSES = {
    Kind.PINS: "pin libraries, chip numbering, ownership",
    Kind.INPUTS: "lost edges, bounce, stuck and chattering inputs",
    Kind.NOISE: "noise, brown-outs, expanders",
    Kind.SHOWS: "lamps and signs that glitch, lag or vanish",
    Kind.SERIAL: "serial ports that vanish, swap, garble, stall or are opened twice",
    Kind.DISKS: "disks that tear, fill or go read-only; power cuts",
    Kind.CLOCKS: "clocks that jump, edges that come too late",
    Kind.WATCHDOG: "a watchdog fed by the wrong thing, a daemon that does not run",
    Kind.DISPUTES: "disputes that only the journal can settle",
    Kind.MONEY: "what is paid, by whom, once",
}


def scenario_files() -> list[Path]:
    return sorted(FOLDER.glob("*.toml"))


def text() -> str:
    files = {path: read(path) for path in scenario_files()}
    lines = [
        "# Scenarios", "",
        "Made by `python -m tests.scenarios.index` from the files beside it; do not edit. Each is played by",
        "`hil scenario tests/scenarios/NAME.toml`: a daemon, its simulated devices as processes, and what must",
        "come of it.",
    ]  # fmt: skip
    for kind, words in CLASSES.items():
        lines += ["", f"## {kind.value}: {words}", ""]
        lines += [f"* `{path.stem}`: {one.about}" for path, one in files.items() if one.kind is kind]
    return "\n".join(lines) + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.scenarios.index", description=__doc__)
    parser.add_argument("--check", action="store_true", help="exit 1 if the file is not what would be written")
    if parser.parse_args().check:
        return 0 if FILE.read_text("utf-8") == text() else 1
    FILE.write_text(text(), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
