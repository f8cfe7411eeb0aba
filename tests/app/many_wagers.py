"""A million simulated wagers with random wins, voids, cuts and restarts: `python -m tests.app.many_wagers`.

The core plays in memory, people read its display, and every entry goes through the real writer into a real journal
before anybody looks. Under that journal lies a disk that forgets (`tests.journal.disk`): at random operations the power
goes, the table is what the start-up code (opening, recovery, replay from the snapshot) makes of what is left, and the
round is finished on the chips and cards as they lie. The invariant is checked by the core after every step; after
every step, too, each account of each meter is compared with a second set of books (`tests.app.books`).
"""

from __future__ import annotations

import argparse
import queue
import random
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from msgspec.structs import replace

from firmware.app import program
from firmware.core import events as ev
from firmware.core.effects import Effect, RoundEnded
from firmware.core.events import Event
from firmware.core.order_data import Account, Approval, CorrectMeter
from firmware.core.state import State
from firmware.core.step import step
from firmware.journal.reader import Position, Reader
from firmware.journal.records import Batch, Entry, SegmentStart
from firmware.journal.replay import restart
from firmware.journal.writer import Committed, Outcome, open_journal
from tests.app.books import Books
from tests.app.rig import CONFIG, header
from tests.app.workers import workers
from tests.audit.evening import shoe
from tests.core.memory_bench import MemoryBench
from tests.core.table import WAGERS, Table
from tests.dealer import Dealer, Script
from tests.journal.disk import Acknowledged, Damage, Disk, Record
from tests.journal.recording import Recorder, before, scratch, watching
from tests.journal.torture import litter
from tests.journal.torture_vfs import TortureVfs

ROYAL = "royal_9_progressive"
JOURNAL = "journal.sqlite"
ROUNDS_A_FILE = 150  # then a new journal goes on with the table's state: the disk is held in memory
OPERATIONS_BETWEEN_CUTS = 3_000  # on average
SPOTS = [(position, wager) for position in range(1, 8) for wager in WAGERS]


class PowerOutError(Exception):
    """The disk has stopped taking anything."""


class _LiveDisk:
    """Takes records until the power goes, and then no more."""

    def __init__(self, folder: Path, operations: int) -> None:
        self.disk = Disk.holding(before(folder))
        self.out = False
        self._left = operations

    def play(self, record: Record) -> None:
        self._left -= 1
        if self._left <= 0:
            self.out = True
        if not self.out:
            self.disk.play(record)


@dataclass
class Tally:
    wagers: int = 0
    rounds: int = 0
    steps: int = 0
    commits: int = 0
    cuts: int = 0
    restarts: int = 0
    voids: int = 0
    wins: int = 0
    corrections: int = 0

    def add(self, other: Tally) -> None:
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)

    def text(self) -> str:
        return (
            f"{self.wagers:,} wagers in {self.rounds:,} rounds, {self.steps:,} steps, {self.commits:,} commits: "
            f"{self.wins:,} meters won, {self.voids:,} rounds void, {self.corrections:,} corrections, {self.cuts:,} "
            f"power cuts, {self.restarts:,} restarts in order"
        )


