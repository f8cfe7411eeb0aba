"""The wall clock is an annotation: its steps are seen, told and journalled, and move nothing else."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import os
import re
import socket
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firmware.app import clock, program
from firmware.app.clock import Reading
from firmware.app.tell import tell
from firmware.app.wall import SLEW_PPM, STEP_NS, WallClock, stepped_while_away
from firmware.audit.auditor import Auditor
from firmware.audit.walk import walk
from firmware.core import effects as fx
from firmware.core import events as ev
from firmware.core.faults import Irregularity
from firmware.core.machine_events import WallClockStepped, WallTrustChanged
from firmware.core.state import Phase
from firmware.journal.commands import main_show
from firmware.journal.reader import Reader
from firmware.journal.replay import replay
from firmware.journal.wall_trust import trusted_at
from tests.app.rig import CONFIG, rig
from tests.core.table import Hand, Table

ROOT = Path(__file__).parents[2]
S = 1_000_000_000
DAY_S = 86_400
Y1970 = 5 * S
Y2026 = int(datetime(2026, 11, 30, 19, 0, tzinfo=UTC).timestamp()) * S
Y2040 = int(datetime(2040, 2, 29, 12, 0, tzinfo=UTC).timestamp()) * S
KERNEL_END = (2**63 // S - 30 * 365 * DAY_S) * S
"""The latest time to which Linux lets a clock be set."""


class Clocks:
    """Both clocks of a machine, moved by hand."""

    def __init__(self, wall_ns: int, trusted: bool = True, monotonic_ns: int = 1_000 * S) -> None:
        self.monotonic_ns = monotonic_ns
        self.wall_ns = wall_ns
        self.trusted = trusted
        self.wall = WallClock(self.read)

    def read(self) -> Reading:
        return Reading(self.monotonic_ns, self.wall_ns, self.trusted)

    def run(self, seconds: float = 1, gained_ns: int = 0) -> Clocks:
        """Time goes by; wall time gains this much more than it should."""
        self.monotonic_ns += round(seconds * S)
        self.wall_ns += round(seconds * S) + gained_ns
        return self

    def stepped(self) -> WallClockStepped | None:
        """What a look says, taken as the engine would take it."""
        event = self.wall.look()
        assert not isinstance(event, WallTrustChanged), event
        if event is not None:
            self.wall.found(event)
        return event


@pytest.mark.parametrize("start_ns", [0, Y1970, Y2026, Y2040, KERNEL_END])
@pytest.mark.parametrize("by_ns", [STEP_NS + 2_000_000, S, 3600 * S, -STEP_NS - 2_000_000, -3600 * S])
def test_a_step_is_told_once_with_its_size(start_ns: int, by_ns: int) -> None:
    clocks = Clocks(start_ns)
    assert clocks.run().stepped() is None
    clocks.run(3, by_ns)
    assert clocks.stepped() == WallClockStepped(by_ns, clocks.wall_ns, True, clocks.monotonic_ns)
    for _ in range(5):
        assert clocks.run(3).stepped() is None
    assert clocks.wall.at(clocks.monotonic_ns) == clocks.wall_ns


def test_a_pi_without_a_battery_clock_gets_its_time_after_the_start() -> None:
    clocks = Clocks(Y1970, trusted=False)
    assert clocks.run().stepped() is None
    clocks.run(2, Y2026 - Y1970)
    clocks.trusted = True
    event = clocks.stepped()
    assert event == WallClockStepped(Y2026 - Y1970, clocks.wall_ns, True, clocks.monotonic_ns)


@pytest.mark.parametrize("ppm", [12, -12, SLEW_PPM, -SLEW_PPM])
def test_a_day_of_slewing_is_no_step(ppm: int) -> None:
    """12 ppm: a leap second smeared over a day. 500: the fastest that the kernel slews."""
    clocks = Clocks(Y2026)
    for _ in range(DAY_S // 3):
        assert clocks.run(3, 3 * S * ppm // 1_000_000).stepped() is None
    assert clocks.wall.at(clocks.monotonic_ns) == clocks.wall_ns


@pytest.mark.parametrize("sign", [1, -1])
def test_many_small_steps_add_up(sign: int) -> None:
    clocks = Clocks(Y2026)
    told = [e.by_ns for _ in range(100) if (e := clocks.run(1, sign * STEP_NS // 5).stepped()) is not None]
    assert told, "20 ms a second is no slewing"
    assert all(by_ns * sign >= STEP_NS for by_ns in told)
    assert abs(sum(told) - sign * 20 * STEP_NS) <= 3 * STEP_NS


def test_a_leap_second_that_is_inserted_is_a_step() -> None:
    clocks = Clocks(Y2026)
    assert clocks.run(1, -S).stepped() == WallClockStepped(-S, clocks.wall_ns, True, clocks.monotonic_ns)


def test_a_step_taken_back_before_the_next_look_was_none() -> None:
    clocks = Clocks(Y2026)
    clocks.run(1, S)
    assert clocks.run(1, -S).stepped() is None


@given(st.lists(st.tuples(st.floats(0.001, 10), st.integers(-10 * S, 10 * S)), max_size=50))
def test_what_is_told_and_slewed_is_what_happened(moves: list[tuple[float, int]]) -> None:
    """Entries' wall time is never further from the clock than the smallest step, and a step is never less than that."""
    clocks = Clocks(Y2026)
    for seconds, gained_ns in moves:
        event = clocks.run(seconds, gained_ns).stepped()
        assert event is None or abs(event.by_ns) >= STEP_NS
        assert abs(clocks.wall.at(clocks.monotonic_ns) - clocks.wall_ns) < STEP_NS


