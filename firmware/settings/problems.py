"""What is wrong with a configuration, said so that a technician can mend it: where, what, expected what, what to do."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from firmware.settings.toml_lines import line_of

KeyPath = tuple[str, ...]
"""Keys from the top of the file down; entries of an array by number from 0."""

_OF_TABLES = ("spots", "lamps", "lines", "meters", "addresses")
_OF_SCENARIOS = ("step", "journal")
_ARRAYS = _OF_TABLES + _OF_SCENARIOS


class Severity(StrEnum):
    """Whether a table may be played in spite of it."""

    REFUSED = "refused"
    WARNING = "warning"


class Problem(Struct, frozen=True):
    """One thing to mend. `section` is the section of the regulation or the reading that asks for it, empty for a
    matter of form; `line` counts from 1, 0 where no line can be named.
    """

    path: KeyPath
    got: str
    expected: str
    remedy: str
    section: str = ""
    severity: Severity = Severity.REFUSED
    line: int = 0

    @property
    def key(self) -> str:
        """Path as people write it: `wagers.tie.spots[2]`, `meters."royal_9.mega".seed`."""
        parts: list[str] = []
        for index, part in enumerate(self.path):
            if index and part.isdecimal() and self.path[index - 1] in _ARRAYS:
                parts[-1] += f"[{part}]"
            else:
                parts.append(part if part.replace("_", "").replace("-", "").isalnum() else f'"{part}"')
        return ".".join(parts)

    def text(self, file: str) -> str:
        """One problem in two lines: the finding, then what to do."""
        place = f"{file}:{self.line}" if self.line else file
        warning = "warning: " if self.severity is Severity.WARNING else ""
        subject = f"{self.key}: " if self.path else ""
        section = f" [{self.section}]" if self.section else ""
        return f"{place}: {warning}{subject}{self.got}; expected {self.expected}{section}\n    -> {self.remedy}"


class ConfigurationError(Exception):
    """A configuration that can't be used. `problems` holds everything found, in the order of the file; `unjudged`:
    there may be more, since its form did not let the rest be judged.
    """

    def __init__(self, file: str, problems: tuple[Problem, ...], *, unjudged: bool = False) -> None:
        self.file = file
        self.unjudged = unjudged
        self.problems = tuple(sorted(problems, key=lambda problem: problem.line))
        super().__init__(self.report())

    def report(self) -> str:
        """Every problem, and how many there are."""
        refused = sum(problem.severity is Severity.REFUSED for problem in self.problems)
        count = "1 problem" if refused == 1 else f"{refused} problems"
        more = "; what else is wrong shows once this can be read" if self.unjudged else ""
        found = [problem.text(self.file) for problem in self.problems]
        return "\n".join([*found, f"{self.file}: refused, {count}{more}"])


def with_lines(problems: tuple[Problem, ...], text: str) -> tuple[Problem, ...]:
    """The same problems with the lines at which they stand in the file's text."""
    return tuple(replace(problem, line=line_of(text, problem.path)) for problem in problems)
