"""Writes `config/REFERENCE.md` from the very types that a configuration is decoded into.

    python -m firmware.settings.reference          write it
    python -m firmware.settings.reference --check  exit 1 if it is not what would be written

So a key can't exist without its description, and a description can't outlive its key.
"""

from __future__ import annotations

import argparse
import sys
from enum import StrEnum
from pathlib import Path
from types import UnionType
from typing import TypeGuard, get_args, get_origin

import msgspec

from firmware.settings.devices.options import DeviceOptions
from firmware.settings.load import strip
from firmware.settings.looks import Look
from firmware.settings.model import Settings
from firmware.settings.section import Section

FILE = Path(__file__).resolve().parents[2] / "config" / "REFERENCE.md"

INTRODUCTION = """# Configuration reference

Made by `python -m firmware.settings.reference` from `firmware/settings`; do not edit.

A table is one TOML file; `config/tables/` holds complete examples. Keys that are not listed here are refused, with the
nearest key that exists. Amounts and rates stand in quotes, so that nothing makes a binary fraction of them. Relative
paths lie under the run directory. `tabled check FILE` says everything that is wrong with a file, with line, key,
section of the regulation and remedy; its exit status is 0 when the table may be played, 78 when it is refused, 2 when
the call was wrong. A lapsed paytable (X26) is played by a production table only while `rules_submission` names who
answers for it and why.
"""


def reference() -> str:
    """The whole document."""
    parts = [INTRODUCTION, *_sections(Settings, "")]
    return "\n".join(parts)


def _sections(struct: type[msgspec.Struct], prefix: str) -> list[str]:
    """A heading and a table for every section below `struct`, in the order of its keys; keys of one shape together."""
    parts: list[str] = []
    alike: dict[type[Section], list[str]] = {}
    for field in msgspec.structs.fields(struct):
        base, meta = strip(field.type)
        name = f"{prefix}{field.encode_name}"
        item = strip(get_args(base)[1])[0] if get_origin(base) is dict else _if_given(base)
        if isinstance(item, UnionType):
            parts += [f"## [{name}.NAME]\n", f"{_description(meta)}. `kind` chooses the options.\n"]
            parts += [text for option in get_args(item) for text in _device(option)]
        elif _is_section(item):
            alike.setdefault(item, []).append(f"{name}.NAME" if get_origin(base) is dict else name)
        elif get_origin(base) is dict and not prefix:
            shape = _type(get_args(base)[1])
            parts += [f"## [{name}]\n", f"{_description(meta)}. Keys are position numbers, values {shape}.\n"]
    sections = [
        text
        for section, names in alike.items()
        for text in (
            "## " + ", ".join(f"[{name}]" for name in names) + "\n",
            _doc(section),
            _table(section),
            *_sections(section, f"{names[0]}."),
        )
    ]
    return [*sections, *parts]


def _if_given(base: object) -> object:
    """The section that an optional key may hold; any other type as it is."""
    options = [option for option in get_args(base) if option is not type(None)] if isinstance(base, UnionType) else []
    return options[0] if len(options) == 1 else base


def _device(option: type[DeviceOptions]) -> list[str]:
    simulated = " Simulated: refused by the production profile." if option.simulated else ""
    kind = option.__struct_config__.tag
    return [f'### kind = "{kind}"\n', f"{_doc(option).rstrip()}{simulated}\n", _table(option)]


def _description(meta: msgspec.Meta | None) -> str:
    return (meta.description or "") if meta is not None else ""


def _is_section(base: object) -> TypeGuard[type[Section]]:
    return isinstance(base, type) and issubclass(base, Section)


def _doc(struct: object) -> str:
    return " ".join((struct.__doc__ or "").split()) + "\n"


def _table(struct: type[msgspec.Struct]) -> str:
    rows = []
    for field in msgspec.structs.fields(struct):
        _, meta = strip(field.type)
        extra = (meta.extra or {}) if meta is not None else {}
        cells = (
            f"`{field.encode_name}`",
            _description(meta),
            _type(field.type),
            extra.get("unit", ""),
            _default(field),
        )
        rows.append("| " + " | ".join([*cells, extra.get("source", "")]) + " |")
    if not rows:
        return "No options.\n"
    return "\n".join(["| key | meaning | value | unit | default | source |", "|---|---|---|---|---|---|", *rows, ""])


def _default(field: msgspec.structs.FieldInfo) -> str:
    if field.required:
        return "required"
    if isinstance(field.default, Look):
        return f'`{{ colour = "{field.default.colour}", pattern = "{field.default.pattern}" }}`'
    if isinstance(field.default, Section):
        return "see there"
    if field.default_factory is not msgspec.NODEFAULT or field.default in ("", None):
        return "none"
    if isinstance(field.default, bool):
        return f"`{str(field.default).lower()}`"
    return f"`{field.default}`"


def _type(expected: object) -> str:
    base, meta = strip(expected)
    wording = str((meta.extra or {}).get("expected", "")) if meta is not None else ""
    if get_origin(base) is list:
        item = _type(get_args(base)[0])
        return f"{wording}, each {item}" if wording else f"array, each {item}"
    if wording:
        return wording.replace("|", "\\|")
    if isinstance(base, type) and issubclass(base, StrEnum):
        return ", ".join(f"`{member.value}`" for member in base)
    if get_origin(base) is dict or _is_section(_if_given(base)):
        return "table"
    if base is bool:
        return "`true` or `false`"
    return "text" if base is str else str(base)


def main(arguments: list[str] | None = None) -> int:
    """Write or check the file."""
    parser = argparse.ArgumentParser(description="Write config/REFERENCE.md from the configuration's types.")
    parser.add_argument("--check", action="store_true", help="change nothing; exit 1 if the file is out of date")
    options = parser.parse_args(arguments)
    text = reference()
    if options.check:
        fresh = FILE.is_file() and FILE.read_text(encoding="utf-8") == text
        print("fresh" if fresh else f"{FILE.name} is out of date: run python -m firmware.settings.reference")
        return 0 if fresh else 1
    FILE.write_text(text, encoding="utf-8")
    print(f"wrote {FILE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
