"""What is wrong with a configuration, said so that a technician can mend it: where, what, expected what, what to do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing to mend. `key` is a path ("wagers.tie.chip"), `line` counts from 1, 0 where no line can be named.

    `section` is the section of the regulation, or the id of a reading, that asks for it; empty for a matter of form.
    """

    key: str
    got: str
    expected: str
    remedy: str
    section: str = ""
    line: int = 0

    def text(self, file: str) -> str:
        """One problem in two lines: the finding, then what to do."""
        place = f"{file}:{self.line}" if self.line else file
        section = f" [{self.section}]" if self.section else ""
        subject = f"{self.key}: " if self.key else ""
        return f"{place}: {subject}{self.got}; expected {self.expected}{section}\n    -> {self.remedy}"


class ConfigurationError(Exception):
    """A configuration that can't be used. `problems` holds everything found, in the order of the file."""

    def __init__(self, file: str, problems: tuple[Problem, ...]) -> None:
        self.file = file
        self.problems = tuple(sorted(problems, key=lambda problem: problem.line))
        super().__init__(self.report())

    def report(self) -> str:
        """Every problem, and how many there are."""
        count = len(self.problems)
        head = "1 problem" if count == 1 else f"{count} problems"
        return "\n".join([*(problem.text(self.file) for problem in self.problems), f"{self.file}: {head}"])
