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
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from firmware.journal.commands import counted, expect_continues, reporting
from firmware.journal.errors import JournalError
from firmware.journal.reader import Reader
from firmware.journal.records import HEADER_CODEC, NO_HASH, SegmentHeader
from firmware.journal.verify import Report
from firmware.settings.fields import HOUR_EXPECTED, HOUR_PATTERN
from firmware.settings.model import Reports
from firmware.settings.paytables import is_date

FILES_HELP = "in order, where files continue each other"
AUDIT_SHEETS = ("meters", "contributions", "wagers", "payouts", "totals")
"""What the audit sums up over the whole journal."""


def main_audit(arguments: Sequence[str]) -> int:
    """`audit FILE...`: prove every meter from the first entry; settle every round anew."""
    parser = argparse.ArgumentParser(prog="tabled journal audit", description=main_audit.__doc__)
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help=FILES_HELP)
    options = parser.parse_args(arguments)
    return _with_findings(lambda: _audit(options.files))


def main_accounts(arguments: Sequence[str]) -> int:
    """`accounts FILE...`: meter readings, coin-in, payouts and W-2G candidates by gaming day."""
    parser = argparse.ArgumentParser(
        prog="tabled journal accounts",
        description=main_accounts.__doc__,
        epilog="A day without entries has no reading. A time that ends in '?' is of a clock not known to be set.",
    )
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE", help=FILES_HELP)
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


def _audit(paths: Sequence[Path]) -> Iterator[str | Found]:
    reports = _verified(paths)
    yield from _head("Audit", paths, reports)
    days = WholeJournal("UTC", "00:00")
    compared: Counter[str] = Counter()
    findings = 0
    whole: Reading | None = None
    for one in readings(_counting(_items(paths, reports), compared), days, (), listing=False):
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
    paths: list[Path] = options.files
    reports = _verified(paths)
    days = _days(paths[-1], options)
    found = readings(_items(paths, reports), days, thresholds())
    wanted = (one for one in found if isinstance(one, Found) or options.first <= one.day <= options.last)
    match options.format:
        case "csv":
            yield from _as_csv(wanted, days, options.table or "meters")
        case "json":
            names = _names(options)
            head = {"journal": reports[-1].head.hex(), "entries": sum(report.entries for report in reports)}
            yield from _as_json(wanted, days, {**head, **_table_of(paths[-1])}, names)
        case _:
            yield from _head("Accounts", paths, reports)
            told = 0
            for one in wanted:
                told += isinstance(one, Reading)
                yield from _as_text((one,), days, _names(options))
            if not told:
                yield ""
                yield "no entry is of a gaming day that was asked for"


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
    found: Iterable[Reading | Found], days: GamingDays, head: Mapping[str, object], names: Sequence[str]
) -> Iterator[str | Found]:
    """One object, a line for each day."""
    yield f'{json.dumps(head)[:-1]}, "readings": ['
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


def _verified(paths: Sequence[Path]) -> list[Report]:
    """Each file's chain, and that each continues the one before it. Raises JournalDamaged."""
    reports: list[Report] = []
    for path in paths:
        with Reader(path) as reader:
            report = reader.verify()
        if reports:
            expect_continues(path, report, reports[-1].head)
        reports.append(report)
    return reports


def _items(paths: Sequence[Path], reports: Sequence[Report]) -> Iterator[Found]:
    """The audit of the files as of one, each up to the entry to which it was verified."""
    auditor = Auditor()
    for path, report in zip(paths, reports, strict=True):
        with Reader(path) as reader:
            last_seq = report.first_seq + report.entries - 1
            yield from walk(reader, auditor, last_seq, continues=report is not reports[0])


def _head(title: str, paths: Sequence[Path], reports: Sequence[Report]) -> Iterator[str]:
    yield f"{title} of " + (", ".join(_table_of(paths[-1]).values()) or "a journal without a segment")
    if reports[0].anchor != NO_HASH:
        yield f"  continues at entry {reports[0].first_seq:,} the file with head {reports[0].anchor.hex()}"
    for path, report in zip(paths, reports, strict=True):
        file = f"{path}: " if len(paths) > 1 else ""
        segments, entries = counted(report.segments, "segment"), "entry" if report.entries == 1 else "entries"
        yield f"  {file}chain in order: {segments}, {report.entries:,} {entries}"
        yield f"  head {report.head.hex()}"


def _last_header(path: Path) -> SegmentHeader | None:
    """The table as the last start knew it."""
    with Reader(path) as reader:
        segments = reader.segments()
    return HEADER_CODEC.decode(segments[-1].header) if segments else None


def _table_of(path: Path) -> dict[str, str]:
    header = _last_header(path)
    if header is None:
        return {}
    rules = rules_of(header)
    return {"table": rules.table_id, "game": rules.game, "profile": header.profile}


def _days(path: Path, options: argparse.Namespace) -> GamingDays:
    """As the last start was configured, unless the call says otherwise."""
    header = _last_header(path)
    reports = Reports() if header is None else settings_of(header).reports
    return GamingDays(options.time_zone or reports.time_zone, options.day_starts or reports.gaming_day_starts)


def _day(text: str) -> str:
    if not is_date(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no day; expected YYYY-MM-DD")
    return text


def _hour(text: str) -> str:
    if re.fullmatch(HOUR_PATTERN, text) is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not {HOUR_EXPECTED}")
    return text
