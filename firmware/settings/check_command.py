"""`tabled check FILE`: what `check` found, printed for a person, and the exit status.

Exit status 0: the table may be played (warnings are shown); 78 (EX_CONFIG): it is refused. The daemon calls `checked`
at its start and ends with the same status, which systemd does not restart (`RestartPreventExitStatus=78`).
"""

from __future__ import annotations

from pathlib import Path
from typing import TextIO

from firmware.settings.check import CheckedTable, load_checked
from firmware.settings.model import Settings
from firmware.settings.problems import ConfigurationError, Problem, Severity, with_lines

EX_OK = 0
EX_CONFIG = 78


def run_check(file: Path, today: str, out: TextIO) -> int:
    """Check one table and print what there is to say. `today` is an ISO date. Returns the exit status."""
    try:
        table = checked(file, today, out)
    except ConfigurationError as error:
        print(error.report(), file=out)
        return EX_CONFIG
    settings = table.settings
    for warning in with_lines(_zone_problems(settings), table.text):
        print(warning.text(str(file)), file=out)
    meters = len(settings.meters)
    sensed = sum(len(offer.spots) for offer in settings.wagers.values())
    print(
        f"{file}: table {settings.table.id}, {settings.table.game}, {settings.table.profile}: may be played; "
        f"{_counted(len(settings.wagers), 'wager')}, {_counted(sensed, 'sensed spot')}, {_counted(meters, 'meter')}",
        file=out,
    )
    return EX_OK


def _counted(number: int, what: str) -> str:
    return f"{number} {what if number == 1 else what + 's'}"


def _zone_problems(settings: Settings) -> tuple[Problem, ...]:
    """A time zone that this machine has no rules for; accounts may be drawn on another machine, so it only warns."""
    from zoneinfo import ZoneInfo, ZoneInfoNotFoundError  # here, since the daemon starts without it

    zone = settings.reports.time_zone
    try:
        ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        expected, remedy = "a zone that this machine knows", "Write America/New_York, or install tzdata."
        return (Problem(("reports", "time_zone"), repr(zone), expected, remedy, severity=Severity.WARNING),)
    return ()


def checked(file: Path, today: str, out: TextIO) -> CheckedTable:
    """The table; warnings go to `out`. Raises ConfigurationError when the table may not be played."""
    table = load_checked(file, today)
    for warning in table.warnings:
        print(warning.text(str(file)), file=out)
    return table
