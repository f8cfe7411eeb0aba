"""`hil play`: simulated people play a simulated table with the real daemon, and the journal is judged afterwards.

Rules:
* Without a terminal, or asked for `--plain`: one line a round, the summary last. On a terminal: a live picture.
* Ends after `--rounds`, at Ctrl-C or SIGTERM; each time with the summary. Exit status 0: everything as it should be;
  1: a part died, the journal is not in order, or an award differs from `tabled settle`; 2: it can't be played at all.
* Without a run directory a temporary one is used; it is removed afterwards unless something was wrong.
"""

from __future__ import annotations

import asyncio
import shutil
import signal
import sys
import tempfile
import time
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from msgspec import Struct

from firmware.journal.errors import JournalError
from firmware.settings.problems import ConfigurationError
from hil import script, summary
from hil.bench import Bench
from hil.children import PartDied
from hil.chip_control import ChipControlError
from hil.daemon import NoDaemon
from hil.dealer import Dealer
from hil.dealer_screen import DealerScreen, Stuck
from hil.layout import Layout, NotForTheBench, Spot, layout_of
from hil.other_reader import with_reader
from hil.round_records import RoundReader
from hil.simclient import SimError
from hil.tellers import PictureTeller, PlainTeller, Teller
from hil.terminal import NotATerminal, Terminal

WATCHED_THINK_MS = 700
DEATH_SEEN_S = 0.5
"""How soon after its last sign a part's end is known."""

FAILURES = (PartDied, Stuck, SimError, ChipControlError, JournalError, NoDaemon)
"""What ends a session without being a fault of this program."""

ALL_WELL, SOMETHING_WRONG, CANNOT_PLAY = 0, 1, 2


class PlayOptions(Struct, frozen=True):
    table: Path
    rounds: int | None
    seed: int
    run_dir: Path | None
    think_ms: int | None
    """How long people think; None: not at all, or on a terminal so that a person can follow."""
    reader: str | None = None
    """Another card reader than the table's own, by its name in `other_reader.READERS`."""


@dataclass(slots=True)
class Session:
    """What a session leaves for its summary."""

    seconds: list[float] = field(default_factory=list)
    pressed: dict[int, frozenset[Spot]] = field(default_factory=dict)
    failure: str = ""


def play(options: PlayOptions, plain: bool) -> int:
    """Play and judge, told in plain lines or as a live picture. Returns the exit status."""
    return play_told(options, _teller(plain))


def play_told(options: PlayOptions, teller: Teller) -> int:
    """As `play`, told by `teller`."""
    folder = options.run_dir or Path(tempfile.mkdtemp(prefix="tabled-"))
    try:
        status = _play_in(folder, options, teller)
    except (ConfigurationError, NotForTheBench) as error:
        print(f"hil play: {error}", file=sys.stderr)
        status = CANNOT_PLAY
    if options.run_dir is None and status != SOMETHING_WRONG:
        shutil.rmtree(folder)
    elif options.run_dir is None:
        print(f"kept for looking into it: {folder}")
    return status


def _teller(plain: bool) -> Teller:
    """The picture if it is wanted and the terminal can show it; why not is said only where somebody can read it."""
    if not plain and sys.stdout.isatty():
        try:
            return PictureTeller(Terminal())
        except NotATerminal as error:
            print(f"plain lines: {error}", file=sys.stderr)
    return PlainTeller()


def _play_in(folder: Path, options: PlayOptions, teller: Teller) -> int:
    table = options.table if options.reader is None else with_reader(options.table, options.reader, folder)
    layout = layout_of(table, folder)
    think_ms = options.think_ms
    if think_ms is None:
        think_ms = WATCHED_THINK_MS if isinstance(teller, PictureTeller) else 0
    print(
        f"table {layout.settings.table.id}, {layout.settings.table.game}, SIMULATED; seed {options.seed}; in {folder}"
    )
    session = asyncio.run(_until_stopped(layout, options, think_ms, teller))
    return conclude(layout, session)


def conclude(layout: Layout, session: Session) -> int:
    """Print the summary; the exit status."""
    journal = layout.run_dir / layout.settings.storage.journal
    if session.failure:
        print(f"NOT IN ORDER: {session.failure}")
    if not journal.exists():
        print("journal         none was begun")
        return SOMETHING_WRONG
    verdict = summary.judge(journal, session.seconds, session.pressed)
    print(*verdict.lines, sep="\n")
    return ALL_WELL if verdict.good and not session.failure else SOMETHING_WRONG


async def _until_stopped(layout: Layout, options: PlayOptions, think_ms: int, teller: Teller) -> Session:
    """Until the rounds are played, a signal comes, or a part dies. All parts have ended when this returns."""
    session = Session()
    playing = asyncio.ensure_future(_session(layout, options, think_ms, teller, session))
    loop = asyncio.get_running_loop()
    stopping = asyncio.Event()

    def stop() -> None:
        if not stopping.is_set():  # a second Ctrl-C must not keep the parts from being ended
            stopping.set()
            playing.cancel()

    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        loop.add_signal_handler(number, stop)
    try:
        await playing
    except asyncio.CancelledError:
        print("stopped")
    except FAILURES as error:
        session.failure = str(error)
    return session


async def _session(layout: Layout, options: PlayOptions, think_ms: int, teller: Teller, session: Session) -> None:
    async with Bench(layout, options.seed) as bench:
        watching = asyncio.ensure_future(bench.watch())
        people = asyncio.ensure_future(_people(bench, options, think_ms, teller, session))
        showing = asyncio.ensure_future(teller.show(bench))
        tasks = [watching, people, showing]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            if not people.done() or people.exception() is not None:
                # If a part has died, that is why the others can't go on: it is what must be told.
                await asyncio.wait([watching], timeout=DEATH_SEEN_S)
            for task in tasks:
                if task.done():
                    await task
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)


async def _people(bench: Bench, options: PlayOptions, think_ms: int, teller: Teller, session: Session) -> None:
    layout = bench.layout
    dealer = Dealer(layout, bench.panel, DealerScreen(bench.display), bench.shoe, options.seed, think_ms)
    dealer.pressed = session.pressed
    rounds = RoundReader(layout.run_dir / layout.settings.storage.journal)
    for _ in rounds.read():
        pass  # played before this session
    for plan in islice(script.plans(layout, options.seed), options.rounds):
        began_s = time.monotonic()
        await dealer.play(plan)
        session.seconds.append(time.monotonic() - began_s)
        for record in rounds.read():
            teller.round_ended(record)
    await dealer.close_table()
