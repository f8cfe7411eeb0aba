"""The configuration that a scenario is played with: a table's file with the scenario's changes."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec

from hil.other_reader import READERS, exchanged
from hil.scenario.schema import Scenario, ScenarioError

FAST = {"present_ms": 20, "absent_ms": 30, "lateness_ms": 40, "stable_ms": 15}
"""Times of the debounce where a scenario changes none: people's patience is not what is tried."""
TABLES = Path("config/tables")


def configuration(scenario: Scenario, path: Path) -> str:
    """The table's file with the scenario's changes. Raises ScenarioError for a key that the file does not have."""
    places = (path.parent / scenario.table, _project() / TABLES / f"{scenario.table}.toml")
    source = next((place for place in places if place.is_file()), None)
    if source is None:
        raise ScenarioError(f"{path}: no table {scenario.table!r}; looked for {', '.join(map(str, places))}")
    text = source.read_text("utf-8")
    fast = FAST if scenario.refused is None else {}
    changes: dict[str, object] = {f"timing.{key}": value for key, value in fast.items()} | dict(scenario.changes)
    for key, value in changes.items():
        text = _changed(text, key, msgspec.json.encode(value).decode(), path)
    if scenario.reader:
        if scenario.reader not in READERS:
            raise ScenarioError(f"{path}: reader: no {scenario.reader!r}; there are {', '.join(READERS)}")
        text = exchanged(text, scenario.reader)
    return f"{text}\n{scenario.add}"


def _changed(text: str, key: str, value: str, path: Path) -> str:
    section, _, name = key.rpartition(".")
    head = re.search(rf"^\[{re.escape(section)}\][^\n]*\n", text, re.MULTILINE)
    if head is None:
        raise ScenarioError(f"{path}: the table has no section [{section}], which `changes` names")
    rest = text[head.end() :]
    end = next((found.start() for found in [re.search(r"^\[", rest, re.MULTILINE)] if found), len(rest))
    body, count = re.subn(rf"^{re.escape(name)} = .*$", f"{name} = {value}", rest[:end], flags=re.MULTILINE)
    if not count:
        body = f"{name} = {value}\n{body}"
    return text[: head.end()] + body + rest[end:]


def _project() -> Path:
    return Path(__file__).resolve().parents[2]
