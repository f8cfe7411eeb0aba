"""One line of JSON, taken strictly: an object or nothing.

Rules:
* Read by a fast reader where that is known to give the same, else by the careful one; a test holds them together.
* Stricter than the standard library's reader: NaN and Infinity, a key given twice, bytes that are not UTF-8 and a lone
  surrogate are refused, since two programs could understand them differently.
* Nesting or a number beyond what the reader takes is refused like any other text that is not JSON; nothing else is
  raised.
"""

from __future__ import annotations

import json
from typing import NoReturn

import msgspec

from firmware.core.errors import ErrorCode, SettlementError

Fields = dict[str, object]
"""A JSON object as read; every value is checked where it is taken out."""


def parse_object(raw: bytes) -> Fields:
    """The object on one line. Raises `SettlementError` (`bad_json`)."""
    quick = _quick(raw)
    return _careful(raw) if quick is None else quick


def _quick(raw: bytes) -> Fields | None:
    """The object, by the fast reader; None where that reader could differ from the careful one.

    The fast reader takes the last of two equal keys without a word. A line without escapes has as many quotation marks
    as its value, unless a key (and with it its quotation marks) was dropped. Long digits are left to the careful one.
    """
    if b"\\" in raw or _LONG_DIGITS in raw.translate(_DIGITS_AS_ZEROS):
        return None
    try:
        value = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if type(value) is not dict or msgspec.json.encode(value).count(b'"') != raw.count(b'"'):
        return None
    return value


def _careful(raw: bytes) -> Fields:
    try:
        text = raw.decode("utf-8")
        value = _DECODER.decode(text)
        if "\\u" in text:  # only an escape can bring a lone surrogate in; encoding the value finds it
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except RecursionError:
        raise _bad("nested too deeply") from None
    except UnicodeEncodeError:
        raise _bad("a lone surrogate is no character") from None
    except ValueError as error:  # not UTF-8, not JSON, or a number of more digits than the reader takes
        raise _bad(str(error)) from None
    if not isinstance(value, dict):
        raise _bad(f"got {shown(value)}, expected an object")
    return value


def shown(value: object) -> str:
    """A value for a message: its JSON, cut where it is long."""
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _bad(why: str) -> SettlementError:
    return SettlementError(ErrorCode.BAD_JSON, f"the line is no JSON object: {why}")


def _unique(pairs: list[tuple[str, object]]) -> Fields:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {shown(twice)} is given twice")
    return fields


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


_LONG_DIGITS = b"0" * 16
_DIGITS_AS_ZEROS = bytes.maketrans(b"123456789", b"000000000")
_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant)
