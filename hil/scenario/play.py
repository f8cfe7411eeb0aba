"""One scenario from its file to its verdict: configuration, bench, steps, and what the journal must say afterwards."""

from __future__ import annotations

import asyncio
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from firmware.journal.errors import JournalError
from firmware.settings.model import Settings
from firmware.settings.problems import ConfigurationError
from hil import summary
from hil.bench import Bench
from hil.children import PartDied
from hil.chip_control import ChipControlError
from hil.dealer_screen import Stuck
from hil.layout import NotForTheBench, layout_of
from hil.scenario.look import NotSeen, told
from hil.scenario.people import People, StepFailed, refused
from hil.scenario.schema import Entry, Scenario, ScenarioError, read
from hil.simclient import SimError

FAILURES = (PartDied, Stuck, StepFailed, NotSeen, SimError, ChipControlError, NotForTheBench, JournalError)
FAST = {"present_ms": 20, "absent_ms": 30, "lateness_ms": 40, "stable_ms": 15}
"""Times of the debounce where a scenario changes none: people's patience is not what is tried."""
TABLES = Path("config/tables")


class Verdict(Struct, frozen=True):
    """`failed` is empty where all of it came as it had to; else what did not, a line each."""

    file: str
    about: str
    failed: tuple[str, ...]
    seconds: float = 0.0


def play(path: Path, keep: Path | None = None) -> Verdict:
    """Raises ScenarioError for a file that can't be played. `keep`: the run's folder, kept; else a temporary one."""
    scenario = read(path)
    folder = keep or Path(tempfile.mkdtemp(prefix="sc-"))
    try:
        return asyncio.run(_played(scenario, path, folder))
    finally:
        if keep is None:
            shutil.rmtree(folder, ignore_errors=True)


async def _played(scenario: Scenario, path: Path, folder: Path) -> Verdict:
    loop = asyncio.get_running_loop()
    began = loop.time()
    folder.mkdir(parents=True, exist_ok=True)
    config = folder / "table.toml"
    config.write_text(_configuration(scenario, path), "utf-8")
    if scenario.refused is not None:
        failed = await _must_refuse(scenario, config, folder)
    else:
        failed = await _steps(scenario, config, folder)
    return Verdict(path.name, scenario.about, tuple(failed), loop.time() - began)


async def _must_refuse(scenario: Scenario, config: Path, folder: Path) -> list[str]:
    try:
        status, said = await refused(config, folder)
    except StepFailed as error:
        return [str(error)]
    if status == scenario.refused and scenario.says in said:
        return []
    return [f"the daemon ended with {status}, expected {scenario.refused} and {scenario.says!r}; it said:\n{said}"]


async def _steps(scenario: Scenario, config: Path, folder: Path) -> list[str]:
    number = 0
    try:
        layout = layout_of(config, folder)
        async with Bench(layout, 1) as bench:
            await bench.shoe.call("set", copies=3, spacing_ms=1)
            people = People(bench, 1)
            for number, step in enumerate(scenario.step, start=1):  # noqa: B007  # told if it fails
                await people.do(step)
            running = bench.daemon if bench.daemon in bench.children else None
            if running is not None:
                await running.end()
                if (status := await running.ended()) != 0:
                    return [f"the daemon ended with {status} when it was asked to; it said:\n{running.said}"]
        return list(_afterwards(scenario, layout.run_dir / layout.settings.storage.journal))
    except FAILURES as error:
        what = scenario.step[number - 1].__struct_config__.tag if number else "start"
        return [f"step {number}, {what}: {error}"]
    except ConfigurationError as error:
        return [str(error)]


def _configuration(scenario: Scenario, path: Path) -> str:
    """The table's file with the scenario's changes. Raises ScenarioError for a key that the file does not have."""
    places = (path.parent / scenario.table, _project() / TABLES / f"{scenario.table}.toml")
    source = next((place for place in places if place.is_file()), None)
    if source is None:
        raise ScenarioError(f"{path}: no table {scenario.table!r}; looked for {', '.join(map(str, places))}")
    text = source.read_text("utf-8")
    changes: dict[str, object] = {f"timing.{key}": value for key, value in FAST.items()} | dict(scenario.changes)
    for key, value in changes.items():
        text = _changed(text, key, msgspec.json.encode(value).decode(), path)
    return text


def _changed(text: str, key: str, value: str, path: Path) -> str:
    section, _, name = key.rpartition(".")
    head = re.search(rf"^\[{re.escape(section)}\][^\n]*\n", text, re.MULTILINE)
    if head is None and section in Settings.__struct_fields__:  # one that the table leaves at its defaults
        return f"{text}\n[{section}]\n{name} = {value}\n"
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


# --- what the journal must say ----------------------------------------------------------------------------------------


def _afterwards(scenario: Scenario, journal: Path) -> Iterator[str]:
    verdict = summary.judge(journal, [], {})
    if not verdict.good:
        yield from (line for line in verdict.lines if line.startswith("NOT IN ORDER"))
    found = list(told(journal))
    kinds = {str(one["type"]) for one in found}
    yield from (f"the journal holds {kind}, which it must never" for kind in scenario.never if kind in kinds)
    at = 0
    for entry in scenario.journal:
        if entry.count is not None:
            if (number := sum(_fits(entry, one) for one in found)) != entry.count:
                yield f"the journal holds {number} times {_words(entry)}, expected {entry.count}"
            continue
        later = next((i for i in range(at, len(found)) if _fits(entry, found[i])), None)
        if later is None:
            alike = [one for one in found if one["type"] == entry.type]
            yield f"the journal has no {_words(entry)} after entry part {at}; of that type it has {alike[-3:]}"
            return
        at = later + 1


def _fits(entry: Entry, told: dict[str, object]) -> bool:
    return told["type"] == entry.type and all(told.get(key) == value for key, value in entry.where.items())


def _words(entry: Entry) -> str:
    return f"{entry.type} {entry.where}" if entry.where else entry.type


def play_all(paths: Sequence[Path], jobs: int) -> Iterator[Verdict]:
    """Several, `jobs` at a time, each told when it is done."""
    from concurrent.futures import ThreadPoolExecutor, as_completed

    with ThreadPoolExecutor(jobs) as pool:
        for done in as_completed([pool.submit(play, path) for path in paths]):
            yield done.result()
