"""The simulated wheels and dice readers, as processes, against published lines alone; and their faults."""

from __future__ import annotations

import functools
import operator
import os
import select
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from hil.simclient import SimClient, SimError
from tests.simulators import simulator

LIMIT_S = 5.0


class Wire:
    """The host's end of the port, read as lines without any driver."""

    def __init__(self, path: Path) -> None:
        self._fd = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        self._rest = b""

    def line(self) -> bytes:
        end = time.monotonic() + LIMIT_S
        while b"\n" not in self._rest:
            ready, _, _ = select.select([self._fd], [], [], max(0.0, end - time.monotonic()))
            assert ready, f"{self._rest!r} and nothing more in {LIMIT_S} s"
            self._rest += os.read(self._fd, 4096)
        line, _, self._rest = self._rest.partition(b"\n")
        return line.rstrip(b"\r")

    def until(self, wanted: bytes) -> list[bytes]:
        """Lines up to the wanted one, which is the last."""
        found = [self.line()]
        while found[-1] != wanted:
            found.append(self.line())
        return found

    def write(self, data: bytes) -> None:
        os.write(self._fd, data)

    def close(self) -> None:
        os.close(self._fd)


@contextmanager
def wired(module: str, *options: str) -> Iterator[tuple[SimClient, Wire]]:
    with simulator(module, *options) as started, SimClient(started.control) as client:
        wire = Wire(started.port)
        try:
            yield client, wire
        finally:
            wire.close()


def test_a_slingshot_speaks_the_captured_lines_and_answers_its_host() -> None:
    with wired("hil.sim.cammegh", "--mode", "2") as (client, wire):  # no automatic status
        wire.write(b"*X\r\n")
        assert wire.line() == b"*X;1;001;  ;0;158;0"
        captured = [
            (2, 7, "9", 0, 144, True, b"*X;2;007; 9;0;144;0"),
            (3, 7, "9", 0, 150, False, b"*X;3;007; 9;0;150;1"),
            (4, 8, "15", 0, 158, False, b"*X;4;008;15;0;158;1"),
            (5, 8, "24", 0, 158, False, b"*X;5;008;24;0;158;1"),
            (2, 7, "24", 8, 162, False, b"*X;2;007;24;8;162;1"),
            (2, 2, "32", 10, 100, True, b"*X;2;002;32;A;100;0"),
            (6, 158, "0", 0, 0, True, b"*X;6;158; 0;0;000;0"),
        ]
        for state, spin, number, warnings, rpm10, clockwise, line in captured:
            client.call(
                "be", state=state, spin=spin, number=number, warnings=warnings, rpm10=rpm10, clockwise=clockwise
            )
            assert wire.line() == line
        for pocket, line in (("24", b"24"), ("0", b" 0"), ("00", b"00")):
            client.call("number", pocket=pocket)
            assert wire.line() == line
        client.call("bonus", index=4, value=123)
        assert wire.line() == b"*Y;4;123"
        for sent, answer in (
            (b"*K\r", b"*K CAM"),
            (b"*P 1\r\n", b"*P NO"),
            (b"*R\n", b"*R OK"),
            (b"*o 1158\r\n", b"*o 1158"),
            (b"*q 1\r\n", b"*q OK"),
            (b"*F\r\n", b"*F BUSY"),
        ):
            wire.write(sent)
            assert wire.until(answer)[-1] == answer
        client.call("busy", times=1)
        wire.write(b"*o 1159\r\n*o 2\r\n")
        assert wire.until(b"*o 2")[-2:] == [b"*o BUSY", b"*o 2"]
        client.call("deaf")
        wire.write(b"*S\r\n")
        client.call("self_test", code=22)
        assert wire.until(b"*F 22")[-1] == b"*F 22"
        assert not [line for line in client.call("status")["heard"] if line == "*S"]  # type: ignore[attr-defined]


def test_a_slingshot_s_game_in_its_order_and_with_numbers_that_differ() -> None:
    quick = {"place_ms": 0, "rim_ms": 0, "run_ms": 0, "show_ms": 0}
    with wired("hil.sim.cammegh", "--mode", "2") as (client, wire):
        client.call("be", state=2, spin=8, number="15", rpm10=158, clockwise=False)
        wire.line()
        client.call("play", pocket="24", **quick)
        game = [wire.line() for _ in range(6)]
        assert game == [
            b"*X;2;008;15;0;158;1",
            b"*X;3;008;15;0;158;1",
            b"*X;4;008;15;0;158;1",
            b"24",
            b"*X;5;008;24;0;158;1",
            b"*X;2;009;24;0;158;1",
        ]
        client.call("mismatch", pocket="23")
        client.call("play", pocket="20", **quick)
        assert wire.until(b"*X;5;009;23;0;158;1")[-2] == b"20"
        client.call("no_number")
        client.call("play", pocket="7", **quick)
        assert b" 7" not in wire.until(b"*X;5;010; 7;0;158;1")
        for wrong in ({"state": 7}, {"state": 5, "number": ""}, {"number": "37"}):
            with pytest.raises(SimError):
                client.call("be", **wrong)


