"""`hil report`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from hil.commands import attached, leased

if TYPE_CHECKING:
    from hil.commands import Commands

EPILOG = """\
at the running daemon, on its machine; place some chips before, so that the lamps' times are in it
signed with the table's key, so run it as who may read that: sudo -u tabled hil report
exit status: 0 all passed and signed (or verified), 1 not, 2 not possible"""


def register(commands: Commands) -> None:
    parser = commands.add_parser(
        "report",
        help="the acceptance record of a table: identity, measurements, plots, signed; --verify checks one",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    leased.add_options(parser, direct=False)
    parser.add_argument("--open", action="store_true", help="lease the devices and measure them too")
    parser.add_argument("--over", type=float, default=5.0, metavar="S", help="how long the daemon is watched")
    parser.add_argument("--accept", action="append", default=[], metavar="CODE", help="this code does not fail it")
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--text", action="store_true", help="the record as text (this is what is printed anyway)")
    shown.add_argument("--json", action="store_true", help="the signed record itself")
    parser.add_argument("--html", type=Path, metavar="FILE", help="write it as one page with plots, to keep and print")
    parser.add_argument("--junit", type=Path, metavar="FILE", help="write it as JUnit XML")
    parser.add_argument("--verify", type=Path, metavar="FILE", help="is this record (JSON or HTML) what was signed?")
    parser.add_argument("--public-key", metavar="KEY", help="with --verify: the one noted at the installation")
    parser.set_defaults(command=_run)


def _run(arguments: argparse.Namespace) -> int:
    from hil import daemon, lease
    from hil.report import run

    if arguments.verify is not None:
        return run.verify(arguments.verify, arguments.public_key)
    try:
        access = leased.access_of(arguments) if arguments.open else None
    except (daemon.NoDaemon, lease.NoLease) as error:
        print(f"hil report: {error}", file=sys.stderr)
        return run.NOT_POSSIBLE
    accepted = frozenset(code.upper() for code in arguments.accept)
    wanted = run.Wanted(
        arguments.who, arguments.over, accepted, access, arguments.json, arguments.html, arguments.junit
    )
    return run.make(attached.socket_of(arguments), wanted)