def test_trust_comes_and_goes() -> None:
    clocks = Clocks(Y2026, trusted=False)
    assert clocks.wall.look() is None
    clocks.run().trusted = True
    assert clocks.wall.look() == WallTrustChanged(clocks.wall_ns, True, clocks.monotonic_ns)
    assert clocks.run().wall.look() is None
    clocks.run().trusted = False
    assert clocks.wall.look() == WallTrustChanged(clocks.wall_ns, False, clocks.monotonic_ns)


LAST = Reading(50 * S, Y2026, True)


@pytest.mark.parametrize(
    ("now", "same_boot", "by_ns"),
    [
        (Reading(60 * S, Y2026 + 10 * S, True), True, None),
        (Reading(60 * S, Y2026 + 10 * S + 4_000_000, True), True, None),  # slewed
        (Reading(60 * S, Y2026 + 3610 * S, True), True, 3600 * S),
        (Reading(60 * S, Y2026 - 3590 * S, True), True, -3600 * S),
        (Reading(5 * S, Y2026 + 900 * S, True), False, None),  # how long it was off nobody knows
        (Reading(5 * S, Y1970, False), False, Y1970 - Y2026),
        (Reading(5 * S, Y2026 - 1, True), False, -1),
    ],
)
def test_what_the_clock_did_while_the_daemon_was_away(now: Reading, same_boot: bool, by_ns: int | None) -> None:
    event = stepped_while_away(now, LAST, same_boot)
    if by_ns is None:
        assert event is None
    else:
        assert event is not None
        assert abs(event.by_ns - by_ns) <= 10 * S * SLEW_PPM // 1_000_000
        assert (event.wall_ns, event.at_ns, event.trusted) == (now.wall_ns, now.monotonic_ns, now.trusted)


def test_entries_follow_a_step_only_from_its_own_event_on(tmp_path: Path) -> None:
    """The event is stepped twice here, as after a commit that failed."""

    offset_ns = first_ns = Y2026

    def real() -> Reading:  # monotonic time runs, wall time is the test's
        now_ns = clock.monotonic_ns()
        return Reading(now_ns, now_ns + offset_ns, True)

    async def play() -> None:
        nonlocal offset_ns
        wall = WallClock(real)
        async with rig(tmp_path, wall=wall) as table:
            await table.open_table()
            table.post(table.chip(1))
            offset_ns += 3600 * S
            table.post(*table.press())
            await table.engine.drained()
            event = wall.look()
            assert isinstance(event, WallClockStepped)
            table.post(table.chip(2), event, table.chip(3), event, table.chip(4))
            await table.engine.drained()
            with Reader(table.path) as reader:
                rows = list(reader.entries())
            codec = program.codec()
            steps = [round((row.wall_ns - row.at_ns - first_ns) / S) for row in rows]
            kinds = [type(codec.decode_entry(row).event) for row in rows]
            assert steps == [0] * (len(rows) - 4) + [3600] * 4
            assert kinds[-4:] == [WallClockStepped, ev.ChipPlaced] * 2
            assert [row.wall_ns for row in rows] == sorted(row.wall_ns for row in rows)
            table.entries()  # verified and replayed

    asyncio.run(play())


