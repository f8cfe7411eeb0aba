"""Facts of the machine as measurements."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from drivers import facts
from drivers.facts.fact import Fact, Needs, Verdict
from hil.codes.machine import code_of
from hil.measure import Measurement, Outcome

COMMAND_LIMIT_S = 5.0
OUTCOMES = {
    Verdict.GOOD: Outcome.PASS,
    Verdict.WARN: Outcome.WARN,
    Verdict.BAD: Outcome.FAIL,
    Verdict.NOT_KNOWN: Outcome.NOT_KNOWN,
}


def measured(found: Iterable[Fact]) -> Iterator[Measurement]:
    for fact in found:
        outcome = OUTCOMES[fact.verdict]
        yield Measurement("machine", fact.name, fact.value, "", fact.limits, outcome, code_of(fact), fact.remedy)


def read_here(needs: Needs) -> tuple[Fact, ...]:
    """Read by this process, with `vcgencmd` where the kernel has no file of its own."""
    return facts.read(Path("/"), needs, run)


def run(command: Sequence[str]) -> str | None:
    """A command's output; None where it is not installed, fails, or does not end in time."""
    program = shutil.which(command[0])
    if program is None:
        return None
    try:
        done = subprocess.run(
            [program, *command[1:]], capture_output=True, text=True, timeout=COMMAND_LIMIT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
