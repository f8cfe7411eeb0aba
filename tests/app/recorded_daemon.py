"""The real daemon on a disk that is written down: everything its journal does to its files, with the time of each.

It runs `firmware.app.main.run`. What it adds stands around: the journal's file system, and the callback by which the
daemon learns that a transaction is durable. The records go to a file beside the run folder, since what is written into
that folder is what is being recorded.
"""

from __future__ import annotations

import os
import pickle
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from firmware.app import main
from firmware.journal import writer
from firmware.journal.writer import Committed, Outcome
from tests.journal.disk import Acknowledged, Record
from tests.journal.recording import Recorder, Recording, before, watching
from tests.journal.torture import sectors_never_lost, synchronous_off
from tests.journal.torture_vfs import TortureVfs


@dataclass(frozen=True)
class RecordPlan:
    """Write down what the disk is asked to do. What is wrong on purpose is for the negative controls."""

    to: Path
    unsynced: bool = False  # SQLite does not sync
    trusting: bool = False  # SQLite is told that no sector is ever lost


@dataclass(frozen=True)
class TimedRecording:
    """One life of the daemon. `times_ns` is the monotonic time after each record."""

    recording: Recording
    times_ns: list[int]


_for_life = ExitStack()  # never closed: the process ends with `os._exit`


def record(folder: Path, plan: RecordPlan) -> None:
    """Put the recorder under this process's journal; for the process's whole life."""
    to = os.open(plan.to, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.write(to, pickle.dumps(before(folder)))
    gate = threading.Lock()

    def sink(record: Record) -> None:
        with gate:
            os.write(to, pickle.dumps((time.monotonic_ns(), record)))

    recorder = Recorder(folder, sink)
    vfs = TortureVfs(recorder)
    _for_life.enter_context(watching(recorder))
    if plan.unsynced:
        _for_life.enter_context(synchronous_off())
    if plan.trusting:
        _for_life.enter_context(sectors_never_lost())

    def open_journal(path: Path, codec: Any, on_outcome: Callable[[Outcome], None], **options: Any) -> Any:
        def tell(outcome: Outcome) -> None:
            if isinstance(outcome, Committed):
                recorder.note(Acknowledged(outcome.last_seq, outcome.head))
            on_outcome(outcome)

        return writer.open_journal(path, codec, tell, vfs=vfs.name, **options)

    setattr(main, "open_journal", open_journal)  # noqa: B010


def recorded(path: Path) -> TimedRecording:
    """What a daemon that has ended wrote down."""
    records: list[Record] = []
    times_ns: list[int] = []
    with path.open("rb") as file:
        files = pickle.load(file)
        while True:
            try:
                at_ns, record = pickle.load(file)
            except EOFError:
                return TimedRecording(Recording(files, records), times_ns)
            times_ns.append(at_ns)
            records.append(record)
