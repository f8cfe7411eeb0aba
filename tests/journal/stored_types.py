"""Which types a record may be made of: those whose values have exactly one text each (`firmware/journal/codec.py`).

Answers for: `check_form` finds, from the annotations alone, every type reachable from an event, effect or state that
would have several texts or none. Reading the annotations takes a while, so the daemon doesn't: the tests do.
"""

from __future__ import annotations

import enum
import types
import typing
from collections.abc import Iterator, Mapping

import msgspec
import msgspec.structs
from msgspec import Struct

_TAG = "type"
_SMALL_INTS = range(-5, 257)
"""Of these Python keeps one object each."""


class NotStorableError(Exception):
    """The text names the class and field, and what to do."""


def _is_union(form: object) -> bool:
    return typing.get_origin(form) in (typing.Union, types.UnionType)


def _struct_of(form: object) -> type[Struct] | None:
    """The class of a struct, also of one with type arguments; None for anything else."""
    kind = typing.get_origin(form) or form
    return kind if isinstance(kind, type) and issubclass(kind, Struct) else None


def check_form(form: object) -> None:
    """Raise NotStorableError, with the place, for a type whose values would not have exactly one text each."""
    waiting: list[tuple[object, str, frozenset[object]]] = [(form, "", frozenset())]
    seen: set[object] = set()
    while waiting:
        form, where, around = waiting.pop()
        while isinstance(form, typing.NewType):
            form = form.__supertype__
        if form in around:
            raise NotStorableError(f"{where}: {form!r} contains itself")
        if form not in seen and form not in (int, str, bool, type(None)):
            seen.add(form)
            waiting += ((part, place, around | {form}) for part, place in _parts(form, where))


def _parts(form: object, where: str) -> Iterator[tuple[object, str]]:
    """The types that `form` is made of, each with its place."""
    arguments = typing.get_args(form)
    if (kind := _struct_of(form)) is not None:
        yield from _fields(kind, dict(zip(getattr(kind, "__parameters__", ()), arguments, strict=False)))
    elif isinstance(form, type) and issubclass(form, enum.Enum):
        if not all(type(member.value) in (str, int) for member in form):
            raise NotStorableError(f"{where}: the values of {form.__name__} must be str or int")
    elif typing.get_origin(form) is tuple:
        yield from ((argument, f"{where}[]") for argument in arguments if argument is not Ellipsis)
    elif _is_union(form):
        _check_union([argument for argument in arguments if argument is not type(None)], where)
        yield from ((argument, where) for argument in arguments)
    else:
        raise NotStorableError(
            f"{where or 'the outermost type'}: {form!r} has no canonical text; use int, str, bool, an enum, a tuple, a "
            "frozen struct, or a union of those"
        )


def _check_union(members: list[object], where: str) -> None:
    structs = [kind for kind in map(_struct_of, members) if kind is not None]
    if len(members) - len(structs) > 1:
        raise NotStorableError(f"{where}: a union may hold at most one kind besides structs and None")
    if len(structs) < 2:
        return
    tags = {(kind.__struct_config__.tag_field, kind.__struct_config__.tag) for kind in structs}
    if len({field for field, _ in tags}) > 1 or len(tags) < len(structs) or any(None in tag for tag in tags):
        names = ", ".join(kind.__name__ for kind in structs)
        raise NotStorableError(
            f"{where}: each of {names} stands in a union and needs a tag of its own: make it a Message"
        )


def _fields(kind: type[Struct], bound: Mapping[object, object]) -> Iterator[tuple[object, str]]:
    config = kind.__struct_config__
    if not (config.frozen and config.omit_defaults and config.forbid_unknown_fields):
        raise NotStorableError(f"{kind.__name__}: is not strict; derive it from firmware.core.stored.Stored")
    hints = typing.get_type_hints(kind)
    for field in msgspec.structs.fields(kind):
        place = f"{kind.__name__}.{field.name}"
        if field.name.startswith("_") or field.name == _TAG:
            raise NotStorableError(f"{place}: a field must be public, and may not be called {_TAG!r}, that is the tag")
        if not _is_plain(field.default):
            raise NotStorableError(
                f"{place}: its default {field.default!r} is none by which Python keeps only one object, so it would "
                "be left out of some texts and not of others; use default_factory"
            )
        yield _bind(hints[field.name], bound), place


def _bind(form: typing.Any, bound: Mapping[object, object]) -> object:
    """`form` with its type variables replaced."""
    if parameters := getattr(form, "__parameters__", ()):
        return form[tuple(bound[parameter] for parameter in parameters)]
    return bound.get(form, form)


def _is_plain(default: object) -> bool:
    if default is msgspec.NODEFAULT or default is None or isinstance(default, bool | enum.Enum):
        return True
    return default in ("", ()) if not isinstance(default, int) else default in _SMALL_INTS
