"""Reads a table's TOML file into `Settings`, or says everything that is wrong with its form.

Rules: nothing is guessed and nothing is left out silently; all problems of one file are reported together, each with
its line and key path, and an unknown key with the nearest key that exists. What the regulation asks for is not judged
here (`check`). A misspelt key is one problem: its value is judged as that of the key which was meant, so that one slip
of a finger hides nothing; such a table is still refused.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from types import UnionType
from typing import Annotated, Literal, TypeVar, Union, get_args, get_origin

import msgspec

from firmware.settings.model import Settings
from firmware.settings.problems import ConfigurationError, KeyPath, Problem, with_lines

MAXIMUM_BYTES = 1 << 20
"""A table's file is some kilobytes; anything over this is not one."""
REFERENCE = "config/REFERENCE.md"

Kind = TypeVar("Kind", bound=msgspec.Struct)


def load(file: Path) -> Settings:
    """Read `file`. Raises ConfigurationError with every problem of form; never another exception for what it holds."""
    return decode(read(file), str(file))


def decode(text: str, file: str) -> Settings:
    """As `load`, from a text; `file` is named in messages."""
    return decode_as(Settings, text, file, REFERENCE)


def decode_as(kind: type[Kind], text: str, file: str, guide: str) -> Kind:
    """Any strict TOML file by the same rules: its type, and which text describes its keys. Raises ConfigurationError.
    What it holds are structs, dictionaries, lists or tuples of one kind, and plain values."""
    data = _parsed(text, file)
    problems = problems_of(data, kind, guide)
    if problems:
        raise ConfigurationError(file, with_lines(problems, text))
    return msgspec.convert(data, kind)


def examined(text: str, file: str) -> tuple[Settings | None, tuple[Problem, ...]]:
    """A table with the problems of its form. Where those are misspelt or unknown keys alone, the settings as they were
    meant, for judging what else is wrong; None where too little can be read for that. Raises ConfigurationError for
    what is no TOML."""
    data = _parsed(text, file)
    walk = _Walk(REFERENCE)
    walk.visit((), data, Settings)
    problems = with_lines(tuple(walk.problems), text)
    if len(problems) > len(walk.misspelt):
        return None, problems
    for slip in reversed(walk.misspelt):  # what a misspelt table holds before the table itself
        slip.mend()
    return msgspec.convert(data, Settings), problems


