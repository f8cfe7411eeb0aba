"""The verbs of a bet board's bus: the published lines both ways, and everything that is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.codecs.text_lines import Received
from drivers.codecs.tgline import Decoder, Line, Tag, encode
from drivers.codecs.tgline_bet import Flags, Snapshot, Status, answer_of, arm, latch, line_of, poll

ANSWERS = [
    ("$TGBET,03,007A,STAT,00A5,0000,00*BEAA", 0x7A, Status(0xA5, 0)),
    ("$TGBET,03,007B,STAT,00A5,0004,01*6005", 0x7B, Status(0xA5, 4, Flags(reset_key=True))),
    ("$TGBET,03,007C,SNAP,0092,00A5,0000*66E2", 0x7C, Snapshot(0x92, 0xA5, 0)),
]
REQUESTS = [
    ("$TGBET,03,007A,POLL*30D8", poll(3, 0x7A)),
    ("$TGBET,FF,0091,ARM*8C8F", arm(0x91)),
    ("$TGBET,FF,0092,LATCH*C8DF", latch(0x92)),
]


def line(text: str) -> Line:
    (found,) = Decoder().feed(text.encode() + b"\r\n")
    assert isinstance(found, Received)
    return found.message


@pytest.mark.parametrize(("text", "seq", "said"), ANSWERS)
def test_published_answers_both_ways(text: str, seq: int, said: Status | Snapshot) -> None:
    assert answer_of(line(text)) == said
    assert encode(line_of(3, seq, said)) == text.encode() + b"\r\n"


@pytest.mark.parametrize(("text", "request_line"), REQUESTS)
def test_published_requests(text: str, request_line: Line) -> None:
    assert line(text) == request_line
    assert encode(request_line) == text.encode() + b"\r\n"
    assert answer_of(request_line) is None


@given(st.integers(0, 0xFFFF), st.integers(0, 0xFFFF), st.booleans(), st.booleans(), st.booleans())
def test_every_status_comes_back(live: int, fault: int, key: bool, tamper: bool, rebooted: bool) -> None:
    said = Status(live, fault, Flags(key, tamper, rebooted))
    assert answer_of(line(encode(line_of(254, 0xFFFF, said)).decode().strip())) == said


@pytest.mark.parametrize(
    ("verb", "arguments"),
    [
        ("STAT", ()),
        ("STAT", ("00A5", "0000")),
        ("STAT", ("00a5", "0000", "00")),
        ("STAT", ("0A5", "0000", "00")),
        ("STAT", ("00A5", "0000", "0")),
        ("STAT", ("00A5", "0000", "00", "00")),
        ("SNAP", ("0092", "00A5")),
        ("SNAP", ("0000", "00A5", "0000")),
        ("POLL", ()),
        ("BOOT", ("1", "8")),
    ],
)
def test_what_says_nothing_legal(verb: str, arguments: tuple[str, ...]) -> None:
    assert answer_of(Line(Tag.BET_BOARD, 3, 1, verb, arguments)) is None


def test_another_kind_of_device_is_no_board() -> None:
    assert answer_of(Line(Tag.SHOE, 3, 1, "STAT", ("00A5", "0000", "00"))) is None
