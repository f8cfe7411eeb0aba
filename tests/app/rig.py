"""The real engine on a real journal, the torture tests' file system under it and a table in memory around it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from firmware.app import clock, program
from firmware.app.engine import Engine
from firmware.app.wall import WallClock
from firmware.core import effects as fx
from firmware.core import events as ev
from firmware.core import floor
from firmware.core.effects import Effect, SettleInputs
from firmware.core.events import Event, Tick
from firmware.core.screen import display
from firmware.core.state import RULES_VERSION, STATE_SCHEMA, State, initial_state
from firmware.journal.reader import Reader
from firmware.journal.records import Entry, SegmentHeader, SegmentStart
from firmware.journal.replay import replay
from firmware.journal.writer import CommitFailed, open_journal
from tests.journal.torture_vfs import TortureVfs

CONFIG = Path(__file__).parents[2] / "config" / "tables" / "minibaccarat.toml"
MS = 1_000_000
WAIT_S = 20.0


def header() -> SegmentHeader:
    configuration = program.filed(CONFIG.read_text("utf-8"))
    return SegmentHeader(
        rules_version=RULES_VERSION,
        state_schema=STATE_SCHEMA,
        firmware_version=program.VERSION,
        code_hash="c" * 64,
        paytables_hash="p" * 64,
        configuration=configuration,
        configuration_hash=program.text_hash(configuration),
        profile="simulated",
        sqlite_version="3.51.3",
        boot_id="boot-1",
        wall_trusted=False,
    )


class Rig:
    """What the engine did, as it did it. Times of events are virtual; the journal and its thread are real."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rules = program.rules_of(header())
        self.shown: list[tuple[int, tuple[Effect, ...]]] = []
        """Number and effects of every entry that was carried out, in order."""
        self.listeners: list[Callable[[Entry[Event, Effect]], None]] = []
        self.faults: list[str] = []
        self.ticks: list[Tick] = []
        self.now_ns = clock.monotonic_ns() + 3_600_000 * MS
        """An hour ahead: no timer of the core fires by itself, however slow the machine is."""
        self.engine: Engine
        self._changed = asyncio.Event()
        self._answer: int | None = None

    # --- what the engine calls --------------------------------------------------------------------------------------

    def perform(self, entry: Entry[Event, Effect], state: State) -> None:
        self.shown.append((entry.seq, tuple(entry.effects)))
        for effect in entry.effects:
            if isinstance(effect, SettleInputs):
                verdicts = tuple(
                    ev.SpotVerdict(
                        s.position, s.wager, s.chip.not_after_ns < effect.at_ns, s.chip.not_before_ns,
                        s.chip.not_after_ns, False, False, None, s.chip.not_before_ns >= effect.at_ns,
                    )
                    for s in state.spots
                    if s.chip is not None
                )  # fmt: skip
                self.engine.post(ev.InputsSettled(effect.at_ns, 160 * MS, 0, verdicts))
        for listener in self.listeners:
            listener(entry)
        self._changed.set()

    def fault(self, reason: str) -> None:
        self.faults.append(reason)
        self._changed.set()

    def tick_came_back(self, tick: Tick) -> None:
        self.ticks.append(tick)
        self._changed.set()

    # --- what a test does -------------------------------------------------------------------------------------------

    def post(self, *events: Event) -> None:
        for event in events:
            self.engine.post(event)

    def at(self, ms: float = 100) -> int:
        self.now_ns += int(ms * MS)
        return self.now_ns

    def chip(self, position: int, wager: str = "royal_9_progressive") -> ev.ChipPlaced:
        at_ns = self.at()
        return ev.ChipPlaced(position, wager, at_ns, at_ns)

    def press(self) -> tuple[ev.LockEdge, ev.LockProved]:
        at_ns = self.at()
        return ev.LockEdge(at_ns), ev.LockProved(at_ns)

    async def until(self, what: Callable[[], bool]) -> None:
        async with asyncio.timeout(WAIT_S):
            while not what():
                self._changed.clear()
                await self._changed.wait()

    async def open_table(self) -> None:
        """Everything up, opened by the floorperson, betting."""
        self.post(ev.Started(self.at(), 0, False, "boot-1"), ev.InputsReady(self.at(), (), False, False, False))
        self.post(*(ev.DeviceUp(name, self.at()) for name in self.rules.devices))
        await self.engine.drained()
        for label in ("OPEN TABLE", "NEW SHOE"):
            self.post(ev.FloorKeyTurned(True, self.at()))
            await self.engine.drained()
            labels = [line.label for line in floor.lines(self.rules, self.engine.durable)]
            self.post(*(ev.KeyPressed(ev.Key.CALL, self.at()) for _ in range(labels.index(label))))
            self.post(ev.KeyPressed(ev.Key.CONFIRM, self.at()), ev.FloorKeyTurned(False, self.at()))
            await self.engine.drained()
        assert self.display()[0] == "BETTING OPEN", self.display()

    # --- what is seen -----------------------------------------------------------------------------------------------

    def display(self) -> tuple[str, ...]:
        return tuple(line.strip() for line in display(self.rules, self.engine.durable).lines)

    def saw(self, kind: type[Effect]) -> list[Effect]:
        return [effect for _, effects in self.shown for effect in effects if isinstance(effect, kind)]

    def accepted(self) -> list[tuple[int, str]]:
        return [(e.position, e.wager) for e in self.saw(fx.WagerAccepted) if isinstance(e, fx.WagerAccepted)]

    def meter(self, name: str = "royal_9.minor") -> int:
        return next(m.shown_micro for m in self.engine.durable.meters if m.name == name)

    def entries(self) -> list[Event]:
        """Events in the journal, which is verified and replayed."""
        with Reader(self.path) as reader:
            reader.verify()
            replay(reader, program.programs)
            return [program.codec().decode_entry(row).event for row in reader.entries()]


@contextlib.asynccontextmanager
async def rig(
    folder: Path,
    vfs: TortureVfs | None = None,
    commit_limit_s: float = 30.0,
    reopen_after_s: float = 0.01,
    wall: WallClock | None = None,
) -> AsyncIterator[Rig]:
    """An engine that runs on a new journal with one segment."""
    loop = asyncio.get_running_loop()
    out = Rig(folder / "journal.sqlite")
    began: asyncio.Future[object] = loop.create_future()

    def deliver(outcome: program.TableOutcome) -> None:
        if began.done():
            out.engine.outcome(outcome)
        else:
            began.set_result(outcome)

    journal, _ = open_journal(
        out.path,
        program.codec(),
        lambda outcome: loop.call_soon_threadsafe(deliver, outcome),  # type: ignore[arg-type,return-value]
        create=True,
        vfs=vfs.name if vfs else None,
    )
    state = initial_state(out.rules)
    journal.begin_segment(SegmentStart(header(), 1, 1, state))
    assert not isinstance(await began, CommitFailed)
    out.engine = Engine(
        out.rules, state, 0, journal, out.perform, out.fault, out.tick_came_back,
        wall=wall or WallClock(clock.reading), commit_limit_s=commit_limit_s, reopen_after_s=reopen_after_s,
    )  # fmt: skip
    running = asyncio.create_task(out.engine.run())
    try:
        yield out
    finally:
        if vfs is not None:
            vfs.arm(None)
            vfs.unblock.set()
        if running.done():
            running.result()
        running.cancel()
        await asyncio.to_thread(journal.close)
