"""What the nursery forks is a process like any other: arguments, environment, output, status, signals, no survivors."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hil.nursery import Nursery
from hil.simclient import SimClient


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    with Nursery() as started:
        yield started


def sign(folder: Path) -> list[str]:
    return ["--port", str(folder / "sign.tty"), "--control", str(folder / "sign.ctl")]


def test_it_answers_as_the_command_does(nursery: Nursery) -> None:
    words = ["rules", "--help"]
    command = subprocess.run([sys.executable, "-m", "firmware.cli", *words], capture_output=True, check=False)
    status, answer = nursery.answered("firmware.cli", words)
    assert (status, answer.split(b"\n", 1)[1]) == (command.returncode, command.stdout.split(b"\n", 1)[1])
    assert nursery.answered("firmware.cli", ["no such word"]) == (2, b"")


def test_a_simulator_is_ready_serves_and_ends_in_order(nursery: Nursery, tmp_path: Path) -> None:
    async def play() -> None:
        child = await nursery.start("sign", "hil.sim.sign", sign(tmp_path))
        await child.said_ready()
        assert os.getsid(child.pid) == child.pid != os.getpid()
        with SimClient(tmp_path / "sign.ctl") as client:
            assert client.call("status")["plugged"] is True
        child.signal(signal.SIGTERM)
        assert await child.ended() == 0
        assert not (tmp_path / "sign.tty").is_symlink()

    asyncio.run(play())


def test_a_signal_that_ends_it_is_told(nursery: Nursery, tmp_path: Path) -> None:
    async def play() -> None:
        child = await nursery.start("sign", "hil.sim.sign", sign(tmp_path))
        await child.said_ready()
        child.signal(signal.SIGKILL)
        assert await child.ended() == -signal.SIGKILL
        assert not child.running

    asyncio.run(play())


@pytest.mark.parametrize(
    ("module", "words", "environment", "status", "says"),
    [
        ("hil.sim.sign", ["--port"], {}, 2, "expected one argument"),
        ("hil.sim.no_such_device", [], {}, 1, "No module named 'hil.sim.no_such_device'"),
        ("hil.scenario.failing_machine", ["run"], {"TABLED_FAILURES": "/no/such"}, 1, "No such file or directory"),
        ("hil.scenario.failing_machine", ["run"], {}, 1, "KeyError: 'TABLED_FAILURES'"),
    ],
)
def test_an_end_in_error_is_told_with_its_words(
    nursery: Nursery, module: str, words: list[str], environment: dict[str, str], status: int, says: str
) -> None:
    async def play() -> tuple[int, str]:
        child = await nursery.start("child", module, words, environment)
        return await child.ended(), child.said

    ended, said = asyncio.run(play())
    assert (ended, says in said) == (status, True), said


def test_threads_may_ask_at_once(nursery: Nursery) -> None:
    def ask(number: int) -> tuple[int, bytes]:
        return nursery.answered("firmware.cli", ["settle", "--help"] if number % 2 else ["no such word"])

    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(ask, range(24)))
    assert {(n % 2, status, bool(said)) for n, (status, said) in enumerate(answers)} == {(0, 2, False), (1, 0, True)}


STARTS_ONE = """
import asyncio, sys
from hil.nursery import Nursery
async def main():
    with Nursery() as nursery:
        child = await nursery.start("sign", "hil.sim.sign", sys.argv[1:])
        await child.said_ready()
        print(child.pid, flush=True)
        await asyncio.sleep(60)
asyncio.run(main())
"""


def test_nothing_outlives_whoever_started_it(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", STARTS_ONE, *sign(tmp_path)], stdout=subprocess.PIPE) as starter:
        assert starter.stdout is not None
        child = os.pidfd_open(int(starter.stdout.readline()))
        starter.kill()
    try:
        assert select.select([child], [], [], 10)[0] == [child]
    finally:
        os.close(child)
