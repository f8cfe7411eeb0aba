"""`tabled journal rotate|restore` and `tabled clear`: their calls, what they ask, and their exit status.

Rules: the daemon must be stopped. Exit status 0: done; 1: the journal or the copy is not in order, nothing was
replaced; 2: it can't be done now, or was asked for wrongly; 78: the configuration is refused. What was interrupted is
done again by the same call: an export that is there already and in order is not made twice.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from firmware.app import clock, custody
from firmware.core.order_data import Approval
from firmware.journal.commands import public_key, reporting
from firmware.settings.check_command import EX_CONFIG, checked
from firmware.settings.load import load
from firmware.settings.problems import ConfigurationError

WRONG_CALL = 2


def main_rotate(arguments: Sequence[str]) -> int:
    """`rotate --config FILE --archive FOLDER`: export the journal, verified, and go on in a new file."""
    parser = _parser("tabled journal rotate", main_rotate.__doc__)
    parser.add_argument("--archive", type=Path, required=True, metavar="FOLDER", help="best on another medium")
    options = parser.parse_args(arguments)
    try:
        files = custody.files_of(load(options.config), _folder(options))
    except ConfigurationError as error:
        return _refused(error)
    return reporting(lambda: custody.rotate(files, options.archive))


def main_restore(arguments: Sequence[str]) -> int:
    """`restore COPY --config FILE --first NAME --second NAME --reason TEXT`: go on from a copy of the journal."""
    parser = _parser("tabled journal restore", main_restore.__doc__)
    parser.add_argument(
        "copy", type=Path, help="a copy made by backup or rotate, or the journal itself as it lies there"
    )
    parser.add_argument("--first", required=True, metavar="NAME", help="who stands for it")
    parser.add_argument("--second", required=True, metavar="NAME", help="another person who does")
    parser.add_argument("--reason", required=True, metavar="TEXT", help="why; it is journalled")
    parser.add_argument(
        "--public-key",
        action="append",
        default=[],
        metavar="KEY",
        help="a key that this table had before its present one (64 hex digits, or its .pub file)",
    )
    options = parser.parse_args(arguments)
    try:
        settings = load(options.config)
    except ConfigurationError as error:
        return _refused(error)
    files = custody.files_of(settings, _folder(options))
    approval = Approval(options.first, options.second, options.reason)

    def restore() -> Iterator[str]:
        earlier = [public_key(key) for key in options.public_key]
        return custody.restore(files, settings, options.copy, approval, earlier)

    return reporting(restore)


def clear(config: Path, run_dir: Path | None, export: Path) -> int:
    """RAM clear: show what is to be given up, have it confirmed, then export the journal and begin a new one, under the
    configuration as it is now. Returns the exit status."""
    try:
        table = checked(config, clock.today(), sys.stderr)
    except ConfigurationError as error:
        return _refused(error)
    files = custody.files_of(table.settings, run_dir or config.parent)
    status = reporting(lambda: custody.clear(files, table, export, confirmed=False))
    if status:
        return status
    words = f"CLEAR {table.settings.table.id}"
    print(f"all of this is exported to {export}, then every meter returns to its seed. To do it type: {words}")
    typed = sys.stdin.readline().strip() if sys.stdin is not None else ""
    if typed != words:
        print(f"tabled clear: got {typed!r}, expected {words!r}; nothing was done", file=sys.stderr)
        return WRONG_CALL
    return reporting(lambda: custody.clear(files, table, export, confirmed=True))


def _parser(name: str, text: str | None) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog=name, description=text)
    parser.add_argument("--config", type=Path, required=True, help="the table's TOML file")
    parser.add_argument("--run-dir", type=Path, help="the daemon's --run-dir; default: the file's folder")
    return parser


def _folder(options: argparse.Namespace) -> Path:
    folder: Path = options.run_dir or options.config.parent
    return folder


def _refused(error: ConfigurationError) -> int:
    print(error.report(), file=sys.stderr)
    return EX_CONFIG
