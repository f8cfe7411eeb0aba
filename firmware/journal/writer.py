"""Writing a journal: one thread, one connection, one transaction a batch.

Rules:
* `submit` and the other calls of the loop's side never wait for a disk. What became of each is told by the `on_outcome`
  callback, on the writer's thread: hand it on with `loop.call_soon_threadsafe`. It must not raise.
* A batch is durable, whole, before its `Committed`. Each batch gets one `Committed` or one `CommitFailed`, in order.
* Entries are written and hashed only as texts that were read back as the same values.
* After any failure the connection is dropped, everything waiting fails too, and nothing is written until `reopen` has
  written the WAL back, checked the whole file and found every acknowledged entry in it. `Opened.position` then tells
  whether the failed batch got in: it did if `last_seq` is its last seq; else nothing of it is there.
* A thread that hangs in a disk operation can't be stopped. `abandon` gives it up: from then on it will write nothing
  more than the one transaction it sits in, and `reopen` refuses (WriterBlocked) until it has ended. The caller watches
  the time (2 s); the thread can't.
* The lock (`lock.WriterLock`) is held from construction to `close`, over all failures and reopenings.
* The WAL is written back after a commit that held a snapshot (a round has ended: nobody waits for a lamp), if nothing
  is waiting, and in any case once it holds `WAL_PAGES_LIMIT` pages.
"""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

from msgspec import Struct

from firmware.journal import database
from firmware.journal.errors import JournalError, WriterBlocked
from firmware.journal.heads import Custody
from firmware.journal.lock import WriterLock
from firmware.journal.reader import Position
from firmware.journal.records import Batch, RecordCodec, SegmentStart
from firmware.journal.session import Session

E = TypeVar("E")
F = TypeVar("F")
S = TypeVar("S")


class Opened(Struct, frozen=True):
    """The file was checked and can be written. `position` is None for a journal without a segment."""

    position: Position | None


class OpenFailed(Struct, frozen=True):
    """`reopen` can be called again; the error's text says what to do first."""

    error: JournalError


class Committed(Struct, frozen=True):
    """The batch (or the segment, then `first_seq > last_seq`) is durable. `head` is the hash of its last row."""

    first_seq: int
    last_seq: int
    head: bytes


class CommitFailed(Struct, frozen=True):
    """Nothing of this may be shown. Whether it is in the file is known only after `reopen`."""

    first_seq: int
    last_seq: int
    error: JournalError


Outcome = Opened | OpenFailed | Committed | CommitFailed


class Journal(Generic[E, F, S]):
    """A journal that this process writes. Make it with `open_journal`."""

    def __init__(
        self,
        path: Path,
        codec: RecordCodec[E, F, S],
        on_outcome: Callable[[Outcome], None],
        vfs: str | None = None,
        custody: Custody | None = None,
    ) -> None:
        """Takes the lock (raises JournalLocked) and writes nothing. `vfs`: name of an apsw VFS, for fault tests."""
        self._path = path
        self._codec = codec
        self._on_outcome = on_outcome
        self._vfs = vfs
        self._custody = custody
        self._lock = WriterLock(path)
        self._acknowledged: Position | None = None
        self._writer: _Writer[E, F, S] | None = None

    def reopen(self) -> None:
        """Start a new connection after a failure. Answered by Opened or OpenFailed. Raises WriterBlocked, see above.

        To be called once all work has been answered, from the loop's side, never from within `on_outcome`.
        """
        self._start(whole=True)

    def submit(self, batch: Batch[E, F, S]) -> None:
        """Commit these entries together with the state after them. The first seq must follow the last one's."""
        self._put(batch)

    def begin_segment(self, start: SegmentStart[S]) -> None:
        """Commit a segment's header and opening snapshot. Answered by Committed with `first_seq > last_seq`."""
        self._put(start)

    def abandon(self) -> None:
        """Give up on a thread that does not answer. Outcomes of what was submitted before may still arrive."""
        if self._writer is not None:
            self._writer.abandon()

    def wait_ended(self, timeout_s: float) -> bool:
        """Wait until an abandoned thread has let go of the file, so that `reopen` may be called. False: not yet.

        A thread that reported a failure by itself has let go already.
        """
        return self._writer is None or self._writer.done.wait(timeout_s)

    def close(self, timeout_s: float = 10.0) -> None:
        """Commit what waits, write the WAL back, release the lock. Waits. Raises WriterBlocked after `timeout_s`."""
        if self._writer is not None:
            self._writer.put(None)
            self._writer.join(timeout_s)
            if self._writer.is_alive():
                raise WriterBlocked(
                    f"{self._path}: the disk has not answered for {timeout_s} s; the lock ends with the process"
                )
            self._writer = None
        self._lock.release()

    def _start(self, whole: bool) -> None:
        if self._writer is not None:
            if self._writer.done.is_set():
                self._writer.join()  # has let go of the file and only reports what became of the waiting work
            if self._writer.is_alive():
                raise WriterBlocked(
                    f"{self._path}: the last disk operation has not ended, so the file can't be opened "
                    "anew; check the card, or restart the machine"
                )
            self._acknowledged = self._writer.acknowledged
        self._writer = _Writer(
            self._path, self._codec, self._on_outcome, self._vfs, self._custody, self._acknowledged, whole
        )
        self._writer.start()

    def _put(self, work: Batch[E, F, S] | SegmentStart[S]) -> None:
        if self._writer is None:
            raise JournalError(f"{self._path}: the journal was closed")
        self._writer.put(work)


