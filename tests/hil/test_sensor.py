"""`hil sensor calibrate`: trains parted into hands and contacts, and a recording of simulated lines by the command."""

from __future__ import annotations

import asyncio
import json
import signal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.line_spec import DecisionWindow, LineRole, timing_for
from hil.chip_control import simulated_chip
from hil.sensor.calibrate import Recording, line_found, told
from hil.sensor.trains import APART_NS, LEAST_MS, Bounce, bounce, suggested_ms
from tests.hil.played import PROJECT, TABLE, hil

MS = 1_000_000
SPOT = timing_for(LineRole.SPOT, DecisionWindow())


def changes(*pairs: tuple[float, int]) -> list[tuple[int, bool]]:
    return [(int(at_ms * MS), bool(level)) for at_ms, level in pairs]


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (changes(), Bounce(0, 0, (), ())),
        (changes((100, 1)), Bounce(1, 0, (), ())),
        (changes((100, 1), (900, 0)), Bounce(2, 0, (), ())),
        (changes((100, 1), (102, 0), (105, 1)), Bounce(1, 0, (2 * MS,), (3 * MS,))),
        (changes((100, 1), (120, 0)), Bounce(0, 1, (20 * MS,), ())),
        (changes((100, 1), (120, 0), (200, 1), (210, 0)), Bounce(0, 1, (20 * MS, 10 * MS), ())),
        (changes((105, 1), (100, 1), (102, 0)), Bounce(1, 0, (2 * MS,), (3 * MS,))),  # out of order
        (changes((100, 1), (101, 1), (102, 1)), Bounce(1, 0, (), ())),  # the same level again is no change
    ],
)
def test_trains(seen: list[tuple[int, bool]], expected: Bounce) -> None:
    assert bounce(False, seen) == expected


@given(
    st.lists(st.tuples(st.integers(1, 8), st.integers(1, 40)), max_size=12),
    st.booleans(),
)
def test_hands_are_counted_whatever_the_contact_does(moves: list[tuple[int, int]], first: bool) -> None:
    """Each move bounces `times` times, `gap_ms` each, and then stays for longer than `APART_NS`."""
    at_ns, level, seen = 0, first, []
    longest_ns = 0
    for times, gap_ms in moves:
        at_ns += 2 * APART_NS
        for n in range(2 * times - 1):
            level = not level
            seen.append((at_ns, level))
            if n < 2 * times - 2:
                at_ns += gap_ms * MS
                longest_ns = max(longest_ns, gap_ms * MS)
    found = bounce(first, reversed(seen))
    assert (found.changes, found.spikes) == (len(moves), 0)
    both = (*found.false_active_ns, *found.false_inactive_ns)
    assert max(both, default=0) == longest_ns
    if longest_ns:
        assert suggested_ms(both) >= 2 * longest_ns / MS


def test_a_filter_is_suggested_in_steps() -> None:
    assert [suggested_ms([ns]) for ns in (0, MS, 5 * MS, 5 * MS + 1, 33 * MS)] == [LEAST_MS, LEAST_MS, 10, 15, 70]


def test_what_is_told_names_every_line_and_what_to_do() -> None:
    recording = Recording(polled=False)
    names = ("1/player", "2/player", "3/player", "lockout")
    for name in names:
        recording.level(name, name == "3/player", 0, 1)
    for at_ns, level in changes((1000, 1), (1040, 0), (1045, 1), (2000, 0)):
        recording.edge("1/player", level, at_ns)
    recording.edge("2/player", True, 500 * MS)
    recording.edge("nobody's", True, 500 * MS)
    found = recording.found(dict.fromkeys(names, SPOT))
    assert [line.in_order for line in found] == [False, True, True, True]
    text = "\n".join(told("chip", found, {}, polled=True))
    assert "polled" in text and "TOO SHORT [F613]" in text
    assert "1/player: mend the sensor or its wiring; or [timing] present_ms = 80" in text
    assert "on all the time: 3/player" in text and "not moved, not judged: 3/player, lockout" in text
    assert "filters are long enough for the one line that moved" in "\n".join(told("chip", found[1:2], {}, False))
    assert "nothing moved" in "\n".join(told("chip", [line_found("x", False, bounce(False, []), SPOT)], {}, False))


