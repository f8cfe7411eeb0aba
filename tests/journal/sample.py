"""A core in miniature for the journal's tests: every kind of type that a core may use, and a `step` that is cheap."""

from __future__ import annotations

import queue
from collections.abc import Callable
from enum import StrEnum
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from firmware.core.stored import Message, Stored
from firmware.journal.codec import sha256
from firmware.journal.database import sqlite_version
from firmware.journal.errors import UnknownRules
from firmware.journal.heads import Custody
from firmware.journal.records import Batch, Entry, RecordCodec, SegmentHeader, SegmentStart
from firmware.journal.replay import Program
from firmware.journal.writer import Committed, Journal, Outcome, open_journal


class Lamp(StrEnum):
    OFF = "off"
    ACCEPTED = "accepted"


class Sensed(Message, frozen=True):
    spot: int
    covered: bool
    at_ns: int


class Contributed(Message, frozen=True):
    spot: int
    amount_micro: int
    note: str | None = None


class RoundEnded(Message, frozen=True):
    number: int


Event = Sensed | Contributed | RoundEnded


class LampSet(Message, frozen=True):
    spot: int
    lamp: Lamp


class MeterShown(Message, frozen=True):
    micro: int


Effect = LampSet | MeterShown


class Idle(Message, frozen=True):
    pass


class Betting(Message, frozen=True):
    round_number: int
    covered: tuple[int, ...]


class State(Stored, frozen=True):
    meter_micro: int
    phase: Idle | Betting
    spots: tuple[tuple[int, Lamp], ...]
    last_note: str | None
    padding: str  # makes states as large as a test wants them


def start_state(padding: int = 0) -> State:
    return State(0, Idle(), tuple((spot, Lamp.OFF) for spot in range(7)), None, "x" * padding)


class Rules(Struct, frozen=True):
    factor: int
    padding: int


def step(rules: Rules, state: State, event: Event) -> tuple[State, tuple[Effect, ...]]:
    match event:
        case Sensed(spot, covered, _):
            lamp = Lamp.ACCEPTED if covered else Lamp.OFF
            covered_now = state.phase.covered if isinstance(state.phase, Betting) else ()
            covered_now = tuple(s for s in covered_now if s != spot) + ((spot,) if covered else ())
            spots = tuple((s, lamp if s == spot else was) for s, was in state.spots)
            return replace(state, phase=Betting(1, covered_now), spots=spots), (LampSet(spot, lamp),)
        case Contributed(_, amount_micro, note):
            meter = state.meter_micro + amount_micro * rules.factor
            return replace(state, meter_micro=meter, last_note=note), (MeterShown(meter),)
        case RoundEnded():
            return replace(state, phase=Idle()), ()


def codec() -> RecordCodec[Event, Effect, State]:
    return RecordCodec(Event, Effect, State)


PROGRAM: Program[Rules, State, Event, Effect] = Program(
    codec=codec(),
    rules=lambda header: Rules(header.rules_version, int(header.configuration.removeprefix("padding = "))),
    opening=lambda rules, before: start_state(rules.padding) if before is None else before,
    step=step,
)


def programs(header: SegmentHeader) -> Program[Rules, State, Event, Effect]:
    if header.rules_version != 1:
        raise UnknownRules(f"rules version {header.rules_version}; expected 1")
    return PROGRAM


def header(
    rules_version: int = 1, state_schema: int = 1, padding: int = 0, public_key: str = "", generation: int = 1
) -> SegmentHeader:
    configuration = f"padding = {padding}\n"
    return SegmentHeader(
        rules_version=rules_version,
        state_schema=state_schema,
        firmware_version="0.1.0",
        code_hash="c" * 64,
        paytables_hash="p" * 64,
        configuration=configuration,
        configuration_hash=sha256(configuration.encode()).hex(),
        profile="simulated",
        sqlite_version=sqlite_version(),
        boot_id="b" * 32,
        wall_trusted=False,
        public_key=public_key,
        generation=generation,
    )


class Table:
    """Plays a sample core into a journal, one batch at a time, and waits for each answer."""

    def __init__(
        self,
        path: Path,
        *,
        create: bool = True,
        vfs: str | None = None,
        state: State | None = None,
        custody: Custody | None = None,
        watch: Callable[[Outcome], None] = lambda outcome: None,
    ) -> None:
        """`watch` sees every outcome on the writer's thread, as it comes."""
        self.outcomes: queue.SimpleQueue[Outcome] = queue.SimpleQueue()

        def deliver(outcome: Outcome) -> None:
            watch(outcome)
            self.outcomes.put(outcome)

        self.public_key = "" if custody is None else custody.signer.public.hex()
        self.journal: Journal[Event, Effect, State]
        self.journal, self.opened_at = open_journal(path, codec(), deliver, create=create, vfs=vfs, custody=custody)
        self.state = start_state() if state is None else state
        self.seq = self.opened_at.last_seq if self.opened_at else 0

    def begin(self, start_header: SegmentHeader | None = None) -> Outcome:
        start_header = start_header or header(padding=len(self.state.padding), public_key=self.public_key)
        self.journal.begin_segment(SegmentStart(start_header, 1, 2, self.state))
        return self.answer()

    def batch(self, *events: Event) -> Batch[Event, Effect, State]:
        """The next batch, with the state advanced."""
        entries = []
        for event in events:
            self.seq += 1
            self.state, effects = step(Rules(1, 0), self.state, event)
            ends_round = event.number if isinstance(event, RoundEnded) else None
            entries.append(Entry(self.seq, self.seq * 1_000, 1_700_000_000, event, effects, ends_round))
        return Batch(tuple(entries), self.state)

    def play(self, *events: Event) -> Outcome:
        self.journal.submit(self.batch(*events))
        return self.answer()

    def answer(self) -> Outcome:
        return self.outcomes.get(timeout=30)

    def close(self) -> None:
        self.journal.close()


def play_round(table: Table, number: int, events: int = 8) -> Committed:
    """One round in single-entry transactions; returns the answer to its last."""
    for index in range(events - 1):
        spot = index % 7
        note = None if index % 2 else "chip"
        committed(table.play(Contributed(spot, 1_000 + index, note) if index % 3 else Sensed(spot, True, 5)))
    return committed(table.play(RoundEnded(number)))


def committed(outcome: Outcome) -> Committed:
    assert isinstance(outcome, Committed), outcome
    return outcome
