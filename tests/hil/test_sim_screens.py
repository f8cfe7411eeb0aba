"""The simulated sign and display against the published byte vectors alone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from drivers.codecs import alpha
from hil.sim.sign_model import SignModel
from hil.simclient import SimClient, SimError
from tests.codecs.samples import ALPHA
from tests.simulators import Simulator, simulator

VECTORS = {name: bytes.fromhex(text) for name, text, _, _ in ALPHA}


@pytest.fixture
def sign() -> Iterator[Simulator]:
    with simulator("hil.sim.sign") as started:
        yield started


@pytest.fixture
def display() -> Iterator[Simulator]:
    with simulator("hil.sim.display") as started:
        yield started


def write(path: Path, data: bytes) -> None:
    fd = os.open(path, os.O_RDWR | os.O_NOCTTY)
    os.write(fd, data)
    os.close(fd)


def test_sign_shows_what_the_vectors_say(sign: Simulator) -> None:
    with SimClient(sign.control) as client:
        write(sign.port, VECTORS["text"])
        client.call("wait", text="HELLO")
        write(sign.port, VECTORS["memory"] + VECTORS["text calling a string"] + VECTORS["string"])
        client.call("wait", text="JACKPOT $12,345.67")
        write(sign.port, b"\xff noise" + VECTORS["priority"])
        client.call("wait", text="JACKPOT")
        assert client.call("screen")["screen"] == "JACKPOT"
        write(sign.port, VECTORS["release"])
        client.call("wait", text="JACKPOT $12,345.67")
        assert client.call("screen")["files"] == {"A": "JACKPOT $12,345.67", "1": "$12,345.67"}
        history = client.call("history")["history"]
        assert isinstance(history, list)
        assert [each["screen"] for each in history] == [
            "HELLO",
            "",
            "JACKPOT ",
            "JACKPOT $12,345.67",
            "JACKPOT",
            "JACKPOT $12,345.67",
        ]
        client.call("power_cycle")
        assert client.call("screen")["screen"] == ""
        with pytest.raises(SimError, match="not shown within 1 ms"):
            client.call("wait", text="JACKPOT", timeout_ms=1)


def test_sign_model_empties_what_is_too_long_and_ignores_what_has_no_place() -> None:
    sign = SignModel()
    sign.obey(alpha.WriteString("1", "lost"))
    assert sign.counters["ignored"] == 1
    sign.obey(alpha.ConfigureMemory((alpha.TextFile("A", 20), alpha.StringFile("1", 5))))
    sign.obey(alpha.WriteText("A", ("meter ", alpha.StringCall("1"))))
    sign.obey(alpha.WriteString("1", "12345"))
    assert sign.screen == "meter 12345"
    sign.obey(alpha.WriteString("1", "123456"))
    assert sign.screen == "meter "
    sign.obey(alpha.WriteText("0", ()))
    assert sign.screen == "", "an empty priority file blanks the sign"
    sign.obey(alpha.ReleasePriority())
    sign.obey(alpha.RunSequence("B"))
    assert sign.screen == ""
    sign.obey(alpha.SetTime(9, 5))
    assert sign.clock == "09:05"


def test_display_shows_the_bytes_of_the_manual(display: Simulator) -> None:
    with SimClient(display.control) as client:
        write(display.port, bytes.fromhex("FE58") + b"PLACE YOUR BETS" + bytes.fromhex("FE470301") + b"!")
        client.call("wait", text="PL!CE YOUR BETS")
        write(display.port, bytes.fromhex("FE470104") + b"CONFIRM")
        client.call("wait", text="CONFIRM")
        lines = client.call("screen")["lines"]
        assert lines == ["PL!CE YOUR BETS".ljust(20), " " * 20, " " * 20, "CONFIRM".ljust(20)]
        client.call("power_cycle")
        assert client.call("screen")["lines"] == [" " * 20] * 4
