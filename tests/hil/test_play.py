"""`hil play` as a process: rounds to their end, and every way in which it can end before."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from hil.simclient import SimClient, SimError
from tests.hil.conftest import Played
from tests.hil.played import PROJECT, processes_in, run_hil, start_play


def row(lines: list[str], name: str) -> str:
    """A row of the summary."""
    (found,) = (line for line in lines if line.startswith(f"{name} ") and not line.startswith("round  "))
    return found


def test_sixteen_rounds_with_every_mishap_are_in_order(played: Played) -> None:
    assert played.status == 0, "\n".join(played.lines)
    rounds = [line for line in played.lines if line.startswith("round  ")]
    assert len(rounds) == 16
    assert row(played.lines, "rounds").startswith("rounds          16, of which 1 void")
    assert "1 validated" in row(played.lines, "awards") or "2 validated" in row(played.lines, "awards")
    assert "cancelled" in row(played.lines, "wagers")
    assert "misdeal 1" in row(played.lines, "irregularities")
    assert "mismatch" in row(played.lines, "irregularities")
    assert "settlements as tabled settle has them" in row(played.lines, "settled")
    assert "verified" in row(played.lines, "journal")
    assert "replayed" in row(played.lines, "journal")


def test_the_slip_of_a_played_jackpot_is_made_from_the_journal(played: Played) -> None:
    journal = str(played.run_dir / "journal.sqlite")
    command = [sys.executable, "-m", "firmware.cli", "slip", journal, "--slip", "1"]
    done = subprocess.run(command, cwd=PROJECT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    printed = dict(re.findall(r"^(Round|Position|AMOUNT) +(\S+)$", done.stdout, re.MULTILINE))
    (line,) = (line for line in played.lines if line.startswith(f"round {printed['Round']:>3}:"))
    assert re.search(rf"; AWARD P{printed['Position']} \w+_jackpot {re.escape(printed['AMOUNT'])}", line), line
    assert re.search(r", \d by slip: ", row(played.lines, "awards"))


def test_nothing_is_left_behind(played: Played) -> None:
    assert processes_in(played.run_dir) == {}
    left = sorted(path.name for path in played.run_dir.iterdir() if not path.name.startswith("journal.sqlite"))
    assert left == ["bench.lock", "noted-head.json", "signing.key", "signing.key.pub"], "the table's own, and the lock"


def test_the_same_run_directory_is_played_on(run_dir: Path) -> None:
    """The second session finds a closed table and another shoe, and keeps meters and round numbers."""
    first = run_hil("play", "--run-dir", run_dir, "--rounds", 1)
    assert first.returncode == 0, first.stdout
    second = run_hil("play", "--run-dir", run_dir, "--rounds", 2, "--seed", 5)
    assert second.returncode == 0, second.stdout
    lines = second.stdout.splitlines()
    # The first session closed the table while round 2 was open for betting; the second opens round 3.
    assert [line.split(":")[0] for line in lines if line.startswith("round  ")] == ["round   3", "round   4"]
    assert "2 segments" in row(lines, "journal")


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_with_the_summary(run_dir: Path, number: signal.Signals) -> None:
    with start_play(run_dir) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(2)]  # the head line and the first round
        process.send_signal(number)
        lines += process.stdout.readlines()
    text = "".join(lines)
    assert process.returncode == 0, text
    assert "stopped" in text and "journal         verified" in text
    assert processes_in(run_dir) == {}


@pytest.mark.parametrize(
    ("module", "name"), [("hil.sim.shoe", "card reader"), ("hil.sim.chip", "line chip"), ("firmware.cli", "daemon")]
)
def test_a_part_that_dies_is_named_and_everything_ends(run_dir: Path, module: str, name: str) -> None:
    with start_play(run_dir) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(2)]
        (pid,) = (pid for pid, line in processes_in(run_dir).items() if module in line)
        os.kill(pid, signal.SIGKILL)
        lines += process.stdout.readlines()
    text = "".join(lines)
    assert process.returncode == 1, text
    assert f"NOT IN ORDER: {name} (process {pid}) was killed by signal 9" in text
    assert "journal         verified" in text, "what was played until then is judged all the same"
    assert processes_in(run_dir) == {}


def test_a_killed_bench_takes_its_parts_with_it(run_dir: Path) -> None:
    with start_play(run_dir) as process:
        assert process.stdout is not None
        for _ in range(2):
            process.stdout.readline()
        pids = [pid for pid in processes_in(run_dir) if pid != process.pid]
        assert len(pids) == 5
        watched = [os.pidfd_open(pid) for pid in pids]
        process.kill()
    for descriptor in watched:
        _wait_for_end(descriptor)
    assert processes_in(run_dir) == {}


def _wait_for_end(descriptor: int) -> None:
    """Until the process behind a pidfd has ended, 20 s at most."""
    import select

    try:
        assert select.select([descriptor], [], [], 20)[0], "the process lives on"
    finally:
        os.close(descriptor)


def test_a_table_with_real_devices_is_refused_by_name() -> None:
    done = run_hil("play", "--table", "config/tables/minibaccarat-pi.toml", "--rounds", 1)
    assert done.returncode == 2
    assert "minibaccarat-pi.toml" in done.stderr
    assert "expected" in done.stderr or "simulated" in done.stderr


def test_a_run_directory_with_too_long_a_path_is_refused(tmp_path: Path) -> None:
    deep = tmp_path / ("d" * 100)
    done = run_hil("play", "--run-dir", deep, "--rounds", 1)
    assert done.returncode == 2
    assert "107 bytes" in done.stderr


@pytest.mark.parametrize("arguments", [("--rounds", "0"), ("--rounds", "x"), ("--think", "-1"), ("--think", "70000")])
def test_wrong_calls_end_with_two(arguments: tuple[str, str]) -> None:
    assert run_hil("play", *arguments).returncode == 2


def test_a_round_left_in_the_middle_of_the_deal_is_played_on(run_dir: Path) -> None:
    """The daemon finds its round; the people find cards that they have not seen dealt, and another shoe."""
    with start_play(run_dir, "--think", "400") as process:
        assert process.stdout is not None
        process.stdout.readline()  # the head line
        prompt = ""
        while "CARD 2" not in prompt:
            prompt = _prompt(run_dir, prompt)
        process.send_signal(signal.SIGTERM)
        process.stdout.read()
    assert process.returncode == 0
    done = run_hil("play", "--run-dir", run_dir, "--rounds", 2, "--plain")
    assert done.returncode == 0, done.stdout
    first = next(line for line in done.stdout.splitlines() if line.startswith("round  "))
    assert first.startswith("round   1:")


def _prompt(run_dir: Path, last: str) -> str:
    """The display's second line, or the last known one while the bench is starting."""
    try:
        with SimClient(run_dir / "display.ctl") as display:
            lines = display.call("screen")["lines"]
    except SimError:
        return last
    assert isinstance(lines, list)
    return str(lines[1])


