"""What is wrong with a wiring: the findings of `tabled check` that are of lines, lamps, ports and buses, and those of
this machine."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from firmware.settings import check_wiring
from firmware.settings.problems import KeyPath, Problem, Severity, with_lines
from hil.lease import Configuration
from hil.wiring import here
from hil.wiring.plan import Plan

OF_A_WAGER = ("spots", "lamps")
OF_A_DEVICE_BUT_NOT_ITS_WIRES = ("kind",)


def findings(table: Configuration, plan: Plan, root: Path = Path("/")) -> tuple[Problem, ...]:
    """In the order of the file."""
    found = [problem for problem in check_wiring.problems(table.settings) if _of_wires(problem.path)]
    found += here.problems(plan, root)
    return tuple(sorted(with_lines(tuple(found), table.text), key=lambda problem: problem.line))


def _of_wires(path: KeyPath) -> bool:
    match path:
        case ("devices", _, key, *_):
            return key not in OF_A_DEVICE_BUT_NOT_ITS_WIRES
        case ("devices" | "keys", *_):
            return True
        case ("wagers", _, key, *_):
            return key in OF_A_WAGER
        case _:
            return False


def refused(problems: Sequence[Problem]) -> int:
    """How many of them keep the table from being played."""
    return sum(problem.severity is Severity.REFUSED for problem in problems)