@pytest.mark.parametrize("by_ns", [3600 * S, -3600 * S, Y2026 - Y1970, Y1970 - Y2026])
def test_a_step_moves_no_timer_no_order_and_no_award(by_ns: int) -> None:
    """The same round with and without the clock being set after every event."""

    def play(stepping: bool) -> Table:
        table = Table().opened()
        plain = table.do

        def do(event: ev.Event) -> tuple[fx.Effect, ...]:
            effects = plain(event)
            if stepping:
                plain(WallClockStepped(by_ns, Y2026 + by_ns, True, table.now_ns))
            return effects

        table.do = do  # type: ignore[method-assign]
        table.place(1, "royal_9_progressive")
        table.place(2, "player")
        table.lock()
        table.confirm()
        table.deal("KS 9H", "2C 5D")
        table.confirm()
        table.floor("AWARD P1*", "SLIP 000001 COMPLETE")
        table.reset_key()
        table.result("player")
        assert table.saw(fx.MeterReset)
        return table

    calm, shaken = play(False), play(True)
    assert shaken.state == calm.state
    assert shaken.state.phase is not Phase.BETTING
    assert [e for e in shaken.effects if not isinstance(e, fx.IrregularityNoted)] == [
        e for e in calm.effects if not isinstance(e, fx.IrregularityNoted)
    ]
    assert Irregularity.CLOCK_STEPPED in shaken.irregularities()
    assert not any(n.kind is Irregularity.CLOCK_STEPPED for n in shaken.state.noted), "nobody need acknowledge it"


def test_a_timer_is_due_when_it_was() -> None:
    table = Table().opened()
    table.place(1, "player")
    table.lock()
    due = table.state.timers
    assert due
    table.do(WallClockStepped(-Y2026, Y1970, False, table.tick()))
    assert table.state.timers == due
    table.do(ev.TimerFired(due[0].kind, due[0].due_ns, due[0].due_ns))
    assert Irregularity.READER_SILENT in table.irregularities()


def test_a_round_is_told_with_the_step_and_with_doubt_where_the_clock_was_not_trusted(tmp_path: Path) -> None:
    async def play() -> list[str]:
        now = Clocks(Y2026, trusted=False)
        async with rig(tmp_path, wall=WallClock(now.read)) as table:
            await table.open_table()
            table.post(table.chip(1, "player"), *table.press())
            await table.engine.drained()
            table.post(WallClockStepped(3600 * S, clock.monotonic_ns() + Y2040, True, clock.monotonic_ns()))
            for hand, index, card in ((Hand.PLAYER, 1, "KS"), (Hand.BANKER, 1, "2C"), (Hand.PLAYER, 2, "9H")):
                table.post(ev.CardRead(hand, index, card, table.at(), "00"))
            table.post(ev.CardRead(Hand.BANKER, 2, "5D", table.at(), "00"))
            table.post(ev.ReaderResult("player", False, False, table.at(), "00"))
            table.post(ev.KeyPressed(ev.Key.CLEAR, table.at()))
            await table.engine.drained()
            with Reader(table.path) as reader:
                return list(tell(reader, next(iter(reader.rounds()))))

    lines = asyncio.run(play())
    step = next(i for i, line in enumerate(lines) if "THE WALL CLOCK WAS SET, by +3600.000 s" in line)
    stamps = [line[:13] for line in lines if line[:2].isdecimal()]
    before = [line for line in lines[:step] if line[:2].isdecimal()]
    assert before and all(line[12] == "?" for line in before), before
    assert len(stamps) > len(before)
    assert all(line[12] == " " for line in lines[step:] if line[:2].isdecimal())


