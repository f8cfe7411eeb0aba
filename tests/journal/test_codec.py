"""One text for one value, and nothing read that was not written."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import defstruct

from firmware.core.stored import Message, Stored
from firmware.journal.codec import Codec
from firmware.journal.errors import RecordError


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Leaf(Message, frozen=True):
    number: int
    text: str | None = None


class Other(Message, frozen=True):
    pass


class Tree(Message, frozen=True):
    on: bool
    colour: Colour
    leaf: Leaf
    either: Leaf | Other | None
    many: tuple[Leaf | Other, ...]
    pair: tuple[int, Colour]
    mixed: int | Leaf | None


class Grown(Stored, frozen=True):
    old: int
    new: int = 7


leaves = st.builds(Leaf, st.integers(-(1 << 63), (1 << 63) - 1), st.none() | st.text())
others = st.builds(Other)
trees = st.builds(
    Tree,
    st.booleans(),
    st.sampled_from(Colour),
    leaves,
    leaves | others | st.none(),
    st.lists(leaves | others, max_size=4).map(tuple),
    st.tuples(st.integers(0, 9), st.sampled_from(Colour)),
    st.integers(0, 9) | leaves | st.none(),
)
CODEC: Codec[Tree | Leaf] = Codec(Tree | Leaf)


@given(trees | leaves, trees | leaves)
def test_a_value_comes_back_and_has_a_text_of_its_own(one: Tree | Leaf, two: Tree | Leaf) -> None:
    text = CODEC.encode(one)
    assert CODEC.decode(text) == one
    assert (CODEC.encode(two) == text) == (one == two)


def test_the_text_is_what_an_auditor_reads() -> None:
    value = Tree(True, Colour.RED, Leaf(1, "ä"), Other(), (Leaf(2, None),), (3, Colour.BLUE), Leaf(4, None))
    assert CODEC.encode(value).decode() == (
        '{"type":"Tree","on":true,"colour":"red","leaf":{"type":"Leaf","number":1,"text":"ä"},"either":{"type":"Other"},'
        '"many":[{"type":"Leaf","number":2}],"pair":[3,"blue"],"mixed":{"type":"Leaf","number":4}}'
    )


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "not JSON"),
        ('{"more":' + "[" * 200_000 + "]" * 200_000 + "}", "not JSON: maximum recursion"),
        ('{"type":"Leaf","number":1,"text":null', "not JSON"),
        ("[]", "Expected `object`, got `array`"),
        ('{"number":1,"text":"a"}', "missing required field `type`"),
        ('{"type":"Bark","number":1,"text":"a"}', "Invalid value 'Bark' - at `$.type`"),
        ('{"type":"Leaf","text":"a"}', "missing required field `number`"),
        ('{"type":"Leaf","number":1,"more":2}', "unknown field `more`"),
        ('{"type":"Leaf","number":1.0}', "Expected `int`, got `float` - at `$.number`"),
        ('{"type":"Leaf","number":true}', "Expected `int`, got `bool` - at `$.number`"),
        ('{"type":"Leaf","number":9223372036854775808}', "an integer of 64 bits - at `$.number`"),
        ('{"type":"Leaf","number":-9223372036854775809}', "an integer of 64 bits - at `$.number`"),
        ('{"type":"Leaf","number":1,"text":5}', "Expected `str | null`, got `int` - at `$.text`"),
        ('{"type":"Leaf","number":1,"text":null}', """at byte 25 got ',"text":null}', expected '}'"""),
        ('{"type":"Leaf","number":1,"number":1}', """at byte 25 got ',"number":1}', expected '}'"""),
        ('{"number":1,"type":"Leaf"}', "at byte 2 got "),
        ('{"type":"Leaf","number":-0}', "at byte 24 got '-0}', expected '0}'"),
        ('{"type":"Leaf","number": 1}', "at byte 24 got ' 1}', expected '1}'"),
        ('{"type":"Leaf","number":1,"text":"\\u00e4"}', "at byte 34 got "),
        ('{"type":"Leaf","number":1}\n', "at byte 26 got '\\n', expected ''"),
    ],
)
def test_what_is_not_exactly_right_is_refused_with_its_place(text: str, error: str) -> None:
    with pytest.raises(RecordError) as caught:
        CODEC.decode(text)
    assert error in str(caught.value)


@given(trees | leaves, st.data())
def test_no_other_text_is_read(value: Tree | Leaf, data: st.DataObject) -> None:
    """A byte put in, taken out or exchanged gives another value or an error, never the same value twice."""
    text = CODEC.encode(value)
    at = data.draw(st.integers(0, len(text)))
    other = text[:at] + data.draw(st.binary(max_size=1)) + text[at + data.draw(st.integers(0, 1)) :]
    try:
        read = CODEC.decode(other)
    except RecordError:
        return
    assert (read == value) == (other == text)


def test_digits_in_a_text_are_no_integer() -> None:
    value = Leaf(-(1 << 63), "18446744073709551616")
    assert CODEC.decode(CODEC.encode(value)) == value


@given(st.binary() | st.text())
def test_any_text_gives_a_value_or_a_record_error(text: bytes | str) -> None:
    try:
        value = CODEC.decode(text)
    except RecordError:
        return
    assert isinstance(value, Tree | Leaf)


def test_a_field_that_came_later_is_left_out_while_it_holds_its_default() -> None:
    class Before(Stored, frozen=True):
        old: int

    grown: Codec[Grown] = Codec(Grown)
    before: Codec[Before] = Codec(Before)
    assert grown.encode(Grown(1)) == before.encode(Before(1))
    assert grown.encode(Grown(1, 8)) == b'{"old":1,"new":8}'
    for value in (Grown(1), Grown(1, 8)):
        assert grown.decode(grown.encode(value)) == value
    with pytest.raises(RecordError, match="""at byte 8 got ',"new":7}', expected '}'"""):
        grown.decode(b'{"old":1,"new":7}')
    with pytest.raises(RecordError, match="missing required field `old`"):
        grown.decode(b'{"new":8}')


@given(st.integers(-5, 256), st.booleans(), st.sampled_from(Colour))
def test_a_default_is_left_out_however_its_value_was_made(number: int, on: bool, colour: Colour) -> None:
    """msgspec knows a default by its identity; of these values Python keeps one object each, wherever it comes from."""
    kinds: list[tuple[str, Any, Any]] = [
        ("number", int, number),
        ("on", bool, on),
        ("colour", Colour, colour),
        ("text", str, ""),
        ("many", tuple[int, ...], ()),
        ("none", int | None, None),
    ]
    defaults = defstruct("Defaults", kinds, bases=(Stored,), frozen=True)
    made = defaults(
        int(f"{number}"), json.loads(json.dumps(on)), Colour(f"{colour}"), "".join([]), tuple(iter(())), None
    )
    assert Codec[Any](defaults).encode(made) == b"{}"


@pytest.mark.parametrize("value", [Other(), 5, None, Leaf(1, "\ud800"), Leaf(cast(int, {1: object()}), None)])
def test_a_value_that_has_no_text_is_refused(value: Any) -> None:
    with pytest.raises(RecordError):
        CODEC.encode(value)


@pytest.mark.parametrize("number", [1.0, True, "1", None, 1 << 63, 1 << 64, -(1 << 63) - 1])
def test_a_value_that_could_not_be_read_back_is_refused_where_that_is_asked(number: Any) -> None:
    with pytest.raises(RecordError):
        CODEC.encode_checked(Leaf(number, None))


def test_a_list_where_a_tuple_belongs_would_come_back_as_another_value() -> None:
    class Many(Stored, frozen=True):
        many: tuple[int, ...]

    with pytest.raises(RecordError, match="which its text does not give back"):
        Codec[Many](Many).encode_checked(Many(cast("tuple[int, ...]", [1, 2])))


def test_two_classes_of_one_name_are_refused() -> None:
    def other() -> type:
        class Leaf(Message, frozen=True):
            number: int

        return Leaf

    with pytest.raises(RecordError, match="Leaf"):
        Codec(Leaf | other())
