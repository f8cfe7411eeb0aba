"""Types without exactly one text are found, and the table's own records have none."""

from __future__ import annotations

from enum import Enum
from typing import Any

import pytest
from msgspec import Struct, field

from firmware.core.effects import Effect
from firmware.core.events import Event
from firmware.core.state import State
from firmware.core.stored import Message, Stored
from firmware.journal.codec import Codec
from firmware.journal.records import Body, SegmentHeader
from tests.journal import sample
from tests.journal.stored_types import NotStorableError, check_form

FORMS: tuple[Any, ...] = (Body[Event, Effect], State, SegmentHeader, Body[sample.Event, sample.Effect], sample.State)


@pytest.mark.parametrize("form", FORMS)
def test_what_the_journal_keeps_has_one_text_for_one_value(form: object) -> None:
    check_form(form)


class HasFloat(Stored, frozen=True):
    value: float


class HasDict(Stored, frozen=True):
    value: dict[str, int]


class HasList(Stored, frozen=True):
    value: tuple[list[int], ...]


class HasItself(Stored, frozen=True):
    value: tuple[HasItself | None, ...]


class HasTag(Stored, frozen=True):
    type: int


class HasTwo(Stored, frozen=True):
    value: int | str


class Odd(Enum):
    PAIR = (1, 2)


class HasOdd(Stored, frozen=True):
    value: Odd


class Lax(Struct, frozen=True):
    value: int


class HasLax(Stored, frozen=True):
    value: Lax | None


class HasUntagged(Stored, frozen=True):
    value: HasOdd | HasTag


class LongDefault(Stored, frozen=True):
    value: int = 257


class TextDefault(Stored, frozen=True):
    value: str = "text"


class StructDefault(Stored, frozen=True):
    value: Lax = Lax(1)


@pytest.mark.parametrize(
    ("form", "place"),
    [
        (HasFloat, "HasFloat.value"),
        (HasDict, "HasDict.value"),
        (HasList, "HasList.value[]"),
        (HasItself, "HasItself.value[]"),
        (HasTag, "HasTag.type"),
        (HasTwo, "HasTwo.value"),
        (HasOdd, "HasOdd.value"),
        (HasLax, "Lax: is not strict"),
        (HasUntagged, "stands in a union"),
        (LongDefault, "LongDefault.value: its default 257"),
        (TextDefault, "TextDefault.value: its default 'text'"),
        (StructDefault, "StructDefault.value: its default"),
        (int | float, "at most one kind"),
        (float, "the outermost type"),
    ],
)
def test_a_type_without_exactly_one_text_is_named(form: Any, place: str) -> None:
    with pytest.raises(NotStorableError) as caught:
        check_form(form)
    assert place in str(caught.value)


class Inner(Message, frozen=True):
    number: int = 0


class FromFactory(Stored, frozen=True):
    inner: Inner = field(default_factory=Inner)
    many: tuple[int, ...] = field(default_factory=lambda: (0, 0))


def test_a_default_from_a_factory_is_always_written() -> None:
    check_form(FromFactory)
    text = Codec[FromFactory](FromFactory).encode(FromFactory())
    assert text == b'{"inner":{"type":"Inner"},"many":[0,0]}'
