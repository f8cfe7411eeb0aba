"""The verbs of a `tgline` wheel: the published lines both ways, and everything that is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.codecs.cammegh_ss2 import Trouble, WheelState
from drivers.codecs.text_lines import Received
from drivers.codecs.tgline import Decoder, Line, Tag, encode
from drivers.codecs.tgline_events import Refusal, StandBy
from drivers.codecs.tgline_wheel import POCKETS, Boot, Message, State, Warn, Win, line_of, message_of

QUIET = Trouble(0)
PUBLISHED: list[tuple[str, Message]] = [
    ("$TGWHL,01,0421,STATE,2,17,0,172,1*10", State(WheelState.PLACE_BETS, "17", QUIET, 172, False)),
    ("$TGWHL,01,0422,STATE,4,17,0,158,0*1C", State(WheelState.NO_MORE_BETS, "17", QUIET, 158, True)),
    ("$TGWHL,01,0423,WIN,00*14", Win("00")),
    ("$TGWHL,01,0424,WARN,2*7B", Warn(Trouble.BALL_DIRECTION)),
]
NUMBERS = st.sampled_from(["00", *map(str, range(37))])
TROUBLES = st.builds(Trouble, st.integers(0, 15))


@pytest.mark.parametrize(("text", "message"), PUBLISHED, ids=lambda each: str(each)[:24])
def test_the_published_lines_both_ways(text: str, message: Message) -> None:
    raw = text.encode() + b"\r\n"
    [found] = Decoder().feed(raw)
    assert isinstance(found, Received)
    assert message_of(found.message) == message
    assert encode(line_of(1, found.message.seq, message)) == raw


@given(
    st.one_of(
        st.builds(Boot, st.sampled_from(POCKETS)),
        st.builds(StandBy),
        st.builds(State, st.sampled_from(WheelState), NUMBERS, TROUBLES, st.integers(0, 999), st.booleans()),
        st.builds(State, st.just(WheelState.BEFORE_GAME), st.just(""), TROUBLES, st.integers(0, 999), st.booleans()),
        st.builds(Win, NUMBERS),
        st.builds(Warn, TROUBLES),
    ),
    st.integers(1, 0xFE),
    st.integers(1, 0xFFFF),
)
def test_every_message_both_ways(message: Message, address: int, seq: int) -> None:
    [found] = Decoder().feed(encode(line_of(address, seq, message)))
    assert isinstance(found, Received)
    assert (found.message.address, found.message.seq, message_of(found.message)) == (address, seq, message)


@pytest.mark.parametrize(
    ("verb", "arguments", "why"),
    [
        ("SPIN", (), Refusal.VERB),
        ("ACK", (), Refusal.VERB),
        ("BOOT", ("2", "37"), Refusal.ARGUMENT),
        ("BOOT", ("1", "36"), Refusal.ARGUMENT),
        ("STATE", ("7", "17", "0", "172", "1"), Refusal.ARGUMENT),
        ("STATE", ("2", "37", "0", "172", "1"), Refusal.ARGUMENT),
        ("STATE", ("2", "07", "0", "172", "1"), Refusal.ARGUMENT),
        ("STATE", ("2", "17", "a", "172", "1"), Refusal.ARGUMENT),
        ("STATE", ("2", "17", "0", "072", "1"), Refusal.ARGUMENT),
        ("STATE", ("2", "17", "0", "172", "2"), Refusal.ARGUMENT),
        ("STATE", ("5", "--", "0", "172", "1"), Refusal.ARGUMENT),  # the winning number, and none
        ("STATE", ("2", "17", "0", "172"), Refusal.ARGUMENT),
        ("WIN", ("37",), Refusal.ARGUMENT),
        ("WIN", (" 9",), Refusal.ARGUMENT),
        ("WIN", ("--",), Refusal.ARGUMENT),
        ("WARN", ("10",), Refusal.ARGUMENT),
    ],
)
def test_what_no_wheel_says(verb: str, arguments: tuple[str, ...], why: Refusal) -> None:
    assert message_of(Line(Tag.WHEEL, 1, 1, verb, arguments)) is why


@given(st.sampled_from(["BOOT", "STATE", "WIN", "WARN", "STBY", "X"]), st.lists(st.text("0123456789AF-", max_size=3)))
def test_any_words(verb: str, arguments: list[str]) -> None:
    line = Line(Tag.WHEEL, 1, 1, verb, tuple(arguments))
    message = message_of(line)
    assert isinstance(message, Refusal) or line_of(1, 1, message) == line


@pytest.mark.parametrize("message", [Win("37"), Boot(36), State(WheelState.WINNING_NUMBER, "", QUIET, 0, True)])
def test_what_has_no_legal_form_is_not_sent(message: Message) -> None:
    with pytest.raises(ValueError, match="no legal tgline"):
        line_of(1, 1, message)