def open_journal(
    path: Path,
    codec: RecordCodec[E, F, S],
    on_outcome: Callable[[Outcome], None],
    *,
    create: bool = False,
    vfs: str | None = None,
    custody: Custody | None = None,
) -> tuple[Journal[E, F, S], Position | None]:
    """Open for writing and wait until that is done; `position` is None for a journal without a segment.

    The newest snapshot and all after it are checked, not the whole file. `create`: make the file if there is none; to
    be asked for by a person, since a lost journal is lost meters. `custody`: signs the heads and knows the noted one;
    without it nothing is signed. Raises JournalReplaced where what was noted is not there, JournalMissing, NotAJournal,
    LaterSchema, JournalLocked, UnsafeStorage, JournalDamaged, JournalError. `on_outcome` is not called for this.
    """
    answers: queue.SimpleQueue[Outcome] = queue.SimpleQueue()
    opening = True

    def deliver(outcome: Outcome) -> None:
        if opening:
            answers.put(outcome)
        else:
            on_outcome(outcome)

    journal = Journal(path, codec, deliver, vfs, custody)
    try:
        if create and not os.path.lexists(path):
            if custody is not None:
                custody.begin(path)
            database.create(path, vfs)
        journal._start(whole=False)
        answer = answers.get()
        opening = False
        if isinstance(answer, OpenFailed):
            raise answer.error
        assert isinstance(answer, Opened)
    except BaseException:
        journal.close()
        raise
    return journal, answer.position


_Work = Batch[E, F, S] | SegmentStart[S] | None
"""None ends the thread."""


class _Writer(threading.Thread, Generic[E, F, S]):
    """One connection's life. Ends at the first failure, at `abandon`, or at `None` in its queue."""

    def __init__(
        self,
        path: Path,
        codec: RecordCodec[E, F, S],
        on_outcome: Callable[[Outcome], None],
        vfs: str | None,
        custody: Custody | None,
        acknowledged: Position | None,
        whole: bool,
    ) -> None:
        super().__init__(name="journal-writer", daemon=True)  # a hung disk must not keep the process from ending
        self.acknowledged = acknowledged
        """The last position that was reported as committed; read by others only when the thread has ended."""
        self.done = threading.Event()
        """Set when the connection is closed; what remains is to report."""
        self._path = path
        self._codec = codec
        self._on_outcome = on_outcome
        self._vfs = vfs
        self._custody = custody
        self._whole = whole
        self._work: queue.SimpleQueue[_Work[E, F, S]] = queue.SimpleQueue()
        self._gate = threading.Lock()  # between `put`/`abandon` and the thread's end
        self._refusal: JournalError | None = None

    # Called on the loop's side.

    def put(self, work: _Work[E, F, S]) -> None:
        with self._gate:
            refusal = self._refusal
            if refusal is None:
                self._work.put(work)
        if refusal is not None and work is not None:
            self._on_outcome(CommitFailed(*_span(work), refusal))

    def abandon(self) -> None:
        with self._gate:
            if self._refusal is None:
                self._refusal = WriterBlocked(f"{self._path}: the disk did not answer in time; the writer was given up")
        self._work.put(None)

    # The thread's own.

    def run(self) -> None:
        session: Session[E, F, S] | None = None
        work: _Work[E, F, S] = None
        serving = False
        try:
            session = Session(self._path, self._codec, self._vfs, self._custody)
            session.check(self.acknowledged, self._whole)
            self.acknowledged = session.position
            serving = True
            self._on_outcome(Opened(session.position))
            while (work := self._work.get()) is not None:
                position = session.commit(work)
                if self._given_up():
                    break
                self.acknowledged = position
                outcome = Committed(*_span(work), position.head)
                work = None
                self._on_outcome(outcome)
                session.write_back(idle=self._work.empty())
            else:
                if not self._given_up():
                    session.finish()
        except JournalError as error:
            self._refuse(error)
        except BaseException as error:  # a bug: the loop is told, then the thread's end is seen
            self._refuse(JournalError(f"{self._path}: the writer failed: {error!r}"))
            raise
        finally:
            if session is not None:
                session.drop()
            self.done.set()
            if self._refusal is not None:
                if not serving:
                    self._on_outcome(OpenFailed(self._refusal))
                self._fail(work, self._refusal)

    def _given_up(self) -> bool:
        with self._gate:
            return self._refusal is not None

    def _refuse(self, error: JournalError) -> None:
        """From now on nothing more is taken; the first reason stays."""
        with self._gate:
            if self._refusal is None:
                self._refusal = error

    def _fail(self, work: _Work[E, F, S], refusal: JournalError) -> None:
        """Answer the work in hand, then all that waits; nothing more comes in once there is a refusal."""
        while True:
            if work is not None:
                self._on_outcome(CommitFailed(*_span(work), refusal))
            if self._work.empty():
                return
            work = self._work.get()


def _span(work: Batch[E, F, S] | SegmentStart[S]) -> tuple[int, int]:
    """First and last seq; of a segment, which has no entry yet, (0, -1)."""
    return (work.entries[0].seq, work.entries[-1].seq) if isinstance(work, Batch) else (0, -1)
