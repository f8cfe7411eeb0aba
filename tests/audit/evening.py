"""Evenings played in memory and written to a real journal: what the audit's tests read.

Rules:
* The core steps, people from `tests.dealer` act on what the display says, the journal's own writer commits. No process,
  no device, no sleep: an evening of a hundred rounds takes a second or two.
* The wall clock is a value of the table that a test sets; it orders nothing.
* The cards of a scripted round are the test's; those of the others come from a seeded shoe.
"""

from __future__ import annotations

import queue
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from msgspec.structs import replace

from firmware.app import program
from firmware.app.generator import Generator
from firmware.core import events as ev
from firmware.core.baccarat import Hand, next_card
from firmware.core.cards import Card
from firmware.core.effects import Effect, RoundEnded
from firmware.core.events import Event
from firmware.core.order_data import Account, Approval, CorrectMeter, Order
from firmware.core.state import State
from firmware.core.step import step
from firmware.journal.database import sqlite_version
from firmware.journal.heads import Custody
from firmware.journal.reader import Reader
from firmware.journal.records import Batch, Entry, SegmentHeader, SegmentStart
from firmware.journal.replay import restart
from firmware.journal.writer import Committed, Outcome, open_journal
from tests.app.rig import CONFIG, header
from tests.core.memory_bench import MemoryBench
from tests.core.table import MS, Table
from tests.dealer import Dealer, Script

NS_PER_S = 1_000_000_000
EVENING_NS = 1_796_090_400 * NS_PER_S
"""2026-11-30, 21:00 in New York."""

ROYAL_9 = "royal_9_progressive"
WAGERS = ("player", "banker", "tie", "perfect_pairs_player", "lucky_six", ROYAL_9, ROYAL_9)


class JournaledTable(Table):
    """A table in memory whose entries are committed, each round in one transaction or as a test says. It goes on with a
    journal that has entries."""

    def __init__(
        self, path: Path, table_text: str | None = None, *, create: bool = True, custody: Custody | None = None
    ) -> None:
        self._outcomes: queue.SimpleQueue[Outcome] = queue.SimpleQueue()
        self._public_key = custody.signer.public.hex() if custody else ""
        self.header = _header(table_text)
        super().__init__(program.rules_of(self.header))
        self.journal, at = open_journal(path, program.codec(), self._outcomes.put, create=create, custody=custody)
        self.seq = at.last_seq if at else 0
        if at is not None:  # as the daemon starts on what it finds
            with Reader(path) as reader:
                stands = restart(reader, program.programs)
            assert stands is not None
            self.state = stands.state
            self.header = replace(self.header, generation=stands.header.generation)
        self.wall_ns = EVENING_NS
        self._wall_trusted = True
        self.generator: Generator | None = None
        self._waiting: list[Entry[Event, Effect]] = []
        self.bench = MemoryBench(self)

    def begin(self, wall_trusted: bool = True, table_text: str | None = None, boot_id: str = "boot-1") -> None:
        """A start of the daemon: a segment, and everything up."""
        self.commit()
        if table_text is not None:
            self.header = _header(table_text)
            self.rules = program.rules_of(self.header)
        self._wall_trusted = wall_trusted
        header_ = replace(self.header, wall_trusted=wall_trusted, boot_id=boot_id, public_key=self._public_key)
        self.journal.begin_segment(SegmentStart(header_, self.now_ns, self.wall_ns, self.state))
        outcome = self._outcomes.get(timeout=30)
        assert isinstance(outcome, Committed), outcome
        self.start(boot_id, covered=[(s.position, s.wager) for s in self.state.spots if s.chip is not None])

    def do(self, event: Event) -> tuple[Effect, ...]:
        if isinstance(event, ev.Started):
            event = replace(event, wall_ns=self.wall_ns, wall_trusted=self._wall_trusted)
        before = self.state
        self.state, effects = step(self.rules, before, event)
        if effects or self.state is not before:
            self.seq += 1
            self.wall_ns += 200 * MS
            ended = next((e.round for e in effects if isinstance(e, RoundEnded)), None)
            self._waiting.append(Entry(self.seq, self.now_ns, self.wall_ns, event, effects, ended))
            if ended is not None:
                self.commit()
        for answer in () if self.generator is None else self.generator.answers(effects, self.state):
            self.do(answer)
        return effects

    def commit(self) -> None:
        if self._waiting:
            batch: Batch[Event, Effect, State] = Batch(tuple(self._waiting), self.state)
            self.journal.submit(batch)
            outcome = self._outcomes.get(timeout=30)
            assert isinstance(outcome, Committed), outcome
            self._waiting.clear()

    def play(self, *scripts: Script) -> None:
        """Rounds, by people who look at the display."""
        for script in scripts:
            script.check()
            Dealer(self.bench).play(script)

    def play_cancelled(self, script: Script) -> None:
        """A round in which the count differs and the floorperson cancels one wager that is counted."""
        for position, wager in script.chips:
            self.bench.chip(position, wager, True)
        self.lock()
        self.call()
        self.floor("CANCEL P*")
        self.play(script)

    def order(self, order: Order, first: str = "M. Ruiz", second: str = "A. Novak") -> None:
        """Two persons, both keys turned."""
        for turned in (True, False):
            self.do(ev.FloorKeyTurned(turned, self.tick()))
            self.do(ev.ResetKeyTurned(turned, self.tick()))
            if turned:
                self.do(ev.OrderGiven(order, Approval(first, second, "count of 30 November"), self.tick()))

    def close(self) -> None:
        self.commit()
        self.journal.close()


