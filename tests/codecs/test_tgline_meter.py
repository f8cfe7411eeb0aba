"""What is told to jackpot meters: the published lines both ways, and everything that is none."""

from __future__ import annotations

import pytest

from drivers.codecs.text_lines import Received
from drivers.codecs.tgline import Decoder, Line, Tag, encode
from drivers.codecs.tgline_meter import CENTS_MOST, Clear, Hit, Message, Value, line_of, message_of

PUBLISHED = [
    ("$TGJPM,FF,0100,VAL,1,000001234567*4AE0", 0x100, Value(1, 1_234_567)),
    ("$TGJPM,FF,0101,HIT,2,000000050000,05*A266", 0x101, Hit(2, 50_000, 5)),
]


@pytest.mark.parametrize(("text", "seq", "said"), PUBLISHED)
def test_published_lines_both_ways(text: str, seq: int, said: Message) -> None:
    (found,) = Decoder().feed(text.encode() + b"\r\n")
    assert isinstance(found, Received) and message_of(found.message) == said
    assert encode(line_of(seq, said)) == text.encode() + b"\r\n"


@pytest.mark.parametrize("said", [Value(9, CENTS_MOST), Value(1, 0), Hit(1, CENTS_MOST, 99), Clear(9)])
def test_the_ends_of_each_range(said: Message) -> None:
    assert message_of(line_of(0xFFFF, said)) == said


@pytest.mark.parametrize(
    "said", [Value(0, 1), Value(10, 1), Value(1, CENTS_MOST + 1), Value(1, -1), Hit(1, 1, 0), Hit(1, 1, 100), Clear(0)]
)
def test_what_has_no_legal_form_is_refused(said: Message) -> None:
    with pytest.raises(ValueError, match="no legal tgline of a meter"):
        line_of(1, said)


@pytest.mark.parametrize(
    ("tag", "verb", "arguments"),
    [
        (Tag.BET_BOARD, "VAL", ("1", "000001234567")),
        (Tag.METER, "VAL", ("1", "1234567")),
        (Tag.METER, "VAL", ("A", "000001234567")),
        (Tag.METER, "HIT", ("1", "000001234567", "00")),
        (Tag.METER, "HIT", ("1", "000001234567")),
        (Tag.METER, "CLR", ()),
        (Tag.METER, "STBY", ()),
    ],
)
def test_what_says_nothing_legal(tag: Tag, verb: str, arguments: tuple[str, ...]) -> None:
    assert message_of(Line(tag, 0xFF, 1, verb, arguments)) is None
