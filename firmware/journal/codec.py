"""Frozen structs to canonical JSON and back, driven by their type annotations.

Rules:
* One value has exactly one text: fields in the order of their declaration, no white space, UTF-8. The hash of a state
  is the SHA-256 of that text.
* A struct that stands in a union with another struct, and the outermost one always, carries its class name as
  `"type"`. Nothing else is added.
* Supported: int (64 bits, signed), str, bool, None, enums of str or int values, `tuple[T, ...]`, `tuple[A, B]`,
  structs, and unions of None, at most one of the plain kinds, and structs. Anything else is refused when the
  codec is made, not when the first value comes along.
* Reading is strict: a missing, an unknown or a wrongly typed field is a `RecordError` that names its place.
* A field that was added to a class later is listed as `LaterField`. It is left out while it holds its default, so that
  texts and hashes written before it existed stay what they were.
"""

from __future__ import annotations

import enum
import hashlib
import operator
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from typing import Generic, Protocol, TypeVar

import msgspec
import msgspec.structs
from msgspec import Struct

from firmware.journal.errors import RecordError

T = TypeVar("T")

_TAG = "type"
_INT_LIMIT = 1 << 63
_to_json: Callable[[object], bytes] = msgspec.json.Encoder().encode
_from_json: Callable[[bytes | str], object] = msgspec.json.Decoder().decode


class LaterField(Struct, frozen=True):
    """A field that `owner` did not have when its first records were written."""

    owner: type
    name: str


class Codec(Generic[T]):
    """Canonical JSON for one struct or a union of structs."""

    def __init__(self, form: object, later_fields: Iterable[LaterField] = ()) -> None:
        """`form` is the struct or the union. Raises RecordError for a type that has no canonical text."""
        later: dict[type, set[str]] = {}
        for field in later_fields:
            later.setdefault(field.owner, set()).add(field.name)
        members = typing.get_args(form) if _is_union(form) else (form,)
        self._shape = _Union(tuple(_Builder(later).record(member, str(member)) for member in members), scalar=None)

    def encode(self, value: T) -> bytes:
        """The canonical text. Raises RecordError for a value that has none."""
        return encode_tree(self.to_tree(value))

    def decode(self, text: bytes | str) -> T:
        return self.from_tree(parse(text))

    def to_tree(self, value: T) -> object:
        """What `encode` writes, before it is text: for placing the value inside a larger text."""
        return self._shape.to_tree(value)

    def from_tree(self, tree: object, where: str = "") -> T:
        return typing.cast(T, self._shape.from_tree(tree, where))


def encode_tree(tree: object) -> bytes:
    """Plain values to canonical JSON text. Raises RecordError."""
    try:
        return _to_json(tree)
    except (TypeError, ValueError, OverflowError, msgspec.MsgspecError) as error:
        raise RecordError(f"a value has no canonical text: {error}") from error


def parse(text: bytes | str) -> object:
    """JSON text to plain values. Raises RecordError."""
    try:
        return _from_json(text)
    except (msgspec.DecodeError, UnicodeError) as error:
        raise RecordError(f"not JSON: {error}") from error


def sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


class _Shape(Protocol):
    """How values of one type become plain values and come back. `native`: msgspec alone writes them rightly."""

    native: bool

    def to_tree(self, value: object) -> object: ...

    def from_tree(self, tree: object, where: str) -> object: ...


def _refuse(where: str, tree: object, expected: str) -> RecordError:
    got = repr(tree)
    return RecordError(f"{where or 'record'}: got {got if len(got) <= 60 else got[:57] + '...'}, expected {expected}")


class _Scalar:
    native = True

    def __init__(self, kind: type) -> None:
        self.kind = kind

    def to_tree(self, value: object) -> object:
        return value

    def from_tree(self, tree: object, where: str) -> object:
        if type(tree) is not self.kind:
            raise _refuse(where, tree, self.kind.__name__)
        if self.kind is int and not -_INT_LIMIT <= typing.cast(int, tree) < _INT_LIMIT:
            raise _refuse(where, tree, "an integer of 64 bits")
        return tree


class _Enum:
    native = True

    def __init__(self, kind: type[enum.Enum]) -> None:
        self.kind = kind
        self._members: dict[object, enum.Enum] = {member.value: member for member in kind}
        self._values = {str, int} & {type(value) for value in self._members}

    def to_tree(self, value: object) -> object:
        return value

    def from_tree(self, tree: object, where: str) -> object:
        if type(tree) in self._values and tree in self._members:
            return self._members[tree]
        raise _refuse(where, tree, f"one of {', '.join(map(str, self._members))} ({self.kind.__name__})")


