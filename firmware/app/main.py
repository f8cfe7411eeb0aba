"""`tabled run`: from a configuration file to a table that plays, and back.

Order of a start: configuration, journal, a new segment with who we are, `Started` through the core, devices; then, once
the inputs have settled (or failed to) and everything is shown, READY. Exit status 78: the configuration, the key or the
journal is refused, and only a person can mend it. 1: the disk fails, or another daemon runs; systemd starts it again,
and it goes on when they let it. Anything else ends the process with a trace in the log, and it is started again too.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
import sys
from pathlib import Path

import apsw

from drivers.events import DeviceEvent, LinkState, Shown
from drivers.ports import BackendUnavailable
from firmware.app import clock, continuity, control, installation, manifest, notify, registry, supervisor
from firmware.app.confirmations import Confirmations
from firmware.app.engine import Engine
from firmware.app.generator import Generator
from firmware.app.hardware import HardwareWatch, needs_of
from firmware.app.inputs import Inputs
from firmware.app.key_file import SecretKey, open_key
from firmware.app.lamp_times import LampTimes
from firmware.app.lease_desk import LeaseDesk, Place
from firmware.app.line_levels import LineLevels
from firmware.app.order_desk import OrderDesk
from firmware.app.outputs import Outputs
from firmware.app.program import (
    VERSION,
    TableJournal,
    TableOutcome,
    code_hash,
    codec,
    filed,
    know,
    paytables_hash,
    programs,
    text_hash,
)
from firmware.app.status import TableStatus, status_line, table_status
from firmware.app.wall import WallClock, stepped_while_away
from firmware.core.effects import Effect
from firmware.core.events import Event, Started, Tick
from firmware.core.machine_events import IdentityFound, WallClockStepped
from firmware.core.rules import TableRules
from firmware.core.state import RULES_VERSION, STATE_SCHEMA, State, initial_state
from firmware.journal.errors import (
    JournalDamaged,
    JournalError,
    JournalMissing,
    JournalReplaced,
    KeyMissing,
    KeyUnusable,
    LaterSchema,
    NotAJournal,
    NotThisTable,
    UnknownRules,
)
from firmware.journal.heads import FIRST_GENERATION, Custody
from firmware.journal.reader import Reader
from firmware.journal.records import Entry, SegmentHeader, SegmentStart
from firmware.journal.replay import ReplayDiffers, restart
from firmware.journal.signing import Signer, make_key
from firmware.journal.writer import CommitFailed, open_journal
from firmware.settings.check import CheckedTable
from firmware.settings.check_command import EX_CONFIG, checked
from firmware.settings.model import Profile
from firmware.settings.problems import ConfigurationError
from firmware.settings.rules import to_rules

log = logging.getLogger(__name__)

READY_WAIT_S = 5.0
"""How long READY waits for devices that are still opening; after that the table is READY and shows which are not."""

SWITCH_INTERVAL_S = 0.0005
"""How long a busy loop may keep the journal's thread, back from the disk, from reporting (decision 0157)."""

FOR_A_PERSON = (
    NotThisTable, JournalReplaced, JournalDamaged, NotAJournal, LaterSchema, UnknownRules, ReplayDiffers, KeyMissing,
    KeyUnusable,
)  # fmt: skip
"""What no second start can mend: status 78, and systemd leaves the table closed until a person has been there."""


def run(config: Path, run_dir: Path | None, create_journal: bool) -> int:
    """Serve the table until SIGTERM or SIGINT. Returns the exit status."""
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s", stream=sys.stderr)
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    try:
        table = checked(config, clock.today(), sys.stderr)
        settings = table.settings
        rules = to_rules(settings, table.catalogue)
        know(filed(table.text), rules)
        folder = run_dir or config.parent
        folder.mkdir(parents=True, exist_ok=True)
        devices = registry.build(settings, folder)
    except ConfigurationError as error:
        print(error.report(), file=sys.stderr)
        return EX_CONFIG
    except (BackendUnavailable, ValueError) as error:
        print(f"{config}: devices: {error}", file=sys.stderr)
        return EX_CONFIG
    may_create = create_journal or settings.table.profile is Profile.SIMULATED
    try:
        asyncio.run(_Table(config, table, rules, folder, devices).serve(may_create))
    except JournalMissing as error:
        print(f"{error}. A new table's first start makes it: tabled run --create-journal", file=sys.stderr)
        return EX_CONFIG
    except FOR_A_PERSON as error:
        print(error, file=sys.stderr)
        return EX_CONFIG
    except JournalError as error:  # the disk's or another process's doing: it is tried again until that has ended
        print(error, file=sys.stderr)
        return 1
    return 0


