"""The Bee-Tek shoe's lines."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.codecs import beetek
from drivers.codecs.beetek import REPEAT_NS, Card, Decoder, Rejected
from tests.codecs import line_protocols

DECK = [rank + suit for rank in "A23456789TJQK" for suit in "SHDC"]


def cards(found: list[Card | Rejected]) -> list[str]:
    return [each.card for each in found if isinstance(each, Card)]


@pytest.mark.parametrize(("line", "card"), [(b"H10", "TH"), (b"sA", "AS"), (b"DT", "TD"), (b"c2", "2C"), (b"hk", "KH")])
def test_published_lines(line: bytes, card: str) -> None:
    assert Decoder().feed(line + b"\r\n", 9) == [Card(card, 9, line)]


@pytest.mark.parametrize("line", [b"SASA", b"SASASA", b"H10H10"])
def test_characters_repeated_in_a_line_are_one_card(line: bytes) -> None:
    decoder = Decoder()
    assert len(cards(decoder.feed(line + b"\r\n"))) == 1
    assert decoder.counters["resynchronised"] == 0


def test_a_damaged_repetition_is_read_from_what_is_left() -> None:
    decoder = Decoder()
    assert cards(decoder.feed(b"S?SA\r\n")) == ["AS"]
    assert decoder.counters["resynchronised"] == 1


@pytest.mark.parametrize("line", [b"X1", b"S", b"A", b"S1", b"S11", b"SAHK", b"SAS", b"10H", b"S" * 40, b"\xd3A"])
def test_what_is_no_card_is_rejected_with_its_bytes(line: bytes) -> None:
    decoder = Decoder()
    found = decoder.feed(line + b"\r\nDT\r\n", 2)
    assert cards(found) == ["TD"]
    assert decoder.counters["rejected"] == 1


def test_the_same_card_at_once_is_one_and_a_little_later_two() -> None:
    decoder = Decoder()
    assert cards(decoder.feed(b"SA\r\nSA\r\n", 0)) == ["AS"]
    assert cards(decoder.feed(b"SA\r\n", REPEAT_NS - 1)) == []
    assert cards(decoder.feed(b"SA\r\n", 2 * REPEAT_NS)) == ["AS"]
    assert cards(Decoder(repeat_ns=0).feed(b"SA\r\nSA\r\n", 0)) == ["AS", "AS"]
    with pytest.raises(ValueError, match="repeat_ns"):
        Decoder(repeat_ns=-1)


def test_a_new_connection_begins_anew() -> None:
    decoder = Decoder()
    decoder.feed(b"SA\r\nH", 0)
    decoder.reset()
    assert cards(decoder.feed(b"SA\r\n", 1)) == ["AS"]


@given(st.lists(st.integers(0, 9)))
def test_any_split(sizes: list[int]) -> None:
    stream = b"".join(beetek.encode(card) for card in DECK)
    assert cards(line_protocols.in_pieces(Decoder(), stream, sizes)) == DECK
    assert cards(line_protocols.byte_by_byte(Decoder(), stream, beetek.LIMIT)) == DECK


@given(st.binary(max_size=300) | st.text("SHDCA1059TJQK\r\n", max_size=80).map(str.encode))
def test_any_bytes(data: bytes) -> None:
    one, other = Decoder(), Decoder()
    assert line_protocols.byte_by_byte(one, data, beetek.LIMIT) == other.feed(data)
    assert one.counters == other.counters


@pytest.mark.parametrize("card", ["10H", "1H", "HT", "", "TX"])
def test_encode_refuses(card: str) -> None:
    with pytest.raises(ValueError, match="no card"):
        beetek.encode(card)
