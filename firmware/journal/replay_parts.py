"""A replay spread over processor cores: the journal is cut at snapshots, each part is replayed by a process of its own.

Rules: a part begins with a stored snapshot that has the recorded hash, and replays every entry up to the next part's
snapshot, whose recorded hash it must reach. So all parts together prove what one replay from the start does, and the
first difference of the journal is the one that is raised. A process reads for itself and gives back only counts: the
memory of each is that of one reader. A table that plays on the same machine comes first: parts run at a lower priority.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from firmware.journal.errors import JournalError
from firmware.journal.reader import Mark, Reader
from firmware.journal.replay import Programs, Replayed, Stretch, added_up, replay, replay_stretch, whole

LEAST_ENTRIES = 5_000
"""A part of fewer is not worth the start of a process (about 0.4 s)."""

PARTS_A_CORE = 4
"""So that the cores end at about the same time, though some parts take longer."""

_NICENESS = 10


def cores() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0))


def cut(reader: Reader, stretch: Stretch, parts: int, least: int = LEAST_ENTRIES) -> tuple[Stretch, ...]:
    """The stretch in about so many parts of about equal length, each of `least` entries or more, at snapshots."""
    starts = reader.starts()
    first_seq = stretch.begin.seq if stretch.begin else starts[0].seq
    length = max(least, -(-(stretch.end.seq - first_seq) // parts))
    marks: list[Mark] = []
    for seq in range(first_seq + length, stretch.end.seq, length):
        segment = max(start.segment for start in starts if start.seq < seq)
        mark = reader.snapshot_from(Mark(segment, seq))
        if mark is not None and mark < stretch.end and mark not in marks:
            marks.append(mark)
    ends = [*marks, stretch.end]
    begins = [stretch.begin, *marks]
    return tuple(Stretch(begin, end) for begin, end in zip(begins, ends, strict=True))


def replay_on_cores(
    path: Path,
    programs: Programs[Any, Any, Any, Any],
    from_segment: int = 1,
    jobs: int | None = None,
    least: int = LEAST_ENTRIES,
) -> Replayed:
    """As `replay`, on `jobs` cores (default: all that this process may use). `programs` must be a function of a module,
    since the other processes find it by name. Raises what `replay` raises, and JournalError where no process starts.
    """
    jobs = cores() if jobs is None else jobs
    with Reader(path) as reader:
        stretch = whole(reader, from_segment)
        if stretch is None:
            return added_up(None, [])
        parts = cut(reader, stretch, jobs * PARTS_A_CORE if jobs > 1 else 1, least)
        if len(parts) == 1:
            return replay(reader, programs, from_segment)
    # Not at the head: a start of the daemon replays too, and needs none of it.
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    context = get_context("spawn")  # a forked process would share locks on the file with this one
    try:
        with ProcessPoolExecutor(min(jobs, len(parts)), context, os.nice, (_NICENESS,)) as pool:
            futures = [pool.submit(_replay_part, path, programs, part) for part in parts]
            try:
                return added_up(stretch, [future.result() for future in futures])
            finally:
                pool.shutdown(cancel_futures=True)
    except (OSError, BrokenProcessPool) as error:
        raise JournalError(f"{path}: no replay by several processes here ({error}); use --jobs 1") from error


def _replay_part(path: Path, programs: Programs[Any, Any, Any, Any], part: Stretch) -> Replayed:
    with Reader(path) as reader:
        return replay_stretch(reader, programs, part)
