"""A dice keypad: presses, rolls, held keys, and what is forgotten."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from drivers.codecs.craps_keypad import NUMBER_BLOCK, UPPER_ROW, Decoder, Function, Pressed, Roll
from drivers.codecs.input_records import EVENT, SYN_DROPPED, record
from tests.codecs.samples import chunks

MS = 1_000_000
CODE_OF = {face: code for code, face in NUMBER_BLOCK.items()}


def press(face: int, at_ms: int, for_ms: int = 80) -> bytes:
    return record(CODE_OF[face], True, at_ms * MS) + record(CODE_OF[face], False, (at_ms + for_ms) * MS)


def rolls(data: bytes) -> list[Roll]:
    return [each for each in Decoder().feed(data) if isinstance(each, Roll)]


def test_two_presses_are_a_roll_and_the_same_twice_a_pair() -> None:
    assert rolls(press(4, 1000) + press(6, 2900)) == [Roll((4, 6), 1000 * MS)]
    assert rolls(press(3, 1000) + press(3, 1200)) == [Roll((3, 3), 1000 * MS)]


def test_a_press_alone_is_forgotten_after_the_window() -> None:
    decoder = Decoder()
    found = decoder.feed(press(4, 1000) + press(6, 3001) + press(2, 3500))
    assert [each for each in found if isinstance(each, Roll)] == [Roll((6, 2), 3001 * MS)]
    assert decoder.counters["forgotten"] == 1


def test_the_window_ends_where_it_is_set() -> None:
    assert rolls(press(4, 1000) + press(6, 3000)), "at two seconds it is one still"
    assert not rolls(press(4, 1000) + press(6, 3001))


@pytest.mark.parametrize(("key", "function"), list(enumerate(Function, start=1)))
def test_a_held_key_is_a_function_and_no_face(key: int, function: Function) -> None:
    decoder = Decoder()
    found = decoder.feed(press(5, 500) + press(key, 1000, 2000) + press(2, 3100))
    assert [each for each in found if isinstance(each, Pressed)][1] == Pressed(key, 1000 * MS, function)
    assert not any(isinstance(each, Roll) for each in found), "what was begun before a function is forgotten"


def test_the_functions_are_those_of_the_known_keypad() -> None:
    found = Decoder().feed(b"".join(press(key, key * 10_000, 2000) for key in (1, 2, 3, 5)))
    functions = [each.function for each in found if isinstance(each, Pressed)]
    assert functions == [Function.UNDO, Function.SHOOTER, Function.CLEAR, Function.MENU]


def test_keys_that_overlap_count_by_when_they_went_down() -> None:
    data = (
        record(CODE_OF[4], True, 1000 * MS)
        + record(CODE_OF[6], True, 1100 * MS)
        + record(CODE_OF[6], False, 1150 * MS)
        + record(CODE_OF[4], False, 1200 * MS)
    )
    assert rolls(data) == [Roll((4, 6), 1000 * MS)]


def test_the_upper_row_means_the_same() -> None:
    upper = {face: code for code, face in UPPER_ROW.items()}
    data = b"".join(
        record(upper[face], down, at * MS) for face, down, at in ((1, 1, 10), (1, 0, 20), (6, 1, 30), (6, 0, 40))
    )
    assert rolls(data) == [Roll((1, 6), 10 * MS)]


def test_half_a_roll_does_not_outlive_dropped_records_or_a_connection() -> None:
    dropped = EVENT.pack(1, 200_000, 0, SYN_DROPPED, 0)
    decoder = Decoder()
    assert not [each for each in decoder.feed(press(4, 1000) + dropped + press(6, 1300)) if isinstance(each, Roll)]
    assert decoder.counters["dropped"] == 1
    decoder.feed(press(4, 9000))
    decoder.reset()
    assert not [each for each in decoder.feed(press(6, 9200)) if isinstance(each, Roll)]


def test_a_key_that_was_down_before_means_nothing_when_it_comes_up() -> None:
    decoder = Decoder()
    assert decoder.feed(record(CODE_OF[4], False, 10)) == []


def test_other_keys_and_repeats_of_the_kernel_are_no_faces() -> None:
    decoder = Decoder()
    held = EVENT.pack(1, 0, 1, CODE_OF[4], 2)
    assert decoder.feed(record(28, True, 5) + record(28, False, 6) + held) == []
    assert decoder.counters["other_keys"] == 1


@given(st.lists(st.integers(0, 60)))
def test_any_split(sizes: list[int]) -> None:
    stream = press(4, 1000) + press(6, 1500) + press(1, 9000, 2100) + press(2, 20_000) + press(2, 20_100)
    decoder = Decoder()
    pieces = [each for piece in chunks(stream, sizes) for each in decoder.feed(piece)]
    assert pieces == Decoder().feed(stream)


@given(st.lists(st.binary(max_size=100), max_size=8))
def test_any_bytes(pieces: list[bytes]) -> None:
    one, other = Decoder(), Decoder()
    assert [each for piece in pieces for each in one.feed(piece)] == other.feed(b"".join(pieces))
    assert one.waiting < EVENT.size
