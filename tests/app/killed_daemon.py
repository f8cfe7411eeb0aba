"""The real daemon, killed at a chosen commit: `python -m tests.app.killed_daemon --config C --run-dir R ...`.

It runs `firmware.app.main.run`. What it adds stands around the journal's one commit call: it writes down what the
daemon is about to make durable and what is durable (`told`), and sends SIGKILL to itself at the K-th commit.

* `before`: nothing of the commit has reached the file.
* `inside`: halfway through the N-th write or sync of the commit (through a VFS of tests/journal).
* `after`: it is durable, and nobody has been told.
"""

from __future__ import annotations

import argparse
import os
import pickle
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Any

from firmware.app import main
from firmware.core.state import State
from firmware.journal.reader import Position
from firmware.journal.records import Batch
from firmware.journal.session import Session
from firmware.journal.writer import open_journal
from tests.journal.torture_vfs import Action, Op, Plan, TortureVfs

TOLD = "told"


class When(StrEnum):
    BEFORE = "before"
    INSIDE = "inside"
    AFTER = "after"


@dataclass(frozen=True)
class KillPlan:
    """Die at the `at`-th commit of this process (from 1; the first is the segment's). 0: never."""

    at: int = 0
    when: When = When.BEFORE
    operation: int = 1  # which write or sync of the commit, for INSIDE


@dataclass(frozen=True)
class Told:
    """One line of the witness file. `last_seq` is None for a segment's opening."""

    durable: bool
    last_seq: int | None
    state: State


def told(folder: Path) -> Iterator[Told]:
    """What the daemons of this folder said, in order; the last one may have been cut short by the kill."""
    with (folder / TOLD).open("rb") as file:
        while True:
            try:
                yield pickle.load(file)
            except EOFError:
                return


def arm(folder: Path, plan: KillPlan) -> None:
    """Put the hook around every commit of this process."""
    witness = os.open(folder / TOLD, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    vfs = TortureVfs()
    main.open_journal = partial(open_journal, vfs=vfs.name)  # type: ignore[attr-defined]
    real_commit = Session.commit
    count = 0

    def commit(session: Session[Any, Any, State], work: Any) -> Position:
        nonlocal count
        count += 1
        last_seq = work.entries[-1].seq if isinstance(work, Batch) else None
        os.write(witness, pickle.dumps(Told(False, last_seq, work.state)))
        if count == plan.at:
            if plan.when is When.BEFORE:
                os.kill(os.getpid(), signal.SIGKILL)
            if plan.when is When.INSIDE:
                vfs.arm(Plan(frozenset({Op.WRITE, Op.SYNC}), plan.operation, Action.KILL_HALFWAY))
        position = real_commit(session, work)
        os.write(witness, pickle.dumps(Told(True, last_seq, work.state)))
        if count == plan.at and plan.when is When.AFTER:
            os.kill(os.getpid(), signal.SIGKILL)
        return position

    Session.commit = commit  # type: ignore[method-assign]


def _main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.app.killed_daemon", description=__doc__)
    parser.add_argument("--config", type=Path, required=True)
    parser.add_argument("--run-dir", type=Path, required=True)
    parser.add_argument("--kill-at", type=int, default=0)
    parser.add_argument("--when", type=When, default=When.BEFORE)
    parser.add_argument("--operation", type=int, default=1)
    options = parser.parse_args()
    arm(options.run_dir, KillPlan(options.kill_at, options.when, options.operation))
    return main.run(options.config, options.run_dir, create_journal=True)


if __name__ == "__main__":
    from tests.app.killed_daemon import _main as main_of_the_module  # so that what is pickled has its real name

    sys.exit(main_of_the_module())