@contextmanager
def table(
    path: Path, table_text: str | None = None, *, create: bool = True, custody: Custody | None = None
) -> Iterator[JournaledTable]:
    made = JournaledTable(path, table_text, create=create, custody=custody)
    try:
        yield made
    finally:
        made.close()


def shoe(chance: random.Random) -> Callable[[Sequence[str]], tuple[list[str], list[str]]]:
    """Deals by the tableau: the given cards first, in their order, then random ones of eight decks."""

    def deal(first: Sequence[str]) -> tuple[list[str], list[str]]:
        top = list(first)
        held: dict[Hand, list[Card]] = {Hand.PLAYER: [], Hand.BANKER: []}
        while (hand := next_card(tuple(held[Hand.PLAYER]), tuple(held[Hand.BANKER]))) is not None:
            text = top.pop(0) if top else chance.choice("A23456789TJQK") + chance.choice("SHDC")
            held[hand].append(Card.parse(text))
        return [str(c) for c in held[Hand.PLAYER]], [str(c) for c in held[Hand.BANKER]]

    return deal


def script(
    chance: random.Random, first: Sequence[str] = (), chips: Sequence[tuple[int, str]] = (), *, void: bool = False
) -> Script:
    """A round with random chips beside those given."""
    chosen = dict.fromkeys(chips)
    for position in range(1, 8):
        chosen.update({(position, wager): None for wager in WAGERS if chance.random() < 0.25})
    player, banker = shoe(chance)(first)
    return Script(tuple(chosen), player, banker, void)


MINOR, MAJOR, MEGA = ["KS", "2C", "9H", "5D"], ["2C", "KS", "5D", "9H"], ["KS", "KS", "9H", "9H"]
"""First cards, Player and Banker in turn, that hit a Royal 9 meter at position 1 of the example table."""


def evening(path: Path, rounds: int = 40, seed: int = 1) -> Path:
    """A journal with everything in it: meters won by one and by several, voids, cancellations, a restart, a new day."""
    chance = random.Random(seed)
    with table(path) as t:
        t.begin()
        minor = next(m for m in t.state.meters if m.name == "royal_9.minor")
        t.order(CorrectMeter(minor.name, Account.SHOWN, minor.shown_micro, minor.shown_micro - 1_250_000))
        t.order(CorrectMeter(minor.name, Account.RESERVE, 0, 40_000))
        t.order(CorrectMeter(minor.name, Account.RESERVE, 0, 40_000))  # refused: it no longer holds that
        for number in range(rounds):
            round_ = _round(chance, number)
            round_.new_shoe = number % 8 == 0  # the shoe deals with replacement: it may not run out of a card
            t.bench.unreadable = 2 * (number % 10 == 2)
            t.play(round_)
            if number % 10 == 4:
                t.play_cancelled(script(chance, chips=[(2, ROYAL_9), (6, ROYAL_9)]))
            if number % 10 == 7:
                t.wall_ns += 20 * 3_600 * NS_PER_S
            if number % 10 == 8:
                t.begin(wall_trusted=number % 20 == 8, boot_id=f"boot-{number}")
    return path


def _round(chance: random.Random, number: int) -> Script:
    match number % 10:
        case 1:
            return script(chance, MINOR, [(1, ROYAL_9)])
        case 3:
            return script(chance, MAJOR, [(1, ROYAL_9), (5, ROYAL_9)])
        case 5:
            return script(chance, MEGA, [(1, ROYAL_9), (2, ROYAL_9), (3, ROYAL_9)])
        case 6:
            return script(chance, chips=[(4, ROYAL_9)], void=True)
        case _:
            return script(chance)


def _header(table_text: str | None) -> SegmentHeader:
    configuration = program.filed(CONFIG.read_text("utf-8") if table_text is None else table_text)
    return replace(
        header(),
        configuration=configuration,
        configuration_hash=program.text_hash(configuration),
        sqlite_version=sqlite_version(),
    )
