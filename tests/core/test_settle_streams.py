"""`tabled settle` between its streams: one answer a line however the input is cut, at once (decision 0110)."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from io import BufferedReader, BufferedWriter, BytesIO, RawIOBase
from pathlib import Path

import hypothesis.strategies as st
from hypothesis import given, settings

from firmware.interfaces.settle_lines import MAX_LINE_BYTES, settle_line, settle_lines
from firmware.settings.paytables import load_catalogue

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "firmware.cli", "settle"]
CATALOGUE = load_catalogue()
GOOD = {
    "id": "r1",
    "game": "baccarat",
    "table": {"decks": 8},
    "offered": {"tie": {"paytable": "-"}},
    "wagers": [{"position": 1, "wager": "tie", "cents": 500}],
    "outcome": {"player": ["KS", "9H"], "banker": ["4D", "5C"]},
}


class Arriving(RawIOBase):
    """A stream of which a piece arrives at each read. At each read it is noted what of the answers had been flushed."""

    def __init__(self, pieces: list[bytes], target: BytesIO) -> None:
        self._pieces = iter(pieces)
        self._target = target
        self._came = b""
        self.owed: list[int] = []

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]  # what RawIOBase is called with
        self.owed.append(self._came.count(b"\n") - self._target.getvalue().count(b"\n"))
        piece = next(self._pieces, b"")
        self._came += piece
        buffer[: len(piece)] = piece
        return len(piece)


class Kept(RawIOBase):
    """What is flushed to it is written to `target`."""

    def __init__(self, target: BytesIO) -> None:
        self._target = target

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]  # what RawIOBase is called with
        return self._target.write(data)


def cut(whole: bytes, places: list[int]) -> Iterator[bytes]:
    ends = sorted({place % len(whole) for place in places} - {0})
    for start, end in zip([0, *ends], [*ends, len(whole)], strict=True):
        yield whole[start:end]


@settings(max_examples=100, deadline=None)
@given(
    st.lists(st.sampled_from([json.dumps(GOOD).encode(), b"", b"[", b"\r", b"{}"]), min_size=1, max_size=6),
    st.booleans(),
    st.lists(st.integers(0, 10_000), max_size=20),
)
def test_the_answers_do_not_depend_on_how_the_input_arrives(lines: list[bytes], ended: bool, places: list[int]) -> None:
    whole = b"\n".join(lines) + (b"\n" if ended or not lines[-1] else b"")
    target = BytesIO()
    source = Arriving(list(cut(whole, places)), target)
    buffered = BufferedWriter(Kept(target))  # nothing is in `target` before it is flushed
    settle_lines(BufferedReader(source), buffered, CATALOGUE)
    assert target.getvalue() == b"".join(settle_line(line, CATALOGUE)[0] + b"\n" for line in BytesIO(whole))
    assert set(source.owed) == {0}


def test_a_caller_gets_each_answer_before_it_sends_the_next_line() -> None:
    usual = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with subprocess.Popen(
        COMMAND, cwd=ROOT, env=usual, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        for number in range(5):
            process.stdin.write(json.dumps(GOOD | {"id": str(number)}).encode() + b"\n" + b'{"id": ')  # and a beginning
            assert json.loads(process.stdout.readline())["id"] == str(number)
            process.stdin.write(b"5}\n")
            assert json.loads(process.stdout.readline())["error"]["code"] == "missing_field"
        process.stdin.close()
        assert process.stdout.read() == b""
    assert process.returncode == 1


def test_one_answer_a_line_whatever_comes_between() -> None:
    good = json.dumps(GOOD).encode()
    target = BytesIO()
    clean = settle_lines(BytesIO(good + b"\n\n[\n" + good + b"\r\n" + good), target, CATALOGUE)
    answers = [json.loads(line) for line in target.getvalue().splitlines()]
    assert not clean
    assert [answer.get("error", {}).get("code") for answer in answers] == [None, "bad_json", "bad_json", None, None]


def test_a_line_beyond_the_limit_is_one_bad_line() -> None:
    good = json.dumps(GOOD).encode()
    at_limit = good + b" " * (MAX_LINE_BYTES - len(good))
    target = BytesIO()
    settle_lines(BytesIO(at_limit + b"\n" + at_limit * 3 + b"\n" + good + b"\n"), target, CATALOGUE)
    answers = [json.loads(line) for line in target.getvalue().splitlines()]
    assert [answer.get("error", {}).get("code") for answer in answers] == ["bad_json", "bad_json", None]
