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
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from firmware.core.meters import cents_text
from firmware.journal.errors import JournalError
from firmware.settings.problems import ConfigurationError
from hil import script, summary
from hil.bench import Bench
from hil.children import PartDied
from hil.chip_control import ChipControlError
from hil.dealer import Dealer
from hil.dealer_screen import DealerScreen, Stuck
from hil.layout import Layout, NotForTheBench, Spot, layout_of
from hil.round_records import RoundReader, RoundRecord
from hil.simclient import SimError

ALL_WELL, SOMETHING_WRONG, CANNOT_PLAY = 0, 1, 2


@dataclass(frozen=True, slots=True)
class PlayOptions:
    table: Path
    rounds: int | None
    seed: int
    run_dir: Path | None
    think_ms: int


@dataclass(slots=True)
class Session:
    """What a session leaves for its summary."""

    seconds: list[float] = field(default_factory=list)
    pressed: dict[int, frozenset[Spot]] = field(default_factory=dict)
    failure: str = ""


def play_plain(options: PlayOptions) -> int:
    """Play and print. Returns the exit status."""
    folder = options.run_dir or Path(tempfile.mkdtemp(prefix="tabled-"))
    try:
        layout = layout_of(options.table, folder)
    except (ConfigurationError, NotForTheBench) as error:
        print(f"hil play: {error}", file=sys.stderr)
        if options.run_dir is None:
            shutil.rmtree(folder)
        return CANNOT_PLAY
    print(
        f"table {layout.settings.table.id}, {layout.settings.table.game}, SIMULATED; seed {options.seed}; in {folder}"
    )
    session = asyncio.run(_play(layout, options))
    status = conclude(layout, session)
    if options.run_dir is None and status == ALL_WELL:
        shutil.rmtree(folder)
    elif options.run_dir is None:
        print(f"kept for looking into it: {folder}")
    return status


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


async def _play(layout: Layout, options: PlayOptions) -> Session:
    """Until the rounds are played, a signal comes, or a part dies. All parts have ended when this returns."""
    session = Session()
    playing = asyncio.ensure_future(_session(layout, options, session))
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, playing.cancel)
    try:
        await playing
    except asyncio.CancelledError:
        print("stopped")
    except (PartDied, Stuck, SimError, ChipControlError, JournalError) as error:
        session.failure = str(error)
    return session


async def _session(layout: Layout, options: PlayOptions, session: Session) -> None:
    async with Bench(layout, options.seed) as bench:
        watching = asyncio.ensure_future(bench.watch())
        people = asyncio.ensure_future(_people(bench, options, session))
        try:
            await asyncio.wait([watching, people], return_when=asyncio.FIRST_COMPLETED)
            if watching.done() or (people.done() and people.exception() is not None):
                # A part that died is why people got stuck, if both happened.
                await asyncio.wait([watching], timeout=0.2)
            if watching.done():
                await watching
            await people
        finally:
            watching.cancel()
            people.cancel()
            await asyncio.wait([people])


async def _people(bench: Bench, options: PlayOptions, session: Session) -> None:
    layout = bench.layout
    dealer = Dealer(layout, bench.panel, DealerScreen(bench.display), bench.shoe, options.seed, options.think_ms)
    dealer.pressed = session.pressed
    rounds = RoundReader(layout.run_dir / layout.settings.storage.journal)
    for _ in rounds.read():
        pass  # played before this session
    for plan in islice(script.plans(layout, options.seed), options.rounds):
        began_s = time.monotonic()
        await dealer.play(plan)
        session.seconds.append(time.monotonic() - began_s)
        for record in rounds.read():
            print(round_line(record), flush=True)
    await dealer.close_table()


def round_line(record: RoundRecord) -> str:
    """One round for people."""
    parts = [f"round {record.number:>3}", f"{len(record.at_lock):>2} wagers"]
    if record.player:
        parts.append(f"player {' '.join(record.player)}, banker {' '.join(record.banker)}")
    if record.voided:
        parts.append(f"VOID ({record.voided})")
    else:
        won = [shown for shown in record.settlements if shown.result == "win"]
        parts.append(f"{len(won)} won {cents_text(sum(shown.award_cents for shown in won))}")
    parts += [f"AWARD position {a.position} {a.line} {cents_text(a.cents)}" for a in record.locked if not record.voided]
    parts += _once([noted.kind for noted in record.irregularities])
    parts += [f"{w.wager} at {w.position} cancelled" for w in record.cancelled]
    parts += [f"{w.wager} at {w.position} not accepted" for w in record.refused]
    return "; ".join(parts)


def _once(kinds: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(kinds))