def test_reports_mark_the_times_that_cannot_be_relied_on(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Entry by entry, from wherever a report begins, and in the audit."""

    async def play() -> Path:
        async with rig(tmp_path) as table:
            await table.open_table()
            at_ns = clock.monotonic_ns()
            table.post(WallTrustChanged(at_ns + Y2026, True, at_ns), table.chip(1), table.chip(2))
            table.post(WallClockStepped(-S, at_ns + Y1970, False, at_ns), table.chip(3))
            await table.engine.drained()
            return table.path

    path = asyncio.run(play())
    with Reader(path) as reader:
        rows = list(reader.entries())
        expected = [False] * (len(rows) - 5) + [True] * 3 + [False] * 2
        assert [trusted_at(reader, row) for row in rows] == expected
        found = {f.when.seq: f.when.trusted for f in walk(reader, Auditor())}
        assert {seq: expected[seq - 1] for seq in found if seq} == {seq: said for seq, said in found.items() if seq}
    for first in (1, len(rows) - 4, len(rows) - 1, len(rows)):
        assert main_show([str(path), "--from", str(first)]) == 0
        marks = [line.split()[1][-1] for line in capsys.readouterr().out.splitlines() if re.match(r" *\d+  ", line)]
        assert marks == ["Z" if trusted else "?" for trusted in expected[first - 1 :]]


def test_a_daemon_whose_clock_is_set_while_it_runs_and_while_it_is_away() -> None:
    with tempfile.TemporaryDirectory(prefix="wal-") as name:  # not tmp_path: a socket's path is short
        folder = Path(name)
        offset = folder / "offset"
        command = [sys.executable, "-m", "tests.app.stepped_daemon", "run", "--config", CONFIG, "--run-dir", folder]
        environment = {**os.environ, "WALL_OFFSET": str(offset), "NOTIFY_SOCKET": str(folder / "notify")}

        def run(by_s: int | None) -> list[ev.Event]:
            """Events of one run; the clock is set while it runs."""
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
                systemd.bind(environment["NOTIFY_SOCKET"])
                systemd.settimeout(60)
                with subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.DEVNULL) as daemon:
                    try:
                        while systemd.recv(4096) != b"READY=1":
                            pass
                        if by_s is not None:
                            offset.write_text(str(by_s * S), "ascii")
                            systemd.setblocking(False)
                            with contextlib.suppress(BlockingIOError):  # what it has said so far
                                while systemd.recv(4096):
                                    pass
                            systemd.settimeout(60)
                            for _ in range(2):  # the second of these ticks was surely sent after it
                                while systemd.recv(4096) != b"WATCHDOG=1":
                                    pass
                    finally:
                        daemon.terminate()
                        status = daemon.wait(30)
                    assert status == 0
            Path(environment["NOTIFY_SOCKET"]).unlink()
            with Reader(folder / "journal.sqlite") as reader:
                reader.verify()
                replay(reader, program.programs)
                last = reader.segments()[-1]
                return [program.codec().decode_entry(row).event for row in reader.entries(last.first_seq)]

        def steps(events: list[ev.Event]) -> list[int]:
            return [round(event.by_ns / S) for event in events if isinstance(event, WallClockStepped)]

        offset.write_text("0", "ascii")
        assert steps(run(3600)) == [3600]
        assert steps(run(None)) == [], "it was set before, and said so then"
        offset.write_text(str(-7200 * S), "ascii")
        events = run(-7200)
        assert steps(events) == [-10800]
        assert [type(event) for event in events[:2]] == [ev.Started, WallClockStepped]


def test_the_machine_s_own_clocks() -> None:
    """Two real readings lie close together, and the kernel's answer is one of those of adjtimex(2)."""
    first, second = clock.reading(), clock.reading()
    assert 0 <= second.monotonic_ns - first.monotonic_ns < 60 * S
    assert stepped_while_away(second, first, same_boot=True) is None
    answer = clock._ask_kernel()
    assert answer is None or 0 <= answer <= 5
    assert clock.synchronized() == (answer is not None and answer < 5)


def test_a_kernel_that_may_not_be_asked_is_not_trusted(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def refused(_: object) -> int:
        ctypes.set_errno(1)
        return -1

    monkeypatch.setattr(clock, "_adjtimex", lambda: refused)
    clock._warn.cache_clear()
    assert [clock.synchronized() for _ in range(3)] == [False] * 3
    assert caplog.text.count("adjtimex: Operation not permitted") == 1


@pytest.mark.parametrize(("wall_ns", "day"), [(0, "2025-01-01"), (Y2026, "2026-11-30"), (Y2040, "2040-02-29")])
def test_the_day_for_the_rules(wall_ns: int, day: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firmware.app.clock.time.time_ns", lambda: wall_ns)
    assert clock.today() == day
