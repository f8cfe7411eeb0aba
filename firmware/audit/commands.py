"""`tabled journal audit FILE` and `tabled journal accounts FILE`: the money of a journal, for auditors and accountants.

Rules:
* The chain is verified first: figures of a journal that was altered are worth nothing. Both then read the whole file
  once, from its first entry to the last that was verified; they work while the daemon runs, and nothing is written.
* Exit status 0: everything agrees; 1: the chain is damaged or a finding was made; 2: it can't be read, or was asked for
  wrongly. A finding is a line on standard error that begins with NOT IN ORDER; the figures are then what the journal
  says, not what is right.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from firmware.app.program import rules_of, settings_of
from firmware.audit import sheets
from firmware.audit.accounts import Reading, readings
from firmware.audit.auditor import Auditor
from firmware.audit.days import GamingDays, UnknownZone, WholeJournal
from firmware.audit.items import Compared, Finding
from firmware.audit.tables import Table, csv_lines, json_rows, text_lines
from firmware.audit.w2g import thresholds
from firmware.audit.walk import Found, walk
from firmware.journal.commands import counted, reporting
from firmware.journal.errors import JournalError
from firmware.journal.reader import Reader
from firmware.journal.records import HEADER_CODEC, NO_HASH
from firmware.journal.verify import Report
from firmware.settings.fields import HOUR_EXPECTED, HOUR_PATTERN
from firmware.settings.model import Reports
from firmware.settings.paytables import is_date

AUDIT_SHEETS = ("meters", "contributions", "wagers", "payouts", "totals")
"""What the audit sums up over the whole journal."""


def main_audit(arguments: Sequence[str]) -> int:
    """`audit FILE`: prove every meter from the first entry; settle every round anew."""
    parser = argparse.ArgumentParser(prog="tabled journal audit", description=main_audit.__doc__)
    parser.add_argument("file", type=Path)
    options = parser.parse_args(arguments)
    return _with_findings(lambda: _audit(options.file))


def main_accounts(arguments: Sequence[str]) -> int:
    """`accounts FILE`: meter readings, coin-in, payouts and W-2G candidates by gaming day."""
    parser = argparse.ArgumentParser(
        prog="tabled journal accounts",
        description=main_accounts.__doc__,
        epilog="A day without entries has no reading. A time that ends in '?' is of a clock not known to be set.",
    )
    parser.add_argument("file", type=Path)
    parser.add_argument("--format", choices=("text", "csv", "json"), default="text")
    parser.add_argument("--table", choices=tuple(sheets.SHEETS), help="this table only; CSV holds one (meters)")
    parser.add_argument(
        "--from", dest="first", type=_day, default="0001-01-01", metavar="DAY", help="from this gaming day on"
    )
    parser.add_argument("--to", dest="last", type=_day, default="9999-12-31", metavar="DAY", help="to this gaming day")
    parser.add_argument("--time-zone", help="instead of the configuration's reports.time_zone")
    parser.add_argument("--day-starts", type=_hour, metavar="HH:MM", help="instead of reports.gaming_day_starts")
    options = parser.parse_args(arguments)
    return _with_findings(lambda: _accounts(options))


def _with_findings(command: Callable[[], Iterator[str | Found]]) -> int:
    """Print a command's lines, its findings on standard error as they are made; the exit status."""
    findings = 0

    def lines() -> Iterator[str]:
        nonlocal findings
        try:
            for one in command():
                if isinstance(one, str):
                    yield one
                else:
                    findings += 1
                    print(f"NOT IN ORDER: {_say(one)}", file=sys.stderr)
        except UnknownZone as error:
            raise JournalError(str(error)) from error

    return reporting(lines) or min(findings, 1)


def _say(found: Found) -> str:
    when, item = found
    assert isinstance(item, Finding)
    return f"entry {when.seq}: {item.subject}: {item.what}: expected {item.expected}; found {item.found}"


# --- audit ------------------------------------------------------------------------------------------------------------


def _audit(path: Path) -> Iterator[str | Found]:
    with Reader(path) as reader:
        report = reader.verify()
        days = WholeJournal("UTC", "00:00")
        yield from _head("Audit", reader, report)
        compared: Counter[str] = Counter()
        findings = 0
        whole: Reading | None = None
        auditor = Auditor()
        for one in readings(_counting(walk(reader, auditor, _last_seq(report)), compared), days, (), listing=False):
            if isinstance(one, Reading):
                whole = one
            else:
                findings += 1
                yield one
        if whole is not None:
            for name in AUDIT_SHEETS:
                yield from _sheet(name, whole, days)
        yield ""
        yield "Compared with what the audit makes of it, from the records alone"
        yield from (f"  {what:<24} {count:>12,}" for what, count in compared.items())
        yield ""
        if findings:
            yield f"NOT IN ORDER: {counted(findings, 'finding')}, each on standard error with its entry"
        else:
            yield "in order: every meter balances after every entry, and everything compared agrees"


