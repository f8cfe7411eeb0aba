"""`tgline` against its published lines, and against a bad bus."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.codecs import tgline
from drivers.codecs.text_lines import Received, Rejected
from drivers.codecs.tgline import LIMIT, Decoder, Line, Rejection, Tag, encode, next_seq
from tests.codecs import line_protocols

VECTORS = """\
$TGSHO,01,0001,BOOT,1,8*74
$TGSHO,01,0002,CARD,P,1,8S*5A
$TGSHO,01,0003,CARD,B,1,KH*21
$TGSHO,01,0004,CARD,P,2,TD*24
$TGSHO,01,0005,CARD,B,2,4C*50
$TGSHO,01,0006,RESULT,P,N*7B
$TGSHO,01,0007,BURN,1,5H*2A
$TGSHO,01,0008,CUT*20
$TGSHO,01,0009,ERR,01*0B
$TGSHO,01,000A,CLR,01*6B
$TGSHO,01,000B,LOCK,1*0E
$TGSHO,01,000C,STBY*05
$TGWHL,01,0421,STATE,2,17,0,172,1*10
$TGWHL,01,0422,STATE,4,17,0,158,0*1C
$TGWHL,01,0423,WIN,00*14
$TGWHL,01,0424,WARN,2*7B
$TGWHL,01,0423,ACK*21
$TGWHL,01,0423,NAK,CKS*5B
$TGDIC,01,0033,ROLL,4,6*6F
$TGDIC,01,0034,UNDO*67
$TGDIC,01,0035,SHOOTER*2E
$TGBET,03,007A,POLL*30D8
$TGBET,03,007A,STAT,00A5,0000,00*BEAA
$TGBET,03,007B,STAT,00A5,0004,01*6005
$TGBET,FF,0091,ARM*8C8F
$TGBET,FF,0092,LATCH*C8DF
$TGBET,03,007C,SNAP,0092,00A5,0000*66E2
$TGJPM,FF,0100,VAL,1,000001234567*4AE0
$TGJPM,FF,0101,HIT,2,000000050000,05*A266
""".splitlines()

STREAM = b"".join(line.encode() + b"\r\n" for line in VECTORS)
CARD = Line(Tag.SHOE, 1, 2, "CARD", ("P", "1", "8S"))


def lines(found: list[Received[Line] | Rejected]) -> list[Line]:
    return [each.message for each in found if isinstance(each, Received)]


def meaning(text: str) -> Line:
    """A vector read by hand, not by the codec."""
    tag, address, seq, verb, *arguments = text[1 : text.index("*")].split(",")
    return Line(Tag(tag), int(address, 16), int(seq, 16), verb, tuple(arguments))


@pytest.mark.parametrize("text", VECTORS)
def test_published_line(text: str) -> None:
    raw = text.encode()
    assert Decoder().feed(raw + b"\r\n", 6) == [Received(meaning(text), 6, raw)]
    assert encode(meaning(text)) == raw + b"\r\n"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"$TGSHO,01,0002,CARD,P,1,8S*5B", Rejection.CHECKSUM),
        (b"$TGBET,03,007A,POLL*2F", Rejection.SHORT_CHECK),
        (b"$TGSHO,01,0002,CARD,P,1,8S*5a", Rejection.FORM),
        (b"$TGXXX,01,0001,STBY*00", Rejection.FORM),
        (b"$TGSHO,1,0001,STBY*00", Rejection.FORM),
        (b"TGSHO,01,000C,STBY*05", Rejection.FORM),
        (b"$" + b"A" * 96, Rejection.OVERLONG),
    ],
)
def test_must_reject(text: bytes, reason: Rejection) -> None:
    decoder = Decoder()
    found = decoder.feed(text + b"\r\n" + encode(CARD), 1)
    assert lines(found) == [CARD]
    assert decoder.counters[reason] == 1


def test_a_line_of_97_bytes_is_too_long_and_one_of_96_is_not() -> None:
    fits = Line(Tag.SHOE, 1, 1, "ERR", ("x" * (LIMIT - len(encode(Line(Tag.SHOE, 1, 1, "ERR", ("",))))),))
    raw = encode(fits)
    assert len(raw) == LIMIT
    assert lines(Decoder().feed(raw)) == [fits]
    with pytest.raises(ValueError, match="at most 96"):
        encode(Line(Tag.SHOE, 1, 1, "ERR", (fits.arguments[0] + "x",)))
    longer = raw.replace(b"xx", b"xxx", 1)
    assert lines(Decoder().feed(longer)) == []


def test_zero_is_no_address_and_no_seq() -> None:
    for bad in (Line(Tag.SHOE, 0, 1, "STBY"), Line(Tag.SHOE, 1, 0, "STBY")):
        with pytest.raises(ValueError, match="no legal"):
            encode(bad)


def test_dollar_inside_a_line_begins_a_new_one() -> None:
    decoder = Decoder()
    assert lines(decoder.feed(b"$TGSHO,01,0002,CA" + encode(CARD))) == [CARD]
    assert decoder.counters["broken"] == 1


def test_seq_wraps_to_one() -> None:
    assert [next_seq(1), next_seq(0xFFFE), next_seq(0xFFFF)] == [2, 0xFFFF, 1]


def test_whole_and_byte_by_byte() -> None:
    expected = [meaning(text) for text in VECTORS]
    assert lines(line_protocols.whole(Decoder(), STREAM)) == expected
    assert lines(line_protocols.byte_by_byte(Decoder(), STREAM, LIMIT)) == expected


@given(st.lists(st.integers(0, 30)))
def test_any_split(sizes: list[int]) -> None:
    assert len(lines(line_protocols.in_pieces(Decoder(), STREAM, sizes))) == len(VECTORS)


@given(st.integers(0, 28), st.data(), st.integers(1, 255))
def test_one_wrong_byte_never_makes_another_line_and_costs_only_its_own(
    which: int, data: st.DataObject, flip: int
) -> None:
    raw = bytearray(VECTORS[which].encode())
    at = data.draw(st.integers(0, len(raw) - 1))
    raw[at] ^= flip
    assert lines(Decoder().feed(bytes(raw) + b"\r\n" + encode(CARD))) == [CARD]


@given(st.binary(max_size=300) | st.text("$TGBETSHO,0123456789ABCDEF*\r\n", max_size=200).map(str.encode))
def test_any_bytes(data: bytes) -> None:
    one, other = Decoder(), Decoder()
    assert line_protocols.byte_by_byte(one, data, LIMIT) == other.feed(data)
    assert one.counters == other.counters


@given(
    st.sampled_from(list(Tag)),
    st.integers(1, 255),
    st.integers(1, 0xFFFF),
    st.text("ABCDEFGHIJKLMNOPQRSTUVWXYZ", min_size=2, max_size=8),
    st.lists(
        st.text(st.characters(min_codepoint=32, max_codepoint=126, exclude_characters="$,*"), max_size=8), max_size=5
    ),
)
def test_round_trip(tag: Tag, address: int, seq: int, verb: str, arguments: list[str]) -> None:
    line = Line(tag, address, seq, verb, tuple(arguments))
    assert lines(Decoder().feed(encode(line))) == [line]


@pytest.mark.parametrize("argument", ["a,b", "a*b", "a$b", "\n", "é"])
def test_encode_refuses_what_would_not_be_read_back(argument: str) -> None:
    with pytest.raises(ValueError, match=r"no legal|ascii"):
        encode(Line(Tag.SHOE, 1, 1, "ERR", (argument,)))


def test_check_is_crc_kermit() -> None:
    assert tgline._kermit(b"123456789") == b"2189"
