"""`hil panel`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from hil.commands import attached, tables

if TYPE_CHECKING:
    from hil.commands import Commands

EPILOG = """\
at a running table it shows; at a simulated one keys place chips and press the table's buttons
--table FILE starts a simulated table with nobody at it: place chips, d does what the dealer's display asks for
while that table is closed, hil shoe trace, sensor calibrate or lamp walk can be practised at it: --table NAME --run-dir
DIR here, the same --run-dir DIR there
keys: arrows and space: a chip. l lock-out, c CONFIRM, a CALL, x CLEAR, f floorperson's key, r reset key, d dealer.
1 to 5: table, faults, links, lines, machine. q ends it"""


def register(commands: Commands) -> None:
    parser = commands.add_parser(
        "panel",
        help="the technician's panel: table, faults, links and lines live; a bench to place chips on",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    attached.add_options(parser)
    parser.add_argument(
        "--table", type=tables.table, metavar="NAME|FILE",
        help=f"{tables.HELP}; with --run-dir its journal is kept there, and other commands find it there",
    )  # fmt: skip
    parser.add_argument("--svg", type=Path, metavar="FILE", help="save what is seen now as a picture, and end")
    parser.add_argument("--size", type=_size, default=(160, 45), metavar="COLSxROWS", help="of the saved picture")
    parser.set_defaults(command=_run)


def _run(arguments: argparse.Namespace) -> int:
    from hil.technician import run

    if arguments.table is not None and arguments.socket is not None:
        print("hil panel: --table starts a table of its own, --socket names one that runs: not both", file=sys.stderr)
        return run.NOT_POSSIBLE
    if arguments.table is not None:
        return run.run_own(arguments.table, arguments.run_dir, arguments.svg, arguments.size)
    return run.run(attached.socket_of(arguments), arguments.svg, arguments.size)


def _size(text: str) -> tuple[int, int]:
    columns, _, rows = text.partition("x")
    if not (columns.isdecimal() and rows.isdecimal() and 80 <= int(columns) <= 400 and 24 <= int(rows) <= 200):
        raise argparse.ArgumentTypeError(f"{text!r} is no size from 80x24 to 400x200")
    return int(columns), int(rows)
