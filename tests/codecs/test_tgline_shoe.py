"""The verbs of a `tgline` shoe: the published lines both ways, and everything that is none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.codecs.text_lines import Received
from drivers.codecs.tgline import Decoder, Line, Tag, encode
from drivers.codecs.tgline_events import Refusal, StandBy, acknowledgement, refusal
from drivers.codecs.tgline_shoe import (
    Boot,
    Burned,
    CardInGame,
    CutCard,
    Error,
    ErrorCleared,
    Lock,
    Message,
    Pairs,
    Result,
    Target,
    Winner,
    line_of,
    message_of,
)

PUBLISHED: list[tuple[str, Message]] = [
    ("$TGSHO,01,0001,BOOT,1,8*74", Boot(8)),
    ("$TGSHO,01,0002,CARD,P,1,8S*5A", CardInGame(Target.PLAYER, 1, "8S")),
    ("$TGSHO,01,0003,CARD,B,1,KH*21", CardInGame(Target.BANKER, 1, "KH")),
    ("$TGSHO,01,0006,RESULT,P,N*7B", Result(Winner.PLAYER, Pairs.NONE)),
    ("$TGSHO,01,0007,BURN,1,5H*2A", Burned(1, "5H")),
    ("$TGSHO,01,0008,CUT*20", CutCard()),
    ("$TGSHO,01,0009,ERR,01*0B", Error(1)),
    ("$TGSHO,01,000A,CLR,01*6B", ErrorCleared(1)),
    ("$TGSHO,01,000B,LOCK,1*0E", Lock(True)),
    ("$TGSHO,01,000C,STBY*05", StandBy()),
]


@pytest.mark.parametrize(("text", "message"), PUBLISHED, ids=lambda each: str(each)[:24])
def test_the_published_lines_both_ways(text: str, message: Message) -> None:
    raw = text.encode() + b"\r\n"
    [found] = Decoder().feed(raw)
    assert isinstance(found, Received)
    assert message_of(found.message) == message
    assert encode(line_of(1, found.message.seq, message)) == raw


CARDS = st.builds("".join, st.tuples(st.sampled_from("A23456789TJQK"), st.sampled_from("SHDC")))
MESSAGES = st.one_of(
    st.builds(Boot, st.integers(1, 12)),
    st.builds(StandBy),
    st.builds(CardInGame, st.sampled_from(Target), st.integers(1, 9), CARDS),
    st.builds(CardInGame, st.sampled_from([Target.PLAYER, Target.BANKER]), st.integers(1, 3), st.none()),
    st.builds(Burned, st.integers(1, 15), CARDS | st.none()),
    st.builds(CutCard),
    st.builds(Result, st.sampled_from(Winner), st.sampled_from(Pairs)),
    st.builds(Error, st.integers(0, 99)),
    st.builds(ErrorCleared, st.integers(0, 99)),
    st.builds(Lock, st.booleans()),
)


@given(MESSAGES, st.integers(1, 0xFE), st.integers(1, 0xFFFF))
def test_every_message_both_ways(message: Message, address: int, seq: int) -> None:
    [found] = Decoder().feed(encode(line_of(address, seq, message)))
    assert isinstance(found, Received)
    assert (found.message.address, found.message.seq, message_of(found.message)) == (address, seq, message)


@pytest.mark.parametrize(
    ("verb", "arguments", "why"),
    [
        ("SHUFFLE", (), Refusal.VERB),
        ("ACK", (), Refusal.VERB),
        ("BOOT", ("2", "8"), Refusal.ARGUMENT),  # another version of the protocol
        ("BOOT", ("1",), Refusal.ARGUMENT),
        ("STBY", ("1",), Refusal.ARGUMENT),
        ("CARD", ("P", "0", "8S"), Refusal.ARGUMENT),
        ("CARD", ("D", "1", "8S"), Refusal.ARGUMENT),
        ("CARD", ("P", "1", "1S"), Refusal.ARGUMENT),
        ("CARD", ("P", "1", "8s"), Refusal.ARGUMENT),
        ("CARD", ("X", "1", "--"), Refusal.ARGUMENT),  # for no hand and without a face: it says nothing
        ("CARD", ("P", "1"), Refusal.ARGUMENT),
        ("BURN", ("100", "8S"), Refusal.ARGUMENT),
        ("RESULT", ("P",), Refusal.ARGUMENT),
        ("RESULT", ("", ""), Refusal.ARGUMENT),
        ("ERR", ("1",), Refusal.ARGUMENT),
        ("LOCK", ("2",), Refusal.ARGUMENT),
    ],
)
def test_what_no_shoe_says(verb: str, arguments: tuple[str, ...], why: Refusal) -> None:
    assert message_of(Line(Tag.SHOE, 1, 1, verb, arguments)) is why


@given(st.text("BOTSYCARDUNLK", max_size=6), st.lists(st.text(max_size=3), max_size=4))
def test_any_words(verb: str, arguments: list[str]) -> None:
    line = Line(Tag.SHOE, 1, 1, verb, tuple(arguments))
    message = message_of(line)
    assert isinstance(message, Refusal) or line_of(1, 1, message) == line


@pytest.mark.parametrize("message", [CardInGame(Target.UNASSIGNED, 1, None), Boot(0), Error(100), Burned(0, None)])
def test_what_has_no_legal_form_is_not_sent(message: Message) -> None:
    with pytest.raises(ValueError, match="no legal tgline"):
        line_of(1, 1, message)


def test_answers_carry_the_seq_of_what_they_answer() -> None:
    line = line_of(3, 0x00FF, CutCard())
    assert encode(acknowledgement(line)).startswith(b"$TGSHO,03,00FF,ACK*")
    assert encode(refusal(line, Refusal.ARGUMENT)).startswith(b"$TGSHO,03,00FF,NAK,ARG*")
