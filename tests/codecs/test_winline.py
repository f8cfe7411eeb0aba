"""The winning-number line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.codecs import winline
from drivers.codecs.winline import REPEAT_NS, Decoder, Number, Rejected
from tests.codecs import line_protocols

POCKETS = ["00", *(str(number) for number in range(37))]


def pockets(found: list[Number | Rejected]) -> list[str]:
    return [each.pocket for each in found if isinstance(each, Number)]


@pytest.mark.parametrize("pocket", POCKETS)
def test_every_pocket(pocket: str) -> None:
    assert pockets(Decoder().feed(winline.encode(pocket))) == [pocket]


@pytest.mark.parametrize(("line", "pocket"), [(b"9", "9"), (b" 9", "9"), (b"17", "17"), (b"0", "0"), (b" 0", "0")])
def test_with_and_without_the_space(line: bytes, pocket: str) -> None:
    assert Decoder().feed(line + b"\n\r", 4) == [Number(pocket, 4, line)]


@pytest.mark.parametrize("line", [b"37", b"07", b"000", b"9 ", b"  9", b"1a", b"-1", b"1\xb7", b"123456789012"])
def test_what_no_wheel_has(line: bytes) -> None:
    decoder = Decoder()
    found = decoder.feed(line + b"\r\n22\r\n", 1)
    assert pockets(found) == ["22"]
    assert decoder.counters["rejected"] == 1


def test_a_repeat_is_the_same_game_and_the_same_number_later_is_another() -> None:
    decoder = Decoder()
    assert pockets(decoder.feed(b"17\r\n", 0)) == ["17"]
    assert pockets(decoder.feed(b"17\r\n", REPEAT_NS)) == []
    assert pockets(decoder.feed(b"17\r\n", 2 * REPEAT_NS)) == []  # each repetition starts the time anew
    assert pockets(decoder.feed(b"17\r\n", 3 * REPEAT_NS + 1)) == ["17"]
    assert pockets(decoder.feed(b"18\r\n17\r\n", 3 * REPEAT_NS + 2)) == ["18", "17"]
    assert decoder.counters == {"numbers": 4, "repeats": 2, "rejected": 0}


def test_a_new_connection_forgets_half_a_line_but_not_the_game() -> None:
    decoder = Decoder()
    decoder.feed(b"17\r\n1", 0)
    decoder.reset()
    assert pockets(decoder.feed(b"17\r\n", 1)) == []


@given(st.lists(st.integers(0, 9)))
def test_any_split(sizes: list[int]) -> None:
    stream = b"".join(winline.encode(pocket) for pocket in POCKETS)
    assert pockets(line_protocols.in_pieces(Decoder(), stream, sizes)) == POCKETS
    assert pockets(line_protocols.byte_by_byte(Decoder(), stream, winline.LIMIT)) == POCKETS


@given(st.binary(max_size=300))
def test_any_bytes(data: bytes) -> None:
    one, other = Decoder(), Decoder()
    assert line_protocols.byte_by_byte(one, data, winline.LIMIT) == other.feed(data)
    assert one.counters == other.counters


@pytest.mark.parametrize("pocket", ["37", "07", "", "000", " 9", "é"])
def test_encode_refuses(pocket: str) -> None:
    with pytest.raises(ValueError, match=r"pocket|ascii"):
        winline.encode(pocket)