def _counting(items: Iterable[Found], compared: Counter[str]) -> Iterator[Found]:
    for found in items:
        if isinstance(found.item, Compared):
            compared[found.item.what.value] += found.item.count
        yield found


# --- accounts ---------------------------------------------------------------------------------------------------------


def _accounts(options: argparse.Namespace) -> Iterator[str | Found]:
    with Reader(options.file) as reader:
        report = reader.verify()
        days = _days(reader, options)
        found = readings(walk(reader, Auditor(), _last_seq(report)), days, thresholds())
        wanted = (one for one in found if isinstance(one, Found) or options.first <= one.day <= options.last)
        match options.format:
            case "csv":
                yield from _as_csv(wanted, days, sheets.SHEETS[options.table or "meters"][0].name)
            case "json":
                yield from _as_json(wanted, days, reader, report, _names(options))
            case _:
                yield from _head("Accounts", reader, report)
                yield from _as_text(wanted, days, _names(options))


def _names(options: argparse.Namespace) -> tuple[str, ...]:
    return (options.table,) if options.table else tuple(sheets.SHEETS)


def _as_text(found: Iterable[Reading | Found], days: GamingDays, names: Sequence[str]) -> Iterator[str | Found]:
    for one in found:
        if isinstance(one, Found):
            yield one
            continue
        first, _ = days.clock_time(one.first.wall_ns)
        last, offset = days.clock_time(one.last.wall_ns)
        yield ""
        yield f"Gaming day {one.day}"
        yield f"  entries {one.first.seq:,} to {one.last.seq:,}, {first} to {last} ({offset})"
        yield f"  clock {sheets.clock(one.trusted)}"
        for name in names:
            yield from _sheet(name, one, days)


def _as_csv(found: Iterable[Reading | Found], days: GamingDays, name: str) -> Iterator[str | Found]:
    table, rows = sheets.SHEETS[name]
    wide = Table(table.name, table.title, (*sheets.DAY_COLUMNS, *table.columns))
    yield from csv_lines(wide, (), head=True)
    for one in found:
        if isinstance(one, Found):
            yield one
        else:
            before = sheets.day_values(one)
            yield from csv_lines(wide, ((*before, *row) for row in rows(one, days)), head=False)


def _as_json(
    found: Iterable[Reading | Found], days: GamingDays, reader: Reader, report: Report, names: Sequence[str]
) -> Iterator[str | Found]:
    """One object, a line for each day."""
    head = json.dumps({"journal": report.head.hex(), "entries": report.entries, **_table_of(reader)})
    yield f'{head[:-1]}, "readings": ['
    comma = ""
    for one in found:
        if isinstance(one, Found):
            yield one
            continue
        values = dict(zip((column.name for column in sheets.DAY_COLUMNS), sheets.day_values(one), strict=True))
        tables = {name: json_rows(sheets.SHEETS[name][0], sheets.SHEETS[name][1](one, days)) for name in names}
        yield comma + json.dumps({**values, **tables}, ensure_ascii=False)
        comma = ", "
    yield "]}"


# --- what both say ----------------------------------------------------------------------------------------------------


def _sheet(name: str, reading: Reading, days: GamingDays) -> Iterator[str]:
    table, rows = sheets.SHEETS[name]
    lines = text_lines(table, rows(reading, days))
    for index, line in enumerate(lines):
        if index == 0:
            yield ""
        yield line


def _head(title: str, reader: Reader, report: Report) -> Iterator[str]:
    yield f"{title} of " + (", ".join(_table_of(reader).values()) or "a journal without a segment")
    yield f"  chain in order: {counted(report.segments, 'segment')}, {report.entries:,} entries"
    yield f"  head {report.head.hex()}"
    if report.anchor != NO_HASH:
        yield f"  continues at entry {report.first_seq:,} the file with head {report.anchor.hex()}"


def _table_of(reader: Reader) -> dict[str, str]:
    """The table as the last start knew it."""
    segments = reader.segments()
    if not segments:
        return {}
    header = HEADER_CODEC.decode(segments[-1].header)
    rules = rules_of(header)
    return {"table": rules.table_id, "game": rules.game, "profile": header.profile}


def _days(reader: Reader, options: argparse.Namespace) -> GamingDays:
    """As the last start was configured, unless the call says otherwise."""
    segments = reader.segments()
    reports = settings_of(HEADER_CODEC.decode(segments[-1].header)).reports if segments else Reports()
    return GamingDays(options.time_zone or reports.time_zone, options.day_starts or reports.gaming_day_starts)


def _last_seq(report: Report) -> int:
    return report.first_seq + report.entries - 1


def _day(text: str) -> str:
    if not is_date(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no day; expected YYYY-MM-DD")
    return text


def _hour(text: str) -> str:
    if re.fullmatch(HOUR_PATTERN, text) is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not {HOUR_EXPECTED}")
    return text
