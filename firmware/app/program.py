"""The core as the journal replays it: codecs, rules from a segment's header, opening state, step.

Rules:
* A segment's header holds the configuration and the paytables as text: a replay needs no file but the journal.
* A segment of rules that this version does not know is refused with the version that can replay it.
"""

from __future__ import annotations

import functools
import hashlib
from pathlib import Path

import msgspec

import drivers
import firmware
from firmware.core.effects import Effect
from firmware.core.events import Event
from firmware.core.rules import TableRules
from firmware.core.state import RULES_VERSION, STATE_SCHEMA, State, initial_state
from firmware.core.step import step
from firmware.journal.errors import UnknownRules
from firmware.journal.records import RecordCodec, SegmentHeader
from firmware.journal.replay import Program
from firmware.journal.writer import Journal, Outcome
from firmware.settings.load import decode
from firmware.settings.model import Settings
from firmware.settings.paytables import catalogue_of, chapter_texts
from firmware.settings.rules import to_rules

VERSION = "0.1.0"

TableCodec = RecordCodec[Event, Effect, State]
TableJournal = Journal[Event, Effect, State]
TableOutcome = Outcome
TableProgram = Program[TableRules, State, Event, Effect]


class Filed(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a segment's header keeps of the files that it was written under."""

    table: str
    paytables: dict[str, str]


@functools.cache
def codec() -> TableCodec:
    """How events, effects and states are written. Reading it off the classes takes some time, so it is done once."""
    return RecordCodec(Event, Effect, State)


def filed(table_text: str) -> str:
    """The header's `configuration`: the table's file and the paytables that are installed with this code."""
    return msgspec.json.encode(Filed(table_text, dict(chapter_texts())), order="sorted").decode()


@functools.cache
def paytables_hash() -> str:
    """SHA-256, hex, over every installed paytable file, by name and content."""
    return text_hash(msgspec.json.encode(dict(chapter_texts()), order="sorted").decode())


def settings_of(header: SegmentHeader) -> Settings:
    """The configuration that the segment was written under. Raises ConfigurationError for a bad header."""
    return decode(msgspec.json.decode(header.configuration, type=Filed).table, "segment header")


def rules_of(header: SegmentHeader) -> TableRules:
    """The rules that the segment was written under. Raises ConfigurationError or PaytableFileError for a bad header."""
    for configuration, rules in _known:
        if configuration == header.configuration:
            return rules
    kept = msgspec.json.decode(header.configuration, type=Filed)
    settings = decode(kept.table, "segment header")
    rules = to_rules(settings, catalogue_of(kept.paytables, settings.table.game))
    know(header.configuration, rules)
    return rules


_known: list[tuple[str, TableRules]] = []
"""The last configuration and its rules: one start after the other is made under the same."""


def know(configuration: str, rules: TableRules) -> None:
    """`rules` were made from this very text (`filed`): a segment that holds it needs not be read again."""
    _known[:] = [(configuration, rules)]


def programs(header: SegmentHeader) -> TableProgram:
    """The program for a segment. Raises UnknownRules."""
    if header.rules_version != RULES_VERSION or header.state_schema != STATE_SCHEMA:
        raise UnknownRules(
            f"the segment was written by version {header.firmware_version} with rules {header.rules_version} and state "
            f"schema {header.state_schema}; this is version {VERSION} with rules {RULES_VERSION} and schema "
            f"{STATE_SCHEMA}. Replay it with version {header.firmware_version}"
        )
    return Program(
        codec=codec(),
        rules=rules_of,
        opening=lambda rules, before: initial_state(rules) if before is None else before,
        step=step,
    )


@functools.cache
def code_hash() -> str:
    """SHA-256, hex, over every Python file of the daemon, by name and content."""
    digest = hashlib.sha256()
    for package in (firmware, drivers):
        root = Path(package.__path__[0])
        for file in sorted(root.rglob("*.py")):
            digest.update(f"{package.__name__}/{file.relative_to(root)}\0".encode())
            digest.update(hashlib.sha256(file.read_bytes()).digest())
    return digest.hexdigest()


def text_hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
