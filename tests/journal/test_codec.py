"""One text for one value, and nothing read that was not written."""

from __future__ import annotations

from enum import Enum, StrEnum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from firmware.journal.codec import Codec, LaterField
from firmware.journal.errors import RecordError


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Leaf(Struct, frozen=True):
    number: int
    text: str | None


class Other(Struct, frozen=True):
    pass


class Tree(Struct, frozen=True):
    on: bool
    colour: Colour
    leaf: Leaf
    either: Leaf | Other | None
    many: tuple[Leaf | Other, ...]
    pair: tuple[int, Colour]
    mixed: int | Leaf | None


class Grown(Struct, frozen=True):
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
        '{"type":"Tree","on":true,"colour":"red","leaf":{"number":1,"text":"ä"},"either":{"type":"Other"},'
        '"many":[{"type":"Leaf","number":2,"text":null}],"pair":[3,"blue"],"mixed":{"type":"Leaf","number":4,"text":null}}'
    )


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("", "not JSON"),
        ('{"type":"Leaf","number":1,"text":null', "not JSON"),
        ("[]", "expected one of Tree, Leaf"),
        ('{"number":1,"text":null}', "type: got None"),
        ('{"type":"Bark","number":1,"text":null}', "type: got 'Bark', expected one of Tree, Leaf"),
        ('{"type":"Leaf","number":1}', "field 'text' of Leaf is missing"),
        ('{"type":"Leaf","number":1,"text":null,"more":2}', "Leaf has no field 'more'"),
        ('{"type":"Leaf","number":1.0,"text":null}', "Leaf.number: got 1.0, expected int"),
        ('{"type":"Leaf","number":true,"text":null}', "Leaf.number: got True, expected int"),
        ('{"type":"Leaf","number":9223372036854775808,"text":null}', "64 bits"),
        ('{"type":"Leaf","number":1,"text":5}', "Leaf.text: got 5, expected str"),
    ],
)
def test_what_is_not_exactly_right_is_refused_with_its_place(text: str, error: str) -> None:
    with pytest.raises(RecordError) as caught:
        CODEC.decode(text)
    assert error in str(caught.value)


@given(st.binary() | st.text())
def test_any_text_gives_a_value_or_a_record_error(text: bytes | str) -> None:
    try:
        value = CODEC.decode(text)
    except RecordError:
        return
    assert isinstance(value, Tree | Leaf)


def test_a_later_field_is_left_out_while_it_holds_its_default() -> None:
    class Before(Struct, frozen=True):
        old: int

    grown: Codec[Grown] = Codec(Grown, [LaterField(Grown, "new")])
    before: Codec[Before] = Codec(Before)
    assert grown.encode(Grown(1)).replace(b"Grown", b"Before") == before.encode(Before(1))
    assert grown.encode(Grown(1, 8)) == b'{"type":"Grown","old":1,"new":8}'
    for value in (Grown(1), Grown(1, 8)):
        assert grown.decode(grown.encode(value)) == value
    with pytest.raises(RecordError, match="holds its default"):
        grown.decode(b'{"type":"Grown","old":1,"new":7}')
    with pytest.raises(RecordError, match="'old' of Grown is missing"):
        grown.decode(b'{"type":"Grown","new":8}')
    with pytest.raises(RecordError, match="plain default"):
        Codec(Grown, [LaterField(Grown, "old")])


class HasFloat(Struct, frozen=True):
    value: float


class HasDict(Struct, frozen=True):
    value: dict[str, int]


class HasList(Struct, frozen=True):
    value: list[int]


class HasItself(Struct, frozen=True):
    value: HasItself | None


class HasTag(Struct, frozen=True):
    type: int


class HasTwo(Struct, frozen=True):
    value: int | str


class Odd(Enum):
    PAIR = (1, 2)


class HasOdd(Struct, frozen=True):
    value: Odd


@pytest.mark.parametrize("kind", [HasFloat, HasDict, HasList, HasItself, HasTag, HasTwo, HasOdd, int])
def test_a_type_without_a_canonical_text_is_refused_when_the_codec_is_made(kind: Any) -> None:
    with pytest.raises(RecordError):
        Codec(kind)


@pytest.mark.parametrize("value", [Other(), 5, None, Leaf(1, "\ud800")])
def test_a_value_that_has_no_text_is_refused(value: Any) -> None:
    with pytest.raises(RecordError):
        CODEC.encode(value)
