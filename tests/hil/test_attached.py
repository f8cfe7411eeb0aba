"""`hil status` and `hil watch` at a running daemon, and the live picture on a terminal (a pty, read by pyte)."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import signal
import struct
import subprocess
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyte
import pytest

from hil.simclient import SimClient
from tests.hil.played import PROJECT, TABLE, hil, processes_in, run_hil, start_play

THINK = ("--think", "1500")


@pytest.fixture
def table(run_dir: Path) -> Iterator[subprocess.Popen[str]]:
    """A table at play, slowly, until the test ends."""
    with start_play(run_dir, *THINK) as process:
        try:
            while run_hil("status", "--run-dir", run_dir).returncode != 0:
                assert process.poll() is None, "the bench has ended"
            yield process
        finally:
            process.terminate()
    assert processes_in(run_dir) == {}


def test_status_without_a_daemon_is_two_and_says_where_it_looked(tmp_path: Path) -> None:
    done = run_hil("status", "--run-dir", tmp_path)
    assert done.returncode == 2
    assert str(tmp_path / "control.sock") in done.stderr
    assert run_hil("watch", "--socket", tmp_path / "x.sock").returncode == 2


def test_a_run_directory_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = run_hil("play", "--rounds", 1, "--run-dir", tmp_path / "file")
    assert done.returncode == 2
    assert "name another folder with --run-dir" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.usefixtures("table")
def test_status_of_a_table_in_order_and_of_one_with_a_board_unplugged(run_dir: Path) -> None:
    good = run_hil("status", "--run-dir", run_dir)
    while good.returncode != 0:  # in the midst of a mishap of the first rounds
        good = run_hil("status", "--run-dir", run_dir)
    for wanted in ("SIMULATED", "accepted by bench", "royal_9.mega: shows $50,000", "shoe: ready", "head "):
        assert wanted in good.stdout
    assert json.loads(run_hil("status", "--run-dir", run_dir, "--json").stdout)["table"] == "MB-SIM"

    with SimClient(run_dir / "board.ctl") as board:
        board.call("unplug")
    bad = good
    while bad.returncode == 0:
        bad = run_hil("status", "--run-dir", run_dir)
    assert bad.returncode == 1
    (line,) = (line for line in bad.stdout.splitlines() if "board: link is" in line)
    assert line.startswith("! F20")
    assert "Check cable, power and address" in line


def test_watch_tells_changes_until_the_daemon_ends(run_dir: Path, table: subprocess.Popen[str]) -> None:
    watching = subprocess.Popen(
        hil("watch", "--run-dir", run_dir), cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    with watching:
        assert watching.stdout is not None and watching.stderr is not None
        seen = ""
        while not ("chip, lamp sensed" in seen and "state: betting" in seen and "display: BETTING OPEN" in seen):
            line = watching.stdout.readline()
            assert line, seen
            seen += line
        table.terminate()
        watching.stdout.read()
        assert "the daemon has ended" in watching.stderr.read()
    assert watching.returncode == 1


@pytest.mark.usefixtures("table")
def test_watch_ends_well_at_ctrl_c(run_dir: Path) -> None:
    with subprocess.Popen(
        hil("watch", "--run-dir", run_dir, "--json"), cwd=PROJECT, stdout=subprocess.PIPE, text=True
    ) as watching:
        assert watching.stdout is not None
        assert json.loads(watching.stdout.readline())["profile"] == "simulated"
        watching.send_signal(signal.SIGINT)
        watching.stdout.read()
    assert watching.returncode == 0


# --- on a terminal ----------------------------------------------------------------------------------------------------


class Person:
    """Somebody at a terminal: sees the screen, can press Ctrl-C."""

    def __init__(self, master: int, columns: int, rows: int) -> None:
        self.screen = pyte.Screen(columns, rows)
        self._stream = pyte.ByteStream(self.screen)
        self._master = master
        self.raw = b""

    def looks(self) -> bool:
        """Read what has come; False at the end."""
        try:
            data = os.read(self._master, 65536)
        except OSError:
            return False
        self.raw += data
        self._stream.feed(data)
        return bool(data)

    def sees(self, text: str) -> None:
        while text not in "\n".join(self.screen.display):
            assert self.looks(), f"ended before {text!r} was seen:\n" + "\n".join(self.screen.display)

    def presses_ctrl_c(self) -> None:
        os.write(self._master, b"\x03")

    def echoes(self) -> bool:
        return bool(termios.tcgetattr(self._master)[3] & termios.ECHO)


@contextmanager
def terminal(columns: int, rows: int, *arguments: object) -> Iterator[tuple[Person, subprocess.Popen[bytes]]]:
    """A command in the foreground of a terminal of its own."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def take_terminal() -> None:
        fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    process = subprocess.Popen(
        hil(*arguments),
        cwd=PROJECT,
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env={**os.environ, "TERM": "xterm-256color", "PYTHONIOENCODING": "utf-8"},
        start_new_session=True,
        preexec_fn=take_terminal,
    )
    try:
        yield Person(master, columns, rows), process
    finally:
        if process.poll() is None:
            process.terminate()
        os.close(slave)
        process.wait(30)
        os.close(master)


def test_the_live_picture_and_the_terminal_afterwards(run_dir: Path) -> None:
    command = ("play", "--table", TABLE, "--run-dir", run_dir, *THINK)
    with terminal(100, 30, *command) as (person, process):
        person.sees("┌─ reader board ─")
        person.sees("PLACE YOUR BETS")
        person.sees("BETTING OPEN")
        person.sees("(○)")  # a chip, sensed
        person.sees("royal 9 progressive")
        person.sees("NO MORE BETS")
        person.sees("(●)")  # accepted
        assert not person.echoes()
        person.presses_ctrl_c()
        person.sees("journal         verified")
        assert process.wait(30) == 0
        assert person.echoes()
    assert person.raw.rfind(b"\x1b[?1049l") > person.raw.rfind(b"\x1b[?1049h") > 0
    assert person.raw.rfind(b"\x1b[?25h") > person.raw.rfind(b"\x1b[?25l") > 0
    assert processes_in(run_dir) == {}


def test_a_small_terminal_gets_plain_lines_and_the_reason(run_dir: Path) -> None:
    with terminal(80, 24, "play", "--run-dir", run_dir, "--rounds", "1") as (person, process):
        person.sees("plain lines: the terminal has 80x24 characters")
        person.sees("100x30")
        person.sees("round   1:")
        while person.looks():
            if b"replayed" in person.raw:
                break
        assert process.wait(30) == 0
    assert b"\x1b[?1049h" not in person.raw


@pytest.mark.usefixtures("table")
def test_watch_draws_the_same_picture_from_the_daemon_alone(run_dir: Path) -> None:
    with terminal(120, 40, "watch", "--run-dir", run_dir) as (person, process):
        person.sees("┌─ dealer ─")
        person.sees("royal 9 progressive")
        person.sees("BETTING OPEN")
        person.presses_ctrl_c()
        assert process.wait(30) == 0