def test_a_second_bench_in_the_same_folder_is_refused_and_the_first_plays_on(run_dir: Path) -> None:
    with start_play(run_dir, "--rounds", 2) as process:
        assert process.stdout is not None
        for _ in range(2):
            process.stdout.readline()  # the head line and the first round
        second = run_hil("play", "--run-dir", run_dir, "--rounds", 1)
        rest = process.stdout.read()
    assert second.returncode == 2
    assert "another bench plays in" in second.stderr
    assert process.returncode == 0, rest


def test_an_impatient_ctrl_c_leaves_nothing_behind(run_dir: Path) -> None:
    with start_play(run_dir) as process:
        assert process.stdout is not None
        for _ in range(2):
            process.stdout.readline()
        process.send_signal(signal.SIGINT)
        process.send_signal(signal.SIGINT)
        text = process.stdout.read()
    assert process.returncode == 0, text
    assert processes_in(run_dir) == {}


def test_a_blackjack_table_plays_everything_that_happens_there(run_dir: Path) -> None:
    """A whole block: a meter won, what waits for the hole card, an exposed card, a misdeal, chips late or taken."""
    done = run_hil("play", "--table", "config/tables/blackjack.toml", "--run-dir", run_dir, "--rounds", 16, "--seed", 3)
    assert done.returncode == 0, done.stdout
    lines = done.stdout.splitlines()
    assert "tabled settle has them" in row(lines, "settled again")
    assert "exposed_card 1, misdeal 2, mismatch 3" in row(lines, "irregularities")
    assert "three_7s_same_color 1" in row(lines, "awards")


def test_a_roulette_table_plays_everything_that_happens_there(run_dir: Path) -> None:
    """A whole block: a number twice, no spin, two numbers told, the wheel closes betting, a misdeal, a late chip."""
    done = run_hil("play", "--table", "config/tables/roulette.toml", "--run-dir", run_dir, "--rounds", 16, "--seed", 3)
    assert done.returncode == 0, done.stdout
    lines = done.stdout.splitlines()
    assert "tabled settle has them" in row(lines, "settled again")
    assert "misdeal 1, no_spin 1, number_doubted 1" in row(lines, "irregularities")
    assert row(lines, "won").split()[1] == "1", "the number that comes twice"


@pytest.mark.parametrize("table", ["ultimate_texas_holdem", "criss_cross_poker"])
def test_a_poker_table_plays(table: str, run_dir: Path) -> None:
    file = f"config/tables/{table}.toml"
    done = run_hil("play", "--table", file, "--run-dir", run_dir, "--rounds", 3, "--seed", 1)
    assert done.returncode == 0, done.stdout
    assert "as tabled settle has them" in row(done.stdout.splitlines(), "settled again")
    assert "board " in done.stdout