def _parsed(text: str, file: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(file, (_syntax(error),)) from None
    except ValueError as error:  # a number with more digits than Python reads
        raise ConfigurationError(file, (Problem((), str(error), "numbers of a table", "Look for it."),)) from None
    except RecursionError:
        deep = Problem((), "nested too deeply to read", "a table's configuration", "Check that this is the right file.")
        raise ConfigurationError(file, (deep,)) from None


def problems_of(
    data: dict[str, object], kind: type[msgspec.Struct] = Settings, guide: str = REFERENCE
) -> tuple[Problem, ...]:
    """Everything wrong with the form of a decoded file; without any, it converts to `kind`."""
    walk = _Walk(guide)
    walk.visit((), data, kind)
    return tuple(walk.problems)


def read(file: Path) -> str:
    """The text of a configuration. Raises ConfigurationError when there is none to be read."""
    try:
        with file.open("rb") as stream:
            raw = stream.read(MAXIMUM_BYTES + 1)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ConfigurationError(
            str(file),
            (Problem((), f"can't be read ({reason})", "a readable TOML file", "Check the path and its permissions."),),
        ) from None
    if len(raw) > MAXIMUM_BYTES:
        raise ConfigurationError(
            str(file), (Problem((), "over 1 MiB", "a table's configuration", "Check that this is the right file."),)
        )
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise ConfigurationError(
            str(file),
            (Problem((), f"byte 0x{raw[error.start]:02x} is no UTF-8", "UTF-8 text", "Save it as UTF-8.", line=line),),
        ) from None


def _syntax(error: tomllib.TOMLDecodeError) -> Problem:
    text = str(error)
    line = 0
    if "(at line " in text:
        head, _, place = text.partition(" (at line ")
        line, text = int(place.split(",")[0]), head
    return Problem((), f"no TOML ({text})", "TOML 1.0", "Mend the line; strings stand in quotes.", line=line)


class _Slip(msgspec.Struct):
    """A key that does not exist, in the table that holds it, and the one that was meant; empty: nobody knows."""

    table: dict[str, object]
    key: str
    meant: str

    def mend(self) -> None:
        value = self.table.pop(self.key)
        if self.meant:
            self.table[self.meant] = value


class _Walk:
    """Visits a decoded file beside the types it should have, and collects what does not fit."""

    def __init__(self, guide: str) -> None:
        self.problems: list[Problem] = []
        self.misspelt: list[_Slip] = []
        """Slips after which the rest can be judged; each is one of the problems."""
        self._guide = guide

    def visit(self, path: KeyPath, value: object, expected: object) -> None:
        base, meta = strip(expected)
        structs = _structs(base)
        origin = get_origin(base)
        if structs and isinstance(value, dict):
            self._struct(path, value, structs)
        elif origin is dict and isinstance(value, dict):
            self._plain(path, value, expected, meta, shallow=True)
            for key, item in value.items():
                self.visit((*path, key), item, get_args(base)[1])
        elif origin in (list, tuple) and isinstance(value, list):
            if self._plain(path, value, expected, meta, shallow=True):
                for index, item in enumerate(value):
                    self.visit((*path, str(index)), item, get_args(base)[0])
        elif structs:
            self._add(path, _shown(value), "a table of keys", "Write it as a table: [NAME] and its keys below.")
        else:
            self._plain(path, value, expected, meta, shallow=False)

    def _add(self, path: KeyPath, got: str, expected: str, remedy: str, section: str = "") -> None:
        self.problems.append(Problem(path, got, expected, remedy, section))

    def _struct(self, path: KeyPath, value: dict[str, object], structs: list[type[msgspec.Struct]]) -> None:
        tag_field = structs[0].__struct_config__.tag_field
        if tag_field is None or (len(structs) == 1 and tag_field not in value):
            chosen = structs[0]
        else:
            kinds = {str(option.__struct_config__.tag): option for option in structs}
            kind = value.get(tag_field)
            if not isinstance(kind, str) or kind not in kinds:
                got = f"{tag_field} is missing" if tag_field not in value else f"got {_shown(kind)}"
                self._add((*path, tag_field), got, "one of " + ", ".join(kinds), _suggestion(kind, kinds, self._guide))
                return
            chosen = kinds[kind]
        fields = {field.encode_name: field for field in msgspec.structs.fields(chosen)}
        written = {name: name for name in fields if name in value}
        for key in value:
            if key in fields or key == tag_field:
                continue
            known = "one of " + ", ".join(fields) if fields else "none here"
            self._add((*path, key), "no such key", known, _suggestion(key, fields, self._guide))
            meant = _meant(key, [name for name in fields if name not in written])
            if meant:
                written[meant] = key
            if meant or not isinstance(value[key], dict | list):  # a whole section unread: too much is missing
                self.misspelt.append(_Slip(value, key, meant))
        for name, field in fields.items():
            if name in written:
                self.visit((*path, written[name]), value[written[name]], field.type)
            elif field.required:
                what = f"Add {name}: {_within_a_sentence(_description(strip(field.type)[1]) or 'see below')}"
                remedy = f"{what.rstrip('.')}. {self._guide} describes it."
                self._add((*path, name), "the key is missing", _form(field.type), remedy)

    def _plain(
        self, path: KeyPath, value: object, expected: object, meta: msgspec.Meta | None, *, shallow: bool
    ) -> bool:
        """Check one value; `shallow` leaves what it holds to the caller."""
        if shallow:
            shape: object = dict[str, object] if isinstance(value, dict) else list[object]
            expected = Annotated[shape, meta] if meta is not None else shape
        try:
            msgspec.convert(value, expected)
        except msgspec.ValidationError as error:
            wording = _extra(meta, "expected") or _choice(expected)
            wording = wording or str(error).split(" - at `")[0].removeprefix("Expected ")
            remedy = f"Correct the value; {self._guide} describes it."
            self._add(path, f"got {_shown(value)}", wording, remedy, _extra(meta, "source"))
            return False
        return True


def strip(expected: object) -> tuple[object, msgspec.Meta | None]:
    """A type without its description, and the description; of an optional type, that of what it may be."""
    if get_origin(expected) is Annotated:
        base, *rest = get_args(expected)
        metas = [part for part in rest if isinstance(part, msgspec.Meta)]
        return base, metas[0] if metas else None
    described = [option for option in get_args(expected) if get_origin(option) is Annotated]
    if get_origin(expected) is Union and len(described) == 1:
        return expected, strip(described[0])[1]
    return expected, None


def _structs(base: object) -> list[type[msgspec.Struct]]:
    """The structs that a type is or, for a union, can be."""
    options = get_args(base) if isinstance(base, UnionType) else (base,)
    return [option for option in options if isinstance(option, type) and issubclass(option, msgspec.Struct)]


def _meant(wrong: str, absent: list[str]) -> str:
    """The key that a misspelt one surely is; empty when it may be another."""
    near = difflib.get_close_matches(wrong, absent, n=1, cutoff=0.8)
    return near[0] if near else ""


def _form(expected: object) -> str:
    """What a value must look like, in words."""
    base, meta = strip(expected)
    if said := _extra(meta, "expected") or _choice(expected):
        return said
    if isinstance(base, type) and issubclass(base, Enum):
        return "one of " + ", ".join(str(option.value) for option in base)
    if _structs(base) or get_origin(base) is dict:
        return "a table of keys"
    return "a list" if get_origin(base) in (list, tuple) else _WORDS.get(base, "a value")


_WORDS: dict[object, str] = {str: "text in quotes", int: "a whole number", bool: "true or false"}


def _within_a_sentence(text: str) -> str:
    """A description begins with a capital, which stays only where it belongs to the word ("GPIO")."""
    return text[0].lower() + text[1:] if text[1:2].islower() or text[1:2] == " " else text


def _description(meta: msgspec.Meta | None) -> str:
    return meta.description or "" if meta is not None else ""


def _choice(expected: object) -> str:
    """The words that a Literal may be; empty for other types."""
    base, _ = strip(expected)
    return "one of " + ", ".join(map(str, get_args(base))) if get_origin(base) is Literal else ""


def _extra(meta: msgspec.Meta | None, name: str) -> str:
    if meta is None or meta.extra is None:
        return ""
    return str(meta.extra.get(name, ""))


def _suggestion(wrong: object, known: Mapping[str, object], guide: str) -> str:
    near = difflib.get_close_matches(str(wrong), list(known), n=1, cutoff=0.5)
    if near:
        return f"Did you mean {near[0]}?"
    return f"Take one of those; {guide} describes them." if known else "Remove it."


def _shown(value: object) -> str:
    text = repr(value) if not isinstance(value, dict) else "a table"
    return text if len(text) <= 60 else text[:57] + "..."
