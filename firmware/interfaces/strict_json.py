"""One line of JSON, taken strictly: an object or nothing.

Rules:
* Stricter than the standard library's reader: NaN and Infinity, a key given twice, bytes that are not UTF-8 and a lone
  surrogate are refused, since two programs could understand them differently.
* Nesting or a number beyond what the reader takes is refused like any other text that is not JSON; nothing else is
  raised.
"""

from __future__ import annotations

import json
from typing import NoReturn

from firmware.core.errors import ErrorCode, SettlementError

Fields = dict[str, object]
"""A JSON object as read; every value is checked where it is taken out."""


def parse_object(raw: bytes) -> Fields:
    """The object on one line. Raises `SettlementError` (`bad_json`)."""
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


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant)
