"""`hil latency`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from hil.commands import attached, tables

if TYPE_CHECKING:
    from hil.commands import Commands

MOST = 10_000


def register(commands: Commands) -> None:
    parser = commands.add_parser(
        "latency",
        help="from a chip's edge to its lamp: figures and their distribution",
        epilog="exit status: 0 measured, 1 nothing was or a lamp stayed dark, 2 not possible",
    )
    where = attached.add_options(parser)
    where.add_argument("--table", type=tables.table, metavar="NAME|FILE", help=f"measure on {tables.HELP}")
    parser.add_argument("-n", type=_count, default=200, dest="count", help="how many chips, with --table (200)")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="write the distribution as a picture")
    parser.add_argument("--json", action="store_true", help="every time, the figures and the machine as JSON")
    parser.set_defaults(command=_run)


def _run(arguments: argparse.Namespace) -> int:
    from hil import latency

    if arguments.table is not None:
        return latency.bench(arguments.table, arguments.count, arguments.svg, arguments.json)
    return latency.attached(attached.socket_of(arguments), arguments.svg, arguments.json)


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 1 to {MOST}")
    return int(text)