class _Sequence:
    """`tuple[T, ...]`"""

    def __init__(self, item: _Shape) -> None:
        self._item = item
        self.native = item.native

    def to_tree(self, value: object) -> object:
        to_tree = self._item.to_tree
        return [to_tree(item) for item in typing.cast("tuple[object, ...]", value)]

    def from_tree(self, tree: object, where: str) -> object:
        if type(tree) is not list:
            raise _refuse(where, tree, "a list")
        from_tree = self._item.from_tree
        return tuple([from_tree(item, f"{where}[{index}]") for index, item in enumerate(tree)])


class _Fixed:
    """`tuple[A, B]`"""

    def __init__(self, items: tuple[_Shape, ...]) -> None:
        self._items = items
        self.native = all(item.native for item in items)

    def to_tree(self, value: object) -> object:
        values = typing.cast("tuple[object, ...]", value)
        return [shape.to_tree(item) for shape, item in zip(self._items, values, strict=True)]

    def from_tree(self, tree: object, where: str) -> object:
        if type(tree) is not list or len(tree) != len(self._items):
            raise _refuse(where, tree, f"a list of {len(self._items)}")
        pairs = enumerate(zip(self._items, tree, strict=True))
        return tuple([shape.from_tree(item, f"{where}[{index}]") for index, (shape, item) in pairs])


class _Record:
    """A struct, without its tag."""

    def __init__(self, kind: type, fields: Mapping[str, _Shape], later: Mapping[str, object]) -> None:
        self.kind = kind
        self._fields = fields
        self._later = later
        self._names = tuple(fields)
        self._bent = tuple((name, shape) for name, shape in fields.items() if not shape.native)
        self.native = not later and not self._bent
        if len(self._names) > 1:
            self._values: Callable[[object], tuple[object, ...]] = operator.attrgetter(*self._names)
        elif self._names:
            only = operator.attrgetter(self._names[0])
            self._values = lambda value: (only(value),)
        else:
            self._values = lambda value: ()

    def to_tree(self, value: object) -> dict[str, object]:
        return self.fill({}, value)

    def fill(self, tree: dict[str, object], value: object) -> dict[str, object]:
        tree.update(zip(self._names, self._values(value), strict=True))
        for name, default in self._later.items():
            if tree[name] == default:
                del tree[name]
        for name, shape in self._bent:
            if name in tree:
                tree[name] = shape.to_tree(tree[name])
        return tree

    def from_tree(self, tree: object, where: str, spare: int = 0) -> object:
        """`spare`: how many keys of the tree were used already (the tag)."""
        if type(tree) is not dict:
            raise _refuse(where, tree, f"an object ({self.kind.__name__})")
        values: dict[str, object] = {}
        for name, shape in self._fields.items():
            if name in tree:
                values[name] = shape.from_tree(tree[name], f"{where}.{name}" if where else name)
                if name in self._later and values[name] == self._later[name]:
                    raise RecordError(f"{where}.{name}: holds its default; a field added later is left out then")
            elif name not in self._later:
                raise RecordError(f"{where or 'record'}: field {name!r} of {self.kind.__name__} is missing")
        if len(tree) != len(values) + spare:
            unknown = sorted(set(tree) - set(values) - {_TAG})
            names = ", ".join(map(repr, unknown))
            raise RecordError(f"{where or 'record'}: {self.kind.__name__} has no field {names}; a later version's?")
        return self.kind(**values)