def tgline(body: str) -> bytes:
    """A line with its two-digit check, made here and not by the codec."""
    check = functools.reduce(operator.xor, body.encode("ascii"))
    return f"${body}*{check:02X}".encode("ascii")


def test_the_check_is_that_of_the_published_lines() -> None:
    assert tgline("TGWHL,01,0423,WIN,00") == b"$TGWHL,01,0423,WIN,00*14"
    assert tgline("TGDIC,01,0033,ROLL,4,6") == b"$TGDIC,01,0033,ROLL,4,6*6F"


def test_a_tgline_wheel_repeats_its_number_until_it_is_heard() -> None:
    with wired("hil.sim.tgline_wheel") as (client, wire):
        assert wire.line() == tgline("TGWHL,01,0001,BOOT,1,38")
        wire.write(tgline("TGWHL,01,0001,ACK") + b"\r\n")
        acknowledged(client, 1)
        client.call("mute")
        client.call("be", state=4, number="17", rpm10=158, clockwise=True)  # not said: it is mute
        client.call("number", pocket="00")
        first = next(line for line in iter(wire.line, b"") if b",WIN,00" in line)
        seq = first.split(b",")[2].decode()
        assert first == tgline(f"TGWHL,01,{seq},WIN,00")
        assert wire.line() == first, "again by itself"
        wire.write(tgline(f"TGWHL,01,{seq},ACK") + b"\r\n")
        acknowledged(client, 2)
        client.call("mute", mute=False)
        client.call("be", state=2, number="17", warnings=0, rpm10=172, clockwise=False)
        state = wire.line()
        assert state == tgline(f"TGWHL,01,{state.split(b',')[2].decode()},STATE,2,17,0,172,1")


def acknowledged(client: SimClient, count: int) -> None:
    end = time.monotonic() + LIMIT_S
    while client.call("status")["acknowledged"] != count:
        assert time.monotonic() < end


def test_a_number_line_says_what_is_published() -> None:
    with wired("hil.sim.winline") as (client, wire):
        for pocket, line in (("9", b" 9"), ("17", b"17"), ("00", b"00")):
            client.call("number", pocket=pocket)
            assert wire.line() == line
        with pytest.raises(SimError):
            client.call("number", pocket="37")


def test_dice_and_what_their_reader_says_of_them() -> None:
    with wired("hil.sim.tgline_dice") as (client, wire):
        assert wire.line() == tgline("TGDIC,01,0001,BOOT,1,2")
        wire.write(tgline("TGDIC,01,0001,ACK") + b"\r\n")
        acknowledged(client, 1)
        client.call("mute")
        for count, (op, arguments, words) in enumerate(
            [
                ("roll", {"faces": [4, 6]}, "ROLL,4,6"),
                ("undo", {}, "UNDO"),
                ("shooter", {}, "SHOOTER"),
                ("error", {"code": 2}, "ERR,02"),
            ],
            start=2,
        ):
            client.call(op, **arguments)  # type: ignore[arg-type]
            line = next(line for line in iter(wire.line, b"") if b",STBY" not in line)
            seq = line.split(b",")[2].decode()
            assert line == tgline(f"TGDIC,01,{seq},{words}")
            wire.write(tgline(f"TGDIC,01,{seq},ACK") + b"\r\n")
            acknowledged(client, count)
        with pytest.raises(SimError):
            client.call("roll", faces=[0, 7])


def test_keys_come_as_the_kernel_s_records() -> None:
    with simulator("hil.sim.dice_keypad") as started, SimClient(started.control) as client:
        fifo = os.open(started.port, os.O_RDONLY | os.O_NONBLOCK)
        try:
            client.call("press", key=6, block=False)
            select.select([fifo], [], [], LIMIT_S)
            data = os.read(fifo, 4096)
            records = [struct.unpack_from("@llHHi", data, at) for at in range(0, len(data), 24)]
            keys = [(code, value) for _, _, kind, code, value in records if kind == 1]
            assert keys == [(7, 1), (7, 0)], "KEY_6 of the upper row, down and up"
        finally:
            os.close(fifo)
        for op, wrong in (("press", {"key": 7}), ("roll", {"faces": [1]}), ("other", {"code": 79})):
            with pytest.raises(SimError):
                client.call(op, **wrong)  # type: ignore[arg-type]
