"""One scenario from its file to its verdict; several, so many at a time."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec import Struct

from firmware.journal.errors import JournalError
from firmware.settings.problems import ConfigurationError
from hil.bench import Bench
from hil.children import PartDied
from hil.chip_control import ChipControlError
from hil.dealer_screen import Stuck
from hil.layout import NotForTheBench, layout_of
from hil.nursery import Nursery
from hil.scenario import check_names, schema
from hil.scenario.configuration import configuration
from hil.scenario.journal import differences
from hil.scenario.look import NotSeen
from hil.scenario.machine import CanNotBeDone, Machine
from hil.scenario.people import People, StepFailed, refused
from hil.scenario.schema import Scenario, read
from hil.simclient import SimError

FAILURES = (
    PartDied, Stuck, StepFailed, NotSeen, CanNotBeDone, SimError, ChipControlError, NotForTheBench, JournalError,
)  # fmt: skip
FAILING = schema.Disk | schema.Clock | schema.Busy
"""Steps for which the daemon has to run on a machine that can fail."""


class Verdict(Struct, frozen=True):
    """`failed` is empty where all of it came as it had to; else what did not, a line each."""

    file: str
    about: str
    failed: tuple[str, ...]
    seconds: float = 0.0


def play(path: Path, nursery: Nursery, keep: Path | None = None) -> Verdict:
    """Raises ScenarioError for a file that can't be played. `keep`: the run's folder, kept; else a temporary one."""
    scenario = read(path)
    folder = keep or Path(tempfile.mkdtemp(prefix="sc-"))
    try:
        return asyncio.run(_played(scenario, path, folder, nursery))
    finally:
        if keep is None:
            shutil.rmtree(folder, ignore_errors=True)


async def _played(scenario: Scenario, path: Path, folder: Path, nursery: Nursery) -> Verdict:
    loop = asyncio.get_running_loop()
    began = loop.time()
    folder.mkdir(parents=True, exist_ok=True)
    config = folder / "table.toml"
    config.write_text(configuration(scenario, path), "utf-8")
    if scenario.refused is not None:
        failed = await _must_refuse(scenario, config, folder, nursery)
    else:
        failed = await _steps(scenario, config, folder, nursery)
    return Verdict(path.name, scenario.about, tuple(failed), loop.time() - began)


async def _must_refuse(scenario: Scenario, config: Path, folder: Path, nursery: Nursery) -> list[str]:
    try:
        status, said = await refused(nursery.start, config, folder)
    except StepFailed as error:
        return [str(error)]
    if status == scenario.refused and scenario.says in said:
        return []
    return [f"the daemon ended with {status}, expected {scenario.refused} and {scenario.says!r}; it said:\n{said}"]


async def _steps(scenario: Scenario, config: Path, folder: Path, nursery: Nursery) -> list[str]:
    def settle(file: Path) -> tuple[int, bytes]:
        return nursery.answered("firmware.cli", ["settle", str(file)])

    number = 0
    try:
        layout = layout_of(config, folder)
        if named_wrongly := list(check_names.wrong(scenario, layout)):
            return named_wrongly
        unstarted = Bench(layout, 1, nursery.start)
        if scenario.watchdog_ms:
            unstarted.daemon_environment["WATCHDOG_USEC"] = str(scenario.watchdog_ms * 1000)
        machine = Machine(unstarted, any(isinstance(step, FAILING) for step in scenario.step))
        async with unstarted as bench, contextlib.AsyncExitStack() as at_the_end:
            at_the_end.callback(machine.close)
            await bench.shoe.call("set", copies=3, spacing_ms=1)
            people = People(bench, machine, 1, scenario.watchdog_ms)
            for number, step in enumerate(scenario.step, start=1):  # noqa: B007  # told if it fails
                await people.do(step)
            running = bench.daemon if bench.daemon in bench.children else None
            if running is not None:
                await running.end()
                if (status := await running.ended()) != 0:
                    return [f"the daemon ended with {status} when it was asked to; it said:\n{running.said}"]
        return list(differences(scenario, layout.run_dir / layout.settings.storage.journal, settle))
    except FAILURES as error:
        what = scenario.step[number - 1].__struct_config__.tag if number else "start"
        return [f"step {number}, {what}: {error}"]
    except ConfigurationError as error:
        return [str(error)]


def play_all(paths: Sequence[Path], nursery: Nursery, jobs: int) -> Iterator[Verdict]:
    """Several, `jobs` at a time, each told when it is done."""
    from concurrent.futures import ThreadPoolExecutor, as_completed

    for path in paths:
        read(path)  # a file that can't be played is told before any is
    with ThreadPoolExecutor(jobs) as pool:
        for done in as_completed([pool.submit(play, path, nursery) for path in paths]):
            yield done.result()
