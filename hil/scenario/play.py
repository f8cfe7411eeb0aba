"""One scenario from its file to its verdict: configuration, bench, steps, and what the journal must say afterwards."""

from __future__ import annotations

import asyncio
import contextlib
import re
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from firmware.journal.errors import JournalError
from firmware.settings.problems import ConfigurationError
from hil import summary
from hil.bench import Bench
from hil.children import PartDied
from hil.chip_control import ChipControlError
from hil.dealer_screen import Stuck
from hil.layout import NotForTheBench, layout_of
from hil.other_reader import READERS, exchanged
from hil.scenario import names, schema
from hil.scenario.look import NotSeen, told
from hil.scenario.people import People, StepFailed, refused
from hil.scenario.schema import Entry, Scenario, ScenarioError, read
from hil.scenario.troubles import CanNotBeDone, Troubles
from hil.simclient import SimError

FAILURES = (
    PartDied, Stuck, StepFailed, NotSeen, CanNotBeDone, SimError, ChipControlError, NotForTheBench, JournalError,
)  # fmt: skip
AILING = schema.Disk | schema.Clock | schema.Busy
"""Steps for which the daemon has to run on a machine that can fail."""
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
        if named_wrongly := list(names.wrong(scenario, layout)):
            return named_wrongly
        unstarted = Bench(layout, 1)
        if scenario.watchdog_ms:
            unstarted.daemon_environment["WATCHDOG_USEC"] = str(scenario.watchdog_ms * 1000)
        troubles = Troubles(unstarted, any(isinstance(step, AILING) for step in scenario.step))
        async with unstarted as bench, contextlib.AsyncExitStack() as at_the_end:
            at_the_end.callback(troubles.close)
            await bench.shoe.call("set", copies=3, spacing_ms=1)
            people = People(bench, troubles, 1, scenario.watchdog_ms)
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


# --- what the journal must say ----------------------------------------------------------------------------------------


def _afterwards(scenario: Scenario, journal: Path) -> Iterator[str]:
    verdict = summary.judge(journal, [], {})
    wrong = [line for line in verdict.lines if line.startswith("NOT IN ORDER")]
    if scenario.verify is None:
        yield from wrong
    elif not any(scenario.verify in line for line in wrong):
        yield f"the journal's proof must fail with {scenario.verify!r}; it says {wrong or 'that all is in order'}"
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
    if told["type"] != entry.type or any(told.get(key) != value for key, value in entry.where.items()):
        return False
    if any(part not in str(told.get(key)) for key, part in entry.part.items()):
        return False
    return all(isinstance(value := told.get(key), int) and value >= least for key, least in entry.least.items())


def _words(entry: Entry) -> str:
    fields = [
        *(f"{key} = {value!r}" for key, value in entry.where.items()),
        *(f"{key} has {part!r}" for key, part in entry.part.items()),
        *(f"{key} >= {least}" for key, least in entry.least.items()),
    ]
    return f"{entry.type} ({', '.join(fields)})" if fields else entry.type


def play_all(paths: Sequence[Path], jobs: int) -> Iterator[Verdict]:
    """Several, `jobs` at a time, each told when it is done."""
    from concurrent.futures import ThreadPoolExecutor, as_completed

    for path in paths:
        read(path)  # a file that can't be played is told before any is
    with ThreadPoolExecutor(jobs) as pool:
        for done in as_completed([pool.submit(play, path) for path in paths]):
            yield done.result()