class CutTable(Table):
    """A table whose disk may fail to be there any moment."""

    def __init__(self, rng: random.Random, tally: Tally, ignore_syncs: bool) -> None:
        self._header = header()
        super().__init__(program.rules_of(self._header))
        self._text = CONFIG.read_text("utf-8")
        self._rng = rng
        self._ignore_syncs = ignore_syncs
        self.tally = tally
        self.books = Books(self._text, ROYAL)
        self.bench = MemoryBench(self)
        self._boot = 0
        self._waiting: list[Entry[Event, Effect]] = []
        self._durable: tuple[State, Books, int] = (self.state, self.books.copy(), 0)
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._vfs: TortureVfs | None = None
        self._journal: program.TableJournal | None = None

    # --- journal before anybody sees anything -------------------------------------------------------------------------

    def do(self, event: Event) -> tuple[Effect, ...]:
        self.tally.steps += 1
        before = self.state
        self.state, effects = step(self.rules, before, event)
        self.books.note(effects)
        self.books.compare(self.state)
        if effects or self.state is not before:
            self._seq += 1
            ended = next((e.round for e in effects if isinstance(e, RoundEnded)), None)
            self._waiting.append(Entry(self._seq, self.now_ns, 0, event, effects, ended))
        return effects

    def shown(self) -> tuple[str, ...]:
        """What people see is durable, or nobody sees it."""
        self.commit()
        return super().shown()

    def commit(self) -> None:
        """Raises PowerOutError, whatever became of the commit."""
        if self._waiting:
            batch: Batch[Event, Effect, State] = Batch(tuple(self._waiting), self.state)
            self._waiting = []
            self._flying = (self.state, self.books.copy(), self._seq)
            assert self._journal is not None
            self._journal.submit(batch)
            self._answer()
            self._durable = self._flying

    def _answer(self) -> None:
        outcome = self._outcomes.get(timeout=60)
        assert isinstance(outcome, Committed), outcome
        if self._live.out:
            raise PowerOutError
        self._acknowledged = Acknowledged(outcome.last_seq, outcome.head)
        self.tally.commits += 1

    # --- the daemon's life --------------------------------------------------------------------------------------------

    def new_file(self) -> None:
        """Go on in a new journal: the old one has been verified, and is thrown away."""
        self.close()
        self._folder = _new_folder()
        self._acknowledged = Acknowledged(-1, b"")
        self._seq = 0
        self._durable = (self.state, self.books, 0)
        self._open(Path(self._folder.name))

    def restart_in_order(self) -> None:
        self.tally.restarts += 1
        self.commit()
        self._close_journal()
        assert self._folder is not None
        if self._live.out:
            raise PowerOutError
        self._open(Path(self._folder.name))

    def power_back(self) -> None:
        """Build what the disk may hold, and start on it."""
        self.tally.cuts += 1
        self._waiting = []
        self.throw_away()
        self._folder = _new_folder()
        folder = Path(self._folder.name)
        self._live.disk.cut(folder, self._rng, Damage.any(self._rng))
        litter(folder, self._rng, JOURNAL)
        self._open(folder)

    def close(self) -> None:
        """In order, and verified."""
        if self._folder is not None:
            self.commit()
            self._close_journal()
            with Reader(Path(self._folder.name) / JOURNAL) as reader:
                reader.verify(self._acknowledged.head)
            self.throw_away()

    def throw_away(self) -> None:
        self._close_journal()
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def _close_journal(self) -> None:
        if self._journal is not None:
            self._journal.close()
            self._journal = None
        if self._vfs is not None:
            self._vfs.unregister()
            self._vfs = None

    def _open(self, folder: Path) -> None:
        """As `main` does it: open, recover, begin a segment, start."""
        path = folder / JOURNAL
        self._live = _LiveDisk(folder, self._rng.randrange(1, 2 * OPERATIONS_BETWEEN_CUTS))
        recorder = Recorder(folder, self._live.play, self._ignore_syncs)
        self._vfs = TortureVfs(recorder)
        self._outcomes: queue.SimpleQueue[Outcome] = queue.SimpleQueue()
        with watching(recorder):
            self._journal, position = open_journal(
                path, program.codec(), self._outcomes.put, create=self._acknowledged.last_seq < 0, vfs=self._vfs.name
            )
        self._recover(path, position)
        boot = replace(self._header, boot_id=f"boot-{self._boot}")
        self._journal.begin_segment(SegmentStart(boot, self.now_ns, 0, self.state))
        self._flying = self._durable
        self._answer()
        self._boot += self._rng.random() < 0.5
        self.start(f"boot-{self._boot}", covered=sorted(self.bench.chips()))

    def _recover(self, path: Path, position: Position | None) -> None:
        """The state is that of the last acknowledged transaction, or of the one that was on its way."""
        self.state, self.books, self._seq = self._durable
        if position is not None:
            with Reader(path) as reader:
                if self._acknowledged.head:
                    reader.verify(self._acknowledged.head)
                found = restart(reader, program.programs)
            assert found is not None
            if found.position.last_seq != self._seq:
                self.state, self.books, self._seq = self._flying
            assert (found.state, found.position.last_seq) == (self.state, self._seq), (
                f"acknowledged {self._acknowledged}, found {found.position}: {found.state}"
            )
            self._durable = (self.state, self.books, self._seq)
        self.books = self.books.copy()
        self.books.compare(self.state)


def _new_folder() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="million", dir=scratch())


