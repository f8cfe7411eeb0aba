"""`hil scenario`."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hil.commands import Commands
    from hil.scenario.play import Verdict


def register(commands: Commands) -> None:
    parser = commands.add_parser("scenario", help="play written scenarios on the bench, or write one from a journal")
    parser.add_argument("files", type=Path, nargs="*", metavar="FILE", help="scenario files (TOML)")
    parser.add_argument("--jobs", type=int, default=max(1, os.cpu_count() or 1), help="so many at a time")
    parser.add_argument("--json", action="store_true", help="one JSON line a scenario")
    parser.add_argument("--keep", type=Path, help="keep the run's folder here; one file only")
    parser.add_argument("--from-journal", type=Path, metavar="JOURNAL", help="print a scenario of what it recorded")
    parser.add_argument("--round", type=int, help="with --from-journal: this round; without it the last one")
    parser.set_defaults(command=_run)


def _run(arguments: argparse.Namespace) -> int:
    from firmware.journal.errors import JournalError
    from hil.nursery import Nursery
    from hil.scenario import from_journal
    from hil.scenario.play import play, play_all
    from hil.scenario.schema import ScenarioError

    try:
        if arguments.from_journal is not None:
            print(from_journal.scenario(arguments.from_journal, arguments.round), end="")
            return 0
        if not arguments.files or (arguments.keep is not None and len(arguments.files) != 1):
            print("hil scenario: name scenario files, with --keep exactly one; or --from-journal", file=sys.stderr)
            return 2
        bad = 0
        with Nursery() as nursery:
            told = (
                play_all(arguments.files, nursery, arguments.jobs)
                if arguments.keep is None
                else iter([play(arguments.files[0], nursery, arguments.keep)])
            )
            for verdict in told:
                bad += bool(verdict.failed)
                _tell(verdict, arguments.json)
    except (ScenarioError, JournalError) as error:
        print(f"hil scenario: {error}", file=sys.stderr)
        return 2
    return 1 if bad else 0


def _tell(verdict: Verdict, as_json: bool) -> None:
    import msgspec

    if as_json:
        print(msgspec.json.encode(verdict).decode(), flush=True)
        return
    outcome = "FAILED" if verdict.failed else "ok"
    print(f"{outcome:6} {verdict.file}: {verdict.about} ({verdict.seconds:.1f} s)")
    print(*(f"       {line}" for line in verdict.failed), sep="\n", end="\n" if verdict.failed else "")
