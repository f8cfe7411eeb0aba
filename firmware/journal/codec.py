"""Frozen structs to canonical JSON and back. msgspec does both; here one value is held to one text.

Rules:
* The text of a value: fields in the order of their declaration, those that hold their plain default left out, no white
  space, UTF-8. The hash of a state is the SHA-256 of that text.
* A struct that may stand in a union is a `Message`: its text begins with its class name as `"type"`.
* A record is made of int (64 bits, signed), str, bool, None, enums of str or int values, `tuple[T, ...]`,
  `tuple[A, B]`, `Stored` structs, and unions of None, at most one of the plain kinds, and `Message` structs. Other
  types could have several texts, or none; `tests/journal/stored_types.py` finds them before any table does.
* Reading is strict: only the very text that `encode` gives is read. A missing, unknown or wrongly typed field, another
  order, a field that could have been left out: each is a `RecordError` that names its place.
"""

from __future__ import annotations

import hashlib
import types
import typing
from typing import Generic, TypeVar

import msgspec

from firmware.journal.errors import RecordError

T = TypeVar("T")

_INT_LIMIT = 1 << 63
_SHOWN_CHARACTERS = 60

_encode = msgspec.json.Encoder().encode
_parse = msgspec.json.Decoder().decode
_DIGITS_TO_ZERO = bytes(ord("0") if chr(byte) in "0123456789" else ord(" ") for byte in range(256))
_MANY_DIGITS = b"0" * len(str(_INT_LIMIT))
"""As many as the least integer that is too large has; a text that nowhere has so many holds no such integer."""


class Codec(Generic[T]):
    """Canonical JSON for one struct or a union of structs."""

    def __init__(self, form: object) -> None:
        """`form` is the struct, or the union of structs. Raises RecordError for one that msgspec can't read."""
        union = typing.get_origin(form) in (typing.Union, types.UnionType)
        members = typing.get_args(form) if union else (form,)
        self._classes = frozenset(typing.get_origin(member) or member for member in members)
        try:
            self._decode = msgspec.json.Decoder(form).decode
        except TypeError as error:  # two classes of one name, for instance
            raise RecordError(str(error)) from error

    def encode(self, value: T) -> bytes:
        """The text, taken on trust: that every field holds what its annotation says is found by `encode_checked`.

        Raises RecordError for a value of another class, and for one that has no text.
        """
        if type(value) not in self._classes:
            names = ", ".join(sorted(kind.__name__ for kind in self._classes))
            raise RecordError(f"got {_short(value)}, expected one of {names}")
        try:
            return _encode(value)
        except (TypeError, ValueError, OverflowError) as error:
            raise RecordError(f"{type(value).__name__} has no canonical text: {error}") from error

    def encode_checked(self, value: T) -> bytes:
        """The text, once it has been read back as the same value. Raises RecordError if it can't be."""
        text = self.encode(value)
        try:
            back = self._read(text)
        except RecordError as error:
            raise RecordError(f"{type(value).__name__} could not be read back: {error}") from error
        if back != value:
            raise RecordError(f"got {_short(value)}, which its text does not give back")
        return text

    def decode(self, text: bytes | str) -> T:
        """The value. Raises RecordError unless `text` is exactly what `encode` gives for it."""
        try:
            return self._read(text)
        except RecordError as error:
            raise RecordError(f"{error}; was it written by another version, or changed?") from error

    def _read(self, text: bytes | str) -> T:
        try:
            given = text.encode() if isinstance(text, str) else text
            value = self._decode(given)
        except msgspec.ValidationError as error:  # names the place as a path from `$`, the whole text
            raise RecordError(str(error)) from error
        except (msgspec.DecodeError, ValueError, RecursionError) as error:
            raise RecordError(f"not JSON: {error}") from error
        canonical = self.encode(value)
        if canonical != given:
            raise RecordError(_difference(given, canonical))
        if _MANY_DIGITS in given.translate(_DIGITS_TO_ZERO):
            _check_integers(_parse(given), "$")
        return typing.cast(T, value)


def parse(text: bytes | str) -> object:
    """JSON text to plain values. Raises RecordError."""
    try:
        return _parse(text)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise RecordError(f"not JSON: {error}") from error


def sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def _difference(given: bytes, canonical: bytes) -> str:
    pairs = enumerate(zip(given, canonical, strict=False))
    at = next((index for index, (a, b) in pairs if a != b), min(len(given), len(canonical)))
    return (
        f"is not written as this value is written: at byte {at} got {_short(given[at:])}, "
        f"expected {_short(canonical[at:])}"
    )


def _short(value: object) -> str:
    text = repr(value.decode(errors="replace") if isinstance(value, bytes) else value)
    return text if len(text) <= _SHOWN_CHARACTERS else text[: _SHOWN_CHARACTERS - 3] + "..."


def _check_integers(tree: object, where: str) -> None:
    """Raise RecordError for an integer that 64 bits can't hold."""
    if isinstance(tree, dict):
        for name, value in tree.items():
            _check_integers(value, f"{where}.{name}")
    elif isinstance(tree, list):
        for index, value in enumerate(tree):
            _check_integers(value, f"{where}[{index}]")
    elif isinstance(tree, int) and not -_INT_LIMIT <= tree < _INT_LIMIT:
        raise RecordError(f"got {tree}, expected an integer of 64 bits - at `{where}`")