class Casino:
    """Plays rounds at one table until so many wagers have been accepted."""

    def __init__(self, seed: int, ignore_syncs: bool = False) -> None:
        """`ignore_syncs`: for the negative control, a card that says it has synced and has not."""
        self._rng = random.Random(seed)
        self.tally = Tally()
        self._table = CutTable(self._rng, self.tally, ignore_syncs)
        self._shoe = shoe(self._rng)

    def play(self, wagers: int, told: Callable[[Tally], None] = lambda tally: None) -> Tally:
        try:
            return self._play(wagers, told)
        finally:
            self._table.throw_away()

    def _play(self, wagers: int, told: Callable[[Tally], None]) -> Tally:
        table, tally = self._table, self.tally
        while tally.wagers < wagers:
            if tally.rounds % ROUNDS_A_FILE == 0:
                self._through(table.new_file)
            if self._rng.random() < 0.02:
                self._through(table.restart_in_order)
            if self._rng.random() < 0.05:
                self._through(self._correct)
            script = self._script()
            script.check()
            before = table.books.accepted, tally.cuts
            self._through(lambda script=script: Dealer(table.bench).play(script))  # type: ignore[misc]
            tally.rounds += 1
            tally.wagers = table.books.accepted
            new = tally.wagers - before[0]
            if new != len(script.chips) and (new > len(script.chips) or tally.cuts == before[1]):
                raise AssertionError(f"{len(script.chips)} chips lay there, {new} wagers were accepted: {script}")
            tally.voids = table.books.voids
            tally.wins = sum(page.hits for page in table.books.pages.values())
            told(tally)
        self._through(table.close)
        return tally

    def _through(self, act: Callable[[], None]) -> None:
        """Again after every power cut, until it is done: people don't give up."""
        act_again = act
        while True:
            try:
                act_again()
                return
            except PowerOutError:
                act_again = self._after_cut(act)

    def _after_cut(self, act: Callable[[], None]) -> Callable[[], None]:
        def recover_and_go_on() -> None:
            self._table.power_back()
            if act not in (self._table.new_file, self._table.restart_in_order, self._correct):
                act()
            else:
                self._table.commit()

        return recover_and_go_on

    def _correct(self) -> None:
        """Two persons set an account, by a few cents up or down."""
        table = self._table
        meter = self._rng.choice(table.state.meters)
        account = self._rng.choice(list(Account))
        was = meter.shown_micro if account is Account.SHOWN else meter.reserve_micro
        becomes = max(was + self._rng.randrange(-50_000, 50_000), 0)
        table.do(ev.FloorKeyTurned(True, table.tick()))
        table.do(ev.ResetKeyTurned(True, table.tick()))
        order = CorrectMeter(meter.name, account, was, becomes)
        table.do(ev.OrderGiven(order, Approval("A. First", "B. Second", "simulated"), table.tick()))
        table.do(ev.ResetKeyTurned(False, table.tick()))
        table.do(ev.FloorKeyTurned(False, table.tick()))
        table.commit()
        self.tally.corrections += 1

    def _script(self) -> Script:
        rng, table = self._rng, self._table
        chance = rng.random()
        chips = rng.sample(SPOTS, rng.randint(20, len(SPOTS)))
        first: list[str] = []
        if chance < 0.12:  # a position's own combination: in the Player hand, the Banker hand, or both
            position = rng.randint(1, 7)
            printed = next(c for c in table.rules.combinations if c.position == position)
            king, nine, other = printed.king, printed.nine, rng.choice(("2C", "4D", "7H"))
            first = rng.choice(([king, other, nine, "5D"], [other, king, "5D", nine], [king, nine, nine, king]))
            chips = list({(position, ROYAL), *chips})
        player, banker = self._shoe(first)
        return Script(
            chips=sorted(chips), player=player, banker=banker,
            void=rng.random() < 0.08, void_award=rng.random() < 0.2, new_shoe=True,
        )  # fmt: skip


def play(wagers: int, seed: int, tell: bool = False) -> Tally:
    """One table's share. Raises at the first thing that is not as it should be."""
    began = last = time.monotonic()

    def told(tally: Tally) -> None:
        nonlocal last
        if tell and time.monotonic() - last > 20:
            last = time.monotonic()
            print(f"{last - began:.0f} s: {tally.text()}", flush=True)

    try:
        return Casino(seed).play(wagers, told)
    except BaseException:
        print(f"failed with --seed {seed} --jobs 1", file=sys.stderr)
        raise


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.app.many_wagers", description=__doc__.partition("\n")[0])
    parser.add_argument("--wagers", type=int, default=1_000_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    options = parser.parse_args()
    print(f"seed {options.seed}", flush=True)
    began = time.monotonic()
    tally = Tally()
    share = -(-options.wagers // options.jobs)
    with workers(options.jobs) as pool:
        parts = [pool.submit(play, share, options.seed + job, job == 0) for job in range(options.jobs)]
        for part in parts:
            tally.add(part.result())
    print(f"{tally.text()}; no account differed, nothing acknowledged was lost. {time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    from tests.app.many_wagers import main as main_of_the_module  # so that what is pickled has its real name

    sys.exit(main_of_the_module())
