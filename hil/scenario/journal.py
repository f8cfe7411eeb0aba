"""What a scenario's journal must say when the daemon has ended: its proof, and the entries that were expected."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from hil import summary
from hil.scenario.look import told
from hil.scenario.schema import Entry, Scenario
from hil.settle_check import Settle

NEAREST = 3
"""So many entries are told in the place of one that is missing."""


def differences(scenario: Scenario, journal: Path, settle: Settle) -> Iterator[str]:
    verdict = summary.judge(journal, [], {}, settle=settle)
    wrong = [line for line in verdict.lines if line.startswith("NOT IN ORDER")]
    if scenario.verify is None:
        yield from wrong
    elif not any(scenario.verify in line for line in wrong):
        yield f"the journal's proof must fail with {scenario.verify!r}; it says {wrong or 'that all is in order'}"
    found = list(told(journal))
    kinds = {str(one["type"]) for one in found}
    yield from (f"the journal holds {kind}, which it must never" for kind in scenario.never if kind in kinds)
    at, before = 0, "the beginning"
    for entry in scenario.journal:
        if entry.count is not None:
            if (number := sum(_fits(entry, one) for one in found)) != entry.count:
                yield f"the journal holds {number} times {_words(entry)}, expected {entry.count}"
            continue
        later = next((i for i in range(at, len(found)) if _fits(entry, found[i])), None)
        if later is None:
            yield f"the journal has no {_words(entry)} after {before}; {_instead(entry, found)}"
            return
        at, before = later + 1, _words(entry)


def _fits(entry: Entry, told: dict[str, object]) -> bool:
    if told["type"] != entry.type or any(told.get(key) != value for key, value in entry.where.items()):
        return False
    if any(part not in str(told.get(key)) for key, part in entry.part.items()):
        return False
    return all(isinstance(value := told.get(key), int) and value >= least for key, least in entry.least.items())


def _words(entry: Entry) -> str:
    fields = [
        *(f"{key} {_said(value)}" for key, value in entry.where.items()),
        *(f'{key} with "{part}" in it' for key, part in entry.part.items()),
        *(f"{key} at least {least}" for key, least in entry.least.items()),
    ]
    return f"{entry.type} ({', '.join(fields)})" if fields else entry.type


def _instead(entry: Entry, found: Sequence[Mapping[str, object]]) -> str:
    """The entries of its type that come nearest, with the fields that were asked for."""
    alike = [one for one in found if one["type"] == entry.type]
    if not alike:
        return "of that type it has none"
    keys = (*entry.where, *entry.part, *entry.least)
    alike.sort(key=lambda one: sum(one.get(key) == value for key, value in entry.where.items()), reverse=True)
    if not keys:
        return f"of that type it has {len(alike)}, each before that"
    told = (", ".join(f"{key} {_said(one.get(key))}" for key in keys) for one in alike)
    nearest = list(dict.fromkeys(told))[:NEAREST]
    return f"of that type it has: {'; '.join(nearest)}"


def _said(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)
