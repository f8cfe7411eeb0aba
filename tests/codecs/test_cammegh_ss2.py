"""The Slingshot 2 codec against the guide's lines and the public captures, and against a bad line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.codecs import cammegh_ss2 as ss2
from drivers.codecs.cammegh_ss2 import (
    Bonus,
    Decoder,
    Message,
    Number,
    Rejection,
    Reply,
    Status,
    Trouble,
)
from drivers.codecs.cammegh_ss2 import WheelState as W
from drivers.codecs.text_lines import Received, Rejected
from tests.codecs import line_protocols

QUIET = Trouble(0)
VECTORS: list[tuple[str, Message]] = [
    ("*X;2;007; 9;0;144;0", Status(W.PLACE_BETS, 7, "9", QUIET, 144, True)),
    ("*X;3;007; 9;0;150;1", Status(W.BALL_IN_RIM, 7, "9", QUIET, 150, False)),
    ("*X;4;008;15;0;158;1", Status(W.NO_MORE_BETS, 8, "15", QUIET, 158, False)),
    ("24", Number("24")),
    ("*X;5;008;24;0;158;1", Status(W.WINNING_NUMBER, 8, "24", QUIET, 158, False)),
    ("*X;2;009;24;0;159;1", Status(W.PLACE_BETS, 9, "24", QUIET, 159, False)),
    ("*X;2;007;24;8;162;1", Status(W.PLACE_BETS, 7, "24", Trouble.LAUNCH_FAILED, 162, False)),
    ("*X;2;007;24;2;162;1", Status(W.PLACE_BETS, 7, "24", Trouble.BALL_DIRECTION, 162, False)),
    ("*X;2;002;32;A;100;0", Status(W.PLACE_BETS, 2, "32", Trouble.BALL_DIRECTION | Trouble.LAUNCH_FAILED, 100, True)),
    ("*X;6;158; 0;0;000;0", Status(W.CLOSED, 158, "0", QUIET, 0, True)),
    ("*X;1;001;  ;0;154;0", Status(W.BEFORE_GAME, 1, "", QUIET, 154, True)),
    (" 0", Number("0")),
    ("00", Number("00")),
    (" 9", Number("9")),
    ("*Y;4;123", Bonus(4, 123)),
    ("*Y;1;999;00", Bonus(1, None, 0)),
    ("*P OK", Reply("P", "OK")),
    ("*P NO", Reply("P", "NO")),
    ("*o BUSY", Reply("o", "BUSY")),
    ("*o 1158", Reply("o", "1158")),
    ("*u OK", Reply("u", "OK")),
    ("*K CAM", Reply("K", "CAM")),
    ("*T OK", Reply("T", "OK")),
    ("*F 22", Reply("F", "22")),
    ("*S V2.50", Reply("S", "V2.50")),
]
"""Lines of the guide and of public captures, with their meaning."""

STREAM = b"".join(line.encode() + b"\r\n" for line, _ in VECTORS)
MEANINGS = [message for _, message in VECTORS]


def messages(found: list[Received[Message] | Rejected]) -> list[Message]:
    return [each.message for each in found if isinstance(each, Received)]


@pytest.mark.parametrize(("line", "message"), VECTORS, ids=[line for line, _ in VECTORS])
def test_published_line(line: str, message: Message) -> None:
    raw = line.encode()
    assert Decoder().feed(raw + b"\r\n", 5) == [Received(message, 5, raw)]
    assert ss2.encode(message) == raw + b"\r\n"


@pytest.mark.parametrize("end", [b"\r", b"\n", b"\n\r", b"\r\n\r\n"])
def test_any_end_of_line(end: bytes) -> None:
    assert messages(Decoder().feed(b" 9" + end + b"*P OK" + end)) == [Number("9"), Reply("P", "OK")]


def test_whole_and_byte_by_byte() -> None:
    assert messages(line_protocols.whole(Decoder(), STREAM)) == MEANINGS
    assert messages(line_protocols.byte_by_byte(Decoder(), STREAM, ss2.LIMIT)) == MEANINGS


@given(st.lists(st.integers(0, 30)))
def test_any_split(sizes: list[int]) -> None:
    assert messages(line_protocols.in_pieces(Decoder(), STREAM, sizes)) == MEANINGS


def test_the_mangled_line_that_a_wheel_really_sent() -> None:
    decoder = Decoder()
    found = decoder.feed(b"*X;4;14*X;*X;4;146; 9;0;158;0\r\n")
    assert messages(found) == [Status(W.NO_MORE_BETS, 146, "9", QUIET, 158, True)]
    assert [each.raw for each in found if isinstance(each, Rejected)] == [b"*X;4;14", b"*X;"]
    assert decoder.counters["broken"] == 2


def test_the_number_is_a_result_in_state_5_only() -> None:
    statuses = [message for message in MEANINGS if isinstance(message, Status)]
    assert [status.result for status in statuses if status.result is not None] == ["24"]


@pytest.mark.parametrize(
    "line",
    [
        "*X;7;007; 9;0;144;0",
        "*X;2;257; 9;0;144;0",
        "*X;2;007;9 ;0;144;0",
        "*X;2;007;37;0;144;0",
        "*X;2;007;07;0;144;0",
        "*X;5;007;  ;0;144;0",
        "*X;2;007; 9;a;144;0",
        "*X;2;007; 9;0;14;0",
        "*X;2;007; 9;0;144;2",
        "*X;2;007; 9;0;144;0;",
        "*Y;7;123",
        "*Y;4;256",
        "9",
        "37",
        "07",
        " 9 ",
        "9 ",
        "*P\x80OK",
        "**",
    ],
)
def test_what_is_not_a_line_is_rejected_with_its_bytes(line: str) -> None:
    decoder = Decoder()
    raw = line.encode("latin-1")
    found = decoder.feed(raw + b"\r\n17\r\n", 3)
    assert messages(found) == [Number("17")]
    assert b"".join(each.raw for each in found if isinstance(each, Rejected)) == raw


def test_an_endless_line_is_dropped_once_and_the_next_read() -> None:
    decoder = Decoder()
    found = decoder.feed(b"*" + b"Z" * 5000 + b"\r\n17\r\n")
    assert [type(each) for each in found] == [Rejected, Received]
    assert decoder.counters["overlong"] == 1


def test_after_a_reset_the_half_line_is_gone() -> None:
    decoder = Decoder()
    decoder.feed(b"*X;2;00")
    decoder.reset()
    assert messages(decoder.feed(b"17\r\n")) == [Number("17")]


@given(st.lists(st.binary(max_size=100), max_size=8))
def test_any_bytes(pieces: list[bytes]) -> None:
    one, other = Decoder(), Decoder()
    found = [each for piece in pieces for each in one.feed(piece)]
    assert found == other.feed(b"".join(pieces))
    assert one.counters == other.counters
    assert one.waiting <= ss2.LIMIT


@given(st.integers(0, len(b"*X;5;008;24;0;158;1") - 1), st.integers(0, 255))
def test_a_wrong_byte_gives_another_legal_line_or_none_and_costs_only_its_own(at: int, byte: int) -> None:
    line = bytearray(b"*X;5;008;24;0;158;1")
    line[at] = byte
    found = Decoder().feed(bytes(line) + b"\r\n*P OK\r\n")
    assert messages(found)[-1] == Reply("P", "OK")
    for each in found:
        if isinstance(each, Received):
            assert ss2.encode(each.message) == each.raw + b"\r\n"


@pytest.mark.parametrize(
    "message",
    [Number("37"), Number("07"), Status(W.PLACE_BETS, 300, "1", QUIET, 0, True), Bonus(0, 1), Reply("PP", "")],
)
def test_encode_refuses_what_has_no_legal_line(message: Message) -> None:
    with pytest.raises(ValueError, match="no legal line"):
        ss2.encode(message)


def test_commands() -> None:
    assert ss2.encode_command(ss2.Command.VOID) == b"*R\r\n"
    assert ss2.encode_command(ss2.Command.START_GAME) == b"*u 1\r\n"
    assert ss2.encode_mode(ss2.INTEGRATION_MODE) == b"*o 1159\r\n"
    with pytest.raises(ValueError, match="0 to 65535"):
        ss2.encode_mode(65536)


def test_noise_resynchronises_within_one_line() -> None:
    for seed in range(200):
        decoder = Decoder()
        decoder.feed(line_protocols.noise(seed, 300, b"*X;0123456789 \r\n"))
        assert messages(decoder.feed(b"\r\n17\r\n"))[-1] == Number("17")


def test_rejections_are_counted_by_reason() -> None:
    decoder = Decoder()
    decoder.feed(b"99\r\n*X;*a\r\n" + b"*" + b"9" * 70 + b"\r\n")
    assert {reason: decoder.counters[reason] for reason in Rejection} == {"form": 1, "broken": 1, "overlong": 1}
