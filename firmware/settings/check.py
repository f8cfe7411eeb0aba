"""Says whether a table may be played: `check` for `tabled check` and for the daemon's start, the same function.

Rules: it judges a configuration whose form is right (`load`), or right but for misspelt keys, reports everything it
finds at once, and changes nothing. Where the form is otherwise wrong it says that there may be more.
A REFUSED problem keeps the daemon from starting (exit status 78); a WARNING is shown. What needs the machine itself
(does the port exist?) is not judged here: a table starts with a device unplugged.
"""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

from firmware.core.paytables import Catalogue
from firmware.settings import check_codes, check_identity, check_money, check_mystery, check_results, check_wiring
from firmware.settings.fields import PLACEHOLDER
from firmware.settings.load import examined, read
from firmware.settings.model import Profile, Settings
from firmware.settings.paytables import load_catalogue
from firmware.settings.problems import ConfigurationError, Problem, Severity, with_lines


def check(settings: Settings, catalogue: Catalogue, today: str) -> tuple[Problem, ...]:
    """Every problem of `settings`, without lines. `today` is an ISO date: a paytable's text must be in force on it."""
    return (
        *_placeholders(settings),
        *check_money.problems(settings, catalogue, today),
        *check_mystery.problems(settings, catalogue, today),
        *check_wiring.problems(settings),
        *check_codes.problems(settings),
        *check_results.problems(settings),
        *check_identity.problems(settings),
    )


class CheckedTable(Struct, frozen=True):
    """A table that may be played: its settings, the very text that they were read from, and what was warned of."""

    settings: Settings
    catalogue: Catalogue  # of its game
    text: str
    warnings: tuple[Problem, ...]


def load_checked(file: Path, today: str) -> CheckedTable:
    """Read a table, once, and check it. Raises ConfigurationError when anything is refused, PaytableFileError."""
    text = read(file)
    settings, misspelt = examined(text, str(file))
    if settings is None:
        raise ConfigurationError(str(file), misspelt, unjudged=True)
    catalogue = load_catalogue(settings.table.game)
    found = (*misspelt, *with_lines(check(settings, catalogue, today), text))
    if any(problem.severity is Severity.REFUSED for problem in found):
        raise ConfigurationError(str(file), found)
    return CheckedTable(settings, catalogue, text, found)


def _placeholders(settings: Settings) -> tuple[Problem, ...]:
    if settings.table.profile is Profile.SIMULATED:
        return ()
    submission = settings.rules_submission
    filed = ("rules_submission", "reference")
    texts = {
        ("table", "id"): settings.table.id,
        filed: submission.reference,
        ("rules_submission", "expired_rules_accepted_by"): submission.expired_rules_accepted_by,
        ("rules_submission", "expired_rules_reason"): submission.expired_rules_reason,
    }
    found = tuple(
        Problem(
            path,
            f"still the example's {text!r}",
            "the casino's own text",
            "Put in what the approved Rules Submission says.",
            "601a.2",
        )
        for path, text in texts.items()
        if text.startswith(PLACEHOLDER)
    )
    if not found and not any(character.isdigit() for character in submission.reference):
        got, expected = f"{submission.reference!r} has no digit", "the filing's number and date"
        return (Problem(filed, got, expected, "Write what the casino filed.", "601a.2", Severity.WARNING),)
    return found
