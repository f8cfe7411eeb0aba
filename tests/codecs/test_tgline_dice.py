"""The verbs of a `tgline` dice reader: the published lines both ways, and everything that is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.codecs.text_lines import Received
from drivers.codecs.tgline import Decoder, Line, Tag, encode
from drivers.codecs.tgline_dice import Boot, Error, Message, Roll, Shooter, Undo, line_of, message_of
from drivers.codecs.tgline_events import Refusal, StandBy

PUBLISHED: list[tuple[str, Message]] = [
    ("$TGDIC,01,0033,ROLL,4,6*6F", Roll((4, 6))),
    ("$TGDIC,01,0034,UNDO*67", Undo()),
    ("$TGDIC,01,0035,SHOOTER*2E", Shooter()),
]


@pytest.mark.parametrize(("text", "message"), PUBLISHED, ids=lambda each: str(each)[:24])
def test_the_published_lines_both_ways(text: str, message: Message) -> None:
    raw = text.encode() + b"\r\n"
    [found] = Decoder().feed(raw)
    assert isinstance(found, Received)
    assert message_of(found.message) == message
    assert encode(line_of(1, found.message.seq, message)) == raw


@given(
    st.one_of(
        st.builds(Boot, st.sampled_from([2, 3])),
        st.builds(StandBy),
        st.builds(Roll, st.lists(st.integers(1, 6), min_size=2, max_size=3).map(tuple)),
        st.builds(Undo),
        st.builds(Shooter),
        st.builds(Error, st.integers(0, 99)),
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
        ("THROW", ("4", "6"), Refusal.VERB),
        ("ROLL", ("4",), Refusal.ARGUMENT),
        ("ROLL", ("4", "7"), Refusal.ARGUMENT),
        ("ROLL", ("0", "6"), Refusal.ARGUMENT),
        ("ROLL", ("4", "6", "1", "1"), Refusal.ARGUMENT),
        ("ROLL", ("4", ""), Refusal.ARGUMENT),
        ("UNDO", ("1",), Refusal.ARGUMENT),
        ("BOOT", ("1", "4"), Refusal.ARGUMENT),
        ("ERR", ("2",), Refusal.ARGUMENT),
    ],
)
def test_what_no_dice_reader_says(verb: str, arguments: tuple[str, ...], why: Refusal) -> None:
    assert message_of(Line(Tag.DICE, 1, 1, verb, arguments)) is why


@pytest.mark.parametrize("message", [Roll((4,)), Roll((0, 6)), Boot(4), Error(100)])
def test_what_has_no_legal_form_is_not_sent(message: Message) -> None:
    with pytest.raises(ValueError, match="no legal tgline"):
        line_of(1, 1, message)