class _Union:
    """None, one plain kind or one of several structs, told apart by their tag."""

    native = False

    def __init__(self, records: tuple[_Record, ...], scalar: _Shape | None, optional: bool = False) -> None:
        self._by_class = {record.kind: record for record in records}
        self._by_name = {record.kind.__name__: record for record in records}
        self._scalar = scalar
        self._optional = optional
        if len(self._by_name) != len(records):
            raise RecordError(f"two classes of one name in a union: {', '.join(r.kind.__name__ for r in records)}")
        for record in records:
            if _TAG in record._fields:
                raise RecordError(f"{record.kind.__name__}: a field may not be called {_TAG!r}, that is its tag")

    def to_tree(self, value: object) -> object:
        record = self._by_class.get(type(value))
        if record is not None:
            return record.fill({_TAG: record.kind.__name__}, value)
        if (value is None and self._optional) or (value is not None and self._scalar is not None):
            return value
        raise _refuse("", value, self._expected())

    def from_tree(self, tree: object, where: str) -> object:
        if tree is None and self._optional:
            return None
        if type(tree) is dict:
            record = self._by_name.get(typing.cast(str, tree.get(_TAG)))
            if record is None:
                raise _refuse(f"{where}.{_TAG}" if where else _TAG, tree.get(_TAG), self._expected())
            return record.from_tree(tree, where or record.kind.__name__, spare=1)
        if self._scalar is not None:
            return self._scalar.from_tree(tree, where)
        raise _refuse(where, tree, self._expected())

    def _expected(self) -> str:
        return "one of " + ", ".join([*self._by_name, *(["null"] if self._optional else [])])


class _Optional:
    def __init__(self, inner: _Shape) -> None:
        self._inner = inner
        self.native = inner.native

    def to_tree(self, value: object) -> object:
        return None if value is None else self._inner.to_tree(value)

    def from_tree(self, tree: object, where: str) -> object:
        return None if tree is None else self._inner.from_tree(tree, where)


def _is_union(form: object) -> bool:
    return typing.get_origin(form) in (typing.Union, types.UnionType)


class _Builder:
    """Shapes from annotations. `where` is the path of the annotation, for the error's text."""

    def __init__(self, later: Mapping[type, set[str]]) -> None:
        self._later = later
        self._open: list[type] = []

    def shape(self, form: object, where: str) -> _Shape:
        while isinstance(form, typing.NewType):
            form = form.__supertype__
        if form in (int, str, bool):
            return _Scalar(typing.cast(type, form))
        if isinstance(form, type) and issubclass(form, enum.Enum):
            return self._enum(form, where)
        if typing.get_origin(form) is tuple:
            return self._tuple(typing.get_args(form), where)
        if _is_union(form):
            return self._union(typing.get_args(form), where)
        return self.record(form, where)

    def record(self, form: object, where: str) -> _Record:
        if not (isinstance(form, type) and issubclass(form, msgspec.Struct)):
            raise RecordError(
                f"{where}: {form!r} has no canonical text; use int, str, bool, an enum, a tuple, a "
                "frozen struct, or a union of those"
            )
        if form in self._open:
            raise RecordError(f"{where}: {form.__name__} contains itself")
        self._open.append(form)
        hints = typing.get_type_hints(form)
        shapes: dict[str, _Shape] = {}
        defaults: dict[str, object] = {}
        for field in msgspec.structs.fields(form):
            if field.name.startswith("_"):
                raise RecordError(f"{where}.{field.name}: a field must be public")
            shapes[field.name] = self.shape(hints[field.name], f"{form.__name__}.{field.name}")
            defaults[field.name] = field.default
        self._open.pop()
        later = {name: defaults.get(name, msgspec.NODEFAULT) for name in self._later.get(form, ())}
        for name, default in later.items():
            if default is msgspec.NODEFAULT:
                raise RecordError(f"{form.__name__}.{name}: a field that was added later needs a plain default")
        return _Record(form, shapes, later)

    def _enum(self, form: type[enum.Enum], where: str) -> _Shape:
        if not all(type(member.value) in (str, int) for member in form):
            raise RecordError(f"{where}: the values of {form.__name__} must be str or int")
        return _Enum(form)

    def _tuple(self, items: tuple[object, ...], where: str) -> _Shape:
        if len(items) == 2 and items[1] is Ellipsis:
            return _Sequence(self.shape(items[0], f"{where}[]"))
        return _Fixed(tuple(self.shape(item, f"{where}[{index}]") for index, item in enumerate(items)))

    def _union(self, members: tuple[object, ...], where: str) -> _Shape:
        some = [member for member in members if member is not type(None)]
        optional = len(some) < len(members)
        if len(some) == 1:
            return _Optional(self.shape(some[0], where))
        shapes = [self.shape(member, where) for member in some]
        records = tuple(shape for shape in shapes if isinstance(shape, _Record))
        others = [shape for shape in shapes if not isinstance(shape, _Record)]
        if len(others) > 1:
            raise RecordError(f"{where}: a union may hold at most one kind besides structs and None")
        return _Union(records, others[0] if others else None, optional)
