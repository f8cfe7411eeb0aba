"""The control protocol of the simulators: what is refused, and that a connection survives it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from hil.sim.control import Arguments, ControlError, ControlServer, Reply
from hil.simclient import AsyncSimClient, SimClient, SimError
from tests.simulators import simulator


async def echo(arguments: Arguments) -> Reply:
    said = arguments.text("said")
    arguments.end()
    return {"said": said}


@pytest.mark.parametrize(
    ("line", "error"),
    [
        (b"{", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[]", "a request is a JSON object, got []"),
        (b"{}", "op is missing"),
        (b'{"op": 3}', "op must be a text, got 3"),
        (b'{"op": "sing"}', "unknown op 'sing'; known: echo"),
        (b'{"op": "echo"}', "said is missing"),
        (b'{"op": "echo", "said": "a", "louder": true}', "unknown key louder"),
    ],
)
def test_refusals(line: bytes, error: str, tmp_path: Path) -> None:
    reply = asyncio.run(ControlServer(Path("control"), {"echo": echo}).answer(line))
    assert reply["ok"] is False
    assert str(reply["error"]).startswith(error)


def test_argument_types() -> None:
    arguments = Arguments(json.loads('{"n": true, "f": 1, "t": ["a", 1], "i": [1, "a"], "low": -1}'))
    readers: list[tuple[Callable[[str], object], str]] = [
        (arguments.integer, "n"),
        (arguments.flag, "f"),
        (arguments.texts, "t"),
        (lambda key: arguments.integers(key, []), "i"),
        (arguments.integer, "low"),
    ]
    for read, key in readers:
        with pytest.raises(ControlError, match=f"{key} must be"):
            read(key)
    arguments.end()


def test_a_path_that_is_too_long_or_taken(tmp_path: Path) -> None:
    with pytest.raises(ControlError, match="at most 107 bytes"):
        ControlServer(Path("/" + "x" * 107), {})
    taken = tmp_path / "file"
    taken.touch()
    if len(str(taken)) <= 107:
        with pytest.raises(ControlError, match="exists and is no socket"):
            ControlServer(taken, {}).claim()
    assert taken.exists()


def test_clients_survive_refusals_and_hear_of_the_end() -> None:
    with pytest.raises(SimError, match="no simulator at"):
        SimClient(Path("/nonexistent/control"))

    async def main(control: Path) -> None:
        async with await AsyncSimClient.connect(control) as client:
            with pytest.raises(SimError, match="unknown op"):
                await client.call("sing")
            both = await asyncio.gather(client.call("status"), client.call("screen"))
            assert [sorted(reply) for reply in both] == [["decoder", "dropped_bytes", "link", "plugged"], ["lines"]]
            await client.call("quit")
            with pytest.raises(SimError, match=r"ended before it answered|gave no answer"):
                while True:
                    await client.call("status")

    with simulator("hil.sim.display") as started:
        asyncio.run(main(started.control))