class _Table:
    """Everything that a running daemon holds."""

    def __init__(
        self, config: Path, table: CheckedTable, rules: TableRules, folder: Path, devices: registry.Devices
    ) -> None:
        self._config = config
        self._settings = table.settings
        self._text = table.text
        self._rules = rules
        self._folder = folder
        self._devices = devices
        self._boot_id = clock.boot_id()
        self._wall = WallClock(clock.reading)
        self._stepped: WallClockStepped | None = None
        self._identity: IdentityFound | None = None
        self._first_state = initial_state(rules)
        self._journal_path = folder / table.settings.storage.journal
        self._generation = FIRST_GENERATION
        self._public_key = ""
        self._notifier = notify.Notifier()
        self._engine: Engine | None = None

    async def serve(self, may_create: bool) -> None:
        """Open the journal, begin a segment, play until a stop signal."""
        loop = asyncio.get_running_loop()
        began: asyncio.Future[TableOutcome] = loop.create_future()

        def deliver(outcome: TableOutcome) -> None:
            if self._engine is None:
                began.set_result(outcome)
            else:
                self._engine.outcome(outcome)

        def on_outcome(outcome: TableOutcome) -> None:  # on the journal's thread
            loop.call_soon_threadsafe(deliver, outcome)

        custody = self._custody()
        self._public_key = custody.signer.public.hex()
        journal, position = open_journal(self._journal_path, codec(), on_outcome, create=may_create, custody=custody)
        try:
            state = self._recover() if position is not None else self._first_state
            journal.begin_segment(self._segment(state))
            outcome = await began
            if isinstance(outcome, CommitFailed):
                raise outcome.error
            await self._play(journal, state, position.last_seq if position is not None else 0)
        finally:
            journal.close()

    def _custody(self) -> Custody:
        """The key and the noted head. A simulated table makes its key itself. Raises KeyMissing, KeyUnusable."""
        storage = self._settings.storage
        key = self._folder / storage.signing_key
        if self._settings.table.profile is Profile.SIMULATED and not os.path.lexists(key):
            make_key(key)
        return Custody(Signer.load(key), self._folder / storage.noted_head)

    def _recover(self) -> State:
        """The state at the journal's end, replayed from its newest snapshot and compared with its hashes."""
        with Reader(self._journal_path) as reader:
            found = restart(reader, programs)
            if found is None:
                return self._first_state
            self._generation = found.header.generation
            for last in reader.entries(found.position.last_seq):
                self._stepped = stepped_while_away(
                    self._wall.started,
                    clock.Reading(last.at_ns, last.wall_ns, found.state.wall_trusted),
                    same_boot=found.state.boot_id == self._boot_id,
                )
        reasons = (
            *continuity.reasons_against_profile(found.header.profile, self._settings.table.profile.value),
            *continuity.reasons_against(found.rules, self._rules, found.state),
        )
        if reasons:
            raise NotThisTable(f"{self._journal_path} can't go on under {self._config}: " + "; ".join(reasons))
        return found.state

    def _secret_key(self, state: State) -> SecretKey | None:
        """The key of secret draws. A simulated table that has not sealed anything yet makes its own."""
        options = self._settings.mystery
        if options is None or state.mystery is None:
            return None
        never_drawn = state.mystery.draw == 1 and not state.mystery.commitment
        make = never_drawn and self._settings.table.profile is Profile.SIMULATED
        key = open_key(self._folder / options.key_file, make=make)
        if key.trouble:
            log.error("mystery bonus: %s", key.trouble)
        return key

    def _segment(self, state: State) -> SegmentStart[State]:
        configuration = filed(self._text)
        header = SegmentHeader(
            rules_version=RULES_VERSION,
            state_schema=STATE_SCHEMA,
            firmware_version=VERSION,
            code_hash=code_hash(),
            paytables_hash=paytables_hash(),
            configuration=configuration,
            configuration_hash=text_hash(configuration),
            profile=self._settings.table.profile.value,
            sqlite_version=apsw.sqlite_lib_version(),
            boot_id=self._boot_id,
            wall_trusted=self._wall.started.trusted,
            public_key=self._public_key,
            generation=self._generation,
        )
        now_ns = clock.monotonic_ns()
        return SegmentStart(header, now_ns, self._wall.at(now_ns), state)

    async def _play(self, journal: TableJournal, state: State, last_seq: int) -> None:
        stop = _stop_signal()  # from here on: one that comes before READY ends the table in order as well
        devices = self._devices
        rules = self._rules
        outputs = Outputs(
            rules, self._settings.looks, devices.lines, devices.lamps, devices.boards, devices.displays,
            meters=devices.meters,
        )  # fmt: skip

        place = self._place()
        generator = Generator(rules.table_id, self._secret_key(state))

        def perform(entry: Entry[Event, Effect], now: State) -> None:
            outputs.perform(entry.effects, now)
            for answer in generator.answers(entry.effects, now):
                engine.post(answer)
            confirmations.expect(entry)
            lamp_times.expect(entry)
            desk.committed(entry)
            leases.committed(entry)
            self._notifier.status(status_line(self._settings, engine))
            if entry.ends_round is not None:
                gc.collect()  # the interpreter's own stores of freed objects grow for days otherwise: 0208

        def journal_fault(reason: str) -> None:
            outputs.show_journal_fault(reason)
            self._notifier.status(status_line(self._settings, engine))

        def status() -> TableStatus:
            journal_path, generation = str(self._journal_path), self._generation
            return table_status(
                self._settings, engine, devices.all(), journal_path, self._identity, generation, place, levels,
                lamp_times.newest, machine.latest,
            )  # fmt: skip

        def shown(event: Shown) -> None:
            confirmations.shown(event)
            lamp_times.shown(event)

        def heard(event: DeviceEvent) -> None:
            inputs.take(event)
            levels.take(event)

        engine = Engine(rules, state, last_seq, journal, perform, journal_fault, self._on_tick, wall=self._wall)
        self._engine = engine
        desk = OrderDesk(engine.post, lambda: engine.fault)
        lamp_times = LampTimes(devices.lamps)
        levels = LineLevels(self._settings)
        confirmations = Confirmations(devices.shown(), engine.post)
        inputs = Inputs(
            rules.spots, rules.line_devices, engine.post, shown, rules.spot_devices,
            registry.lines.lamp_lines(self._settings),
        )  # fmt: skip
        keeper = supervisor.Keeper(devices.all(), heard, inputs.died)
        machine = HardwareWatch(needs_of(self._settings, self._folder), engine.post, state.hardware)
        leases = LeaseDesk(place, engine.post, lambda: engine.fault, keeper, inputs.gone)
        async with asyncio.TaskGroup() as group:
            serving = group.create_task(engine.run(), name="engine")
            faults = group.create_task(supervisor.end_at_callback_fault(), name="faults")
            now_ns = clock.monotonic_ns()
            engine.post(Started(now_ns, self._wall.at(now_ns), self._wall.started.trusted, self._boot_id))
            if self._stepped is not None:
                engine.post(self._stepped)
            if not self._settings.identity.manifest:
                self._identified(self._identify(), engine)
            await engine.drained()
            outputs.show_all(engine.durable)
            if engine.fault:
                journal_fault(engine.fault)
            tasks = [
                group.create_task(keeper.run(), name="devices"),
                group.create_task(outputs.animate(), name="lamps"),
                group.create_task(notify.send_ticks(engine.post, self._notifier.tick_s), name="ticks"),
                group.create_task(
                    control.serve(self._folder / self._settings.storage.control, status, desk.give, leases),
                    name="control",
                ),
            ]
            if self._settings.identity.manifest:  # reads all that is installed: beside the loop, and not before READY
                tasks.append(group.create_task(self._identify_beside(engine), name="identity"))
            await self._until_shown(engine)
            gc.freeze()  # what a start has made stays: the collector need not look at it again
            gc.enable()
            tasks.append(group.create_task(machine.run(), name="hardware"))
            self._notifier.ready()
            log.info("READY: %s", status_line(self._settings, engine))
            await stop.wait()
            log.info("stopping")
            self._notifier.stopping()
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks)
            await engine.drained()
            serving.cancel()
            faults.cancel()

    def _place(self) -> Place:
        settings = self._settings
        text = text_hash(filed(self._text))
        return Place(settings.table.id, str(self._config.resolve()), str(self._folder.resolve()), text)

    def _on_tick(self, tick: Tick) -> None:
        self._notifier.tick_came_back(tick)
        if self._engine is not None:
            if (news := self._wall.look()) is not None:
                self._engine.post(news)
            self._notifier.status(status_line(self._settings, self._engine))

    def _identify(self) -> IdentityFound:
        """What runs here, and what its approver says of it."""
        check = self._settings.identity
        found = installation.find(self._text, whole=bool(check.manifest))
        return IdentityFound(found, manifest.look(check, self._folder), clock.monotonic_ns())

    async def _identify_beside(self, engine: Engine) -> None:
        self._identified(await asyncio.to_thread(self._identify), engine)

    def _identified(self, event: IdentityFound, engine: Engine) -> None:
        self._identity = event
        engine.post(event)

    async def _until_shown(self, engine: Engine) -> None:
        """Until the inputs have settled and every output is open, or each has been tried and is known to be away."""
        deadline_ns = clock.monotonic_ns() + int(READY_WAIT_S * 1e9)
        pending = [device.name for device in self._devices.all()]
        while pending and clock.monotonic_ns() < deadline_ns:
            await asyncio.sleep(0.002)
            pending = [d.name for d in self._devices.all() if d.link in (LinkState.OPENING, LinkState.IDENTIFYING)]
            lines_up = all(device.link is LinkState.READY for device in self._devices.lines)
            if not engine.durable.inputs_ready and lines_up:
                pending.append("inputs")
        if pending:
            log.warning("not settled within %.0f s: %s; the table is shown as it is", READY_WAIT_S, ", ".join(pending))


def _stop_signal() -> asyncio.Event:
    """Set by SIGTERM or SIGINT."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)
    return stop