def test_a_polled_line_changes_when_it_was_read() -> None:
    recording = Recording(polled=True)
    for started, active in ((0, False), (10, False), (20, True), (30, True), (40, False)):
        recording.level("1/player", active, started * MS, (started + 1) * MS)
    (line,) = recording.found({"1/player": SPOT})
    assert (line.changes, line.spikes, line.bounces_ns) == (0, 1, (20 * MS,))


def test_the_command_records_lines_that_move(run_dir: Path) -> None:
    """Directly, as where no daemon runs: a clean spot, one that bounces too long, a spike on a third."""

    async def play() -> None:
        config = run_dir / "table.toml"
        config.write_text(TABLE.read_text("utf-8").replace("chip.sock", "chip.socket"), "utf-8")
        svg = run_dir / "bounce.svg"
        async with simulated_chip(run_dir, lines=72, pixels=63, closed=[64, 68, 70]) as chip:
            process = await asyncio.create_subprocess_exec(
                *hil("sensor", "calibrate", "lines", "--config", config, "--run-dir", run_dir, "--seconds", 4,
                     "--json", "--svg", svg),
                cwd=PROJECT, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            )  # fmt: skip
            assert process.stderr is not None
            while b"is recorded" not in (line := await process.stderr.readline()):
                assert line, "it ended"
            steps = [(1000 + 40_000 * n, 1, bool(n % 2)) for n in range(3)]  # there for 40 ms, away for 40, there
            at_ns = await chip.control.script(steps)
            await chip.control.set(0, False)
            await chip.control.script([(1000, 2, False), (9000, 2, True)])
            out, err = await process.communicate()
        assert process.returncode == 1, out.decode() + err.decode()
        found = {line["line"]: line for line in json.loads(out)["lines"]}
        assert (found["1/player"]["changes"], found["1/player"]["bounces_ns"]) == (1, [])
        bounced = found["2/player"]
        there_ns, away_ns, again_ns = at_ns
        assert bounced["bounces_ns"] == [away_ns - there_ns, again_ns - away_ns], "by the chip's own clock"
        assert bounced["changes"] == 1 and bounced["needs_active_ms"] > bounced["has_active_ms"] == 60
        assert found["3/player"]["spikes"] == 1
        assert not found["4/player"]["changes"]
        assert "levels that did not last" in svg.read_text("utf-8")

    asyncio.run(play())


def test_ended_early_it_tells_what_was_recorded_and_why_no_picture_is(run_dir: Path) -> None:
    async def play() -> None:
        config, svg = run_dir / "table.toml", run_dir / "none.svg"
        config.write_text(TABLE.read_text("utf-8").replace("chip.sock", "chip.socket"), "utf-8")
        async with simulated_chip(run_dir, lines=72, pixels=63, closed=[64, 68, 70]):
            process = await asyncio.create_subprocess_exec(
                *hil("sensor", "calibrate", "--config", config, "--run-dir", run_dir, "--seconds", 60, "--svg", svg),
                cwd=PROJECT, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            )  # fmt: skip
            assert process.stdout is not None
            while b"is recorded" not in (line := await process.stdout.readline()):
                assert line, "it ended"
            process.send_signal(signal.SIGINT)
            out, err = await process.communicate()
        assert process.returncode == 0, out.decode() + err.decode()
        assert b"not moved, not judged: 1/player" in out
        assert not svg.exists() and f"{svg} is not written: every level lasted".encode() in err

    asyncio.run(play())


def test_what_has_no_lines_is_refused(run_dir: Path) -> None:
    async def play() -> None:
        process = await asyncio.create_subprocess_exec(
            *hil("sensor", "calibrate", "shoe", "--config", TABLE, "--run-dir", run_dir),
            cwd=PROJECT, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
        )  # fmt: skip
        _, err = await process.communicate()
        assert process.returncode == 2 and b"shoe is no device with lines; there are: lines" in err

    asyncio.run(play())
