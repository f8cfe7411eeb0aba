"""A chain of 74HC165: which bit is which input, and every broken chain that its bytes can show."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.codecs.hc165 import ChainError, clocked, levels, reserved


def stream(bits: list[bool], chips: int) -> bytes:
    """A whole chain's bytes: the tied bits as they must be, ones from the SER of the last chip."""
    bits = list(bits)
    high, low = reserved(chips)
    bits[high], bits[low] = True, False
    by_chip = [bits[8 * n : 8 * n + 8] for n in range(chips)]
    return bytes(sum(bit << place for place, bit in enumerate(chip)) for chip in by_chip) + b"\xff"


def test_the_nearest_chip_comes_first_and_its_h_is_bit_7() -> None:
    assert reserved(2) == (7, 8)
    found = levels(bytes.fromhex("fe 7e ff"), 2)  # nearest: A low; farthest: H low, and A, which is tied
    assert [line for line, high in enumerate(found) if not high] == [0, 8, 15]


@given(st.integers(1, 16), st.data())
def test_every_level_of_a_whole_chain_is_read(chips: int, data: st.DataObject) -> None:
    bits = data.draw(st.lists(st.booleans(), min_size=8 * chips, max_size=8 * chips))
    high, low = reserved(chips)
    bits[high], bits[low] = True, False
    if not any(bits[line] for line in range(8 * chips) if line != high) and chips == 1:
        return  # 0x80 0xff is no constant either
    assert list(levels(stream(bits, chips), chips)) == bits


@pytest.mark.parametrize(("read", "why"), [("ffffff", "plugged in"), ("000000", "shorted")])
def test_a_dead_line_is_no_reading(read: str, why: str) -> None:
    with pytest.raises(ChainError, match=why):
        levels(bytes.fromhex(read), 2)


@given(st.integers(2, 16), st.data())
def test_a_cut_between_two_chips_is_no_reading_however_it_reads(chips: int, data: st.DataObject) -> None:
    bits = data.draw(st.lists(st.booleans(), min_size=8 * chips, max_size=8 * chips))
    whole = stream(bits, chips)
    behind = data.draw(st.integers(0, chips - 1))
    for floats in (b"\x00", b"\xff"):
        cut = whole[:behind] + floats * (clocked(chips) - behind)
        with pytest.raises(ChainError):
            levels(cut, chips)


@given(st.integers(1, 16), st.data())
def test_one_clock_too_many_or_too_few_is_no_reading_of_a_table_at_rest(chips: int, data: st.DataObject) -> None:
    """At rest all inputs are high: then the tied low one is found at another place, whichever way it was shifted."""
    whole = stream([True] * (8 * chips), chips)
    number = int.from_bytes(whole, "big")
    size = 8 * len(whole)
    for shifted in ((number << 1 | 1) & ((1 << size) - 1), number >> 1 | 1 << size - 1):
        with pytest.raises(ChainError):
            levels(shifted.to_bytes(len(whole), "big"), chips)


@pytest.mark.parametrize("length", [0, 1, 2, 4])
def test_another_number_of_bytes_is_no_reading(length: int) -> None:
    with pytest.raises(ChainError, match=f"{length} bytes"):
        levels(b"\xfe" * length, 2)
